"""What a session file holds: a record a line, as JSON.

    {"n": 7, "at": 1767225600.0, "event": {"type": "appended", "message": {…}}}

`n` counts from 0, so that a record that is there twice, or in the wrong place, is noticed. The first record
is the `Header`. The rest are the events of `core/events.py`, without those that follow from others, and the
two records below that belong to the session itself.
"""

import json
from typing import Any

import msgspec

from ferrule.core.events import (
    Appended,
    Event,
    Notice,
    RunEnded,
    RunStarted,
    ToolEnded,
    TurnEnded,
    TurnStarted,
)
from ferrule.core.messages import Usage, Value
from ferrule.version import __version__

VERSION = 1
"""Of the format. A file with a higher one is refused; new kinds of records and new fields do not raise it."""

_MOST_TOKENS = 2**53
"""A number beyond it is damage."""


class Header(Value, frozen=True, kw_only=True, omit_defaults=False, tag="session_start"):
    """What session this is."""

    version: int = VERSION
    id: str
    directory: str = ""
    model: str = ""
    created: float = 0.0
    ferrule: str = __version__
    forked_from: str | None = None
    edited: int = 0
    """Files that were edited and not added when it began; every request tells the model so, and must not change."""


class SessionNamed(Value, frozen=True, tag="session_named"):
    """A person gave the session a name; the last one counts, an empty one takes it away."""

    name: str


class Totals(Value, frozen=True, kw_only=True):
    """What a session came to."""

    turns: int = 0
    messages: int = 0
    usage: Usage = Usage()
    cost: float | None = None
    """US dollars, where they are known."""


NOTHING = Totals()


class SessionEnded(Value, frozen=True, kw_only=True, tag="session_end"):
    """The file was closed. Tells a listing what it would otherwise have to count."""

    name: str = ""
    totals: Totals = NOTHING


Entry = Event | Header | SessionNamed | SessionEnded


class Record(msgspec.Struct, frozen=True, gc=False):
    """A line of the file."""

    n: int
    at: float
    event: Entry


_encoder = msgspec.json.Encoder()
decode = msgspec.json.Decoder(Record).decode


def encode(record: Record) -> bytes:
    """The record as a line, without its end. What an event holds never stops it from being written."""
    try:
        return _encoder.encode(record)
    except Exception:
        return _encode_anyway(record)


def _encode_anyway(record: Record) -> bytes:
    """Half a character and values of the user's own types are no JSON, and neither is too much of anything."""
    try:
        return plain_json(msgspec.to_builtins(record, enc_hook=str))
    except Exception as error:
        notice = Notice(text=f"An event could not be kept ({type(error).__name__}: {error}).")
        return plain_json(msgspec.to_builtins(Record(record.n, record.at, notice)))


def plain_json(value: Any) -> bytes:
    """JSON of a value, with a question mark for each half of a character (a lone surrogate)."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(errors="replace")


class Tally:
    """Counts what a session comes to, event by event."""

    def __init__(self, totals: Totals = NOTHING) -> None:
        self._turns, self._messages = totals.turns, totals.messages
        self._before = (totals.usage, totals.cost)
        self._run: TurnEnded | RunEnded | None = None

    def add(self, event: Entry) -> None:
        """Take in an event."""
        match event:
            case Appended() | ToolEnded():
                self._messages += 1
            case TurnStarted():
                self._turns += 1
            case TurnEnded() | RunEnded() if max(msgspec.structs.astuple(event.usage)) < _MOST_TOKENS:
                self._run = event  # each tells what its run took so far
            case RunStarted():
                self._before, self._run = self._spent, None
            case _:
                pass

    @property
    def totals(self) -> Totals:
        """What it comes to by now."""
        usage, cost = self._spent
        return Totals(turns=self._turns, messages=self._messages, usage=usage, cost=cost)

    @property
    def _spent(self) -> tuple[Usage, float | None]:
        usage, cost = self._before
        if self._run is None:
            return usage, cost
        known = [part for part in (cost, self._run.cost) if part is not None]
        return usage + self._run.usage, sum(known) if known else None
