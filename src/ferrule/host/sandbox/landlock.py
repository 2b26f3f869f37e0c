"""Confines commands with Landlock and a filter on system calls, where there is no bubblewrap.

What holds, as root and as an ordinary user: nothing is written outside of the writable places, not even a mode, an
owner or a time; masked places, `/tmp` and terminals of others cannot be read; there are no sockets but to the
internet, and those only with leave; processes outside can be neither looked into nor signalled; there are no
privileges. Landlock cannot take a part out of a writable place, so protected files are put back after a command
instead (`restore.py`).

What users will miss: a file can be made in the session's own temporary directory, to which TMPDIR points, but not
in `/tmp`; a server cannot listen on this machine either, without leave for the network; leave by host is none at
all; a directory that has a masked one somewhere in it, as `/` and the home directory do, cannot be listed; nothing
new can be made right beside a masked place in a writable one; POSIX semaphores and shared memory, System V's too,
are refused, and so are extended attributes and new pseudo-terminals. What does not hold: names and sizes of masked
files and the command lines of other processes can be seen, and a protected file is changed until the command ends.
"""

import marshal
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from ferrule.core.errors import ToolError
from ferrule.host.sandbox.foundations import Foundations
from ferrule.host.sandbox.inside import environment_inside, needed_places
from ferrule.host.sandbox.newborn import Newborn, Nursery, attempt
from ferrule.host.sandbox.profile import Backend, Finish, Launch, Leave, Profile
from ferrule.host.sandbox.protect import Standing, Survey
from ferrule.host.sandbox.restore import Guard
from ferrule.host.sandbox.seccomp import SUPERVISED, call_numbers, filter_bytes

_LEAST_VERSION = 3
"""Before it, files could be emptied anywhere."""
_SCOPES_VERSION = 6
_HIDDEN = ("/dev", "/tmp", "/var/tmp", "/run")  # noqa: S108 - these are hidden, not used
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


class Probe(Struct, frozen=True):
    """What the kernel can do."""

    version: int
    """Of Landlock; 0 for none."""
    problem: str = ""
    """Why it is of no use, if so."""

    @property
    def lacks(self) -> tuple[str, ...]:
        """What an older kernel leaves open, to be said to the user."""
        return () if self.version >= _SCOPES_VERSION else ("commands can send signals to the user's other processes",)


def probe() -> Probe:
    """Try it out once, in a process of its own."""
    script = Path(__file__).with_name("apply.py")
    try:
        rules = marshal.dumps((_rules(writable=[], readable=[], masked=[], network=False), []))
        answer = subprocess.run(
            [sys.executable, "-I", "-S", script], input=rules, capture_output=True, timeout=10, check=False, env={}
        )
    except (OSError, subprocess.TimeoutExpired, ToolError) as error:
        return Probe(0, str(error))
    number, _, problem = answer.stdout.decode(errors="replace").strip().partition(" ")
    if not number.isdigit():
        reason = answer.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return Probe(0, f"it could not be tried out: {reason}")
    if int(number) < _LEAST_VERSION:
        return Probe(int(number), "it needs Linux 6.2 or newer, with Landlock switched on.")
    return Probe(int(number), problem)


class Landlock:
    """Confines commands with what every new enough kernel has."""

    name: Backend = "landlock"

    def __init__(self, profile: Profile, *, home: Path, path: str = "") -> None:
        """Make ready for a session. `path` is the search path."""
        self._profile = profile
        self._places = [str(place) for place in dict.fromkeys((profile.root, *profile.writable))]
        self._survey = Survey(profile.protected, home=str(home))
        self._taken = profile.state / "taken"
        self._taken.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._guard = Guard(self._taken)
        runtime = os.path.realpath(os.environ.get("XDG_RUNTIME_DIR") or _HIDDEN[0])
        hidden = [*_HIDDEN, *([runtime] if runtime != "/" else []), *map(str, profile.masked), str(profile.state)]
        self._masked = [os.path.realpath(place) for place in hidden]
        needed = needed_places(profile.root, home=str(home), path=path)
        own = [str(place) for place in (profile.private, *profile.readable)]
        self._readable = [*own, *(place for place in needed if _is_within(place, _HIDDEN))]

    def confine(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path, leave: Leave) -> Launch:
        """Make the rules for a command, and note what must stay as it is while it runs.

        Raises:
            ToolError: system calls cannot be filtered on this kind of machine.
        """
        files = [str(path) for path in leave.writable if path.is_file()]
        further = [str(path) for path in leave.writable if str(path) not in files]
        standings = [self._survey.look(place) for place in (*self._places, *further)]
        opened = [path for one in standings for path in one.open]
        stays = [path for one in standings for path in (*one.frozen, *one.watched, *_missing(one))]
        rules = _rules(
            writable=[*opened, str(self._profile.scratch)],
            readable=self._readable,
            masked=self._masked,
            network=leave.network,
        )
        return Launch(
            argv=tuple(argv),
            environment=environment_inside(
                environment,
                scratch=self._profile.scratch,
                places=(*self._profile.writable, *leave.writable),
                downloads=leave.network,
            ),
            cwd=cwd,
            rules=marshal.dumps((rules, [os.fsencode(file) for file in files])),
            finish=self._watch(standings, stays),
        )

    def _watch(self, standings: Sequence[Standing], stays: Sequence[str]) -> Finish:
        """Note how things are, to be put right when the command ended: first what is protected, then what is new."""
        put_back = self._guard.begin(stays, [path for one in standings for path in one.open])
        places = (one.open[0] for one in standings)
        without = [place for place in places if os.path.isdir(place) and not os.path.lexists(f"{place}/.git")]  # noqa: PTH112
        watches: list[Newborn | Nursery | Foundations] = [
            Nursery(
                lambda: self._survey.works(anew=True), self._survey.works(), standings=standings, keep_in=self._taken
            ),
            Foundations(standings, keep_in=self._taken),
            *(Newborn(place, keep_in=self._taken) for place in without),
        ]
        return lambda *, is_over: (
            *put_back(is_over=is_over),
            *(note for watch in watches for note in attempt(watch.put_right)),
        )

    def outer(self, path: Path) -> Path:
        """Every directory lies where the command says."""
        return path

    def inner(self, path: Path) -> Path:
        """Every directory has the same name inside."""
        return path


def _missing(standing: Standing) -> Iterator[str]:
    return (os.fsdecode(path) for path, _ in standing.missing)


def _rules(*, writable: Sequence[str], readable: Sequence[str], masked: Sequence[str], network: bool) -> bytes:
    """Write down, as `apply.py` reads it, what is the same for most commands."""
    lists = (masked, readable, writable, [f"/dev/{name}" for name in _DEVICES])
    paths = ([os.fsencode(path) for path in dict.fromkeys(one)] for one in lists)
    return marshal.dumps((*paths, network, *_filter(network=network)))


@cache
def _filter(*, network: bool) -> tuple[bytes, int, dict[int, str]]:
    """The filter, the number of the call that installs it, and the calls for which it asks the monitor."""
    numbers = call_numbers(os.uname().machine)
    calls = {numbers[name]: name for name in SUPERVISED.split() if name in numbers}
    return filter_bytes(network=network, bare=True), numbers["seccomp"], calls


def _is_within(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)
