"""Where a path leads: every path that stands for it on the way, link by link, down to what is really there."""

import os
import stat

from ferrule.core.messages import Value

MOST_LINKS = 40
"""As many as the system itself follows."""

LONGEST = 4096
"""Bytes of a path; the system takes none that is longer."""

Identity = tuple[int, int]
"""What a file or directory is, whatever it is called: its device and its number there."""


class LostError(Exception):
    """A path that leads nowhere that could be named; says why."""


class Trail(Value, frozen=True, kw_only=True):
    """A path from what was asked for to what is there."""

    paths: tuple[str, ...]
    """The path asked for, what each link makes of it, and its end: absolute, without `.`, `..` and doubled slashes."""
    passed: tuple[Identity, ...]
    """Each directory on the way, and the end if it is there."""
    info: os.stat_result | None
    """What is known of the end; None where there is nothing yet."""

    @property
    def end(self) -> str:
        """The path without any link in it."""
        return self.paths[-1]


def follow(path: str) -> Trail:
    """Follow an absolute path as the system would, except that what is not there yet may be named.

    Raises:
        LostError: no file can be named so, it leads in a circle, or a directory on the way cannot be looked into.
    """
    try:
        if len(os.fsencode(path)) > LONGEST:
            raise LostError("its name is too long")
        return _follow(path)
    except UnicodeEncodeError:
        raise LostError("no file can be named so") from None
    except ValueError:
        raise LostError("its name contains a NUL character") from None
    except OSError as error:
        raise LostError((error.strerror or str(error)).lower()) from None


def normal(path: str) -> str:
    """An absolute path with `.`, `..` and doubled slashes worked out as text."""
    if "//" not in path and "/." not in path:
        return path.rstrip("/") or "/"
    text = os.path.normpath(path)
    return text[1:] if text.startswith("//") else text  # POSIX lets two slashes mean something else; nobody does


def _follow(path: str) -> Trail:
    ahead = path.split("/")[::-1]
    here, links = "", 0
    info: os.stat_result | None = None
    paths, passed = [normal(path)], list[Identity]()
    while ahead:
        name = ahead.pop()
        if name in {"", "."}:
            continue
        if name == "..":
            here = here.rpartition("/")[0]
            info = _look(here or "/")
            continue
        step = f"{here}/{name}"
        info = _look(step)
        if info is None or not stat.S_ISLNK(info.st_mode):
            here = step
            if info is not None:
                passed.append((info.st_dev, info.st_ino))
            continue
        links += 1
        if links > MOST_LINKS:
            raise LostError("its symbolic links lead in a circle")
        target = os.readlink(step)  # noqa: PTH115 - a Path would tidy it up
        here = "" if target.startswith("/") else here
        ahead += target.split("/")[::-1]
        paths.append(normal(f"{here}/{'/'.join(reversed(ahead))}"))
    if here and paths[-1] != here:
        paths.append(here)
    return Trail(paths=tuple(dict.fromkeys(paths)), passed=tuple(passed), info=info)


def _look(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
