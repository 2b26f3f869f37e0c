"""What makes a directory a repository to git: it stays where it was, and does not come about where it was not.

Git goes by three names. Where `HEAD`, `objects` or `refs` is missing from `.git`, or is not what it should be, git
takes the directory around it for a bare repository, if that looks like one; and then obeys the `config` in there, past
all that protects `.git/config`. No mount holds `HEAD`, which git itself replaces all the time: so these names are
looked at when a command ended.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from ferrule.core.regex import lazy
from ferrule.host.sandbox.mend import Directory, File, Link, Mender, Node, look
from ferrule.host.sandbox.newborn import Newborn, attempt
from ferrule.host.sandbox.protect import Standing
from ferrule.host.sandbox.restore import Hands

_LONGEST_HEAD = 4096
_HEAD = lazy(rb"ref:\s*refs/|[0-9a-fA-F]{40}")
_USABLE = stat.S_IRUSR | stat.S_IXUSR


class _Kept(Struct, frozen=True):
    """Something that git knows a git directory by, as it was when a command began."""

    place: str
    inner: str
    """Its path in the place."""
    node: Node


class Foundations:
    """The repositories in some places, as they were when a command began."""

    def __init__(self, standings: Iterable[Standing], *, keep_in: Path) -> None:
        """Note what git knows them by, and which directories are none."""
        standings = list(standings)
        self._keep_in = keep_in
        with Hands() as hands:
            self._kept = [kept for one in standings for kept in _note(hands, one)]
        around = (_around(one) for one in standings)
        self._none = [path for paths in around for path in dict.fromkeys(paths) if not looks_bare(path)]

    def put_right(self) -> tuple[str, ...]:
        """Make everything as it was as far as git goes by it, and say what was not."""
        findings: dict[str, list[str]] = {}
        mender = Mender(self._keep_in / os.urandom(4).hex(), findings, is_hasty=False)
        for kept in self._kept:
            above, _, name = kept.inner.rpartition("/")
            with Hands() as hands, suppress(OSError):  # a directory that is gone has no names in it
                directory = hands.directory(kept.place, above)
                if not _holds(directory, name, kept.node):
                    mender.mend(directory, name, kept.node, path=f"{kept.place.rstrip('/')}/{kept.inner}")
        notes = [f"What git needs, and the command {words}: {', '.join(paths)}" for words, paths in findings.items()]
        for path in self._none:
            if looks_bare(path):
                notes += attempt(Newborn(path, keep_in=self._keep_in).put_right_bare)
        return tuple(notes)


def looks_bare(path: str) -> bool:
    """Whether git might take a directory for a repository, all by itself."""
    if not os.path.lexists(f"{path}/HEAD"):
        return False
    return os.path.lexists(f"{path}/commondir") or all(
        os.path.lexists(f"{path}/{name}") for name in ("objects", "refs")
    )


def _around(standing: Standing) -> Iterator[str]:
    """The directories that git would look at next, should it find no repository in `.git`."""
    if os.path.isdir(standing.open[0]):  # noqa: PTH112
        yield standing.open[0]
    yield from (path.removesuffix("/.git") for path in standing.firm if path.endswith("/.git"))


def _note(hands: Hands, standing: Standing) -> Iterator[_Kept]:
    for path in standing.firm:
        place = max((one for one in standing.open if f"{path}/".startswith(one.rstrip("/") + "/")), key=len, default="")
        top = path[len(place.rstrip("/")) + 1 :]
        for inner in (top, *(f"{top}/{name}".lstrip("/") for name in ("HEAD", "objects", "refs"))):
            above, _, name = inner.rpartition("/")
            with suppress(OSError):
                directory = hands.directory(place, above) if place and name else -1
                node = look(directory, name, room=_LONGEST_HEAD) if name else None
                if node and _holds(directory, name, node):
                    yield _Kept(place, inner, node)


def _holds(directory: int, name: str, before: Node) -> bool:
    """Whether git would still take something for what it was: any `HEAD`, and any directory that can be entered."""
    if name == "HEAD":
        return _is_head(look(directory, name, room=_LONGEST_HEAD))
    try:
        found = os.stat(name, dir_fd=directory)
    except OSError:
        return False
    is_usable = os.geteuid() == 0 or found.st_mode & _USABLE == _USABLE
    return stat.S_ISDIR(found.st_mode) and is_usable and isinstance(before, Directory | Link)


def _is_head(node: Node | None) -> bool:
    match node:
        case File(data=bytes(data)):
            return _HEAD.match(data) is not None
        case Link(target=target):
            return target.startswith("refs/")
    return False
