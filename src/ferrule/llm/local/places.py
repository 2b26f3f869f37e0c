"""Where engines are found: a private directory in which each has a lock that it holds as long as it lives.

The lock is the truth: the kernel gives it free when its holder dies, however it dies. What an engine says of itself
counts only while the lock is held.
"""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec

from ferrule.config.words import plain
from ferrule.core.messages import Value

LOG_SHOWN = 6
STALE_SECONDS = 86_400.0
"""How long what an engine left behind is kept, for whoever wants to know why it ended."""
_TAIL = 8_192


class State(Value, frozen=True, kw_only=True):
    """What an engine says of itself, for its user alone."""

    pid: int
    born: str
    """When its process began, as the system tells it: a number that comes again is another process."""
    model: str
    weights: str
    context: int
    version: str
    port: int = 0
    """0 as long as the weights are being loaded."""
    key: str = ""

    def __repr__(self) -> str:
        return f"State(pid={self.pid}, model={self.model!r}, port={self.port})"


class Place(Value, frozen=True, kw_only=True):
    """The files of one engine."""

    directory: Path
    name: str

    @property
    def log(self) -> Path:
        """What the engine printed."""
        return self.directory / f"{self.name}.log"

    @property
    def socket(self) -> str:
        """Where llama.cpp listens, as seen from the directory: a whole path might be longer than sockets allow."""
        return f"{self.name}.sock"

    def claim(self) -> int | None:
        """Take the lock and give its descriptor, or nothing where an engine holds it.

        Raises:
            OSError: the directory cannot be written to.
        """
        return self._locked(fcntl.LOCK_EX | fcntl.LOCK_NB, os.O_CREAT)

    def is_taken(self) -> bool:
        """Whether an engine lives, or is just being started."""
        try:
            descriptor = self._locked(fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        if descriptor is None:
            return True
        os.close(descriptor)
        return False

    def state(self) -> State | None:
        """What the engine said last; nothing where it has not said anything yet."""
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=State)
        except (OSError, msgspec.DecodeError):
            return None

    def write(self, state: State) -> None:
        """Say it, so that a reader sees the old or the new.

        Raises:
            OSError: it cannot be written.
        """
        draft = self._file.with_suffix(".new")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
            file.write(msgspec.json.encode(state))
        draft.replace(self._file)

    def forget(self) -> None:
        """Remove what an engine said; whoever does it holds the lock."""
        for path in (self._file, self._file.with_suffix(".new"), self.directory / self.socket):
            path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove everything of an engine, the lock last; whoever does it holds the lock."""
        self.forget()
        for path in (self.log, self._lock):
            path.unlink(missing_ok=True)

    def clear_if_stale(self) -> None:
        """Remove what an engine that nobody runs any more left behind, once it is old."""
        with suppress(OSError):
            newest = max((path.stat().st_mtime for path in (self._lock, self.log) if path.exists()), default=0.0)
            if time.time() - newest < STALE_SECONDS:
                return
            descriptor = self._locked(fcntl.LOCK_EX | fcntl.LOCK_NB)
            if descriptor is not None:
                self.clear()
                os.close(descriptor)

    def last_words(self) -> str:
        """The end of the log: what it calls errors, or its last lines where it names none, and always the very last."""
        lines = [plain(line) for line in self.log_end().splitlines() if line.strip()]
        errors = [line for line in lines if " E " in line or line.partition(":")[0].endswith("Error")]
        shown = errors if errors[-1:] == lines[-1:] else [*errors, *lines[-1:]] if errors else lines
        return "\n".join(shown[-LOG_SHOWN:])

    def log_end(self) -> str:
        """What the engine printed last, as it stands."""
        with suppress(OSError), self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - _TAIL))
            return file.read().decode("utf-8", "replace")
        return ""

    @property
    def _file(self) -> Path:
        return self.directory / f"{self.name}.json"

    @property
    def _lock(self) -> Path:
        return self.directory / f"{self.name}.lock"

    def _locked(self, kind: int, flags: int = 0) -> int | None:
        """Lock the file that bears the name now: one that was opened and then removed says nothing to anybody."""
        while True:
            descriptor = os.open(self._lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | flags, 0o600)
            try:
                fcntl.flock(descriptor, kind)
                if self._is_the_lock(descriptor):
                    return descriptor
            except BlockingIOError:
                os.close(descriptor)
                return None
            except OSError:
                os.close(descriptor)
                raise
            os.close(descriptor)

    def _is_the_lock(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._lock.stat())
        except FileNotFoundError:
            return False

    @classmethod
    def all(cls, directory: Path) -> Iterator[Self]:
        """Every engine that ever was in a directory."""
        for path in sorted(directory.glob("*.lock")):
            yield cls(directory=directory, name=path.stem)


def born(pid: int) -> str:
    """When a process began, as the system tells it; nothing where there is none, or a dead one."""
    if sys.platform == "darwin":
        command = ["/bin/ps", "-o", "lstart=", "-p", str(pid)]
        with suppress(OSError, subprocess.SubprocessError):
            return subprocess.run(command, capture_output=True, text=True, check=False, timeout=5).stdout.strip()
        return ""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
