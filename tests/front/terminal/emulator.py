"""`ferrule` in a real pseudo-terminal, seen through a terminal emulator."""

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyte
from wcwidth import wcwidth

from ferrule.front.terminal.screen import SHOW_AT_ONCE
from tests import forks

FERRULE = str(Path(sys.executable).parent / "ferrule")
ENTER, ESCAPE, TAB, BACK_TAB, UP, DOWN = "\r", "\x1b", "\t", "\x1b[Z", "\x1b[A", "\x1b[B"
CTRL_C, CTRL_D, CTRL_J, CTRL_R, CTRL_O, CTRL_G = "\x03", "\x04", "\n", "\x12", "\x0f", "\x07"
PATIENCE = 30.0


class Screen(pyte.HistoryScreen):
    """A screen that keeps what leaves it, and is never paged through.

    For those who page, pyte looks twice at each attribute that it takes: that is half of the time it needs.
    """

    __getattribute__ = object.__getattribute__


def row_of(cells: Mapping[int, Any], width: int) -> str:
    """What a person reads in a row; a wide character takes two cells."""
    found: list[str] = []
    column, end = 0, min(width, max(cells, default=-1) + 1)
    while column < end:
        data = cells[column].data if column in cells else " "
        found.append(data)
        column += 1 if data.isascii() else max(wcwidth(data[0]), 1)
    return "".join(found).rstrip()


def enough_for(text: str, written: bytearray) -> int:
    """How many bytes are enough to print a text, with its colours and with the clock that goes on beside it.

    A painting that brings more rows than a window holds draws what stands below them once more. How many there are of
    these depends on how busy the machine is; no other painting has a reason to.
    """
    frames = written.split(SHOW_AT_ONCE.encode())[1:]
    full = sum(frame.count(b"\r\n") > 16 for frame in frames)
    return 3 * len(text) + 100 * len(frames) + 800 * full


class Terminal:
    """A program at a terminal: keys go in, and what a person would see comes out.

    `ferrule` is a fork where that makes no difference (`tests/forks.py`), unless a fresh interpreter is asked for.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        size: tuple[int, int] = (80, 24),
        fresh: bool = False,
    ) -> None:
        columns, rows = size
        self.screen = Screen(columns, rows, history=200_000, ratio=0.5)
        self._stream = pyte.ByteStream(self.screen)
        self._rows: tuple[object, list[str]] = (None, [])
        self._above: tuple[object, int, list[str]] = (None, 0, [])
        self.written = bytearray()
        self._ours, theirs = os.openpty()
        self._is_open = True
        self._set_size()
        environment = {"TERM": "xterm-256color", **env}
        self._child: forks.Running | subprocess.Popen[bytes]
        if not fresh and command[0] == FERRULE and forks.can_fork(environment):
            order = forks.Order(words=command[1:], cwd=str(cwd), env=environment, at_terminal=True)
            self._child = forks.Running(order, (theirs, theirs, theirs))
        else:
            self._child = subprocess.Popen(
                command,
                cwd=cwd,
                env=environment,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - it does no more than this
            )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None:
            sys.stderr.write("\n".join(self.display) + "\n")
        self._close()

    def _close(self) -> int:
        """Take the terminal away, and wait for the program to notice; how it ended."""
        if self._is_open:
            self._is_open = False
            os.close(self._ours)
        if isinstance(self._child, forks.Running):
            return self._child.wait()
        try:
            return self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            raise

    def _set_size(self) -> None:
        size = struct.pack("HHHH", self.screen.lines, self.screen.columns, 0, 0)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)

    @property
    def display(self) -> list[str]:
        """The rows of the screen; they are the same until more is written."""
        state = (len(self.written), self.screen.columns, self.screen.lines)
        if self._rows[0] != state:
            rows = range(self.screen.lines)
            self._rows = (state, [row_of(self.screen.buffer[row], self.screen.columns) for row in rows])
        return self._rows[1]

    @property
    def lines(self) -> list[str]:
        """All that was ever printed, and the screen."""
        top, width = self.screen.history.top, self.screen.columns
        first = top[0] if top else None
        if self._above[0] is not first or self._above[1] != width:
            self._above = (first, width, [])
        above = self._above[2]  # what has left the screen stays as it is
        above += [row_of(row, width) for row in islice(top, len(above), None)]
        return [*above, *self.display]

    @property
    def text(self) -> str:
        """The same as one text."""
        return "\n".join(self.lines)

    def send(self, keys: str) -> None:
        """Press keys."""
        data = keys.encode()
        while data:
            data = data[os.write(self._ours, data) :]

    def pump(self, seconds: float = 0.05) -> bool:
        """Let the emulator read for a while; False once the program is gone."""
        if not select.select([self._ours], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._ours, 1 << 16)
        except OSError:  # how Linux says it
            data = b""
        if not data:
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
        self._set_size()

    def end(self) -> int:
        """Wait for the program to end; its exit code, or 128 and the number of the signal."""
        deadline = time.monotonic() + PATIENCE
        while self.pump() and time.monotonic() < deadline:
            pass
        return self.hang_up()

    def hang_up(self) -> int:
        """Take the terminal away, and wait for the program to notice; its exit code, as with `end`."""
        code = self._close()
        return code if code >= 0 else 128 - code
