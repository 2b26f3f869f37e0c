"""Files of a project, reached from its directory downwards without following a single link."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_TRIES = 3


def stamp_of(info: os.stat_result) -> tuple[int, ...]:
    """What an entry looks like from outside: it changes whenever the entry does."""
    return (
        info.st_mtime_ns,
        info.st_ctime_ns,
        info.st_size,
        info.st_ino,
        info.st_mode,
        info.st_uid,
        info.st_gid,
    )


def kind_of(info: os.stat_result) -> int:
    """The mode that a record keeps: of a link, nothing but that it is one."""
    return stat.S_IFLNK if stat.S_ISLNK(info.st_mode) else info.st_mode


def content(folder: int, name: str, info: os.stat_result, *, most: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a file, or where a link leads, and how it looked while it was read.

    Raises:
        OSError: it cannot be read, or it is not what it was.
        OverflowError: it has more bytes than that.
    """
    if stat.S_ISLNK(info.st_mode):
        return os.fsencode(os.readlink(name, dir_fd=folder)), info
    descriptor = os.open(name, _FILE, dir_fd=folder)
    try:
        for _ in range(_TRIES):
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            data = _read(descriptor, before.st_size, most)
            after = os.fstat(descriptor)
            if stamp_of(after) == stamp_of(before):
                break
            os.lseek(descriptor, 0, os.SEEK_SET)
        return data, after
    finally:
        os.close(descriptor)


def _read(descriptor: int, size: int, most: int) -> bytes:
    chunks = [os.read(descriptor, size + 1)]
    total = len(chunks[0])
    while chunks[-1] and total >= size:
        if total > most:
            raise OverflowError
        chunks.append(os.read(descriptor, 1024 * 1024))
        total += len(chunks[-1])
    return b"".join(chunks)


@contextmanager
def opened(root: int, path: str, *, make: bool = False) -> Iterator[int]:
    """The directory at a path below the root, as a descriptor, made if asked for; the empty path is the root itself.

    Raises:
        OSError: it is not there (`ENOENT`), or it or one above it is no directory (`ENOTDIR`, `ELOOP`).
    """
    here = os.dup(root)
    try:
        for part in path.split("/") if path else ():
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=here)
            below = os.open(part, FOLDER, dir_fd=here)
            os.close(here)
            here = below
        yield here
    finally:
        os.close(here)


def parted(path: str) -> tuple[str, str]:
    """The directory of a path, and the name in it."""
    folder, _, name = path.rpartition("/")
    return folder, name
