"""A project in a few lines: what each file defines. What a search for the question's words misses is still in sight."""

import re
from collections.abc import Iterable, Sequence

from ferrule.small.code.blocks import lines_of
from ferrule.small.prompts import tokens
from ferrule.small.words.rank import is_prose, is_test
from ferrule.small.words.seen import Hit

DEFINITIONS = (
    r"^(?:(?:export|default|async|public|pub|static) )*"
    r"(?:def|class|function\*?|func|fn|struct|enum|interface|type|const|let|var|#define) *\w+"
    r"|^\s+(?:async )?def [a-z]\w+|^[A-Za-z_][\w.-]* ?[:=] ?[^=\s]|^\[\S+\]$|^\w+ ?\(\) ?\{"
    r"|^\s*\"\"\"\w|^ {2,4}\"[\w.-]+\": ?[^\s{\[]"
)
"""A regular expression for the lines that say what a file is about; it is searched for in all files at once."""
_LONGEST, _MOST = 64, 14
"""Characters of a line, and lines of a file."""
_FIRST = 3
_SAYS_NOTHING = re.compile(r"\s*(?:$|#!|set -|import |from |use |#include|[\]\[{}()]+$|\"use strict\")")
_DOC = re.compile(r'\s*"""')


def is_told(path: str, found: Iterable[Hit]) -> bool:
    """Whether there is something to say of a file that people do not read and that holds no tests."""
    return is_test(path) or is_prose(path) or any(hit.path == path for hit in found)


def first_lines(path: str, text: str) -> list[Hit]:
    """What a file begins with that defines nothing: the first lines of a script that do something."""
    lines = [(number, line) for number, line in enumerate(lines_of(text), 1) if not _SAYS_NOTHING.match(line)]
    return [Hit(path=path, number=number, text=line) for number, line in lines[:_FIRST]]


def outline(found: Iterable[Hit], paths: Sequence[str], room: int) -> str:
    """The files of a project with what they define, the rest by name alone; where room is short, the first ones count.

    They stand in the order of their names: the same for every question, so that a server need not read it anew.
    """
    lines: dict[str, list[str]] = {}
    for hit in found:
        if not is_test(hit.path) and not is_prose(hit.path):
            lines.setdefault(hit.path, []).append(_short(hit.text))
    told: list[str] = []
    bare: list[str] = []
    for path in paths:
        line = f"{path}: {'; '.join(lines.get(path, [])[:_MOST])}"
        if path in lines and (cost := tokens(line)) <= room:
            room -= cost
            told.append(line)
        elif room > 0:
            bare.append(path)
            room -= tokens(path)
    more = len(paths) - len(told) - len(bare)
    others = [f"Other files: {', '.join(sorted(bare))}{f' and {more} more' if more else ''}"] if bare else []
    return "\n".join(["The project's files, and what they define:", *sorted(told), *others])


def _short(text: str) -> str:
    """A line of code in brief: a docstring is told in parentheses, behind what it is of."""
    if _DOC.match(text):
        words = text.strip().strip('"')
        return f"({words[:_LONGEST]})"
    return text.strip().rstrip("{:;, ")[:_LONGEST]
