"""The bytes of a request's beginning do not change from turn to turn, so that the provider's cache holds."""

from itertools import pairwise
from pathlib import Path

import msgspec

from ferrule.context.compact import Compacting
from ferrule.context.prompt import system_prompt
from ferrule.core.events import Compacted, Event
from ferrule.core.history import History
from ferrule.core.loop import Run
from ferrule.core.messages import said
from ferrule.core.model import Request
from ferrule.llm.script import Reply, Scripted, calling
from ferrule.tools.function import tool
from tests.support import agent_of


def encoded(request: Request) -> tuple[bytes, bytes]:
    """What comes before the conversation, and the conversation without its end mark."""
    return msgspec.json.encode((request.system, request.tools)), msgspec.json.encode(request.messages)[:-1]


@tool(effect="read")
def look(at: int) -> str:
    """Look at something."""
    return f"saw {at}\n" * 300


async def ask_for(turns: int, *, window: int) -> tuple[list[Request], list[Event]]:
    replies = [calling("look", at=number) if number % 5 else Reply(text="Done.") for number in range(1, turns + 1)]
    model = Scripted(replies)
    base = agent_of(model, look, system=system_prompt(Path.cwd()))
    agent = msgspec.structs.replace(base, ask=Compacting(base.ask, window=window))
    history, events = History(), list[Event]()
    while len(model.requests) < turns:
        run = Run(agent, history, events.append)
        await run.go(said(f"Go on from {len(model.requests)}."))
    return model.requests, events


async def test_fifty_turns_without_compaction_only_add_to_the_end() -> None:
    requests, events = await ask_for(50, window=1_000_000)
    assert len(requests) == 50
    for before, after in pairwise(map(encoded, requests)):
        assert after[0] == before[0]
        assert after[1].startswith(before[1])
    assert not any(isinstance(event, Compacted) for event in events)


async def test_with_compaction_the_beginning_changes_when_it_is_said_to() -> None:
    requests, events = await ask_for(50, window=8_000)
    changes = sum(not after[1].startswith(before[1]) for before, after in pairwise(map(encoded, requests)))
    assert changes == sum(isinstance(event, Compacted) for event in events)
    assert 0 < changes < 20
