"""What may be touched on this machine: one object for the file tools, for shell commands and for the sandbox.

The path asked for, what every link on the way makes of it, and the path it really is are judged alike; the worst of
them counts, and a path that cannot be followed is blocked. Denials compare names as the most forgiving file system
would; permissions compare them exactly.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec.structs import force_setattr, replace

from ferrule.core.messages import Value
from ferrule.core.regex import lazy
from ferrule.policy.blocked import Blocked, spellings
from ferrule.policy.names import ENVIRONMENT_EXAMPLES, READABLE_FILES, READABLE_PLACES, SINKS, SOURCES
from ferrule.policy.nametree import folded
from ferrule.policy.protected import protection
from ferrule.policy.trail import LostError, Trail, follow, normal

Use = Literal["read", "list", "write"]
"""What is done with a path: its content is seen, its name and the names in it are seen, or it is changed."""
Level = Literal["free", "outside", "protected", "blocked"]
"""What is free needs no leave, what lies outside or is protected needs it, what is blocked is never touched."""
_RANK: dict[Level, int] = {"free": 0, "outside": 1, "protected": 2, "blocked": 3}
_SPECIAL = lazy(r"[*?\[\\]")


class Standing(Value, frozen=True):
    """How a path stands: the level, the path that decided it, and why, in words that follow on the path."""

    level: Level
    path: str
    reason: str = ""
    hard: bool = False
    """Whether nobody can allow it: what is blocked, git directories, Ferrule's own files."""
    end: str = ""
    """Where the path led when it was judged, if that is another path than the one that decided."""

    @property
    def weight(self) -> tuple[int, bool]:
        """By which the worse of two is found."""
        return _RANK[self.level], self.hard


class Places(Value, frozen=True, kw_only=True):
    """The places of one session, fixed when it starts."""

    root: Path
    """The project."""
    home: Path
    added: tuple[Path, ...] = ()
    """Further directories that count as the project's."""
    blocked: tuple[str, ...] = ()
    """The user's own blocked paths: absolute, `~/…` or below the project, with `*`, `?`, `[…]` and `**`.

    A name without a slash is blocked at any depth of the project.
    """
    own: tuple[Path, ...] = ()
    """Ferrule's own directories and files, blocked for reading too."""
    open: tuple[Path, ...] = ()
    """What may be read all the same in those, such as the outputs of this session."""
    scratch: tuple[Path, ...] = ()
    """Temporary directories of this session, which it may write to."""

    _roots: tuple[str, ...] = ()
    _open: tuple[str, ...] = ()
    _blocked: Blocked | None = None

    def __post_init__(self) -> None:
        given = [os.fspath(path) for path in (self.root, *self.added, *self.scratch)]
        roots = [one for path in given for one in spellings(path)]
        own, shown = ([one for path in paths for one in spellings(os.fspath(path))] for paths in (self.own, self.open))
        force_setattr(self, "_roots", tuple(f"{path.rstrip('/')}/" for path in sorted(roots, key=len, reverse=True)))
        force_setattr(self, "_open", tuple(f"{path}/" for path in shown))
        blocked = Blocked(
            home=os.fspath(self.home), own=own, shown=shown, patterns=tuple(self._patterns()), given=given
        )
        force_setattr(self, "_blocked", blocked)

    def standing(self, path: str, use: Use, *, directory: str | None = None, shell: bool = False) -> Standing:
        """Say how a path stands, as it was written; a relative one starts in `directory`, or in the project.

        With `shell` it is a confined command that would touch it, and one that is known to do nothing else.
        """
        found = self._followed(self.absolute(path, directory), use, shell=shell)
        if shell and path.startswith("~"):  # a shell has put in the home directory already, unless it was quoted
            literal = self._followed(self.absolute(f"./{path}", directory), use, shell=shell)
            return _worse(found, literal)
        return found

    def absolute(self, path: str, directory: str | None = None) -> str:
        """A path from `/` on, as the file tools understand it; links and dots in it stay."""
        if path == "~" or path.startswith("~/"):
            return f"{self.home}{path[1:]}"
        if path.startswith("~"):
            path = os.path.expanduser(path)  # noqa: PTH111 - a Path would tidy it up
        return path if path.startswith("/") else f"{directory or self.root}/{path}"

    def masks(self) -> tuple[Path, ...]:
        """Files and directories that are there now and blocked, and could be read if a sandbox did not hide them.

        A link is as good as what it leads to, unless that is a device or holds the project itself. Ferrule's own
        directories are named even if the project or what is open lies in one: that has to be laid over them.
        """
        kept: list[str] = []
        there = {os.path.realpath(one) for one in self._secrets.there()}
        for path in sorted(there, key=lambda one: one.split("/")):
            if not (kept and path.startswith(f"{kept[-1]}/")) and self._is_maskable(path):
                kept.append(path)
        return tuple(map(Path, kept))

    def _is_maskable(self, path: str) -> bool:
        given = [f"{os.path.realpath(one)}/" for one in (self.root, *self.added)]
        above = [one for one in given if one.startswith(f"{path}/")]
        is_own = path in map(os.path.realpath, self.own) and f"{path}/" not in given
        return (is_own or not above) and not path.startswith(("/dev/", "/proc/")) and os.access(path, os.R_OK)

    def hidden(self, directory: str) -> list[str]:
        """The blocked paths below a directory that are there now, as seen from it."""
        return self._secrets.hidden(directory)

    def odd(self, directory: str, paths: Sequence[str]) -> Sequence[str]:
        """Those of many paths below a directory that have to be judged one by one, by a quick look at their names.

        All others may be read if the directory may be, and if none of them leads through a link.
        """
        return self._secrets.odd(directory, paths)

    @property
    def _secrets(self) -> Blocked:
        assert self._blocked is not None
        return self._blocked

    def _followed(self, full: str, use: Use, *, shell: bool) -> Standing:
        if shell and _is_stream(named := normal(full), use):
            return Standing("free", named)
        try:
            trail = follow(full)
        except LostError as lost:
            nowhere = Standing("blocked", _tidy(full), f"it cannot be followed to its end: {lost}", hard=True)
            found = self._named(nowhere.path, use, shell=shell)
            return found if found.level == "blocked" else nowhere
        worst = self._named(trail.paths[0], use, shell=shell)
        for path in trail.paths[1:]:
            worst = _worse(worst, self._named(path, use, shell=shell))
        worst = _worse(worst, self._reached(trail, use))
        return worst if worst.path == trail.end else replace(worst, end=trail.end)

    def _named(self, path: str, use: Use, *, shell: bool) -> Standing:
        """How a path stands by its name alone."""
        low = folded(path)
        parts = low[1:].split("/") if len(low) > 1 else []
        root = self._root_of(path)
        if reason := self._secrets.reason(path, parts, root=root, reading=use != "write"):
            return Standing("blocked", path, reason, hard=True)
        below = parts if root is None else parts[root.count("/") - 1 :]
        if use == "write" and (found := protection(path, below, root=root)):
            return Standing("protected", path, found.reason, found.hard)
        free = root is not None or (use != "write" and f"{path}/".startswith(self._open))
        if free or (shell and _is_common(path, use)):
            return Standing("free", path)
        return Standing("outside", path, "it lies outside the project")

    def _reached(self, trail: Trail, use: Use) -> Standing:
        """How a path stands by what it really is."""
        end, info = trail.end, trail.info
        mode = info.st_mode if info else 0
        if secret := self._secrets.met(trail.passed):
            return Standing("blocked", end, f"it is {secret} under another name, a blocked path", hard=True)
        if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            kind = "a device" if stat.S_ISBLK(mode) else "a socket"
            return Standing("blocked", end, f"it is {kind}", hard=True)
        if info and stat.S_ISREG(mode) and info.st_nlink > 1:
            if self._secrets.twin(info):
                return Standing("blocked", end, "it is a blocked file under another name", hard=True)
            if use == "write":
                return Standing("outside", end, "it has other names (hard links), which may lie outside the project")
        if use != "list" and not stat.S_ISDIR(mode) and any(map(_is_environment, trail.paths)):
            return Standing("outside", end, "it is likely to hold secrets")
        return Standing("free", end)

    def _root_of(self, path: str) -> str | None:
        """The innermost of the given directories in which a path lies, with a slash behind it."""
        full = f"{path}/"
        return next((root for root in self._roots if full.startswith(root)), None)

    def _patterns(self) -> Iterator[str]:
        """The user's blocked paths as absolute patterns."""
        for pattern in self.blocked:
            text = pattern.removesuffix("/**").rstrip("/")
            if not text or text.startswith("/"):
                yield normal(text or "/")
            elif text == "~" or text.startswith("~/"):
                yield normal(_literal(os.fspath(self.home)) + text[1:])
            else:
                below = text if "/" in pattern.rstrip("/") else f"**/{text}"
                for root in spellings(os.fspath(self.root)):
                    yield normal(f"{_literal(root)}/{below}")


def _literal(path: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", path)


def _tidy(path: str) -> str:
    return normal(path.replace("\0", "\ufffd")).encode("utf-8", "replace").decode()


def _worse(one: Standing, other: Standing) -> Standing:
    return other if other.weight > one.weight else one


def _is_environment(path: str) -> bool:
    name = folded(path.rpartition("/")[2])
    return name == ".env" or (name.startswith(".env.") and name.rpartition(".")[2] not in ENVIRONMENT_EXAMPLES)


def _is_stream(path: str, use: Use) -> bool:
    """Whether it is no file but a way to what a command has already, or to nowhere."""
    if use == "write":
        return path in SINKS
    return path in SOURCES or (path.startswith("/dev/fd/") and path[8:].isdigit())


def _is_common(path: str, use: Use) -> bool:
    """Whether every command that only reads may see it, although it lies outside the project."""
    if use == "read" and path.startswith("/proc/") and path.count("/") > 2:
        return True  # what is not blocked there tells how the machine is, and no more
    return use == "list" or (use == "read" and (path in READABLE_FILES or f"{path}/".startswith(READABLE_PLACES)))
