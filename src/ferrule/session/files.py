"""Private files and directories, opened without following links, and locked while they are in use."""

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path


def open_private(path: Path, flags: int) -> int:
    """Open a plain file of mode 0600, whatever the umask; never a link, a directory or a pipe.

    Raises:
        OSError: it cannot be opened, or is something else.
    """
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "It is not a plain file")
    if flags & os.O_RDWR and stat.S_IMODE(mode) != 0o600:
        with suppress(PermissionError):  # it is another user's, who gave us leave to write
            os.fchmod(descriptor, 0o600)
    return descriptor


def make_private(directory: Path) -> None:
    """Make a directory of mode 0700, whatever the umask, and those above it that are missing.

    Raises:
        OSError: it cannot be made.
    """
    if not directory.parent.exists():
        make_private(directory.parent)
    with suppress(FileExistsError):
        directory.mkdir(0o700)
        directory.chmod(0o700)


def lock(descriptor: int, *, wait: bool = False) -> bool:
    """Take a file for ourselves until it is closed; false where another has it.

    A file system without locks says so with an error of its own, and then everybody may.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def append(descriptor: int, data: bytes) -> None:
    """Write the whole of it in one go, or nothing: what went to disk before it was full is taken back.

    Raises:
        OSError: it cannot be written.
    """
    written = os.write(descriptor, data)
    try:
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        _take_back(descriptor, written)
        raise


def _take_back(descriptor: int, count: int) -> None:
    try:
        os.ftruncate(descriptor, os.fstat(descriptor).st_size - count)
    except OSError:
        with suppress(OSError):
            os.write(descriptor, b"\n")  # then at least the next line begins as a line


def reason(error: OSError) -> str:
    """Why the machine refused, in its own words."""
    return "It is a symbolic link" if error.errno == errno.ELOOP else error.strerror or str(error)
