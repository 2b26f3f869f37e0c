"""Tries lines in a copy of a project; its text is run by the project's own Python, so it uses nothing of Ferrule.

Its argument is a file, the commands with what they should print, the lines to try, and how many seconds there are.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_LEFT_OUT = (".git", "node_modules", ".venv", "venv", "__pycache__", "target", "dist")
_LONGEST = 5.0
_LARGEST = 200_000_000
"""Bytes of a project that is worth a copy."""
_MOST_OUTPUT = 1_000_000


def _works(commands: list[tuple[str, list[str], list[str]]], place: Path) -> bool:
    """Whether each command succeeds in a place, prints at its end what it should, and nothing that it should not."""
    for command, words, never in commands:
        printed = _printed(command, place)
        if printed is None or (words and printed.splitlines()[-len(words) :] != words):
            return False
        if any(one in printed for one in never):
            return False
    return True


def _printed(command: str, place: Path) -> str | None:
    """The end of what a command prints, where it succeeds in time; whatever it started ends with it."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait(_LONGEST)
        except subprocess.TimeoutExpired:
            code = -1
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(max(0, output.seek(0, os.SEEK_END) - _MOST_OUTPUT))
        return None if code else str(output.read(), "utf-8", "replace")


def _is_too_large() -> bool:
    """Whether the project holds so much that to copy it would take all the time, or the disk."""
    size = 0
    for folder, folders, files in os.walk("."):
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
        for name in files:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - many, and quickly
        if size > _LARGEST:
            return True
    return False


def _copied(place: Path, path: str) -> Path | None:
    """The file in a copy of the project; none where it would be one outside of the copy, by a link or by its path."""
    copy = place / "copy"
    with contextlib.suppress(shutil.Error):  # what cannot be read, or is no file, is left out
        shutil.copytree(".", copy, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    file = (copy / path).resolve()
    return file if file.is_relative_to(copy.resolve()) and file.is_file() else None


def _try(
    path: str, commands: list[tuple[str, list[str], list[str]]], trials: list[tuple[int, str]], seconds: float
) -> None:
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as place:
        file = None if _is_too_large() else _copied(Path(place), path)
        if file is None:
            return
        with file.open(encoding="utf-8", errors="surrogateescape", newline="") as old:
            lines = old.read().split("\n")
        for number, (at, line) in enumerate(trials):
            if time.monotonic() > end:
                break
            with file.open("w", encoding="utf-8", errors="surrogateescape", newline="") as new:
                new.write("\n".join([*lines[:at], line, *lines[at + 1 :]]))
            if _works(commands, Path(place) / "copy"):
                sys.stdout.write(f"works: {number}\n")
                break


if __name__ == "__main__":
    _try(*json.loads(sys.argv[1]))
