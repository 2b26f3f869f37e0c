"""The room that a model has for a conversation, and what a provider says about it when there was too little."""

import re
from typing import Self

from ferrule.core.messages import Value

_NUMBER = r"(?<!\d)(\d{1,3}(?:,\d{3})+|\d{4,9})(?!\d)"
_LIMITS = (  # not compiled before they are needed, which is seldom
    rf">\s*{_NUMBER}",  # "188240 + 21333 > 200000"
    rf"(?:maximum|limit|length|size|window|allowed)[^\d>]{{0,40}}{_NUMBER}",
    rf"{_NUMBER}\s+(?:tokens?\s+)?maximum",
)
_SENT = rf"{_NUMBER}\)?\s*(?:tokens?\b|>)"


class Room(Value, frozen=True):
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
        return Room(max(min(usable, self.usable or usable), 1), self.threshold)


def stated(words: str) -> tuple[int | None, int | None]:
    """The window that a provider's complaint names, and how many tokens it says were sent."""
    found = next(filter(None, (_numbers(pattern, words) for pattern in _LIMITS)), [])
    window = min((number for number in found if number >= 1_000), default=None)
    sent = max(_numbers(_SENT, words), default=0)
    return window, sent if window and sent > window else None


def _numbers(pattern: str, words: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(pattern, words, re.IGNORECASE)]
