"""Tries lines in a copy of a project; it is run by the project's own Python, so it uses nothing of Ferrule.

Its argument is a file, the commands with what they should print, the lines to try, how runners of tests say how many
fail, how many seconds there are, and a command that prints what should rather stay as it is. That Python may be an old
one: 3.9 will do.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_LEFT_OUT = (".git", "node_modules", ".venv", "venv", "__pycache__", "target", "dist")
_SHORTEST, _TIMES = 1.5, 3
"""Seconds that a command may take with another line in any case, and how many times as long as before."""
_OWN = ["python3", "-B", "-c"]
"""How a command begins that is nothing but a script."""
_LARGEST = 200_000_000
"""Bytes of a project that is worth a copy."""
_MOST_OUTPUT = 1_000_000
_MOST_TOGETHER = 6
"""Lines that are put right together."""
_ALL = 1_000
_RAISES = "raises "
_SERVED = Path(__file__).with_name("served.py")
"""What runs scripts one after another."""


def _is_same(came: str, should: str) -> bool:
    """Whether a printed value is what it should be, or equal to it: 10.0 for 10."""
    if came == should:
        return True
    try:
        return bool(ast.literal_eval(came.strip()) == ast.literal_eval(should))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False


class _Judge:
    """Commands that say how much is wrong in a place."""

    def __init__(
        self,
        place: Path,
        commands: list[tuple[str, list[str], list[str], list[str]]],
        count: str,
        watch: tuple[str, float],
    ) -> None:
        self._place, self._commands, self._count, self._watch = place, commands, count, watch
        self._seen: list[str] = []
        self._runner: _Runner | None = None

    def wrong(self, longest: float) -> int:
        """How many tests fail, and how many last lines are not what should be printed."""
        wrong = 0
        for command, words, never, holds in self._commands:
            printed, failed = self._outcome(command, longest)
            if failed:
                counted = sum(int(one or other) for one, other in re.findall(self._count, printed))
                wrong += counted or _ALL
                continue
            lines = printed.splitlines()[-len(words) :] if words else []
            wrong += sum(not same for same in map(_is_same, lines, words)) + len(words) - len(lines)
            wrong += sum(one in printed for one in never) + sum(one not in printed for one in holds)
        return wrong

    def look(self, code: str, longest: float) -> None:
        """Take note of what should rather stay as it is: what came of calls, and errors that are meant."""
        lines = self._watched(longest)
        self._seen = [line if not line.startswith(_RAISES) or line.partition(": ")[2] in code else "" for line in lines]

    def changed(self, longest: float) -> int | None:
        """How many lines of that say something else now; nothing where these are too many."""
        now = self._watched(longest)
        changed = sum(map(_is_changed, self._seen, now)) + abs(len(now) - len(self._seen))
        return changed if changed <= self._watch[1] * sum(map(bool, self._seen)) else None

    def _watched(self, longest: float) -> list[str]:
        """What is watched, line by line; nothing where it cannot be told."""
        printed, failed = self._outcome(self._watch[0], longest) if self._watch[0] else ("", True)
        return [] if failed else printed.splitlines()

    def _outcome(self, command: str, longest: float) -> tuple[str, bool]:
        """The end of what a command prints, and whether it fails or takes too long; what it started ends with it."""
        script = _script_of(command)
        if script is not None:
            self._runner = self._runner or _Runner(self._place)
            if outcome := self._runner.outcome(script, longest):
                return outcome
            self.close()
            return "", True
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            code = _started(command, self._place, output, errors, longest)
            ends = [_end_of(file) for file in ((output, errors) if code else (output,))]
            return "" if code is None else "\n".join(ends), code != 0

    def close(self) -> None:
        """End what is still running."""
        if self._runner:
            self._runner.end()
        self._runner = None


def _script_of(command: str) -> str | None:
    """The script that a command runs, where it is nothing but that."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return words[-1] if words[:-1] == _OWN else None


def _started(command: str, place: Path, output: IO[bytes], errors: IO[bytes], longest: float) -> int | None:
    """How a command ends; not at all where it takes too long."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        start_new_session=True,
    )
    try:
        return process.wait(longest)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class _Runner:
    """Another Python that runs scripts one after another: to start one for each would take most of the time."""

    def __init__(self, place: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-B", "-c", _SERVED.read_text("utf-8"), place.name, str(_MOST_OUTPUT)],
            cwd=place.parent,  # where nothing has the name of a module that it needs itself
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def outcome(self, script: str, longest: float) -> tuple[str, bool] | None:
        """The end of what a script prints, and whether it fails; nothing where it takes too long or ends it all."""
        assert self._process.stdin
        assert self._process.stdout
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps([script, longest]).encode() + b"\n")
            self._process.stdin.flush()
            if select.select([self._process.stdout], [], [], longest)[0]:
                printed, failed = json.loads(self._process.stdout.readline())
                return str(printed), bool(failed)
        return None

    def end(self) -> None:
        """End it, with all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()


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
    *,
    path: str,
    commands: list[tuple[str, list[str], list[str], list[str]]],
    trials: list[tuple[int, str]],
    count: str,
    seconds: float,
    longest: float,
    watch: tuple[str, float],
) -> None:
    """Try each line; where none of them is enough, the best of them stays, and the others are tried with it.

    What does not put half of it right in the end is not worth having.

    Of lines that are as good the one is best that changes least of what `watch` prints; and none may change more of it
    than a part.
    """
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as place:
        file = None if _is_too_large() else _copied(Path(place), path)
        if file is None:
            return
        with file.open(encoding="utf-8", errors="surrogateescape", newline="") as old:
            lines = old.read().split("\n")
        with contextlib.closing(_Judge(Path(place) / "copy", commands, count, watch)) as judge:
            chosen, before, left = _chosen(file, lines, trials, judge, end=end, longest=longest)
        if chosen and 2 * left <= before:  # what leaves most of it wrong helps by chance
            sys.stdout.write(f"{'better' if left else 'works'}: {' '.join(map(str, chosen))}\n")


def _chosen(
    file: Path, lines: list[str], trials: list[tuple[int, str]], judge: _Judge, *, end: float, longest: float
) -> tuple[list[int], int, int]:
    """Which of the lines make it better together, how much was wrong before, and how much still is."""
    began = time.monotonic()
    least = before = judge.wrong(longest)
    chosen: list[int] = []
    took = time.monotonic() - began
    judge.look("\n".join(lines), longest)
    longest = _SHORTEST if took >= longest else min(longest, _SHORTEST + _TIMES * took)
    while least and len(chosen) < _MOST_TOGETHER:
        best, fewest = None, 0
        for number, (at, line) in enumerate(trials):
            if any(trials[one][0] == at for one in chosen):
                continue
            if time.monotonic() > end or (not least and not fewest):
                break
            with file.open("w", encoding="utf-8", errors="surrogateescape", newline="") as new:
                new.write("\n".join([*lines[:at], line, *lines[at + 1 :]]))
            wrong = judge.wrong(longest)
            if wrong > least or (wrong == least and not fewest):
                continue
            changes = judge.changed(longest)
            if changes is not None and (wrong < least or changes < fewest):
                least, best, fewest = wrong, number, changes
        if best is None:
            break
        chosen.append(best)
        lines[trials[best][0]] = trials[best][1]
    return chosen, before, least


def _is_changed(was: str, now: str) -> bool:
    """Whether a line says something else now; what went wrong before may well."""
    return bool(was) and was != now


if __name__ == "__main__":
    _try(**json.loads(sys.argv[1]))
