"""Tells quickly where a large project may have changed since it was last looked at.

Git compares files with what an index says of their looks, many at a time and several times faster than Python does.
So an index of the last look is written for it, in git's format; directories are few, and are compared here. What was
looked at again since the index was written is looked at every time, until the index is written anew.
"""

import hashlib
import os
import stat
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from ferrule.core.errors import SessionError
from ferrule.session.shadow.git import Git
from ferrule.session.shadow.scan import Folder, Leaf
from ferrule.session.shadow.scope import Left

WORTH_IT = 1_000
"""Files from which on another process is quicker."""
_STALE = 500
_SECOND = 1_000_000_000
_ROW = struct.Struct(">10I20sH")
_LOW = 0xFFFFFFFF
_SUM = 20


class Saved(msgspec.Struct, array_like=True):
    """An index that was kept for another run."""

    mark: bytes = b""
    """Its checksum; nothing where there is none."""
    besides: list[str] = []


class Glance:
    """An index of the last look, and what to look at besides."""

    def __init__(self, git: Git, root: Path, index: Path) -> None:
        self._git = git
        self._root = root
        self._index = index
        self._besides: set[str] | None = None
        """Directories that the index does not know well; `None` while there is no index."""
        self._folders: dict[str, Folder] = {}
        """The directories by their paths; some that have gone may still be among them."""

    def suspects(self, top: Folder, *, seconds: float) -> set[str] | None:
        """The directories that may have changed, and all above them; `None` if that is everything, for all we know."""
        if self._besides is None:
            return None
        if not self._folders:
            self._folders = dict(folders_of(top))
        more = {"GIT_WORK_TREE": str(self._root), "GIT_INDEX_FILE": str(self._index)}
        try:
            with self._git.talk("diff-files", "--name-only", "-z", seconds=seconds, more=more) as (_, stdout):
                found = set(self._besides)
                found.update(path for path, folder in self._folders.items() if not self._looks_same(path, folder))
                found.update(os.fsdecode(path).rpartition("/")[0] for path in stdout.read().split(b"\0") if path)
        except SessionError:
            self._besides = None
            return None
        return _with_those_above(found)

    def note(self, top: Folder, looked: Iterable[str]) -> None:
        """Take in a new look. The index is written when there is none, or when too much has changed since.

        Raises:
            OSError: it cannot be written.
        """
        if self._besides is not None:
            for path in looked:
                self._besides.add(path)
                if folder := _at(top, path):
                    self._folders[path] = folder
        if self._git.program and (self._besides is None or len(self._besides) > _STALE):
            self._write(top)

    def save(self, place: Path) -> Saved:
        """Keep the index for another run, if that can be done, and say what has to be known besides."""
        if self._besides is not None:
            staged = self._index.with_suffix(".kept")
            with suppress(OSError):
                staged.hardlink_to(self._index)  # an index is never written twice
                staged.replace(place)
                return Saved(_mark(place), sorted(self._besides))
        return Saved()

    def load(self, place: Path, saved: Saved) -> None:
        """Take over the index of another run, if it is the one that was saved."""
        if saved.mark:
            with suppress(OSError):
                self._index.hardlink_to(place)
                self._besides = set(saved.besides) if _mark(self._index) == saved.mark else None

    def close(self) -> None:
        """Leave nothing behind."""
        self._index.unlink(missing_ok=True)
        self._besides = None
        self._folders = {}

    def _looks_same(self, path: str, folder: Folder) -> bool:
        try:
            info = os.lstat(f"{self._root}/{path}")
        except OSError:
            return False
        seen = (info.st_mtime_ns, info.st_ctime_ns)  # with any other change this one changes as well
        return folder.stamp[:2] == seen and folder.settled

    def _write(self, top: Folder) -> None:
        files = sorted((os.fsencode(path), leaf) for path, leaf in _leaves(top))
        if len(files) < WORTH_IT:
            return
        rows = b"".join(_row(path, leaf) for path, leaf in files)
        data = b"DIRC" + struct.pack(">II", 2, len(files)) + rows
        staged = self._index.with_suffix(".new")
        staged.write_bytes(data + _checksum(data))
        staged.rename(self._index)
        self._folders = dict(folders_of(top))
        self._besides = {path for path, folder in self._folders.items() if _is_doubtful(folder)}


def _is_doubtful(folder: Folder) -> bool:
    """Whether something in it is not in the index, or was last seen within the second in which it had changed.

    Many builds of git look at whole seconds only.
    """
    return any(
        (isinstance(node, Leaf) and node.stamp[1] // _SECOND >= node.seen // _SECOND)
        or (isinstance(node, Left) and node.shows)
        for node in folder.nodes.values()
    )


def folders_of(top: Folder) -> Iterator[tuple[str, Folder]]:
    """Every directory with its path, those above first."""
    waiting = [("", top)]
    while waiting:
        path, folder = waiting.pop()
        yield path, folder
        prefix = f"{path}/" if path else ""
        waiting += [(prefix + name, node) for name, node in folder.nodes.items() if isinstance(node, Folder)]


def _at(top: Folder, path: str) -> Folder | None:
    here = top
    for name in path.split("/") if path else ():
        below = here.nodes.get(name)
        if not isinstance(below, Folder):
            return None
        here = below
    return here


def _leaves(top: Folder) -> Iterator[tuple[str, Leaf]]:
    for path, folder in folders_of(top):
        prefix = f"{path}/" if path else ""
        for name, node in folder.nodes.items():
            if isinstance(node, Leaf):
                yield prefix + name, node


def _with_those_above(paths: Iterable[str]) -> set[str]:
    closed = {""}
    for path in paths:
        while path not in closed:
            closed.add(path)
            path = path.rpartition("/")[0]  # noqa: PLW2901 - it climbs
    return closed


def _row(path: bytes, leaf: Leaf) -> bytes:
    """One entry of an index, version 2: looks, id, and the name padded to eight bytes."""
    mtime, ctime, size, inode, mode, user, group = leaf.stamp
    kind = 0o120000 if stat.S_ISLNK(mode) else 0o100755 if mode & 0o100 else 0o100644
    changed, written = divmod(ctime, _SECOND), divmod(mtime, _SECOND)
    looks = (*changed, *written, 0, inode, kind, user, group, size)
    row = _ROW.pack(*(number & _LOW for number in looks), leaf.id, min(len(path), 0xFFF)) + path
    return row + b"\0" * (8 - len(row) % 8)


def _mark(index: Path) -> bytes:
    with index.open("rb") as file:
        file.seek(-_SUM, os.SEEK_END)
        return file.read()


def _checksum(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()
