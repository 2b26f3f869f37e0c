"""Numbers that are to be others: which of them a request names, and which one in code that is.

A small model that is asked to turn a 10 into a 15 writes a function around it; where it is plain which 10 is meant, the
program can do it.
"""

import re
from collections.abc import Iterator, Mapping

from ferrule.core.messages import Value
from ferrule.small.code.blocks import lines_of, silent_lines
from ferrule.small.words.rank import mentions, terms
from ferrule.small.words.wish import Wish, scales_at, stems, unit_at

_NUMBER = r"\d+(?:[._]\d+)*"
_OLD, _NEW = (rf"[`'\"$€£]?(?P<{name}>{_NUMBER})\b[`'\"]?" for name in ("old", "new"))
_REST = r"(?:[^.!?;\n\d]|\.(?=\w)){0,60}?"
_CHANGE = (
    r"\b(?:chang\w*|rais\w*|lower\w*|increas\w*|decreas\w*|reduc\w*|bump|set|mov\w*|switch|exten\w*|shorten|cut"
    r"|go(?:es)?|ris\w*|drop\w*|fall\w*|grow\w*)\b"
)
_WANTED = re.compile(
    r"\b(?:should|must|shall|needs?\s+to|ought\s+to|has\s+to|allow|use|set|make|keep|let|give|want|please|change)\b",
    re.IGNORECASE,
)
_NOT = r"\b(?:not|instead\s+of|rather\s+than)\s+(?:only\s+|just\s+|from\s+|at\s+|the\s+)*"
_BOTH = (
    re.compile(rf"{_CHANGE}{_REST}\bfrom\s+(?:the\s+)?{_OLD}{_REST}\bto\s+{_NEW}", re.IGNORECASE),
    re.compile(rf"\b{_NEW}{_REST}{_NOT}{_OLD}", re.IGNORECASE),
    re.compile(
        rf"\b(?:is|are)\s+(?:now\s+|currently\s+|only\s+|just\s+|set\s+to\s+)*{_OLD}{_REST}[.,;]?{_REST}"
        rf"(?:\b(?:should|must)\s+be|\b(?:make|change|raise|lower|set)\s+(?:it|that|this)(?:\s+to)?)\s+{_NEW}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b{_OLD}{_REST}[.,;:]\s+(?:please\s+)?(?:make|change|raise|lower|set|turn)\s+(?:it|that|this|them)"
        rf"(?:\s+(?:in)?to|\s+up\s+to)?\s+{_NEW}",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:change|replace)\s+(?:the\s+)?{_OLD}{_REST}\b(?:to|by|with)\s+{_NEW}", re.IGNORECASE),
)
_ONE = re.compile(rf"(?:\bto|\bbe|=)\s+(?:just\s+|only\s+)?{_NEW}", re.IGNORECASE)
_GIVES = re.compile(
    r"\b(?:gives?|gave|returns?|prints?|shows?|says?|raises|fails?|tests?|gets?|comes\s+out)\b", re.IGNORECASE
)
"""What is said of something that computes a number wrongly: then no number in the code is the wrong one."""
_IN_CODE = re.compile(r"(?<![\w.])\d+(?:_\d{3})*(?:\.\d+)?(?![\w.]*\w)")
_SETS = re.compile(
    r"\s*(?:(?:export|const|let|var|static|final)\s+)*[\"']?(?P<name>[A-Za-z_][\w-]*)[\"']?\s*(?::[^=]*)?[:=]\s*"
    r"(?P<value>\d+(?:_\d{3})*(?:\.\d+)?)\s*[,;]?\s*(?:#.*|//.*)?$"
)
"""A line that gives something a number and does nothing else."""
_LEAST = 4
_PLACE = re.compile(r" ?\((?:in |see |file )?[`'\"]?[\w./-]{1,80}\.\w{1,8}[`'\"]?\)")
"""A file that is named in passing."""
_NEAR, _ALIKE = 1e-9, 8.0
_IN_QUOTES = re.compile(r"\"[^\"]*\"|'[^']*'")


class Renumbering(Value, frozen=True, kw_only=True):
    """A number that is to be another; where only the other is said, `old` is empty."""

    old: str
    new: str
    scales: tuple[float, ...] = ()
    """What both may be times in code, by their unit."""
    unit: str = ""
    """What they are said to be of; a name in code may end in it."""


def renumbering(wish: Wish) -> Renumbering | None:
    """The number that a request wants to be another, where that is all it is about."""
    text = _PLACE.sub("", wish.text.strip())
    if _GIVES.search(text) or "(" in text or "\n" in text:
        return None
    for pattern in _BOTH if _WANTED.search(text) or re.search(_CHANGE, text, re.IGNORECASE) else ():
        if found := pattern.search(text):
            ends = [found.end("old"), found.end("new")]
            scales = next(filter(None, (scales_at(text, end) for end in ends)), ())
            unit = next((unit_at(text, end) for end in ends if scales_at(text, end)), "")
            return Renumbering(old=found["old"], new=found["new"], scales=scales, unit=unit)
    found = _ONE.search(text)
    if not found or len(re.findall(_NUMBER, text)) != 1:
        return None
    return Renumbering(old="", new=found["new"], scales=scales_at(text, found.end("new")))


def looked_for(change: Renumbering) -> str:
    """The pattern of lines in which the number may stand."""
    if not change.old:
        return r"[:=]\s*[0-9]"
    values = [_value(change.old) * scale for scale in (1.0, *change.scales)]
    spelled = {re.escape(f"{value:.10g}") for value in values} | {re.escape(change.old)}
    spelled |= {f"{int(value):_}" for value in values if value.is_integer()}
    return rf"\b(?:{'|'.join(sorted(spelled))})"


def renumbered(wish: Wish, change: Renumbering, texts: Mapping[str, str]) -> tuple[str, str] | None:
    """The file that has the one number which is meant, and its text with the other; nothing where that is not plain."""
    found = list(_with_old(wish, change, texts) if change.old else _by_name(wish, change, texts))
    if len(found) != 1:
        return None
    path, row, start, end, new = found[0]
    lines = texts[path].split("\n")
    lines[row] = lines[row][:start] + new + lines[row][end:]
    return path, "\n".join(lines)


_Spot = tuple[str, int, int, int, str]


def _with_old(wish: Wish, change: Renumbering, texts: Mapping[str, str]) -> Iterator[_Spot]:
    """Where the old number stands: in lines that set something, and in others only with a word of the request."""
    spots: list[tuple[bool, bool, _Spot]] = []
    words = terms(wish)
    for path, text in texts.items():
        silent, lines = silent_lines(path, text), lines_of(text)
        for row, line in enumerate(lines):
            for match in _IN_CODE.finditer(line) if row + 1 not in silent else ():
                new = _as_in_code(change, match[0])
                code = line if path.endswith(".html") else _IN_QUOTES.sub("", line)
                is_told = any(mentions(one, code) for one in words)
                if new:
                    spots.append((bool(_SETS.match(line)), is_told, (path, row, match.start(), match.end(), new)))
    told = [one for one in spots if one[1]]
    settings = [spot for is_setting, _, spot in told or spots if is_setting]
    of_unit = [spot for spot in settings if _is_of(change.unit, lines_of(texts[spot[0]])[spot[1]])]
    yield from of_unit or settings or [spot for *_, spot in told]


def _is_of(unit: str, line: str) -> bool:
    """Whether a line sets something whose name ends in a unit: `DELAY_MS`, `timeoutMs`."""
    found = _SETS.match(line)
    return bool(unit and found and re.split(r"_|-|(?<=[a-z])(?=[A-Z])", found["name"])[-1].lower() == unit)


def _by_name(wish: Wish, change: Renumbering, texts: Mapping[str, str]) -> Iterator[_Spot]:
    """Where something is set whose name the request has, or all the words of it."""
    words = {one for word in wish.spoken for one in [word, *stems(word)]}
    for path, text in texts.items():
        for row, line in enumerate(lines_of(text)):
            found = _SETS.match(line)
            if not found:
                continue
            parts = stems(found["name"])
            is_meant = found["name"] in wish.symbols or (len(parts) > 1 and words.issuperset(parts))
            new = _scaled(change, found["value"])
            if is_meant and new and len(found["name"]) >= _LEAST:
                yield path, row, found.start("value"), found.end("value"), new


def _as_in_code(change: Renumbering, token: str) -> str:
    """The new number in the form of an old one that stands in code, if it is that one: 0.05 where 4 % are 0.04."""
    there = float(token.replace("_", ""))
    for scale in (1.0, *change.scales):
        if abs(_value(change.old) * scale - there) < _NEAR * max(1.0, there):
            return _written(_value(change.new) * scale, token, change.new if scale == 1.0 else "")
    return ""


def _scaled(change: Renumbering, token: str) -> str:
    """The new number in the form of the one that is there, where it is plain in which unit that is."""
    there, new = float(token.replace("_", "")), _value(change.new)
    sizes = [new * scale for scale in (1.0, *change.scales)]
    near = [one for one in sizes if one and there and 1 / _ALIKE < one / there < _ALIKE] if len(sizes) > 1 else sizes
    return _written(near[0], token, change.new if near[0] == new else "") if len(near) == 1 else ""


def _written(value: float, token: str, typed: str) -> str:
    """A number as it is written in code, in the form of the one whose place it takes."""
    if "." in typed and "." in token:
        return typed
    text = f"{value:.10g}"
    if "e" in text:
        return ""
    if "." in token and "." not in text:
        text += ".0"
    return f"{int(text):_}" if "_" in token and text.isdigit() else text


def _value(number: str) -> float:
    return float(number.replace("_", ""))
