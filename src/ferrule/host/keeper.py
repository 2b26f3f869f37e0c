"""The keeper: a small process beside Ferrule that starts commands and lets none of them outlive it.

It runs as a script of its own, `python -I -S keeper.py FD`, with the standard library alone. It has one
thread and little memory, so it may fork where Ferrule itself had better not.

    Ferrule ── keeper ─┬─ monitor ── shell ── whatever the command starts
                       └─ monitor ── shell ── …

Ferrule sends the keeper one end of a socket for each monitor that it needs: one, and one more for every command
that goes on in the background. On that socket a monitor takes one command after another: two descriptors, a
terminal for its input and a pipe for its output, and a request (`pack`). It leads the terminal's session and
adopts every orphan below it, so it sees the end of each process, however detached. Any other byte means stop;
the end of the socket, as Ferrule's own death brings it about, means stop and leave. The monitor answers in lines:

    alive MONITOR    the request is in its hands; its process id
    failed ERRNO OF  the shell could not be started, and what of it failed
    exit STATUS      the shell ended, with the status of waitpid
    gone             nobody of the tree is left
"""

import fcntl
import gc
import os
import select
import signal
import socket
import sys
import termios
import time
from contextlib import suppress

if __name__ == "__main__" and sys.platform == "linux":  # dear, and Ferrule itself does without
    import ctypes

    prctl = ctypes.CDLL(None).prctl

GRACE = 0.3
"""Seconds that processes have between the request to end and the force."""
_ADOPTS = sys.platform == "linux"
_HAS_PROC = os.path.exists("/proc/self/stat")  # noqa: PTH110 - pathlib would be dear here
_SET_NAME, _SET_CHILD_SUBREAPER = 15, 36
_DEAF_TO = (
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGPIPE,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
    signal.SIGXFSZ,
)
"""A command that kills its whole group, or every Python, shall not free its own children that way."""

Table = dict[int, tuple[int, int]]
"""Processes with their parents and their groups."""


def pack(argv: list[bytes], environment: dict[bytes, bytes], cwd: bytes) -> bytes:
    """Make a request of bytes: its length, then the words; none of them can hold a NUL."""
    variables = [name + b"=" + value for name, value in environment.items()]
    body = b"\0".join([cwd, str(len(argv)).encode(), *argv, *variables])
    return len(body).to_bytes(8, "big") + body


def unpack(body: bytes) -> tuple[list[bytes], dict[bytes, bytes], bytes]:
    """Give back the arguments, the environment and the directory of a request."""
    cwd, count, *words = body.split(b"\0")
    variables = (variable.partition(b"=") for variable in words[int(count) :])
    return words[: int(count)], {name: value for name, _, value in variables}, cwd


def kin(pid: int) -> tuple[int, int] | None:
    """Look up the parent and the group of a process; None if it is no more."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123
            fields = file.read(1024).rpartition(b")")[2].split()  # the name in brackets may hold anything
        return int(fields[1]), int(fields[2])
    except (OSError, IndexError):
        return None


def process_table() -> Table:
    """List every process of this machine."""
    if not _HAS_PROC:
        with os.popen("/bin/ps -axo pid=,ppid=,pgid=") as listing:  # noqa: S605 - a fixed command
            rows = [[int(word) for word in line.split()] for line in listing]
        return {pid: (parent, group) for pid, parent, group in rows}
    found = ((int(name), kin(int(name))) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208
    return {pid: relatives for pid, relatives in found if relatives}


def descendants(root: int, table: Table) -> list[int]:
    """Everyone below a process, nearest first."""
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    family = [root]
    for pid in family:  # it grows while we walk
        family += children.get(pid, ())
    return family[1:]


class Alarm:
    """Rings when a child ends, so that one wait serves for deaths and for words."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        signal.set_wakeup_fd(self._write)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def wait(self, talk: socket.socket | None = None, seconds: float | None = None) -> bool:
        """Wait for a death, a word or the time, and say whether there is a word."""
        poll = select.poll()
        poll.register(self._read, select.POLLIN)
        if talk:
            poll.register(talk, select.POLLIN)
        ready = [descriptor for descriptor, _ in poll.poll(None if seconds is None else seconds * 1000)]
        if self._read in ready:
            os.read(self._read, 4096)
        return any(descriptor != self._read for descriptor in ready)

    def close(self) -> None:
        """Ring no more."""
        signal.set_wakeup_fd(-1)
        os.close(self._read)
        os.close(self._write)


class Monitor:
    """Starts a command, tells how it ends, and kills it when told; then the next."""

    def __init__(self, talk: socket.socket) -> None:
        self.talk = talk
        self.alarm = Alarm()
        self.terminal = self.output = self.shell = 0

    def run(self) -> None:
        """Carry one command after another from its request to the end of its last process."""
        os.setsid()
        adopt_orphans(b"ferrule-monitor")
        while self.receive_descriptors():
            self.say(f"alive {os.getpid()}")
            body = self.receive(int.from_bytes(self.receive(8), "big"))
            fcntl.ioctl(self.terminal, termios.TIOCSCTTY, 0)
            if self.alarm.wait(self.talk, 0):  # called off before it began
                return
            self.start(body)
            while self.reap():
                if self.alarm.wait(self.talk, None if _ADOPTS else 0.5):
                    self.end()
                    break
            self.leave_terminal()

    def say(self, line: str) -> None:
        """Tell Ferrule, if it still listens."""
        with suppress(OSError):
            self.talk.sendall(line.encode() + b"\n")

    def receive_descriptors(self) -> bool:
        """Wait for the terminal and the pipe of the next command; False if there will be none."""
        while True:
            byte, descriptors, _, _ = socket.recv_fds(self.talk, 1, 2)
            if descriptors:
                self.terminal, self.output = descriptors
                os.set_inheritable(self.terminal, False)
                os.set_inheritable(self.output, False)
                return True
            if not byte:
                return False
            # A stop that came too late for the last command.

    def receive(self, size: int) -> bytes:
        """Read so much, unless Ferrule went away before it had sent it."""
        received = bytearray()
        while len(received) < size:
            piece = self.talk.recv(size - len(received))
            if not piece:
                os._exit(0)
            received += piece
        return bytes(received)

    def start(self, body: bytes) -> None:
        """Start the shell. The terminal stays open here: with its last user gone it would be hung up."""
        self.shell = os.fork()
        if self.shell == 0:
            self.become(*unpack(body))
        os.close(self.output)

    def leave_terminal(self) -> None:
        """Be free for another one."""
        with suppress(OSError):  # it may be hung up by now
            fcntl.ioctl(self.terminal, termios.TIOCNOTTY)
        os.close(self.terminal)

    def become(self, argv: list[bytes], environment: dict[bytes, bytes], cwd: bytes) -> None:
        """Turn this process into the shell, in the foreground of its terminal."""
        try:
            os.setpgid(0, 0)
            os.tcsetpgrp(self.terminal, os.getpid())
            for target, source in enumerate((self.terminal, self.output, self.output)):
                os.dup2(source, target)
            for number in _DEAF_TO:
                signal.signal(number, signal.SIG_DFL)
            os.chdir(cwd)
            os.execve(argv[0], argv, environment)  # noqa: S606 - this is how a shell begins
        except OSError as error:
            self.say(f"failed {error.errno} {os.fsdecode(error.filename or b'')!a}")
        finally:
            os._exit(127)

    def reap(self) -> bool:
        """Bury the dead, tell of the shell's end and of the last one's, and say whether anyone is left."""
        ended, left = bury()
        lines = [f"exit {ended[self.shell]}"] if self.shell in ended else []
        left = left or (not _ADOPTS and group_lives(self.shell))
        if not left:
            lines.append("gone")
        if lines:
            self.say("\n".join(lines))
        return left

    def end(self) -> None:
        """Ask everyone to end, then force them, until nobody is left."""
        asked: set[int] = set()
        force_at, pause = time.monotonic() + GRACE, 0.005
        while self.reap():
            table = process_table()
            family = descendants(os.getpid(), table) if _ADOPTS else members(self.shell, table)
            if time.monotonic() >= force_at:
                kill(family, table)
            for pid in family:  # the shell first, or it would tell of the deaths of the others
                if pid not in asked:
                    send(pid, signal.SIGTERM)
                    send(pid, signal.SIGCONT)
                    asked.add(pid)
            self.alarm.wait(seconds=pause)
            pause = min(pause * 1.5, 0.2)  # what cannot be killed is not worth a whole processor


def bury() -> tuple[dict[int, int], bool]:
    """Collect the children that ended, with their statuses, and say whether any still runs."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended, False
        if pid == 0:
            return ended, True
        ended[pid] = status


def kill(family: list[int], table: Table) -> None:
    """Kill by groups first, which no fork can outrun, and then one by one."""
    for group in {table[pid][1] for pid in family} - {os.getpgrp(), 0, 1}:
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    for pid in family:
        send(pid, signal.SIGKILL)


def send(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone by now."""
    with suppress(OSError):
        os.kill(pid, number)


def group_lives(group: int) -> bool:
    """Whether a process group has a member."""
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


def members(group: int, table: Table) -> list[int]:
    """The members of a process group and all below them: the best guess where orphans are not adopted."""
    own = [pid for pid, (_, theirs) in table.items() if theirs == group]
    return [*own, *(pid for one in own for pid in descendants(one, table))]


def adopt_orphans(name: bytes) -> None:
    """Become the parent of every orphan below this process, under a name that people see in `ps`."""
    if _ADOPTS:
        prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        prctl(_SET_NAME, name, 0, 0, 0)


def keep(channel: socket.socket) -> None:
    """Start monitors until Ferrule closes the channel."""
    gc.disable()  # going through all objects would copy every page that is shared with a monitor
    for number in _DEAF_TO:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    adopt_orphans(b"ferrule-keeper")
    alarm, monitors = Alarm(), set[int]()
    while True:
        asked = alarm.wait(channel)
        ended, _ = bury()
        if any(status or pid not in monitors for pid, status in ended.items()):
            kill_strays(monitors.difference(ended))
        monitors.difference_update(ended)
        if asked:
            _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
            if not descriptors:
                return
            talk = socket.socket(fileno=descriptors[0])
            talk.set_inheritable(False)
            with talk, suppress(OSError):  # too many processes: the closed socket tells Ferrule
                monitors.add(fork_monitor(talk, channel, alarm))


def kill_strays(monitors: set[int]) -> None:
    """Kill the children of a monitor that was itself killed; their deaths bring us here again."""
    table = process_table()
    for pid, (parent, _) in table.items():
        if parent == os.getpid() and pid not in monitors:
            kill([pid, *descendants(pid, table)], table)


def fork_monitor(talk: socket.socket, channel: socket.socket, alarm: Alarm) -> int:
    """Split off a monitor."""
    pid = os.fork()
    if pid:
        return pid
    try:
        channel.close()
        alarm.close()
        Monitor(talk).run()
        os._exit(0)
    finally:
        os._exit(1)


if __name__ == "__main__":
    try:
        keep(socket.socket(fileno=int(sys.argv[1])))
    finally:
        os._exit(0)
