"""Directories are opened step by step and without following links, so that nobody can lead the way elsewhere."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOOK = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


def real_path(path: str) -> str:
    """The absolute path without links. The system knows it of what is there, sooner than we find out step by step.

    It may be another one by now: whoever opens it must not follow links again.
    """
    try:
        return _known_path(path) or os.path.realpath(path)
    except OSError:  # a link was gone between two looks at it
        return os.path.abspath(path)  # noqa: PTH100 - text, not to be tidied up


def _known_path(path: str) -> str:
    if not hasattr(os, "O_PATH"):
        return ""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        known = os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return known if known.startswith("/") and not known.endswith(" (deleted)") else ""


def open_folder(path: str) -> int:
    """Open a directory by its absolute path, in which no link may be. What it gives serves as a `dir_fd` alone.

    Raises:
        OSError: it is not there, or something on the way is a link by now.
    """
    here = os.open("/", _STEP)
    for name in filter(None, path.split("/")):
        try:
            there = os.open(name, _STEP, dir_fd=here)
        finally:
            os.close(here)
        here = there
    return here


def open_file(name: str, *, folder: int) -> int:
    """Open a file for reading. A link of that name is not followed, and a pipe is not waited for."""
    return os.open(name, _LOOK, dir_fd=folder)


def reopen(folder: int) -> int:
    """Open a directory that was found on the way once more, to list or to lock it."""
    return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)


@contextmanager
def made_folder(path: str) -> Iterator[int]:
    """Open a directory, making it and those above it where they are missing; they go again if what follows fails."""
    made: list[tuple[int, str]] = []
    with ExitStack() as opened:
        here = os.open("/", _STEP)
        opened.callback(os.close, here)
        try:
            for name in filter(None, path.split("/")):
                here = _into(here, name, made)
                opened.callback(os.close, here)
            yield here
        except BaseException:
            for above, name in reversed(made):
                with suppress(OSError):
                    os.rmdir(name, dir_fd=above)
            raise


def _into(here: int, name: str, made: list[tuple[int, str]]) -> int:
    try:
        return os.open(name, _STEP, dir_fd=here)
    except FileNotFoundError:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=here)
            made.append((here, name))
    return os.open(name, _STEP, dir_fd=here)
