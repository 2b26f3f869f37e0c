"""Puts files, links and directories into an open directory, or takes them out, if they are still what they were."""

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ferrule.config.files import empty
from ferrule.session.files import lock
from ferrule.session.shadow.inside import FOLDER, stamp_of
from ferrule.session.shadow.scope import CACHES

_PATIENCE = 2.0
_TEMPORARY = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def put_file(here: int, name: str, data: bytes, *, mode: int, expected: tuple[int, ...], flush: bool = True) -> None:
    """Give a name these bytes and this mode in one step; the owner stays who it was.

    Raises:
        OSError: it cannot be done, or (`ESTALE`) what is there is not what was expected.
    """
    staged = f".ferrule-{os.urandom(8).hex()}.tmp"
    descriptor = os.open(staged, _TEMPORARY, 0o600, dir_fd=here)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            _dress(here, name, descriptor)
            os.fchmod(descriptor, stat.S_IMODE(mode))
            if flush:
                os.fsync(descriptor)
        _swap(here, staged, name, expected)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(staged, dir_fd=here)
        raise


def put_link(here: int, name: str, target: bytes, *, expected: tuple[int, ...]) -> None:
    """Make a name a link in one step.

    Raises:
        OSError: it cannot be done, or (`ESTALE`) what is there is not what was expected.
    """
    staged = f".ferrule-{os.urandom(8).hex()}.tmp"
    os.symlink(target, os.fsencode(staged), dir_fd=here)
    try:
        _swap(here, staged, name, expected)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(staged, dir_fd=here)
        raise


def put_folder(here: int, name: str, mode: int) -> None:
    """Make a directory, unless there is one."""
    with suppress(FileExistsError):
        os.mkdir(name, stat.S_IMODE(mode), dir_fd=here)
    os.close(os.open(name, FOLDER, dir_fd=here))


def remove_file(here: int, name: str, *, expected: tuple[int, ...]) -> None:
    """Remove a file or a link.

    Raises:
        OSError: it cannot be done, or (`ESTALE`) what is there is not what was expected.
    """
    with _alone_in(here):
        _require(here, name, expected)
        os.unlink(name, dir_fd=here)


def remove_folder(here: int, name: str) -> None:
    """Remove a directory if nothing but caches is in it; otherwise it stays."""
    with suppress(FileNotFoundError):
        below = os.open(name, FOLDER, dir_fd=here)
        try:
            names = os.listdir(below)  # noqa: PTH208 - pathlib knows no descriptors
            if all(one in CACHES for one in names):
                for one in names:
                    _sweep(below, one)
        finally:
            os.close(below)
        with suppress(FileNotFoundError, OSError):
            os.rmdir(name, dir_fd=here)


def _sweep(here: int, name: str) -> None:
    """Remove something and all in it; links are removed, not followed."""
    try:
        below = os.open(name, FOLDER, dir_fd=here)
    except NotADirectoryError:
        os.unlink(name, dir_fd=here)
        return
    try:
        empty(below)
    finally:
        os.close(below)
    os.rmdir(name, dir_fd=here)


def _swap(here: int, staged: str, name: str, expected: tuple[int, ...]) -> None:
    with _alone_in(here):
        _require(here, name, expected)
        os.rename(staged, name, src_dir_fd=here, dst_dir_fd=here)


def _require(here: int, name: str, expected: tuple[int, ...]) -> None:
    try:
        found = stamp_of(os.stat(name, dir_fd=here, follow_symlinks=False))
    except FileNotFoundError:
        found = ()
    if _lasting(found) != _lasting(expected):
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))


def _lasting(stamp: tuple[int, ...]) -> tuple[int, ...]:
    """A stamp without what changes when another name of the file is replaced."""
    return stamp[:1] + stamp[2:]


def _dress(here: int, name: str, descriptor: int) -> None:
    """Give a new file the owner and the attributes of the one that it replaces."""
    try:
        old = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    except OSError:
        return
    try:
        info = os.fstat(old)
        for user, group in ((-1, info.st_gid), (info.st_uid, -1)):
            with suppress(OSError):
                os.fchown(descriptor, user, group)
        if hasattr(os, "listxattr"):
            with suppress(OSError):
                for attribute in os.listxattr(old):
                    if attribute == "security.capability":  # the new bytes have not earned it
                        continue
                    with suppress(OSError):
                        os.setxattr(descriptor, attribute, os.getxattr(old, attribute))
    finally:
        os.close(old)


@contextmanager
def _alone_in(here: int) -> Iterator[None]:
    """Keep every other Ferrule from replacing files in this directory."""
    own = os.open(".", FOLDER, dir_fd=here)
    try:
        deadline = time.monotonic() + _PATIENCE
        while not lock(own) and time.monotonic() < deadline:
            time.sleep(0.002)
        yield
    finally:
        os.close(own)
