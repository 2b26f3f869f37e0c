"""Which sandbox there is on this machine; and if there is none, why."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from ferrule.core.errors import FerruleError
from ferrule.host.launch import LOADER
from ferrule.host.sandbox.bubblewrap import ISOLATED, Bubblewrap
from ferrule.host.sandbox.landlock import Landlock
from ferrule.host.sandbox.landlock import probe as probe_landlock
from ferrule.host.sandbox.none import Unconfined
from ferrule.host.sandbox.profile import Choice, OpenWay, Profile, Sandbox
from ferrule.host.sandbox.seatbelt import PROGRAM as SANDBOX_EXEC
from ferrule.host.sandbox.seatbelt import Seatbelt

_PLACES = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin", "/run/wrappers/bin")
_TRUE = ("/bin/true", "/usr/bin/true", "/run/current-system/sw/bin/true")
_LOOPBACK = Path(__file__).with_name("loopback.py")
_PATIENCE = 10


class Found(Struct, frozen=True):
    """The sandbox of a session."""

    sandbox: Sandbox
    why: tuple[str, ...] = ()
    """What was tried before it and is of no use here, each with the reason; empty if it is the first choice."""


class Unusable(Exception):  # noqa: N818 - it is an answer, not a fault
    """A kind of sandbox cannot be had here; its text is the reason."""


def find(choice: Choice, profile: Profile, *, home: Path, path: str = "", open_way: OpenWay | None = None) -> Found:
    """Find the sandbox that was chosen, or the best there is. What was tried in vain is said, never passed over.

    `path` is the search path of the commands; `open_way` leads to single hosts, for sandboxes that can have one.
    """
    if choice in {"off", "external"}:
        return Found(Unconfined(name=choice))
    why: list[str] = []
    for name in _candidates(choice):
        try:
            match name:
                case "bubblewrap":
                    return Found(_bubblewrap(profile, home, path, open_way), tuple(why))
                case "landlock":
                    return Found(_landlock(profile, home, path), tuple(why))
                case _:
                    return Found(_seatbelt(profile, home), tuple(why))
        except (Unusable, FerruleError, OSError) as error:
            why.append(f"{name}: {error}")
    return Found(Unconfined(), tuple(why))


def _candidates(choice: Choice) -> tuple[str, ...]:
    if choice != "auto":
        return (choice,)
    return ("seatbelt",) if sys.platform == "darwin" else ("bubblewrap", "landlock")


def _bubblewrap(profile: Profile, home: Path, path: str, open_way: OpenWay | None) -> Sandbox:
    program = _find_program("bwrap", path, shunned=[profile.root, *profile.writable])
    known = profile.state / "bubblewrap"
    key = _key(program)
    words = _remembered(known, key)
    if words is None:
        words = _try_out(program)
        profile.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        known.write_text(f"{key}\n{' '.join(words)}\n")
    return Bubblewrap(
        program,
        profile,
        home=home,
        path=path,
        own_proc="proc" in words,
        loopback="loopback" in words,
        open_way=open_way,
    )


def _landlock(profile: Profile, home: Path, path: str) -> Sandbox:
    if sys.platform != "linux":
        raise Unusable("it is a part of Linux.")
    if problem := probe_landlock().problem:
        raise Unusable(problem)
    return Landlock(profile, home=home, path=path)


def _seatbelt(profile: Profile, home: Path) -> Sandbox:
    if not os.access(SANDBOX_EXEC, os.X_OK):
        raise Unusable(f"there is no {SANDBOX_EXEC}.")
    return Seatbelt(profile, home=home)


def _find_program(name: str, path: str, *, shunned: Iterable[Path]) -> Path:
    """Find a program that nobody but the administrator can have put there: in the system's places, then by the path.

    Raises:
        Unusable: there is none, or none that can be trusted.
    """
    doubts = []
    for directory in dict.fromkeys((*_PLACES, *path.split(":"))):
        program = Path(directory, name)
        if directory.startswith("/") and os.access(program, os.X_OK):
            real = program.resolve()
            if doubt := next(_doubts(real, shunned), None):
                doubts.append(f"{program} {doubt}.")
            else:
                return real
    raise Unusable(" ".join(doubts) or f"there is no {name} in the system's directories.")


def _doubts(program: Path, shunned: Iterable[Path]) -> Iterator[str]:
    if any(program.is_relative_to(place) for place in shunned):
        yield "lies in the project"
    for part in (program, *program.parents):
        found = part.stat()
        if found.st_uid != 0:
            yield "belongs to someone else than the administrator"
        if found.st_mode & 0o022 and not found.st_mode & 0o1000:
            yield "can be changed by others"


def _key(program: Path) -> str:
    """What the answer of a trial depends on: the program, the kernel's run, and who we are."""
    found = program.stat()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{program} {found.st_mtime_ns} {found.st_size} {boot} {os.getuid()}"


def _remembered(known: Path, key: str) -> list[str] | None:
    try:
        first, words, _ = known.read_text().split("\n")
    except (OSError, ValueError):
        return None
    return words.split() if first == key else None


def _try_out(program: Path) -> list[str]:
    """Run something in a sandbox like ours, and say what it can have: a `/proc` of its own, a shared network.

    A container may forbid the first alone. Then the machine's is shown; a user namespace keeps its other processes
    shut.

    Raises:
        Unusable: no sandbox can be made.
    """
    true = next((path for path in _TRUE if os.access(path, os.X_OK)), _TRUE[0])
    base = [str(program), "--ro-bind", "/", "/", "--dev", "/dev", *ISOLATED]
    own, shared = [*base, "--proc", "/proc", "--", true], [*base, "--unshare-user", "--", true]
    problem = _run(own)
    if problem and _run(shared):
        raise Unusable(problem)
    nested = [sys.executable, "-I", "-S", str(_LOOPBACK), *(shared if problem else own)]
    return [*([] if problem else ["proc"]), *([] if _run(nested) else ["loopback"])]


def _run(argv: list[str]) -> str:
    """Run a command, and say what is wrong with it, if anything is."""
    try:
        trial = subprocess.run(
            argv,
            env={name: os.environ[name] for name in LOADER if name in os.environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return trial.stderr.decode(errors="replace").strip() or "it fails." if trial.returncode else ""
