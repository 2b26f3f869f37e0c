"""What many tests need: an agent around a scripted model, and the events of a run."""

import asyncio
import tempfile
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

from ferrule.core.accumulate import ask_model
from ferrule.core.agent import Agent, Allow, Gate, Limits
from ferrule.core.events import Event
from ferrule.core.history import History
from ferrule.core.loop import Run
from ferrule.core.messages import Assistant, Message, ToolResult
from ferrule.core.model import Model
from ferrule.core.tool import Tool, ToolContext
from ferrule.host.sandbox.find import find
from ferrule.host.sandbox.profile import Profile
from ferrule.llm.script import Scripted, Step


async def allow(*_: object) -> Allow:
    return Allow()


def agent_of(
    steps: Iterable[Step] | Model,
    *tools: Tool,
    gate: Gate = allow,
    limits: Limits = Limits(),  # noqa: B008
    **more: Any,
) -> Agent:
    model: Any = Scripted(steps) if isinstance(steps, list | tuple) else steps
    return Agent(
        ask=partial(ask_model, model),
        gate=gate,
        context=lambda report: ToolContext(directory=Path.cwd(), host=None, report=report),
        tools={tool.spec.name: tool for tool in tools},
        limits=limits,
        **more,
    )


def run_of(steps: Iterable[Step] | Model, *tools: Tool, **more: Any) -> tuple[Run, list[Event]]:
    events: list[Event] = []
    return Run(agent_of(steps, *tools, **more), History(), events.append), events


async def until(condition: Callable[[], object], *, seconds: float = 30) -> None:
    """Wait for a condition, not for a time."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.002)


def assert_sendable(messages: list[Message]) -> None:
    """Each call has exactly one result, in the order asked, right behind its answer; no answer is empty."""
    position = 0
    while position < len(messages):
        message = messages[position]
        assert not isinstance(message, ToolResult), "a result without its call"
        position += 1
        if isinstance(message, Assistant):
            assert message.content
            for call in message.calls:
                result = messages[position]
                assert isinstance(result, ToolResult)
                assert result.call_id == call.id
                position += 1


def unmarked(body: Any) -> Any:
    """A request's body without Anthropic's cache markers, which move from turn to turn."""
    if isinstance(body, dict):
        return {key: unmarked(value) for key, value in body.items() if key != "cache_control"}
    return [unmarked(one) for one in body] if isinstance(body, list) else body


_TRIAL = "bubblewrap"
"""The file in which Ferrule keeps what it found out about the sandbox of this machine."""


def know_the_sandbox(state: Path) -> None:
    """Let a new home know what trials of the sandbox would show: they are made once, and not by each session.

    `state` is the directory `ferrule` among what may last. The trials themselves are tested with the sandbox.
    """
    if found := _trial():
        place = state / "sandbox"
        place.mkdir(mode=0o700, parents=True)
        state.chmod(0o700)
        (place / _TRIAL).write_text(found)


@cache
def _trial() -> str:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        profile = Profile(root=place, writable=(), private=place, scratch=place, state=place, masked=(), readable=())
        find("auto", profile, home=place)
        kept = place / _TRIAL
        return kept.read_text() if kept.exists() else ""
