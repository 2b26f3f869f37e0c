"""Examples as Python's own prompt shows them: `>>> f(3)`, and below it what comes of it."""

import re

from ferrule.small.checks.pasted import asserted
from ferrule.small.code.parsed import expression_of, literal

_PROMPT = re.compile(r"^[ \t]*>>> ?(\S.*)$")
_GOES_ON = re.compile(r"^[ \t]*\.\.\. ?(.*)$")
_SILENT = re.compile(r"^[ \t]*(?:#.*)?$")
_MOST_SILENT, _MOST, _LONGEST = 3, 40, 40_000


def shown_calls(text: str) -> list[tuple[str, str]]:
    """What was typed, with what it comes to, both as Python; names that were given before stand for their values."""
    if ">>>" not in text:
        return []
    rows = text[:_LONGEST].splitlines()
    lines: list[str] = []
    for at, row in enumerate(rows):
        if typed := _PROMPT.match(row):
            source, behind = _whole(typed[1], rows[at + 1 :])
            value = _value_of(behind) if expression_of(source) else ""
            lines += [f"    assert ({source}) == {value}" if value else f"    {source}"]
    return asserted("\n".join(lines))[:_MOST]


def _whole(typed: str, rows: list[str]) -> tuple[str, list[str]]:
    """What was typed with the lines in which it goes on, and the rows behind it."""
    lines = [typed]
    while len(lines) <= len(rows) and (more := _GOES_ON.match(rows[len(lines) - 1])):
        lines.append(more[1])
    return "\n".join(lines), rows[len(lines) - 1 :]


def _value_of(rows: list[str]) -> str:
    """The value that comes next; empty where none does. Comments and empty lines may stand between."""
    row = next((row.strip() for row in rows[:_MOST_SILENT] if not _SILENT.match(row)), "")
    try:
        return repr(literal(row))
    except ValueError:
        return ""
