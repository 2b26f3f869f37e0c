"""The branch of a working tree, read from git's own files: asking git would start a process."""

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
    try:
        with path.open("rb") as file:
            return file.readline(_LONGEST).decode("utf-8", "replace").strip()
    except OSError:
        return ""
