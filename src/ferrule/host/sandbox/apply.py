"""What the keeper's child lays upon itself before it becomes a command: Landlock, a filter, and no privileges.

The keeper has little to load, so this needs the standard library alone:

    confinement = Confinement(rules)        in the monitor
    confinement.enter()                     in its child, last of all before it becomes the command
    supervisor = confinement.attend()       in the monitor, which answers from now on (see `supervise.py`)

Landlock only ever adds: what is allowed for a directory is allowed for all that is in it. So a place that must
stay unreadable is left out by allowing, one by one, what lies beside it and beside each of its parents. Files that
are made there later are unreadable until the next command. And where such a place lies in a writable directory,
nothing new can be made right beside it.

Run as a script, with rules to read, it tells which version of Landlock the kernel has and what is wrong with them.
"""

import ctypes
import errno
import fcntl
import marshal
import os
import socket
import stat
import struct
import sys
import time
from contextlib import suppress

if not __package__:  # run by itself, it finds nothing of ours
    sys.path.append(os.path.abspath(f"{__file__}/../../../.."))  # noqa: PTH100 - pathlib would be dear

from ferrule.host.sandbox.supervise import Supervisor

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_SET_NO_NEW_PRIVS, _DROP_FROM_BOUNDING_SET, _AMBIENT, _CLEAR_ALL = 38, 24, 47, 4
_SET_FILTER, _NEW_LISTENER, _ONLY_KILLABLE = 1, 8, 32
_CAPABILITY_VERSION, _OVERRIDE_MODES = 0x20080522, 1 << 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK, _TRUNCATE, IOCTL_DEVICE = 1 << 6, 1 << 11, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
WRITE = ((1 << 15) - 1) & ~_MAKE_CHAR & ~_MAKE_BLOCK
DEVICE = READ_FILE | WRITE_FILE | _TRUNCATE | IOCTL_DEVICE
_OF_FILES = EXECUTE | DEVICE
_BIND_AND_CONNECT, _SIGNALS_AND_ABSTRACT_SOCKETS = 3, 3

_MOST_ENTRIES = 20_000
"""Entries of walked directories that can be allowed one by one; the others stay unreadable."""
_MOST_KEPT = 4
_OUT_OF_THE_WAY = 64
_TICK = 20_000_000
"""Nanoseconds after a change within which another one may go unseen."""

_libc = ctypes.CDLL(None, use_errno=True)


class Rules:
    """What a command is held by; `landlock.py` writes it down."""

    masked: list[bytes]
    """What cannot be read, as absolute paths without links."""
    readable: list[bytes]
    """What can be read even so."""
    writable: list[bytes]
    devices: list[bytes]
    network: bool
    filter: bytes
    """The seccomp program."""
    seccomp: int
    """The number of the system call that installs it."""
    calls: dict[int, str]
    """The system calls that the filter refers to the monitor, by their numbers."""

    def __init__(self, body: bytes) -> None:
        fields = marshal.loads(body)  # noqa: S302 - Ferrule wrote it
        self.masked, self.readable, self.writable, self.devices, self.network, *rest = fields
        self.filter, self.seccomp, self.calls = rest


class _Ruleset:
    """A set of Landlock's rules, ready to be laid upon a process."""

    def __init__(self, rules: Rules) -> None:
        self._walked: list[tuple[bytes, int, int]] = []
        self._places: list[tuple[bytes, int]] = []
        self._left = _MOST_ENTRIES
        self._files: list[int] = []
        self._handled = handled(version())
        network = 0 if rules.network else _BIND_AND_CONNECT
        size = 24 if version() >= 6 else 16 if version() >= 4 else 8
        attributes = struct.pack("<QQQ", self._handled, network, _SIGNALS_AND_ABSTRACT_SOCKETS)[:size]
        self.descriptor = _move_away(_call(_CREATE_RULESET, attributes, size, 0))
        try:
            self._fill(rules)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Forget it."""
        for descriptor in (self.descriptor, *self._files):
            os.close(descriptor)

    def is_fresh(self) -> bool:
        """Whether it does for another command: all places are as they were, and an earlier command's files gone."""
        return (
            all(_stamp(path) == (inode, changed) for path, inode, changed in self._walked)
            and all(_stamp(path)[0] == inode for path, inode in self._places)
            and not any(os.fstat(file).st_nlink for file in self._files)
        )

    def is_settled(self) -> bool:
        """Whether a change of those directories would show."""
        return all(changed < time.time_ns() - _TICK for _, _, changed in self._walked)

    def add_files(self, paths: list[bytes]) -> None:
        """Allow one command to write to some files; those of an earlier command are gone."""
        while self._files:
            os.close(self._files.pop())
        for path in paths:
            descriptor = open_without_links(path)
            self._files.append(descriptor)
            self._add(descriptor, READ_FILE | WRITE_FILE | _TRUNCATE)

    def _fill(self, rules: Rules) -> None:
        masked = [path for path in rules.masked if path != b"/"]
        if b"/" not in rules.masked:
            self._allow_beside(b"/", masked, READ)
        for access, paths in ((READ, rules.readable), (READ | WRITE, rules.writable)):
            for path in paths:
                self._allow_beside(path, masked, access)
        for path in rules.devices:
            self._allow_beside(path, [], DEVICE)

    def _allow_beside(self, path: bytes, masked: list[bytes], access: int) -> None:
        """Allow a place but for the masked ones in it. One that is not there, or not ours to enter, is left out."""
        self._places.append((path, _stamp(path)[0]))
        with suppress(FileNotFoundError, PermissionError, NotADirectoryError):
            descriptor = open_without_links(path)
            try:
                self._allow(descriptor, path, [place for place in masked if within(place, path)], access)
            finally:
                os.close(descriptor)

    def _allow(self, descriptor: int, path: bytes, masked: list[bytes], access: int) -> None:
        if path in masked:
            return
        if not masked:
            self._add(descriptor, access)
            return
        inode, changed = _stamp(path)
        self._walked.append((path, inode, changed))
        if not any(stat.S_ISDIR(_mode(place)) for place in masked):
            self._add(descriptor, READ_DIR)  # with no directory among the masked, no name in one is told
        with suppress(PermissionError):
            self._walk(descriptor, path, masked, access)

    def _walk(self, descriptor: int, path: bytes, masked: list[bytes], access: int) -> None:
        listing = os.open(b".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=descriptor)
        try:
            names = os.listdir(listing)  # noqa: PTH208
        finally:
            os.close(listing)
        for name in map(os.fsencode, names):
            self._left -= 1
            if self._left < 0:
                return
            inner = path.rstrip(b"/") + b"/" + name
            with suppress(FileNotFoundError, PermissionError):
                entry = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=descriptor)
                try:
                    self._allow(entry, inner, [place for place in masked if within(place, inner)], access)
                finally:
                    os.close(entry)

    def _add(self, descriptor: int, access: int) -> None:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISLNK(mode):
            return  # the place that it leads to counts, not the link
        allowed = access & self._handled & (-1 if stat.S_ISDIR(mode) else _OF_FILES)
        if allowed:
            _call(_ADD_RULE, self.descriptor, 1, struct.pack("<Qi", allowed, descriptor), 0)


class Confinement:
    """What one command is held by: prepared in the monitor, entered in its child."""

    _kept: dict[bytes, _Ruleset] = {}  # noqa: RUF012 - one store for all commands of a monitor

    def __init__(self, rules: bytes) -> None:
        body, files = marshal.loads(rules)  # noqa: S302 - Ferrule wrote it
        self.rules = Rules(body)
        self._ruleset = self._prepare(body)
        self._ruleset.add_files(files)
        self._keeps_override = os.geteuid() == 0 and any(_owner(path) for path in self.rules.writable)
        self._ours, self._theirs = (_move_away(end.detach()) for end in socket.socketpair())

    def enter(self) -> None:
        """Lay it upon this process and all that it will become.

        Raises:
            OSError: something of it could not be done; the process must not go on.
        """
        _check(_libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _call(_RESTRICT_SELF, self._ruleset.descriptor, 0)
        drop_privileges(keep=_OVERRIDE_MODES if self._keeps_override else 0)
        listener = install_filter(self.rules.filter, call=self.rules.seccomp)
        with socket.socket(fileno=self._theirs) as line:
            socket.send_fds(line, [b"\0"], [listener])
        os.close(listener)

    def attend(self) -> Supervisor | None:
        """Be there for what the filter refers to the monitor; None if the child did not come so far."""
        os.close(self._theirs)
        if self._ruleset not in self._kept.values():
            self._ruleset.close()
        with socket.socket(fileno=self._ours) as line:
            _, descriptors, _, _ = socket.recv_fds(line, 1, 1)
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        if not descriptors:
            return None
        rules = self.rules
        return Supervisor(
            descriptors[0],
            calls=rules.calls,
            writable=rules.writable,
            masked=rules.masked,
            of_all_owners=self._keeps_override,
        )

    def _prepare(self, key: bytes) -> _Ruleset:
        """Take the rules of an earlier command, unless they are out of date."""
        kept = self._kept
        if key in kept and kept[key].is_fresh():
            return kept[key]
        if key in kept:
            kept.pop(key).close()
        ruleset = _Ruleset(self.rules)
        if ruleset.is_settled():
            while len(kept) >= _MOST_KEPT:
                kept.pop(next(iter(kept))).close()
            kept[key] = ruleset
        return ruleset


def version() -> int:
    """Which version of Landlock the kernel has; 0 for none."""
    with suppress(OSError):
        return _call(_CREATE_RULESET, None, 0, 1)
    return 0


def handled(abi: int) -> int:
    """All that Landlock can forbid of files in a version."""
    return (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)) - 1


def drop_privileges(*, keep: int) -> None:
    """Give up all capabilities but some, for good."""
    _libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    number = 0
    while keep >> number & 1 or _libc.prctl(_DROP_FROM_BOUNDING_SET, number, 0, 0, 0) == 0:
        number += 1
    header, found = struct.pack("<Ii", _CAPABILITY_VERSION, 0), ctypes.create_string_buffer(24)
    _check(_libc.capget(header, found))
    left = keep & struct.unpack_from("<I", found, offset=4)[0]
    _check(_libc.capset(header, struct.pack("<6I", left, left, 0, 0, 0, 0)))


def install_filter(program: bytes, *, call: int) -> int:
    """Filter the system calls of this process, and give the descriptor on which it asks."""
    code = ctypes.create_string_buffer(program, len(program))
    pointer = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(code)))
    try:
        return _call(call, _SET_FILTER, _NEW_LISTENER | _ONLY_KILLABLE, pointer)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    return _call(call, _SET_FILTER, _NEW_LISTENER, pointer)  # before Linux 5.19


def open_without_links(path: bytes) -> int:
    """Open a place that a path names without a link on the way; who could put one there shall gain nothing."""
    descriptor = os.open(b"/", os.O_PATH | os.O_CLOEXEC)
    for name in path.split(b"/"):
        if not name:
            continue
        try:
            deeper = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = deeper
    return descriptor


def within(path: bytes, top: bytes) -> bool:
    """Whether a path is another one or lies in it."""
    return path == top or path.startswith(top.rstrip(b"/") + b"/")


def _move_away(descriptor: int) -> int:
    """Give a descriptor a number that no command looks for, where it is in nobody's way."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)
    finally:
        os.close(descriptor)


def _stamp(path: bytes) -> tuple[int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns


def _mode(path: bytes) -> int:
    with suppress(OSError):
        return os.lstat(path).st_mode
    return 0


def _owner(path: bytes) -> int:
    with suppress(OSError):
        return os.stat(path).st_uid  # noqa: PTH116
    return 0


def _call(number: int, *arguments: object) -> int:
    return _check(_libc.syscall(ctypes.c_long(number), *arguments))


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def try_out(rules: bytes) -> str:
    """Lay rules upon a process that does nothing, and say what is wrong with them, if anything is."""
    read, write = os.pipe()
    confinement = Confinement(rules)
    child = os.fork()
    if child == 0:
        try:
            confinement.enter()
        except OSError as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.close(write)
    supervisor = confinement.attend()
    os.waitpid(child, 0)
    problem = os.read(read, 4096).decode()
    return problem or ("" if supervisor else "nobody could be asked")


if __name__ == "__main__":
    sys.stdout.write(f"{version()} {try_out(sys.stdin.buffer.read()) if version() else ''}")
