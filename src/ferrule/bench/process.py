"""A program run to its end or to its time limit, with its output in files; nothing that it started survives it."""

import asyncio
import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ferrule.core.messages import Value

_GRACE = 5.0
"""Seconds in which a program that was told to end may tidy up."""


class Ended(Value, frozen=True, kw_only=True):
    """How a program ended."""

    code: int
    seconds: float
    in_time: bool
    output: str
    errors: str


async def run_program(
    words: Sequence[str], *, directory: Path, environment: Mapping[str, str], limit: float, record: Path
) -> Ended:
    """Run a program with nothing on its standard input; `record` names the files of its output.

    Raises:
        OSError: it cannot be started.
    """
    places = (record.with_suffix(".out"), record.with_suffix(".err"))
    begun = time.monotonic()
    with places[0].open("wb") as output, places[1].open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=directory,
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        in_time = True
        try:
            await asyncio.wait_for(process.wait(), max(limit, 0))
        except TimeoutError:
            in_time = False
        finally:
            seconds = time.monotonic() - begun
            await _end(process)
    texts = (place.read_text("utf-8", errors="replace") for place in places)
    code = process.returncode if process.returncode is not None else -1
    return Ended(code=code, seconds=seconds, in_time=in_time, output=next(texts), errors=next(texts))


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a program, and whatever it left behind, first politely; whoever cancels even that has it end at once."""
    try:
        if process.returncode is None:
            _signal(process.pid, signal.SIGTERM)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _GRACE)
    finally:
        _signal(process.pid, signal.SIGKILL)
        await process.wait()


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
