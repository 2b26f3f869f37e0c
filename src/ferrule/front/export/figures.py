"""What each turn of a session took: time, tokens and money, from the events alone."""

from collections.abc import Iterable, Sequence

import msgspec

from ferrule.core.events import Appended, Event, RunEnded, RunStarted, ToolEnded, TurnEnded
from ferrule.core.messages import Assistant, Usage, User
from ferrule.core.names import canonical

_MOST_TOKENS = 2**53
_MOST_SECONDS = 1e9
_MOST_DOLLARS = 1e9
"""Numbers beyond these are damage."""


class Turn(msgspec.Struct, kw_only=True):
    """One answer with its calls, or several neighbours taken together."""

    first: int
    last: int
    at: float
    """When it was answered."""
    model: str = ""
    thought: float = 0.0
    """Seconds until the answer was there."""
    worked: float = 0.0
    """Seconds that its calls ran."""
    waited: float = 0.0
    """Seconds besides, in which a call waited for a person."""
    usage: Usage = Usage()
    cost: float | None = None

    def __add__(self, other: "Turn") -> "Turn":
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Turn(
            first=self.first,
            last=other.last,
            at=self.at,
            model=self.model,
            thought=self.thought + other.thought,
            worked=self.worked + other.worked,
            waited=self.waited + other.waited,
            usage=self.usage + other.usage,
            cost=sum(known) if known else None,
        )


def turns_of(events: Iterable[Event]) -> list[Turn]:
    """The turns, one for each answer of the model."""
    meter = _Meter()
    for event in events:
        meter.take(event)
    return meter.turns


def grouped(turns: Sequence[Turn], *, most: int) -> list[Turn]:
    """The turns, as many neighbours taken together as it needs for there to be no more than `most`."""
    size = -(-len(turns) // most) or 1
    return [sum(turns[start + 1 : start + size], start=turns[start]) for start in range(0, len(turns), size)]


class _Meter:
    """Reads the clock and the bill."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self._last = 0.0
        """When the last message joined the conversation; 0 where that is not known."""
        self._ran = 0.0
        self._usage, self._cost = Usage(), 0.0
        """What the run had taken when that was last told."""
        self._is_told = False
        """Whether the run told of the latest turn, and not only the provider."""

    def take(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case RunStarted():
                self._usage, self._cost = Usage(), 0.0
            case Appended(message=User(at=at)):
                self._last = max(self._last, at)
            case Appended(message=Assistant() as message):
                self._answered(message)
            case ToolEnded(result=result, seconds=seconds) if self.turns:
                is_question = canonical(result.tool) == "ask_user"  # then a person thought, and no tool worked
                self._ended(result.at, 0.0 if is_question else _within(seconds, _MOST_SECONDS))
            case TurnEnded(usage=usage, cost=cost) | RunEnded(usage=usage, cost=cost) if self.turns:
                self._told(usage, cost)
            case _:
                pass

    def _answered(self, message: Assistant) -> None:
        thought = _within(message.at - self._last, _MOST_SECONDS) if self._last > 0 else 0.0
        number = len(self.turns) + 1
        usage = message.usage if _is_sane(message.usage) else Usage()
        self.turns.append(
            Turn(first=number, last=number, at=message.at, model=message.model, thought=thought, usage=usage)
        )
        self._last, self._ran, self._is_told = max(self._last, message.at), 0.0, False

    def _ended(self, at: float, seconds: float) -> None:
        """Calls may run side by side, so they took no longer than from the answer to the last result."""
        turn = self.turns[-1]
        self._ran += seconds
        self._last = max(self._last, at)
        span = _within(self._last - turn.at, _MOST_SECONDS)
        turn.worked = min(self._ran, span) if span else self._ran
        turn.waited = span - turn.worked if span else 0.0

    def _told(self, usage: Usage, cost: float | None) -> None:
        """A run tells what it took so far, tries that failed among it; the difference belongs to the latest turn."""
        turn = self.turns[-1]
        if _is_sane(usage):
            took = _difference(usage, self._usage)
            self._usage = usage
            if took != Usage():
                turn.usage = turn.usage + took if self._is_told else took
                self._is_told = True
        if cost is not None and 0 <= cost <= _MOST_DOLLARS:
            turn.cost = (turn.cost or 0.0) + max(0.0, cost - self._cost)
            self._cost = cost


def _difference(now: Usage, before: Usage) -> Usage:
    pairs = zip(msgspec.structs.astuple(now), msgspec.structs.astuple(before), strict=True)
    names = now.__struct_fields__
    return Usage(**{name: max(0, one - other) for name, (one, other) in zip(names, pairs, strict=True)})


def _is_sane(usage: Usage) -> bool:
    return all(0 <= number < _MOST_TOKENS for number in msgspec.structs.astuple(usage))


def _within(seconds: float, most: float) -> float:
    """The seconds, or none where a damaged clock tells nonsense."""
    return seconds if 0 <= seconds <= most else 0.0
