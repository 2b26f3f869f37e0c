"""The permission lab: how calls would be judged, one by one or over everything that was ever saved."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ferrule.config.layers import load
from ferrule.config.paths import data_home, expand
from ferrule.core.calls import prepare
from ferrule.core.errors import FerruleError, UsageError
from ferrule.core.events import Appended, ToolStarted
from ferrule.core.messages import Assistant, ToolCall, Value
from ferrule.core.names import canonical
from ferrule.core.tool import Tool
from ferrule.policy.build import places_of, policy_of
from ferrule.policy.judge import Decision, Judgement, Policy
from ferrule.session.reading import read_log
from ferrule.session.store import Store
from ferrule.tools.builtin import builtin

__all__ = ["Judgement", "Lab", "Learned", "PastCall", "RuleSet", "Tally", "learn", "past_calls", "tally"]


class RuleSet(Value, frozen=True, kw_only=True):
    """Rules to try out, on top of those that hold."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class PastCall(Value, frozen=True, kw_only=True):
    """A call of a saved session."""

    session: str
    directory: str
    call: ToolCall
    ran: bool
    """Whether it was allowed then."""


class Tally(Value, frozen=True, kw_only=True, omit_defaults=False):
    """What a set of rules would have meant for calls of the past."""

    allow: int = 0
    ask: int = 0
    deny: int = 0
    asked: tuple[tuple[str, int], ...] = ()
    """What would have been asked about, the most frequent first."""


class Learned(Value, frozen=True, kw_only=True):
    """A rule that would have spared questions, and how many."""

    rule: str
    spared: int


class Lab:
    """Judges calls as a session in a directory would, without one."""

    def __init__(self, directory: Path, *, mode: str | None = None, rules: RuleSet | None = None) -> None:
        """Read the configuration that holds for a directory.

        Raises:
            ConfigError: it has errors.
        """
        tried = rules or RuleSet()
        overrides: Mapping[str, object] = {
            "safety.mode": mode,
            "safety.allow": list(tried.allow) or None,
            "safety.ask": list(tried.ask) or None,
            "safety.deny": list(tried.deny) or None,
        }
        loaded = load(directory, overrides=overrides)
        places = places_of(loaded, directory)
        self.policy: Policy = policy_of(
            loaded,
            places,
            mode=loaded.config.safety.mode,
            confined=lambda: loaded.config.safety.sandbox != "off",
            cwd=lambda: places.root,
        )
        self._tools: dict[str, Tool] = {tool.spec.name: tool for tool in builtin()}

    def judge(self, call: ToolCall) -> Judgement:
        """Judge a call.

        Raises:
            UsageError: its arguments do not fit the tool.
        """
        own = canonical(call.name)
        prepared = prepare(msgspec.structs.replace(call, name=own), self._tools)
        if own in self._tools and prepared.problem:
            raise UsageError(prepared.problem)
        return self.policy.judge(call, prepared.effects)

    def judge_command(self, command: str) -> Judgement:
        """Judge a shell command."""
        return self.judge(ToolCall(id="", name="bash", input={"command": command}))

    def judge_line(self, line: bytes) -> dict[str, Any]:
        """Judge what a line of JSON holds: a text is a command, an object a tool call.

        What is neither, or does not fit the tool, is denied: it would not run either.
        """
        try:
            given = msgspec.json.decode(line)
            return shown(self.judge_command(given) if isinstance(given, str) else self.judge(_call(given)))
        except (msgspec.MsgspecError, UsageError) as error:
            return shown(Judgement(decision="deny", reason=str(error), rule="not a call"))


def shown(judged: Judgement) -> dict[str, Any]:
    """A judgement as JSON shows it."""
    return {
        "decision": judged.decision,
        "reason": judged.reason,
        "rule": judged.rule,
        "readonly": judged.readonly,
        "parts": list(judged.parts),
        "always": list(judged.always),
    }


def past_calls(directory: Path, *, everywhere: bool = False) -> Iterator[PastCall]:
    """The calls of the saved sessions of a directory, or of all."""
    where = load(directory).config.session.storage_path
    store = Store(expand(where) if where else data_home() / "sessions")
    for summary in store.list(None if everywhere else directory):
        try:
            loaded = read_log(summary.path)
        except FerruleError:
            continue
        ran = {event.call.id for event in loaded.events if isinstance(event, ToolStarted)}
        for event in loaded.events:
            if isinstance(event, Appended) and isinstance(event.message, Assistant):
                for call in event.message.calls:
                    place = loaded.header.directory or os.fspath(directory)
                    yield PastCall(session=summary.id, directory=place, call=call, ran=call.id in ran)


def tally(calls: Iterable[PastCall], *, mode: str | None = None, rules: RuleSet | None = None) -> Tally:
    """What the rules that hold, and others on top of them, would have meant for calls of the past."""
    counts: Counter[Decision] = Counter()
    asked: Counter[str] = Counter()
    for judged, what in _judged(calls, mode, rules):
        counts[judged.decision] += 1
        if judged.decision == "ask":
            asked[", ".join(judged.always) or what] += 1
    return Tally(allow=counts["allow"], ask=counts["ask"], deny=counts["deny"], asked=tuple(asked.most_common()))


def learn(calls: Iterable[PastCall], *, mode: str | None = None, least: int = 2) -> tuple[Learned, ...]:
    """The fewest rules that would have spared the questions about calls that were allowed, the most useful first.

    A rule is worth having if it spares at least so many questions. Where several directories beside each other
    would each need one, the one above them gets it.
    """
    ran = [call for call in calls if call.ran]
    needs = Counter(
        judged.always for judged, _ in _judged(ran, mode, None) if judged.decision == "ask" and judged.always
    )
    merged = _merged(rule for rules in needs for rule in rules)
    wanted: Counter[frozenset[str]] = Counter()
    for rules, count in needs.items():
        wanted[frozenset(merged.get(rule, rule) for rule in rules)] += count
    learned: list[Learned] = []
    have: set[str] = set()
    while True:
        spared = Counter[frozenset[str]]()
        for rule_set, count in wanted.items():
            if missing := rule_set - have:
                spared[missing] += count
        best = max(spared, key=lambda rules: (spared[rules] / len(rules), -len(rules), sorted(rules)), default=None)
        if best is None or spared[best] < least:
            return tuple(learned)
        learned += [Learned(rule=rule, spared=spared[best]) for rule in sorted(best)]
        have |= best


def _judged(calls: Iterable[PastCall], mode: str | None, rules: RuleSet | None) -> Iterator[tuple[Judgement, str]]:
    labs: dict[str, Lab] = {}
    for past in calls:
        try:
            if past.directory not in labs:
                labs[past.directory] = Lab(Path(past.directory), mode=mode, rules=rules)
            judged = labs[past.directory].judge(past.call)
        except FerruleError:  # the call was refused then as well, or the project has gone
            continue
        target = next((str(value) for value in past.call.input.values()), "")
        yield judged, f"{past.call.name} {target}".splitlines()[0][:100]


_SIBLINGS = 3


def _merged(rules: Iterable[str]) -> dict[str, str]:
    """Rules for neighbouring directories, each with the rule for the directory above them."""
    above: dict[str, set[str]] = {}
    for rule in set(rules):
        tool, _, place = rule.removesuffix("/**)").partition("(./")
        if rule.endswith("/**)") and "/" in place:
            above.setdefault(f"{tool}(./{place.rpartition('/')[0]}/**)", set()).add(rule)
    return {rule: parent for parent, children in above.items() if len(children) >= _SIBLINGS for rule in children}


def _call(given: Any) -> ToolCall:
    """A tool call in our own words or in those of others."""
    if not isinstance(given, dict):
        raise UsageError("A line is a command as a JSON text, or a tool call as a JSON object.")
    name = next((given[key] for key in ("tool", "name", "tool_name") if isinstance(given.get(key), str)), "")
    input_ = next(
        (given[key] for key in ("input", "arguments", "tool_input") if isinstance(given.get(key), dict)), None
    )
    if not name or input_ is None:
        raise UsageError('A tool call is an object such as {"tool": "edit", "input": {"file_path": "…"}}.')
    return ToolCall(id="", name=name, input=input_)
