import sqlite3

from gymclub import config
from gymclub.models import Member


def connect():
    return sqlite3.connect(config.DATABASE)


def member_by_email(email):
    with connect() as db:
        row = db.execute("SELECT email, name, password_hash, active FROM members WHERE email = ?", (email,)).fetchone()
    return Member(*row) if row else None
