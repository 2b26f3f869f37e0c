"""Ways to make room in a conversation, the mildest first. Pure: nothing is asked and nothing is done here."""

from collections.abc import Iterator, Sequence

import msgspec

from ferrule.context.budget import message_tokens
from ferrule.context.view import WORD_FOR_WORD, State
from ferrule.core.messages import Message, ToolResult, User, Value

MOST_NOTES = 4_000
PRUNED_ENOUGH = 0.75
SUMMED_UP_ENOUGH = 0.8
"""How much of the limit may be taken afterwards: making room costs the provider's cache, so it must last a while."""
SMALLEST_CAP = 50


class Rung(Value, frozen=True):
    """A way to tell less, how long its notes may be, and how much of the limit it may take to be enough."""

    state: State
    notes: int
    full: float | None = None
    """None: beyond the limit, all that is usable; what would be cut next is worth it."""


def notes_size(usable: int) -> int:
    """How many tokens the notes of the older part may take; the room is 0 where nobody knows it."""
    return min(MOST_NOTES, usable // 8) if usable else MOST_NOTES


def fitting(state: State, usable: int) -> State:
    """The state with as many of the user's own words as the room is good for."""
    return msgspec.structs.replace(state, verbatim=min(WORD_FOR_WORD, usable // 5) if usable else WORD_FOR_WORD)


def tail_start(messages: Sequence[Message], *, most: int, turns: int) -> int:
    """Where the latest turns begin: as many as fit into `most` tokens, but at least so many."""
    start, size, kept = len(messages), 0, 0
    for number in reversed(range(len(messages))):
        size += message_tokens(messages[number])
        if isinstance(messages[number], ToolResult):  # belongs to the answer before it
            continue
        if kept >= turns and size > most:
            break
        start, kept = number, kept + 1
    return start


def ladder(messages: Sequence[Message], state: State, usable: int) -> Iterator[Rung]:
    """States that tell less and less. Where `upto` grows, the notes are still the old ones; new ones must be made."""
    replace = msgspec.structs.replace
    now, notes = replace(fitting(state, usable), result_cap=0, text_cap=0), notes_size(usable)
    recent = tail_start(messages, most=usable // 4, turns=2)
    if recent > now.pruned:
        now = replace(now, pruned=recent)
        yield Rung(now, notes, PRUNED_ENOUGH)
    for start in sorted({recent, *(tail_start(messages, most=0, turns=turns) for turns in (1, 2))}):
        if start > now.upto:
            now = replace(now, upto=start, pruned=max(start, now.pruned))
            yield Rung(now, notes, SUMMED_UP_ENOUGH)
    yield Rung(now, notes, 1.0)
    now, notes = replace(now, verbatim=0), notes // 4  # the last request alone, and notes that leave it room
    yield Rung(now, notes)
    for cap in _caps(usable):
        now = replace(now, result_cap=cap)
        yield Rung(now, notes)
    if messages and not isinstance(messages[-1], User):  # even the latest turn is too much
        now = replace(now, upto=len(messages), pruned=len(messages))
        yield Rung(now, notes)
    for cap in _caps(usable):
        now = replace(now, text_cap=cap)
        yield Rung(now, min(notes, cap))


def _caps(usable: int) -> Iterator[int]:
    while (usable := usable * 2 // 3) >= SMALLEST_CAP:
        yield usable
