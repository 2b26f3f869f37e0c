"""Ways to make room in a conversation, the mildest first. Pure: nothing is asked and nothing is done here."""

from collections.abc import Iterator, Sequence

import msgspec

from ferrule.context.budget import message_tokens
from ferrule.context.view import WORD_FOR_WORD, State
from ferrule.core.messages import Message, ToolResult, User

MOST_NOTES = 4_000
PRUNED_ENOUGH = 0.75
SUMMED_UP_ENOUGH = 0.8
"""How full the room may be afterwards. Making room costs the provider's cache, so it must be worth it for a while."""
SMALLEST_CAP = 50


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


def ladder(messages: Sequence[Message], state: State, usable: int) -> Iterator[tuple[State, float]]:
    """States that tell less and less, each with how full the room may be for it to be enough.

    Where `upto` grows the notes are still those of the old state; new ones must be made.
    """
    replace = msgspec.structs.replace
    now = replace(fitting(state, usable), result_cap=0, text_cap=0)
    recent = tail_start(messages, most=usable // 4, turns=2)
    if recent > now.pruned:
        now = replace(now, pruned=recent)
        yield now, PRUNED_ENOUGH
    for start in sorted({recent, *(tail_start(messages, most=0, turns=turns) for turns in (1, 2))}):
        if start > now.upto:
            now = replace(now, upto=start, pruned=max(start, now.pruned))
            yield now, SUMMED_UP_ENOUGH
    yield now, 1.0
    for cap in _caps(usable):
        now = replace(now, result_cap=cap)
        yield now, 1.0
    if messages and not isinstance(messages[-1], User):  # even the latest turn is too much
        now = replace(now, upto=len(messages), pruned=len(messages))
        yield now, 1.0
    for cap in _caps(usable):
        now = replace(now, text_cap=cap)
        yield now, 1.0


def _caps(usable: int) -> Iterator[int]:
    cap = usable // 2
    while cap >= SMALLEST_CAP:
        yield cap
        cap //= 2
