"""Runs one of Ferrule's own helpers (ripgrep, git) to its end and keeps what it printed, within bounds."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ferrule.core.errors import ToolError
from ferrule.host.environment import clean

_CHUNK = 64 * 1024
_MOST_STDERR = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What a program came to."""

    code: int
    """Its exit code; negative for the signal that ended it."""
    stdout: bytes
    stderr: bytes
    truncated: bool
    """Whether it was stopped because `stdout` had reached the limit."""


async def capture(
    argv: Sequence[str],
    *,
    cwd: Path,
    limit: int,
    timeout: float,  # noqa: ASYNC109 - the program is killed at its timeout, and that is this function's job
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> Captured:
    """Run a program and keep at most `limit` bytes of its output; it is stopped once it printed more.

    It never outlives the call: a timeout and a cancellation kill it and all of its process group.

    Raises:
        OSError: it could not be started.
        ToolError: it did not end in time.
    """
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=cwd,
        env=clean(os.environ) if environment is None else environment,
        stdin=PIPE if stdin else DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(timeout):
            stdout, stderr, _ = await asyncio.gather(
                _read(process, limit), _read_stderr(process), _write(process, stdin)
            )
            code = await process.wait()
    except TimeoutError:
        raise ToolError(f"{Path(argv[0]).name} did not finish within {timeout:g} s.") from None
    finally:
        _kill(process)
        await process.wait()
    return Captured(code=code, stdout=stdout[:limit], stderr=stderr, truncated=len(stdout) > limit)


async def _read(process: Process, limit: int) -> bytes:
    """Read until the end, or until one byte more than the limit shows that there would be more."""
    assert process.stdout is not None
    kept = bytearray()
    while len(kept) <= limit:
        chunk = await process.stdout.read(_CHUNK)
        if not chunk:
            return bytes(kept)
        kept += chunk
    _kill(process)
    return bytes(kept[: limit + 1])


async def _read_stderr(process: Process) -> bytes:
    """Read all, so that the program is never held up, and keep the beginning."""
    assert process.stderr is not None
    kept = bytearray()
    while chunk := await process.stderr.read(_CHUNK):
        kept += chunk[: _MOST_STDERR - len(kept)]
    return bytes(kept)


async def _write(process: Process, stdin: bytes) -> None:
    if process.stdin is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):  # it need not read all that it is given
        process.stdin.write(stdin)
        await process.stdin.drain()
    process.stdin.close()


def _kill(process: Process) -> None:
    """Kill the process and what it started; also after its own end, for what it left behind."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
