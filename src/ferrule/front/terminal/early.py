"""Paints the prompt before anything heavy is imported, and hands the terminal over to whoever draws it from then on.

What is typed meanwhile waits in the terminal's own queue, unseen, and is read when the rest is there.
"""

import fcntl
import os
import sys
import termios
import tty
from contextlib import suppress
from typing import Any

PROMPT = "❯ "
PASTES_ARE_MARKED, PASTES_ARE_NOT = "\x1b[?2004h", "\x1b[?2004l"
_NO_COLOURS = "\x1b[0m"
_SHOW_CURSOR, _CLEAR_DOWN = "\x1b[?25h", "\x1b[J"
_NARROWEST = 4


def can_be_drawn_upon() -> bool:
    """Whether the terminal is one that can be drawn upon."""
    return os.environ.get("TERM", "") not in {"", "dumb", "unknown"}


def size() -> tuple[int, int]:
    """Columns and rows of the terminal; a terminal that does not know is taken for a usual one."""
    try:
        columns, rows = os.get_terminal_size(1)
    except OSError:
        columns, rows = 0, 0
    return max(columns or 80, _NARROWEST), max(rows or 24, 2)


class Ground:
    """The terminal as it was found, and as it is to be left."""

    def __init__(self) -> None:
        self._found = termios.tcgetattr(0)
        self._raw: Any = None
        self.typed_before = 0
        """Bytes that were typed before keys were read as they come: in them Enter is a line end."""

    def take(self) -> None:
        """Read keys as they come, unseen, and show where they will stand."""
        tty.setraw(0, termios.TCSANOW)
        self._raw = termios.tcgetattr(0)
        self._raw[1] |= termios.OPOST  # what others print on it begins at the left
        termios.tcsetattr(0, termios.TCSANOW, self._raw)
        self.typed_before = int.from_bytes(fcntl.ioctl(0, termios.FIONREAD, bytes(4)), sys.byteorder)
        write(f"{PASTES_ARE_MARKED}{PROMPT}")

    def lend(self) -> None:
        """Leave the terminal to another program for a while."""
        write(f"{PASTES_ARE_NOT}{_SHOW_CURSOR}")
        termios.tcsetattr(0, termios.TCSADRAIN, self._found)

    def take_back(self) -> None:
        """Read keys as they come again."""
        if self._raw is not None:
            termios.tcsetattr(0, termios.TCSADRAIN, self._raw)
        write(PASTES_ARE_MARKED)

    def leave(self) -> None:
        """Restore the terminal as it was found."""
        with suppress(OSError):  # it may be gone
            write(f"\r{_NO_COLOURS}{_CLEAR_DOWN}{PASTES_ARE_NOT}{_SHOW_CURSOR}")
        with suppress(OSError, termios.error):
            termios.tcsetattr(0, termios.TCSADRAIN, self._found)


def write(text: str) -> None:
    """Write to the terminal at once, all of it."""
    data = text.encode("utf-8", "replace")
    while data:
        try:
            data = data[os.write(1, data) :]
        except BlockingIOError:  # somebody who shares the terminal made it so
            os.set_blocking(1, True)
    sys.stdout.flush()
