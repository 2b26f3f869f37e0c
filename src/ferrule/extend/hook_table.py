"""The hooks of a configuration, read once: which programs belong to which event, and to which tools or kinds of it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, get_args

import msgspec

from ferrule.config.schema import HookCommand, HookGroup, Hooks
from ferrule.config.words import plain
from ferrule.core.errors import ConfigError
from ferrule.core.messages import Value
from ferrule.core.names import canonical

Event = Literal[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "Stop",
    "SubagentStop",
    "Notification",
    "SessionEnd",
]
EVENTS: tuple[Event, ...] = get_args(Event)
"""In the order in which a session meets them."""
OF_TOOLS: frozenset[Event] = frozenset({"PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"})
"""Events about a call: their matchers speak of tools, and they may have a condition."""
WITHOUT_MATCHER: frozenset[Event] = frozenset({"UserPromptSubmit", "Stop", "SubagentStop"})
TIMEOUT = 60.0
"""Seconds, where a hook does not say."""
TIMEOUT_AT_THE_END = 10.0
"""The same for `SessionEnd`: whoever leaves does not want to wait."""

_NAMES = re.compile(r"[\w\s|,-]*", re.ASCII)
"""A matcher of these characters alone is a list of names, and no pattern."""
_THEIRS = {
    "ask_user": "AskUserQuestion",
    "bash": "Bash",
    "edit": "Edit",
    "glob": "Glob",
    "grep": "Grep",
    "ls": "LS",
    "read": "Read",
    "todo": "TodoWrite",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "write": "Write",
}


class Hook(Value, frozen=True, kw_only=True):
    """One program for one event."""

    event: Event
    number: int
    """Its place among all hooks, by which it is told from one that looks the same."""
    words: tuple[str, ...]
    """The program and its arguments; a single one is a line for the shell."""
    matcher: str = ""
    timeout: float = TIMEOUT
    in_background: bool = False
    once: bool = False
    condition: str = ""
    blocks_on_failure: bool = False
    confined: bool = False

    @property
    def line(self) -> str:
        """The program as a person reads it."""
        return plain(" ".join(" ".join(self.words).split()))


class Table(msgspec.Struct, frozen=True):
    """All hooks by their events."""

    hooks: Mapping[Event, tuple[Hook, ...]]
    problems: tuple[str, ...] = ()
    """What is set and cannot be run here, for the person."""

    def has(self, *events: Event) -> bool:
        """Whether anything is to be run for one of these events."""
        return any(event in self.hooks for event in events)

    def matching(self, event: Event, subject: str = "") -> Iterator[Hook]:
        """The hooks for an event about a tool, or of a kind."""
        for hook in self.hooks.get(event, ()):
            if event in WITHOUT_MATCHER or _matcher(hook.matcher, tools=event in OF_TOOLS)(subject):
                yield hook


def read_table(hooks: Hooks) -> Table:
    """Read the hooks of a configuration.

    Raises:
        ConfigError: a matcher makes no sense; a guard that was mistyped must not pass for one.
    """
    problems: list[str] = []
    found: dict[Event, tuple[Hook, ...]] = {}
    number = 0
    for event in EVENTS:
        mine: list[Hook] = []
        for name, group, command in _commands(event, getattr(hooks, event)):
            _check_matcher(f"hooks.{event}", group.matcher)
            if problem := _problem(command):
                problems.append(f"{name} is left out: {problem}.")
            else:
                number += 1
                mine.append(_hook(event, number, group, command))
        if mine:
            found[event] = tuple(mine)
    return Table(found, tuple(problems))


def theirs(tool: str) -> str:
    """What Claude Code calls a tool, which is what programs that were written for it look for."""
    return _THEIRS.get(canonical(tool), tool)


def _commands(event: Event, groups: Iterable[HookGroup]) -> Iterator[tuple[str, HookGroup, HookCommand]]:
    for at, group in enumerate(groups):
        for place, command in enumerate(group.hooks):
            yield f"hooks.{event}[{at}].hooks[{place}]", group, command


def _problem(command: HookCommand) -> str:
    if command.type != "command":
        return f"hooks of type {plain(command.type[:40])} are not run here"
    return "" if command.command.strip() else "it has no command"


def _hook(event: Event, number: int, group: HookGroup, command: HookCommand) -> Hook:
    usual = TIMEOUT_AT_THE_END if event == "SessionEnd" else TIMEOUT
    return Hook(
        event=event,
        number=number,
        words=(command.command, *command.args),
        matcher=group.matcher.strip(),
        timeout=command.timeout or usual,
        in_background=command.in_background,
        once=command.once,
        condition=command.condition.strip() if event in OF_TOOLS else "",
        blocks_on_failure=command.on_failure == "block",
        confined=command.confined,
    )


def _check_matcher(name: str, matcher: str) -> None:
    try:
        _matcher(matcher.strip(), tools=True)
    except re.error as error:
        words = f"{name}: the matcher {plain(matcher[:60])} is no regular expression: {error.msg}."
        raise ConfigError(words) from None


def _matcher(matcher: str, *, tools: bool) -> Callable[[str], Any]:
    """Whether a name is meant: every one, one of a list, or one in which a pattern is found."""
    if matcher in {"", "*"}:
        return lambda _name: True
    fold = canonical if tools else str.lower
    if _NAMES.fullmatch(matcher):
        names = {fold(name) for name in re.split(r"[|,]", matcher) if name.strip()}
        return lambda name: fold(name) in names
    pattern = re.compile(matcher, re.IGNORECASE)
    return lambda name: pattern.search(name) or (tools and pattern.search(theirs(name)))
