"""A run can be iterated, awaited, and left early."""

import asyncio
from collections.abc import AsyncIterator

from ferrule.core.events import RunEnded
from ferrule.core.messages import said
from ferrule.core.model import Delta, Finish, Request
from ferrule.core.watch import watch
from tests.support import run_of


async def test_events_are_iterated_and_the_end_awaited() -> None:
    run, _ = run_of(["One two three"])
    async with watch(run, said("go")) as events:
        text = "".join([event.text async for event in events if isinstance(event, Delta)])
        ended = await events
    assert text == "One two three"
    assert ended.reason == "end_turn"
    assert [event async for event in events] == []


async def test_leaving_early_interrupts_the_run() -> None:
    async def endless(_: Request) -> AsyncIterator[Delta | Finish]:
        while True:
            yield Delta(kind="text", text="and on ")
            await asyncio.sleep(0)

    run, told = run_of([endless])
    async with watch(run, said("go")) as events:
        async for event in events:
            if isinstance(event, Delta):
                break
    assert run.reason == "interrupted"
    assert isinstance(told[-1], RunEnded)
