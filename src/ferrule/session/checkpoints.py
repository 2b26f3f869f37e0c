"""Records of a project's files, and the way back: what each step changed can be taken back, and done again.

The files are recorded in a shadow repository outside the project; the project's own repository is neither read nor
touched, but for its rules on what to ignore. Undoing a step carries the difference from what it left to what it found
over to the present files, so that only what the step changed is touched, and what was edited since is merged or kept.
"""

import asyncio
import hashlib
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from ferrule.config.paths import data_home
from ferrule.core.errors import SessionError
from ferrule.core.regex import lazy
from ferrule.host.files import shown
from ferrule.host.versions import Edited
from ferrule.session.files import reason
from ferrule.session.shadow import memory
from ferrule.session.shadow.compare import merge, show
from ferrule.session.shadow.edits import edits_of
from ferrule.session.shadow.git import Git
from ferrule.session.shadow.glance import Glance, folders_of
from ferrule.session.shadow.inside import FOLDER, stamp_of
from ferrule.session.shadow.restore import Restore
from ferrule.session.shadow.scan import Folder, Scan
from ferrule.session.shadow.scope import Ignored, Left, Limits
from ferrule.session.shadow.store import Store
from ferrule.session.shadow.telling import Applied, Change, Conflict, applied, of_difference, told
from ferrule.session.shadow.trees import Difference, differences, plant

__all__ = ["Applied", "Change", "Checkpoints", "Conflict", "Limits", "checkpoints_of"]

_MEMORY = "last-look"
_INDEX = "index"
_ID = lazy(r"[0-9a-f]{40}")
_TRIES = 3
_WEEK = 7 * 86_400


class Checkpoints:
    """The records of one project. Several Ferrules may use the same store at once.

    `apart` names places that are never recorded although they may lie in the project, such as Ferrule's own data.
    """

    def __init__(self, root: Path, store: Path, *, limits: Limits | None = None, apart: Iterable[Path] = ()) -> None:
        self.root = Path(os.path.realpath(root))
        self._git = Git(self.root, store)
        self._store = Store(store, self._git)
        self._limits = limits or Limits()
        self._apart = (store, *apart)
        self._glance = Glance(self._git, self.root, store / f"index-{os.getpid()}-{os.urandom(4).hex()}")
        self._top: Folder | None = None
        self._rules: tuple[int, ...] | None = None
        self._hashed: dict[tuple[int, ...], bytes] = {}
        self._alone = threading.Lock()
        self._unsaved = False
        self._failures = 0
        self._problem = ""

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the last record does not hold, and why."""
        if self._top is None:
            return ()
        found = [
            f"{shown(Path(path, name))}: {node.why}"
            for path, folder in folders_of(self._top)
            for name, node in folder.nodes.items()
            if isinstance(node, Left) and name != ".git"
        ]
        return tuple(sorted(found))

    async def record(self) -> str:
        """Record the files as they are now, and give the id of the record.

        Raises:
            SessionError: there is too much to record, or it failed; the text says what it means for the person.
        """
        stop = threading.Event()
        try:
            async with asyncio.timeout(3 * self._limits.seconds):
                return await asyncio.to_thread(self._record, stop.is_set)
        except TimeoutError:  # a file system that does not answer
            self._problem = "The files here cannot be recorded: the file system does not answer."
            raise SessionError(self._problem) from None
        finally:
            stop.set()

    async def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """What differs between two records.

        Raises:
            SessionError: one of them is not there.
        """
        return await asyncio.to_thread(self._changes, _known(before), _known(after))

    async def apply(self, *, frm: str, to: str, dry: bool = False) -> Applied:
        """Carry the difference between two records over to the present files; `dry` only says what would happen.

        Raises:
            SessionError: a record is not there, and nothing was done; or the disk failed, and doing it again helps.
        """
        return await asyncio.to_thread(partial(self._apply, [(_known(frm), _known(to))], dry=dry))

    async def preview(self, steps: Sequence[tuple[str, str]]) -> Applied:
        """What carrying over several differences, one after the other, would do; each is from one record to another.

        Raises:
            SessionError: a record is not there.
        """
        return await asyncio.to_thread(partial(self._apply, _all_known(steps), dry=True))

    async def diff(self, frm: str, to: str | None = None) -> str:
        """A unified diff between two records, or between a record and the files as they are now.

        Raises:
            SessionError: a record is not there, or the present could not be recorded.
        """
        return await asyncio.to_thread(self._diff, _known(frm), _known(to or await self.record()))

    async def combined(self, steps: Sequence[tuple[str, str]]) -> str:
        """One unified diff of what several steps changed, each given by the records before and after it.

        Raises:
            SessionError: a record is not there.
        """
        return await asyncio.to_thread(self._combined, _all_known(steps))

    async def edits(self, steps: Sequence[tuple[str, str]]) -> tuple[Edited, ...]:
        """What several steps did to each file, in bytes, each step given by the records before and after it.

        Raises:
            SessionError: a record is not there.
        """
        return await asyncio.to_thread(self._edits, _all_known(steps))

    async def forget(self, keep: Collection[str]) -> int:
        """Remove all records but these and those of the last day; gives their number. Does nothing if others are busy.

        Raises:
            SessionError: git failed at it; then all that is kept is still there.
        """
        return await asyncio.to_thread(self._forget, frozenset(keep))

    @property
    def is_untidy(self) -> bool:
        """Whether it is time to forget what nobody needs; true once a week."""
        stamp = self._store.path / "tidied"
        try:
            if time.time() - stamp.stat().st_mtime < _WEEK:
                return False
        except OSError:
            pass
        with suppress(OSError):
            stamp.touch(mode=0o600)
        return True

    async def close(self) -> None:
        """Remember the last look for the next run, and leave nothing else behind."""
        await asyncio.to_thread(self._close)

    def _record(self, stopped: Callable[[], bool]) -> str:
        if self._problem:
            raise SessionError(self._problem)
        with self._working():
            try:
                top = self._look(stopped)
            except SessionError as error:
                self._failures += not stopped()
                if self._failures >= _TRIES:
                    self._problem = str(error)
                raise
            self._failures = 0
            return top.id.hex()

    def _look(self, stopped: Callable[[], bool]) -> Folder:
        rules = self._current_rules()
        old = self._remembered(rules)
        within = self._glance.suspects(old, seconds=self._limits.seconds) if old and rules == self._rules else None
        failure: Exception | None = None
        hashed = dict(self._hashed)
        with (
            self._opened() as root,
            self._ignored() as ignored,
            self._store.taking_in(3 * self._limits.seconds) as keep,
        ):
            scan = Scan(
                keep=keep,
                keep_tree=partial(self._store.put, b"tree"),
                ignored=ignored,
                limits=self._limits,
                apart=self._places_apart(),
                hashed=hashed,
                within=within,
                stopped=stopped,
            )
            try:
                top = scan.look(root, old, anew=rules != self._rules)
            except SessionError as error:  # what was taken in so far shall not be lost for the next try
                failure = error
        if failure:
            self._hashed = hashed
            raise failure
        self._settle(top, rules, scan.looked, changed=old is None or old.id != top.id)
        return top

    def _settle(self, top: Folder, rules: tuple[int, ...], looked: list[str], *, changed: bool) -> None:
        """Make the look the last one."""
        if changed or not self._store.holds(top.id):
            self._store.hold(top.id)
        self._top, self._rules, self._hashed = top, rules, {}
        self._glance.note(top, looked)
        self._unsaved = self._unsaved or changed
        if self._unsaved and len(looked) > 100:  # so much is not to be done twice
            self._save()

    def _remembered(self, rules: tuple[int, ...]) -> Folder | None:
        """The last look, if all that it found is still kept."""
        if self._top is None and (look := memory.load(self._store.path / _MEMORY, self.root, rules)):
            self._top, self._rules = look.top, rules
            self._glance.load(self._store.path / _INDEX, look.index)
        if self._top and not self._store.holds(self._top.id):
            self._top = None
            self._hashed = {}
            self._glance.close()
        return self._top

    def _current_rules(self) -> tuple[int, ...]:
        """The looks of the one list of ignored files that lies where nothing is recorded."""
        try:
            return stamp_of(os.lstat(self.root / ".git" / "info" / "exclude"))
        except OSError:
            return ()

    def _places_apart(self) -> set[tuple[int, int]]:
        places: set[tuple[int, int]] = set()
        for path in self._apart:
            try:
                info = path.stat()
            except OSError:
                continue
            places.add((info.st_dev, info.st_ino))
        return places

    def _changes(self, before: bytes, after: bytes) -> tuple[Change, ...]:
        with self._working(), self._store.reading() as read:
            return told(of_difference(one) for one in differences(before, after, read))

    def _apply(self, steps: list[tuple[bytes, bytes]], *, dry: bool) -> Applied:
        with self._working(), self._opened() as root, self._store.reading() as read:
            restore = Restore(root, read=read, merge=partial(merge, self._git))
            for frm, to in steps:
                restore.plan(differences(frm, to, read))
            if not dry:
                restore.carry_out()
            return applied(restore.outcome)

    def _diff(self, frm: bytes, to: bytes) -> str:
        with self._working(), self._store.reading() as read:
            return show(self._git, frm, to, list(differences(frm, to, read)), read)

    def _combined(self, steps: list[tuple[bytes, bytes]]) -> str:
        with self._working(), self._store.reading() as read:
            joined: dict[str, Difference] = {}
            for before, after in steps:
                for one in differences(before, after, read):
                    first = joined.get(one.path, one)
                    joined[one.path] = Difference(one.path, first.old, one.new)
            found = [one for _, one in sorted(joined.items()) if one.old != one.new]
            sides = ({one.path: one.old for one in found}, {one.path: one.new for one in found})
            old, new = (plant(side, partial(self._store.put, b"tree")) for side in sides)
            return show(self._git, old, new, found, read)

    def _edits(self, steps: list[tuple[bytes, bytes]]) -> tuple[Edited, ...]:
        with self._working(), self._store.reading() as read:
            return edits_of(steps, read)

    def _forget(self, keep: frozenset[str]) -> int:
        with self._alone, _as_session_error(self._store.path):
            self._store.make()
            last = memory.load(self._store.path / _MEMORY, self.root, self._current_rules())
            tops = [last.top if last else None, self._top]
            return self._store.forget(keep | {top.id.hex() for top in tops if top})

    def _close(self) -> None:
        with self._alone, _as_session_error(self._store.path):
            if self._top and self._unsaved:
                self._save()
            self._glance.close()

    def _save(self) -> None:
        assert self._top
        index = self._glance.save(self._store.path / _INDEX)
        memory.save(self._store.path / _MEMORY, self.root, self._rules or (), index, self._top)
        self._unsaved = False

    @contextmanager
    def _working(self) -> Iterator[None]:
        """One thing at a time in this process, and no clearing out by another."""
        with self._alone, _as_session_error(self._store.path):
            self._store.make()
            with self._store.in_use():
                yield

    @contextmanager
    def _opened(self) -> Iterator[int]:
        descriptor = os.open(self.root, FOLDER)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _ignored(self) -> Iterator[Ignored]:
        ignored = Ignored(self._git, seconds=self._limits.seconds)
        try:
            yield ignored
        finally:
            ignored.close()


@contextmanager
def _as_session_error(store: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SessionError(
            f"The files here cannot be recorded or restored ({reason(error)}). The records lie in {store}."
        ) from None
    except ValueError:
        raise SessionError(f"The records of this project are damaged: {store}") from None


def _known(id_: str) -> bytes:
    if not _ID.fullmatch(id_):
        raise SessionError(f"{id_[:60]!r} is no record.")
    return bytes.fromhex(id_)


def _all_known(steps: Sequence[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(_known(frm), _known(to)) for frm, to in steps]


def checkpoints_of(directory: Path, *, largest_mb: float) -> Checkpoints:
    """The records of a project, which lie with Ferrule's own data; files over so many megabytes are left out."""
    root = os.path.realpath(directory)
    name = f"{Path(root).name[:40]}-{hashlib.blake2b(os.fsencode(root), digest_size=8).hexdigest()}"
    store = data_home() / "checkpoints" / name
    return Checkpoints(Path(root), store, limits=Limits(largest=int(largest_mb * (1 << 20))), apart=(data_home(),))
