"""The queue itself."""

import sqlite3
import time

from jobqueue.serializer import dump, load
from jobqueue.settings import TABLE

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS {TABLE} (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    payload TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    run_at REAL NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting'
)
"""


class Queue:
    def __init__(self, path=":memory:"):
        self.db = sqlite3.connect(path)
        self.db.execute(SCHEMA)

    def push(self, name, payload, run_at=None):
        when = time.time() if run_at is None else run_at
        sql = f"INSERT INTO {TABLE} (name, payload, run_at) VALUES (?, ?, ?)"
        cursor = self.db.execute(sql, (name, dump(payload), when))
        self.db.commit()
        return cursor.lastrowid

    def pop(self, now=None):
        """The next job that is due as (id, name, payload, attempt), or None."""
        now = time.time() if now is None else now
        row = self.db.execute(
            f"SELECT id, name, payload, attempt FROM {TABLE} "
            "WHERE state = 'waiting' AND run_at <= ? ORDER BY run_at LIMIT 1",
            (now,),
        ).fetchone()
        if row is None:
            return None
        self.db.execute(f"UPDATE {TABLE} SET state = 'running' WHERE id = ?", (row[0],))
        self.db.commit()
        return row[0], row[1], load(row[2]), row[3]

    def reschedule(self, job_id, attempt, run_at):
        self.db.execute(
            f"UPDATE {TABLE} SET state = 'waiting', attempt = ?, run_at = ? WHERE id = ?",
            (attempt, run_at, job_id),
        )
        self.db.commit()

    def finish(self, job_id, state="done"):
        self.db.execute(f"UPDATE {TABLE} SET state = ? WHERE id = ?", (state, job_id))
        self.db.commit()
