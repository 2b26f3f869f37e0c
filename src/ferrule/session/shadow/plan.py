"""What carrying a step over to the present files comes to, path by path. Decides, and touches nothing.

For each path there are three states: what the step left (`old`), what it should become (`new`), and what is there now.
Where nobody touched it since, it becomes `new`. Where someone did, the two changes are merged, or it stays as it is.
"""

import stat
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from ferrule.session.shadow.trees import Difference, Entry, name_of

Kind = Literal["added", "changed", "deleted", "mode", "type"]
Merge = Callable[[bytes, bytes, bytes], bytes | str]
"""Joins the change from the first to the third into the second: the bytes, or the text with the conflicts marked."""

DELETED_SINCE = "it was deleted since"
EDITED_SINCE = "it was changed since, so it stays"
OTHER_THERE = "something else is there now"
OVERLAPS = "it was changed since, in the same lines"
MODE_OVERLAPS = "its mode was changed since"


class Now(Struct, frozen=True):
    """What is at a path now."""

    entry: Entry | None = None
    data: bytes = b""
    stamp: tuple[int, ...] = ()


class Take(Struct, frozen=True):
    """The path becomes this: `data` where it is not what was recorded."""

    path: str
    entry: Entry | None
    now: Now
    data: bytes | None = None


class Refuse(Struct, frozen=True):
    """The path stays as it is."""

    path: str
    why: str
    marked: str = ""


Decision = Take | Refuse | None
"""`None`: it is already as it should be."""


def decide(one: Difference, now: Now, *, read: Callable[[bytes], bytes], merge: Merge) -> Decision:
    """Decide on one path."""
    path, old, new, here = one.path, one.old, one.new, now.entry
    if (old and old.is_folder) or (new and new.is_folder):
        return _decide_folder(path, old, new, now)
    if here == new:
        return None
    if here == old:
        return Take(path, new, now)
    if here is None:
        return Refuse(path, DELETED_SINCE)
    if new is None:
        return Refuse(path, EDITED_SINCE)
    if old is None or not (old.is_file and new.is_file and here.is_file):
        return Refuse(path, OTHER_THERE)
    return _join(path, old, new, now, here, read=read, merge=merge)


def kind_of(old: Entry | None, new: Entry | None) -> Kind:
    """What happens to a path, in a word."""
    if old is None:
        return "added"
    if new is None:
        return "deleted"
    if stat.S_IFMT(old.mode) != stat.S_IFMT(new.mode):
        return "type"
    return "mode" if old.id == new.id or new.is_folder else "changed"


def _decide_folder(path: str, old: Entry | None, new: Entry | None, now: Now) -> Decision:
    """A directory is what it holds; its own state matters only where it comes, goes or changes its mode."""
    here = now.entry
    was, is_, will = (bool(one and one.is_folder) for one in (old, here, new))
    if was and will:
        assert old
        assert new
        if here is None or not is_ or here.mode == new.mode:
            return None
        return Take(path, new, now) if here.mode == old.mode else Refuse(path, MODE_OVERLAPS)
    if (will and is_) or here == new:
        return None
    if (was and is_) or here == old or here is None:  # nothing: it may be that we were cut short between the two
        return Take(path, new, now)
    return Refuse(path, OTHER_THERE) if new else None  # what someone put in the place of what was made is theirs


def _join(
    path: str, old: Entry, new: Entry, now: Now, here: Entry, *, read: Callable[[bytes], bytes], merge: Merge
) -> Decision:
    """Join two changes of one file: mode and bytes each for themselves."""
    if len({old.mode, new.mode, here.mode}) == 3:
        return Refuse(path, MODE_OVERLAPS)
    mode = new.mode if here.mode == old.mode else here.mode
    if here.id in {old.id, new.id}:
        wanted = Entry(mode, new.id)
        return None if wanted == here else Take(path, wanted, now)
    if old.id == new.id:
        return None if mode == here.mode else Take(path, Entry(mode, here.id), now, now.data)
    joined = merge(read(old.id), now.data, read(new.id))
    if isinstance(joined, str):
        return Refuse(path, OVERLAPS, joined)
    return (
        None
        if joined == now.data and mode == here.mode
        else Take(path, Entry(mode, name_of(b"blob", joined)), now, joined)
    )
