"""Tries lines in a copy of a project; its text is run by the project's own Python, so it uses nothing of Ferrule.

Its argument is a file, the commands with what they should print, the lines to try, how runners of tests say how many
fail, and how many seconds there are.
"""

import ast
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

_LEFT_OUT = (".git", "node_modules", ".venv", "venv", "__pycache__", "target", "dist")
_LONGEST = 5.0
_LARGEST = 200_000_000
"""Bytes of a project that is worth a copy."""
_MOST_OUTPUT = 1_000_000
_MOST_TOGETHER = 4
"""Lines that are put right together."""
_ALL, _KILLED = 1_000, -1


def _wrong(commands: list[tuple[str, list[str], list[str], list[str]]], place: Path, count: str) -> int:
    """How much is wrong in a place: how many tests fail, how many last lines are not what should be printed."""
    wrong = 0
    for command, words, never, holds in commands:
        printed, failed = _outcome(command, place)
        if failed:
            counted = sum(int(one or other) for one, other in re.findall(count, printed))
            wrong += counted or _ALL
            continue
        lines = printed.splitlines()[-len(words) :] if words else []
        wrong += sum(not _is_same(*both) for both in zip(lines, words, strict=False)) + len(words) - len(lines)
        wrong += sum(one in printed for one in never) + sum(one not in printed for one in holds)
    return wrong


def _is_same(came: str, should: str) -> bool:
    """Whether a printed value is what it should be, or equal to it: 10.0 for 10."""
    if came == should:
        return True
    try:
        return bool(ast.literal_eval(came.strip()) == ast.literal_eval(should))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False


def _outcome(command: str, place: Path) -> tuple[str, bool]:
    """The end of what a command prints, and whether it fails or takes too long; whatever it started ends with it."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        try:
            code = process.wait(_LONGEST)
        except subprocess.TimeoutExpired:
            code = _KILLED
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code == _KILLED:
            return "", True
        ends = [_end_of(file) for file in ((output, errors) if code else (output,))]
        return "\n".join(ends), bool(code)


def _end_of(file: IO[bytes]) -> str:
    file.seek(max(0, file.seek(0, os.SEEK_END) - _MOST_OUTPUT))
    return str(file.read(), "utf-8", "replace")


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
    path: str,
    commands: list[tuple[str, list[str], list[str], list[str]]],
    trials: list[tuple[int, str]],
    count: str,
    seconds: float,
) -> None:
    """Try each line; where none of them is enough, the best of them stays, and the others are tried with it."""
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as place:
        file = None if _is_too_large() else _copied(Path(place), path)
        if file is None:
            return
        with file.open(encoding="utf-8", errors="surrogateescape", newline="") as old:
            lines = old.read().split("\n")
        least, chosen = _wrong(commands, Path(place) / "copy", count), list[int]()
        while least and len(chosen) < _MOST_TOGETHER:
            best = None
            for number, (at, line) in enumerate(trials):
                if any(trials[one][0] == at for one in chosen):
                    continue
                if time.monotonic() > end or not least:
                    break
                with file.open("w", encoding="utf-8", errors="surrogateescape", newline="") as new:
                    new.write("\n".join([*lines[:at], line, *lines[at + 1 :]]))
                wrong = _wrong(commands, Path(place) / "copy", count)
                if wrong < least:
                    least, best = wrong, number
            if best is None:
                break
            chosen.append(best)
            lines[trials[best][0]] = trials[best][1]
        if chosen:
            said = "better" if least else "works"
            sys.stdout.write(f"{said}: {' '.join(map(str, chosen))}\n")


if __name__ == "__main__":
    _try(*json.loads(sys.argv[1]))
