"""A very small job queue on top of SQLite."""

from jobqueue.queue import Queue

__all__ = ["Queue"]
