"""Looks into a file without trusting it: only plain files, only so many bytes, never waiting."""

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW


def peek(path: Path, most: int) -> tuple[bytes, int]:
    """Read at most so many bytes of a file, and say how long it is. Links are not followed.

    Raises:
        OSError: there is no such file, it is not a plain one, or it cannot be read.
    """
    _refuse_unless_plain(os.lstat(path), path)  # before opening: some devices act when they are opened
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        _refuse_unless_plain(status, path)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(most), status.st_size
    finally:
        os.close(descriptor)


def _refuse_unless_plain(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
