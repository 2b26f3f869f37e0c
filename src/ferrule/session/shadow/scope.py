"""What is recorded of a project, and what is left out: the rules, and git's word on what is ignored."""

import hashlib
import re
from collections.abc import Sequence
from contextlib import ExitStack
from typing import IO

from msgspec import Struct

from ferrule.config.protected import PROTECTED_NAMES
from ferrule.core.errors import SessionError
from ferrule.core.regex import lazy
from ferrule.session.shadow.git import Git

CACHES = frozenset(
    """
    __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .parcel-cache .sass-cache .eslintcache .DS_Store
    """.split()  # noqa: SIM905 - words read better as words
)
"""Made anew by whoever needs them: not recorded, and not missed."""
BULK = frozenset(
    """
    node_modules bower_components .venv .tox .nox .gradle .terraform .next .nuxt .svelte-kit .pnpm-store .direnv .eggs
    """.split()  # noqa: SIM905
)
"""Installed or built by programs, wherever they are found."""
BULK_IF_IGNORED = frozenset(
    """
    venv env virtualenv target build dist out bin obj vendor Pods DerivedData coverage htmlcov deps _build .cache
    cmake-build-debug cmake-build-release .angular .dart_tool .stack-work zig-cache zig-out
    """.split()  # noqa: SIM905
)
"""The same, if the project says that they are none of its sources."""

OURS = lazy(r"\.ferrule-[0-9a-f]{16}\.tmp")
"""What a killed Ferrule leaves behind in the middle of replacing a file."""
_MEGABYTE = 1024 * 1024
_PIPE = 4096
"""Bytes that can be asked at once; with more in both pipes, each side might wait for the other."""


PLACE_HOLDERS = frozenset(name.rstrip("/") for name in PROTECTED_NAMES)
"""Empty directories of these names stand in for protected files while a confined command runs; they are no change."""


class Limits(Struct, frozen=True, kw_only=True):
    """How much is recorded."""

    largest: int = 10 * _MEGABYTE
    """Bytes of a file."""
    largest_ignored: int = _MEGABYTE
    most: int = 100_000
    """Files and directories in all."""
    most_ignored: int = 1_000
    """... in one ignored directory."""
    deepest: int = 100
    bytes: int = 2048 * _MEGABYTE
    """... taken in by one record."""
    seconds: float = 20.0


class Left(Struct, array_like=True, tag=True):
    """Something that was left out, and why."""

    why: str
    stamp: tuple[int, ...] = ()
    """What it looked like; nothing where that does not matter."""
    shows: bool = False
    """Whether a change of its looks shows between two records."""
    stands: bool = False
    """Whether it stays left out while it looks the same and the project's rules do."""

    @property
    def id(self) -> bytes:
        """What stands for it in a record."""
        told = (self.why, self.stamp if self.shows else ())
        return hashlib.sha1(repr(told).encode(), usedforsecurity=False).digest()

    def still_stands(self, stamp: tuple[int, ...]) -> bool:
        """Whether it need not be looked at again."""
        return self.stands and self.stamp in {(), stamp}


GITS_OWN = Left("git's own files are git's business")
INSTALLED = Left("installed or built by other programs", stands=True)
FOREIGN = Left("it is on another file system")
DEEP = Left("it is too deep below the project")
UNREADABLE = "it cannot be read"
SPECIAL = "it is no file, directory or link"
FLEETING = "it changed while it was looked at"


def is_gits(name: str) -> bool:
    """Whether git keeps itself there, on any file system."""
    return name.casefold() == ".git"


def too_large(size: int, limit: int) -> str:
    """Say why a file is left out."""
    return f"it has {size / _MEGABYTE:.1f} MB, more than {limit / _MEGABYTE:g}"


def too_many(limit: int) -> str:
    """Say why an ignored directory is left out."""
    return f"it is ignored and holds more than {limit:,} files"


class Ignored:
    """Asks git which paths the project's `.gitignore` files leave out. Without git, none are."""

    def __init__(self, git: Git, *, seconds: float) -> None:
        self._git = git
        self._seconds = seconds
        self._stack = ExitStack()
        self._pipes: tuple[IO[bytes], IO[bytes]] | None = None
        self._silent = git.program is None

    def among(self, paths: Sequence[bytes]) -> list[bool]:
        """Which of the paths are ignored. A directory's contents are as it is, and need not be asked for."""
        if self._silent or not paths:
            return [False] * len(paths)
        try:
            return self._ask(paths)
        except (OSError, SessionError):  # it stumbled over something; then more is recorded, not less
            self._silent = True
            return [False] * len(paths)

    def close(self) -> None:
        """Let git go."""
        try:
            self._stack.close()
        except SessionError:  # it was killed over a question, which has been dealt with
            self._silent = True

    def _ask(self, paths: Sequence[bytes]) -> list[bool]:
        if self._pipes is None:
            more = {"GIT_WORK_TREE": str(self._git.root), "GIT_FLUSH": "1"}
            flags = ("--no-index", "-z", "--stdin", "--verbose", "--non-matching")
            arguments = ("-C", str(self._git.root), "check-ignore", *flags)
            self._pipes = self._stack.enter_context(self._git.talk(*arguments, seconds=self._seconds, more=more))
        stdin, stdout = self._pipes
        verdicts = []
        waiting = [b"./%s\0" % path for path in reversed(paths)]
        while waiting:
            asked = [waiting.pop()]
            while waiting and sum(map(len, asked)) + len(waiting[-1]) <= _PIPE:
                asked.append(waiting.pop())
            stdin.write(b"".join(asked))
            stdin.flush()
            verdicts += [_verdict(stdout) for _ in asked]
        return verdicts


def _verdict(stdout: IO[bytes]) -> bool:
    """Read one answer: file, line, pattern and path."""
    _file, _line, pattern, _path = (_field(stdout) for _ in range(4))
    return bool(pattern) and not pattern.startswith(b"!")


def _field(stdout: IO[bytes]) -> bytes:
    text = bytearray()
    while (one := stdout.read(1)) != b"\0":
        if not one:
            raise OSError
        text += one
    return bytes(text)


def is_ours(name: str) -> "re.Match[str] | None":
    """Whether we left it there ourselves."""
    return OURS.fullmatch(name) if name.startswith(".ferrule-") else None
