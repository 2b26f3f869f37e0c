"""Numbers of a question held against those that code compares with: a small model cannot tell which is more."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from ferrule.core.messages import Value

_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
_SAID = re.compile(r"(?<![\w.,:/-])(\d{1,9}(?:\.\d{1,4})?)(?:\s*(%)|\s+([a-z]+))?(?![\w:/]|[.,]\d)", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:than|over|under|above|below|beyond|exceed\w*|least|most|within|until|up to|from|between|and|line|last|first)"
    r"\s+(?:the\s+)?$",
    re.IGNORECASE,
)
"""Said before a number that is a limit itself, or no amount."""
_SPAN = re.compile(r"timedelta\((\w+)s=(\d+(?:\.\d+)?)\)")
_SET = re.compile(
    r"^\s*(?:(?:export|const|let|var|static|final|readonly)\s+)*([A-Za-z_]\w+)\s*=(?!=)\s*([^#;\n]+?)\s*;?\s*(?:#.*|//.*)?$",
    re.MULTILINE,
)
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?")
_COMPARED = re.compile(
    r"(?:[<>]=?|-[gl][te])\s*(?:(timedelta\(\w+=[\d.]+\))|\"?\$?\{?([A-Za-z_]\w+|-?\d[\d_]*(?:\.\d+)?)\b)"
)
_COUNTED = ("0", "1", "2")
"""Numbers that mostly tell whether there is anything at all."""
_MOST_SAID, _MOST_LIMITS, _MOST_READ, _ROOM = 2, 5, 100, 40


class _Amount(Value, frozen=True, kw_only=True):
    """So much of something, and how that is put."""

    value: float
    said: str
    is_time: bool = False
    """Whether it counts seconds."""


def compared(question: str, shown: Iterable[str]) -> str:
    """Whether the numbers of a question are more or less than the limits in the shown code, in lines."""
    limits = list(dict.fromkeys(islice(_limits("\n".join(shown)), _MOST_READ)))
    amounts = islice(_said(question), _MOST_READ)
    told = (_told(one, [limit for limit in limits if limit.is_time == one.is_time]) for one in amounts)
    return "\n".join(islice(filter(None, told), _MOST_SAID))


def _told(amount: _Amount, limits: list[_Amount]) -> str:
    """How an amount compares with limits, from the least of these to the greatest."""
    parts = [f"{_how(amount.value, one.value)} {one.said}" for one in sorted(limits, key=lambda one: one.value)]
    return f"{amount.said} is {', '.join(parts[:_MOST_LIMITS])}." if parts else ""


def _how(value: float, limit: float) -> str:
    return "more than" if value > limit else "less than" if value < limit else "exactly"


def _said(question: str) -> Iterator[_Amount]:
    """The amounts that a question speaks of."""
    for found in _SAID.finditer(question):
        if _OPEN.search(question, max(0, found.start() - _ROOM), found.start()):
            continue
        number, percent, word = found[1], found[2] or "", found[3] or ""
        seconds = _SECONDS.get(word.lower().removesuffix("s"))
        said = f"{number}{percent}" if percent or not seconds else f"{number} {word}"
        yield _Amount(value=float(number) * (seconds or 1), said=said, is_time=bool(seconds))


def _limits(code: str) -> Iterator[_Amount]:
    """What code compares with: numbers, and constants that are numbers or times."""
    constants = dict(_SET.findall(code))
    for span, name in _COMPARED.findall(code):
        value = span or constants.get(name, name)
        if found := _SPAN.fullmatch(value):
            unit, number = found.groups()
            said = f"{number} {unit}{'' if number == '1' else 's'}"
            if unit in _SECONDS:
                amount = float(number) * _SECONDS[unit]
                yield _Amount(value=amount, said=f"{name} ({said})" if name else said, is_time=True)
        elif _NUMBER.fullmatch(value) and value not in _COUNTED:
            yield _Amount(value=float(value.replace("_", "")), said=f"{name} ({value})" if name != value else value)
