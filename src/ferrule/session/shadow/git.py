"""Runs git for the shadow repository, in a world of our own making.

Nothing of the user's or the project's configuration, attributes or environment reaches it, and it never looks
into the project's own repository.
"""

import os
import stat
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ferrule.core.errors import SessionError
from ferrule.host.git import in_environment, run_git
from ferrule.host.search import find_program

_SETTINGS = {
    "core.attributesFile": os.devnull,
    "core.autocrlf": "false",
    "core.fileMode": "true",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.symlinks": "true",
    "core.untrackedCache": "false",
    "fastimport.unpackLimit": "1",  # what comes in bulk stays one file
    "gc.auto": "0",
    "pack.compression": "1",
    "protocol.allow": "never",
}
ATTRIBUTES = "* -text -filter -ident -working-tree-encoding !eol diff=default\n"
"""Stronger than any `.gitattributes`: bytes stay bytes, and no program is run on them."""


class Git:
    """Git, or its absence."""

    def __init__(self, root: Path, store: Path) -> None:
        self.root = root
        self.store = store
        self.program = find_program("git", outside=root)

    def run(
        self,
        *arguments: str,
        seconds: float,
        stdin: bytes = b"",
        more: Mapping[str, str] | None = None,
        codes: Sequence[int] = (0,),
    ) -> tuple[int, bytes]:
        """Run git to its end; gives its exit code and what it printed.

        Raises:
            SessionError: it could not be run, took too long, or ended with a code that was not expected.
        """
        done = run_git(
            self._found,
            arguments,
            directory=self.store,
            environment=self._environment(more),
            stdin=stdin,
            seconds=seconds,
        )
        if done.returncode not in codes:
            words = done.stderr.decode("utf-8", "replace").strip()[:500]
            raise SessionError(f"git {arguments[0]} failed ({done.returncode}): {words}")
        return done.returncode, done.stdout

    @contextmanager
    def talk(
        self, *arguments: str, seconds: float, more: Mapping[str, str] | None = None
    ) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """Keep git running for a while: its input and its output. It is killed when the time is over.

        Raises:
            SessionError: it could not be started.
        """
        try:
            process = subprocess.Popen(
                [self._found, *arguments],
                cwd=self.store,
                env=self._environment(more),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise SessionError(f"git could not be run: {error.strerror}.") from None
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(seconds, process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield process.stdin, process.stdout
        except BaseException:
            process.kill()
            raise
        finally:
            with suppress(OSError):
                process.stdin.close()
            process.stdout.close()
            code = process.wait()
            timer.cancel()
        if code:
            raise SessionError(f"git {arguments[0]} ended too early ({code}).")

    @property
    def _found(self) -> str:
        if self.program is None:
            raise SessionError("git is not installed.")
        return self.program

    def _environment(self, more: Mapping[str, str] | None) -> dict[str, str]:
        return {
            "PATH": os.defpath,
            "HOME": str(self.store),
            "LC_ALL": "C",
            "GIT_DIR": str(self.store),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            **in_environment({**_SETTINGS, "core.excludesFile": self._exclude()}),
            **(more or {}),
        }

    def _exclude(self) -> str:
        """The list of ignored files in the project's own repository; if it were a pipe, git would wait for it."""
        path = self.root / ".git" / "info" / "exclude"
        with suppress(OSError):
            if stat.S_ISREG(path.lstat().st_mode):
                return str(path)
        return os.devnull
