"""`ferrule` as a real process, without the price of its imports: a Python that has them all forks for each run.

A run has its own arguments, environment, directory and pipes or terminal, and ends as the program does. What depends
on a fresh interpreter (signals, `/proc`, what is imported when) is for tests that start the program itself.
"""

import atexit
import fcntl
import gc
import importlib
import os
import pkgutil
import select
import selectors
import signal
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NoReturn

import msgspec

import ferrule
from ferrule.core import regex

_ROOT = Path(__file__).parent.parent
_ONCE = ("PYTHON", "LC_", "LANG")  # what an interpreter reads only once, when it starts
_AS_WE_ARE = ("LANG", "C.UTF-8")  # what Python takes for itself where no language is named


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be run."""

    words: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    at_terminal: bool = False
    """Whether its streams are a terminal, which becomes its own."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How it ended."""

    code: int
    out: bytes
    err: bytes


def can_fork(env: Mapping[str, str]) -> bool:
    """Whether a run with this environment behaves in a fork as it does in an interpreter of its own."""
    return not any(
        name.startswith(_ONCE) and name != "PYTHONPATH" and (name, value) != _AS_WE_ARE for name, value in env.items()
    )


class Running:
    """A run that was begun with three descriptors for its streams, which stay the caller's to close."""

    def __init__(self, order: Order, streams: Sequence[int], *, seconds: float = 50) -> None:
        """Begin it; `seconds` is how long its end is waited for.

        Raises:
            TimeoutError: it does not begin in this time.
        """
        self._line, theirs = socket.socketpair()
        self._line.settimeout(seconds)
        with theirs:
            socket.send_fds(_forker(), [b"."], [theirs.fileno(), *streams])
        self._line.sendall(msgspec.json.encode(order))
        self._line.shutdown(socket.SHUT_WR)
        self._report = self._line.makefile("rb")
        self.pid = int(self._report.readline())
        self._code: int | None = None

    def wait(self) -> int:
        """Wait for its end; the exit code, or the number of the signal that killed it, below zero.

        Raises:
            TimeoutError: it takes too long; it is killed.
        """
        if self._code is None:
            with self._line, self._report:
                try:
                    self._code = int(self._report.readline())
                except TimeoutError:
                    os.kill(self.pid, signal.SIGKILL)
                    raise
        return self._code


def run(order: Order, *, stdin: bytes | None, seconds: float = 50) -> Outcome:
    """Run `ferrule`, and wait for its end as one waits for a process: until its pipes are closed.

    Raises:
        TimeoutError: It takes longer than that; it is killed.
    """
    out, theirs_out = os.pipe()
    err, theirs_err = os.pipe()
    theirs_in, into = os.pipe() if stdin is not None else (os.open(os.devnull, os.O_RDONLY), None)
    streams = (theirs_in, theirs_out, theirs_err)
    running = Running(order, streams, seconds=seconds)
    for descriptor in streams:
        os.close(descriptor)
    try:
        heard_out, heard_err = _communicate((into, out, err), stdin or b"", seconds=seconds)
    except TimeoutError:
        os.kill(running.pid, signal.SIGKILL)
        raise
    return Outcome(code=running.wait(), out=heard_out, err=heard_err)


def _communicate(ends: tuple[int | None, int, int], data: bytes, *, seconds: float) -> tuple[bytes, bytes]:
    """Write what it shall read and read what it writes, side by side."""
    into, out, err = ends
    heard = {out: bytearray(), err: bytearray()}
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for descriptor in heard:
            selector.register(descriptor, selectors.EVENT_READ)
        if into is not None:
            os.set_blocking(into, False)
            selector.register(into, selectors.EVENT_WRITE)
        while selector.get_map():
            for key, _ in selector.select(max(deadline - time.monotonic(), 0)):
                if key.fd != into:
                    piece = os.read(key.fd, 1 << 16)
                    heard[key.fd] += piece
                    goes_on = bool(piece)
                else:
                    data = _write(into, data)
                    goes_on = bool(data)
                if not goes_on:
                    selector.unregister(key.fd)
                    os.close(key.fd)
            if time.monotonic() > deadline:
                raise TimeoutError(f"it takes longer than {seconds} seconds")
    return bytes(heard[out]), bytes(heard[err])


def _write(descriptor: int, data: bytes) -> bytes:
    """Write as much as there is room for; what is left, and nothing where nobody reads."""
    try:
        return data[os.write(descriptor, data) :]
    except BrokenPipeError:
        return b""


@cache
def _forker() -> socket.socket:
    """The line to the one that forks; it is started once, and ends when this process does."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forks", str(theirs.fileno())],
        cwd=_ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith(_ONCE)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def main() -> None:
    """Import everything, then fork for each run that is ordered."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # at a terminal it goes to the tests, which end us
    for module in pkgutil.walk_packages(ferrule.__path__, "ferrule."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for one in gc.get_objects():
        if isinstance(one, regex._Lazy):
            assert one.pattern  # compiled here, and not anew by each run
    gc.freeze()
    _Forks(socket.socket(fileno=int(sys.argv[1]))).serve()


class _Forks:
    """The runs that go on, each with the line on which its end is told."""

    def __init__(self, control: socket.socket) -> None:
        self._control, self._lines = control, dict[int, socket.socket]()
        self._alarm, self._ring = socket.socketpair()
        self._alarm.setblocking(False)
        self._ring.setblocking(False)
        signal.set_wakeup_fd(self._ring.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it only has to ring

    def serve(self) -> None:
        """Fork for each order, until nobody is left to order, and the last run has ended."""
        waits_for = {self._control, self._alarm}
        while self._control in waits_for or self._lines:
            ready, _, _ = select.select(waits_for, [], [])
            if self._alarm in ready:
                self._alarm.recv(1 << 16)
                self._tell()
            if self._control in ready and not self._begin():
                waits_for.remove(self._control)

    def _begin(self) -> bool:
        """Begin the run that is ordered; False where nobody orders any more."""
        message, descriptors, _, _ = socket.recv_fds(self._control, 1, 4)
        if not message:
            return False
        line = socket.socket(fileno=descriptors[0])
        with line.makefile("rb") as orders:
            order = msgspec.json.decode(orders.read(), type=Order)
        if not (pid := os.fork()):
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (self._control, self._alarm, self._ring, line, *self._lines.values()):
                one.close()
            _become(order, descriptors[1:])
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        self._lines[pid] = line
        with suppress(OSError):  # whoever ordered it may be gone
            line.sendall(b"%d\n" % pid)
        return True

    def _tell(self) -> None:
        """Say of the runs that have ended how they did."""
        while self._lines and (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            pid, status = ended
            with self._lines.pop(pid) as line, suppress(OSError):
                line.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(order: Order, streams: Sequence[int]) -> NoReturn:
    """Be `ferrule`, as if just started."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if order.at_terminal:
        os.setsid()
        fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, lines, encoding=old.encoding, errors=old.errors, closefd=False)  # noqa: SIM115 - it stays open
        for number, (mode, lines, old) in enumerate([("r", -1, sys.stdin), ("w", -1, sys.stdout), ("w", 1, sys.stderr)])
    )
    own = {name: os.environ[name] for name in ("LC_CTYPE",) if name in os.environ}  # Python's choice where none is made
    os.environ.clear()
    os.environ.update({**({} if "LANG" in order.env else own), **order.env})
    sys.path[:0] = [path for path in order.env.get("PYTHONPATH", "").split(os.pathsep) if path]  # new packages only
    time.tzset()
    os.chdir(order.cwd)
    sys.argv = ["ferrule", *order.words]
    from ferrule.cli.main import entry

    entry()
    raise AssertionError("entry never comes back")


if __name__ == "__main__":
    main()
