"""The shell that runs commands: a fresh one each time, of which only the directory lives on."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from ferrule.core.errors import ToolError

_PLACES = ("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_LONGEST_ARGUMENT = 120_000
"""Linux takes 128 KB for one argument; a longer command goes through a file."""
_WHERE_TO = "FERRULE_DIRECTORY_FILE"
_PRELUDE = f"""\
printf -v {_WHERE_TO} '{{ [[ $PWD == %q ]] || pwd -P >|%q; }} 2>/dev/null' "$PWD" "${_WHERE_TO}"
trap "${_WHERE_TO}" EXIT
unset BASH_ENV {_WHERE_TO}
"""
"""What bash reads before a command, instead of the user's files: it notes a change of directory at its end."""
_PRELUDE_OF_SH = f"""\
trap '{{ pwd -P >"${_WHERE_TO}"; }} 2>/dev/null' EXIT
eval "$1"
"""


class Invocation(Struct, frozen=True):
    """One start of the shell."""

    argv: list[str]
    environment: dict[str, str]
    directory_file: Path
    """Where the shell writes the directory in which it ends, if that is another."""
    script: Path | None = None

    def ended_in(self) -> Path | None:
        """The directory into which the shell says that it changed, if it did and could say so. It is asked once."""
        try:
            text = self.directory_file.read_bytes().removesuffix(b"\n")
        except OSError:
            text = b""
        self.clear()
        return Path(os.fsdecode(text)) if text else None

    def clear(self) -> None:
        """Remove the files of this start."""
        for file in (self.directory_file, self.script):
            if file:
                file.unlink(missing_ok=True)


class Shell:
    """Bash where there is one, else sh, with none of the user's start-up files."""

    def __init__(self, private: Path, environment: Mapping[str, str]) -> None:
        self._private, self._environment = private, dict(environment)
        self._bash = _find("bash", environment.get("PATH", ""))
        self._prelude = private / "prelude.bash"
        self._count = 0

    def invoke(self, command: str) -> Invocation:
        """Prepare the start of a shell for a command."""
        if not self._prelude.exists():  # at first, or after someone tidied up
            self._private.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_owner(self._private)
            _write_private(self._prelude, _PRELUDE)
        self._count += 1
        file = self._private / f"directory-{os.getpid()}-{self._count}"
        _write_private(file, "")  # a sandbox lets the shell write to it, and to nothing else beside it
        argv, script = self._argv(command)
        environment = {**self._environment, _WHERE_TO: str(file)}
        if self._bash:
            environment["BASH_ENV"] = str(self._prelude)
        return Invocation(argv, environment, file, script)

    def _argv(self, command: str) -> tuple[list[str], Path | None]:
        script = None
        if len(command.encode()) > _LONGEST_ARGUMENT:
            script = self._private / f"command-{os.getpid()}-{self._count}"
            _write_private(script, command)
        if self._bash:
            start = [self._bash, "--noprofile", "--norc"]
            return ([*start, str(script)] if script else [*start, "-c", "--", command]), script
        words = ['. "$2"', str(script)] if script else [command]
        return ["/bin/sh", "-c", _PRELUDE_OF_SH, "sh", *words], script


def _find(name: str, path: str) -> str | None:
    """A program by its usual places, then by the search path; never one from a relative directory."""
    for place in (*_PLACES, *path.split(":")):
        candidate = f"{place}/{name}"
        if place.startswith("/") and os.access(candidate, os.X_OK):
            return candidate
    return None


def _check_owner(directory: Path) -> None:
    """Refuse a directory in which someone else could put what our shells read."""
    found = directory.stat()
    if found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise ToolError(f"Commands cannot be run: others may write to {directory}.")


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
