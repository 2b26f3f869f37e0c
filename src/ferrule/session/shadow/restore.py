"""Carries a step over to the present files.

First everything is decided, then it is done: writing before removing, so that what moves is never nowhere. Each file
is replaced in one step, and only if it is still what was decided on. Breaking off in the middle loses nothing, since
what is needed to do the rest is in the store; doing it again does the rest.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from ferrule.core.errors import SessionError
from ferrule.host.files import shown
from ferrule.session.files import reason
from ferrule.session.shadow.inside import content, kind_of, opened, parted, stamp_of
from ferrule.session.shadow.plan import Merge, Now, Refuse, Take, decide
from ferrule.session.shadow.put import put_file, put_folder, put_link, remove_file, remove_folder
from ferrule.session.shadow.scope import CACHES
from ferrule.session.shadow.trees import Difference, Entry, name_of

LARGEST = 64 * 1024 * 1024
IN_THE_WAY = "its directory is now a link or a file"
HOLDS_OTHERS = "it is a directory with other files in it"
JUST_NOW = "it changed just now"
_HOPELESS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
_CASELESS = sys.platform == "darwin"
_NO_FOLDER = {errno.ENOTDIR, errno.ELOOP}
_USABLE = 0o300
MANY = 100
"""From here on files are flushed to the disk all at once, not one by one."""


class Outcome(Struct):
    """What came of it."""

    taken: list[Take]
    refused: list[Refuse]
    left_out: list[Difference]


class Restore:
    """Steps carried over to the files below an open directory: each is planned, then all is done at once."""

    def __init__(self, root: int, *, read: Callable[[bytes], bytes], merge: Merge) -> None:
        self._root = root
        self._read = read
        self._merge = merge
        self._taken: dict[str, Take] = {}
        """What is to be done in the end, with what is there now."""
        self._clearing: set[str] = set()
        """Files that make room for a directory of the same name."""
        self._refused: list[Refuse] = []
        self._failed: set[str] = set()
        """What could not be done although it was decided."""
        self._left_out: list[Difference] = []

    @property
    def outcome(self) -> Outcome:
        """What was done, or would be."""
        taken = [take for path, take in sorted(self._taken.items()) if path not in self._failed]
        return Outcome(taken, self._refused, self._left_out)

    def plan(self, differences: Iterable[Difference]) -> None:
        """Decide on a step, as if what was planned before were done.

        Raises:
            SessionError: a part of the record is missing.
        """
        takes: list[Take] = []
        for one in differences:
            if any(entry and entry.is_left_out for entry in (one.old, one.new)):
                self._left_out.append(one)
                continue
            decision = self._decide(one)
            if isinstance(decision, Refuse):
                self._refused.append(decision)
            elif decision:
                takes.append(decision)
                if _clears(decision):
                    self._clearing.add(one.path)
        for take in self._without_full_folders(takes):
            now = self._taken.get(take.path, take).now
            now = Now(now.entry, b"", now.stamp)  # all those bytes at once would be too many
            self._taken[take.path] = Take(take.path, take.entry, now, take.data)
        self._clearing.clear()

    def carry_out(self) -> None:
        """Do what was decided.

        Raises:
            SessionError: the disk is full or fails; what was done is done, and doing it again does the rest.
        """
        self._taken = {path: take for path, take in self._taken.items() if take.entry != take.now.entry}
        self._clearing = {path for path, take in self._taken.items() if _clears(take)}
        takes = [take for _, take in sorted(self._taken.items())]
        self._each(self._open_up, takes)
        self._each(self._write, [take for take in takes if not self._must_wait(take)])
        self._each(self._remove, reversed(takes))
        self._each(self._write, [take for take in takes if self._must_wait(take)])
        self._each(self._set_mode, reversed(takes))
        if len(takes) > MANY:
            os.sync()

    def _decide(self, one: Difference) -> Take | Refuse | None:
        try:
            now = self._look(one.path)
        except OSError as error:
            return None if one.new is None and error.errno in _NO_FOLDER else Refuse(one.path, _why(error))
        return decide(one, now, read=self._read, merge=self._merge)

    def _look(self, path: str) -> Now:
        """What is at a path now, or will be by then.

        Raises:
            OSError: it cannot be seen, or a directory above it is none.
        """
        if path in self._taken:
            return self._planned(self._taken[path])
        if any(above in self._clearing or self._is_new(above) for above in _above(path)):
            return Now()
        folder, name = parted(path)
        try:
            with opened(self._root, folder) as here:
                info = os.stat(name, dir_fd=here, follow_symlinks=False)
                if _CASELESS and name not in os.listdir(here):  # noqa: PTH208 - pathlib knows no descriptors
                    return Now()  # it is there by another spelling, which is another name
                if not stat.S_ISREG(info.st_mode) and not stat.S_ISLNK(info.st_mode):
                    return Now(Entry(info.st_mode, b""), b"", stamp_of(info))
                data, info = content(here, name, info, most=LARGEST)
                return Now(Entry(kind_of(info), name_of(b"blob", data)), data, stamp_of(info))
        except FileNotFoundError:
            return Now()
        except OverflowError:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG)) from None

    def _planned(self, take: Take) -> Now:
        if take.entry is None or take.entry.is_folder:
            return Now(take.entry)
        return Now(take.entry, self._read(take.entry.id) if take.data is None else take.data)

    def _is_new(self, path: str) -> bool:
        """Whether what is at a path now has nothing to do with what will be."""
        take = self._taken.get(path)
        return take is not None and not _changes_mode(take)

    def _without_full_folders(self, takes: list[Take]) -> list[Take]:
        """A directory goes, or becomes a file, only if nothing else is left in it."""
        kept: list[Take] = []
        going = {take.path for take in takes if take.entry is None}
        planned: dict[str, list[str]] = {}
        for path in self._taken:
            planned.setdefault(parted(path)[0], []).append(parted(path)[1])
        for take in reversed(takes):
            if not _is_folder(take.now.entry) or _is_folder(take.entry) or self._only_holds(take.path, going, planned):
                kept.append(take)
            elif take.entry is None:
                going.discard(take.path)
            else:
                self._refused.append(Refuse(take.path, HOLDS_OTHERS))
        return kept[::-1]

    def _only_holds(self, path: str, going: Collection[str], planned: Mapping[str, list[str]]) -> bool:
        names = set(planned.get(path, ()))
        with suppress(FileNotFoundError, NotADirectoryError), opened(self._root, path) as here:
            names.update(os.listdir(here))  # noqa: PTH208 - pathlib knows no descriptors
        return all(name in CACHES or self._is_gone(f"{path}/{name}", going) for name in names)

    def _is_gone(self, path: str, going: Collection[str]) -> bool:
        return path in going or (path in self._taken and self._taken[path].entry is None)

    def _must_wait(self, take: Take) -> bool:
        """Whether something has to go before it can come."""
        return _swaps_folder(take) or any(path in self._clearing for path in (take.path, *_above(take.path)))

    def _each(self, act: Callable[[Take], None], takes: Iterable[Take]) -> None:
        for take in takes:
            if take.path in self._failed:
                continue
            try:
                act(take)
            except OSError as error:
                if error.errno in _HOPELESS:
                    raise SessionError(
                        f"Not all was done ({reason(error)}): {shown(Path(take.path))}. Nothing is lost; try again."
                    ) from None
                self._refused.append(Refuse(take.path, _why(error)))
                self._failed.add(take.path)

    def _open_up(self, take: Take) -> None:
        """Give a directory its mode at once if files in it could not be changed otherwise."""
        if _changes_mode(take) and take.entry and take.entry.mode & _USABLE == _USABLE:
            self._set_mode(take)

    def _write(self, take: Take) -> None:
        entry = take.entry
        if entry is None or _changes_mode(take):
            return
        folder, name = parted(take.path)
        with opened(self._root, folder, make=True) as here:
            if entry.is_folder:
                put_folder(here, name, entry.mode | 0o700)
                return
            data = self._read(entry.id) if take.data is None else take.data
            expected = () if self._must_wait(take) else take.now.stamp
            if entry.is_file:
                put_file(here, name, data, mode=entry.mode, expected=expected, flush=len(self._taken) <= MANY)
            else:
                put_link(here, name, data, expected=expected)

    def _remove(self, take: Take) -> None:
        now, becomes = take.now.entry, take.entry
        if now is None or not (becomes is None or _swaps_folder(take) or take.path in self._clearing):
            return
        folder, name = parted(take.path)
        with suppress(FileNotFoundError), opened(self._root, folder) as here:
            if now.is_folder:
                remove_folder(here, name)
            else:
                remove_file(here, name, expected=take.now.stamp)

    def _set_mode(self, take: Take) -> None:
        if take.entry and take.entry.is_folder:
            with opened(self._root, take.path) as here:
                os.fchmod(here, stat.S_IMODE(take.entry.mode))


def _is_folder(entry: Entry | None) -> bool:
    return bool(entry and entry.is_folder)


def _changes_mode(take: Take) -> bool:
    return _is_folder(take.now.entry) and _is_folder(take.entry)


def _swaps_folder(take: Take) -> bool:
    return _is_folder(take.now.entry) and take.entry is not None and not take.entry.is_folder


def _clears(take: Take) -> bool:
    return _is_folder(take.entry) and take.now.entry is not None and not take.now.entry.is_folder


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _why(error: OSError) -> str:
    if error.errno in _NO_FOLDER:
        return IN_THE_WAY
    return JUST_NOW if error.errno == errno.ESTALE else f"it could not be done: {reason(error)}"
