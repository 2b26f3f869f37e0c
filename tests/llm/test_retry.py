"""Failures that may pass are tried again, and nothing is kept or run twice."""

import asyncio
from functools import partial

import pytest

from ferrule.core.accumulate import ask_model
from ferrule.core.agent import Agent
from ferrule.core.events import Appended, Event, Retrying, ToolStarted
from ferrule.core.history import History
from ferrule.core.loop import Run
from ferrule.core.messages import Assistant, said
from ferrule.core.model import Model
from ferrule.llm.retry import retrying
from ferrule.llm.script import Call, Chaos, Fault, Reply, Scripted
from ferrule.tools.function import FunctionTool, tool
from tests.support import agent_of, allow, assert_sendable, until


def run_with_retry(
    model: Model, *tools: FunctionTool, attempts: int = 5, base: float = 0.001
) -> tuple[Run, list[Event]]:
    events: list[Event] = []
    agent = agent_of(model, *tools)
    agent = Agent(
        ask=retrying(partial(ask_model, model), attempts=attempts, base=base),
        gate=allow,
        context=agent.context,
        tools=agent.tools,
    )
    return Run(agent, History(), events.append), events


def fault(kind: str, retry_after: float | None = None) -> Reply:
    return Reply(text="half an answer", error=Fault(message="Down.", fault=kind, retry_after=retry_after))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["rate_limit", "overloaded", "server", "network"])
async def test_what_may_pass_is_tried_again_and_the_half_answer_is_void(kind: str) -> None:
    run, events = run_with_retry(Scripted([fault(kind), fault(kind), "Whole."]))
    assert (await run.go(said("go"))).reason == "end_turn"
    assert [event.attempt for event in events if isinstance(event, Retrying)] == [1, 2]
    answers = [message.text for message in run.history.messages if isinstance(message, Assistant)]
    assert answers == ["Whole."]


@pytest.mark.parametrize("kind", ["auth", "bad_request", "context_overflow", "unknown"])
async def test_what_cannot_pass_is_not(kind: str) -> None:
    model = Scripted([fault(kind), "never"])
    run, _ = run_with_retry(model)
    assert (await run.go(said("go"))).error == "Down."
    assert len(model.requests) == 1


async def test_it_gives_up_and_says_so() -> None:
    model = Scripted([fault("server")] * 9)
    run, _ = run_with_retry(model, attempts=3)
    assert (await run.go(said("go"))).error == "Down. (tried 3 times)"
    assert len(model.requests) == 3


async def test_the_provider_says_how_long_to_wait() -> None:
    run, events = run_with_retry(Scripted([fault("rate_limit", 0.01), "Whole."]), base=99)
    await run.go(said("go"))
    assert [event.delay for event in events if isinstance(event, Retrying)] == [0.01]
    run, _ = run_with_retry(Scripted([fault("rate_limit", 3600), "never"]))
    assert (await run.go(said("go"))).error == "Down."


async def test_an_empty_answer_is_asked_again_once() -> None:
    model = Scripted([Reply(), "There."])
    run, _ = run_with_retry(model)
    assert (await run.go(said("go"))).reason == "end_turn"
    model = Scripted([Reply(), Reply(), "never"])
    run, _ = run_with_retry(model)
    assert (await run.go(said("go"))).error == "The model gave an empty answer."
    assert len(model.requests) == 2


async def test_an_interrupt_ends_a_wait_at_once_and_keeps_nothing_of_the_failed_attempt() -> None:
    run, events = run_with_retry(Scripted([fault("server")] * 9), base=60)
    task = asyncio.create_task(run.go(said("go")))
    await until(lambda: any(isinstance(event, Retrying) for event in events))
    run.interrupt()
    async with asyncio.timeout(30):
        assert (await task).reason == "interrupted"
    assert not [event for event in events if isinstance(event, Appended) and isinstance(event.message, Assistant)]


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 40))])
async def test_under_chaos_every_run_ends_well_and_no_tool_runs_twice(seed: int) -> None:
    ran: list[int] = []

    @tool
    def once(number: int) -> str:
        """Do it once."""
        ran.append(number)
        return f"did {number}"

    steps = [Reply(text="So: ", calls=(Call(name="once", input={"number": number}),)) for number in range(5)]
    replies = iter([*steps, Reply(text="Done.")])

    class Sticky:
        """Gives the same reply again until a result came back, as a provider does for the same request."""

        name = "sticky"

        def __init__(self) -> None:
            self.asked: dict[int, Reply] = {}

        async def stream(self, request):  # type: ignore[no-untyped-def]
            length = len(request.messages)
            if length not in self.asked:
                self.asked[length] = next(replies)
            for piece in self.asked[length].stream(length):
                yield piece

    chaos = Chaos(Sticky(), seed=seed, rate=0.5)
    run, events = run_with_retry(chaos, once, attempts=50)
    ended = await run.go(said("go"))
    assert ended.reason == "end_turn"
    assert ran == [0, 1, 2, 3, 4]
    assert sum(isinstance(event, ToolStarted) for event in events) == 5
    assert_sendable(run.history.messages)
    last = run.history.messages[-1]
    assert isinstance(last, Assistant)
    assert last.text == "Done."
