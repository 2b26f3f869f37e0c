"""The files that a session reads and writes.

What was read is remembered, so that a change that someone else made meanwhile is never overwritten unseen. A guard
says what may be touched; it is asked about the path as it was named and as it is once its links are followed, and
what is then opened is that path and no other.
"""

import difflib
import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from ferrule.core.errors import ToolError
from ferrule.host.descent import open_file, open_folder, real_path, reopen
from ferrule.host.guard import Anything, Guard, RefusedError, Use
from ferrule.host.replace import replace

LONGEST_NAME = 64 * 1024
"""A path of more bytes is not even looked for."""
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
_DONE: dict[Use, str] = {"read": "read", "list": "listed", "write": "written"}


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
    with suppress(OSError):
        target = shown(path.readlink())
        return ToolError(f"There is no file {shown(path)}: it is a link to {target}, which is not there.")
    if not os.path.isdir(path.parent):  # noqa: PTH112 - one whose name is too long does not exist either
        return ToolError(f"There is no file {shown(path)}: its directory does not exist.")
    names: dict[str, str] = {}
    with suppress(OSError), os.scandir(path.parent) as entries:
        names = {entry.name.lower(): entry.name for entry in islice(entries, 2_000)}
    near = [shown(Path(names[name])) for name in difflib.get_close_matches(path.name.lower(), names)]
    hint = f" Beside it there is {', '.join(near)}." if near else ""
    return ToolError(f"There is no file {shown(path)}.{hint}")


class Files:
    """The files of the machine as one session sees them. May be used from several threads."""

    def __init__(self, *, permit: Guard | None = None) -> None:
        self._permit = permit or Anything()
        self._digests: dict[str, bytes] = {}
        self._led: dict[str, str] = {}
        """Where each path led when it was last seen: a link that leads elsewhere now is a change as well."""

    def admit(self, path: Path, use: Use) -> Path:
        """What a path is once its links are followed, if it may be touched.

        Raises:
            ToolError: it may not be touched (`RefusedError`), or no file can have such a name.
        """
        return Path(self._admitted(path, use))

    def visible(self, directory: Path, paths: Sequence[str], use: Use) -> list[str]:
        """Those of many paths below an admitted directory that may be touched. None may lead through a link."""
        odd = self._permit.odd(directory, paths)
        closed = {path for path in odd if self._permit(directory / path, use) is not None}
        return [path for path in paths if path not in closed] if closed else list(paths)

    def hidden(self, directory: Path) -> Sequence[str]:
        """Paths below an admitted directory that a search is to leave out."""
        return self._permit.hidden(directory)

    @contextmanager
    def folder(self, path: Path) -> Iterator[int]:
        """Open a directory to list it.

        Raises:
            OSError: it cannot be opened.
            ToolError: it may not be listed.
        """
        above = open_folder(self._admitted(path, "list"))
        try:
            descriptor = reopen(above)
        finally:
            os.close(above)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def read(self, path: Path) -> bytes:
        """Read a file whole, and remember what was in it.

        Raises:
            ToolError: there is no such file, or it cannot, may not or should not be read.
        """
        real = self._admitted(path, "read")
        data = _load(path, real)
        if data is None:
            self._forget(path, real)
            raise missing(path)
        self._remember(path, real, data)
        return data

    def know(self, path: Path, data: bytes) -> None:
        """Remember what a file holds that somebody knows without having read it."""
        self._remember(path, real_path(os.fspath(path)), data)

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
            ToolError: it is not what it was when it was last seen, or it cannot be read or may not be written.
        """
        real = self._admitted(path, "write")
        now = _load(path, real)
        if not self.stale(path, now):
            return now
        if now is not None:
            raise ToolError(
                f"{shown(path)} has changed on disk since it was last read. "
                "Nothing was written. Read it again, then decide."
            )
        self._forget(path, real)  # all that there is to know about it is said here
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
            ToolError: it could not or may not be written, or is not what was expected; the file is as it was.
        """
        target = self._admitted(path, "write")
        try:
            replace(target, data, lambda folder: _require_unchanged(target, folder, expected))
        except OSError as error:
            raise ToolError(f"{shown(path)} could not be written: {_reason(error)}.") from None
        self._remember(path, target, data)

    def _admitted(self, path: Path, use: Use) -> str:
        named = os.fspath(_possible(path))
        real = real_path(named)
        reason = self._permit(path, use) or (self._permit(Path(real), use) if real != named else None)
        if reason:
            raise RefusedError(f"{shown(path)} may not be {_DONE[use]}: {reason}.")
        return real

    def _remember(self, path: Path, real: str, data: bytes) -> None:
        self._digests[real] = digest(data)
        self._led[os.fspath(path)] = real

    def _forget(self, path: Path, real: str) -> None:
        self._digests.pop(real, None)
        self._led.pop(os.fspath(path), None)

    def _last_seen(self, path: Path) -> bytes | None:
        earlier = self._led.get(os.fspath(path), "")
        return self._digests.get(real_path(os.fspath(path))) or self._digests.get(earlier)


def _possible(path: Path) -> Path:
    """Refuse what the system would not even take for a name."""
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        raise ToolError("The file name contains half of a surrogate pair; no file is named so.") from None
    if b"\0" in name:
        raise ToolError("A file name cannot contain a NUL character.")
    if len(name) > LONGEST_NAME:
        raise ToolError("The file name is too long.")
    return path


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0) or error.strerror or str(error)


def _load(path: Path, real: str) -> bytes | None:
    """The bytes of a regular file by its path without links, or `None` where there is no file."""
    above, _, name = real.rpartition("/")
    try:
        folder = open_folder(above)
        try:
            return _load_in(folder, name or ".", path)
        finally:
            os.close(folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ToolError(f"{shown(path)} could not be read: {_reason(error)}.") from None


def _load_in(folder: int, name: str, path: Path) -> bytes:
    info = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISLNK(info.st_mode):  # a link is none to follow by now; opening it says so
        _require_regular(path, info)  # opening a device can already do something
    descriptor = open_file(name, folder=folder)
    try:
        return _all_of(path, descriptor)
    finally:
        os.close(descriptor)


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


def _require_unchanged(target: str, folder: int, expected: bytes | None) -> None:
    path = Path(target)
    try:
        now = _load_in(folder, path.name or ".", path)
    except FileNotFoundError:
        now = None
    if expected is not None and digest(now) != expected:
        raise ToolError(
            f"{shown(path)} was changed by another program just now. Nothing was written. Read it again, then decide."
        )
