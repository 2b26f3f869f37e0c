CREATE TABLE users (id serial PRIMARY KEY, email text UNIQUE, pin text);
CREATE TABLE habits (id serial PRIMARY KEY, owner int REFERENCES users, title text);
CREATE TABLE ticks (habit int REFERENCES habits, day date, PRIMARY KEY (habit, day));
