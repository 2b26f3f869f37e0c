"""Tables that a request gives: what stands for what, in rows with bars, arrows or colons, or in columns."""

import re
from itertools import groupby

_ROWS = (
    re.compile(r"^\s*\|?\s*([^|\n]{1,80}?)\s*\|\s*([^|\n]{1,40}?)\s*\|?\s*$"),
    re.compile(r"^\s*(?:[-*+]\s+)?([^\n]{1,80}?)\s+(?:->|→|=>)\s+([^\n]{1,40}?)\s*$"),
    re.compile(r"^\s*[-*+]\s+([^:=\n]{1,40}?)\s*[:=](?!>)\s*([^\n]{1,40}?)\s*$"),
    re.compile(r"^\s*(\S[^\n]{0,80}?)(?:\s{2,}|\t)(\S{1,40})\s*$"),
)
_QUOTES = "`'\"*"
_LEAST, _LONGEST = 3, 20_000


def said_tables(text: str) -> list[dict[str, str]]:
    """What stands for what, by a request; several things that share a row each stand alone."""
    found: list[dict[str, str]] = []
    for row in _ROWS:
        matches = [row.match(line) for line in text[:_LONGEST].splitlines()]
        for is_row, group in groupby(matches, key=bool):
            table: dict[str, str] = {}
            for one in [one for one in group if one] if is_row else ():
                table |= {key.strip(_QUOTES): one[2].strip(_QUOTES) for key in re.split(r",\s*", one[1])}
            if len(table) >= _LEAST:
                found.append(table)
    return found
