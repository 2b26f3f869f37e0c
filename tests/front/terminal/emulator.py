"""`ferrule` in a real pseudo-terminal, seen through a terminal emulator."""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pexpect  # type: ignore[import-untyped]
import pyte

FERRULE = str(Path(sys.executable).parent / "ferrule")
ENTER, ESCAPE, TAB, BACK_TAB, UP, DOWN = "\r", "\x1b", "\t", "\x1b[Z", "\x1b[A", "\x1b[B"
CTRL_C, CTRL_D, CTRL_J, CTRL_R, CTRL_O, CTRL_G = "\x03", "\x04", "\n", "\x12", "\x0f", "\x07"
PATIENCE = 30.0


class Terminal:
    """A program at a terminal: keys go in, and what a person would see comes out."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        size: tuple[int, int] = (80, 24),
    ) -> None:
        columns, rows = size
        self.screen = pyte.HistoryScreen(columns, rows, history=200_000, ratio=0.5)
        self._stream = pyte.ByteStream(self.screen)
        self.written = bytearray()
        self.process: Any = pexpect.spawn(
            command[0],
            list(command[1:]),
            cwd=str(cwd),
            env={"TERM": "xterm-256color", **env},
            dimensions=(rows, columns),
            timeout=PATIENCE,
        )
        self.process.delaybeforesend = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None:
            sys.stderr.write("\n".join(self.display) + "\n")
        if not self.process.closed:
            self.process.close(force=True)

    @property
    def display(self) -> list[str]:
        """The rows of the screen."""
        return [row.rstrip() for row in self.screen.display]

    @property
    def lines(self) -> list[str]:
        """All that was ever printed, and the screen."""
        width = self.screen.columns
        above = ["".join(row[column].data for column in range(width)).rstrip() for row in self.screen.history.top]
        return [*above, *self.display]

    @property
    def text(self) -> str:
        """The same as one text."""
        return "\n".join(self.lines)

    def send(self, keys: str) -> None:
        """Press keys."""
        self.process.send(keys)

    def pump(self, seconds: float = 0.05) -> bool:
        """Let the emulator read for a while; False once the program is gone."""
        try:
            data = self.process.read_nonblocking(1 << 16, seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.written += data
        self._stream.feed(data)
        return True

    def until(self, condition: Callable[[], object], *, seconds: float = PATIENCE) -> None:
        """Wait until something is seen."""
        deadline = time.monotonic() + seconds
        while not condition():
            goes_on = self.pump()
            assert goes_on or condition(), f"it ended:\n{self.text}"
            assert time.monotonic() < deadline, f"not seen in time:\n{self.text}"

    def wait(self, words: str, *, seconds: float = PATIENCE) -> None:
        """Wait for words on the screen."""
        self.until(lambda: words in "\n".join(self.display), seconds=seconds)

    def wait_gone(self, words: str) -> None:
        """Wait until words are no longer on the screen."""
        self.until(lambda: words not in "\n".join(self.display))

    def resize(self, columns: int, rows: int) -> None:
        """Make the window larger or smaller."""
        self.screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    def end(self) -> int:
        """Wait for the program to end; its exit code, or 128 and the number of the signal."""
        deadline = time.monotonic() + PATIENCE
        while self.pump() and time.monotonic() < deadline:
            pass
        self.process.wait()
        code: int | None = self.process.exitstatus
        return 128 + int(self.process.signalstatus) if code is None else code

    def hang_up(self) -> int:
        """Take the terminal away, and wait for the program to notice; its exit code."""
        self.process.ptyproc.fileobj.close()
        self.process.closed = self.process.ptyproc.closed = True
        return os.waitstatus_to_exitcode(os.waitpid(self.process.pid, 0)[1])

    def kill(self, number: signal.Signals) -> None:
        """Send a signal."""
        os.kill(self.process.pid, number)
