"""One look at a project's files: what is new since the last look is read and kept, and trees are made of it all.

A file is taken for unchanged if it looks the same from outside and had been left alone for a moment when it was
read: what is written within one tick of the clock of the file system looks the same as what was there before.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from msgspec import Struct

from ferrule.core.errors import SessionError
from ferrule.session.shadow.inside import FOLDER, content, kind_of, stamp_of
from ferrule.session.shadow.scope import (
    BULK,
    BULK_IF_IGNORED,
    CACHES,
    DEEP,
    FLEETING,
    FOREIGN,
    GITS_OWN,
    INSTALLED,
    PLACE_HOLDERS,
    SPECIAL,
    UNREADABLE,
    Ignored,
    Left,
    Limits,
    is_gits,
    is_ours,
    too_large,
    too_many,
)
from ferrule.session.shadow.trees import LEFT_OUT, Entry, encode

_SECOND = 1_000_000_000
_TICK = 20_000_000
"""Nanoseconds within which a file may be written twice and show one time; some file systems count whole seconds."""

_OFTEN = 1_000
"""Entries of a directory after which the limits are looked at again."""


class Leaf(Struct, array_like=True, tag=True):
    """A file or a link, as it was read."""

    stamp: tuple[int, ...]
    mode: int
    id: bytes
    seen: int
    """When its bytes were known to be these."""

    @property
    def settled(self) -> bool:
        """Whether it cannot have changed without looking different."""
        return is_settled(self.stamp[1], self.seen)


class Folder(Struct, array_like=True, tag=True):
    """A directory, as it was looked at."""

    stamp: tuple[int, ...]
    mode: int
    id: bytes
    seen: int
    ignored: bool
    nodes: "dict[str, Leaf | Folder | Left]"

    @property
    def settled(self) -> bool:
        """Whether nothing can have come or gone without its looking different."""
        return is_settled(self.stamp[1], self.seen)


Node = Leaf | Folder | Left


class _CrowdedError(Exception):
    """An ignored directory holds too much."""


class Scan:
    """One look. `within` names the directories that may have changed; without it all are looked at."""

    def __init__(
        self,
        *,
        keep: Callable[[bytes], bytes],
        keep_tree: Callable[[bytes], bytes],
        ignored: Ignored,
        limits: Limits,
        apart: Collection[tuple[int, int]],
        hashed: dict[tuple[int, ...], bytes],
        within: Collection[str] | None,
        stopped: Callable[[], bool],
    ) -> None:
        self._keep = keep
        self._keep_tree = keep_tree
        self._ignored = ignored
        self._limits = limits
        self._apart = apart
        self._hashed = hashed
        """Ids by stamps: what an attempt that came to nothing has kept already."""
        self._within = within
        self._stopped = stopped
        self._deadline = time.monotonic() + limits.seconds
        self._device = 0
        self._count = self._bytes = 0
        self._room: int | None = None
        """How many more entries the ignored directory may have that we are in."""
        self.looked: list[str] = []
        """The directories that were looked at."""

    def look(self, root: int, old: Folder | None, *, anew: bool) -> Folder:
        """Look at the whole project; `anew` asks again what is ignored.

        Raises:
            SessionError: there is too much to record, or it takes too long.
            OSError: the project or the store fails us.
        """
        info = os.fstat(root)
        self._device = info.st_dev
        return self._folder(root, "", info, old, ignored=False, anew=anew, ask=True)

    def _folder(
        self, here: int, path: str, info: os.stat_result, old: Folder | None, *, ignored: bool, anew: bool, ask: bool
    ) -> Folder:
        began = time.time_ns()
        self.looked.append(path)
        listed = self._list(here)
        known: Mapping[str, Node] = old.nodes if old else {}
        if rules := listed.get(".gitignore"):
            was = known.get(".gitignore")
            anew = anew or not isinstance(was, Leaf) or was.stamp != stamp_of(rules)
            ask = ask and stat.S_ISREG(rules.st_mode)  # git would wait for whoever writes into a pipe
        elif ".gitignore" in known:
            anew = True
        nodes: dict[str, Node] = {}
        folders: dict[str, os.stat_result] = {}
        for name, seen in listed.items():
            if stat.S_ISDIR(seen.st_mode):
                folders[name] = seen
                continue
            stamp, was = stamp_of(seen), known.get(name)
            if isinstance(was, Leaf) and was.stamp == stamp and was.settled and not anew:
                was.seen = began
                nodes[name] = was
            elif node := self._file(here, path, name, seen, was, ignored=ignored, anew=anew, ask=ask):
                nodes[name] = node
        if folders:
            self._folders(here, path, folders, known, nodes, ignored=ignored, anew=anew, ask=ask)
        return self._made(nodes, info, old, ignored=ignored, seen=began)

    def _list(self, here: int) -> dict[str, os.stat_result]:
        listed: dict[str, os.stat_result] = {}
        count = 0
        with os.scandir(here) as entries:
            for count, entry in enumerate(entries, start=1):
                if entry.name not in CACHES and not is_ours(entry.name):
                    with suppress(FileNotFoundError, PermissionError):  # names can be listed, but no more
                        listed[entry.name] = entry.stat(follow_symlinks=False)
                if count % _OFTEN == 0:
                    self._check(_OFTEN)
        self._check(count % _OFTEN)
        return listed

    def _check(self, count: int) -> None:
        """Hold to the limits."""
        self._count += count
        if self._room is not None:
            self._room -= count
            if self._room < 0:
                raise _CrowdedError
        if self._count > self._limits.most:
            raise SessionError(f"There are more than {self._limits.most:,} files here, too many to record them.")
        if self._bytes > self._limits.bytes:
            raise SessionError(f"There are more than {self._limits.bytes >> 20:,} MB here, too much to record it.")
        if self._stopped():
            raise SessionError("The recording of files was called off.")
        if time.monotonic() > self._deadline:
            raise SessionError(f"Recording the files here takes longer than {self._limits.seconds:g} s.")

    def _file(
        self,
        here: int,
        path: str,
        name: str,
        info: os.stat_result,
        was: Node | None,
        *,
        ignored: bool,
        anew: bool,
        ask: bool,
    ) -> Node | None:
        """Read a file or a link, or say why not; nothing if it has vanished."""
        stamp, limits = stamp_of(info), self._limits
        if is_gits(name):
            return GITS_OWN
        if isinstance(was, Left) and was.still_stands(stamp) and not anew:
            return was
        if not stat.S_ISREG(info.st_mode) and not stat.S_ISLNK(info.st_mode):
            return Left(SPECIAL, stamp[3:], shows=True)
        most = limits.largest
        if limits.largest_ignored < info.st_size <= most and (ignored or self._is_ignored(path, [name], ask=ask)[0]):
            most = limits.largest_ignored
        if info.st_size > most:
            return Left(too_large(info.st_size, most), stamp, shows=True, stands=True)
        if isinstance(was, Leaf) and was.settled and was.stamp == stamp:
            return was
        began = time.time_ns()
        if id_ := self._hashed.get(stamp):
            return Leaf(stamp, kind_of(info), id_, began)
        try:
            data, info = content(here, name, info, most=most)
        except OverflowError:
            return Left(FLEETING, stamp, shows=True)
        except FileNotFoundError:
            return None
        except OSError as error:
            return Left(FLEETING if error.errno == errno.ELOOP else UNREADABLE, stamp, shows=True)
        self._bytes += len(data)
        self._check(0)
        leaf = Leaf(stamp_of(info), kind_of(info), self._keep(data), began)
        if leaf.settled:
            self._hashed[leaf.stamp] = leaf.id
        return leaf

    def _folders(
        self,
        here: int,
        path: str,
        folders: Mapping[str, os.stat_result],
        known: Mapping[str, Node],
        nodes: dict[str, Node],
        *,
        ignored: bool,
        anew: bool,
        ask: bool,
    ) -> None:
        """Look into the directories of a directory."""
        wanted = {name: info for name, info in folders.items() if not self._is_apart(name, info, nodes)}
        if not anew:
            nodes.update(self._passed_over(path, wanted, known))
        waiting = [name for name in wanted if name not in nodes]
        unsure = [name for name in waiting if not ignored and (anew or not isinstance(known.get(name), Folder))]
        verdicts = dict(zip(unsure, self._is_ignored(path, unsure, ask=ask), strict=True))
        for name in waiting:
            was = one if isinstance(one := known.get(name), Folder) else None
            hidden = ignored or verdicts.get(name, was.ignored if was else False)
            top = hidden and not ignored
            node = self._enter(here, _joined(path, name), name, was, ignored=hidden, top=top, anew=anew, ask=ask)
            if node and not (name in PLACE_HOLDERS and isinstance(node, Folder) and not node.nodes):
                nodes[name] = node

    def _passed_over(
        self, path: str, folders: Mapping[str, os.stat_result], known: Mapping[str, Node]
    ) -> dict[str, Node]:
        """The directories that need not be looked at again."""
        passed: dict[str, Node] = {}
        for name, info in folders.items():
            was = known.get(name)
            if isinstance(was, Left):
                if was.still_stands(stamp_of(info)):
                    passed[name] = was
            elif isinstance(was, Folder) and self._within is not None and _joined(path, name) not in self._within:
                passed[name] = was
        return passed

    def _is_apart(self, name: str, info: os.stat_result, nodes: dict[str, Node]) -> bool:
        """Whether a directory is none to look into; a mark of it is left where one is due."""
        if (info.st_dev, info.st_ino) in self._apart:
            return True
        if is_gits(name):
            nodes[name] = GITS_OWN
        elif name in BULK:
            nodes[name] = INSTALLED
        elif info.st_dev != self._device:
            nodes[name] = FOREIGN
        return name in nodes

    def _is_ignored(self, path: str, names: list[str], *, ask: bool) -> list[bool]:
        if not ask:
            return [False] * len(names)
        return self._ignored.among([os.fsencode(_joined(path, name)) for name in names])

    def _enter(
        self, here: int, path: str, name: str, was: Folder | None, *, ignored: bool, top: bool, anew: bool, ask: bool
    ) -> Node | None:
        """Look into a directory, or say why not; nothing if it has vanished. `top`: an ignored one begins here."""
        if top and name in BULK_IF_IGNORED:
            return INSTALLED
        if path.count("/") >= self._limits.deepest:
            return DEEP
        try:
            below = os.open(name, FOLDER, dir_fd=here)
        except FileNotFoundError:
            return None
        except OSError as error:
            return Left(UNREADABLE if error.errno in {errno.EACCES, errno.EPERM} else FLEETING)
        try:
            info = os.fstat(below)
            if top:
                self._room = self._limits.most_ignored
            return self._folder(below, path, info, was, ignored=ignored, anew=anew, ask=ask)
        except _CrowdedError:
            if not top:
                raise
            return Left(too_many(self._limits.most_ignored), stamp_of(info), stands=True)
        finally:
            if top:
                self._room = None
            os.close(below)

    def _made(
        self, nodes: dict[str, Node], info: os.stat_result, old: Folder | None, *, ignored: bool, seen: int
    ) -> Folder:
        """The directory as it is now; its tree is written only if it is another than before."""
        mode, stamp = info.st_mode, stamp_of(info)
        if old and len(nodes) == len(old.nodes) and all(old.nodes.get(name) is node for name, node in nodes.items()):
            id_ = old.id
        else:
            id_ = self._keep_tree(encode({name: entry_of(node) for name, node in nodes.items()}))
        if old and (old.id, old.mode, old.stamp) == (id_, mode, stamp):
            old.nodes, old.seen, old.ignored = nodes, seen, ignored
            return old
        return Folder(stamp, mode, id_, seen, ignored, nodes)


def entry_of(node: Node) -> Entry:
    """What stands for it in a tree."""
    return Entry(LEFT_OUT if isinstance(node, Left) else node.mode, node.id)


def _joined(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def is_settled(changed: int, seen: int) -> bool:
    """Whether something had been left alone for a moment when it was looked at."""
    return changed < seen - (_TICK if changed % _SECOND else 2 * _SECOND)
