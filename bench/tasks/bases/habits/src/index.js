const express = require("express");
const habits = require("./routes/habits");
const users = require("./routes/users");

const app = express();
app.use(express.json());
app.use("/habits", habits);
app.use("/users", users);

app.listen(process.env.PORT || 4100);
