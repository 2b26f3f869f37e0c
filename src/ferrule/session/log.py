"""A session file being written: every event is on disk before anyone sees it.

An event is one write at the end of the file, so what a killed process has told stays told. What the machine
itself may lose is forced to disk at the end of each turn, by a thread, so that nobody waits for it.
"""

import errno
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from ferrule.core.errors import SessionError
from ferrule.core.events import RunEnded, ToolPrinted, TurnEnded, Waiting
from ferrule.core.model import Delta
from ferrule.session.files import append, lock, make_private, open_private, reason
from ferrule.session.reading import LoadedLog, read_log
from ferrule.session.records import Entry, Header, Record, SessionEnded, SessionNamed, Tally, encode
from ferrule.session.secrets import Mask

_NOT_KEPT = (Delta, ToolPrinted, Waiting)
"""These follow from what is kept (an answer is appended whole, a result holds what its tool printed), or pass."""
_LOSSES = {errno.EIO, errno.ENOSPC, errno.EDQUOT}
"""Failures of forcing to disk that matter; some file systems merely cannot do it."""
_ATTEMPTS = 5


class SessionLog:
    """A session file that this process alone writes; `write` is the first listener of a run.

    `SessionLog.create` begins a session; its file is made with the first event, so that a session in which
    nothing happened leaves none. `SessionLog.open` goes on with one, and holds what it tells as `loaded`.
    """

    def __init__(self, path: Path, loaded: LoadedLog, *, mask: Mask | None = None) -> None:
        self.path = path
        self.loaded = loaded
        self.name = loaded.name
        self.broken = False
        """Whether it can no longer be written, which was said once; what is told from then on is not kept."""
        self._mask = mask or Mask()
        self._next = loaded.next
        self._before_next = b""
        self._tally = Tally(loaded.totals)
        self._disk: _Disk | None = None
        self._changed = False

    @classmethod
    def create(cls, path: Path, header: Header, *, mask: Mask | None = None) -> Self:
        """Begin a session. Nothing is on disk until the first event."""
        return cls(path, LoadedLog(header=header), mask=mask)

    @classmethod
    def open(cls, path: Path, *, mask: Mask | None = None) -> Self:
        """Go on with a session, as the only one who does.

        Raises:
            SessionError: it cannot be read or written, or another Ferrule is at it.
        """
        disk = _Disk(_open_locked(path))
        try:
            log = cls(path, read_log(path), mask=mask)
        except SessionError:
            disk.close()
            raise
        log._disk = disk
        log._before_next = b"" if disk.ends_a_line else b"\n"
        return log

    def write(self, event: Entry) -> None:
        """Put an event on disk, in one write.

        Raises:
            SessionError: it cannot be written; said once, and then no more is tried.
        """
        if self.broken or isinstance(event, _NOT_KEPT):
            return
        try:
            self._append(event)
        except OSError as error:
            self.broken = True
            raise self._words(error) from None
        self._tally.add(event)
        self._changed = True
        if isinstance(event, SessionNamed):
            self.name = event.name

    def close(self) -> None:
        """Force everything to disk and give the file free. What is told afterwards is not kept.

        Raises:
            SessionError: the end can no longer be written.
        """
        try:
            if self._changed:
                self.write(SessionEnded(name=self.name, totals=self._tally.totals))
        finally:
            disk, self._disk = self._disk, None
            failure = disk.close() if disk else None
            was_said, self.broken, self._changed = self.broken, True, False
        if failure and not was_said:
            raise self._words(failure)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, event: Entry) -> None:
        data = self._before_next
        if self._next == 0:
            data += self._line(self.loaded.header)
        data += self._line(event)
        if self._disk is None:
            self._disk = self._begin(data)
        else:
            self._disk.append(data)
        self._before_next = b""
        if isinstance(event, TurnEnded | RunEnded):
            self._disk.force_soon()

    def _begin(self, data: bytes) -> "_Disk":
        disk = _Disk(_create_locked(self.path), new_in=self.path.parent)
        try:
            disk.append(data)
        except OSError:  # better no session than an empty one
            disk.close()
            self.path.unlink(missing_ok=True)
            raise
        return disk

    def _words(self, error: OSError) -> SessionError:
        if self._disk is None:  # not a line of it ever was
            return SessionError(
                f"The session cannot be saved ({reason(error)}): {self.path}. Set session.storage_path to a place "
                "that can be written, or session.auto_save to false (FERRULE_SESSION_AUTO_SAVE=false)."
            )
        return SessionError(f"The session can no longer be written ({reason(error)}): {self.path}")

    def _line(self, event: Entry) -> bytes:
        record = Record(self._next, time.time(), event)
        self._next += 1
        return self._mask.line(encode(record)) + b"\n"


class _Disk:
    """A locked file, and the thread that forces it to disk."""

    def __init__(self, descriptor: int, *, new_in: Path | None = None) -> None:
        self._descriptor = descriptor
        self._new_in = new_in
        """The directory that does not yet hold the file for certain."""
        self._asked = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None
        self._failure: OSError | None = None

    @property
    def ends_a_line(self) -> bool:
        """Whether what is appended next begins a line."""
        size = os.fstat(self._descriptor).st_size
        return size == 0 or os.pread(self._descriptor, 1, size - 1) == b"\n"

    def append(self, data: bytes) -> None:
        if self._failure:
            raise self._failure
        append(self._descriptor, data)

    def force_soon(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep_forcing, name="session-to-disk", daemon=True)
            self._thread.start()
        self._asked.set()

    def close(self) -> OSError | None:
        """Force it to disk and close it; gives what went wrong."""
        self._closing = True
        self._asked.set()
        if self._thread:
            self._thread.join()
        self._force()
        os.close(self._descriptor)
        return self._failure

    def _keep_forcing(self) -> None:
        while self._asked.wait() and not self._closing:
            self._asked.clear()
            self._force()

    def _force(self) -> None:
        try:
            os.fsync(self._descriptor)
            if self._new_in:
                directory = os.open(self._new_in, os.O_RDONLY | os.O_CLOEXEC)
                os.fsync(directory)
                os.close(directory)
                self._new_in = None
        except OSError as error:
            if error.errno in _LOSSES:
                self._failure = error


def _open_locked(path: Path) -> int:
    try:
        descriptor = open_private(path, os.O_RDWR | os.O_APPEND)
    except OSError as error:
        raise SessionError(f"The session cannot be opened ({reason(error)}): {path}") from None
    if not lock(descriptor):
        os.close(descriptor)
        raise SessionError(f"The session is open in another Ferrule; --fork goes on in a copy of it: {path}")
    if not os.fstat(descriptor).st_nlink:
        os.close(descriptor)
        raise SessionError(f"The session was just removed: {path}")
    return descriptor


def _create_locked(path: Path) -> int:
    """Make the file and take it; once more where another Ferrule tidied it away in between."""
    for _ in range(_ATTEMPTS):
        make_private(path.parent)
        with suppress(FileNotFoundError):
            descriptor = open_private(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
            lock(descriptor, wait=True)
            if os.fstat(descriptor).st_nlink:
                return descriptor
            os.close(descriptor)
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
