"""Ferrule as a library: a run in one line for scripts, a session for programs."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from ferrule.assemble import Options, Question, assemble
from ferrule.core.agent import Gate
from ferrule.core.events import Emit, ExitReason
from ferrule.core.messages import Message, Usage, Value
from ferrule.core.model import Model
from ferrule.core.permission import Asker
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


class SessionOptions(TypedDict, total=False):
    """What a session can be told; each may be left out."""

    model: Model | str | None
    """A model that is ready, or the name of one."""
    provider: str | None
    directory: str | Path
    tools: Sequence[Tool | Callable[..., Any]]
    """Your own tools, beside the built-in ones. A function given as a tool is allowed by that very act."""
    builtin_tools: bool
    mode: str | None
    gate: Gate | None
    """Your own say over each call, in place of the policy."""
    allow: Sequence[str]
    """Rules for calls that need no question, such as `bash(git diff *)`."""
    permission: Asker | None
    """Answers the policy's questions; without it what would ask is denied."""
    trust: bool
    """Let the project's own settings count."""
    ask_user: Callable[[Question], Awaitable[str | None]] | None
    """Answers the questions that the model has for the person."""
    system: str | None
    """In place of our own system prompt."""
    max_turns: int | None
    max_budget_usd: float | None
    resume: str | None
    """A session to go on with, by number, name or id; empty is the last one of the directory."""
    fork: bool
    save: bool
    config: Mapping[str, object] | None
    """Keys of the configuration by their dotted names, such as `{"agent.max_seconds": 60}`."""


def open_session(**options: Unpack[SessionOptions]) -> Session:
    """Open a session: `async with ferrule.open_session(…) as session`.

    Raises:
        FerruleError: the configuration, the model or the session that was asked for cannot be had.
    """
    if unknown := set(options) - set(SessionOptions.__annotations__):
        raise TypeError(f"open_session() got an unexpected keyword argument {unknown.pop()!r}")
    model = options.get("model")
    given = {
        "llm.provider": options.get("provider"),
        "llm.model": model if isinstance(model, str) else None,
        "safety.mode": options.get("mode"),
        "agent.max_turns": options.get("max_turns"),
        "agent.max_budget_usd": options.get("max_budget_usd"),
        **(options.get("config") or {}),
    }
    return assemble(
        Options(
            directory=Path(options.get("directory", ".")).resolve(),
            overrides={key: value for key, value in given.items() if value is not None},
            model=None if isinstance(model, str) else model,
            tools=tuple(options.get("tools", ())),
            builtin_tools=options.get("builtin_tools", True),
            gate=options.get("gate"),
            allowed=tuple(options.get("allow", ())),
            permission=options.get("permission"),
            trust=options.get("trust", False),
            ask_user=options.get("ask_user"),
            system=options.get("system"),
            resume=options.get("resume"),
            fork=options.get("fork", False),
            save=options.get("save", True),
        )
    )


async def arun(prompt: Prompt, *, on_event: Emit | None = None, **options: Unpack[SessionOptions]) -> Result:
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


def run(prompt: Prompt, *, on_event: Emit | None = None, **options: Unpack[SessionOptions]) -> Result:
    """Carry one request to its end, from a program that is not asynchronous; takes the options of `open_session`."""
    return asyncio.run(arun(prompt, on_event=on_event, **options))
