"""Where something is: an answer to that names files that are there.

A small model makes up paths. So each one that it names is looked at as it comes; where there is no such file, the
answer goes on from there with one that there is.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from ferrule.small.words.seen import Hit

_SOURCE = re.compile(
    r"(?<![\w./~:-])(?:\./)?(?:[\w.-]{1,80}/){0,20}[\w-]{1,80}\."
    r"(?:py|[cm]?[jt]sx?|c|h|cc|cpp|hpp|rs|go|java|kt|swift|rb|php|pl|lua|cs|sh)\b(?!\.\w|/|\()"
)
_IN = re.compile(
    r"(?<!call of )(?<!call to )(?<!use of )(?<!import of )`(?P<name>[A-Za-z_]\w*)(?:\(\))?`"
    r"(?: (?:function|method|class|constant|variable|setting))?(?:,? (?:which )?(?:is|are))?"
    r"(?: (?:defined|set|located|found|implemented))? in (?:the )?(?:file )?`?"
    r"(?P<path>(?:[\w.-]{1,80}/){0,20}[\w-]{1,80}\.\w{1,5})(?=[`\s,;:]|\.?(?:\s|$))"
)
"""A name that is said to be in a file."""
_WHERE = re.compile(
    r"\b(?:where|in (?:which|what)(?! (?:order|way|case|format|form|unit|sequence|language|colou?r)s?\b)"
    r"|(?:which|what) (?:\w+ )?(?:file|module|script)s?|locate|find)\b",
    re.IGNORECASE,
)
_IN_A_CASE = re.compile(
    r"^\W*(?:if|when|unless|without)\b[^?.]*,\s*where (?:does|do|will|would|is|are)\b", re.IGNORECASE
)
"""Asked of what happens then, and not of a place in the code."""
_LINE = re.compile(
    r"\b(?:on|in|at|from) (?:which|what) lines?\b|\bline numbers?\b|\b(?:which|what) lines?\b", re.IGNORECASE
)
_AS_FUNCTION = (
    r"`{name}(?:\(\))?`|\b{name}\(|\b(?:[Ff]unction|[Mm]ethod)\s+{name}\b|(?:^|[Ff]ix\s+|[.:]\s+){name}\s"
    r"|\b{name}\s+(?:in|of|from)\s+[\w/]+\.\w|\b{name}\s+(?:always\s+|wrongly\s+)?(?:returns?|gives?|raises?)\b"
    r"|\bdoes\s+{name}\s+(?:do|work)\b"
)
"""How a plain word stands for a function."""
_QUOTED = re.compile(r"`([A-Za-z_]\w*)(?:\(\))?`")
DEFINES = (
    r"^[ \t]*(?:\d+ )?[ \t]*"
    r"(?:(?:export|default|async|public|pub|static|const|let|var|def|class|function|func|fn)[ \t]+)*"
)
_MADE = re.compile(DEFINES + r"([A-Za-z_]\w*)\s*(?:[(:{]|=[^=])")
_VALUE = re.compile(
    r"[ \t]*(?:(?:export|const|let|var|static|final)\s+)*([A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=\s*"
    r"(-?\d[\w.]*|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}')\s*;?\s*(?:#.*|//.*)?$"
)
"""A constant with a plain value."""
_ALIKE = 0.75
_MOST_PLACES = 2


def asks_where(question: str) -> bool:
    """Whether a question is answered by naming a place."""
    return bool(_WHERE.search(question)) and not _IN_A_CASE.search(question)


def asks_line(question: str) -> bool:
    """Whether a question is about the number of a line."""
    return bool(_LINE.search(question))


def is_named(function: str, text: str) -> bool:
    """Whether a text names a function as one: a plain word may be no more than a word."""
    name = re.escape(function.rpartition(".")[2])
    if re.search(r"_|[a-z][A-Z]", name):
        return bool(re.search(rf"(?<![\w/.]){name}(?!\.\w)\b", text))
    return bool(re.search(_AS_FUNCTION.format(name=name), text))


def settled(text: str) -> str:
    """What of a text is sure to be whole words, as far as it came."""
    end = max(text.rfind(" "), text.rfind("\n"))
    return text[: end + 1]


def places(answer: str, defined: Sequence[Hit]) -> str:
    """Where the things are that an answer names without their files; empty words where there is nothing to add."""
    told: list[str] = []
    for name in dict.fromkeys(_QUOTED.findall(answer)):
        homes = [hit for hit in defined if re.search(rf"{DEFINES}{re.escape(name)}\b", hit.text)]
        if len(homes) == 1 and homes[0].path.rpartition("/")[2] not in answer:
            told.append(f"`{name}` is in {homes[0].path}, line {homes[0].number}.")
    return " ".join(told[:_MOST_PLACES])


def values(answer: str, defined: Iterable[Hit]) -> str:
    """What the constants are that an answer names, where it does not say that."""
    found: dict[str, set[str]] = {}
    for hit in defined:
        if match := _VALUE.match(hit.text):
            found.setdefault(match[1], set()).add(match[2])
    told = [
        f"`{name}` is {min(found[name])}."
        for name in dict.fromkeys(_QUOTED.findall(answer))
        if len(found.get(name, ())) == 1 and min(found[name]).strip("\"'") not in answer
    ]
    return " ".join(told[:_MOST_PLACES])


def homes_of(defined: Iterable[Hit]) -> dict[str, str]:
    """The file of each name that just one file defines."""
    found: dict[str, set[str]] = {}
    for hit in defined:
        if match := _MADE.match(hit.text):
            found.setdefault(match[1], set()).add(hit.path)
    return {name: min(paths) for name, paths in found.items() if len(paths) == 1}


def put_right(text: str, files: Sequence[str], homes: Mapping[str, str] | None = None) -> str | None:
    """A text up to the first file in it that is wrong, with the right one in its place; nothing where all are right.

    `files` are those that there are, the likeliest first; `homes` says which of them names are in.
    """
    homes = homes or {}
    for match in _IN.finditer(text) if homes else ():
        home = homes.get(match["name"], "")
        if home and home != match["path"] and not home.endswith(f"/{match['path']}"):
            return text[: match.start("path")] + home
    for match in _SOURCE.finditer(text) if files else ():
        name = match[0].removeprefix("./")
        if not any(path == name or path.endswith(f"/{name}") for path in files):
            return text[: match.start()] + _meant(name, files)
    return None


def _meant(name: str, files: Sequence[str]) -> str:
    base = name.rpartition("/")[2]
    same = [path for path in files if path.rpartition("/")[2] == base]
    return next(iter([*same, *difflib.get_close_matches(name, files, 1, _ALIKE), *files]))
