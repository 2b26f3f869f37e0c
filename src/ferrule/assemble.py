"""Configuration becomes a session: the one place that knows every floor below. All doors come through it."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ferrule.config.layers import Loaded, load
from ferrule.config.paths import cache_home, config_home, data_home, expand
from ferrule.config.schema import Config, Llm
from ferrule.context.compact import Compacting
from ferrule.context.guard import CacheGuard
from ferrule.context.instructions import find_instructions
from ferrule.context.project import project_of
from ferrule.context.prompt import system_prompt
from ferrule.context.view import State, state_of
from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.agent import Allow, Deny, Gate, Limits
from ferrule.core.errors import FerruleError, SessionError, UsageError
from ferrule.core.events import Emit, Event, Notice
from ferrule.core.history import History
from ferrule.core.messages import ToolCall
from ferrule.core.model import Model, Request
from ferrule.core.names import canonical
from ferrule.core.permission import Asker
from ferrule.core.tool import Effect, Tool, ToolContext
from ferrule.host.sandbox.presence import at_a_glance
from ferrule.llm.connect import Connection, connect
from ferrule.llm.modes import in_mode
from ferrule.llm.retry import retrying
from ferrule.session.asking import Asking
from ferrule.session.changes import Changes, steps_of
from ferrule.session.files import remove_tree
from ferrule.session.log import SessionLog
from ferrule.session.reading import read_log, rebuild
from ferrule.session.secrets import Mask
from ferrule.session.session import Line, Session
from ferrule.session.store import Store, new_id
from ferrule.tools.ask_user import Question
from ferrule.tools.builtin import builtin
from ferrule.tools.dry import Dry
from ferrule.tools.function import as_tool
from ferrule.tools.registry import Registry
from ferrule.tools.truncate import Capped

if TYPE_CHECKING:
    from ferrule.guard import Guard
    from ferrule.session.checkpoints import Checkpoints

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
    """Rules that allow, on top of the configuration's."""
    disabled: Sequence[str] = ()
    gate: Gate | None = None
    """In place of the policy."""
    permission: Asker | None = None
    """Answers the policy's questions."""
    someone: bool = False
    """Whether somebody will answer them through `Session.answer`."""
    trust: bool = False
    """Let the project's own settings count, whatever was said about it before."""
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
    directory = options.directory
    trusted = True if options.trust else None
    loaded = load(directory, file=options.config_file, overrides=options.overrides, trusted=trusted)
    config = loaded.config
    connection = _connection(options, config.llm)
    log = _open_log(options, config, connection.model.name)
    events = log.loaded.events if log else ()
    history = rebuild(log.loaded) if log else History()
    outputs = log.path.with_suffix(".outputs") if log else _nameless()
    asking = Asking(by=options.permission, someone=options.someone, seconds=config.safety.ask_timeout_seconds)
    guarding = _Guarding(options, loaded, outputs, asking)
    builtins = _tools(options, config, history, images=connection.sees)
    external, problems = _external(loaded, directory, outputs, guarding, builtins)
    instructions = find_instructions(directory, own=config_home() / "AGENTS.md")
    llm = config.llm

    def switch(provider: str | None, model: str | None, told: State) -> Line:
        nonlocal llm
        other = _other(llm, provider, model)
        line, llm = _line(connect(other, directory=directory), config, told), other
        return line

    def changes(tell: Emit) -> Changes:
        return Changes(lambda: _checkpoints(directory, config), history, events, tell)

    async def close() -> None:
        await guarding.close()
        if log:
            log.close()
        else:
            remove_tree(outputs)

    return Session(
        id=log.loaded.header.id if log else new_id(),
        directory=directory,
        guarding=guarding,
        asking=asking,
        line=_line(connection, config, state_of(events)),
        switch=switch,
        tools=_registry(options, config, [*builtins, *external]),
        system=_system(directory, config, instructions.text) if options.system is None else options.system,
        limits=Limits(turns=config.agent.max_turns, usd=config.agent.max_budget_usd, seconds=config.agent.max_seconds),
        history=history,
        changes=changes if log and config.session.checkpoints and not options.dry_run else None,
        log=log.write if log else _forget,
        on_close=close,
        other_records=lambda: _other_records(log) if log else frozenset(),
        rename=partial(_store(config).rename, log) if log else None,
        notes=(connection.note,) if connection.note else (),
        warnings=(
            *loaded.warnings,
            *problems,
            *guarding.warnings,
            *instructions.warnings,
            *(log.loaded.warnings if log else ()),
        ),
    )


def _other_records(log: SessionLog) -> frozenset[str]:
    """The records that the other sessions of the project may still need."""
    found: set[str] = set()
    for path in log.path.parent.glob("*.jsonl"):
        with suppress(FerruleError):
            found |= steps_of(read_log(path).events).records()
    return frozenset(found)


def _checkpoints(directory: Path, config: Config) -> "Checkpoints":
    """The records of the project; git's part of the program is imported when the first one is made."""
    from ferrule.session.checkpoints import checkpoints_of  # noqa: PLC0415

    return checkpoints_of(directory, largest_mb=config.session.max_file_mb)


class _Guarding:
    """The guard of a session, built with the first call; before that only its mode is known."""

    def __init__(self, options: Options, loaded: Loaded, outputs: Path, asking: Asking) -> None:
        self.mode: str = loaded.config.safety.mode
        self._options, self._loaded, self._outputs, self._asking = options, loaded, outputs, asking
        self._guard: Guard | None = None
        self.warnings: tuple[str, ...] = ()
        if loaded.config.safety.sandbox not in {"off", "external"} and not at_a_glance():
            self.warnings = self.guard.confinement.remarks  # what must be refused, or said, is said at the start

    @property
    def guard(self) -> "Guard":
        """The guard itself."""
        if self._guard is None:
            from ferrule.guard import guard_of  # noqa: PLC0415 - see `guard.py`

            options = self._options
            self._guard = guard_of(
                self._loaded,
                options.directory,
                self._outputs,
                self._asking,
                mode=self.mode,
                allowed=options.allowed,
                free=[as_tool(one).spec.name for one in options.tools],
            )
        return self._guard

    @property
    def sandbox(self) -> str:
        """What confines commands."""
        return self.guard.confinement.sandbox.name

    def change_mode(self, mode: str) -> None:
        """Judge by another mode from now on.

        Raises:
            UsageError: it does not ask, and nothing confines.
        """
        self.guard.confinement.check(mode)
        self.mode = self.guard.policy.mode = mode

    async def gate(self, call: ToolCall, effects: tuple[Effect, ...]) -> Allow | Deny:
        """Say whether a call may run: by the caller's own gate, or by the policy."""
        return await (self._options.gate or self.guard.gate)(call, effects)

    def only_reads(self, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a call is known to change nothing."""
        return self.guard.policy.only_reads(call, effects)

    def side_by_side(self, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a call may run at the same time as its neighbours."""
        return self.guard.policy.side_by_side(call, effects)

    def context(self, report: Callable[[str], None]) -> ToolContext[Any]:
        """What a tool sees of the world."""
        return self.guard.context(report)

    async def close(self) -> None:
        """Stop what runs."""
        if self._guard:
            await self._guard.close()


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


def _system(directory: Path, config: Config, instructions: str) -> str:
    confined = config.safety.sandbox not in {"off", "external"}
    return system_prompt(directory, project=project_of(directory), confined=confined, instructions=instructions)


def _tools(options: Options, config: Config, history: History, *, images: bool) -> list[Tool]:
    """The built-in tools and the caller's own, each kept short in what it says."""
    most = config.context.max_tool_output_chars
    tools: list[Tool] = []
    if options.builtin_tools:
        own = builtin(images=images, ask_user=options.ask_user, messages=lambda: history.messages)
        tools += [Capped(tool, tool.keep, max_bytes=most) for tool in own]
    tools += [Capped(as_tool(one), "both", max_bytes=most) for one in options.tools]
    return tools


def _external(
    loaded: Loaded, directory: Path, outputs: Path, guarding: _Guarding, others: Sequence[Tool]
) -> tuple[list[Tool], tuple[str, ...]]:
    """The user's own programs as tools, and a trusted project's; and what is wrong with those that do not work."""
    config = loaded.config
    places = [config_home() / "tools", *map(expand, config.tools.search_paths)]
    theirs = [directory / ".ferrule" / "tools"] if loaded.trust.trusted else []
    if not any(os.path.isdir(place) for place in (*places, *theirs)):  # noqa: PTH112 - it never raises
        return [], ()
    from ferrule.extend.discover import Place, discover_at_once  # noqa: PLC0415 - few have any

    found = discover_at_once(
        [*map(Place, places), *(Place(place, directory) for place in theirs)],
        directory=directory,
        outputs=outputs,
        sandbox=guarding.guard.confinement.sandbox,
        cache=cache_home() / "external-tools.json",
        taken=[tool.spec.name for tool in others],
    )
    most = config.context.max_tool_output_chars
    return [Capped(tool, "both", max_bytes=most) for tool in found.tools], found.problems


def _registry(options: Options, config: Config, tools: list[Tool]) -> Registry:
    """All the tools by name, without those that were turned off."""
    known = {tool.spec.name for tool in tools}
    for rule in (*options.allowed, *options.disabled):
        name = rule.partition("(")[0]
        if canonical(name) not in known and "*" not in name:  # a prohibition that was mistyped must not pass for one
            raise UsageError(f"There is no tool named {name}; there are {', '.join(sorted(known))}.")
    tools = [Dry(tool) for tool in tools] if options.dry_run else tools
    return Registry(tools, disabled=[*config.tools.disabled, *options.disabled])


def _open_log(options: Options, config: Config, model: str) -> SessionLog | None:
    """The session file: a new one, one to go on with, a copy of one; or none where nothing is to be kept."""
    store = _store(config)
    mask = Mask(also=[header.partition(":")[2] for one in config.llm.endpoints for header in one.headers])
    if options.resume is None:
        if not (options.save and config.session.auto_save):
            return None
        store.prune(options.directory)
        return store.create(options.directory, model=model, mask=mask)
    summary = store.find(options.directory, options.resume) if options.resume else store.latest(options.directory)
    if summary is None:
        raise SessionError(f"There is no session to go on with in {options.directory}.")
    return store.fork(summary, mask=mask) if options.fork else SessionLog.open(summary.path, mask=mask)


def _store(config: Config) -> Store:
    """Where sessions lie, and how many are kept."""
    where = config.session.storage_path
    return Store(
        expand(where) if where else data_home() / "sessions",
        max_sessions=config.session.max_sessions,
        retention_days=config.session.retention_days,
    )


def _nameless() -> Path:
    """A place for a session that leaves nothing behind; whoever needs it first makes it."""
    return Path(os.environ.get("TMPDIR") or "/tmp") / f"ferrule-{os.urandom(8).hex()}"  # noqa: S108


def _forget(_: Event) -> None:
    """Keep nothing."""
