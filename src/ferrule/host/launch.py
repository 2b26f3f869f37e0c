"""Ferrule's side of the keeper: starts it with the first command, and holds the lines to its monitors."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_SCRIPT = Path(__file__).with_name("keeper.py")
_MOST_FREE = 2
LOADER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What some interpreters cannot start without; commands do not see it."""


class Keeper:
    """The keeper process, as far as Ferrule knows it."""

    def __init__(self, sandbox: Callable[[], str], *, shut: bool = False) -> None:
        """Make ready. `sandbox` names what confines the commands, and is asked when the first one starts.

        With `shut` the keeper and all that it starts have a network of their own, which leads nowhere.
        """
        self._sandbox, self._network = sandbox, "loopback" if shut else "any"
        self._channel: socket.socket | None = None
        self._free: list[socket.socket] = []
        self._helper: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the keeper, if one was started."""
        return self._helper.pid if self._helper else None

    def line(self) -> socket.socket:
        """Give a line to a monitor: to one that is free, or to a new one."""
        if self._free:
            return self._free.pop()
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        try:
            with theirs:
                self._pass_on(theirs.fileno())
        except BaseException:
            ours.close()
            raise
        return ours

    def take_back(self, line: socket.socket) -> None:
        """Keep the line to a monitor that is free again; without one it leaves."""
        if len(self._free) < _MOST_FREE:
            self._free.append(line)
        else:
            line.close()

    def hang_up(self) -> None:
        """Close the lines to the free monitors."""
        while self._free:
            self._free.pop().close()

    def drop(self) -> None:
        """Be done with a keeper that does not answer; the next command starts another."""
        if self._channel:
            self._channel.close()
            self._channel = None
        if self._helper:
            self._helper.kill()
            self._helper.wait()
            self._helper = None

    async def close(self) -> None:
        """Let the keeper go: it leaves when the channel closes, and is killed if it takes too long."""
        self.hang_up()
        if self._channel:
            self._channel.close()
            self._channel = None
        for _ in range(500):
            if self._helper is None or self._helper.poll() is not None:
                break
            await asyncio.sleep(0.002)
        self.drop()

    def _pass_on(self, descriptor: int) -> None:
        """Hand over the monitor's end of a line. Whether it arrives, the line will tell."""
        if self._channel:
            with suppress(OSError):
                socket.send_fds(self._channel, [b"\0"], [descriptor])
                return
            self.drop()
        self._channel = self._start()
        socket.send_fds(self._channel, [b"\0"], [descriptor])

    def _start(self) -> socket.socket:
        """Start the keeper with nothing of ours: no secret, no terminal, no directory that someone may remove."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._helper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SCRIPT), str(theirs.fileno()), self._sandbox(), self._network],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={name: os.environ[name] for name in LOADER if name in os.environ},
                cwd=os.sep,
            )
        return ours
