"""How long to wait before a job is tried again."""

from jobqueue.settings import BACKOFF_BASE, BACKOFF_CAP


def delay(attempt, base=BACKOFF_BASE, cap=BACKOFF_CAP):
    """Seconds to wait after the given attempt (the first one is 1), never more than cap."""
    return min(base * 2 ** (attempt - 1), cap)
