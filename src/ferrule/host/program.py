"""Runs one of Ferrule's own helpers (ripgrep, git) to its end and keeps what it printed, within bounds."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from ferrule.core.errors import ToolError
from ferrule.host.environment import clean

_CHUNK = 64 * 1024
_MOST_STDERR = 64 * 1024


class Captured(Struct, frozen=True, kw_only=True):
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
    process = _start(argv, cwd, clean(os.environ) if environment is None else environment)
    try:
        async with asyncio.timeout(timeout):
            stdout, stderr, _ = await asyncio.gather(
                _read(process, limit), _read_stderr(process), _write(process, stdin)
            )
            code = await _end_of(process)
    except TimeoutError:
        raise ToolError(f"{Path(argv[0]).name} did not finish within {timeout:g} s.") from None
    finally:
        _kill(process)
        with process:  # closes the pipes and buries it
            pass
    return Captured(code=code, stdout=stdout[:limit], stderr=stderr, truncated=len(stdout) > limit)


def _start(argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    )
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        os.set_blocking(pipe.fileno(), False)
    return process


async def _read(process: "subprocess.Popen[bytes]", limit: int) -> bytes:
    """Read until the end, or until one byte more than the limit shows that there would be more."""
    assert process.stdout is not None
    kept = bytearray()
    while data := await _next(process.stdout.fileno()):
        kept += data
        if len(kept) > limit:
            _kill(process)
            break
    return bytes(kept[: limit + 1])


async def _read_stderr(process: "subprocess.Popen[bytes]") -> bytes:
    """Read all, so that the program is never held up, and keep the beginning."""
    assert process.stderr is not None
    kept = bytearray()
    while data := await _next(process.stderr.fileno()):
        kept += data[: _MOST_STDERR - len(kept)]
    return bytes(kept)


async def _next(descriptor: int) -> bytes:
    """The next bytes from a pipe; none at its end."""
    while True:
        with suppress(BlockingIOError):
            return os.read(descriptor, _CHUNK)
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)


async def _write(process: "subprocess.Popen[bytes]", data: bytes) -> None:
    """Give the program its input; it need not read all of it."""
    assert process.stdin is not None
    descriptor, loop, rest = process.stdin.fileno(), asyncio.get_running_loop(), memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            ready = asyncio.Event()
            loop.add_writer(descriptor, ready.set)
            try:
                await ready.wait()
            finally:
                loop.remove_writer(descriptor)
        except BrokenPipeError:
            break
    process.stdin.close()


async def _end_of(process: "subprocess.Popen[bytes]") -> int:
    """Wait for the exit code, which comes at once when the pipes are closed."""
    pause = 0.0002
    while (code := process.poll()) is None:
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.02)
    return code


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process and what it started; also after its own end, for what it left behind."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
