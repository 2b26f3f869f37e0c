"""Shows and merges recorded bytes: by git, or as well as it goes without."""

import difflib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ferrule.host.files import shown
from ferrule.session.shadow.git import Git
from ferrule.session.shadow.trees import Difference, Entry

LONGEST = 2_000_000
"""Bytes of a diff, or of a file with its conflicts marked."""
_SECONDS = 30.0
_FLAGS = ("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--find-renames", "--root")


class _EnoughError(Exception):
    """There is more than anybody reads."""


def merge(git: Git, base: bytes, ours: bytes, theirs: bytes) -> bytes | str:
    """Join the change from `base` to `theirs` into `ours`: the bytes, or the text with the conflicts marked.

    Raises:
        SessionError: git failed at it.
    """
    if git.program is None or b"\0" in base + ours + theirs:
        return ""
    staged = [_stage(git.store, data) for data in (ours, base, theirs)]
    try:
        labels = ("-L", "now", "-L", "as the step left it", "-L", "as it should become")
        command = ("merge-file", "-p", "-q", *labels, *map(str, staged))
        code, text = git.run(*command, seconds=_SECONDS, codes=(*range(128), 255))
    finally:
        for path in staged:
            path.unlink(missing_ok=True)
    if code == 0:
        return text
    return "" if code == 255 else text.decode("utf-8", "replace")[:LONGEST]


def show(git: Git, old: bytes, new: bytes, found: list[Difference], read: Callable[[bytes], bytes]) -> str:
    """A unified diff between two records.

    Raises:
        SessionError: git failed at it, or a part of a record is missing.
    """
    if git.program:
        text = _by_git(git, old, new)
    else:
        text = "".join(_plain(one, read) for one in found if _is_file(one.old) or _is_file(one.new))
    if len(text) > LONGEST:
        return f"{text[:LONGEST].rpartition(chr(10))[0]}\n... and more, which is not shown.\n"
    return text + "".join(map(_mode, found))


def _by_git(git: Git, old: bytes, new: bytes) -> str:
    output = b""
    line = git.talk("diff-tree", "-r", "-p", *_FLAGS, old.hex(), new.hex(), seconds=_SECONDS)
    with suppress(_EnoughError), line as (_, stdout):
        output = stdout.read(4 * LONGEST)
        if stdout.read(1):
            raise _EnoughError
    return output.decode("utf-8", "replace")


def _stage(folder: Path, data: bytes) -> Path:
    path = folder / f"merge-{os.urandom(8).hex()}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return path


def _is_file(entry: Entry | None) -> bool:
    return bool(entry and not entry.is_folder and not entry.is_left_out)


def _mode(one: Difference) -> str:
    """The mode bits that git does not show."""
    if not one.old or not one.new or one.old.mode == one.new.mode or one.old.is_left_out or one.new.is_left_out:
        return ""
    if one.old.mode & 0o100 != one.new.mode & 0o100 and one.old.is_file and one.new.is_file:
        return ""
    return f"mode of {shown(Path(one.path))}: {one.old.mode:o} -> {one.new.mode:o}\n"


def _plain(one: Difference, read: Callable[[bytes], bytes]) -> str:
    """A diff of one file without git."""
    path = shown(Path(one.path))
    sides = [read(entry.id) if entry and _is_file(entry) else b"" for entry in (one.old, one.new)]
    if any(b"\0" in side for side in sides):
        return f"Binary files a/{path} and b/{path} differ\n"
    with suppress(RecursionError):
        old, new = (side.decode("utf-8", "replace").splitlines(keepends=True) for side in sides)
        names = f"a/{path}" if one.old else os.devnull, f"b/{path}" if one.new else os.devnull
        lines = difflib.unified_diff(old, new, names[0], names[1])
        return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)
    return ""
