"""A command that goes on behind the conversation, as fronts tell of it."""

from ferrule.core.messages import Value


class Job(Value, frozen=True, kw_only=True):
    """A job, and how it does."""

    number: int
    command: str
    seconds: float
    """For how long it has been there."""
    is_running: bool
    code: int | None = None
    """The exit code of its shell, once that has ended; negative for a signal."""
    last: str = ""
    """The last of what it printed."""
