"""Whether a regular expression ends where it seems to: tools differ on a delimiter that stands in brackets."""

from ferrule.core.regex import lazy

_CLOSED = lazy(
    r"(?s)(?:[^\[\\]|\\.|\[\^?+\]?+(?:\[[:.=][^\]]*[:.=]\]|\\[^\]\[]|(?!\[[:.=])[^\]\\])*+\])*+",
)


def closed(body: str) -> bool:
    """Whether every bracket of the expression is closed, whichever way backslashes in it are read."""
    return _CLOSED.fullmatch(body) is not None
