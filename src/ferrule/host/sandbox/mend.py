"""Looks at protected things without following links, and makes them again as they were.

All this happens in directories that a hostile command may still be rearranging: everything is named by an open
directory and a name in it, and nothing is ever reached through a link.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

LARGEST = 4_000_000
"""Bytes of a file that are kept in mind. Of a larger one a change is told, but cannot be undone."""
DEEPEST = 40
"""Directories in directories; what lies deeper steers no program."""
OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_REMOVED = "removed are put back"


class File(Struct, frozen=True):
    """A regular file."""

    mode: int
    owner: tuple[int, int]
    data: bytes | None
    """None for one that is too large or cannot be read."""
    changed: int
    """When it was last written, in nanoseconds."""
    stamp: tuple[int, ...]
    """What nearly every change would change."""


class Link(Struct, frozen=True):
    """A symbolic link."""

    target: str


class Directory(Struct, frozen=True):
    """A directory."""

    mode: int
    inode: int
    """By which it is known again; 0 if it may be another's by now."""
    names: frozenset[str] | None = None
    """All that was in it; None for one that only has to stay where it is."""


class Other(Struct, frozen=True):
    """A pipe, a socket or a device."""

    stamp: tuple[int, ...]


Node = File | Link | Directory | Other


def look(directory: int, name: str, *, room: int = LARGEST, known: Node | None = None) -> Node | None:
    """See what is there, down to the contents of a file unless they are known, but not into a directory."""
    try:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
        mode = stat.S_IMODE(found.st_mode)
        if stat.S_ISLNK(found.st_mode):
            return Link(os.readlink(name, dir_fd=directory))
        if stat.S_ISDIR(found.st_mode):
            return Directory(mode, found.st_ino)
        if stat.S_ISREG(found.st_mode):
            stamp = (found.st_ino, found.st_size, found.st_ctime_ns)
            if isinstance(known, File) and known.stamp == stamp and known.data is not None:
                return known
            data = _contents(directory, name, found.st_size) if found.st_size <= room else None
            return File(mode, (found.st_uid, found.st_gid), data, found.st_mtime_ns, stamp)
    except FileNotFoundError:
        return None
    return Other((found.st_mode, found.st_ino, found.st_rdev))


def _contents(directory: int, name: str, size: int) -> bytes | None:
    """Read a file; None if it is not of that size any more, or cannot be read."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except OSError:
        return None
    try:
        data = os.read(descriptor, size + 1)
    finally:
        os.close(descriptor)
    return data if len(data) == size else None


def _is_same(before: Node | None, now: Node | None) -> bool:
    """Whether nothing changed. Of a file of known contents the rest does not matter."""
    if isinstance(before, File) and isinstance(now, File) and before.data is not None:
        return (before.mode, before.owner, before.data) == (now.mode, now.owner, now.data)
    return before == now


class Mender:
    """Makes things as they were, and notes what was not."""

    def __init__(self, aside: Path, findings: dict[str, list[str]], *, is_hasty: bool) -> None:
        self._aside, self._findings, self._is_hasty = aside, findings, is_hasty
        self._count = 0

    def mend(self, directory: int, name: str, before: Node | None, *, path: str) -> None:
        """Make one thing as it was."""
        try:
            now = look(directory, name, known=before if self._is_hasty else None)
            if isinstance(before, Directory) and isinstance(now, Directory):
                self._mend_directory(directory, name, before, now, path=path)
            elif not _is_same(before, now):
                self._mend_other(directory, name, before, path=path, is_there=now is not None)
            elif isinstance(before, File) and isinstance(now, File) and now.changed != before.changed:
                _set_time(directory, name, before.changed)
        except OSError as error:
            self._tell(path, f"changed could not be put back ({error.strerror})")

    def _mend_other(self, directory: int, name: str, before: Node | None, *, path: str, is_there: bool) -> None:
        if isinstance(before, Other) or (isinstance(before, File) and before.data is None):
            self._tell(path, "changed are too large or too odd to be put back")
            return
        taken = self._take(directory, name) if is_there else ""
        if before is None:
            self._tell(path, f"made are {taken}")
            return
        _make(directory, name, before)
        self._tell(path, f"changed are put back, and the changed ones {taken}" if taken else _REMOVED)
        now = look(directory, name)
        if isinstance(before, Directory) and isinstance(now, Directory):  # it may have come back with more in it
            self._mend_directory(directory, name, before, now, path=path)

    def _mend_directory(self, directory: int, name: str, before: Directory, now: Directory, *, path: str) -> None:
        """Take out what was not in a directory; what is missing in it comes later, name by name."""
        is_another = before.inode not in {0, now.inode}
        if is_another and (earlier := _find(directory, before.inode)):
            taken = self._take(directory, name)
            os.rename(earlier, name, src_dir_fd=directory, dst_dir_fd=directory)
            self._tell(path, f"moved are put back, and those put there instead {taken}")
        if is_another or now.mode != before.mode:
            _change_mode(directory, name, before.mode)
        if before.names is not None:
            for inside, entry in _entries(directory, name):
                if entry not in before.names:
                    self._tell(f"{path}/{entry}", f"made are {self._take(inside, entry)}")

    def _tell(self, path: str, words: str) -> None:
        self._findings.setdefault(words, []).append(path if path.isprintable() else ascii(path))

    def _take(self, directory: int, name: str) -> str:
        """Move something aside, or remove it if that cannot be; say what became of it."""
        with suppress(OSError):  # a directory that its owner cannot write to cannot be moved elsewhere
            _change_mode(directory, name, 0o700)
        self._count += 1
        try:
            self._aside.mkdir(mode=0o700, parents=True, exist_ok=True)
            target = self._aside / f"{self._count}-{name}"
            try:
                os.rename(name, target, src_dir_fd=directory)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                _copy(directory, name, target)
                _remove(directory, name)
        except OSError:
            _remove(directory, name)
            return "removed"
        return f"kept in {self._aside}"


def _find(directory: int, inode: int) -> str | None:
    """Where in the same directory something lies now."""
    with os.scandir(directory) as entries:
        return next((entry.name for entry in entries if inode and entry.inode() == inode), None)


def _make(directory: int, name: str, node: Node) -> None:
    """Make something as it was; in one step, so that nobody finds half of it."""
    if isinstance(node, Other):
        return
    moved = _find(directory, node.inode) if isinstance(node, Directory) else None
    new = moved or f".{os.urandom(8).hex()}"
    try:
        if not moved:
            _make_under(directory, new, node)
        if isinstance(node, Directory):
            _change_mode(directory, new, node.mode)
        os.rename(new, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:  # something else was put there meanwhile
        if not moved:
            _remove_made(directory, new, node)
        raise


def _make_under(directory: int, new: str, node: File | Link | Directory) -> None:
    match node:
        case File(mode=mode, owner=owner, data=data, changed=changed):
            descriptor = os.open(new, _NEW_FILE, 0o600, dir_fd=directory)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data or b"")
                with suppress(PermissionError):
                    os.fchown(descriptor, *owner)
                os.fchmod(descriptor, mode)
                file.flush()
                os.utime(descriptor, ns=(changed, changed))
        case Link(target=target):
            os.symlink(target, new, dir_fd=directory)
        case Directory():
            os.mkdir(new, 0o700, dir_fd=directory)


def _remove_made(directory: int, new: str, node: Node) -> None:
    with suppress(OSError):
        (os.rmdir if isinstance(node, Directory) else os.unlink)(new, dir_fd=directory)


def _set_time(directory: int, name: str, changed: int) -> None:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    try:
        os.utime(descriptor, ns=(changed, changed))
    finally:
        os.close(descriptor)


def _change_mode(directory: int, name: str, mode: int) -> None:
    descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory)
    try:
        os.chmod(f"/proc/self/fd/{descriptor}", mode)  # noqa: PTH101 - it may be one that cannot be opened
    finally:
        os.close(descriptor)


def _copy(directory: int, name: str, target: Path, *, depth: int = 0) -> None:
    """Copy something to another file system, as far as it is worth it."""
    node = look(directory, name, room=0)
    if isinstance(node, Directory) and depth < DEEPEST:
        target.mkdir(mode=0o700)
        for inside, entry in _entries(directory, name):
            _copy(inside, entry, target / entry, depth=depth + 1)
    elif isinstance(node, Link):
        target.symlink_to(node.target)
    elif isinstance(node, File):
        source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
        with os.fdopen(source, "rb") as file, target.open("xb") as copy:
            copy.write(file.read(LARGEST))


def _remove(directory: int, name: str) -> None:
    """Remove something with all that is in it, at whatever depth: directories in it are first lifted out of it."""
    left = [name]
    while left:
        name = left.pop()
        if not isinstance(look(directory, name, room=0), Directory):
            os.unlink(name, dir_fd=directory)
            continue
        _change_mode(directory, name, 0o700)
        for inside, entry in _entries(directory, name):
            left.append(f".{os.urandom(8).hex()}")
            with suppress(OSError):
                _change_mode(inside, entry, 0o700)
            os.rename(entry, left[-1], src_dir_fd=inside, dst_dir_fd=directory)
        os.rmdir(name, dir_fd=directory)


def _entries(directory: int, name: str) -> Iterator[tuple[int, str]]:
    """What is in a directory, with the directory itself held open."""
    inside = os.open(name, OPEN_DIRECTORY, dir_fd=directory)
    try:
        for entry in os.listdir(inside):  # noqa: PTH208 - of an open directory
            yield inside, entry
    finally:
        os.close(inside)
