"""A directory as a plain value, and a plain model of what carrying a step over to it should give."""
# Names may be no text, so paths are bytes here.
# ruff: noqa: PTH115, PTH118, PTH123

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
Item = tuple[str, int, bytes]
"""Kind (`file`, `link`, `folder`), mode bits, bytes or target."""
State = dict[str, Item]

SECTIONS = 4
_BETWEEN = "".join(f"-- line {number} that nobody changes --\n" for number in range(8)).encode()


def state_of(root: Path) -> State:
    """All that is in a directory: names, kinds, modes, bytes."""
    state: State = {}
    for folder, folders, files in os.walk(os.fsencode(root)):
        if b".git" in folders:
            folders.remove(b".git")
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            info = os.lstat(path)
            key = os.fsdecode(os.path.relpath(path, os.fsencode(root)))
            if stat.S_ISLNK(info.st_mode):
                state[key] = ("link", 0, os.readlink(path))
            elif stat.S_ISDIR(info.st_mode):
                state[key] = ("folder", stat.S_IMODE(info.st_mode), b"")
            elif stat.S_ISREG(info.st_mode):
                with open(path, "rb") as file:
                    state[key] = ("file", stat.S_IMODE(info.st_mode), file.read())
    return state


def text_of(*sections: str) -> bytes:
    """A text of sections so far apart that changes in two of them never touch."""
    return _BETWEEN.join(f"{section}\n".encode() for section in sections)


def sections_of(data: bytes) -> list[bytes] | None:
    """The sections of such a text; nothing if it is none."""
    parts = data.split(_BETWEEN)
    plain = len(parts) == SECTIONS and all(part.count(b"\n") == 1 and b"\0" not in part for part in parts)
    return parts if plain else None


def carried(now: State, frm: State, to: State) -> tuple[State, set[str]]:
    """What the files should be after a step is carried over to them, and which paths are in conflict."""
    takes: dict[str, Item | None] = {}
    conflicts: set[str] = set()
    for path in sorted({*frm, *to}):
        old, new, here = frm.get(path), to.get(path), now.get(path)
        if old == new:
            continue
        barred = [above for above in _above(path) if above in now and now[above][0] != "folder"]
        if barred and not any((item := takes.get(above)) and item[0] == "folder" for above in barred):
            conflicts |= {path} if new else set()
            continue
        if barred:
            here = None
        verdict = _verdict(old, new, here)
        if verdict == "conflict":
            conflicts.add(path)
        elif not isinstance(verdict, str):
            takes[path] = verdict
    return _carry_out(now, takes, conflicts), conflicts


def _verdict(old: Item | None, new: Item | None, here: Item | None) -> Item | str | None:
    kinds = [one[0] if one else "" for one in (old, new, here)]
    if "folder" in kinds[:2]:
        return _verdict_on_folder(old, new, here, kinds)
    if here == new:
        return "leave"
    if here == old:
        return new
    if kinds != ["file"] * 3 or not (old and new and here):
        return "conflict"
    mode = _one_of(old[1], new[1], here[1])
    data = _one_of(old[2], new[2], here[2])
    if data is None:
        data = _merged(*(sections_of(one[2]) for one in (old, new, here)))
    if mode is None or data is None:
        return "conflict"
    return "leave" if (mode, data) == here[1:] else ("file", mode, data)


def _verdict_on_folder(old: Item | None, new: Item | None, here: Item | None, kinds: list[str]) -> Item | str | None:
    if kinds[:2] == ["folder", "folder"]:
        assert old
        assert new
        if here is None or kinds[2] != "folder" or here[1] == new[1]:
            return "leave"
        return new if here[1] == old[1] else "conflict"
    if (kinds[1] == kinds[2] == "folder") or here == new:
        return "leave"
    if (kinds[0] == kinds[2] == "folder") or here in {old, None}:
        return new
    return "leave" if new is None else "conflict"


def _merged(old: list[bytes] | None, new: list[bytes] | None, here: list[bytes] | None) -> bytes | None:
    if not (old and new and here):
        return None
    joined = [_one_of(*three) for three in zip(old, new, here, strict=True)]
    known = [one for one in joined if one is not None]
    return _BETWEEN.join(known) if len(known) == len(joined) else None


def _one_of(old: T, new: T, here: T) -> T | None:
    return new if here in (old, new) else here if old == new else None


def _carry_out(now: State, takes: dict[str, Item | None], conflicts: set[str]) -> State:
    out = dict(now)
    for path, item in takes.items():
        if out.get(path, ("",))[0] != "folder" and (item is None or item[0] == "folder"):
            out.pop(path, None)
    for path in sorted(takes, reverse=True):
        item = takes[path]
        if path in now and now[path][0] == "folder" and (item is None or item[0] != "folder"):
            if not any(one.startswith(path + "/") for one in out):
                out.pop(path)
            elif item is not None:
                conflicts.add(path)
                takes[path] = now[path]
    for path, item in takes.items():
        if item is not None:
            for above in _above(path):
                out.setdefault(above, ("folder", 0o755, b""))
            out[path] = item
    return out


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
