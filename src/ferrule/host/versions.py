"""A file as it was and as it became: what somebody did to it, bytes and all."""

from ferrule.core.messages import Value


class Version(Value, frozen=True):
    """A file or a link at one moment."""

    mode: int
    """Its type and mode bits, as the system gives them."""
    data: bytes
    """Its bytes; of a link, where it leads."""


class Edited(Value, frozen=True, kw_only=True):
    """What became of one path; `None` where nothing was there, or a directory."""

    path: str
    """From the project's directory on, with `/`."""
    old: Version | None = None
    new: Version | None = None
    unknown: bool = False
    """Whether one side is in no record, as that of a large file; then both are None."""
