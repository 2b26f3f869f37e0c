"""Where git keeps things in and below a directory: what git itself would find, without running it.

A repository steers the programs of whoever works in it, so all that is read here is doubted: a `.git` file may
point anywhere, and only what the place it points to confirms is believed.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

_LONGEST_POINTER = 8192
_LONGEST_CONFIG = 1_000_000
_MOST_DIRECTORIES = 10_000
_SHARE = 20
"""Looking around may take one part in so many of the time."""
_QUICK = 0.02
_MOST_MODULES = 256


class Repository(Struct, frozen=True):
    """One repository: where people work in it, and where git keeps it."""

    work: str
    """The directory with `.git` in it; for a bare one the git directory itself."""
    directory: str
    """The git directory, resolved; empty if `.git` leads nowhere."""


def repository_above(place: str) -> str:
    """The directory above a place whose repository the place belongs to; empty if it is none, or has one itself."""
    above = place
    while not os.path.lexists(f"{above}/.git"):
        if above in {"", "/"}:
            return ""
        above = above.rpartition("/")[0]
    return "" if above == place else above


class Repositories:
    """The repositories in a place, looked for again when there was time to; the place itself comes first."""

    def __init__(self, place: str, *, depth: int) -> None:
        self._place, self._depth = place, depth
        self._known: dict[str, tuple[int, list[str]]] = {}
        self._found: list[str] = []
        self._next_look = self._took = 0.0

    def look(self) -> list[Repository]:
        """Find them. In a large tree the look is not repeated with every command, or commands would wait for it."""
        return [Repository(work, git_directory(work)) for work in self.works()]

    def works(self, *, anew: bool = False) -> list[str]:
        """Where people work in them; `anew` looks again in any case, unless that would take long."""
        began = time.monotonic()
        if began >= self._next_look or (anew and self._took < _QUICK):
            self._found = self._search()
            ended = time.monotonic()
            self._took = ended - began
            self._next_look = ended + _SHARE * self._took
        return self._found

    def _search(self) -> list[str]:
        level, found, left = [self._place], [], _MOST_DIRECTORIES
        for depth in range(self._depth + 1):
            found += [path for path in level if _is_repository(path)]
            left -= len(level)
            if depth == self._depth or left <= 0:
                break
            level = [below for path in level for below in self._directories(path)][:left]
        return found

    def _directories(self, path: str) -> list[str]:
        """The directories in one, read again only if something was added or removed."""
        try:
            changed = os.stat(path).st_mtime_ns  # noqa: PTH116 - pathlib would double the time
            known = self._known.get(path)
            if known is None or known[0] != changed:
                with os.scandir(path) as entries:
                    below = [one.path for one in entries if one.name != ".git" and one.is_dir(follow_symlinks=False)]
                self._known[path] = known = (changed, below)
        except OSError:
            return []
        return known[1]


def git_directory(work: str) -> str:
    """Follow `.git`, or take a bare repository for what it is."""
    path = f"{work}/.git"
    if os.path.isfile(path):  # noqa: PTH113
        return pointed_to(path, "gitdir: ")
    if os.path.lexists(path):
        return os.path.realpath(path)
    return work if _is_bare(work) else ""


def pointed_to(file: str, word: str = "") -> str:
    """The path that a file consists of, resolved from where the file lies; empty if it holds none."""
    with suppress(OSError, ValueError):
        text = _text(file, _LONGEST_POINTER).rstrip("\r\n")
        if text.startswith(word) and len(text) > len(word):
            return os.path.realpath(os.path.join(os.path.dirname(file), text[len(word) :]))  # noqa: PTH118, PTH120
    return ""


def common_directory(directory: str) -> str:
    """The git directory that a worktree's git directory shares with others; its own if it shares none."""
    return pointed_to(f"{directory}/commondir") or directory


def is_confirmed(repository: Repository) -> bool:
    """Whether the place to which a `.git` file points knows of it, as that of a worktree or submodule does.

    Otherwise a file in a hostile project could make any directory look like part of it. A worktree has to stand in the
    list of the repository that it says to share: what the worktree itself says may be anybody's words.
    """
    directory, pointer = repository.directory, f"{repository.work}/.git"
    common = common_directory(directory)
    if common != directory:
        back, is_listed = pointed_to(f"{directory}/gitdir"), os.path.dirname(directory) == f"{common}/worktrees"  # noqa: PTH120
        return is_listed and back == os.path.realpath(pointer) and _is_bare(common)
    return _is_bare(directory) and _names_work_tree(directory, repository.work)


def modules(directory: str) -> Iterator[str]:
    """The git directories of the submodules; their names may have slashes in them."""
    level, left = [f"{directory}/modules"], _MOST_MODULES
    while level and left > 0:
        below: list[str] = []
        for path in level:
            with suppress(OSError), os.scandir(path) as entries:
                below += [one.path for one in entries if one.is_dir(follow_symlinks=False)]
        level = []
        for path in below[:left]:
            left -= 1
            if _is_bare(path):
                yield path
                level.append(f"{path}/modules")
            else:
                level.append(path)


def worktrees(directory: str) -> Iterator[str]:
    """The git directories of the further working trees."""
    with suppress(OSError), os.scandir(f"{directory}/worktrees") as entries:
        yield from (one.path for one in entries if one.is_dir(follow_symlinks=False))


def _is_repository(path: str) -> bool:
    return os.path.lexists(f"{path}/.git") or _is_bare(path)


def _is_bare(path: str) -> bool:
    return os.path.lexists(f"{path}/HEAD") and os.path.isdir(f"{path}/objects") and os.path.isdir(f"{path}/refs")  # noqa: PTH112


def _names_work_tree(directory: str, work: str) -> bool:
    """Whether a submodule's configuration says where its working tree is, and it is this one."""
    with suppress(OSError, ValueError):
        for line in _text(f"{directory}/config", _LONGEST_CONFIG).splitlines():
            key, _, value = line.strip().partition("=")
            if key.strip().lower() == "worktree":
                path = value.strip().strip('"')
                return os.path.realpath(os.path.join(directory, path)) == work  # noqa: PTH118
    return False


def _text(file: str, most: int) -> str:
    """The beginning of a file. A pipe of that name is not waited for: nobody may ever write into it."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.fsdecode(os.read(descriptor, most))
    finally:
        os.close(descriptor)
