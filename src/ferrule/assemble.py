"""Configuration becomes a session: the one place that knows every floor below. All doors come through it."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ferrule.config.layers import load
from ferrule.config.paths import config_home, data_home, expand
from ferrule.config.schema import Config, Llm
from ferrule.context.compact import Compacting
from ferrule.context.guard import CacheGuard
from ferrule.context.instructions import find_instructions
from ferrule.context.project import project_of
from ferrule.context.prompt import system_prompt
from ferrule.context.view import State, state_of
from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.agent import Gate, Limits
from ferrule.core.errors import SessionError, UsageError
from ferrule.core.events import Emit, Event, Notice
from ferrule.core.history import History
from ferrule.core.model import Model, Request
from ferrule.core.names import canonical
from ferrule.core.tool import Tool, ToolContext
from ferrule.host.files import Files
from ferrule.host.machine import Host
from ferrule.host.process import Processes
from ferrule.llm.connect import Connection, connect
from ferrule.llm.modes import in_mode
from ferrule.llm.retry import retrying
from ferrule.policy.gate import gate_for
from ferrule.session.files import remove_tree
from ferrule.session.log import SessionLog
from ferrule.session.reading import rebuild
from ferrule.session.session import Line, Session
from ferrule.session.store import Store, new_id
from ferrule.tools.ask_user import AskUser, Question
from ferrule.tools.bash import Bash
from ferrule.tools.dry import Dry
from ferrule.tools.edit import Edit
from ferrule.tools.function import as_tool
from ferrule.tools.glob import Glob
from ferrule.tools.grep import Grep
from ferrule.tools.ls import Ls
from ferrule.tools.read import Read
from ferrule.tools.recall import Recall
from ferrule.tools.registry import Registry
from ferrule.tools.schema import TypedTool
from ferrule.tools.todo import Todo
from ferrule.tools.truncate import Capped
from ferrule.tools.write import Write

ROOM_FOR_AN_ANSWER = 16_000
"""Tokens of the window that are kept free for the answer, where nothing else is said."""

__all__ = ["Options", "Question", "assemble"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a front door asks for, on top of the configuration."""

    directory: Path
    config_file: Path | None = None
    overrides: Mapping[str, object] = msgspec.field(default_factory=dict)
    """Keys of the configuration by their dotted names."""
    model: Model | None = None
    """A model that is ready; without one, the configuration says which."""
    tools: Sequence[Tool | Callable[..., Any]] = ()
    """The caller's own tools; they are allowed by being given."""
    builtin_tools: bool = True
    allowed: Sequence[str] = ()
    disabled: Sequence[str] = ()
    gate: Gate | None = None
    ask_user: Callable[[Question], Awaitable[str | None]] | None = None
    system: str | None = None
    dry_run: bool = False
    resume: str | None = None
    """Which session to go on with, by number, name or id; empty is the last one of the directory."""
    fork: bool = False
    save: bool = True


def assemble(options: Options) -> Session:
    """Make a session that is ready for its first request.

    Raises:
        FerruleError: the configuration, the model or the session that was asked for cannot be had.
    """
    loaded = load(options.directory, file=options.config_file, overrides=options.overrides)
    config, directory = loaded.config, options.directory
    connection = _connection(options, config.llm)
    log = _open_log(options, config, connection.model.name)
    history = rebuild(log.loaded) if log else History()
    outputs = log.path.with_suffix(".outputs") if log else _nameless()
    host = Host(files=Files(), processes=Processes(directory, outputs / "shell"), outputs=outputs)
    instructions = find_instructions(directory, own=config_home() / "AGENTS.md")
    state = state_of(log.loaded.events if log else ())

    llm = config.llm

    def switch(provider: str | None, model: str | None, told: State) -> Line:
        nonlocal llm
        other = _other(llm, provider, model)
        line, llm = _line(connect(other, directory=directory), config, told), other
        return line

    async def close() -> None:
        await host.processes.close()
        remove_tree(outputs / "shell" if log else outputs)
        if log:
            log.close()
            with suppress(OSError):  # there are outputs in it, or it never was
                outputs.rmdir()

    return Session(
        id=log.loaded.header.id if log else new_id(),
        directory=directory,
        mode=config.safety.mode,
        line=_line(connection, config, state),
        switch=switch,
        tools=_tools(options, config, history, images=connection.sees),
        gate=options.gate or _gate(options, config),
        context=lambda report: ToolContext(directory=directory, host=host, report=report),
        system=_system(directory, instructions.text) if options.system is None else options.system,
        limits=Limits(turns=config.agent.max_turns, usd=config.agent.max_budget_usd, seconds=config.agent.max_seconds),
        history=history,
        log=log.write if log else _forget,
        on_close=close,
        notes=(connection.note,) if connection.note else (),
        warnings=(*loaded.warnings, *instructions.warnings, *(log.loaded.warnings if log else ())),
    )


def _connection(options: Options, llm: Llm) -> Connection:
    if options.model:
        return Connection(model=options.model, provider="given", sees=True)
    return connect(llm, directory=options.directory)


def _other(llm: Llm, provider: str | None, model: str | None) -> Llm:
    """The settings for another model; an address and a wire format that were set are those of their provider alone."""
    if provider in {None, llm.provider}:
        return msgspec.structs.replace(llm, model=model)
    return msgspec.structs.replace(llm, provider=provider, model=model, endpoint=None, wire=None)


def _line(connection: Connection, config: Config, state: State) -> Line:
    """The line to a model, from the inside out: calls mended, asked again, guarded, made to fit the window."""
    mode, agent, known = config.llm.tool_mode, config.agent, connection.known
    moved: list[str] = []
    model = in_mode(
        connection.model,
        ("native" if connection.speaks_tools else "text") if mode == "auto" else mode,
        constrain=connection.constrain,
        on_change=lambda _mode, why: moved.append(why),
    )

    async def ask_and_say(request: Request, draft: Draft, emit: Emit) -> None:
        try:
            await ask_model(model, request, draft, emit)
        finally:
            while moved:
                emit(Notice(text=moved.pop()))

    ask = retrying(ask_and_say, attempts=agent.retry_attempts, base=agent.retry_backoff_base_ms / 1000)
    window = known.window or 0
    fitting = Compacting(
        CacheGuard(ask, extra_cost=known.extra_cost),
        notes=ask,
        window=window,
        reserve=min(connection.answer or ROOM_FOR_AN_ANSWER, window // 4),
        threshold=config.context.compaction_threshold,
        state=state,
    )
    return Line(model=connection.model.name, ask=fitting, window=window, price=lambda _model, usage: known.cost(usage))


def _system(directory: Path, instructions: str) -> str:
    return system_prompt(directory, project=project_of(directory), instructions=instructions)


def _gate(options: Options, config: Config) -> Gate:
    return gate_for(config.safety.mode, allowed=[*options.allowed, *(as_tool(one).spec.name for one in options.tools)])


def _tools(options: Options, config: Config, history: History, *, images: bool) -> Registry:
    """The built-in tools and the caller's own, each kept short in what it says."""
    builtin: list[TypedTool[Any]] = []
    if options.builtin_tools:
        builtin = [Read(images=images), Write(), Edit(), Bash(), Glob(), Grep(), Ls(), Todo()]
        builtin += [AskUser(options.ask_user), Recall(lambda: history.messages)]
    most = config.context.max_tool_output_chars
    tools: list[Tool] = [Capped(tool, tool.keep, max_bytes=most) for tool in builtin]
    tools += [Capped(as_tool(one), "both", max_bytes=most) for one in options.tools]
    known = {tool.spec.name for tool in tools}
    for name in (*options.allowed, *options.disabled):
        if canonical(name) not in known:  # a prohibition that was mistyped must not pass for one
            raise UsageError(f"There is no tool named {name}; there are {', '.join(sorted(known))}.")
    if options.dry_run:
        tools = [Dry(tool) for tool in tools]
    return Registry(tools, disabled=[*config.tools.disabled, *options.disabled])


def _open_log(options: Options, config: Config, model: str) -> SessionLog | None:
    """The session file: a new one, one to go on with, a copy of one; or none where nothing is to be kept."""
    where = config.session.storage_path
    store = Store(
        expand(where) if where else data_home() / "sessions",
        max_sessions=config.session.max_sessions,
        retention_days=config.session.retention_days,
    )
    if options.resume is None:
        if not (options.save and config.session.auto_save):
            return None
        store.prune(options.directory)
        return store.create(options.directory, model=model)
    summary = store.find(options.directory, options.resume) if options.resume else store.latest(options.directory)
    if summary is None:
        raise SessionError(f"There is no session to go on with in {options.directory}.")
    return store.fork(summary) if options.fork else SessionLog.open(summary.path)


def _nameless() -> Path:
    """A place for a session that leaves nothing behind; whoever needs it first makes it."""
    return Path(os.environ.get("TMPDIR") or "/tmp") / f"ferrule-{os.urandom(8).hex()}"  # noqa: S108


def _forget(_: Event) -> None:
    """Keep nothing."""
