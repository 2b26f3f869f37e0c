"""Process trees of every shape that is known to outlive its parent, and a way to see who is left."""

import asyncio
import itertools
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from ferrule.host.patience import Patience
from ferrule.host.process import Processes

QUICK = Patience(tick=0.02, input=0.1, prompt=0.4, listening=0.2, idle=60, first=0.2, parting=0.1)
"""Quick to see who waits; never takes a slow machine for an idle command."""

_DAEMON = (
    "import os,sys\n"
    "if os.fork(): os._exit(0)\n"
    "os.setsid()\n"
    "if os.fork(): os._exit(0)\n"
    "os.execvp('sleep', ['sleep', sys.argv[1]])\n"
)
SHAPES = {
    "plain": "sleep {0}",
    "setsid": "setsid sleep {0} & sleep {0}",
    "daemon": f'python3 -S -c "{_DAEMON}" {{0}}; sleep {{0}}',
    "background": "sleep {0} & (sleep {0} &) ; sleep {0}",
    "deaf": "trap '' TERM HUP INT QUIT; (trap '' TERM HUP; sleep {0}) & sleep {0}",
}
SLEEPERS = {"plain": 1, "setsid": 2, "daemon": 2, "background": 3, "deaf": 2}
"""How many `sleep`s each shape has when it stands."""

_tokens = itertools.count(1)


def new_token() -> str:
    """A number of seconds that nobody else sleeps."""
    return f"{100_000 + next(_tokens)}.{os.getpid()}"


def sleepers(token: str) -> list[int]:
    """Everyone who sleeps for just so long."""
    wanted = f"sleep\0{token}\0".encode()
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and (entry / "cmdline").read_bytes() == wanted:
                found.append(int(entry.name))
    return found


def wait_for_sleepers(token: str, number: int, *, seconds: float) -> bool:
    """Poll until just so many sleep."""
    return wait_for(lambda: len(sleepers(token)) == number, seconds=seconds)


def is_alive(pid: int) -> bool:
    """Whether a process runs; a dead one that nobody buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in {b"Z", b"X"}
    except (OSError, IndexError):
        return False


def wait_for(condition: Callable[[], object], *, seconds: float = 30) -> bool:
    """Poll for a condition; for tests that have no event loop."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


async def until(condition: Callable[[], object], *, seconds: float = 30) -> None:
    """Poll for a condition while the event loop goes on."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


@asynccontextmanager
async def processes_in(tmp_path: Path, patience: Patience = QUICK) -> AsyncIterator[Processes]:
    """Processes of a project in a temporary directory, closed at the end."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    processes = Processes(project, tmp_path / "private", patience=patience)
    try:
        yield processes
    finally:
        await processes.close()
