"""What a command line would do: what is known of its programs, and how the paths that they touch stand."""

import os
import posixpath
from collections.abc import Callable, Iterator
from typing import Literal, Protocol

from ferrule.core.messages import Value
from ferrule.core.regex import lazy
from ferrule.policy.command import LEVELS, Knowledge, Level, Redirect, Simple, Word
from ferrule.policy.paths import Standing
from ferrule.policy.shell import Know, Parsed, parse
from ferrule.policy.shell.builtins import harmless
from ferrule.policy.wild import matches

_WEIGHT = {level: weight for weight, level in enumerate(LEVELS)}
_WRITING = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
_STREAM = lazy(r"\d+-?|-")
_DEVICE = lazy(
    r"/dev/(?:[shvx]v?d[a-z]|nvme|mmcblk|disk|r?disk\d|mapper/|md\d|dm-|loop|ram\d|zd\d|sg\d|mem$|kmem$|port$|mtd|nbd)"
    r"|/proc/sysrq-trigger|/proc/kcore|/sys/power/state|/sys/firmware"
)
_SOCKET = lazy(r"/dev/(?:tcp|udp)/")
_LOADER = lazy(r"LD_.*|DYLD_.*|BASH_ENV|ENV|PROMPT_COMMAND|GCONV_PATH|PYTHONSTARTUP|PERL5OPT|RUBYOPT|NODE_OPTIONS")
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish"})
_NOWHERE = frozenset(
    {"echo", "printf", "true", "false", ":", "exit", "return", "break", "continue", "sleep", "cd", "["}
)
"""Programs to which it is all the same where they run."""


class Stand(Protocol):
    """Says how a path stands."""

    def __call__(
        self, path: str, use: Literal["read", "list", "write"], *, directory: str | None = None, shell: bool = False
    ) -> Standing:
        """Judge a path as it was written; with `shell` for a confined command."""
        ...


class Part(Value, frozen=True, kw_only=True):
    """One simple command of a line, and what it would do."""

    raw: str
    """As it was written, for people."""
    words: tuple[str | None, ...]
    """Quotes and escapes removed; None where only running it would tell."""
    level: Level
    reason: str = ""
    within: tuple[str, ...] = ()
    """The wrappers around it, outermost first."""
    expands: tuple[int, ...] = ()
    """Which of the words are patterns of the shell, and so may become any names."""
    variables: tuple[str | None, ...] = ()
    """Assignments before it that matter, as `NAME=value`."""
    redirects: tuple[str | None, ...] = ()
    """The files into which its output goes."""
    connects: bool = False
    """Whether one of its redirects reaches the network, as `< /dev/tcp/…` does."""


class Verdict(Value, frozen=True, kw_only=True):
    """What a command line would do."""

    level: Level
    reason: str = ""
    """The worst of it, in a few words."""
    parts: tuple[Part, ...] = ()
    readonly: bool = False
    """Whether it is known to change nothing, and to see nothing that it may not see unasked."""
    opaque: bool = False
    """Whether something in it cannot be understood."""
    blocked: bool = False
    """Whether it would touch what nobody may touch."""
    network: bool = False
    outside: tuple[str, ...] = ()
    """Places outside the project that it would write to."""


def judge_command(
    command: str,
    *,
    directory: str,
    know: Know,
    standing: Stand,
    git_runs_programs: Callable[[str], bool],
    home: str | None = None,
) -> Verdict:
    """Say what a line would do if it ran in `directory`. It runs nothing and changes nothing."""
    parsed = parse(command, directory, know=know, home=home)
    bench = _Bench(directory, standing, git_runs_programs)
    for reason in parsed.opaque:
        bench.find("danger", f"it cannot be understood: {reason}")
    parts: dict[Part, None] = {}
    for simple, knowledge in zip(parsed.parts, parsed.knowledge, strict=True):
        parts[bench.part(simple, knowledge)] = None
    for remark in parsed.remarks:
        bench.find(remark.level, remark.reason)
    if _opens_a_shell(parsed):
        bench.find("catastrophe", "it opens a shell to another machine")
    return Verdict(
        level=bench.level,
        reason=bench.reason if bench.level == "catastrophe" else bench.blocked or bench.reason,
        parts=_worst_of_each(parts),
        readonly=bench.level == "reads" and not bench.blocked,
        opaque=bool(parsed.opaque),
        blocked=bool(bench.blocked),
        network=bench.network,
        outside=tuple(bench.outside),
    )


class _Bench:
    """Judges the parts of one line, and keeps the worst that was found."""

    def __init__(self, directory: str, standing: Stand, git_runs_programs: Callable[[str], bool]) -> None:
        self.directory = os.path.realpath(directory)
        self.standing = standing
        self.git_runs_programs = git_runs_programs
        self.level: Level = "reads"
        self.reason = ""
        self.blocked = ""
        self.network = False
        self.outside: dict[str, None] = {}

    def find(self, level: Level, reason: str) -> None:
        """Take note of what a line does; the worst is kept, and of equals the first."""
        self.network |= level == "network"
        if _WEIGHT[level] > _WEIGHT[self.level]:
            self.level, self.reason = level, reason

    def part(self, simple: Simple, knowledge: Knowledge) -> Part:
        """Judge one simple command."""
        findings = list(self._findings(simple, knowledge))
        level, reason = max(findings, key=lambda found: _WEIGHT[found[0]], default=("reads", ""))
        for finding in findings:
            self.find(*finding)
        return Part(
            raw=simple.raw,
            words=tuple(word.text for word in simple.words),
            level=level,
            reason=reason,
            within=simple.within,
            expands=tuple(place for place, word in enumerate(simple.words) if word.glob),
            variables=tuple(
                None if value.text is None else f"{name}={value.text}"
                for name, value in simple.variables
                if not harmless(name, value)
            ),
            redirects=tuple(one.target.text for one in simple.redirects if _writes_file(one)),
            connects=any(map(_connects, simple.redirects)),
        )

    def _findings(self, simple: Simple, knowledge: Knowledge) -> "Iterator[tuple[Level, str]]":
        """All that a simple command does."""
        yield knowledge.level, knowledge.reason
        if knowledge.git and knowledge.level == "reads":
            yield from self._git(simple)
        yield from self._variables(simple)
        for word in knowledge.reads:
            yield from self._path(word, "read", simple)
        for word in knowledge.lists:
            yield from self._path(word, "list", simple)
        for word in knowledge.writes:
            yield from self._path(word, "write", simple)
        for redirect in simple.redirects:
            yield from self._redirect(redirect, simple)
        yield from self._whereabouts(simple)

    def _git(self, simple: Simple) -> "Iterator[tuple[Level, str]]":
        if simple.directory is None:
            yield "changes", "git runs in a directory that is not known"
        elif self.git_runs_programs(simple.directory):
            yield "changes", "the repository's settings make git run other programs"

    def _variables(self, simple: Simple) -> "Iterator[tuple[Level, str]]":
        for name, value in simple.variables:
            splits_input = name == "IFS" and simple.words and simple.words[0].text == "read"
            if not harmless(name, value) and not splits_input:
                loads = _LOADER.fullmatch(name) is not None
                yield "danger" if loads else "changes", f"{name} is set, which can change what runs"

    def _redirect(self, redirect: Redirect, simple: Simple) -> "Iterator[tuple[Level, str]]":
        target = redirect.target
        if redirect.operator.startswith("<<"):
            return
        if _connects(redirect):
            yield "network", f"{target.text or target.prefix} reaches the network"
        elif redirect.operator in {">&", "<&"} and target.text is not None and _STREAM.fullmatch(target.text):
            return
        elif redirect.operator in _WRITING:
            yield from self._path(target, "write", simple)
        else:
            yield from self._path(target, "read", simple)

    def _path(self, word: Word, use: Literal["read", "list", "write"], simple: Simple) -> "Iterator[tuple[Level, str]]":
        """Judge one path that a command touches."""
        level: Level = "danger" if use == "write" else "changes"
        doing = {"read": "reads", "list": "looks at", "write": "writes to"}[use]
        if word.text is None and word.below and use != "write":
            for place in word.below:
                yield from self._path(Word(place, place), use, simple)
            return
        if word.text is None or (simple.directory is None and not word.text.startswith("/")):
            yield level, f"it {doing} a place that is only known when it runs: {word.raw}"
            return
        paths = [word.text]
        if word.glob:
            found = matches(word.text, simple.directory or "/")
            if found is None:
                yield level, f"it {doing} more files than can be looked at: {word.raw}"
            paths += found or []
        for path in paths:
            yield from self._stands(path, use, simple, doing)

    def _stands(
        self, path: str, use: Literal["read", "list", "write"], simple: Simple, doing: str
    ) -> "Iterator[tuple[Level, str]]":
        full = posixpath.normpath(posixpath.join(simple.directory or "/", path))
        if full.startswith("/dev/fd/") and full[8:].isdecimal():
            return
        if use == "write" and _DEVICE.match("/" + full.lstrip("/")):
            yield "catastrophe", f"it writes to {full}"
            return
        found = self.standing(path, use, directory=simple.directory, shell=True)  # noqa: S604 - a word of ours
        if found.level == "blocked" or (use == "write" and found.level == "protected"):
            self.blocked = self.blocked or f"it {doing} {found.path}: {found.reason}"
            yield "danger", f"it {doing} {found.path}: {found.reason}"
        elif found.level != "free":
            if use == "write":
                self.outside[found.path] = None
            yield "danger" if use == "write" else "changes", f"it {doing} {found.path}: {found.reason}"
        elif use == "write" and full != "/dev/null" and not full.startswith(("/dev/std", "/dev/tty")):
            yield "changes", f"it {doing} {path}"

    def _whereabouts(self, simple: Simple) -> "Iterator[tuple[Level, str]]":
        """Judge the directory in which a command runs: many see what is in it without being told."""
        if simple.directory == self.directory or not simple.words:
            return
        name = simple.words[0].text
        if simple.directory is None:
            if name not in _NOWHERE:
                yield "changes", f"{name} runs in a directory that is not known"
            return
        found = self.standing(simple.directory, "list", shell=True)  # noqa: S604 - a word of ours
        if found.level == "blocked":
            self.blocked = self.blocked or f"it looks into {found.path}: {found.reason}"
            yield "danger", f"it looks into {found.path}: {found.reason}"


def _writes_file(redirect: Redirect) -> bool:
    """Whether output goes into a file, and not into another stream or nowhere."""
    text = redirect.target.text
    if redirect.operator not in _WRITING:
        return False
    return text is None or (not (_STREAM.fullmatch(text) and redirect.operator == ">&") and text != "/dev/null")


def _connects(redirect: Redirect) -> bool:
    """Whether bash opens a connection for a redirect; the text behind `<<` and `<<<` is no place."""
    target = redirect.target
    known = target.text if target.text is not None else target.prefix
    return not redirect.operator.startswith("<<") and _SOCKET.match(known) is not None


def _opens_a_shell(parsed: Parsed) -> bool:
    """Whether a shell of this line gets its input from another machine."""
    if not any(_connects(one) for simple in parsed.parts for one in simple.redirects):
        return False
    return any(
        simple.words
        and posixpath.basename(simple.words[0].text or "") in _SHELLS
        and (simple.redirects or simple.piped)
        for simple in parsed.parts
    )


def _worst_of_each(parts: dict[Part, None]) -> tuple[Part, ...]:
    """Of the same command in several directories, the worst."""
    kept: dict[tuple[object, ...], Part] = {}
    for part in parts:
        key = (part.raw, part.words, part.within, part.redirects, part.connects)
        if key not in kept or _WEIGHT[part.level] > _WEIGHT[kept[key].level]:
            kept[key] = part
    return tuple(kept.values())
