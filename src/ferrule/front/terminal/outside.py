"""Other programs that get the terminal for a while: a pager, an editor."""

import asyncio
import os
import shlex
import signal
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_PAGERS = ("less -R", "more")
_EDITORS = ("nano", "vi")


async def page(text: str, environ: Mapping[str, str] = os.environ) -> None:
    """Show a text in the user's pager, or in one that is there."""
    words = _program(environ.get("PAGER", ""), _PAGERS, environ)
    if words:
        own = {"LESS": environ.get("LESS", "-R"), "LESSSECURE": "1"}
        with _written(text, ".txt") as path:
            await _run([*words, str(path)], {**environ, **own})


async def edit(text: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """Let the user change a text in their editor; None where that failed, or there is none."""
    wanted = environ.get("VISUAL") or environ.get("EDITOR") or ""
    words = _program(wanted, _EDITORS, environ)
    if not words:
        return None
    with _written(text, ".md") as path:
        if await _run([*words, str(path)], environ):
            return None
        try:
            return path.read_text("utf-8", "replace").removesuffix("\n")
        except OSError:
            return None


def suspend() -> None:
    """Go to the background with all that belongs to us, until the shell brings us back."""
    os.kill(0, signal.SIGTSTP)


def _program(wanted: str, others: tuple[str, ...], environ: Mapping[str, str]) -> list[str]:
    """The words of the program that was asked for, or of the first other that is there."""
    with suppress(ValueError):  # a quote that is not closed
        if words := shlex.split(wanted):
            return words
    for other in others:
        words = shlex.split(other)
        if any(os.access(Path(place, words[0]), os.X_OK) for place in os.get_exec_path(dict(environ)) if place):
            return words
    return []


class _written:  # noqa: N801 - it reads like a function
    """A file with a text in it, for as long as it is needed; only the user reads it."""

    def __init__(self, text: str, suffix: str) -> None:
        self._text, self._suffix = text, suffix
        self._path = Path()

    def __enter__(self) -> Path:
        number, name = tempfile.mkstemp(prefix="ferrule-", suffix=self._suffix)
        with os.fdopen(number, "wb") as file:
            file.write(self._text.encode("utf-8", "replace"))
        self._path = Path(name)
        return self._path

    def __exit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)


async def _run(words: list[str], environ: Mapping[str, str]) -> int:
    try:
        process = await asyncio.create_subprocess_exec(*words, env=dict(environ))
    except (OSError, ValueError):
        return 127
    try:
        return await process.wait()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)  # its own `terminate` would take the end from asyncio
        await process.wait()
        raise
