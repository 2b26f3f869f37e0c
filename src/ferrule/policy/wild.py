"""Which files a pattern of the shell would name, looked up before the shell does it."""

import os
from fnmatch import fnmatchcase

from ferrule.core.regex import lazy

_ENTRIES = 2000
_MATCHES = 200
_GLOB = lazy(r"[*?\[]")


class _TooManyError(Exception):
    pass


def matches(pattern: str, directory: str) -> list[str] | None:
    """The paths that fit a pattern, from `directory` on; None if there are too many to look at."""
    top = "/" if pattern.startswith("/") else directory
    left = [_ENTRIES]
    found = [top]
    try:
        for part in [part for part in pattern.split("/") if part]:
            found = [path for one in found for path in _below(one, part, left)]
    except _TooManyError:
        return None
    return found if len(found) <= _MATCHES else None


def _below(directory: str, part: str, left: list[int]) -> list[str]:
    if part == "**":
        return [directory, *_all_below(directory, left)]
    if not _GLOB.search(part):
        path = f"{directory.rstrip('/')}/{part}"
        return [path] if os.path.lexists(path) else []
    hidden = part.startswith(".")
    return [
        entry.path
        for entry in _entries(directory, left)
        if (hidden or not entry.name.startswith(".")) and fnmatchcase(entry.name, part)
    ]


def _all_below(directory: str, left: list[int]) -> list[str]:
    found: list[str] = []
    for entry in _entries(directory, left):
        if not entry.name.startswith("."):
            found.append(entry.path)
            if entry.is_dir(follow_symlinks=False):
                found.extend(_all_below(entry.path, left))
    return found


def _entries(directory: str, left: list[int]) -> list[os.DirEntry[str]]:
    """The entries of a directory, as long as there are not too many in all."""
    kept: list[os.DirEntry[str]] = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                left[0] -= 1
                if left[0] < 0:
                    raise _TooManyError
                kept.append(entry)
    except OSError:
        return []
    return kept
