"""May this call run? One policy for every tool: the mode, the rules, the paths, and what a command really does.

What is never done is decided first (catastrophes, blocked paths, Ferrule's own files), then the rules speak (deny
over ask over allow), then the mode. The answer says why, and which rule would spare the question.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from ferrule.core.messages import ToolCall, Value
from ferrule.core.names import canonical
from ferrule.core.tool import Effect, would
from ferrule.policy.command import Knowledge, Simple
from ferrule.policy.gitconfig import git_runs_programs
from ferrule.policy.paths import Places, Standing, Use
from ferrule.policy.permit import Permit
from ferrule.policy.plain import odd, too_much
from ferrule.policy.programs import know
from ferrule.policy.programs.identity import narrowest
from ferrule.policy.rules import Command, File, Line, Rules, Ruling, Subject, Text, command_rule, path_rule
from ferrule.policy.verdict import Part, Verdict, judge_command

Decision = Literal["allow", "ask", "deny"]
_MOMENT = 0.2
"""Seconds."""
_NOW = "this session"
"""Where a rule stands that a person has just added."""
_MOVES = frozenset({"cd", "pushd", "popd"})
_WEIGHT = {"deny": 0, "ask": 1, "allow": 2}


class Judgement(Value, frozen=True, kw_only=True):
    """What may be done with a call, and why."""

    decision: Decision
    reason: str = ""
    rule: str = ""
    """What decided: a rule as it was written, or a few words for what is built in."""
    readonly: bool = False
    """Whether it is known to change nothing."""
    parts: tuple[str, ...] = ()
    """The commands that a shell line really runs."""
    always: tuple[str, ...] = ()
    """The narrowest rules that would allow it from now on; none where that is not offered."""
    network: bool = False
    """Whether it needs the network, and may have it if it may run."""
    outside: tuple[str, ...] = ()
    """Places outside the project that it would write to."""
    reach: tuple[tuple[Standing, Use], ...] = ()
    """The paths that a tool would touch, as they stood when they were judged."""


class Grant(Value, frozen=True, kw_only=True):
    """What a command that may run may have beyond the sandbox."""

    network: bool = False
    writable: tuple[str, ...] = ()
    readonly: bool = False


class Policy:
    """The rules of one session. It changes when the person changes the mode or says "always"."""

    def __init__(
        self,
        *,
        mode: str,
        rules: Rules,
        places: Places,
        confined: Callable[[], bool],
        cwd: Callable[[], Path],
        outer: Callable[[Path], Path] = lambda path: path,
        free: Iterable[str] = (),
    ) -> None:
        """Make a policy.

        `confined` tells whether commands run in a sandbox, and is asked only where that matters; `cwd` tells where
        the next command would run, and `outer` where a path lies that a confined one speaks of; `free` names tools
        that need no leave.
        """
        self.mode = mode
        self.rules = rules
        self.places = places
        self.permit = Permit(places)
        """What the file tools may touch; they ask it again at the moment they do."""
        self.contained: frozenset[str] = frozenset()
        """Tools whose programs run in the sandbox of commands, and so may run unasked where those may."""
        self._within = tuple(_inside(places))
        self._confined = confined
        self._cwd = cwd
        self._outer = outer
        self._free = frozenset(free)
        self._grants: dict[str, Grant] = {}
        self._last: tuple[str, str, str, float, Verdict] | None = None

    def judge(self, call: ToolCall, effects: tuple[Effect, ...]) -> Judgement:
        """Say what may be done with a call. It changes nothing and asks nobody."""
        tool = canonical(call.name)
        judged = [self._one(tool, effect) for effect in effects] or [self._plain(tool, None)]
        worst = min(judged, key=lambda one: _WEIGHT[one.decision])
        reach = tuple(path for one in judged for path in one.reach)
        return worst if len(judged) == 1 else msgspec.structs.replace(worst, reach=reach)

    def only_reads(self, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a call is known to change nothing, so that it may run beside others and needs no way back."""
        if canonical(call.name) != "bash":
            return all(effect.kind in {"read", "interactive"} for effect in effects)
        return all(self.verdict(effect.target).readonly for effect in effects)

    def side_by_side(self, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a call may run at the same time as its neighbours: it only reads, and moves to no other directory."""
        if canonical(call.name) != "bash":
            return all(effect.kind == "read" for effect in effects)
        found = [self.verdict(effect.target) for effect in effects]
        firsts = {part.words[0] for one in found for part in one.parts if part.words}
        return all(one.readonly for one in found) and _MOVES.isdisjoint(firsts)

    def hits(self, rule: str, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a rule speaks of a call, or might. It is read as one that forbids: any part of the call will do."""
        tool = canonical(call.name)
        return self.rules.alone(rule).decide(tool, [self._subject(tool, one) for one in effects]) is not None

    def _subject(self, tool: str, effect: Effect) -> Subject:
        """What a call would touch, as the rules see it."""
        if tool == "bash" and effect.kind == "execute":
            return _line(effect.target, self.verdict(effect.target))
        if effect.kind in {"read", "write"} and tool not in self._free:
            use: Use = "write" if effect.kind == "write" else "read"
            return self._file(effect.target, self.places.standing(effect.target, use))
        return Text(effect.target)

    def allow(self, rules: tuple[str, ...]) -> None:
        """Let these run unasked for the rest of the session."""
        self.rules = self.rules.with_allowed(rules, _NOW)

    @property
    def said_always(self) -> tuple[str, ...]:
        """The rules that a person has added in this session."""
        return tuple(dict.fromkeys(rule.text for rule in self.rules.allow if rule.origin == _NOW))

    def note(self, effects: tuple[Effect, ...], judged: Judgement, *, granted: bool = False) -> None:
        """Keep what a call that may run may have; `granted` if a person has seen all of it and said yes."""
        for standing, use in judged.reach:
            self.permit.grant(standing, use)
        for effect in effects:
            if effect.kind == "execute":
                writable = judged.outside if granted else ()
                grant = Grant(network=judged.network, writable=writable, readonly=judged.readonly)
                self._grants[effect.target] = grant

    def granted(self, command: str) -> Grant:
        """What a command that was let through may have beyond the sandbox."""
        return self._grants.get(command, Grant())

    def verdict(self, command: str) -> Verdict:
        """What a command line would do, whatever the rules say of it.

        One call is looked at from several sides at once; for that moment what was found is kept.
        """
        directory, now = os.fspath(self._cwd()), time.monotonic()
        if self._last and self._last[:3] == (command, directory, self.mode) and now - self._last[3] < _MOMENT:
            return self._last[4]
        found = self._verdict(command, directory)
        self._last = (command, directory, self.mode, now, found)
        return found

    def _verdict(self, command: str, directory: str) -> Verdict:
        if too_much(command):
            return Verdict(level="danger", reason="it is too intricate to be understood", opaque=True)
        found = judge_command(
            command,
            directory=directory,
            know=self._know,
            standing=self._standing,
            git_runs_programs=self._git_runs_programs,
            home=str(self.places.home),
        )
        if found.readonly and (why := odd(command)):
            return msgspec.structs.replace(found, level="changes", reason=why, readonly=False)
        return found

    def _standing(self, path: str, use: Use, *, directory: str | None = None, shell: bool = False) -> Standing:
        """How a path stands that a command touches.

        In mode auto, what is the sandbox's own, as its `/tmp` is, stands as that. In the others a person is asked,
        whose yes opens the machine's.
        """
        found = self.places.standing(path, use, directory=directory, shell=shell)
        if found.level != "outside" or self.mode != "auto" or ".." in path.split("/"):
            return found
        named = Path(self.places.absolute(path, directory))
        there = self._outer(named)
        return found if there == named else self.places.standing(os.fspath(there), use, shell=shell)

    def _know(self, command: Simple, *, home: str = "") -> Knowledge:
        """What a command would do; a program that the project brings along may do anything under any name."""
        known = know(command, home=home)
        name = command.words[0].text if command.words else None
        if known.level == "reads" and name and any(os.path.lexists(f"{place}/{name}") for place in self._within):
            return msgspec.structs.replace(
                known, level="changes", git=False, reason=f"{name} is the project's own program"
            )
        return known

    def _git_runs_programs(self, directory: str) -> bool:
        return git_runs_programs(os.fspath(self._outer(Path(directory)))) or any(
            os.path.lexists(f"{place}/git-lfs") for place in self._within
        )

    def _one(self, tool: str, effect: Effect) -> Judgement:
        if tool == "bash" and effect.kind == "execute":
            return self._command(effect.target)
        if effect.kind in {"read", "write"} and tool not in self._free:
            return self._path(tool, effect)
        return self._plain(tool, effect)

    def _command(self, command: str) -> Judgement:
        """Judge a command line."""
        found = self.verdict(command)
        parts = tuple(part.raw for part in found.parts)
        if found.level == "catastrophe" or found.blocked:
            what = "catastrophe" if found.level == "catastrophe" else "blocked path"
            return Judgement(decision="deny", reason=found.reason, rule=what, parts=parts)
        ruling = self.rules.decide("bash", (_line(command, found),))
        if ruling and ruling.decision != "allow":
            return self._ruled(ruling, parts=parts, readonly=found.readonly)
        if found.readonly:
            return Judgement(decision="allow", reason="it only reads", rule="read-only", readonly=True, parts=parts)
        if self.mode == "plan":
            reason = f"{found.reason}, and in mode plan nothing is changed"
            return Judgement(decision="deny", reason=reason, rule="mode plan", parts=parts)
        if ruling:
            named = any(rule.pattern is not None for rule in ruling.rules)
            return self._ruled(ruling, parts=parts, network=found.network and named)
        is_ordinary = found.level in {"reads", "changes"} and not found.opaque
        if self.mode == "yolo" or (self.mode == "auto" and self._confined() and is_ordinary):
            return Judgement(decision="allow", reason=f"mode {self.mode}", rule=f"mode {self.mode}", parts=parts)
        return Judgement(
            decision="ask",
            reason=found.reason,
            rule=f"mode {self.mode}",
            parts=parts,
            always=_offered(found),
            network=found.network,
            outside=found.outside,
        )

    def _path(self, tool: str, effect: Effect) -> Judgement:
        """Judge a file or directory that a tool would read or write."""
        use: Use = "write" if effect.kind == "write" else "read"
        found = self.places.standing(effect.target, use)
        judged = self._stand(tool, effect, found)
        return msgspec.structs.replace(judged, reach=((found, use),))

    def _stand(self, tool: str, effect: Effect, found: Standing) -> Judgement:
        writes = effect.kind == "write"
        if found.level == "blocked" or found.hard:
            return Judgement(decision="deny", reason=_words(found), rule="blocked path")
        file = self._file(effect.target, found)
        ruling = self.rules.decide(tool, (file,))
        if ruling and ruling.decision != "allow":
            return self._ruled(ruling)
        if writes and self.mode == "plan":
            reason = f"{tool} would change {effect.target}, and in mode plan nothing is changed"
            return Judgement(decision="deny", reason=reason, rule="mode plan")
        if ruling:
            return self._ruled(ruling, readonly=not writes)
        if found.level == "free" and (not writes or self.mode in {"auto-edit", "auto", "yolo"}):
            return Judgement(decision="allow", rule=f"mode {self.mode}" if writes else "read-only", readonly=not writes)
        if self.mode == "yolo" and found.level == "outside" and not (writes and self._confined()):
            return Judgement(decision="allow", rule="mode yolo", readonly=not writes)
        reason = _words(found) if found.level != "free" else f"{tool} would change {effect.target}"
        return Judgement(decision="ask", reason=reason, rule=f"mode {self.mode}", always=(self._rule_for(tool, file),))

    def _plain(self, tool: str, effect: Effect | None) -> Judgement:
        """Judge a tool by what it says of itself."""
        ruling = self.rules.decide(tool, (Text(effect.target),) if effect else ())
        if ruling and ruling.decision != "allow":
            return self._ruled(ruling)
        if effect is None or effect.kind in {"read", "interactive"}:
            return Judgement(decision="allow", rule="read-only", readonly=True)
        if self.mode == "plan":
            reason = f"{tool} would {would(effect)}, and in mode plan nothing is changed"
            return Judgement(decision="deny", reason=reason, rule="mode plan")
        if ruling:
            return self._ruled(ruling)
        if tool in self._free or self.mode == "yolo":
            return Judgement(decision="allow", rule="given by the caller" if tool in self._free else "mode yolo")
        if self.mode == "auto" and effect.kind == "execute" and tool in self.contained and self._confined():
            return Judgement(decision="allow", reason="mode auto", rule="mode auto")
        reason = f"{tool} would {would(effect)}"
        return Judgement(decision="ask", reason=reason, rule=f"mode {self.mode}", always=(tool,))

    @staticmethod
    def _ruled(
        ruling: Ruling, *, parts: tuple[str, ...] = (), readonly: bool = False, network: bool = False
    ) -> Judgement:
        return Judgement(
            decision=ruling.decision,
            reason=ruling.reason,
            rule=ruling.rule,
            readonly=readonly,
            parts=parts,
            network=network,
        )

    def _file(self, target: str, found: Standing) -> File:
        path = os.path.normpath(self.places.absolute(target))
        return File(path, found.end or path)

    def _rule_for(self, tool: str, file: File) -> str:
        """The narrowest useful rule for a file: its directory, or the file alone where that is the project itself."""
        root, folder = os.path.realpath(self.places.root), str(Path(file.resolved).parent)
        if folder == root:
            return path_rule(tool, file.resolved, root=root, below=False)
        return path_rule(tool, folder, root=root, below=True)


def _inside(places: Places) -> Iterator[str]:
    """The directories of the search path that lie in the project, where anyone may have put a program."""
    roots = [os.path.realpath(root) for root in (places.root, *places.added)]
    for place in os.environ.get("PATH", "").split(":"):
        real = os.path.realpath(place) if place.startswith("/") else ""
        if any(f"{real}/".startswith(f"{root}/") for root in roots):
            yield real


def _words(found: Standing) -> str:
    return f"{found.path} may not be touched unasked: {found.reason}"


def _line(command: str, found: Verdict) -> Line:
    """A command line as the rules see it."""
    return Line(raw=command, commands=tuple(_as_command(part) for part in found.parts), opaque=found.opaque)


def _as_command(part: Part) -> Command:
    return Command(
        words=part.words,
        expands=part.expands,
        raw=part.raw,
        reads=part.level == "reads",
        variables=part.variables,
        redirects=part.redirects,
        connects=part.connects,
    )


def _offered(found: Verdict) -> tuple[str, ...]:
    """What "always" would add: a rule for each part that needs one; nothing where one of them has none."""
    rules: dict[str, None] = {}
    if found.opaque:
        return ()
    for part in found.parts:
        if part.level == "reads":
            continue
        words = tuple(word for word in part.words if word is not None)
        known = len(words) == len(part.words) and part.level in {"changes", "network"}
        short = narrowest(words) if known and not part.redirects and not part.connects else None
        if short is None:
            return ()
        rules[command_rule(short, more=short != words)] = None
    return tuple(rules)
