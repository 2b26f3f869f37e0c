"""The branch of a working tree, read from git's own files: asking git would start a process."""

import os
import stat
from pathlib import Path

_LONGEST = 4_096


def branch_of(directory: Path) -> str:
    """The branch, a short commit where there is none, or nothing outside a repository."""
    for place in (directory, *directory.parents):
        git = place / ".git"
        if git.is_dir():
            return _head(git)
        if git.is_file():
            return _head(place / _first_line(git).removeprefix("gitdir:").strip())
    return ""


def _head(git: Path) -> str:
    head = _first_line(git / "HEAD")
    name = head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else head[:8]
    return "".join(char for char in name if char.isprintable())[:60]


def _first_line(path: Path) -> str:
    """The first line of a file; a pipe in its place is not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return file.readline(_LONGEST).decode("utf-8", "replace").strip() if is_file else ""
