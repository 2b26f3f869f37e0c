"""The keeper: a small process beside Ferrule that starts commands and lets none of them outlive it.

It runs as a script of its own, `python -I -S keeper.py FD SANDBOX NETWORK`, with the standard library and next to
nothing of ours. It has one thread and little memory, so it may fork where Ferrule itself had better not.

    Ferrule ── keeper ─┬─ monitor ── shell ── whatever the command starts
                       └─ monitor ── shell ── …

Ferrule sends the keeper one end of a socket for each monitor that it needs: one, and one more for every command
that goes on in the background. On that socket a monitor takes one command after another: its descriptors, first a
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
import marshal
import os
import select
import sys
import termios
import time
from _socket import socket

if not __package__:  # it is the keeper itself, and finds nothing of ours by itself
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))  # noqa: PTH120 - pathlib would be dear

from ferrule.host.bare import receive, suppress
from ferrule.host.relatives import Table, descendants, members, process_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:  # `signal` would be dear: it makes names of all numbers
    import _signal as signal
_SANDBOX, _NETWORK = sys.argv[2:4] if __name__ == "__main__" else ("", "")
if TYPE_CHECKING or _SANDBOX == "bubblewrap":
    from ferrule.host.sandbox.stubs import tidy
if TYPE_CHECKING or _NETWORK == "loopback":
    from ferrule.host.sandbox.loopback import enter
if TYPE_CHECKING or _SANDBOX == "landlock":
    from ferrule.host.sandbox.apply import Confinement
    from ferrule.host.sandbox.supervise import Supervisor
if _SANDBOX and sys.platform == "linux":  # dear, and Ferrule itself does without
    import ctypes

    prctl = ctypes.CDLL(None).prctl

GRACE = 0.3
"""Seconds that processes have between the request to end and the force."""
_ADOPTS = sys.platform == "linux"
_SET_NAME, _SET_CHILD_SUBREAPER = 15, 36
_MOST_DESCRIPTORS = 16
_OUT_OF_THE_WAY = 64
"""Descriptors from here on are none that a command looks for."""
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
_KEYS = (signal.SIGINT, signal.SIGQUIT)
"""What can be typed on a terminal."""


def pack(
    argv: list[bytes],
    environment: dict[bytes, bytes],
    cwd: bytes,
    texts: tuple[bytes, ...] = (),
    *,
    locks: bool = False,
    rules: bytes = b"",
) -> bytes:
    """Make a request of bytes: its length, then what is asked for.

    The command finds the texts at its descriptors 3, 4, …, and after them what further descriptors were sent. With
    `locks` the last of those is a sandbox's lock, which the monitor holds. The rules are those of Landlock.
    """
    body = marshal.dumps((argv, environment, cwd, texts, locks, rules))
    return len(body).to_bytes(8, "big") + body


class Alarm:
    """Rings when a child ends, so that one wait serves for deaths and for words."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        signal.set_wakeup_fd(self._write)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def wait(
        self,
        talk: socket | None = None,
        seconds: float | None = None,
        supervisor: "Supervisor | None" = None,
    ) -> bool:
        """Wait for a death, a word or the time, and say whether there is a word. Questions are answered meanwhile."""
        poll = select.poll()
        for one in (self._read, talk, supervisor):
            if one is not None:
                poll.register(one, select.POLLIN)
        events = dict(poll.poll(None if seconds is None else seconds * 1000))
        if self._read in events:
            os.read(self._read, 4096)
        if supervisor and events.get(supervisor.fileno(), 0) & select.POLLIN:
            supervisor.answer()
        return talk is not None and talk.fileno() in events

    def close(self) -> None:
        """Ring no more."""
        signal.set_wakeup_fd(-1)
        os.close(self._read)
        os.close(self._write)


class Monitor:
    """Starts a command, tells how it ends, and kills it when told; then the next."""

    def __init__(self, talk: socket) -> None:
        self.talk = talk
        self.alarm = Alarm()
        self.terminal = self.output = self.shell = 0
        self.further: list[int] = []
        self.lock: int | None = None
        self.supervisor: Supervisor | None = None

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
                if self.alarm.wait(self.talk, None if _ADOPTS else 0.5, self.supervisor):
                    self.end()
                    break
            self.leave_terminal()

    def say(self, line: str) -> None:
        """Tell Ferrule, if it still listens."""
        with suppress(OSError):
            self.talk.sendall(line.encode() + b"\n")

    def receive_descriptors(self) -> bool:
        """Wait for the terminal and the pipe of the next command, and more; False if there will be none."""
        while True:
            byte, descriptors = receive(self.talk, _MOST_DESCRIPTORS)
            if descriptors:
                self.terminal, self.output, *self.further = descriptors
                for descriptor in descriptors:
                    os.set_inheritable(descriptor, False)
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
        argv, environment, cwd, texts, locks, rules = marshal.loads(body)  # noqa: S302 - Ferrule wrote it
        self.lock = self.further.pop() if locks else None
        confinement = self.prepare(rules) if rules else None
        self.shell = os.fork()
        if self.shell == 0:
            self.become(argv, environment, cwd, texts, confinement)
        for descriptor in (self.output, *self.further):
            os.close(descriptor)
        self.supervisor = confinement.attend() if confinement else None

    def prepare(self, rules: bytes) -> "Confinement":
        """Make ready what Landlock needs; without it nothing is run."""
        try:
            return Confinement(rules)
        except OSError as error:
            self.say(f"failed {error.errno} 'Landlock'\nexit {127 << 8}\ngone")
            os._exit(0)

    def leave_terminal(self) -> None:
        """Be free for another one."""
        with suppress(OSError):  # it may be hung up by now
            fcntl.ioctl(self.terminal, termios.TIOCNOTTY)
        os.close(self.terminal)

    def become(
        self,
        argv: list[bytes],
        environment: dict[bytes, bytes],
        cwd: bytes,
        texts: tuple[bytes, ...],
        confinement: "Confinement | None",
    ) -> None:
        """Turn this process into the shell, in the foreground of its terminal."""
        try:
            os.setpgid(0, 0)
            os.tcsetpgrp(self.terminal, os.getpid())
            self.lay_out((self.terminal, self.output, self.output, *map(readable, texts), *self.further))
            for number in _DEAF_TO:
                signal.signal(number, signal.SIG_DFL)
            os.chdir(cwd)
            if confinement:
                confinement.enter()
            os.execve(argv[0], argv, environment)  # noqa: S606 - this is how a shell begins
        except OSError as error:
            self.say(f"failed {error.errno} {os.fsdecode(error.filename or b'')!a}")
        finally:
            os._exit(127)

    def lay_out(self, descriptors: tuple[int, ...]) -> None:
        """Put descriptors where the command looks for them, from 0 on; what lies there gives way."""
        away = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY) for one in (self.talk.fileno(), *descriptors)]
        self.talk = socket(fileno=away[0])
        for target, source in enumerate(away[1:]):
            os.dup2(source, target)

    def reap(self) -> bool:
        """Bury the dead, tell of the shell's end and of the last one's, and say whether anyone is left."""
        ended, left = bury()
        if self.lock is not None and os.WTERMSIG(ended.get(self.shell, 0)) in _KEYS:
            # bubblewrap goes at once, but the shell may heed the key: what becomes our child then ends as it does
            children = (pid for pid, (parent, _) in process_table().items() if parent == os.getpid())
            self.shell = next((pid for pid in (*ended, *children) if pid != self.shell), self.shell)
        lines = [f"exit {ended[self.shell]}"] if self.shell in ended else []
        left = left or (not _ADOPTS and group_lives(self.shell))
        if not left:
            self.unlock()
            lines.append("gone")
        if lines:
            self.say("\n".join(lines))
        return left

    def unlock(self) -> None:
        """Be done with a sandbox: with its lock, the place-holders that nobody needs any more, its questions."""
        if self.lock is not None:
            tidy(self.lock)
            os.close(self.lock)
            self.lock = None
        if self.supervisor:
            self.supervisor.close()
            self.supervisor = None

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


def readable(text: bytes) -> int:
    """A descriptor from which a text can be read."""
    descriptor = os.memfd_create("ferrule")
    os.write(descriptor, text)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


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


def adopt_orphans(name: bytes) -> None:
    """Become the parent of every orphan below this process, under a name that people see in `ps`."""
    if _ADOPTS:
        prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        prctl(_SET_NAME, name, 0, 0, 0)


def keep(channel: socket) -> None:
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
            _, descriptors = receive(channel, 1)
            if not descriptors:
                return
            os.set_inheritable(descriptors[0], False)
            talk = socket(fileno=descriptors[0])
            with suppress(OSError):  # too many processes: the closed socket tells Ferrule
                monitors.add(fork_monitor(talk, channel, alarm))
            talk.close()


def kill_strays(monitors: set[int]) -> None:
    """Kill the children of a monitor that was itself killed; their deaths bring us here again."""
    table = process_table()
    for pid, (parent, _) in table.items():
        if parent == os.getpid() and pid not in monitors:
            kill([pid, *descendants(pid, table)], table)


def fork_monitor(talk: socket, channel: socket, alarm: Alarm) -> int:
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
        if _NETWORK == "loopback":
            enter()
        keep(socket(fileno=int(sys.argv[1])))
    finally:
        os._exit(0)
