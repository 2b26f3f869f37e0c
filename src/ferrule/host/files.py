"""The files that a session reads and writes.

What was read is remembered, so that a change that someone else made meanwhile is never overwritten unseen.
"""

import difflib
import errno
import hashlib
import os
import stat
from contextlib import suppress
from itertools import islice
from pathlib import Path

from ferrule.core.errors import ToolError
from ferrule.host.replace import replace

LARGEST = 64 * 1024 * 1024
"""Files over this many bytes are left to other programs."""

_REASONS = {
    errno.EACCES: "permission denied",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "it would be larger than the system allows",
    errno.ELOOP: "its symbolic links lead in a circle",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOSPC: "the disk is full",
    errno.ENOTDIR: "a part of the path is a file, not a directory",
    errno.EPERM: "the system does not permit it",
    errno.EROFS: "the file system is read-only",
}
_KINDS = (
    (stat.S_ISDIR, "a directory; use ls to see what is in it"),
    (stat.S_ISFIFO, "a named pipe, not a file"),
    (stat.S_ISSOCK, "a socket, not a file"),
    (stat.S_ISCHR, "a device, not a file"),
    (stat.S_ISBLK, "a device, not a file"),
)


def digest(data: bytes | None) -> bytes:
    """A fingerprint of a file's bytes; `None` stands for a file that is not there."""
    return b"" if data is None else hashlib.blake2b(data, digest_size=16).digest()


def resolve(directory: Path, file_path: str) -> Path:
    """The path that a tool's argument means; symbolic links in it stay as they are.

    Raises:
        ToolError: no file can have such a name.
    """
    path = _possible(Path(file_path))
    with suppress(RuntimeError):  # `~name` of nobody is a name like any other
        path = path.expanduser()
    return directory / path


def shown(path: Path) -> str:
    """A path that can be written as UTF-8 and steers no terminal, whatever bytes it is made of."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return text if text.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def missing(path: Path) -> ToolError:
    """Say that there is no such file, and what has a similar name beside it."""
    if os.path.islink(path):  # noqa: PTH114  pathlib's raises for names that are too long
        return ToolError(
            f"There is no file {shown(path)}: it is a link to {shown(path.readlink())}, which is not there."
        )
    if not path.parent.is_dir():
        return ToolError(f"There is no file {shown(path)}: its directory does not exist.")
    names: dict[str, str] = {}
    with suppress(OSError), os.scandir(path.parent) as entries:
        names = {entry.name.lower(): entry.name for entry in islice(entries, 2_000)}
    near = [shown(Path(names[name])) for name in difflib.get_close_matches(path.name.lower(), names)]
    hint = f" Beside it there is {', '.join(near)}." if near else ""
    return ToolError(f"There is no file {shown(path)}.{hint}")


class Files:
    """The files of the machine as one session sees them. May be used from several threads."""

    def __init__(self) -> None:
        self._digests: dict[str, bytes] = {}
        self._led: dict[str, str] = {}
        """Where each path led when it was last seen: a link that leads elsewhere now is a change as well."""

    def read(self, path: Path) -> bytes:
        """Read a file whole, and remember what was in it.

        Raises:
            ToolError: there is no such file, or it cannot or should not be read.
        """
        data = _load(path)
        if data is None:
            self._forget(path)
            raise missing(path)
        self._remember(path, data)
        return data

    def seen(self, path: Path) -> bool:
        """Whether the file was read or written in this session."""
        return self._last_seen(path) is not None

    def stale(self, path: Path, now: bytes | None) -> bool:
        """Whether a file that was seen holds something else now; `None` stands for one that is gone."""
        last = self._last_seen(path)
        return last is not None and last != digest(now)

    def current(self, path: Path) -> bytes | None:
        """What a file that is to be changed holds, or `None` where there is none. It does not count as read.

        Raises:
            ToolError: it is not what it was when it was last seen, or it cannot be read.
        """
        now = _load(path)
        if not self.stale(path, now):
            return now
        if now is not None:
            raise ToolError(
                f"{shown(path)} has changed on disk since it was last read. "
                "Nothing was written. Read it again, then decide."
            )
        self._forget(path)  # all that there is to know about it is said here
        raise ToolError(
            f"{shown(path)} was deleted after it was last read. "
            "Nothing was written. If it should exist, make it anew with write."
        )

    def write(self, path: Path, data: bytes, *, expected: bytes | None = None) -> None:
        """Replace a file in one step, or make it and the directories above it; remember what is in it now.

        Symbolic links are followed and stay. `expected` is the digest of what the change was computed from: the
        file is compared and replaced under a lock that every Ferrule takes, so that of two changes at the same
        time none is lost. The rest is told in `replace.py`.

        Raises:
            ToolError: it could not be written, or is not what was expected; the file is as it was.
        """
        target = Path(os.path.realpath(_possible(path)))
        try:
            replace(target, data, lambda: _require_unchanged(target, expected))
        except OSError as error:
            raise ToolError(f"{shown(path)} could not be written: {_reason(error)}.") from None
        self._remember(path, data)

    def _remember(self, path: Path, data: bytes) -> None:
        real = os.path.realpath(path)
        self._digests[real] = digest(data)
        self._led[os.fspath(path)] = real

    def _forget(self, path: Path) -> None:
        self._digests.pop(os.path.realpath(path), None)
        self._led.pop(os.fspath(path), None)

    def _last_seen(self, path: Path) -> bytes | None:
        earlier = self._led.get(os.fspath(path), "")
        return self._digests.get(os.path.realpath(path)) or self._digests.get(earlier)


def _possible(path: Path) -> Path:
    """Refuse what the system would not even take for a name."""
    try:
        if b"\0" in os.fsencode(path):
            raise ToolError("A file name cannot contain a NUL character.")
    except UnicodeEncodeError:
        raise ToolError("The file name contains half of a surrogate pair; no file is named so.") from None
    return path


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0) or error.strerror or str(error)


def _load(path: Path) -> bytes | None:
    """The bytes of a regular file, or `None` where there is no file."""
    try:
        _require_regular(path, _possible(path).stat())  # opening a device can already do something
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            return _all_of(path, descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ToolError(f"{shown(path)} could not be read: {_reason(error)}.") from None


def _all_of(path: Path, descriptor: int) -> bytes:
    info = os.fstat(descriptor)
    _require_regular(path, info)
    largest, size = max(info.st_size, 0), 0
    chunks: list[bytes] = []
    while largest <= LARGEST and (chunk := os.read(descriptor, largest - size + 65_536)):
        chunks.append(chunk)
        size += len(chunk)
        largest = max(largest, size)  # what grows, or has no size to tell (/proc), is measured on the way
    if largest > LARGEST:
        raise ToolError(f"{shown(path)} is too large: over {LARGEST >> 20} MB. Use bash to look into it.")
    return b"".join(chunks)


def _require_regular(path: Path, info: os.stat_result) -> None:
    if not stat.S_ISREG(info.st_mode):
        kind = next((words for is_kind, words in _KINDS if is_kind(info.st_mode)), "no regular file")
        raise ToolError(f"{shown(path)} is {kind}.")


def _require_unchanged(target: Path, expected: bytes | None) -> None:
    now = _load(target)
    if expected is not None and digest(now) != expected:
        raise ToolError(
            f"{shown(target)} was changed by another program just now. Nothing was written. Read it again, then decide."
        )
