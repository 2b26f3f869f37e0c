"""Confines commands on macOS: a profile in the system's own rule language, for `/usr/bin/sandbox-exec`.

Nothing is allowed but what is listed. Of several rules that match, the last one counts, so what is deeper in the
tree stands further down. Paths are real ones: the system compares with those, `/private/tmp` and not `/tmp`.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ferrule.host.sandbox.inside import environment_inside
from ferrule.host.sandbox.profile import Backend, Launch, Leave, Profile, Protected
from ferrule.host.sandbox.protect import Standing, Survey

PROGRAM = "/usr/bin/sandbox-exec"
_BASE = """\
(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow mach-lookup
  (global-name "com.apple.FSEvents")
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow file-ioctl (literal "/dev/tty") (literal "/dev/ptmx") (regex "^/dev/ttys[0-9]+$"))
"""
_DEVICES = """\
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx")
  (literal "/dev/stdout") (literal "/dev/stderr") (regex "^/dev/fd/[0-9]+$")
  (require-all (regex "^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
"""
_NETWORK = """\
(allow network-outbound (remote ip) (literal "/private/var/run/mDNSResponder"))
(allow network-inbound (local ip))
(allow network-bind (local ip))
(allow system-socket)
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.trustd.agent"))
"""
"""Internet sockets, names and certificates; of the sockets in the file system only the one that names are asked at."""
_SPECIAL = frozenset("\\^$.|?*+()[]{}")


class Seatbelt:
    """Confines commands with what macOS has built in."""

    name: Backend = "seatbelt"

    def __init__(self, profile: Profile, *, home: Path) -> None:
        self._profile = profile
        self._places = [str(place) for place in dict.fromkeys((profile.root, *profile.writable))]
        self._survey = Survey(profile.protected, home=str(home))

    def confine(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path, leave: Leave) -> Launch:
        """Put a command into the sandbox."""
        places = [*self._places, *map(str, leave.writable)]
        standings = [self._survey.look(place) for place in places]
        return Launch(
            argv=(PROGRAM, "-p", profile_text(self._profile, leave, standings), "--", *argv),
            environment=environment_inside(
                environment,
                scratch=self._profile.scratch,
                places=(*self._profile.writable, *leave.writable),
                downloads=leave.network,
            ),
            cwd=cwd,
        )

    def outer(self, path: Path) -> Path:
        """Every directory lies where the command says."""
        return path

    def inner(self, path: Path) -> Path:
        """Every directory has the same name inside."""
        return path


def profile_text(profile: Profile, leave: Leave, standings: Iterable[Standing] = ()) -> str:
    """Write down what a command may do; `standings` tell which protected paths there are besides the usual ones."""
    standings = list(standings)
    own = [profile.scratch, *profile.writable, profile.root, *leave.writable]
    opened = [*map(_real, own), *(path for one in standings for path in one.open)]
    masked = [_real(path) for path in (*profile.masked, profile.state)]
    shown = [_real(path) for path in (profile.private, *profile.readable)]
    readable = [("/", "allow"), *((path, "allow") for path in (*shown, *opened))]
    return "".join(
        [
            _BASE,
            *_by_depth("file-read*", [*readable, *((path, "deny") for path in masked)]),
            *_by_depth("file-write*", [*((path, "allow") for path in opened), *((path, "deny") for path in masked)]),
            _DEVICES,
            *(rule for place in dict.fromkeys(opened) for rule in _names(place, profile.protected)),
            *(rule for standing in standings for rule in _paths(standing)),
            _NETWORK if leave.network else "",
        ]
    )


def _by_depth(operation: str, rules: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Rules for whole trees, the deeper the later; of two for the same one the denial comes last."""
    for path, word in sorted(set(rules), key=lambda rule: (len(rule[0].rstrip("/").split("/")), rule[1] == "deny")):
        yield f"({word} {operation} (subpath {_quote(path)}))\n"


def _names(place: str, protected: Protected) -> Iterator[str]:
    """Keep the protected names in a place, in whichever case they are written, whether they are there or not."""
    start = "^" + _literally(place.rstrip("/"))
    own = "|".join(_folded(name.rstrip("/")) for name in protected.project)
    git = "|".join(_folded(name.rstrip("/")) for name in protected.git)
    below = "/" + _folded(".git") + "(/(modules|worktrees)/.+)?/"
    yield f"(deny file-write* (regex {_quote(f'{start}/({own})(/|$)')}))\n"
    yield f"(deny file-write* (regex {_quote(f'{start}(/.+)?{below}({git})(/|$)')}))\n"
    yield f"(deny file-write-unlink (regex {_quote(f'{start}(/.+)?/' + _folded('.git') + '$')}))\n"


def _paths(standing: Standing) -> Iterator[str]:
    """Keep what was found to be protected, and the directories above it where they are."""
    missing = [os.fsdecode(path) for path, _ in standing.missing]
    kept = [*standing.frozen, *standing.watched, *missing]
    for path in dict.fromkeys(kept):
        yield f"(deny file-write* (subpath {_quote(path)}))\n"
    held = {above for path in (*kept, *standing.firm) for above in _above(path, standing.open)}
    for path in sorted(held | set(standing.firm) | set(standing.open)):
        yield f"(deny file-write-unlink (literal {_quote(path)}))\n"


def _above(path: str, places: Iterable[str]) -> Iterator[str]:
    """The directories between a path and the writable place that it lies in."""
    for place in places:
        if path.startswith(place.rstrip("/") + "/"):
            names = path[len(place.rstrip("/")) + 1 :].split("/")[:-1]
            yield from (f"{place.rstrip('/')}/{'/'.join(names[:end])}" for end in range(1, len(names) + 1))


def _real(path: Path) -> str:
    return os.path.realpath(path)


def _quote(text: str) -> str:
    """Write a string as the rule language reads it."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in text) + '"'


def _literally(text: str) -> str:
    """A regular expression for a text and nothing else."""
    return "".join(f"\\{one}" if one in _SPECIAL else one for one in text)


def _folded(name: str) -> str:
    """A regular expression for a name in whichever case."""
    return "".join(f"[{one.lower()}{one.upper()}]" if one.isalpha() else _literally(one) for one in name)
