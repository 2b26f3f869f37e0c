"""Trust in a project: what of it could steer Ferrule or run code, and whether the user has agreed to just that.

Trust is bound to a fingerprint of those files, so whatever changes later is not trusted by it. It is given to one
directory; neither what lies in it nor what it lies in has a part in it. What cannot be looked at whole is not trusted.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ferrule.config import projects
from ferrule.config.check import Setting, findings_of
from ferrule.config.jsonc import parse
from ferrule.config.paths import Environ
from ferrule.config.words import in_json, plain
from ferrule.core.errors import ConfigError

PROJECT_FILES = (".ferrule.json", ".ferrule/config.json")
ROOTS = (
    ".ferrule.json",
    ".ferrule",
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/agents",
    ".claude/commands",
    ".claude/hooks",
    ".claude/skills",
)
"""Files, and directories with all that is in them."""
MOST_FILES = 2_000
DEEPEST = 16
LARGEST = 32_000_000
"""Bytes of all files together."""
_SHOWN = 4_000
"""Characters of what one file could do."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a project that matters for trust."""

    name: str
    """Its path in the project, fit to be shown."""
    effect: str
    """What it could do, in words that are fit to be shown; perhaps several lines."""
    hash: str


class Fingerprint(msgspec.Struct, frozen=True, kw_only=True):
    """All that a project brings along that could steer Ferrule or run code."""

    hash: str
    files: tuple[Item, ...] = ()
    problem: str = ""
    """Why not all of it could be looked at; then it cannot be trusted."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a project is trusted, and if it was, what has changed since."""

    trusted: bool = False
    changed: tuple[str, ...] = ()


def fingerprint(directory: Path) -> Fingerprint:
    """Look at everything in a project that trust is about. Nothing is run, and no link is followed out of it."""
    walk = _Walk(Path(os.path.realpath(directory)))
    items = tuple(walk.items())
    whole = hashlib.sha256()
    for item in items:
        whole.update(f"{len(item.name)}:{item.name}{item.hash}".encode())
    return Fingerprint(hash=whole.hexdigest(), files=items, problem=walk.problem)


def is_trusted(directory: Path, environ: Environ = os.environ) -> bool:
    """Whether the user trusts a project as it is now."""
    return standing(directory, environ).trusted


def standing(directory: Path, environ: Environ = os.environ) -> Standing:
    """Whether the user trusts a project as it is now, and what has changed if they once did."""
    told = projects.about(directory, environ).trusted
    if told is None or projects.holds_home(directory, environ):
        return Standing()
    now = fingerprint(directory)
    if not now.problem and now.hash == told.hash:
        return Standing(trusted=True)
    present = {item.name: item.hash for item in now.files}
    changed = sorted(name for name in {*present, *told.files} if present.get(name) != told.files.get(name))
    return Standing(changed=tuple(changed) or ("something in it",))


def trust(directory: Path, seen: Fingerprint, environ: Environ = os.environ) -> None:
    """Trust a project as the user has seen it.

    Raises:
        ConfigError: it cannot be trusted, or is no longer what was seen.
    """
    if seen.problem:
        raise ConfigError(f"{plain(str(directory))} cannot be trusted: {seen.problem}.")
    if fingerprint(directory).hash != seen.hash:
        raise ConfigError(f"{plain(str(directory))} has changed meanwhile; look at it again.")
    projects.set_trust(directory, seen.hash, files={one.name: one.hash for one in seen.files}, environ=environ)


class _Walk:
    """Goes through a project once, in a fixed order and within bounds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.problem = ""
        self._files = self._folders = self._bytes = 0

    def items(self) -> Iterator[Item]:
        for name in ROOTS:
            yield from self._at(name, frozenset())

    def _at(self, name: str, above: frozenset[str]) -> Iterator[Item]:
        """What stands at a path of the project: a file, or a directory's files."""
        path = self.root / name
        if self.problem or not os.path.lexists(path):
            return
        target = os.path.realpath(path)
        if not Path(target).is_relative_to(self.root):
            yield self._item(name, "a link out of the project, which is not followed", b"out " + os.fsencode(target))
            return
        try:
            status = Path(target).stat()
            if stat.S_ISDIR(status.st_mode):
                yield from self._in(name, target, above)
            elif stat.S_ISREG(status.st_mode):
                data = self._content(target)
                yield self._item(name, _effect(name, data), _header(status) + data)
            else:
                yield self._item(name, "neither a file nor a directory; it is never opened", b"special")
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ELOOP}:
                yield self._item(name, "a link that leads nowhere", b"nowhere " + os.fsencode(target))
                return
            self.problem = f"{_shown(name)} cannot be read: {error.strerror}"

    def _in(self, name: str, target: str, above: frozenset[str]) -> Iterator[Item]:
        if target in above:  # a link back to where it lies
            return
        if len(above) >= DEEPEST:
            self.problem = f"{_shown(name)} is nested too deep"
            return
        self._folders += 1
        if self._folders > MOST_FILES:
            self.problem = f"{_shown(name)} holds too many directories"
            return
        for entry in sorted(one.name for one in Path(target).iterdir()):
            yield from self._at(f"{name}/{entry}", above | {target})

    def _content(self, target: str) -> bytes:
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
        with os.fdopen(os.open(target, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it may be another since it was looked at
                raise OSError(0, "it is no file")
            data = file.read(LARGEST - self._bytes + 1)
        self._bytes += len(data)
        if self._bytes > LARGEST:
            self.problem = f"it brings along more than {LARGEST // 1_000_000} MB of files that would have to be trusted"
        return data

    def _item(self, name: str, effect: str, content: bytes) -> Item:
        self._files += 1
        if self._files > MOST_FILES:
            self.problem = f"it brings along more than {MOST_FILES:,} files that would have to be trusted"
        digest = hashlib.sha256(os.fsencode(name) + b"\0" + content).hexdigest()
        return Item(name=_shown(name), effect=effect, hash=digest)


def _header(status: os.stat_result) -> bytes:
    """What of a file beside its content decides what it can do."""
    return b"program " if status.st_mode & 0o111 else b"file "


def _effect(name: str, data: bytes) -> str:
    if name in PROJECT_FILES:
        return _settings(data, name)
    if name == ".mcp.json":
        return _servers(data)
    if name.startswith(".claude/settings"):
        return _hooks(data)
    parts = name.split("/")
    return _DIRECTORIES.get(parts[1] if len(parts) > 2 else "", "is kept with the rest")


def _settings(data: bytes, name: str) -> str:
    """The keys that count only once a project is trusted, with their values."""
    try:
        found = [one for one in findings_of(parse(data, name)) if isinstance(one, Setting)]
    except ConfigError:
        return "settings that cannot be read"
    told = [f"{one.key.name} = {in_json(one.value)}" for one in found if one.key.project == "trusted"]
    return _told("sets", told) if told else "settings that hold without trust too"


def _servers(data: bytes) -> str:
    """The programs that would be started, or the addresses that would be called."""
    servers = _object(_decoded(data), "mcpServers")
    told = [f"{name}: {_words(_dict(one))}" for name, one in servers.items()]
    return _told("starts servers:", told) if told else "names no servers that could be understood"


def _hooks(data: bytes) -> str:
    """The commands that would be run when something happens."""
    told = [
        f"{event}: {_words(_dict(hook))}"
        for event, matchers in _object(_decoded(data), "hooks").items()
        for matcher in _list(matchers)
        for hook in _list(_dict(matcher).get("hooks"))
    ]
    return _told("runs commands by itself:", told) if told else "settings of Claude Code"


def _words(started: dict[str, Any]) -> str:
    words = [started.get("command") or started.get("url") or "?", *_list(started.get("args"))]
    variables = [f"{name}={value}" for name, value in _dict(started.get("env")).items()]
    return " ".join(map(str, (*variables, *words)))


def _told(head: str, lines: list[str]) -> str:
    """Some lines under a head; nothing is left out without saying so."""
    text = "\n".join(plain(line) for line in (head, *lines)) if len(lines) > 1 else f"{head} {plain(lines[0])}"
    left = len(text) - _SHOWN
    return text if left <= 0 else f"{text[:_SHOWN]}…\n(and {left:,} characters more: read the file before you trust it)"


def _decoded(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _object(value: Any, key: str) -> dict[str, Any]:
    return _dict(_dict(value).get(key))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _shown(name: str) -> str:
    """A path so that it can be shown and kept: two that differ never look the same."""
    return plain(name.replace("\\", "\\\\")) if "\\" in name or not name.isprintable() else name


_DIRECTORIES = {
    "agents": "instructions for an agent of its own",
    "commands": "a command of its own for the prompt",
    "hooks": "may be run by itself, when something happens",
    "skills": "instructions, and programs that they use",
    "tools": "a program that the model could run",
}
