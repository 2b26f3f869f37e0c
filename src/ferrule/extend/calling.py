"""Starts a program as a shell command is started, confined and killed with all that it leaves, and reads its answer."""

import asyncio
import errno
import os
import sys
from binascii import a2b_base64
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from ferrule.core.errors import ToolError
from ferrule.core.messages import Value
from ferrule.core.regex import lazy
from ferrule.host.plain import plain
from ferrule.host.process import Processes
from ferrule.host.running import Process
from ferrule.host.sandbox.profile import Leave, Sandbox

LIMIT = 1_000_000
"""Bytes of an answer."""
_RUNNER = Path(__file__).with_name("runner.py")
_REPORT = lazy(r"^(?:failed (\d+)|ended (-?\d+) ([01]) =(\S*) =(\S*))$", 8)
"""8 is `re.MULTILINE`, without importing `re` for it."""
_SAFE = lazy(r"[A-Za-z0-9_/.,:@%+=-]+")


class Answer(Value, frozen=True, kw_only=True):
    """What a program came to."""

    code: int
    """Its exit code; negative for the signal that ended it."""
    stdout: bytes = b""
    stderr: str = ""
    """The end of it."""
    flooded: bool = False
    """Whether it was stopped because it printed more than the limit."""
    notes: tuple[str, ...] = ()
    """What its sandbox did about it, for whoever reads the answer."""


async def call(
    argv: Sequence[str], *, processes: Processes, outputs: Path, cwd: Path, seconds: float, input: bytes = b""
) -> Answer:
    """Run a program to its end; whatever it leaves running is killed.

    `outputs` is where confined commands may read; what is exchanged lies there for as long as the program runs.

    Raises:
        ToolError: it could not be started, or did not end in time.
    """
    private = outputs / f"call-{os.urandom(8).hex()}"
    try:
        given = private / "input.json"
        _write_private(given, input)
        words = (sys.executable, "-I", "-S", str(_RUNNER), str(LIMIT), *argv)
        command = f"{' '.join(map(_quoted, words))} <{_quoted(str(given))}"
        process = await processes.start(command, outputs=private, cwd=cwd)
        try:
            await asyncio.wait([process.ended], timeout=seconds)
            is_late = not process.ended.done()
        finally:
            await process.kill()
        if is_late:
            raise ToolError(f"It did not end within {seconds:g} s, and was killed with all that it had started.")
        return _answer(process, _printed(process, private), processes)
    finally:
        _remove(private)


@asynccontextmanager
async def processes_apart(
    directory: Path, outputs: Path, *, sandbox: Sandbox, leave: Leave
) -> AsyncIterator[Processes]:
    """Processes with a leave of their own, for what may have more than the commands of the session, or comes before."""
    private = outputs / f"apart-{os.urandom(8).hex()}"
    processes = Processes(directory, private, sandbox=sandbox, leave=lambda _: leave)
    try:
        yield processes
    finally:
        await processes.close()
        _remove(private)


def _printed(process: Process, private: Path) -> str:
    """All that was printed; what is too long to be shown lies in a file."""
    text = process.output.take()
    for file in private.glob("*.txt"):
        return file.read_text("utf-8", errors="replace")
    return text


def _answer(process: Process, text: str, processes: Processes) -> Answer:
    found = _REPORT.search(text)
    if found is None:
        words = plain(text).strip()[-500:].removesuffix(".")
        raise ToolError(process.problem or f"It could not be run: {words or 'what ran it was killed'}.")
    if found[1]:
        raise ToolError(f"It could not be started: {_why(int(found[1]))}.")
    stdout, stderr = a2b_base64(found[4]), plain(a2b_base64(found[5]).decode(errors="replace")).strip()
    code = int(found[2])
    held_up = processes.blame(process, f"{stdout.decode(errors='replace')}\n{stderr}") if code else None
    return Answer(
        code=code,
        stdout=stdout,
        stderr=stderr,
        flooded=found[3] == "1",
        notes=(*process.notes, *([held_up] if held_up else [])),
    )


def _why(number: int) -> str:
    """Say why a program did not start, in words that tell what to do about it."""
    match number:
        case errno.ENOEXEC:
            return "it is no program; a script needs a first line such as #!/bin/sh"
        case errno.ENOENT:
            return "there is no such file, or not the interpreter that its first line names"
        case errno.EACCES:
            return "it may not be executed"
        case _:
            return os.strerror(number)


def _quoted(word: str) -> str:
    """A word as every shell takes it for one."""
    return word if _SAFE.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"


def _write_private(path: Path, data: bytes) -> None:
    path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.mkdir(mode=0o700)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)


def _remove(directory: Path) -> None:
    """Remove a directory of ours, which holds nothing but files."""
    with suppress(OSError):
        for path in directory.iterdir():
            path.unlink(missing_ok=True)
        directory.rmdir()
