"""What /proc says about the processes of a command: their work, what they wait for, where they listen.

All of it is a guess from outside, cheap enough to be made several times a second. Where there is no /proc
nothing is known, and a command simply runs to its end or its timeout.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from ferrule.host.relatives import Table, descendants, kin

AVAILABLE = Path("/proc/self/stat").exists()
_TICKS = os.sysconf("SC_CLK_TCK")
_READ_CALLS = {
    "x86_64": {0, 19},
    "aarch64": {63, 65},
    "riscv64": {63, 65},
    "loongarch64": {63, 65},
}.get(os.uname().machine, {3, 145})
"""The numbers of `read` and `readv`."""
_DEV_TTY = os.makedev(5, 0)
_LISTEN = b"0A"


class Work(Struct, frozen=True):
    """What processes have done up to a moment."""

    at: float
    pids: frozenset[int] = frozenset()
    seconds: float = 0.0
    """Processor time."""
    bytes: int = 0
    """Read and written, by whatever means the kernel counts."""
    wants: bool = False
    """Whether one of them would run at this moment, if it were let."""

    def goes_on_in(self, later: "Work") -> bool:
        """Whether more than the odd timer has run since: 2 % of a processor, a kilobyte a second."""
        elapsed = later.at - self.at
        return (
            later.pids != self.pids
            or abs(later.seconds - self.seconds) > 0.02 + 0.02 * elapsed
            or abs(later.bytes - self.bytes) > 4096 + 1024 * elapsed
        )


class Family:
    """The processes below one, looked up again and again."""

    def __init__(self, root: int) -> None:
        self.root = root
        self._strangers: set[int] = set()

    def members(self) -> list[int]:
        """Everyone who lives below the root. A stranger never becomes one of them, so he is read only once."""
        if not AVAILABLE:
            return []
        present = {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208 - only names
        known = {pid: kin(pid) for pid in present - self._strangers}
        table: Table = {pid: relatives for pid, relatives in known.items() if relatives}
        family = descendants(self.root, table)
        self._strangers = present.difference(family)
        sandbox = self._sandbox(table)
        return [pid for pid in family if pid not in sandbox and not _is_dead(pid)]

    def _sandbox(self, table: Table) -> set[int]:
        """The processes of bubblewrap itself: one or two, right below the root."""
        first = [pid for pid, (parent, _) in table.items() if parent == self.root]
        second = [pid for pid, (parent, _) in table.items() if parent in first]
        return {pid for pid in (*first, *second) if _read(f"/proc/{pid}/comm") == b"bwrap\n"}


def work_of(pids: Iterable[int], at: float) -> Work:
    """Add up what the processes have done."""
    alive, ticks, moved, wants = set[int](), 0, 0, False
    for pid in pids:
        if (fields := _stat(pid)) is None:
            continue
        alive.add(pid)
        wants = wants or fields[0] == b"R"
        ticks += sum(int(field) for field in fields[11:15])
        moved += sum(int(line.split()[1]) for line in _read(f"/proc/{pid}/io").splitlines()[:2])
    return Work(at, frozenset(alive), ticks / _TICKS, moved, wants)


def reads_terminal(pids: Iterable[int], terminal: int, *, threads: bool) -> bool:
    """Whether one of the processes is blocked reading the terminal with that device number.

    With `threads` every thread counts, else only each process's first: many a program has a thread that always
    reads, and works on meanwhile.
    """
    return any(_reads(pid, task, terminal) for pid in pids for task in (_tasks(pid) if threads else (pid,)))


def listening_ports(pids: Iterable[int]) -> list[int]:
    """The TCP ports on which one of the processes accepts connections."""
    ports = set[int]()
    for pid in pids:
        if sockets := set(_sockets(pid)):
            for table in ("tcp", "tcp6"):
                rows = (line.split() for line in _read(f"/proc/{pid}/net/{table}").splitlines()[1:])
                found = (row for row in rows if row[3] == _LISTEN and row[9] in sockets)
                ports.update(int(row[1].rpartition(b":")[2], 16) for row in found)
    return sorted(ports)


def title(pid: int) -> str:
    """How a process was called, short enough to be shown."""
    words = _read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
    words = words or _read(f"/proc/{pid}/comm").decode(errors="replace").strip()
    return words if len(words) <= 60 else words[:59] + "…"


def _reads(pid: int, task: int, terminal: int) -> bool:
    number, _, arguments = _read(f"/proc/{pid}/task/{task}/syscall").partition(b" ")
    if not number.isdigit() or int(number) not in _READ_CALLS:
        return False
    with suppress(OSError):
        device = os.stat(f"/proc/{pid}/fd/{int(arguments.split()[0], 16)}").st_rdev  # noqa: PTH116
        return device == terminal or (device == _DEV_TTY and _controlling_terminal(pid) == terminal)
    return False


def _tasks(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208
    return []


def _sockets(pid: int) -> Iterator[bytes]:
    """The inodes of a process's sockets."""
    with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with suppress(OSError):
                if (target := os.readlink(entry.path)).startswith("socket:["):  # noqa: PTH115
                    yield target[8:-1].encode()


def _controlling_terminal(pid: int) -> int | None:
    """The device number of a process's terminal, which the kernel writes in its own way."""
    if (fields := _stat(pid)) is None:
        return None
    number = int(fields[4])
    return os.makedev(number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00)


def _is_dead(pid: int) -> bool:
    fields = _stat(pid)
    return fields is None or fields[0] in {b"Z", b"X"}


def _stat(pid: int) -> list[bytes] | None:
    """The fields of a process's line from its state on; its name, which may hold anything, is left out."""
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split() or None


def _read(path: str) -> bytes:
    """A file of /proc, or nothing: the process may be gone, or not ours to look at."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
