"""What two records differ in, or what was done to the files, told to a person path by path."""

from bisect import bisect
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from ferrule.core.messages import Value
from ferrule.host.files import shown
from ferrule.session.shadow.plan import Kind, Take, kind_of
from ferrule.session.shadow.restore import Outcome
from ferrule.session.shadow.trees import EMPTY_FILE, Difference, Entry

_NOT_RECORDED = "it was not recorded (too large, unreadable, or made by other programs), so it stays as it is"


class Change(Value, frozen=True, kw_only=True):
    """What happened, or would happen, to one path. A directory's name ends with a slash."""

    path: str
    kind: Kind | Literal["renamed"]
    was: str = ""
    """The name before, of what was renamed."""


class Conflict(Value, frozen=True, kw_only=True):
    """A path that was left as it is, and why."""

    path: str
    why: str
    marked: str = ""
    """The file as it would be, with the conflicts marked; nothing for what is no text."""


class Applied(Value, frozen=True, kw_only=True):
    """What came of carrying steps over to the present files."""

    changed: tuple[Change, ...] = ()
    merged: tuple[str, ...] = ()
    """Those of the changed paths in which someone's later edit lives on."""
    conflicts: tuple[Conflict, ...] = ()
    left_out: tuple[Conflict, ...] = ()
    """What the steps changed but no record holds, such as large files."""


Row = tuple[Change, bytes, bytes]
"""A change with the ids by which a renamed file is known."""


def applied(done: Outcome) -> Applied:
    """Tell what came of it."""
    return Applied(
        changed=told(of_take(one) for one in done.taken),
        merged=tuple(_name(one.path) for one in done.taken if one.data is not None),
        conflicts=tuple(Conflict(path=_name(one.path), why=one.why, marked=one.marked) for one in done.refused),
        left_out=tuple(Conflict(path=_name(one.path), why=_NOT_RECORDED) for one in done.left_out),
    )


def _name(path: str) -> str:
    return shown(Path(path))


def told(changes: Iterable[Row | None]) -> tuple[Change, ...]:
    """Changes in the order of their paths; what went here and came there with the same bytes was renamed."""
    rows = [row for row in changes if row]
    gone = {old: change for change, old, _ in rows if change.kind == "deleted" and old}
    rest: list[Change] = []
    moved: set[str] = set()
    for change, _, new in rows:
        was = gone.pop(new, None) if change.kind == "added" else None
        if was:
            moved.add(was.path)
        rest.append(Change(path=change.path, kind="renamed", was=was.path) if was else change)
    paths = sorted(change.path for change in rest)
    kept = [change for change in rest if change.path not in moved and not _is_implied(change, paths)]
    return tuple(sorted(kept, key=lambda change: change.path))


def _is_implied(change: Change, paths: list[str]) -> bool:
    """Whether a directory came or went only with what is in it."""
    if not change.path.endswith("/") or change.kind not in {"added", "deleted"}:
        return False
    following = bisect(paths, change.path)
    return following < len(paths) and paths[following].startswith(change.path)


def of_difference(one: Difference) -> Row | None:
    """What differs at a path."""
    return _row(one.path, one.old, one.new)


def of_take(one: Take) -> Row | None:
    """What is done to a path."""
    return _row(one.path, one.now.entry, one.entry)


def _row(path: str, old: Entry | None, new: Entry | None) -> Row | None:
    there = new or old
    if there is None or any(one and one.is_left_out for one in (old, new)):
        return None
    if there.is_folder:
        return Change(path=_name(path) + "/", kind=kind_of(old, new)), b"", b""
    kind = kind_of(old, new)
    ids = [one.id if one and one.is_file and one.id != EMPTY_FILE else b"" for one in (old, new)]
    return Change(path=_name(path), kind=kind), ids[0], ids[1]
