"""Notices when a run goes in circles: the same turn, or the same pair of turns, with the same results."""

import hashlib
from collections.abc import Sequence

import msgspec

from ferrule.core.messages import ToolCall, ToolResult

TOLD_AT = 3
STOPPED_AT = 5
ADVICE = (
    "You have now made the same call {times} times with the same result. Repeating it will not change that: "
    "try another way, or say what stands in the way."
)


class Repeats:
    """The last turns, each as a fingerprint of its calls and their results."""

    def __init__(self) -> None:
        self._turns: list[bytes] = []

    def note(self, calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> int:
        """Take in a turn and say how many times in a row it, or the pair that it ends, has now been seen."""
        if not calls:
            self._turns = []
            return 0
        asked = [(call.name, call.input, call.malformed) for call in calls]
        told = [(result.text, result.is_error) for result in results]
        print_ = hashlib.blake2b(msgspec.json.encode((asked, told), order="sorted"), digest_size=16).digest()
        self._turns = [*self._turns, print_][-2 * STOPPED_AT :]
        return max(self._in_a_row(1), self._in_a_row(2))

    def _in_a_row(self, period: int) -> int:
        pattern = self._turns[-period:]
        times, end = 0, len(self._turns)
        while end >= period and self._turns[end - period : end] == pattern:
            times, end = times + 1, end - period
        return times
