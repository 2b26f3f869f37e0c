"""What a request says so plainly of one function that no model is needed: one too many, never on the day itself.

Each is done only where the function has just one place in which it can be meant.
"""

import re
from collections.abc import Callable, Mapping

from ferrule.core.messages import Value
from ferrule.small.code.blocks import Block, lines_of, silent_lines
from ferrule.small.code.outcomes import functions_in
from ferrule.small.code.parsed import tree_of
from ferrule.small.mends.returns import missing_returns
from ferrule.small.words.naming import is_named

_TOO_MANY = re.compile(r"\bone\s+(?:\w+\s+)?too\s+(?:many|much|high|large|big|late|long)\b", re.IGNORECASE)
_TOO_FEW = re.compile(r"\bone\s+(?:\w+\s+)?too\s+(?:few|little|low|small|early|short)\b", re.IGNORECASE)
_ONE_MORE, _ONE_LESS = (re.compile(rf"(?<=[\w)\]])\s*{sign}\s*1(?![\w.])") for sign in (r"\+", "-"))
_IS_COUNTED = re.compile(r"\s*([\w.]+)(?:\[[^=]*\])? (?:= .*?\b\1\b|[+-]=)")
"""A line that goes on counting: what it adds is the step."""
_FROM_THE_FIRST = re.compile(r"(?<=\.get\()(\w[\w.\[\]]*, )1(?=\))|^(\s+\w+ = )1$")
"""What counts the first before it has come."""
_TROUBLE = re.compile(
    r"\b(?:fix|bug|wrong\w*|misses|broken|repair|mend|incorrect\w*|should\b[^.!?]{1,80}?\bbut)\b", re.IGNORECASE
)
_AT_THE_EDGE = re.compile(
    r"\b(?:exactly|right now|precisely|on the (?:very )?(?:same )?(?:day|last day|first day)|the same (?:day|time)"
    r"|just reached|equal to|as soon as|itself|inclusive|included|(?:only|just|not until) after"
    r"|only (?:shows? up|appears?|comes?|is (?:shown|listed)|starts?|counts?) (?:on|at|after|from)"
    r"|(?:one|a) (?:day|minute|hour|second|month|year|point|step) (?:too )?(?:later|late|early|sooner))\b",
    re.IGNORECASE,
)
_ORDER = re.compile(r"(?<![-=<>!])(<=|>=|<|>)(?![<>=])")
_OTHER_ORDER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_COMPARED = {
    "(?:less|fewer|smaller|lower|shorter) than|under|below": "<",
    "(?:more|greater|larger|bigger|higher|longer) than|over|above": ">",
    "at least": ">=",
    "at most|up to": "<=",
}
_IN_SHELLS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_LIMIT = re.compile(
    rf"\b({'|'.join(_COMPARED)})\s+(?:the\s+)?([A-Z][A-Z0-9]*_[A-Z0-9_]+|\d+(?:\.\d+)?)\b", re.IGNORECASE
)
"""How something is to be compared, and with which limit."""
_ONLY_IF = re.compile(r"\bshould only\b|\bonly (?:if|when)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:negative|below zero|less than zero|minus)\b", re.IGNORECASE)
_VALUE = r"([A-Za-z_][\w.]*(?:\([\w., ]*\))?)"
_MINUS = re.compile(rf"(?<![\w.)\]\"']){_VALUE} - {_VALUE}(?![\w.(\[])")
_NOTHING = re.compile(
    r"\b(?:returns?|gives?|gave|yields?|is|get|says?|shows?|prints?)\s+(?:always\s+)?"
    r"(?:None|undefined|\"[^\"\n]{0,60}\bNone\b[^\"\n]{0,20}\"|nothing\b)|\bNone\s+instead\s+of\b"
)
_FROM_ONE = re.compile(
    r"\b(?:start|begin|count|number)\w*\s+(?:[\w.]+\s+){0,2}?(?:at|with|from)\s+(?:1|one|0|zero)\b", re.IGNORECASE
)
_ENUMERATED = re.compile(r"\benumerate\(([\w.]+(?:\([\w., ]*\))?)\)")
_LAST_MISSING = re.compile(
    r"\b(?:never|(?:does|is|are|did) ?n[o']t|miss(?:es|ing)|forgets|skips|leaves out|drops|ignores|omits|loses|lacks)"
    r"\b[^.!?\n]{0,30}\blast\b(?!\s+(?:time|week|month|year|night|update|commit|change|release)\b)"
    r"|\blast\s+(?:\w+\s+){1,6}?"
    r"(?:missing|skipped|left out|dropped|forgotten|ignored|omitted|lost|is not\s+\w+|never\s+\w+)\b",
    re.IGNORECASE,
)
_TO_THE_LAST = re.compile(
    r"\brange\((?:1, (?P<end>[\w.]+(?:\([\w.]*\))?)|(?P<short>(?:\d+, )?[\w.]+(?:\([\w.]*\))?) - 1)\)"
    r"|(?P<cut>\[:-1\])|(?<=[ (])< (?P<length>\w+\.(?:length|size)) - 1\b"
)
"""What stops before the last."""
_LOOP = re.compile(r"\s*(?:for|while)\b")
_IN_QUOTES = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`")
_TOO_MANY_NAMED = 2


class _Function(Value, frozen=True, kw_only=True):
    """A function in its file."""

    path: str
    text: str
    block: Block

    @property
    def is_python(self) -> bool:
        return self.path.endswith(".py")

    def places(self, pattern: re.Pattern[str], *, in_loops: bool = False) -> list[tuple[int, re.Match[str]]]:
        """Where something stands in its code: not in texts and comments, and in the heads of loops only if asked."""
        lines, silent = lines_of(self.text), silent_lines(self.path, self.text)
        found: list[tuple[int, re.Match[str]]] = []
        for row in range(self.block.first - 1 + self.is_python, self.block.last):
            if row + 1 not in silent and (in_loops or not _LOOP.match(lines[row])):
                bare = _IN_QUOTES.sub(lambda quoted: '"' * len(quoted[0]), lines[row]).replace("=>", "__")
                found += [(row, one) for one in pattern.finditer(bare.partition("#" if self.is_python else "//")[0])]
        return found

    def with_only(
        self, pattern: re.Pattern[str], instead: Callable[[re.Match[str]], str], *, in_loops: bool = False
    ) -> str:
        """Its file with something else in the one place of it; as it was where there is none, or several."""
        places = self.places(pattern, in_loops=in_loops)
        if len(places) != 1:
            return self.text
        row, found = places[0]
        lines = self.text.split("\n")
        lines[row] = lines[row][: found.start()] + instead(found) + lines[row][found.end() :]
        right = "\n".join(lines)
        return right if not self.is_python or tree_of(right) else self.text


def speaks_plainly(request: str) -> bool:
    """Whether a request says what is wrong in words that can be carried out."""
    is_edge = (_AT_THE_EDGE.search(request) or _LAST_MISSING.search(request)) and _TROUBLE.search(request)
    plain = (_TOO_MANY, _TOO_FEW, _NEGATIVE, _NOTHING, _FROM_ONE)
    return bool(is_edge or _limit(request) or any(one.search(request) for one in plain))


def as_told(request: str, texts: Mapping[str, str]) -> list[tuple[str, Block, str]]:
    """The functions in which that may be what is said, each with its file as it is then.

    Those that are named, if any is; two that are named are one too many.
    """
    every = [(path, one) for path, text in texts.items() for one in functions_in(path, text)]
    named = [one for one in every if is_named(one[1].name, request)]
    found: list[tuple[str, Block, str]] = []
    for path, block in (named or every) if len(named) < _TOO_MANY_NAMED else ():
        function = _Function(path=path, text=texts[path], block=block)
        right = next((new for one in _CHANGES if (new := one(request, function)) != function.text), function.text)
        if right != function.text:
            found.append((path, block, right))
    return found


def _counted(request: str, function: _Function) -> str:
    """Without the one that is counted too many or too few: the only one that is added or taken away there."""
    signs = {_TOO_MANY: (_ONE_MORE, _ONE_LESS), _TOO_FEW: (_ONE_LESS, _ONE_MORE)}
    likelier, other = next((both for said, both in signs.items() if said.search(request)), (None, None))
    if likelier is None or other is None:
        return function.text
    lines = lines_of(function.text)
    steps = {row for row in range(function.block.first, function.block.last) if _IS_COUNTED.match(lines[row])}
    if steps and all(row in steps for row, _ in function.places(likelier)):
        right = function.with_only(_FROM_THE_FIRST, lambda found: f"{found[1] or found[2]}0")
        return right if likelier is _ONE_MORE else function.text
    return function.with_only(likelier if function.places(likelier) else other, lambda _: "")


def _limit(request: str) -> tuple[str, str] | None:
    """How something should be compared with which limit, where that is said to be wrong."""
    told = _LIMIT.findall(request) if _TROUBLE.search(request) or _ONLY_IF.search(request) else []
    if len(told) != 1:
        return None
    words, limit = told[0]
    return next(sign for said, sign in _COMPARED.items() if re.fullmatch(said, words.lower())), limit


def _compared(request: str, function: _Function) -> str:
    """With a limit compared as the request says it, where the code has it just the other way round."""
    told = _limit(request)
    if told is None:
        return function.text
    sign, limit = told
    ends = rf"\s*[\"'{{$]*(?:[A-Za-z_]\w*\.)?{re.escape(limit)}\b"
    if not function.path.endswith((".sh", ".bash")):
        pattern = re.compile(rf"(?<![-=<>!])(<=|>=|<|>)(?={ends})")
        return function.with_only(pattern, lambda found: found[1] if found[1][0] == sign[0] else sign)
    found = list(re.finditer(rf"-(lt|le|gt|ge)(?={ends})", function.text))
    if len(found) != 1 or found[0][1][0] == _IN_SHELLS[sign][0]:
        return function.text
    return function.text[: found[0].start(1)] + _IN_SHELLS[sign] + function.text[found[0].end(1) :]


def _at_the_edge(request: str, function: _Function) -> str:
    """With the limit itself on the other side, where that is what is said to be wrong."""
    if not _AT_THE_EDGE.search(request) or not _TROUBLE.search(request):
        return function.text
    return function.with_only(_ORDER, lambda found: _OTHER_ORDER[found[1]])


def _the_other_way_round(request: str, function: _Function) -> str:
    """With a difference the other way round, where what comes out is said to be negative."""
    if not _NEGATIVE.search(request):
        return function.text
    return function.with_only(_MINUS, lambda found: f"{found[2]} - {found[1]}")


def _from_one(request: str, function: _Function) -> str:
    """With what is numbered beginning at 1, where that is wanted and it begins at 0."""
    is_wanted = _FROM_ONE.search(request) and _TROUBLE.search(request)
    if not is_wanted and not _TOO_FEW.search(request):
        return function.text
    return function.with_only(_ENUMERATED, lambda found: f"enumerate({found[1]}, 1)", in_loops=True)


def _to_the_last(request: str, function: _Function) -> str:
    """With the last one, where that is said to be missing and one thing stops before it."""
    if not _LAST_MISSING.search(request) or not _TROUBLE.search(request):
        return function.text

    def whole(found: re.Match[str]) -> str:
        if found["end"]:
            return f"range(1, {found['end']} + 1)"
        return f"range({found['short']})" if found["short"] else f"< {found['length']}" if found["length"] else ""

    return function.with_only(_TO_THE_LAST, whole, in_loops=True)


def _given_back(request: str, function: _Function) -> str:
    """With what is computed given back, where nothing is said to come."""
    if not _NOTHING.search(request) or not function.is_python:
        return function.text
    block, lines = function.block, function.text.split("\n")
    trials = [one for one in missing_returns(function.text) if block.first <= one.at + 1 <= block.last]
    last = trials[0].line.rpartition("return ")[2] if trials else ""
    is_plain = len(trials) == 1 or (trials and re.match(rf"\s*{re.escape(last)}\s*=", lines[trials[0].at]))
    if is_plain:
        lines[trials[0].at] = trials[0].line
    return "\n".join(lines)


_CHANGES = (
    _counted,
    _compared,
    _at_the_edge,
    _the_other_way_round,
    _from_one,
    _to_the_last,
    _given_back,
)
"""In the order in which they are tried: the first that fits is meant."""
