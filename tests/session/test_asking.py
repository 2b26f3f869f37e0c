"""Questions about permissions."""

import asyncio

import pytest

from ferrule.core.errors import UsageError
from ferrule.core.events import Event, PermissionAsked
from ferrule.core.messages import ToolCall
from ferrule.core.permission import Answer
from ferrule.session.asking import Asking

ASKED = PermissionAsked(id="q1", call=ToolCall(id="c1", name="bash", input={"command": "make"}))
YES = Answer(verdict="once")


async def test_with_nobody_there_nothing_is_told() -> None:
    told: list[Event] = []
    asking = Asking()
    asking.tell = told.append
    assert await asking(ASKED) is None
    assert told == []


async def test_someone_answers_by_id() -> None:
    told: list[Event] = []
    asking = Asking(someone=True)
    asking.tell = told.append
    question = asyncio.ensure_future(asking(ASKED))
    await asyncio.sleep(0)
    assert told == [ASKED]
    assert asking.open == {"q1": ASKED}
    asking.answer("q1", YES)
    assert await question == YES
    assert asking.open == {}
    with pytest.raises(UsageError, match="does not wait"):
        asking.answer("q1", YES)


async def test_a_function_answers() -> None:
    async def by(asked: PermissionAsked) -> Answer:
        return Answer(verdict="no", word=asked.call.name)

    assert await Asking(by=by)(ASKED) == Answer(verdict="no", word="bash")


async def test_no_answer_in_time_means_no() -> None:
    asking = Asking(someone=True, seconds=0.01)
    assert await asking(ASKED) == Answer(verdict="no", word="Nobody answered within 0.01 s.")
    assert asking.open == {}


async def test_two_questions_wait_apart() -> None:
    asking = Asking(someone=True)
    first = asyncio.ensure_future(asking(ASKED))
    second = asyncio.ensure_future(asking(PermissionAsked(id="q2", call=ASKED.call)))
    await asyncio.sleep(0)
    asking.answer("q2", Answer(verdict="abort"))
    assert await second == Answer(verdict="abort")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert asking.open == {}
