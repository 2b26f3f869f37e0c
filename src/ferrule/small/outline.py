"""A project in a few lines: what each file defines. What a search for the question's words misses is still in sight."""

import re
from collections import Counter
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
_MADE = re.compile(
    r"\s*(?:(?:export|default|async|public|pub|static) )*(?:def|class|function\*?|func|fn|struct|enum|interface)\b"
    r"|\w+ ?\(\) ?\{"
)


def is_told(path: str, found: Iterable[Hit]) -> bool:
    """Whether there is something to say of a file that people do not read and that holds no tests."""
    return is_test(path) or is_prose(path) or any(hit.path == path for hit in found)


def first_lines(path: str, text: str) -> list[Hit]:
    """What a file begins with that defines nothing: the first lines of a script that do something."""
    lines = [(number, line) for number, line in enumerate(lines_of(text), 1) if not _SAYS_NOTHING.match(line)]
    return [Hit(path=path, number=number, text=line) for number, line in lines[:_FIRST]]


def outline(found: Iterable[Hit], paths: Sequence[str], room: int) -> str:
    """The files of a project with what they define, the rest by name alone.

    Where room is short, what says most of each file comes before what says more of one of them, and the first files
    before the others. They stand in the order of their names: the same for every question, so that a server need not
    read it anew.
    """
    items: list[tuple[int, int, int, Hit]] = []
    places = {path: place for place, path in enumerate(paths) if not is_test(path) and not is_prose(path)}
    seen: Counter[tuple[str, int]] = Counter()
    for hit in found:
        if hit.path in places:
            worth = _worth(hit, is_first=not seen[hit.path, 0])
            seen[hit.path, 0] += 1
            seen[hit.path, worth] += 1
            items.append((worth, seen[hit.path, worth], places[hit.path], hit))
    chosen: dict[str, list[Hit]] = {}
    for *_, hit in sorted(items, key=lambda one: one[:3]):
        cost = tokens(f"{_short(hit.text)}; ") + (0 if hit.path in chosen else tokens(f"{hit.path}: "))
        if cost <= room and len(chosen.get(hit.path, ())) < _MOST:
            room -= cost
            chosen.setdefault(hit.path, []).append(hit)
    bare: list[str] = []
    for path in paths:
        if path not in chosen and room > 0:
            bare.append(path)
            room -= tokens(path)
    more = len(paths) - len(chosen) - len(bare)
    told = [f"{path}: {'; '.join(_short(one.text) for one in _in_order(hits))}" for path, hits in chosen.items()]
    rest = " and ".join([*([", ".join(sorted(bare))] if bare else []), *([f"{more} more"] if more else [])])
    others = [f"Other files: {rest}"] if rest else []
    return "\n".join(["The project's files, and what they define:", *sorted(told), *others])


def _in_order(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda one: one.number)


def _worth(hit: Hit, *, is_first: bool) -> int:
    """How soon a line is told: what a file is for and its functions; its values; what is said of each; entries."""
    if is_first or _MADE.match(hit.text):
        return 1
    if _DOC.match(hit.text):
        return 3
    return 4 if hit.text[:1].isspace() else 2


def _short(text: str) -> str:
    """A line of code in brief: a docstring is told in parentheses, behind what it is of."""
    if _DOC.match(text):
        words = text.strip().strip('"')
        return f"({words[:_LONGEST]})"
    return text.strip().rstrip("{:;, ")[:_LONGEST]
