"""One command while it runs, and what is known of it afterwards."""

import asyncio
import os
import socket
import termios
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from ferrule.core.errors import ToolError
from ferrule.host.capture import Output
from ferrule.host.keeper import pack
from ferrule.host.probe import Family, Work
from ferrule.host.sandbox.profile import Launch, Leave
from ferrule.host.shell import Invocation

_CHUNK = 64 * 1024
_AT_ONCE = 0.005
"""Seconds for which output is read before others have their turn."""
_MOST_HELD = 1024 * 1024
"""Bytes that a pipe or a terminal holds at most: who has read so many has all that there was."""
_LONGEST_LINE = 4_000
"""A terminal takes 4,095 bytes of a line and drops the rest."""
_PIPE, _TERMINAL = 0, 1


class Process:
    """A command: its output as it comes, its end when it came, and a terminal to type on.

    It holds three descriptors until nobody of its tree is left: the pipe with the output, the terminal, and the
    line to its monitor (see `keeper.py`), which is handed back then. Closing the line kills the tree.
    """

    def __init__(
        self,
        command: str,
        output: Output,
        invocation: Invocation,
        launch: Launch,
        *,
        line: socket.socket,
        hand_back: Callable[[socket.socket], None],
    ) -> None:
        self._loop = loop = asyncio.get_running_loop()
        self.command, self.output, self._invocation, self._launch = command, output, invocation, launch
        self._line, self._hand_back, self._words = line, hand_back, b""
        self._is_sent, self._code = False, -9
        self.number = 0
        """Its number as a job; 0 while it is none."""
        self.alive: asyncio.Future[bool] = loop.create_future()
        """Whether a monitor took it over."""
        self.ended: asyncio.Future[int] = loop.create_future()
        """The exit code of its shell; negative for the signal that ended it."""
        self.gone: asyncio.Future[None] = loop.create_future()
        """Done when nobody of its tree is left."""
        self.problem = ""
        """Why it could not be started, or was killed."""
        self.notes: list[str] = []
        """What its sandbox had to put right, for whoever reads the output."""
        self.leave = Leave()
        """What it may have beyond the profile of its sandbox."""
        self.outer: Callable[[Path], Path] = lambda path: path
        """Where a directory of which it speaks lies outside of its sandbox."""
        self.directory: Path | None = None
        """Where the shell stood at its end, if it could say so."""
        self.began = self.touched = time.monotonic()
        """When it began, and when it last printed or was typed to."""
        self.family = Family(0)
        self.rest: Work | None = None
        """What it had done when it last did something."""
        self.wanted = False
        """Whether it would have run when it was last looked at, if it had been let."""
        self.told_ports: set[int] = set()
        self._pipe, self._terminal, self._theirs = _open_ends()
        self.terminal_device = os.fstat(self._theirs[0]).st_rdev
        self._theirs += launch.open_descriptors

    async def begin(self) -> bool:
        """Have the monitor take over, and say whether it did. If not, nothing of the command was run.

        Raises:
            ToolError: there was no answer at all.
        """
        self._loop.add_reader(self._pipe, self._on_output)
        self._loop.add_reader(self._terminal, self._read, self._terminal, _TERMINAL)
        self._loop.add_reader(self._line, self._on_words)
        try:
            async with asyncio.timeout(10):
                with suppress(BrokenPipeError, ConnectionResetError):
                    self._pass_on()
                    await self._loop.sock_sendall(self._line, _request(self._launch))
                    self._is_sent = True
                return await asyncio.shield(self.alive)
        except TimeoutError:
            raise ToolError("The command could not be started within 10 s.") from None

    async def write(self, text: str, *, within: float = 2.0) -> None:
        """Type on its terminal.

        Raises:
            ToolError: nobody reads it, or it cannot be typed.
        """
        data = text.encode(errors="replace")
        if any(len(line) > _LONGEST_LINE for line in data.split(b"\n")):
            raise ToolError(f"A line of input can have {_LONGEST_LINE:,} bytes; put longer ones into a file.")
        self.touched = time.monotonic()
        try:
            async with asyncio.timeout(within):
                while data:
                    data = data[await self._type(data) :]
        except TimeoutError:
            raise ToolError(f"It does not read its input: {len(data):,} bytes could not be typed.") from None
        except OSError:
            raise ToolError("It ended, and reads no more.") from None

    async def kill(self, *, within: float = 10.0) -> None:
        """Kill the whole tree and wait for its end, though not for ever: what is stuck in the kernel stays."""
        if self._is_sent and not self.gone.done():
            with suppress(OSError):
                self._line.send(b"\0")
            await asyncio.wait([self.gone], timeout=within)
        self.abandon()

    def abandon(self) -> None:
        """Let go at once. Whoever is left of the tree is killed by the monitor, which sees its line closed."""
        if not self.gone.done():
            self._loop.remove_reader(self._line)
            self._line.close()
            self._let_go()

    def _pass_on(self) -> None:
        """Give the monitor its ends, and close them here, where they would hide the command's end."""
        try:
            socket.send_fds(self._line, [b"\1"], self._theirs)
        finally:
            self._close_theirs()

    def _close_theirs(self) -> None:
        while self._theirs:
            os.close(self._theirs.pop())

    async def _type(self, data: bytes) -> int:
        with suppress(BlockingIOError):
            return os.write(self._terminal, data[:1024])
        await asyncio.sleep(0.02)
        return 0

    def _on_output(self) -> None:
        self._read(self._pipe, _PIPE)
        if self.number and self.output.is_flooded and not self.gone.done():
            # Nobody waits for it and nobody will read it: it must not keep us busy.
            self._loop.remove_reader(self._pipe)
            self._loop.call_later(0.05, self._read_on)

    def _read_on(self) -> None:
        if not self.gone.done():
            self._loop.add_reader(self._pipe, self._on_output)

    def _read(self, descriptor: int, source: int, *, all_there_is: bool = False) -> None:
        """Read what is there, for a moment at most; or all of it, however long that takes."""
        until, left = time.monotonic() + _AT_ONCE, _MOST_HELD if all_there_is else 0
        while left > 0 or time.monotonic() < until:
            try:
                data = os.read(descriptor, _CHUNK)
            except BlockingIOError:
                return
            except OSError:  # nobody has the terminal open any more
                data = b""
            if not data:
                self._loop.remove_reader(descriptor)
                return
            left -= len(data)
            self.touched = time.monotonic()
            self.output.feed(data, source=source)

    def _on_words(self) -> None:
        try:
            data = self._line.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *lines, self._words = (self._words + data).split(b"\n")
        for line in lines:
            self._hear(line.decode().split(), is_over=b"gone" in lines)
        if not data and not self.gone.done():
            self.problem = self.problem or "What watched over it was killed, and the command with it."
            self.abandon()

    def _hear(self, words: list[str], *, is_over: bool) -> None:
        match words:
            case ["alive", monitor]:
                self.family = Family(int(monitor))
                self.alive.set_result(True)
            case ["failed", number, *what]:
                reason = f"{os.strerror(int(number))}: {' '.join(what)}"
                self.problem = f"The command could not be started: {reason}."
            case ["exit", status]:
                self._code = os.waitstatus_to_exitcode(int(status))
                if not is_over:  # otherwise all that is to be done now is done with the last one's end
                    self._read(self._pipe, _PIPE, all_there_is=True)
                    self._note_end(is_over=False)
            case ["gone"]:
                self._loop.remove_reader(self._line)
                self._hand_back(self._line)
                self._let_go()

    def _let_go(self) -> None:
        """Take what is still there, and close the rest."""
        self._close_theirs()
        for source, descriptor in enumerate((self._pipe, self._terminal)):
            self._read(descriptor, source, all_there_is=True)
            self._loop.remove_reader(descriptor)
            os.close(descriptor)
        self.output.close()
        if not self.alive.done():
            self.alive.set_result(False)
        self._note_end(is_over=True)
        self.gone.set_result(None)

    def _note_end(self, *, is_over: bool) -> None:
        """Put right what was changed, and let the end of the shell be known if it is not."""
        self.notes += (note for note in self._launch.finish(is_over=is_over) if note not in self.notes)
        if not self.ended.done():
            if said := self._invocation.ended_in():
                directory = self.outer(said)
                is_there = os.path.isdir(directory)  # noqa: PTH112 - one whose name is too long, or closed to us, is not
                self.directory = directory if is_there else None
            self.ended.set_result(self._code)


def _request(launch: Launch) -> bytes:
    """What the monitor is asked for."""
    return pack(
        [os.fsencode(word) for word in launch.argv],
        {os.fsencode(name): os.fsencode(value) for name, value in launch.environment.items()},
        os.fsencode(launch.cwd),
        launch.texts,
        locks=launch.lock is not None,
        rules=launch.rules,
    )


def _open_ends() -> tuple[int, int, list[int]]:
    """Make the pipe and the terminal of a command: our ends, and the monitor's, the terminal first."""
    with ExitStack() as undo:
        pipe, output = os.pipe()
        undo.callback(os.close, pipe)
        undo.callback(os.close, output)
        ours, terminal = os.openpty()
        undo.callback(os.close, ours)
        undo.callback(os.close, terminal)
        os.set_blocking(pipe, False)
        os.set_blocking(ours, False)
        _make_quiet(terminal)
        undo.pop_all()
    return pipe, ours, [terminal, output]


def _make_quiet(terminal: int) -> None:
    """No echo, no change of line ends, no way to stop the output; line by line, with the usual control keys."""
    attributes = termios.tcgetattr(terminal)
    attributes[0] &= ~(termios.IXON | termios.IXOFF)
    attributes[1] &= ~termios.OPOST
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    termios.tcsetwinsize(terminal, (24, 80))
