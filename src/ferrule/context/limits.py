"""The room that a model has for a conversation, and what a provider says about it when there was too little."""

import re
from dataclasses import dataclass, replace
from typing import Self

_NUMBER = r"(?<!\d)(\d{1,3}(?:,\d{3})+|\d{4,9})(?!\d)"
_LIMITS = (
    re.compile(rf">\s*{_NUMBER}"),  # "188240 + 21333 > 200000"
    re.compile(rf"(?:maximum|limit|length|size|window|allowed)[^\d>]{{0,40}}{_NUMBER}", re.IGNORECASE),
    re.compile(rf"{_NUMBER}\s+(?:tokens?\s+)?maximum", re.IGNORECASE),
)
_ASKED = re.compile(rf"{_NUMBER}\)?\s*(?:tokens?\b|>)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Room:
    """How many tokens of conversation fit, and from how many on room is made."""

    usable: int
    """What the model can read and still has room to answer; 0 where nobody knows."""
    threshold: float = 0.95

    @classmethod
    def in_window(cls, window: int, *, reserve: int, threshold: float) -> Self:
        """The room in a window of which an answer may take up the reserve, but never more than a third."""
        return cls(window - min(reserve, window // 3), threshold)

    @property
    def limit(self) -> int:
        """From here on room is made."""
        return int(self.usable * self.threshold)

    def narrowed(self, usable: int) -> "Room":
        """The same with at most so much."""
        return replace(self, usable=max(min(usable, self.usable or usable), 1))


def stated(words: str) -> tuple[int | None, int | None]:
    """The window that a provider's complaint names, and how many tokens it says were sent."""
    found = next(([_value(one) for one in pattern.findall(words)] for pattern in _LIMITS if pattern.search(words)), [])
    window = min((value for value in found if value >= 1_000), default=None)
    sent = max(map(_value, _ASKED.findall(words)), default=0)
    return window, sent if window and sent > window else None


def _value(number: str) -> int:
    return int(number.replace(",", ""))
