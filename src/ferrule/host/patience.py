"""When waiting for a command is no use any longer: it waits itself, it became a server, or nothing happens."""

import asyncio
import re
import time

from msgspec import Struct

from ferrule.host import probe
from ferrule.host.running import Process

_PROMPT = re.compile(r"[?:>$#)\]]\s?$")


class Patience(Struct, frozen=True, kw_only=True):
    """How long, in seconds, a silent and idle command is waited for."""

    tick: float = 0.15
    """Between two looks."""
    input: float = 0.5
    """Before one that reads the terminal counts as waiting for input."""
    prompt: float = 3.0
    """Before one whose last line looks like a question counts as waiting for input."""
    listening: float = 2.0
    """Before one that listens on a port counts as a server."""
    idle: float = 15.0
    """Before any other counts as idle."""
    first: float = 1.0
    """Before one that was started in the background is left alone."""
    parting: float = 0.15
    """Before one whose shell ended, though not all that it started, goes on as a job."""


class Ended(Struct, frozen=True):
    """It came to its end."""


class WaitsForInput(Struct, frozen=True):
    """It waits for someone to type."""

    prompt: str


class Listens(Struct, frozen=True):
    """It became a server."""

    ports: tuple[int, ...]


class Idles(Struct, frozen=True):
    """It prints nothing and does nothing."""

    seconds: float


class StillRuns(Struct, frozen=True):
    """The time was over before anything happened."""


Outcome = Ended | WaitsForInput | Listens | Idles | StillRuns


async def attend(
    process: Process, end: asyncio.Future[int] | asyncio.Future[None], patience: Patience, *, seconds: float
) -> Outcome:
    """Wait for the end of a command, for the time, or until waiting is no use any longer."""
    until = time.monotonic() + seconds
    while not end.done():
        left = until - time.monotonic()
        if left <= 0:
            return StillRuns()
        await asyncio.wait([end], timeout=min(patience.tick, left))
        if not end.done() and (outcome := look(process, patience)):
            return outcome
    return Ended()


def look(process: Process, patience: Patience) -> Outcome | None:
    """See whether waiting longer is any use."""
    now = time.monotonic()
    silent = now - process.touched
    if silent < patience.tick / 2:
        return None
    if not probe.AVAILABLE:
        return _waiting(process) if silent >= patience.prompt and _PROMPT.search(process.output.line) else None
    pids = process.family.members()
    work = probe.work_of(pids, now)
    is_kept_waiting = work.wants and process.wanted  # on a busy machine one may wait long for its turn
    process.wanted = work.wants
    if process.rest is None or is_kept_waiting or process.rest.goes_on_in(work):
        process.rest = work
    return _judge(process, pids, min(silent, now - process.rest.at), patience)


def _judge(process: Process, pids: list[int], quiet: float, patience: Patience) -> Outcome | None:
    terminal = process.terminal_device
    if quiet >= patience.input and probe.reads_terminal(pids, terminal, threads=False):
        return _waiting(process)
    if quiet >= patience.prompt and (
        _PROMPT.search(process.output.line) or probe.reads_terminal(pids, terminal, threads=True)
    ):
        return _waiting(process)
    if quiet >= patience.listening and (ports := set(probe.listening_ports(pids)) - process.told_ports):
        process.told_ports |= ports
        return Listens(tuple(sorted(ports)))
    return Idles(quiet) if quiet >= patience.idle else None


def _waiting(process: Process) -> WaitsForInput:
    """Quote the question: the unfinished line, or the last one if it looks like a question."""
    line = process.output.line.strip() or process.output.last_line
    return WaitsForInput(line[-200:] if process.output.line.strip() or _PROMPT.search(line) else "")
