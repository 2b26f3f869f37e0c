"""What a directory held, in the form of git's tree objects, and how two of them differ.

Three liberties are taken with git's form, all of which git itself reads without complaint: modes are kept whole and
not only the executable bit, empty directories are kept, and what was left out of a record stands in it as a mark of
the kind by which git names a submodule. So a file that was left out is never mistaken for one that was not there.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

LEFT_OUT = 0o160000
EMPTY_TREE = bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904")

EMPTY_FILE = bytes.fromhex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")


class Entry(Struct, frozen=True):
    """A name's content: its type and mode bits, and the id of its bytes."""

    mode: int
    id: bytes

    @property
    def is_folder(self) -> bool:
        """Whether it is a directory."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        """Whether it is a plain file."""
        return stat.S_ISREG(self.mode)

    @property
    def is_left_out(self) -> bool:
        """Whether something was there that was not recorded."""
        return self.mode == LEFT_OUT


class Difference(Struct, frozen=True):
    """A path that two records do not agree on; `None` where it was not there."""

    path: str
    old: Entry | None
    new: Entry | None


def name_of(kind: bytes, data: bytes) -> bytes:
    """The id that git gives to these bytes."""
    return hashlib.sha1(b"%s %d\0%s" % (kind, len(data), data), usedforsecurity=False).digest()


def encode(entries: Mapping[str, Entry]) -> bytes:
    """The bytes of a tree object."""
    rows = [(os.fsencode(name), entry) for name, entry in entries.items()]
    rows.sort(key=lambda row: row[0] + b"/" if row[1].is_folder else row[0])
    return b"".join(b"%o %s\0%s" % (entry.mode, name, entry.id) for name, entry in rows)


def decode(data: bytes) -> dict[str, Entry]:
    """The entries of a tree object.

    Raises:
        ValueError: it is none.
    """
    entries: dict[str, Entry] = {}
    start = 0
    while start < len(data):
        space = data.index(b" ", start)
        end = data.index(b"\0", space)
        name, mode = os.fsdecode(data[space + 1 : end]), int(data[start:space], 8)
        if name in {"", ".", ".."} or "/" in name or (name.casefold() == ".git" and mode != LEFT_OUT):
            raise ValueError(name)  # no record of ours leads out of the project, or into its repository
        entries[name] = Entry(mode, data[end + 1 : end + 21])
        start = end + 21
    return entries


def differences(before: bytes, after: bytes, read: Callable[[bytes], bytes]) -> Iterator[Difference]:
    """Where two trees differ, a directory always before what is in it."""
    yield from _differences("", before, after, read)


def _differences(prefix: str, before: bytes, after: bytes, read: Callable[[bytes], bytes]) -> Iterator[Difference]:
    if before == after:
        return
    olds, news = decode(read(before)), decode(read(after))
    for name in sorted({*olds, *news}):
        old, new = olds.get(name), news.get(name)
        if old == new:
            continue
        path = prefix + name
        if not (old and new and old.is_folder and new.is_folder and old.mode == new.mode):
            yield Difference(path, old, new)
        if any(entry and entry.is_left_out for entry in (old, new)):
            continue  # what is in it is unknown on one side, and so are the differences
        yield from _differences(path + "/", _inside(old), _inside(new), read)


def _inside(entry: Entry | None) -> bytes:
    return entry.id if entry and entry.is_folder else EMPTY_TREE


def plant(files: Mapping[str, Entry | None], put: Callable[[bytes], bytes]) -> bytes:
    """Make trees that hold just these files, and give the id of the topmost."""
    nested: dict[str, dict[str, Entry | None]] = {}
    entries: dict[str, Entry] = {}
    for path, entry in files.items():
        name, _, rest = path.partition("/")
        if rest:
            nested.setdefault(name, {})[rest] = entry
        elif entry and not entry.is_folder and not entry.is_left_out:
            entries[name] = entry
    for name, inside in nested.items():
        id_ = plant(inside, put)
        if id_ != EMPTY_TREE:
            entries[name] = Entry(stat.S_IFDIR, id_)
    return put(encode(entries))
