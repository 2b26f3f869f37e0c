"""A llama-server in the place of the package: it runs beside the engine's own process, and ends whenever that does."""

import os
import socket as sockets
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

_ON_A_LEASH = 'exec 9<&0 </dev/null; (read -r _ <&9 || kill -9 "$$") 2>/dev/null & exec "$@" 9<&-'
"""Runs a program, and kills it once the other end of its input is closed without a word: the kernel closes that even
for a process that is killed."""
_PAUSE = 0.05
_ANSWER_SECONDS = 10.0
_ASKING_SECONDS = 30.0


class Program:
    """One that was started. It holds the engine's lock as well, so that its memory is free before the lock is."""

    def __init__(self, command: Sequence[str], settings: Mapping[str, str]) -> None:
        reading, self._leash = os.pipe()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _ON_A_LEASH, "sh", *command],
                env={**os.environ, **settings},
                stdin=reading,
                close_fds=False,
            )
        finally:
            os.close(reading)

    def wait_until_ready(self, socket: str) -> int | None:
        """Wait until it has loaded its weights; gives its code where it ended instead."""
        while (code := self._process.poll()) is None:
            if _is_ready(socket):
                return None
            time.sleep(_PAUSE)
        self._let_go()
        return code

    def when_ended(self, act: Callable[[], object]) -> None:
        """Do something, in another thread, once it has ended."""

        def wait() -> None:
            self._process.wait()
            with suppress(RuntimeError):  # everything is at its end
                act()

        threading.Thread(target=wait, daemon=True).start()

    def end(self) -> None:
        """End it, and wait until it is gone."""
        self._process.kill()
        self._process.wait()
        self._let_go()

    def _let_go(self) -> None:
        """Keep its number from being killed once it is another's."""
        with suppress(OSError):
            os.write(self._leash, b"\n")


def has_devices(program: str) -> bool:
    """Whether a llama-server can use anything besides the processor."""
    try:
        command = [program, "--list-devices"]
        told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_ASKING_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return False
    lines = told.stdout.partition("Available devices:")[2].split("\n")
    return any(":" in line for line in lines)


def _is_ready(socket: str) -> bool:
    with suppress(OSError), sockets.socket(sockets.AF_UNIX) as connection:
        connection.settimeout(_ANSWER_SECONDS)
        connection.connect(socket)
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return connection.recv(64).startswith(b"HTTP/1.1 200 ")
    return False
