"""Opens the one door of a sandbox without a network, gives it to Ferrule, and becomes the command.

It runs inside, as `python -I -S relay.py LINE PORT ARGV…`. In the sandbox's own network, where nothing can be
reached, it listens on the loopback address and sends the listening socket out over LINE, a unix socket that it
inherited. Ferrule accepts the connections and answers them as a proxy (see `broker.py`). So the door needs no
process in here, and whoever opens it from inside finds no descriptor that leads anywhere else: a connected socket
of the outer network could be connected anew, to any address.

Each command that may reach hosts waits for this script, hence the bare modules: `socket`, `signal` and `os` would
more than double its time.
"""

import posix
import sys
from _signal import SIG_DFL, SIGPIPE, SIGXFSZ, signal  # type: ignore[import-not-found]
from _socket import AF_INET, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket

_BACKLOG = 128
_LOADER = (b"LD_LIBRARY_PATH=", b"DYLD_LIBRARY_PATH=")
"""What this interpreter may have needed to start; commands do not see it."""
_CANNOT_RUN, _NOT_FOUND = 126, 127


def open_door(line: int, port: int) -> None:
    """Listen, and send the listening socket out; nothing of it stays here."""
    talk, door = socket(fileno=line), socket(AF_INET, SOCK_STREAM)
    door.bind(("127.0.0.1", port))
    door.listen(_BACKLOG)
    talk.sendmsg([b"\0"], [(SOL_SOCKET, SCM_RIGHTS, door.fileno().to_bytes(4, sys.byteorder))])
    door.close()
    talk.close()


def first_environment() -> dict[bytes, bytes]:
    """The environment as it was given: Python adds a locale to its own where it finds none."""
    try:
        with open("/proc/self/environ", "rb", buffering=0) as file:  # noqa: PTH123 - pathlib would be dear here
            variables = file.readall().split(b"\0")
    except OSError:
        variables = [name + b"=" + value for name, value in posix.environ.items()]
    parted = (variable.partition(b"=") for variable in variables if not variable.startswith(_LOADER))
    return {name: value for name, equals, value in parted if name and equals}


def become(argv: list[str]) -> None:
    """Turn into the command, with the signals as it expects them: Python ignores some."""
    for number in (SIGPIPE, SIGXFSZ):
        signal(number, SIG_DFL)
    posix.execve(argv[0], argv, first_environment())


def main(line: str, port: str, *argv: str) -> int:
    """Do both, or say what failed; without the door the command does not run at all."""
    try:
        open_door(int(line), int(port))
        become(list(argv))
    except OSError as error:
        what = error.filename or "the way to the allowed hosts"
        words = f"The command could not be started in the sandbox: {what}: {error.strerror}.\n"
        posix.write(2, words.encode(errors="surrogateescape"))
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
