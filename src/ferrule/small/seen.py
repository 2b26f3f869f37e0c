"""What the tools showed, taken back out of their words: the files of a project, lines that matched, texts."""

import re

from ferrule.core.messages import ToolResult, Value

_NUMBERED = re.compile(r" *\d+\t(.*)")
_HIT = re.compile(r"(.+?):(\d+):(.*)")


class Hit(Value, frozen=True, kw_only=True):
    """A line that matched."""

    path: str
    number: int
    text: str


def listed(result: ToolResult) -> list[str]:
    """The paths that `glob` listed."""
    if result.is_error:
        return []
    return [line for line in result.text.splitlines() if line and not line.startswith(("(", "No file matches "))]


def hits(result: ToolResult) -> list[Hit]:
    """The lines that `grep` found."""
    if result.is_error:
        return []
    found = (_HIT.fullmatch(line) for line in result.text.splitlines())
    return [Hit(path=one[1], number=int(one[2]), text=one[3]) for one in found if one]


def text_read(result: ToolResult) -> str | None:
    """The text of a file that `read` showed whole; nothing where it is no text, or more than was shown."""
    if result.is_error:
        return None
    if result.text.endswith(" is empty."):
        return ""
    lines = []
    for line in result.text.splitlines():
        match = _NUMBERED.fullmatch(line)
        if match is None:
            return None
        lines.append(match[1])
    return "\n".join(lines) + "\n"
