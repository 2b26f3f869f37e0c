"""What an external tool says of itself: its name, what it is for, what it takes, and what a call would touch."""

from typing import Any, Literal

import msgspec

from ferrule.core.errors import ToolError
from ferrule.core.messages import Value
from ferrule.core.regex import lazy
from ferrule.extend.shape import flaw_of

Reach = Literal["read", "write", "execute", "network"]
"""What a call would touch: it reads files, it changes files, it does anything a command can, it uses the network."""

LONGEST = 65_536
"""Bytes of a declaration; the model is told all of it with every request."""
TIMEOUT, LONGEST_TIMEOUT = 60.0, 600.0
_NAME = lazy(r"[a-z][a-z0-9_-]{0,63}")
_LONGEST_DESCRIPTION = 4_000
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


class Declared(Value, frozen=True, kw_only=True):
    """A tool as it describes itself."""

    name: str
    description: str
    parameters: dict[str, Any] = msgspec.field(default_factory=lambda: dict(_NOTHING))
    """A JSON schema."""
    effect: Reach = "execute"
    timeout: float = TIMEOUT
    """Seconds that a call may take."""


def declaration(data: bytes) -> Declared:
    """Read what a tool says of itself.

    Raises:
        ToolError: it is not what it should be, in words that follow on the tool's path.
    """
    if len(data) > LONGEST:
        raise ToolError(f"describes itself in {len(data):,} bytes, and {LONGEST:,} are the most")
    if not data.strip():
        raise ToolError("says nothing of itself")
    try:
        found = msgspec.json.decode(data, type=Declared)
    except msgspec.ValidationError as error:
        raise ToolError(f"describes itself wrongly: {_words(str(error))}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ToolError(f"describes itself in something that is not JSON: {error}") from None
    if flaw := flaw_in(found):
        raise ToolError(flaw)
    return found


def flaw_in(declared: Declared) -> str | None:
    """What is wrong with a declaration, in words that follow on the tool's path; None if nothing."""
    if not _NAME.fullmatch(declared.name):
        return "has a name that is none: it takes small letters, digits, _ and -, and begins with a letter"
    if not declared.description.strip():
        return "has no description, so a model would not know what it is for"
    if len(declared.description) > _LONGEST_DESCRIPTION:
        return f"has a description of more than {_LONGEST_DESCRIPTION:,} characters"
    if not 0 < declared.timeout <= LONGEST_TIMEOUT:
        return f"has a timeout that is not between 0 and {LONGEST_TIMEOUT:g} seconds"
    if flaw := flaw_of(declared.parameters):
        return f"is not understood: its parameters {flaw}"
    return None


def _words(problem: str) -> str:
    """The words of msgspec, in those of this program."""
    what, _, where = problem.partition(" - at `$")
    what = what.replace("Object missing required field", "it needs the field")
    where = where.strip("`").removeprefix(".")
    return what[0].lower() + what[1:] + (f" for `{where}`" if where else "")
