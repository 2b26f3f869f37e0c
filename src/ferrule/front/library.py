"""Ferrule as a library: a run in one line for scripts, a session for programs."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ferrule.assemble import Options, Question, assemble
from ferrule.core.agent import Gate
from ferrule.core.events import Emit, ExitReason
from ferrule.core.messages import Message, Usage, Value
from ferrule.core.model import Model
from ferrule.core.tool import Tool
from ferrule.front.outcome import Outcome
from ferrule.session.session import Prompt, Session


class Result(Value, frozen=True, kw_only=True):
    """What a run came to."""

    text: str
    reason: ExitReason
    turns: int
    usage: Usage
    cost: float | None
    error: str | None
    session_id: str
    messages: tuple[Message, ...]


def open_session(
    *,
    model: Model | str | None = None,
    provider: str | None = None,
    directory: str | Path = ".",
    tools: Sequence[Tool | Callable[..., Any]] = (),
    builtin_tools: bool = True,
    mode: str | None = None,
    gate: Gate | None = None,
    ask_user: Callable[[Question], Awaitable[str | None]] | None = None,
    system: str | None = None,
    max_turns: int | None = None,
    max_budget_usd: float | None = None,
    resume: str | None = None,
    fork: bool = False,
    save: bool = True,
    config: Mapping[str, object] | None = None,
) -> Session:
    """Open a session: `async with ferrule.open_session(…) as session`.

    A function given as a tool is allowed by that very act. `gate` replaces the policy for every call.
    `config` sets keys of the configuration by their dotted names, such as `{"agent.max_seconds": 60}`.
    """
    given = {
        "llm.provider": provider,
        "llm.model": model if isinstance(model, str) else None,
        "safety.mode": mode,
        "agent.max_turns": max_turns,
        "agent.max_budget_usd": max_budget_usd,
    }
    return assemble(
        Options(
            directory=Path(directory).resolve(),
            overrides={**{key: value for key, value in given.items() if value is not None}, **(config or {})},
            model=None if isinstance(model, str) else model,
            tools=tuple(tools),
            builtin_tools=builtin_tools,
            gate=gate,
            ask_user=ask_user,
            system=system,
            resume=resume,
            fork=fork,
            save=save,
        )
    )


async def arun(prompt: Prompt, *, on_event: Emit | None = None, **options: Any) -> Result:
    """Carry one request to its end; takes the options of `open_session`."""
    async with open_session(**options) as session:
        outcome = Outcome()
        session.subscribe(outcome.hear)
        if on_event:
            session.subscribe(on_event)
        ended = await session.prompt(prompt)
        return Result(
            text=outcome.answer,
            reason=ended.reason,
            turns=ended.turns,
            usage=ended.usage,
            cost=ended.cost,
            error=ended.error,
            session_id=session.id,
            messages=tuple(session.history.messages),
        )


def run(prompt: Prompt, *, on_event: Emit | None = None, **options: Any) -> Result:
    """Carry one request to its end, from a program that is not asynchronous; takes the options of `open_session`."""
    return asyncio.run(arun(prompt, on_event=on_event, **options))
