"""Changes modes, owners and times of files in a confined command's stead, where it may write and nowhere else.

Landlock does not govern these changes, and a filter sees no paths. So the filter stops such a call and asks here;
the caller waits. What it asked for is read once from its memory, the file is opened, and what counts is where the
opened file really lies: neither a link nor another thread that rewrites the path leads anywhere else. The change is
then made on that open file by the monitor, which is not confined, and the caller gets the answer.

The keeper has little to load, so this needs the standard library alone.
"""

import ctypes
import errno
import fcntl
import os
import stat
import struct
from contextlib import suppress

_RECEIVE, _ANSWER, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
_REQUEST = struct.Struct("<QIIiIQ6Q")
_HERE, _NOFOLLOW, _EMPTY_PATH = -100, 0x100, 0x1000
_LONGEST_PATH = 4096
_ADDRESS = (1 << 56) - 1
"""The part of a pointer that is an address; ARM lets programs use the rest for themselves."""
_OWN = (b"/proc/self/", b"/proc/thread-self/", b"/dev/fd/")
"""Places that are others for the monitor than for the caller."""

_SHAPES = {
    "chmod": (None, 0, 1, None),
    "fchmod": (0, None, 1, None),
    "fchmodat": (0, 1, 2, None),
    "fchmodat2": (0, 1, 2, 3),
    "chown": (None, 0, 1, None),
    "lchown": (None, 0, 1, None),
    "fchown": (0, None, 1, None),
    "fchownat": (0, 1, 2, 4),
    "utime": (None, 0, 1, None),
    "utimes": (None, 0, 1, None),
    "futimesat": (0, 1, 2, None),
    "utimensat": (0, 1, 2, 3),
}
"""Which of a call's arguments is the directory's descriptor, the path, the first one after it, and the flags."""

_libc = ctypes.CDLL(None, use_errno=True)


class Supervisor:
    """Answers for what one command's filter refers to the monitor."""

    def __init__(
        self,
        descriptor: int,
        *,
        calls: dict[int, str],
        writable: list[bytes],
        masked: list[bytes],
        of_all_owners: bool,
    ) -> None:
        self._descriptor = descriptor
        self._calls, self._writable, self._masked = calls, writable, masked
        self._needs_owner = os.geteuid() == 0 and not of_all_owners

    def fileno(self) -> int:
        """A descriptor that can be read when there is something to answer, and is hung up when nobody can ask."""
        return self._descriptor

    def close(self) -> None:
        """Answer no more; whoever still asks is told that there is no such call."""
        os.close(self._descriptor)

    def answer(self) -> None:
        """Do what is asked for, or refuse it."""
        request = bytearray(_REQUEST.size)
        try:
            fcntl.ioctl(self._descriptor, _RECEIVE, request)
        except OSError:  # who asked was killed meanwhile
            return
        identity, thread, _, number, _, _, *arguments = _REQUEST.unpack(request)
        try:
            _Change(self._calls[number], thread, arguments).make(self, identity)
            failure = 0
        except OSError as error:
            failure = error.errno or errno.EPERM
        except (ValueError, KeyError, OverflowError, struct.error):
            failure = errno.EPERM
        with suppress(OSError):
            fcntl.ioctl(self._descriptor, _ANSWER, struct.pack("<QqiI", identity, 0, -failure, 0))

    def is_waiting(self, identity: int) -> bool:
        """Whether it is still that caller who waits, and not another under its number."""
        try:
            fcntl.ioctl(self._descriptor, _IS_VALID, struct.pack("<Q", identity))
        except OSError:
            return False
        return True

    def check(self, file: int) -> None:
        """Refuse a file that does not lie where the command may write, or is another's.

        The kernel looks at owners itself, unless the monitor is root.

        Raises:
            PermissionError: it must not be changed.
        """
        path = os.readlink(f"/proc/self/fd/{file}".encode())  # noqa: PTH115
        if not any(self._is_open(path, top) for top in self._writable if _within(path, top)):
            raise PermissionError(errno.EPERM, "")
        if self._needs_owner and os.fstat(file).st_uid != 0:
            raise PermissionError(errno.EPERM, "")

    def _is_open(self, path: bytes, top: bytes) -> bool:
        """Whether no masked place in a writable one holds the path; one around it does not matter."""
        return not any(_within(path, place) for place in self._masked if _within(place, top))


class _Change:
    """One call that was asked for."""

    def __init__(self, name: str, thread: int, arguments: list[int]) -> None:
        self._name, self._thread, self._arguments = name, thread, arguments
        directory, self._path, self._first, flags = _SHAPES[name]
        self._directory = None if directory is None else _signed(arguments[directory])
        self._flags = arguments[flags] & 0xFFFFFFFF if flags is not None else 0

    def make(self, supervisor: Supervisor, identity: int) -> None:
        """Make the change.

        Raises:
            OSError: it cannot or must not be made.
        """
        values = self._values()
        file = self._open()
        try:
            if not supervisor.is_waiting(identity):
                raise ProcessLookupError(errno.ESRCH, "")
            supervisor.check(file)
            self._apply(file, values)
        finally:
            os.close(file)

    def _values(self) -> bytes:
        """What to set: times, as they lie in the caller's memory; the rest stands in the arguments."""
        pointer = self._arguments[self._first] & _ADDRESS
        sizes = {"utime": 16, "utimes": 32, "futimesat": 32, "utimensat": 32}
        if self._name not in sizes or not pointer:
            return b""
        data = self._read(pointer, sizes[self._name])
        if self._name == "utime":
            return struct.pack("<4q", *(part for seconds in struct.unpack("<2q", data) for part in (seconds, 0)))
        if self._name == "utimensat":
            return data
        seconds, micros, later, more = struct.unpack("<4q", data)
        return struct.pack("<4q", seconds, micros * 1000, later, more * 1000)

    def _apply(self, file: int, values: bytes) -> None:
        place = f"/proc/self/fd/{file}".encode()
        first, second = (self._arguments[index] & 0xFFFFFFFF for index in (self._first, self._first + 1))
        if "chmod" in self._name:
            if first & stat.S_ISUID:
                raise PermissionError(errno.EPERM, "")
            os.chmod(place, first & 0o7777)  # noqa: PTH101
        elif "chown" in self._name:
            _check_owner(file, first, second)
            os.chown(place, _signed(first), _signed(second))
        elif _libc.utimensat(_HERE, place, values or None, 0) < 0:
            raise OSError(ctypes.get_errno(), "")

    def _open(self) -> int:
        """Open the file that the caller means, as far as it takes to know it."""
        pointer = 0 if self._path is None else self._arguments[self._path] & _ADDRESS
        if not pointer:
            if self._path is not None and self._name not in {"utimensat", "futimesat"}:
                raise OSError(errno.EFAULT, "")
            return self._open_directory()
        path = self._translate(self._read(pointer, _LONGEST_PATH, text=True))
        if not path:
            if self._flags & _EMPTY_PATH:
                return self._open_directory()
            raise FileNotFoundError(errno.ENOENT, "")
        stays = self._flags & _NOFOLLOW or self._name == "lchown"
        flags = os.O_PATH | os.O_CLOEXEC | (os.O_NOFOLLOW if stays else 0)
        if path.startswith(b"/"):
            return os.open(path, flags)
        directory = self._open_directory()
        try:
            return os.open(path, flags, dir_fd=directory)
        finally:
            os.close(directory)

    def _open_directory(self) -> int:
        """Open what the caller's descriptor stands for, or the directory that it stands in."""
        known = "cwd" if self._directory in {None, _HERE} else f"fd/{self._directory}"
        try:
            return os.open(f"/proc/{self._thread}/{known}", os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            raise OSError(errno.EBADF, "") from None

    def _translate(self, path: bytes) -> bytes:
        """Read a path that speaks of the caller itself as the caller does."""
        for prefix in _OWN:
            if path.startswith(prefix):
                rest = path.removeprefix(prefix)
                return f"/proc/{self._thread}/{'fd/' if prefix == b'/dev/fd/' else ''}".encode() + rest
        return path

    def _read(self, address: int, size: int, *, text: bool = False) -> bytes:
        """Read the caller's memory: so many bytes, or a text of at most so many."""
        memory = os.open(f"/proc/{self._thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            data = os.pread(memory, size, address)
        except OSError:
            raise OSError(errno.EFAULT, "") from None
        finally:
            os.close(memory)
        if not text and len(data) == size:
            return data
        found, end, _ = data.partition(b"\0")
        if not text or not end:
            raise OSError(errno.ENAMETOOLONG if text and len(data) == size else errno.EFAULT, "")
        return found


def _check_owner(file: int, user: int, group: int) -> None:
    """Refuse what takes a privilege that the caller does not have, although the monitor may have it."""
    found, same = os.fstat(file), 0xFFFFFFFF
    groups = {same, found.st_gid, os.getegid(), *os.getgroups()}
    if user not in {same, found.st_uid} or group not in groups:
        raise PermissionError(errno.EPERM, "")


def _signed(value: int) -> int:
    """Read the lower half of an argument as the kernel does."""
    return (value & 0xFFFFFFFF ^ 0x80000000) - 0x80000000


def _within(path: bytes, top: bytes) -> bool:
    return path == top or path.startswith(top.rstrip(b"/") + b"/")
