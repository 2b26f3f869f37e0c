"""What a request says so plainly of one function that no model is needed: one too many, never on the day itself.

Each is done only where the function that is named has just one place in which it can be meant.
"""

import re
from collections.abc import Callable, Mapping

from ferrule.small.code.blocks import Block, lines_of, silent_lines
from ferrule.small.code.outcomes import functions_in
from ferrule.small.code.parsed import tree_of
from ferrule.small.mends.returns import missing_returns
from ferrule.small.words.naming import is_named

_TOO_MANY = re.compile(r"\bone\s+(?:\w+\s+)?too\s+(?:many|much|high|large|big|late|long)\b", re.IGNORECASE)
_TOO_FEW = re.compile(r"\bone\s+(?:\w+\s+)?too\s+(?:few|little|low|small|early|short)\b", re.IGNORECASE)
_ONE_MORE, _ONE_LESS = (re.compile(rf"(?<=[\w)\]])\s*{sign}\s*1(?![\w.])") for sign in (r"\+", "-"))
_AT_THE_EDGE = re.compile(
    r"\b(?:exactly|right now|precisely|on the (?:very )?(?:same )?(?:day|last day|first day)|the same (?:day|time)"
    r"|just reached"
    r"|equal to|as soon as|itself|inclusive|included|(?:only|just|not until) after"
    r"|only (?:shows? up|appears?|comes?|is (?:shown|listed)|starts?|counts?) (?:on|at|after|from)"
    r"|(?:one|a) (?:day|minute|hour|second|month|year|point|step) (?:too )?(?:later|late|early|sooner))\b",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:fix|bug|wrong\w*|misses|broken|repair|mend|incorrect\w*|should\b[^.!?]{1,80}?\bbut)\b", re.IGNORECASE
)
_ORDER = re.compile(r"(?<![-=<>!])(<=|>=|<|>)(?![<>=])")
_OTHER_ORDER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_LOOP = re.compile(r"\s*(?:for|while)\b")
_NEGATIVE = re.compile(r"\b(?:negative|below zero|less than zero|minus)\b", re.IGNORECASE)
_MINUS = re.compile(
    r"(?<![\w.)\]\"'])([A-Za-z_][\w.]*(?:\([\w., ]*\))?) - ([A-Za-z_][\w.]*(?:\([\w., ]*\))?)(?![\w.(\[])"
)
_NOTHING = re.compile(
    r"\b(?:returns?|gives?|gave|yields?|is|get|says?|shows?|prints?)\s+(?:always\s+)?"
    r"(?:None|undefined|\"[^\"\n]{0,60}\bNone\b[^\"\n]{0,20}\"|nothing\b)|\bNone\s+instead\s+of\b"
)
_TOO_MANY_NAMED = 2
_IN_QUOTES = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`")


def speaks_plainly(request: str) -> bool:
    """Whether a request says what is wrong in words that can be carried out."""
    is_edge = _AT_THE_EDGE.search(request) and _TROUBLE.search(request)
    return bool(is_edge or any(one.search(request) for one in (_TOO_MANY, _TOO_FEW, _NEGATIVE, _NOTHING)))


def as_told(request: str, texts: Mapping[str, str]) -> list[tuple[str, Block, str]]:
    """The functions in which that may be what is said, each with its file as it is then.

    Those that are named, if any is; two that are named are one too many.
    """
    every = [(path, one) for path, text in texts.items() for one in functions_in(path, text)]
    named = [one for one in every if is_named(one[1].name, request)]
    found: list[tuple[str, Block, str]] = []
    for path, block in (named or every) if len(named) < _TOO_MANY_NAMED else ():
        text = texts[path]
        right = next((new for one in _CHANGES if (new := one(request, path, text, block)) != text), text)
        if right != text:
            found.append((path, block, right))
    return found


def _counted(request: str, path: str, text: str, block: Block) -> str:
    """Without the one that is counted too many or too few: the only one that is added or taken away there."""
    signs = {_TOO_MANY: (_ONE_MORE, _ONE_LESS), _TOO_FEW: (_ONE_LESS, _ONE_MORE)}
    likelier, other = next((both for said, both in signs.items() if said.search(request)), (None, None))
    if likelier is None or other is None:
        return text
    sign = likelier if _places(path, text, block, likelier) else other
    return _only(path, text, block, sign, lambda _: "")


def _at_the_edge(request: str, path: str, text: str, block: Block) -> str:
    """With the limit itself on the other side, where that is what is said to be wrong."""
    if not _AT_THE_EDGE.search(request) or not _TROUBLE.search(request):
        return text
    return _only(path, text, block, _ORDER, lambda found: _OTHER_ORDER[found[1]])


def _the_other_way_round(request: str, path: str, text: str, block: Block) -> str:
    """With a difference the other way round, where what comes out is said to be negative."""
    if not _NEGATIVE.search(request):
        return text
    return _only(path, text, block, _MINUS, lambda found: f"{found[2]} - {found[1]}")


def _given_back(request: str, path: str, text: str, block: Block) -> str:
    """With what is computed given back, where nothing is said to come."""
    if not _NOTHING.search(request) or not path.endswith(".py"):
        return text
    trials = [one for one in missing_returns(text) if block.first <= one.at + 1 <= block.last]
    lines = text.split("\n")
    last = trials[0].line.rpartition("return ")[2] if trials else ""
    is_plain = len(trials) == 1 or (bool(trials) and re.match(rf"\s*{re.escape(last)}\s*=", lines[trials[0].at]))
    if not is_plain:
        return text
    lines[trials[0].at] = trials[0].line
    return "\n".join(lines)


def _places(path: str, text: str, block: Block, pattern: re.Pattern[str]) -> list[tuple[int, re.Match[str]]]:
    """Where something stands in the code of a function, outside of texts, comments and the heads of loops."""
    lines, silent = lines_of(text), silent_lines(path, text)
    found: list[tuple[int, re.Match[str]]] = []
    for row in range(block.first - 1, block.last):
        if row + 1 in silent or _LOOP.match(lines[row]) or (row == block.first - 1 and path.endswith(".py")):
            continue
        bare = _IN_QUOTES.sub(lambda quoted: "_" * len(quoted[0]), lines[row])
        bare = bare.partition("#" if path.endswith(".py") else "//")[0].replace("=>", "__")
        found += [(row, one) for one in pattern.finditer(bare)]
    return found


def _only(path: str, text: str, block: Block, pattern: re.Pattern[str], instead: Callable[[re.Match[str]], str]) -> str:
    """A file with something else in the one place of a function; as it was where there is none, or several."""
    places = _places(path, text, block, pattern)
    if len(places) != 1:
        return text
    row, found = places[0]
    lines = text.split("\n")
    lines[row] = lines[row][: found.start()] + instead(found) + lines[row][found.end() :]
    right = "\n".join(lines)
    return right if not path.endswith(".py") or tree_of(right) else text


_CHANGES = (_counted, _at_the_edge, _the_other_way_round, _given_back)
