"""How many files of a working tree were edited since git last looked: read from git's index, without running git.

What is staged, and what git does not know yet, is not seen this way. Of an index that is large or strange nothing is
said.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from ferrule.context.peek import peek

_LARGEST = 262_144
"""Bytes of an index, some two thousand files: more would be felt at the start of a session."""
_LARGEST_FILE = 1_000_000
_MOST_READ = 50
"""Files that are read because their time alone has changed."""
_HEAD = 12
_FIXED = 62
_EXTENDED, _NOT_LOOKED_AT = 0x4000, 0x8000
_SPARSE_OR_INTENDED = 0x6000
_FILES = (stat.S_IFREG, stat.S_IFLNK)
"""What is looked at; there are also directories and repositories inside."""


class _Entry(Struct, frozen=True):
    """A file as git last saw it."""

    name: bytes
    mode: int
    size: int
    changed: tuple[int, int]
    id: bytes


def edited_files(root: Path, home: Path) -> int | None:
    """How many files differ from what git has of them; None where that cannot be said. Never raises."""
    try:
        data, size = peek(home / "index", _LARGEST)
        if size > _LARGEST:
            return None
        left = [entry for entry in _entries(data) if _looks_edited(root, entry)]
        return sum(_is_edited(root, entry) for entry in left) if len(left) <= _MOST_READ else None
    except (OSError, ValueError, IndexError):
        return None


def _entries(data: bytes) -> Iterator[_Entry]:
    """The files of an index of the second or third kind, whole and with ids of twenty bytes.

    Raises:
        ValueError: it is none, or names what lies outside of the tree.
    """
    version, count = int.from_bytes(data[4:8]), int.from_bytes(data[8:12])
    if data[:4] != b"DIRC" or version not in {2, 3} or data[-20:] != _sha1(data[:-20]):
        raise ValueError(version)
    at = _HEAD
    for _ in range(count):
        fixed = data[at : at + _FIXED]
        flags = int.from_bytes(fixed[60:62])
        more = int.from_bytes(data[at + _FIXED : at + _FIXED + 2]) if flags & _EXTENDED else 0
        start = at + _FIXED + (2 if flags & _EXTENDED else 0)
        end = data.index(b"\0", start)
        name = data[start:end]
        if not name or name.startswith(b"/") or b".." in name.split(b"/"):
            raise ValueError(name)
        at += (end - at + 8) // 8 * 8
        mode = int.from_bytes(fixed[24:28])
        if flags & _NOT_LOOKED_AT or more & _SPARSE_OR_INTENDED or stat.S_IFMT(mode) not in _FILES:
            continue
        times = int.from_bytes(fixed[8:12]), int.from_bytes(fixed[12:16])
        yield _Entry(name, mode, int.from_bytes(fixed[36:40]), times, fixed[40:60])


def _looks_edited(root: Path, entry: _Entry) -> bool:
    """Whether a file is not known to be as it was."""
    try:
        info = os.lstat(root / os.fsdecode(entry.name))
    except OSError:
        return True
    times = divmod(info.st_mtime_ns, 1_000_000_000)
    return times != entry.changed or info.st_size != entry.size or stat.S_IFMT(info.st_mode) != stat.S_IFMT(entry.mode)


def _is_edited(root: Path, entry: _Entry) -> bool:
    """Whether a file is another, or only its time is."""
    path = root / os.fsdecode(entry.name)
    try:
        if stat.S_ISLNK(entry.mode):
            return _id_of(os.fsencode(path.readlink())) != entry.id
        data, size = peek(path, _LARGEST_FILE)
    except OSError:
        return True
    return size > _LARGEST_FILE or entry.id not in {_id_of(data), _id_of(data.replace(b"\r\n", b"\n"))}


def _id_of(data: bytes) -> bytes:
    return _sha1(b"blob %d\0%s" % (len(data), data))


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()
