"""Histories of 0.8 to 3 windows against a model that enforces its window: nobody sees an error."""

import random
from functools import partial

import msgspec
import pytest

from ferrule.context.compact import Compacting
from ferrule.core.accumulate import ask_model
from ferrule.core.agent import Agent
from ferrule.core.errors import ProviderError
from ferrule.core.events import Appended, Compacted, Event, ToolEnded
from ferrule.core.history import History
from ferrule.core.loop import Run
from ferrule.core.messages import Assistant, Message, ToolResult, User
from ferrule.core.model import Delta, Request
from ferrule.tools.function import tool
from tests.context.support import NOTES, Complaint, Enforcing, last_words, random_history, said_in, words
from tests.support import agent_of, assert_sendable

COMPLAINTS: list[Complaint] = [
    lambda sent, window: f"prompt is too long: {sent} tokens > {window} maximum",
    lambda sent, window: f"This model's maximum context length is {window} tokens. However, you sent {sent} tokens.",
    lambda sent, window: f"the request exceeds the available context size ({window} tokens), try increasing it",
    lambda sent, window: "Input is too long for requested model.",
]


def _refuse(request: Request) -> str:
    raise ProviderError("overloaded", fault="overloaded")


def _too_long(request: Request) -> str:
    return NOTES + "\n" + said_in(request)


NOTE_MAKERS = [lambda _: NOTES, lambda _: NOTES, _refuse, lambda _: "", lambda _: "Sure, I'll go on!", _too_long]


@tool(effect="read")
def look(tokens: int) -> str:
    """Look at something of a certain size."""
    return words(tokens)


def _calling(tokens: int, number: int) -> list[Delta]:
    return [
        Delta(kind="call", text="look", id=f"new{number}"),
        Delta(kind="arguments", text=f'{{"tokens": {tokens}}}'),
    ]


def _history(events: list[Event], seed: int, tokens: int) -> History:
    for message in random_history(seed, tokens):
        events.append(ToolEnded(result=message) if isinstance(message, ToolResult) else Appended(message=message))
    return History(events)


def _agent(model: Enforcing, *, window: int) -> Agent:
    compacting = Compacting(partial(ask_model, model), window=window, reserve=500)
    agent = agent_of(model, look, system="You are an agent.")
    return msgspec.structs.replace(agent, ask=compacting)


async def carry(seed: int) -> tuple[Enforcing, list[Message], History, list[Event]]:
    """Ask on top of a history of 0.8 to 3 windows, and check what holds whatever happens."""
    dice = random.Random(seed)
    window = dice.choice([4_000, 8_000, 32_000, 100_000])
    believed = dice.choice([window, window, 0, window * 2, 1_000_000])
    model = Enforcing(
        window,
        notes=dice.choice(NOTE_MAKERS),
        complaint=dice.choice(COMPLAINTS),
        replies=[_calling(dice.randrange(window // 3), number) for number in range(dice.randrange(4))],
        counts=dice.random() < 0.5,
        characters=dice.choice([4, 4, 4, 3, 2]),
    )
    events: list[Event] = []
    history = _history(events, seed, int(window * model.characters / 4 * dice.uniform(0.8, 3)))
    before = list(history.messages)
    ended = await Run(_agent(model, window=believed), history, events.append).go()
    assert (ended.reason, ended.error) == ("end_turn", None)
    assert history.messages[: len(before)] == before
    for request in model.taken:
        assert isinstance(request.messages[0], User)
        assert_sendable(list(request.messages))
    return model, before, history, events


@pytest.mark.parametrize("seed", range(60))
async def test_no_error_reaches_the_user(seed: int) -> None:
    model, before, history, events = await carry(seed)
    for request in model.taken:
        assert last_words(before) in said_in(request)
    compactions = [event for event in events if isinstance(event, Compacted)]
    assert all(event.after < event.before for event in compactions)
    assert len(compactions) <= 2 * len(model.taken)
    assert isinstance(history.messages[-1], Assistant)


@pytest.mark.slow
async def test_nor_does_one_in_two_thousand_histories() -> None:
    for seed in range(60, 2_060):
        model, before, _, _ = await carry(seed)
        wish = last_words(before)
        if len(wish) < 0.6 * model.window * model.characters:  # a larger one may have to be cut
            assert all(wish in said_in(request) for request in model.taken), seed
