"""Things one may want to change."""

POLL_SECONDS = 2.0
MAX_ATTEMPTS = 7
BACKOFF_BASE = 1.5
BACKOFF_CAP = 300.0
TABLE = "jobs"
