"""Place-holders: what stands where a protected name is still missing, so that a sandbox can cover it.

A mount needs something to lie on. So for as long as a confined command runs, an empty directory (or in a git
directory a file that says nothing) stands in the project for each protected name that is not there. All commands in
all Ferrules that confine to one place share a lock file, in which the place-holders are listed; each command holds
the lock, and the last one to let go takes them away. Taken away too early, the cover would be lost in the others.
Directories are not removed but kept for the next time, beside the lock: to remove one takes the kernel milliseconds.

The keeper's monitors load this file, hence next to nothing of ours and little of the standard library.
"""

import fcntl
import os
import time

from ferrule.host.bare import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_PATIENCE = 5.0

Stub = tuple[bytes, bytes]
"""A path, and the text of the file there; no text for a directory."""


def hold(lock_file: bytes) -> tuple[int, bool]:
    """Take the lock, and say whether it is ours alone; then others wait until it is shared.

    No place-holder disappears until it is let go.

    Raises:
        OSError: the lock file cannot be had.
    """
    lock = os.open(lock_file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return lock, True
    except BlockingIOError:
        pass
    try:
        _wait_for_share(lock)
    except BaseException:
        os.close(lock)
        raise
    return lock, False


def share(lock: int) -> None:
    """Let others hold it as well."""
    fcntl.flock(lock, fcntl.LOCK_SH)


def place(lock: int, stubs: "Iterable[Stub]") -> list[Stub]:
    """Put up the place-holders that are missing, listed before they stand, and give those paths that can be covered."""
    standing, pool = [], _pool(lock)
    kept = os.listdir(pool)  # noqa: PTH208 - paths are bytes here
    for path, text in stubs:
        try:
            if not os.path.lexists(path):
                os.write(lock, path + b"\0" + text + b"\0")
                if text:
                    _write(path, text)
                elif not (kept and _move(pool + b"/" + kept.pop(), path)):
                    os.mkdir(path, 0o755)  # noqa: PTH102
        except FileExistsError:  # another command was quicker
            pass
        except OSError:  # nobody can make anything there, the command as little as we
            continue
        standing.append((path, text))
    return standing


def tidy(lock: int) -> None:
    """Take away all place-holders if nobody else holds the lock; the share of it is lost in any case.

    A directory that is no longer empty, or a file that is no longer what it was, has become someone's own.
    """
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        words = os.pread(lock, os.fstat(lock).st_size, 0).split(b"\0")
        pool = _pool(lock)
        for path, text in zip(words[0:-1:2], words[1:-1:2], strict=False):
            with suppress(OSError):
                if text:
                    _remove(path, text)
                else:
                    _put_away(path, pool)
        os.ftruncate(lock, 0)


def _wait_for_share(lock: int) -> None:
    """Wait until nobody has the lock alone, which is a matter of milliseconds; though not for ever."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(0.002)
        else:
            return


def _pool(lock: int) -> bytes:
    """The directory of the directories that were place-holders and will be again."""
    pool = os.path.dirname(os.readlink(f"/proc/self/fd/{lock}".encode())) + b"/pool"  # noqa: PTH115, PTH120
    with suppress(FileExistsError):
        os.mkdir(pool, 0o700)  # noqa: PTH102
    return pool


def _move(source: bytes, target: bytes) -> bool:
    """Rename a directory, and say whether that could be done; not so to another file system."""
    with suppress(OSError):
        os.rename(source, target)  # noqa: PTH104
        return True
    return False


def _write(path: bytes, text: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    os.write(descriptor, text)
    os.close(descriptor)


def _put_away(path: bytes, pool: bytes) -> None:
    """Take a directory out of the way; who was quick enough to put something into it gets it back."""
    if os.path.islink(path) or os.listdir(path):  # noqa: PTH114, PTH208
        return
    target = pool + b"/" + os.urandom(8).hex().encode()
    if not _move(path, target):
        os.rmdir(path)  # noqa: PTH106
    elif os.listdir(target):  # noqa: PTH208
        _move(target, path)


def _remove(path: bytes, text: bytes) -> None:
    """Remove a file if it is still what it was."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    is_ours = os.read(descriptor, len(text) + 1) == text
    os.close(descriptor)
    if is_ours:
        os.unlink(path)  # noqa: PTH108
