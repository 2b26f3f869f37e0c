"""The agent's part of each file, on top of what was committed before. Decides, and changes nothing.

For each edit there are three versions: what the agent found, what it left, and what is committed. Where those it found
and those committed are the same, what it left is committed. Where the user had changed the file meanwhile, the agent's
change alone is carried over, or the file is left out.
"""

import stat
from collections.abc import Callable, Iterable

from msgspec import Struct

from ferrule.host.versions import Version

FILE, PROGRAM, LINK, INNER = "100644", "100755", "120000", "160000"
"""The modes that git knows."""
Merge = Callable[[bytes, bytes, bytes], bytes | None]
"""Joins the change from the first to the third into the second; None where they are in each other's way."""


class Blob(Struct, frozen=True):
    """A file as git keeps it."""

    mode: str
    data: bytes


class LeftOutError(Exception):
    """Why a file is not committed, in words that follow on its name."""


def blob_of(version: Version, *, trusts_modes: bool, committed: str | None) -> Blob:
    """A file of the working tree as git would keep it; where it does not go by modes, the committed one stays."""
    if stat.S_ISLNK(version.mode):
        return Blob(LINK, version.data)
    if not trusts_modes:
        return Blob(committed if committed in {FILE, PROGRAM} else FILE, version.data)
    return Blob(PROGRAM if version.mode & stat.S_IXUSR else FILE, version.data)


def carried(edits: Iterable[tuple[Blob | None, Blob | None]], onto: Blob | None, *, merge: Merge) -> Blob | None:
    """What is committed once these edits, each from what was found to what was left, are carried over to it.

    Raises:
        LeftOutError: they cannot be, without what the user did.
    """
    for old, new in edits:
        onto = _carried(old, new, onto, merge)
    return onto


def _carried(old: Blob | None, new: Blob | None, onto: Blob | None, merge: Merge) -> Blob | None:
    if new in (onto, old):
        return onto
    if onto == old:
        return new
    if onto is None:
        raise LeftOutError("it was there before and is in no commit")
    if old is None:
        raise LeftOutError("you had deleted it")
    if new is None or LINK in {old.mode, new.mode, onto.mode}:
        raise LeftOutError("it had changes of yours")
    mode = onto.mode if old.mode == new.mode else new.mode
    if onto.data in {old.data, new.data} or old.data == new.data:
        return Blob(mode, onto.data if old.data == new.data else new.data)
    joined = merge(old.data, onto.data, new.data)
    if joined is None:
        raise LeftOutError("you had changed the same lines")
    return Blob(mode, joined)
