"""Files of our own on disk: read without being led astray, written whole or not at all, removed with all in them."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ferrule.config.words import plain
from ferrule.core.errors import ConfigError

LARGEST = 1_000_000
"""Bytes. No configuration is larger; what claims to be one is not read into memory."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class OutOfReachError(ConfigError):
    """A directory on the way to a file may not be entered, so it cannot be said whether there is a file."""


def read(path: Path, *, within: Path | None = None) -> bytes | None:
    """Read a file, or give nothing where there is none. A pipe or a device is never opened.

    With `within`, links that lead out of that directory are refused: a repository may hold any link.

    Raises:
        ConfigError: it is there, but it is no file that can be read.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise OutOfReachError(f"{plain(str(path))}: It cannot be looked for: {error.strerror}.") from None
    try:
        target = Path(os.path.realpath(path, strict=True))
        if within and target.is_dir() and not any(target.iterdir()):  # stands in for it while a command runs confined
            return None
        _check_within(path, target, within)
        _check_kind(path, target.stat())
        return _bytes_of(path, target)
    except FileNotFoundError:
        raise ConfigError(f"{plain(str(path))}: This link leads nowhere.") from None
    except OSError as error:
        raise ConfigError(f"{plain(str(path))}: It cannot be read: {error.strerror}.") from None


def replace(path: Path, data: bytes, *, within: Path | None = None) -> None:
    """Put new bytes in a file's place, so that at any time there are the old ones or the new ones.

    A link stays a link, a file keeps its mode and owner, a new one is for its owner alone.

    Raises:
        ConfigError: it cannot be written; nothing was changed.
    """
    target = Path(os.path.realpath(path))
    _check_within(path, target, within)
    draft = target.with_name(f".{target.name}.{os.urandom(6).hex()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            _keep_owner_and_mode(target, descriptor)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        draft.replace(target)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise ConfigError(f"{plain(str(path))}: It cannot be written: {error.strerror}.") from None


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Make a directory if need be, and keep other Ferrules from changing what is in it meanwhile.

    Raises:
        ConfigError: there is no such directory, and it cannot be made.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigError(f"{plain(str(directory))}: It cannot be written to: {error.strerror}.") from None
    try:
        with suppress(OSError):  # some file systems have no locks; the write itself is still whole
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _bytes_of(path: Path, target: Path) -> bytes:
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
    with os.fdopen(os.open(target, flags), "rb") as file:
        _check_kind(path, os.fstat(file.fileno()))  # it may be another since it was looked at
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ConfigError(f"{plain(str(path))}: The file is larger than 1 MB, which no configuration is.")
    return data


def _check_within(path: Path, target: Path, within: Path | None) -> None:
    if within is not None and not target.is_relative_to(os.path.realpath(within)):
        words = f"This link leads out of the project, to {plain(str(target))}; it is not followed."
        raise ConfigError(f"{plain(str(path))}: {words}")


def _check_kind(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise ConfigError(f"{plain(str(path))}: This is {kind}, not a file.")


def _keep_owner_and_mode(target: Path, descriptor: int) -> None:
    try:
        old = target.stat()
    except FileNotFoundError:
        return
    with suppress(PermissionError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def remove_tree(directory: Path) -> None:
    """Remove a directory and all in it; what has vanished meanwhile, or resists, is passed over."""
    if directory.is_symlink():
        directory.unlink(missing_ok=True)
        return
    with suppress(OSError):
        top = os.open(directory, _FOLDER)
        try:
            empty(top)
        finally:
            os.close(top)
        directory.rmdir()


def empty(top: int) -> None:
    """Remove all that is in an open directory, at whatever depth; what resists is passed over.

    Directories are lifted to the top before they are emptied: a path to the deepest of them may be longer than the
    system takes, and there may be more of them in each other than can be open at once.
    """
    waiting = ["."]
    while waiting:
        name = waiting.pop()
        with suppress(OSError):
            here = os.open(name, _FOLDER, dir_fd=top)
            try:
                waiting += [lifted for entry in os.listdir(here) if (lifted := _clear(here, entry, top))]  # noqa: PTH208
            finally:
                os.close(here)
            if name != ".":
                os.rmdir(name, dir_fd=top)


def _clear(here: int, name: str, top: int) -> str:
    """Remove what is no directory; of one, give the name that it has at the top."""
    lifted = f".{os.urandom(8).hex()}"
    with suppress(OSError):
        if not stat.S_ISDIR(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=here)
            return ""
        with suppress(OSError):
            _open_up(here, name)
        os.rename(name, lifted, src_dir_fd=here, dst_dir_fd=top)
        return lifted
    return ""


def _open_up(here: int, name: str) -> None:
    """Let its owner write to a directory: programs close those that they share, as Go does with its modules."""
    descriptor = os.open(name, _FOLDER, dir_fd=here)
    try:
        os.fchmod(descriptor, stat.S_IRWXU)
    finally:
        os.close(descriptor)
