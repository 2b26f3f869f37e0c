"""The cache guard names what changed, and its price."""

import msgspec
import pytest

from ferrule.context.guard import CacheGuard
from ferrule.core.accumulate import Draft
from ferrule.core.events import Event, Notice
from ferrule.core.messages import Message, User, said
from ferrule.core.model import Request, ToolSpec

LONG = "words " * 2_000
TOOLS = (ToolSpec(name="ls", description="List.", schema={"type": "object"}),)
MESSAGES: tuple[Message, ...] = (said(LONG), said("two"), said("three"))
FIRST = Request(system="Be good.", tools=TOOLS, messages=MESSAGES)


async def told(*requests: Request) -> list[str]:
    events: list[Event] = []

    async def ask(*_: object) -> None:
        pass

    guard = CacheGuard(ask, extra_cost=lambda tokens: tokens / 1_000_000)
    for request in requests:
        await guard(request, Draft(), events.append)
    return [event.text for event in events if isinstance(event, Notice)]


def changed(**fields: object) -> Request:
    return msgspec.structs.replace(FIRST, **fields)


async def test_a_conversation_that_only_grows_says_nothing() -> None:
    assert (
        await told(FIRST, changed(messages=(*MESSAGES, said("four"))), changed(messages=(*MESSAGES, said("four"))))
        == []
    )


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (changed(system="Be better."), "from the system prompt on: 3,0"),
        (changed(tools=()), r"from the tools (ls) on: 3,0"),
        (
            changed(tools=(msgspec.structs.replace(TOOLS[0], description="x"),)),
            "from the tools (their descriptions) on",
        ),
        (changed(messages=(said("other"), *MESSAGES[1:])), "from message #1 on: 3,0"),
        (changed(messages=MESSAGES[1:]), "from message #1 on"),
    ],
)
async def test_what_changed_is_named_with_its_price(request_: Request, words: str) -> None:
    (said_,) = await told(FIRST, request_)
    assert words in said_
    assert "about $0.003" in said_


async def test_what_costs_nothing_is_not_said() -> None:
    short: tuple[Message, ...] = (User(content=said("a").content),)
    assert await told(changed(messages=short), changed(messages=(said("b"),))) == []
