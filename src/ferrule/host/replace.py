"""One file is replaced in one step: whoever looks finds the old bytes or the new bytes, never a mix."""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK_SECONDS = 10.0


def replace(target: Path, data: bytes, check: Callable[[], None]) -> None:
    """Give a file new bytes, or make it and the directories above it.

    The bytes go into a temporary file `.ferrule-….tmp` beside the target, are flushed to the disk, and take its
    name in one step; a killed process leaves at most that temporary file behind. Mode, owner and extended
    attributes are kept as far as the system lets us.

    A file that has other names (hard links) is overwritten in place, since a new file under one name would
    leave the others with the old bytes. Its new bytes lie whole in the temporary file until that is done.

    `check` is called at the last moment, under a lock that every Ferrule takes; what it raises ends the attempt.

    Raises:
        OSError: it could not be done; the file is as it was.
    """
    with _folders(target.parent):
        staged = _stage(target, data)
        try:
            with _alone_in(target.parent):
                check()
                _put(staged, target, data)
        finally:
            staged.unlink(missing_ok=True)


def _put(staged: Path, target: Path, data: bytes) -> None:
    info = _info(target)
    if info and not os.access(target, os.W_OK):  # renaming would get around it
        raise PermissionError(errno.EACCES, "read-only")
    if info and info.st_nlink > 1:
        _overwrite(target, data)
    else:
        staged.rename(target)


def _info(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


@contextmanager
def _folders(folder: Path) -> Iterator[None]:
    """Make a directory and those above it; they go again if what follows fails."""
    absent: list[Path] = []
    while not os.path.lexists(folder):
        absent.append(folder)
        folder = folder.parent
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "not a directory")
    try:
        for path in reversed(absent):
            path.mkdir(exist_ok=True)
        yield
    except BaseException:
        for path in absent:
            with suppress(OSError):
                path.rmdir()
        raise


def _stage(target: Path, data: bytes) -> Path:
    """Write the bytes to a temporary file beside the target, dressed as the target is."""
    before = _info(target)
    path = target.parent / f".ferrule-{os.urandom(8).hex()}.tmp"
    mode = 0o600 if before else 0o666  # what replaces a private file is nobody else's at any moment
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if before:
                _dress(descriptor, target, before)
            os.fsync(descriptor)
    except BaseException:
        path.unlink()
        raise
    return path


def _dress(descriptor: int, target: Path, before: os.stat_result) -> None:
    """Give the new file the owner, the attributes and the mode of the old one."""
    for uid, gid in ((-1, before.st_gid), (before.st_uid, -1)):
        with suppress(OSError):
            os.fchown(descriptor, uid, gid)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(target):
                with suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(target, name))
    now = os.fstat(descriptor)
    same_owner = (now.st_uid, now.st_gid) == (before.st_uid, before.st_gid)
    os.fchmod(descriptor, before.st_mode & (0o7777 if same_owner else 0o777))  # set-user-id is not ours to lend


def _overwrite(target: Path, data: bytes) -> None:
    """Write a file in place; should that fail, put the old bytes back."""
    before = target.read_bytes()
    descriptor = os.open(target, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if hasattr(os, "posix_fallocate") and len(data) > len(before):
            os.posix_fallocate(descriptor, 0, len(data))  # a full disk shows before a byte is changed
        _fill(descriptor, data)
    except OSError:
        _fill(descriptor, before)
        raise
    finally:
        os.close(descriptor)


def _fill(descriptor: int, data: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        file.write(data)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep every other Ferrule from replacing files in this directory, and flush the directory in the end.

    The lock lies on the directory itself, so nothing is left behind. Where a directory cannot be opened or
    locked, the check right before the renaming must do.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        _lock(descriptor)
        yield
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another program holds a lock on its directory") from None
            time.sleep(0.002)
        except OSError:
            return None
