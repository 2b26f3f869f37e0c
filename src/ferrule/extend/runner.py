"""Runs an external tool inside the sandbox and says how it went: `python -I -S runner.py LIMIT ARGV…`.

The tool reads our stdin. What it prints on stdout and on stderr is kept apart and within bounds, and told in one line
at its end: the exit code, whether it was stopped because it printed too much, and both texts in base64. It is the end
of the tool that counts: a daemon that it left behind may hold its pipes open for ever.

Each call waits for this script, hence the bare modules: `signal` and `contextlib` would take as long as Python itself.
"""

import os
import select
import sys
from _signal import SIGKILL, SIGPIPE, SIGXFSZ  # type: ignore[import-not-found]
from binascii import b2a_base64

_CHUNK = 64 * 1024
_TICK = 20
"""Milliseconds between two looks at a tool that prints nothing."""
_STDERR = 4_000
"""Bytes of the end of stderr, where errors are told."""


class Pipes:
    """What the tool has printed so far."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.stdout = self.stderr = b""
        (self._out, out), (self._err, err) = os.pipe(), os.pipe()
        self.theirs = {out: 1, err: 2}
        self._open = {self._out, self._err}
        for descriptor in self._open:
            os.set_blocking(descriptor, False)

    @property
    def is_flooded(self) -> bool:
        """Whether it printed more than anyone will read."""
        return len(self.stdout) > self.limit

    def wait(self, milliseconds: int) -> bool:
        """Take in what comes within a time, and say whether more may come."""
        poll = select.poll()
        for descriptor in self._open:
            poll.register(descriptor, select.POLLIN)
        for descriptor, _ in poll.poll(milliseconds):
            self._take(descriptor)
        return bool(self._open) and not self.is_flooded

    def drain(self) -> None:
        """Take in what is still there, without waiting for anyone."""
        for descriptor in tuple(self._open):
            while self._take(descriptor) and not self.is_flooded:
                pass

    def _take(self, descriptor: int) -> bool:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._open.discard(descriptor)
        elif descriptor == self._out:
            self.stdout += data
        else:
            self.stderr = (self.stderr + data)[-_STDERR:]
        return bool(data)


def start(argv: list[str], pipes: Pipes) -> int:
    """Start the tool in a session of its own, where it has no terminal and the signals are as it expects them."""
    actions = [(os.POSIX_SPAWN_DUP2, ours, theirs) for ours, theirs in pipes.theirs.items()]
    ignored = [SIGPIPE, SIGXFSZ]
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions, setsid=True, setsigdef=ignored)
    for descriptor in pipes.theirs:
        os.close(descriptor)
    return pid


def attend(pid: int, pipes: Pipes) -> int:
    """Wait for the tool's end, stop it if it floods us, and give its exit code; negative for a signal."""
    more = True
    while more:
        more = pipes.wait(_TICK)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            pipes.drain()
            return os.waitstatus_to_exitcode(status)
    if pipes.is_flooded:
        try:  # noqa: SIM105 - `contextlib` would be dear
            os.killpg(pid, SIGKILL)
        except ProcessLookupError:
            pass
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def tell(*words: object) -> None:
    """Print the report."""
    rest = memoryview((" ".join(map(str, words)) + "\n").encode())
    while rest:
        rest = rest[os.write(1, rest) :]


def main(limit: str, *argv: str) -> int:
    """Run the tool and tell of it. Our own exit code is about the same as the tool's."""
    pipes = Pipes(int(limit))
    try:
        pid = start(list(argv), pipes)
    except OSError as error:
        tell("failed", error.errno)
        return 126
    code = attend(pid, pipes)
    texts = (b2a_base64(text, newline=False).decode() for text in (pipes.stdout[: pipes.limit], pipes.stderr))
    tell("ended", code, int(pipes.is_flooded), *(f"={text}" for text in texts))
    return code if 0 <= code < 256 else 1


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))  # all is told, and there is nothing to tidy up
