"""What has come of a file so far: always its beginning, whoever sent it, so that any source can go on from there."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ferrule.llm.local.library import Piece, Weights
from ferrule.llm.local.store import DiskError, refused

Moved = Callable[[int], None]
"""Is told how many bytes there are, or were looked at."""

_CHUNK = 1 << 20


class Draft:
    """An open file that grows at its end."""

    def __init__(self, path: Path, weights: Weights, descriptor: int) -> None:
        self.path, self.weights = path, weights
        self._descriptor = descriptor
        self.size = os.fstat(descriptor).st_size

    def append(self, data: bytes) -> None:
        """Add what came.

        Raises:
            DiskError: it cannot be written.
        """
        view = memoryview(data)
        while view:
            try:
                written = os.pwrite(self._descriptor, view, self.size)
            except OSError as error:
                raise refused(self.path, error) from None
            self.size += written
            view = view[written:]

    def cut(self, size: int) -> None:
        """Forget what stands behind so many bytes.

        Raises:
            DiskError: it cannot be written.
        """
        if size < self.size:
            try:
                os.ftruncate(self._descriptor, size)
            except OSError as error:
                raise refused(self.path, error) from None
            self.size = size

    def boundary(self) -> int:
        """Where the piece begins that is not whole yet."""
        whole = 0
        for piece in self.weights.stretches:
            if whole + piece.size > self.size:
                break
            whole += piece.size
        return whole

    async def cut_what_is_wrong(self, moved: Moved) -> None:
        """Check the pieces that are whole, and forget everything from the first wrong one on.

        Raises:
            DiskError: it cannot be read or written.
        """
        self.cut(self.weights.size)
        start = 0
        for piece in self.weights.stretches:
            if start + piece.size > self.size:
                return
            if not await _is_right(self._descriptor, piece, start, moved):
                self.cut(start)
                return
            start += piece.size

    async def is_right(self, moved: Moved) -> bool:
        """Whether this is the whole file, by its hash.

        Raises:
            DiskError: it cannot be read.
        """
        return self.size == self.weights.size and await is_whole(self._descriptor, self.weights, moved)

    def finish(self, target: Path) -> None:
        """Bring it safely to the disk and give it its name.

        Raises:
            DiskError: the disk refuses.
        """
        try:
            os.fsync(self._descriptor)
            self.path.replace(target)
            folder = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise refused(target, error) from None


@contextmanager
def drafted(path: Path, weights: Weights) -> Iterator[Draft]:
    """Open what has come so far, or begin.

    Raises:
        DiskError: it cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise refused(path, error) from None
    try:
        yield Draft(path, weights, descriptor)
    finally:
        if os.fstat(descriptor).st_size == 0:  # nothing came, so nothing is left behind
            path.unlink(missing_ok=True)
        os.close(descriptor)


async def is_whole(descriptor: int, weights: Weights, moved: Moved) -> bool:
    """Whether an open file holds exactly these weights.

    Raises:
        DiskError: it cannot be read.
    """
    whole = Piece(size=weights.size, sha256=weights.sha256)
    return os.fstat(descriptor).st_size == weights.size and await _is_right(descriptor, whole, 0, moved)


async def _is_right(descriptor: int, piece: Piece, start: int, moved: Moved) -> bool:
    digest = hashlib.sha256()
    async for chunk in _chunks(descriptor, start, piece.size):
        digest.update(chunk)
        start += len(chunk)
        moved(start)
    return digest.hexdigest() == piece.sha256


async def _chunks(descriptor: int, start: int, size: int) -> AsyncIterator[bytes]:
    """Read a stretch of a file; whoever waits for anything else gets a turn between the chunks."""
    end = start + size
    while start < end:
        try:
            chunk = os.pread(descriptor, min(_CHUNK, end - start), start)
        except OSError as error:
            raise DiskError(f"The weights cannot be read: {error.strerror}.") from None
        if not chunk:
            return
        yield chunk
        start += len(chunk)
        await asyncio.sleep(0)
