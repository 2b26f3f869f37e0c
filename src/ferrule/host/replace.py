"""One file is replaced in one step: whoever looks finds the old bytes or the new bytes, never a mix."""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ferrule.host.descent import made_folder, open_file, reopen

LOCK_SECONDS = 10.0


def replace(target: str, data: bytes, check: Callable[[int], None]) -> None:
    """Give a file new bytes, or make it and the directories above it. There may be no link in its path.

    The bytes go into a temporary file `.ferrule-….tmp` beside the target, are flushed to the disk, and take its
    name in one step; a killed process leaves at most that temporary file behind. Mode, owner and extended
    attributes are kept as far as the system lets us.

    A file that has other names (hard links) is overwritten in place, since a new file under one name would
    leave the others with the old bytes. Its new bytes lie whole in the temporary file until that is done.

    `check` is called with the opened directory at the last moment, under a lock that every Ferrule takes; what it
    raises ends the attempt.

    Raises:
        OSError: it could not be done; the file is as it was.
    """
    above, _, name = target.rpartition("/")
    with made_folder(above) as folder:
        staged = _stage(folder, name, data)
        try:
            with _alone_in(folder):
                check(folder)
                _put(folder, staged, name, data)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(staged, dir_fd=folder)


def _put(folder: int, staged: str, name: str, data: bytes) -> None:
    info = _info(folder, name)
    if info and not os.access(name, os.W_OK, dir_fd=folder):  # renaming would get around it
        raise PermissionError(errno.EACCES, "read-only")
    if info and info.st_nlink > 1:
        _overwrite(folder, name, data)
    else:
        os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)


def _info(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _stage(folder: int, name: str, data: bytes) -> str:
    """Write the bytes to a temporary file beside the target, dressed as the target is."""
    before = _info(folder, name)
    staged = f".ferrule-{os.urandom(8).hex()}.tmp"
    mode = 0o600 if before else 0o666  # what replaces a private file is nobody else's at any moment
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if before and stat.S_ISREG(before.st_mode):
                _dress(descriptor, folder, name, before)
            os.fsync(descriptor)
    except BaseException:
        os.unlink(staged, dir_fd=folder)
        raise
    return staged


def _dress(descriptor: int, folder: int, name: str, before: os.stat_result) -> None:
    """Give the new file the owner, the attributes and the mode of the old one."""
    for uid, gid in ((-1, before.st_gid), (before.st_uid, -1)):
        with suppress(OSError):
            os.fchown(descriptor, uid, gid)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            _copy_attributes(folder, name, descriptor)
    now = os.fstat(descriptor)
    same_owner = (now.st_uid, now.st_gid) == (before.st_uid, before.st_gid)
    os.fchmod(descriptor, before.st_mode & (0o7777 if same_owner else 0o777))  # set-user-id is not ours to lend


def _copy_attributes(folder: int, name: str, descriptor: int) -> None:
    old = open_file(name, folder=folder)
    try:
        for attribute in os.listxattr(old):
            with suppress(OSError):
                os.setxattr(descriptor, attribute, os.getxattr(old, attribute))
    finally:
        os.close(old)


def _overwrite(folder: int, name: str, data: bytes) -> None:
    """Write a file in place; should that fail, put the old bytes back."""
    descriptor = os.open(name, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            before = file.read()
        _rewrite(descriptor, before, data)
    finally:
        os.close(descriptor)


def _rewrite(descriptor: int, before: bytes, data: bytes) -> None:
    try:
        if hasattr(os, "posix_fallocate") and len(data) > len(before):
            os.posix_fallocate(descriptor, 0, len(data))  # a full disk shows before a byte is changed
        _fill(descriptor, data)
    except OSError:
        _fill(descriptor, before)
        raise


def _fill(descriptor: int, data: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        file.write(data)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)


@contextmanager
def _alone_in(folder: int) -> Iterator[None]:
    """Keep every other Ferrule from replacing files in this directory, and flush the directory in the end.

    The lock lies on the directory itself, so nothing is left behind. Where a directory cannot be opened or
    locked, the check right before the renaming must do.
    """
    try:
        descriptor = reopen(folder)
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
