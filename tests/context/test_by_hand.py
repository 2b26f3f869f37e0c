"""What a person does by hand: sum up now, see what would go, pin a message."""

import pytest

from ferrule.context.compact import Preview
from ferrule.context.summary import SummaryError
from ferrule.context.view import State, state_of
from ferrule.core.errors import UsageError
from ferrule.core.events import Pinned
from tests.context.support import NOTES, Asked, Enforcing, answer, chat, long_talk, request_of, said_in, user


async def test_by_hand_all_but_the_last_two_turns_become_notes() -> None:
    model = Enforcing(100_000)
    asked = Asked(model, window=100_000)
    talk = [*long_talk(4, 300), answer("Done.")]
    request = request_of(talk)
    preview = asked.compacting.preview(request)
    assert isinstance(preview, Preview)
    assert (preview.first, preview.upto) == (0, 7)
    assert asked.compacting.state == State()
    event = await asked.compacting.now(request, asked.events.append, focus="the parser")
    assert event is not None
    assert asked.compactions == [event]
    assert (event.before, event.upto, event.summary) == (preview.before, 7, NOTES)
    assert event.after <= preview.after
    assert "Mind above all: the parser" in said_in(model.for_notes[0])
    assert asked.compacting.told(request).messages[1:] == tuple(talk[7:])
    assert asked.compacting.preview(request) is None
    assert await asked.compacting.now(request, asked.events.append) is None


async def test_by_hand_a_failure_is_said_and_nothing_changes() -> None:
    asked = Asked(Enforcing(100_000, notes=lambda _: "No."), window=0)
    with pytest.raises(SummaryError, match="no notes"):
        await asked.compacting.now(request_of(long_talk(4, 300)), asked.events.append)
    assert asked.compactions == []
    assert asked.compacting.state == State()


async def test_a_pinned_message_is_never_summed_up() -> None:
    model = Enforcing(10_000)
    asked = Asked(model, window=10_000)
    talk = [user("The task."), answer("The one fact: 42."), *long_talk(12, 10)[1:]]
    talk += chat(12)[1:]
    asked.compacting.pin(1, talk, asked.events.append)
    await asked(talk)
    assert Pinned(number=1) in asked.events
    assert "#2 assistant:\n\nThe one fact: 42." in said_in(model.taken[0])
    assert state_of(asked.events).pins == (1,)
    with pytest.raises(UsageError, match=r"There is no message #100; there are #1 to #39\."):
        asked.compacting.pin(99, talk, asked.events.append)
    with pytest.raises(UsageError, match="there is none yet"):
        asked.compacting.pin(0, [], asked.events.append)
