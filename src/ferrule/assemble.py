"""Configuration becomes a session: the one place that knows every floor below. All doors come through it."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ferrule.config.files import remove_tree
from ferrule.config.layers import Loaded, load
from ferrule.config.paths import cache_home, config_home, expand
from ferrule.config.schema import NO_HOOKS, Config, Llm
from ferrule.context.instructions import find_instructions
from ferrule.context.project import Project, project_of
from ferrule.context.prompt import system_prompt
from ferrule.context.view import State, state_of
from ferrule.core.agent import Gate, Limits
from ferrule.core.errors import UsageError
from ferrule.core.events import Emit, Notice, Waiting
from ferrule.core.history import History
from ferrule.core.model import Model
from ferrule.core.names import canonical
from ferrule.core.permission import Asker
from ferrule.core.tool import Tool
from ferrule.guarding import Guarding
from ferrule.llm.connect import Connection, connect
from ferrule.session.asking import Asking
from ferrule.session.changes import Changes, Commit
from ferrule.session.line import line_to
from ferrule.session.opening import forget, nameless, open_log, other_records, store_of
from ferrule.session.reading import rebuild
from ferrule.session.secrets import mask
from ferrule.session.session import Line, Session
from ferrule.session.store import new_id
from ferrule.small.profile import Profile, by_profile, profile_for
from ferrule.tools.ask_user import Question
from ferrule.tools.builtin import builtin
from ferrule.tools.dry import Dry
from ferrule.tools.function import as_tool
from ferrule.tools.registry import Registry
from ferrule.tools.truncate import Capped

if TYPE_CHECKING:
    from ferrule.extend.hooks import Hooks
    from ferrule.session.checkpoints import Checkpoints

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
    after_clear: bool = False
    """Whether it takes the place of a conversation that was cleared."""
    save: bool = True


def assemble(options: Options) -> Session:
    """Make a session that is ready for its first request.

    Raises:
        FerruleError: the configuration, the model or the session that was asked for cannot be had.
    """
    directory = options.directory
    loaded = _loaded(options)
    config = loaded.config
    asking = Asking(by=options.permission, someone=options.someone, seconds=config.safety.ask_timeout_seconds)
    connected = partial(
        connect, directory=directory, local=config.local, say=lambda words: asking.tell(Waiting(text=words))
    )
    warnings = list(loaded.warnings)
    connection = _given(options.model) if options.model else by_profile(connected(config.llm), warn=warnings.append)
    project = project_of(directory)
    log = open_log(
        config,
        directory,
        model=connection.model.name,
        edited=project.edited,
        resume=options.resume,
        fork=options.fork,
        save=options.save,
    )
    as_begun = msgspec.structs.replace(project, edited=log.loaded.header.edited) if log else project
    events = log.loaded.events if log else ()
    history = rebuild(log.loaded) if log else History()
    outputs = log.path.with_suffix(".outputs") if log else nameless()
    guarding = Guarding(
        loaded,
        directory,
        outputs,
        asking,
        allowed=options.allowed,
        free=[as_tool(one).spec.name for one in options.tools],
        gate=options.gate,
    )
    id_ = log.loaded.header.id if log else new_id()
    hooks = _hooks(options, loaded, guarding, asking, session=id_, transcript=log.path if log else None)
    before_notes = hooks.before_compacting if hooks else None
    builtins = _tools(options, config, history, images=connection.sees)
    external, problems = _external(loaded, directory, outputs, guarding, builtins)
    instructions = find_instructions(directory, own=config_home() / "AGENTS.md")
    llm = config.llm
    is_recorded = log is not None and config.session.checkpoints and not options.dry_run

    def switch(provider: str | None, model: str | None, told: State) -> Line:
        nonlocal llm
        other = _other(llm, provider, model)
        known = by_profile(connected(other), warn=lambda words: asking.tell(Notice(text=words)))
        line, llm = line_to(known, config, told, lead=_led, before=before_notes), other
        return line

    def retool() -> tuple[Registry, tuple[str, ...]]:
        again = _loaded(options)
        found, flaws = _external(again, directory, outputs, guarding, builtins)
        return _registry(options, again.config, [*builtins, *found], hooks), flaws

    def changes(tell: Emit) -> Changes:
        commit = _commit(loaded, directory)
        return Changes(lambda: _checkpoints(directory, config), history, events, tell, commit=commit)

    async def close() -> None:
        await guarding.close()
        if log:
            log.close()
        else:
            remove_tree(outputs)

    return Session(
        id=id_,
        directory=directory,
        guarding=guarding,
        asking=asking,
        line=line_to(connection, config, state_of(events), lead=_led, before=before_notes),
        switch=switch,
        retool=retool,
        tools=_registry(options, config, [*builtins, *external], hooks),
        system=_system(directory, config, as_begun, instructions.text) if options.system is None else options.system,
        limits=Limits(turns=config.agent.max_turns, usd=config.agent.max_budget_usd, seconds=config.agent.max_seconds),
        history=history,
        changes=changes if is_recorded else None,
        log=log.write if log else forget,
        on_close=close,
        other_records=lambda: other_records(log) if log else frozenset(),
        rename=partial(store_of(config).rename, log) if log else None,
        hooks=hooks,
        notes=(connection.note,) if connection.note else (),
        warnings=(
            *warnings,
            *problems,
            *guarding.warnings,
            *(hooks.problems if hooks else ()),
            *instructions.warnings,
            *(log.loaded.warnings if log else ()),
            *([_UNCOMMITTED] if config.git.auto_commit and not is_recorded and not options.dry_run else ()),
        ),
    )


_UNCOMMITTED = "Nothing will be committed: git.auto_commit needs session.checkpoints and session.auto_save."


def _loaded(options: Options) -> Loaded:
    """The configuration as it is now, for a front door's wishes.

    Raises:
        ConfigError: it has errors.
    """
    trusted = True if options.trust else None
    return load(options.directory, file=options.config_file, overrides=options.overrides, trusted=trusted)


def _checkpoints(directory: Path, config: Config) -> "Checkpoints":
    """The records of the project; git's part of the program is imported when the first one is made."""
    from ferrule.session.checkpoints import checkpoints_of  # noqa: PLC0415

    return checkpoints_of(directory, largest_mb=config.session.max_file_mb)


def _commit(loaded: Loaded, directory: Path) -> Commit | None:
    """What commits at the end of a run, if anything does."""
    git = loaded.config.git
    if not git.auto_commit:
        return None
    from ferrule.extend.autocommit import AutoCommit  # noqa: PLC0415 - few want it

    return AutoCommit(directory, prefix=git.commit_message_prefix, mask=mask, may_sign=loaded.trust.trusted)


def _hooks(
    options: Options, loaded: Loaded, guarding: Guarding, asking: Asking, *, session: str, transcript: Path | None
) -> "Hooks | None":
    """The user's hooks, and a trusted project's, joined to what is asked; nothing where none are set."""
    if loaded.config.hooks == NO_HOOKS:
        return None
    from ferrule.extend.hooks import Hooks  # noqa: PLC0415 - few have any

    hooks = Hooks(
        loaded.config.hooks,
        directory=options.directory,
        private=guarding.outputs / "hooks",
        session=session,
        transcript=transcript,
        source="resume" if options.resume is not None else "clear" if options.after_clear else "startup",
        mode=lambda: guarding.mode,
        cwd=lambda: guarding.cwd,
        fits=guarding.hits,
        sandbox=lambda: guarding.guard.confinement.sandbox,
    )
    asking.advisor, asking.deputy = hooks.calls.advise, hooks.calls.answer
    return hooks


def _given(model: Model) -> Connection:
    return Connection(model=model, provider="given", sees=True)


def _led(connection: Connection) -> Model:
    """A small model that is led by the hand."""
    from ferrule.small.guided import Guided  # noqa: PLC0415 - large models need none of it

    name, at = connection.model.name, connection.at or (lambda _: connection.model)
    return Guided(name, at, profile=profile_for(name) or Profile(), copying=connection.copying)


def _other(llm: Llm, provider: str | None, model: str | None) -> Llm:
    """The settings for another model; an address and a wire format that were set are those of their provider alone."""
    if provider in {None, llm.provider}:
        return msgspec.structs.replace(llm, model=model)
    return msgspec.structs.replace(llm, provider=provider, model=model, endpoint=None, wire=None)


def _system(directory: Path, config: Config, project: Project, instructions: str) -> str:
    confined = config.safety.sandbox not in {"off", "external"}
    return system_prompt(directory, project=project, confined=confined, instructions=instructions)


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
    loaded: Loaded, directory: Path, outputs: Path, guarding: Guarding, others: Sequence[Tool]
) -> tuple[list[Tool], tuple[str, ...]]:
    """The user's own programs as tools, and a trusted project's; and what is wrong with those that do not work."""
    config, trusted = loaded.config, loaded.trust.trusted
    places = [config_home() / "tools", *map(expand, config.tools.search_paths)]
    theirs = [directory / ".ferrule" / "tools"] if trusted else []
    if not config.tools.external and not any(os.path.isdir(place) for place in (*places, *theirs)):  # noqa: PTH112 - it never raises
        return [], ()
    from ferrule.extend.configured import given_of  # noqa: PLC0415 - few have any
    from ferrule.extend.discover import Given, Place, discover_at_once  # noqa: PLC0415

    given = list(given_of(config.tools.external, directory=directory, trusted=trusted))
    found = discover_at_once(
        [*map(Place, places), *(Place(place, directory) for place in theirs)],
        [one for one in given if isinstance(one, Given)],
        directory=directory,
        outputs=outputs,
        sandbox=guarding.guard.confinement.sandbox,
        cache=cache_home() / "external-tools.json",
        taken=[tool.spec.name for tool in others],
    )
    most = config.context.max_tool_output_chars
    problems = (*(one for one in given if isinstance(one, str)), *found.problems)
    guarding.guard.policy.contained = frozenset(tool.spec.name for tool in found.tools)
    return [Capped(tool, "both", max_bytes=most) for tool in found.tools], problems


def _registry(options: Options, config: Config, tools: list[Tool], hooks: "Hooks | None") -> Registry:
    """All the tools by name, without those that were turned off."""
    known = {tool.spec.name for tool in tools}
    for rule in (*options.allowed, *options.disabled):
        name = rule.partition("(")[0]
        if canonical(name) not in known and "*" not in name:  # a prohibition that was mistyped must not pass for one
            raise UsageError(f"There is no tool named {name}; there are {', '.join(sorted(known))}.")
    tools = [hooks.tool(tool) for tool in tools] if hooks else tools
    tools = [Dry(tool) for tool in tools] if options.dry_run else tools
    return Registry(tools, disabled=[*config.tools.disabled, *options.disabled])
