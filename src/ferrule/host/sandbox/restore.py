"""Puts protected files back that a command changed, where nothing could keep it from changing them.

What was at each protected path is noted when a command begins, and compared, contents and all, when it ends. What
the command made of it is not lost but taken aside, to where no command can write.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self
from weakref import WeakSet

from msgspec import structs

from ferrule.host.sandbox.mend import DEEPEST, LARGEST, OPEN_DIRECTORY, Directory, File, Mender, Node, look
from ferrule.host.sandbox.profile import Finish

ROOM = 24_000_000
MOST_ENTRIES = 2_000
"""Bytes of all files together, and entries of directories, that are kept in mind; further entries are not looked at."""
_MOST_PINS = 64
_MOST_NAMES = 4


class Guard:
    """Keeps an eye on the protected paths of a session, over commands that may run at the same time."""

    def __init__(self, aside: Path) -> None:
        self._aside = aside
        self._record = Record()
        self._running: WeakSet[_Turn] = WeakSet()

    def begin(self, paths: Iterable[str], places: Sequence[str]) -> Finish:
        """Note how things are, for a command that may write to some places; the answer puts them right afterwards.

        While another command still runs, what was changed since that one began is put right first, and goes on
        counting as a change.
        """
        notes: tuple[str, ...] = ()
        if self._running:
            notes = self._record.put_right(self._aside, is_hasty=True)
        else:
            self._record.close()
            self._record = Record(self._record)
        self._record.add(paths, places)
        turn = _Turn(self._finish, notes)
        self._running.add(turn)
        return turn

    def _finish(self, turn: "_Turn", *, is_over: bool) -> tuple[str, ...]:
        if turn not in self._running:
            return ()
        if is_over:
            self._running.discard(turn)
        notes = self._record.put_right(self._aside, is_hasty=not is_over)
        if not self._running:
            self._record.close()
        return notes


class _Turn:
    """One command's part in it, forgotten with the command should that never begin."""

    def __init__(self, finish: Callable[..., tuple[str, ...]], notes: tuple[str, ...]) -> None:
        self._finish, self._notes = finish, notes

    def __call__(self, *, is_over: bool) -> tuple[str, ...]:
        """Put right what was changed, and say what that was."""
        notes = self._notes + self._finish(self, is_over=is_over)
        self._notes = ()
        return notes


class Record:
    """What was at some paths, and that the directories above them were directories."""

    def __init__(self, earlier: "Record | None" = None) -> None:
        """Begin with nothing noted. Files that have not changed since an earlier record need not be read again."""
        self.nodes: dict[tuple[str, str], Node | None] = {}
        """What was there, by the place and the path in it; None for nothing."""
        self._known = earlier.nodes if earlier else {}
        self._room, self._entries = ROOM, MOST_ENTRIES
        self._pins: list[int] = []

    def close(self) -> None:
        """Let go of the directories that are known by their inodes."""
        while self._pins:
            os.close(self._pins.pop())

    def add(self, paths: Iterable[str], places: Sequence[str]) -> None:
        """Note what is at further paths in writable places; where there is a note, it counts."""
        with Hands() as hands:
            for path in paths:
                place = max((one for one in places if path.startswith(one.rstrip("/") + "/")), key=len, default="")
                inner = path[len(place.rstrip("/")) + 1 :]
                if place and inner:
                    parts = inner.split("/")
                    for depth in range(1, len(parts)):
                        self._note(hands, place, "/".join(parts[:depth]), is_deep=False)
                    self._note(hands, place, inner, is_deep=True)

    def put_right(self, aside: Path, *, is_hasty: bool = False) -> tuple[str, ...]:
        """Make everything as it was, and say what was not.

        In haste a file that bears no sign of a change is not read; what writes through shared memory may leave none.
        """
        findings: dict[str, list[str]] = {}
        with Hands() as hands:
            mender = Mender(aside / os.urandom(4).hex(), findings, is_hasty=is_hasty)
            for (place, inner), before in self.nodes.items():
                above, _, name = inner.rpartition("/")
                with suppress(OSError):  # the directory is missing as it was, or told of already
                    mender.mend(hands.directory(place, above), name, before, path=f"{place.rstrip('/')}/{inner}")
        return tuple(f"Protected files that the command {words}: {_listed(paths)}" for words, paths in findings.items())

    def _note(self, hands: "Hands", place: str, inner: str, *, is_deep: bool) -> None:
        known = self.nodes.get((place, inner), hands)
        if known is not hands and not (is_deep and isinstance(known, Directory) and known.names is None):
            return
        above, _, name = inner.rpartition("/")
        try:
            known = self._known.get((place, inner))
            node = look(hands.directory(place, above), name, room=min(LARGEST, self._room), known=known)
        except OSError:
            node = None
        if isinstance(node, File) and node.data:
            self._room -= len(node.data)
        if isinstance(node, Directory):
            node = self._pin(hands, place, inner, node)
        self.nodes[place, inner] = node
        if is_deep and isinstance(node, Directory) and inner.count("/") < DEEPEST:
            with suppress(OSError):
                names = frozenset(os.listdir(hands.directory(place, inner)))  # noqa: PTH208 - it is open
                self.nodes[place, inner] = structs.replace(node, names=names)
                self._note_entries(hands, place, inner, names)

    def _pin(self, hands: "Hands", place: str, inner: str, node: Directory) -> Directory:
        """Hold a directory open, for as long as nobody else can have its inode."""
        with suppress(OSError):
            if len(self._pins) < _MOST_PINS:
                self._pins.append(os.dup(hands.directory(place, inner)))
                return structs.replace(node, inode=os.fstat(self._pins[-1]).st_ino)
        return structs.replace(node, inode=0)

    def _note_entries(self, hands: "Hands", place: str, inner: str, names: Iterable[str]) -> None:
        for name in sorted(names):
            if self._entries <= 0:
                return
            self._entries -= 1
            self._note(hands, place, f"{inner}/{name}", is_deep=True)


class Hands:
    """Holds directories open for as long as something is done in them."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._open.values():
            os.close(descriptor)

    def directory(self, place: str, inner: str) -> int:
        """Open a directory in a place, with no link on the way to it."""
        if (place, inner) not in self._open:
            above, _, name = inner.rpartition("/")
            self._open[place, inner] = (
                os.open(name, OPEN_DIRECTORY, dir_fd=self.directory(place, above))
                if inner
                else os.open(place, OPEN_DIRECTORY)
            )
        return self._open[place, inner]


def _listed(paths: list[str]) -> str:
    """Some paths, and how many more."""
    shown = ", ".join(paths[:_MOST_NAMES])
    return shown if len(paths) <= _MOST_NAMES else f"{shown} and {len(paths) - _MOST_NAMES} more"
