"""The project's files for `@` in the input box: listed in the background, found by a few of their letters."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ferrule.core.regex import lazy

MOST = 200_000
SHOWN = 50
_AT_ONCE = 3_000
"""Names that are looked at before keys are read again."""
_OLD = 10.0
"""Seconds after which a list is made anew when it is next asked for."""
_SPECIAL = lazy(r"[^A-Za-z0-9]")
_UNWANTED = {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache", ".ruff_cache"}


class ProjectFiles:
    """The files below a directory that git would not ignore."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._names: list[str] = []
        self._listing: asyncio.Task[None] | None = None
        self._listed = 0.0

    def refresh(self) -> None:
        """Begin to list them, unless that was done just now."""
        loop = asyncio.get_running_loop()
        if self._listing is None or (self._listing.done() and loop.time() - self._listed > _OLD):
            self._listing = loop.create_task(self._list())

    async def find(self, letters: str) -> list[str]:
        """The files whose names have these letters in this order, the likeliest first."""
        self.refresh()
        if not self._names and self._listing:
            await asyncio.shield(self._listing)
        return await find(letters, self._names)

    async def close(self) -> None:
        """Stop listing."""
        if self._listing:
            self._listing.cancel()
            await asyncio.gather(self._listing, return_exceptions=True)

    async def _list(self) -> None:
        program = _ripgrep(self._directory)
        names = await _by_ripgrep(program, self._directory) if program else None
        if names is None:
            names = await asyncio.to_thread(_by_walking, self._directory)
        self._names = await asyncio.to_thread(_with_directories, names)
        self._listed = asyncio.get_running_loop().time()


async def find(letters: str, names: list[str]) -> list[str]:
    """The names that have these letters in this order, the likeliest first; keys are read in between."""
    wanted = letters.lower()
    if not wanted:
        return sorted(names[: 10 * SHOWN], key=lambda name: (name.count("/"), name))[:SHOWN]
    pattern = lazy("(?i)" + "[^\n]*?".join(_SPECIAL.sub(r"\\\g<0>", letter) for letter in letters))
    scored: list[tuple[int, int, str]] = []
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        scored += [(_score(wanted, name), len(name), name) for name in some if pattern.search(name)]
        if len(scored) > 20 * SHOWN:
            scored = sorted(scored)[:SHOWN]
        await asyncio.sleep(0)
    return [name for _, _, name in sorted(scored)[:SHOWN]]


def _score(wanted: str, name: str) -> int:
    """How unlikely a name is: least where the file's own name begins with the letters, most where they are strewn."""
    low = name.lower().rstrip("/")
    base = low.rpartition("/")[2]
    if base.startswith(wanted):
        return 0 if base == wanted else 1
    if wanted in base:
        return 2
    if wanted in low:
        return 3
    return 4 if all(letter in base for letter in wanted) else 5


async def _by_ripgrep(program: str, directory: Path) -> list[str] | None:
    """The files as ripgrep lists them; None where it does not."""
    options = ("--files", "--no-config", "--hidden", "--glob=!.git", "--no-messages", "--null")
    outside = () if (directory / ".git").exists() else ("--no-require-git",)
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *options,
            *outside,
            cwd=directory,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=1 << 20,
        )
    except OSError:
        return None
    try:
        return await _names_from(process)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)  # its own `kill` would take the end from asyncio, which complains
            await process.wait()


async def _names_from(process: asyncio.subprocess.Process) -> list[str] | None:
    if process.stdout is None:
        return None
    names: list[str] = []
    rest = b""
    while len(names) < MOST and (data := await process.stdout.read(1 << 18)):
        *whole, rest = (rest + data).split(b"\0")
        names += map(os.fsdecode, whole)
    if len(names) < MOST and await process.wait() not in {0, 1, 2}:
        return None
    return names


def _by_walking(directory: Path) -> list[str]:
    names: list[str] = []
    for place, directories, files in os.walk(directory):
        directories[:] = [name for name in directories if name not in _UNWANTED]
        beginning = os.path.relpath(place, directory)
        names += files if beginning == "." else [f"{beginning}/{name}" for name in files]
        if len(names) >= MOST:
            break
    return names[:MOST]


def _with_directories(names: Iterable[str]) -> list[str]:
    """The names, fit to be shown and typed, and the directories in which they lie."""
    whole = [name for name in names if name.isprintable()]
    directories = {name.rpartition("/")[0] for name in whole}
    for name in tuple(directories):
        while (name := name.rpartition("/")[0]) and name not in directories:
            directories.add(name)
    directories.discard("")
    return [*whole, *(f"{name}/" for name in directories)]


def _ripgrep(directory: Path) -> str | None:
    """Ripgrep: the one beside our interpreter, or the system's; never one that the project brings along."""
    own = str(Path(sys.executable).parent)
    for place in (own, *os.get_exec_path()):
        program = Path(place, "rg")
        is_ours = place == own or not program.resolve().is_relative_to(directory.resolve())
        if is_ours and program.is_absolute() and os.access(program, os.X_OK):
            return str(program)
    return None
