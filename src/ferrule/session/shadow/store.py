"""Keeps bytes by their ids, as git does, so that git can read, compare, pack and prune them.

A record is a tree and a ref named after it, `refs/ferrule/<id>`. Where the ref is, all that the tree needs is there:
the ref is written last and removed first. Several Ferrules may use one store at once: nothing in it is ever changed,
only added; and removed only while nobody else uses it.
"""

import fcntl
import os
import time
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from ferrule.core.errors import SessionError
from ferrule.session.files import make_private, open_private, reason
from ferrule.session.shadow.git import ATTRIBUTES, Git
from ferrule.session.shadow.trees import EMPTY_TREE, name_of

LOOSE = 256
"""How many new blobs of one record become files of their own; what is more goes into one pack."""
GRACE = 86_400.0
"""Seconds for which a record is kept although nobody asks for it: a session may be about to note it."""
_PATIENCE = 10.0
_PRUNING = 120.0
_FRESH = "2.hours.ago"
"""Bytes that are younger may belong to a record that is still being made."""
_PASSING = ("index-", "merge-", "last-look-", "fast_import_crash_")
_DAMAGED = (zlib.error, ValueError)


class Store:
    """The store of one project."""

    def __init__(self, path: Path, git: Git) -> None:
        self.path = path
        self.git = git
        self._refs = path / "refs" / "ferrule"

    def make(self) -> None:
        """Make the store, unless it is there.

        Raises:
            SessionError: it cannot be made.
        """
        if (self.path / "HEAD").exists():
            return
        try:
            for place in ("objects/pack", "objects/info", "info", "refs/ferrule"):
                make_private(self.path / place)
            self._write("config", b"[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
            self._write("info/attributes", ATTRIBUTES.encode())
            self._write("HEAD", b"ref: refs/heads/none\n")
            self.put(b"tree", b"")
        except OSError as error:
            raise SessionError(f"Changes cannot be recorded ({reason(error)}): {self.path}") from None

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep others from removing anything meanwhile.

        Raises:
            SessionError: someone is at it, and does not come to an end.
        """
        descriptor = open_private(self.path / "lock", os.O_RDWR | os.O_CREAT)
        try:
            deadline = time.monotonic() + _PATIENCE
            while not _lock(descriptor, fcntl.LOCK_SH):
                if time.monotonic() > deadline:
                    raise SessionError("Another Ferrule is clearing out the records of this project; try again later.")
                time.sleep(0.01)
            yield
        finally:
            os.close(descriptor)

    def put(self, kind: bytes, data: bytes) -> bytes:
        """Keep bytes in a file of their own, unless they are kept so already.

        Raises:
            OSError: they cannot be written.
        """
        id_ = name_of(kind, data)
        path = self._loose(id_)
        with suppress(FileNotFoundError):
            if path.stat().st_size:  # a file without bytes is what a power cut left
                return id_
        self._write(path, zlib.compress(b"%s %d\0%s" % (kind, len(data), data), 1))
        return id_

    def hold(self, id_: bytes) -> None:
        """Make a record of a tree: from now on all of it is kept.

        Raises:
            OSError: it cannot be written.
        """
        self._write(self._refs / id_.hex(), id_.hex().encode() + b"\n")

    def holds(self, id_: bytes) -> bool:
        """Whether there is a record of the tree; if so, it counts as used just now."""
        try:
            os.utime(self._refs / id_.hex())
        except OSError:
            return False
        return True

    @contextmanager
    def reading(self) -> Iterator[Callable[[bytes], bytes]]:
        """A function from ids to bytes. It raises `SessionError` for what is not there."""
        with ExitStack() as stack:
            pipes: list[tuple[IO[bytes], IO[bytes]]] = []

            def read(id_: bytes) -> bytes:
                if id_ == EMPTY_TREE:
                    return b""
                with suppress(FileNotFoundError, *_DAMAGED):
                    return zlib.decompress(self._loose(id_).read_bytes()).split(b"\0", 1)[1]
                if not pipes:
                    pipes.append(stack.enter_context(self.git.talk("cat-file", "--batch", seconds=_PRUNING)))
                return _ask(*pipes[0], id_)

            yield read

    @contextmanager
    def taking_in(self, seconds: float) -> Iterator[Callable[[bytes], bytes]]:
        """A function that keeps a file's bytes and gives their id; they can be relied on when this ends well."""
        with ExitStack() as stack:
            pipes: list[IO[bytes]] = []
            known: set[bytes] = set()

            def keep(data: bytes) -> bytes:
                if len(known) < LOOSE or self.git.program is None:
                    id_ = self.put(b"blob", data)
                elif (id_ := name_of(b"blob", data)) not in known:
                    if not pipes:
                        line = self.git.talk("fast-import", "--quiet", "--depth=0", seconds=seconds)
                        pipes.append(stack.enter_context(line)[0])
                        # Git calls a pack after what is in it, and refuses a second one that is called so.
                        pipes[0].write(b"blob\ndata 32\n%s\n" % os.urandom(16).hex().encode())
                    pipes[0].write(b"blob\ndata %d\n%s\n" % (len(data), data))
                known.add(id_)
                return id_

            yield keep

    def forget(self, keep: Collection[str], *, grace: float = GRACE) -> int:
        """Remove the records that are not to be kept, unless they are young or the store is in use.

        Gives the number of records removed.
        """
        descriptor = open_private(self.path / "lock", os.O_RDWR | os.O_CREAT)
        try:
            if not _lock(descriptor, fcntl.LOCK_EX):
                return 0
            removed = self._drop(keep, time.time() - grace)
            if removed and self.git.program:
                self.git.run("repack", "-A", "-d", "-q", f"--unpack-unreachable={_FRESH}", seconds=_PRUNING)
                self.git.run("prune", f"--expire={_FRESH}", seconds=_PRUNING)
            self._sweep(time.time() - GRACE)
            return removed
        finally:
            os.close(descriptor)

    def _drop(self, keep: Collection[str], before: float) -> int:
        removed = 0
        with os.scandir(self._refs) as refs:
            for ref in refs:
                if ref.name not in keep and ref.stat().st_mtime < before:
                    os.unlink(ref.path)  # noqa: PTH108 - scandir gives strings
                    removed += 1
        return removed

    def _sweep(self, before: float) -> None:
        """Remove what killed processes left behind."""
        for place in (self.path, self.path / "objects" / "pack"):
            with os.scandir(place) as entries:
                for entry in entries:
                    passes = entry.name.startswith(_PASSING) or entry.name.endswith(".keep")
                    if passes and entry.stat(follow_symlinks=False).st_mtime < before:
                        os.unlink(entry.path)  # noqa: PTH108

    def _loose(self, id_: bytes) -> Path:
        name = id_.hex()
        return self.path / "objects" / name[:2] / name[2:]

    def _write(self, place: str | Path, data: bytes) -> None:
        """Put a file in its place in one step."""
        target = self.path / place
        staged = self.path / "objects" / f"tmp_obj_{os.urandom(8).hex()}"  # git sweeps such names away
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            try:
                staged.rename(target)
            except FileNotFoundError:
                make_private(target.parent)
                staged.rename(target)
        except BaseException:
            staged.unlink(missing_ok=True)
            raise


def _lock(descriptor: int, kind: int) -> bool:
    """Lock or not; where a file system knows no locks, everybody may."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _ask(stdin: IO[bytes], stdout: IO[bytes], id_: bytes) -> bytes:
    try:
        stdin.write(id_.hex().encode() + b"\n")
        stdin.flush()
        words = stdout.readline().split()
        if len(words) == 3:
            return stdout.read(int(words[2]) + 1)[:-1]
    except OSError:
        pass
    raise SessionError("A part of what was recorded is no longer there, so nothing was done.")
