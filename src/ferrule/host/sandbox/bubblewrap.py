"""bubblewrap: commands see the disk read-only, with what they may write laid over it, and no network.

Each command has namespaces of its own and no privilege. Two options that others use are missing on purpose.
`--die-with-parent` would kill what a command leaves in the background as soon as its shell ends: here the keeper's
monitor sees to it that nothing outlives Ferrule. `--new-session` guards a terminal against being typed on by a
command: here each command has a terminal of its own, on which Ferrule alone looks, and the filter on system calls
refuses typing.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ferrule.core.errors import ToolError
from ferrule.host.sandbox.agreed import Agreed
from ferrule.host.sandbox.foundations import Foundations
from ferrule.host.sandbox.inside import environment_inside, needed_places
from ferrule.host.sandbox.mounts import Mount, Mounts
from ferrule.host.sandbox.newborn import Newborn, Nursery, attempt
from ferrule.host.sandbox.profile import Backend, Launch, Leave, OpenWay, Profile, UnseenError, Way
from ferrule.host.sandbox.protect import Standing, Survey
from ferrule.host.sandbox.seccomp import filter_bytes
from ferrule.host.sandbox.watch import Watch

_TEMPORARY = Path("/tmp")  # noqa: S108 - it is the sandbox's own
_HIDDEN = ("/run", "/var/run", "/var/tmp")  # noqa: S108 - these are hidden, not used
_LONGEST_LIST = 1_000_000
"""Bytes of what a repository ignores."""
_FILTER, _ARGUMENTS, _LINE, _SYNC = 3, 4, 5, 6
"""The descriptors at which bubblewrap finds the filter on system calls and its arguments; then those of a way out."""
ISOLATED = ("--unshare-all", "--cap-drop", "ALL")
_NO_USERS = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
"""All namespaces but that of users, in which the owners of files would be nobody."""


class Bubblewrap:
    """Confines commands with `bwrap`."""

    name: Backend = "bubblewrap"

    def __init__(
        self,
        program: Path,
        profile: Profile,
        *,
        home: Path,
        path: str = "",
        own_proc: bool = True,
        loopback: bool = False,
        open_way: OpenWay | None = None,
    ) -> None:
        """Make ready for a session. `path` is the search path; without `own_proc` the machine's `/proc` is shown.

        With `loopback` the commands share a network of their own; else each has one to itself.

        Raises:
            OSError: the sandbox's own files cannot be made.
            ToolError: system calls cannot be filtered here.
        """
        self._program, self._profile, self._home, self._own_proc = str(program), profile, str(home), own_proc
        self._loopback, self._open_way = loopback, open_way
        self._filter = filter_bytes(network=True)
        self._places = [str(place) for place in dict.fromkeys((profile.root, *profile.writable))]
        self._survey = Survey(profile.protected, home=self._home)
        self._isolation = self._isolate()
        self._ignored: dict[bytes, str] = {}
        self._base = self._disk(path)
        self._agreed = Agreed(profile.state, self._places)
        self._blank = profile.state / "blank"
        self._blank.touch(mode=0o444)
        (profile.state / "taken").mkdir(mode=0o700, exist_ok=True)

    def confine(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path, leave: Leave) -> Launch:
        """Put a command into the sandbox.

        Raises:
            ToolError: it cannot be confined, so it must not run.
        """
        profile = self._profile
        with self._agreed.share(self._survey.look) as share:
            further = [os.path.realpath(path) for path in leave.writable]
            further = [path for path in further if self._base.over(path)[1].kind not in {"devices", "processes"}]
            standings = [*share.standings, *(_loosely(self._survey.look(path)) for path in further)]
            mounts = self._mounts(standings, further)
            if not mounts.is_there(os.path.realpath(cwd)):
                raise UnseenError(f"{cwd} cannot be seen in the sandbox, so the command did not run.")
            inside = environment_inside(
                environment,
                scratch=profile.scratch,
                places=(*profile.writable, *leave.writable),
                downloads=leave.network or bool(leave.hosts),
            )
            put_right = self._watch(standings)
            shut = self._loopback and not leave.network and not leave.hosts
            way = self._way(leave)
            options = [
                *mounts.arguments(blank=str(self._blank)),
                *self._isolation,
                *(["--share-net"] if leave.network or shut else []),
                *(["--sync-fd", str(_SYNC)] if way.descriptors else []),
                *("--chdir", str(self._named(cwd, mounts))),
            ]
            return Launch(
                argv=(self._program, "--seccomp", str(_FILTER), "--args", str(_ARGUMENTS), "--", *way.prefix, *argv),
                environment=inside | way.environment,
                cwd=cwd,
                shut=shut,
                texts=(self._filter, os.fsencode("\0".join([*options, ""]))),
                descriptors=way.descriptors,
                lock=share.give_away(),
                finish=lambda *, is_over: (*put_right(), *way.finish()),  # noqa: ARG005 - it is a `Finish`
            )

    def outer(self, path: Path) -> Path:
        """A directory below `/tmp` lies in the scratch directory, unless the project itself is there."""
        place, mount = self._base.over(os.path.normpath(path))
        return self._profile.scratch / path.relative_to(place) if mount.kind == "scratch" else path

    def inner(self, path: Path) -> Path:
        """A directory of the scratch directory has its name in `/tmp`, unless something else is there."""
        return self._named(path, self._base)

    def _named(self, path: Path, mounts: Mounts) -> Path:
        if not path.is_relative_to(self._profile.scratch):
            return path
        named = _TEMPORARY / path.relative_to(self._profile.scratch)
        return named if mounts.over(str(named))[1].kind == "scratch" else path

    def _isolate(self) -> list[str]:
        """Leave a command no privilege; but root keeps the one to write to a project that belongs to someone else."""
        if os.geteuid() == 0 and self._own_proc and any(os.stat(place).st_uid for place in self._places):  # noqa: PTH116
            return [*_NO_USERS, "--cap-drop", "ALL", "--cap-add", "CAP_DAC_OVERRIDE"]
        return [*ISOLATED, *([] if self._own_proc else ["--unshare-user"])]

    def _disk(self, path: str) -> Mounts:
        """What every command of the session sees, but for protected names and secrets."""
        mounts = Mounts()
        mounts.show("/", "read")
        runtime = os.environ.get("XDG_RUNTIME_DIR", "")
        for place in (*_HIDDEN, *([os.path.normpath(runtime)] if runtime.startswith("/") else [])):
            if os.path.isdir(place) and not os.path.islink(place):  # noqa: PTH112, PTH114
                mounts.show(place, "hidden")
        mounts.show(str(_TEMPORARY), "scratch", str(self._profile.scratch))
        for place in needed_places(self._profile.root, home=self._home, path=path):
            if not mounts.is_there(place):
                mounts.show(place, "read")
        for place in self._places:
            mounts.show(place, "write")
        mounts.show("/dev", "devices")
        if self._own_proc:
            mounts.show("/proc", "processes")
            mounts.show("/proc/sys", "read")  # the kernel asks root for no privilege there
        return mounts

    def _mounts(self, standings: Iterable[Standing], further: Iterable[str]) -> Mounts:
        """What one command sees, and may write to further."""
        mounts = self._base.copy()
        for standing in standings:
            for path in (*standing.open, *standing.firm):
                mounts.lay(path, "write")
            for path in standing.frozen:
                mounts.lay(path, "read")
            for stub, text in standing.missing:
                mounts.lay(os.fsdecode(stub), "read" if text else "empty")
            if standing.ignored and standing.kept_away:
                mounts.lay(standing.ignored, "read", self._ignoring(standing))
        profile = self._profile
        for path in map(os.path.realpath, (*profile.masked, profile.state)):
            if mounts.is_there(path) and os.path.exists(path):  # noqa: PTH110
                if os.path.isdir(path):  # noqa: PTH112
                    mounts.cover(path, "closed", spare=self._places)
                else:
                    mounts.lay(path, "blank")
        for path in map(str, (*profile.readable, profile.private)):
            place, mount = mounts.over(path)
            if mount != Mount("read", place) and os.path.exists(path):  # noqa: PTH110
                mounts.lay(path, "read")
        mounts.lay(str(profile.scratch), "write")
        for path in further:
            mounts.lay(path, "write")
        return mounts

    def _watch(self, standings: Sequence[Standing]) -> Callable[[], tuple[str, ...]]:
        """Note what no mount holds fast, to be put right when the command ended."""
        taken = self._profile.state / "taken"
        places = (one.open[0] for one in standings)
        without = [place for place in places if os.path.isdir(place) and not os.path.lexists(f"{place}/.git")]  # noqa: PTH112
        watches: list[Watch | Newborn | Nursery | Foundations] = [
            Nursery(lambda: self._survey.works(anew=True), self._survey.works(), standings=standings, keep_in=taken),
            Foundations(standings, keep_in=taken),
            Watch((path for one in standings for path in one.watched), keep_in=taken),
            *(Newborn(place, keep_in=taken) for place in without),
        ]

        def put_right() -> tuple[str, ...]:
            with suppress(OSError):
                self._agreed.tidy()
            return tuple(note for watch in watches for note in attempt(watch.put_right))

        return put_right

    def _ignoring(self, standing: Standing) -> str:
        """Write down what git ignores inside: what it does anyway, and the place-holders, which it would clean up."""
        lines = "".join(f"/{name}\n" for name in standing.kept_away)
        text = _unlinked(standing.ignored) + b"\n" + os.fsencode(lines)
        if text not in self._ignored:
            file = self._profile.state / f"{hashlib.sha256(text).hexdigest()[:24]}.exclude"
            file.write_bytes(text)
            self._ignored[text] = str(file)
        return self._ignored[text]

    def _way(self, leave: Leave) -> Way:
        """Open the way to the hosts that a command has leave for."""
        if not leave.hosts or leave.network:
            return Way()
        if self._open_way is None:
            raise ToolError("The command could not be started: single hosts cannot be allowed here.")
        return self._open_way(leave.hosts, _LINE)


def _unlinked(path: str) -> bytes:
    """The bytes of a file; none where a link stands in its place by now, for that may lead to what nobody shall see."""
    with suppress(OSError), open(path, "rb", opener=_without_links) as file:
        return file.read(_LONGEST_LIST)
    return b""


def _without_links(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _loosely(standing: Standing) -> Standing:
    """Watch what is missing in a place that one command alone may write to: no other knows of place-holders there."""
    standing.watched += (os.fsdecode(path) for path, _ in standing.missing)
    standing.missing = []
    return standing
