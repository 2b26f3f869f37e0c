"""Tries lines in a copy of a project; its text is run by the project's own Python, so it uses nothing of Ferrule.

Its argument is a file, the commands with what they should print, the lines to try, and how many seconds there are.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_LEFT_OUT = shutil.ignore_patterns(".git", "node_modules", ".venv", "venv", "__pycache__", "target", "dist")
_LONGEST = 5.0


def _works(commands: list[tuple[str, list[str]]], place: Path) -> bool:
    """Whether each command succeeds in a place, and prints at its end what it should."""
    for command, words in commands:
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=place,
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LONGEST,
                text=True,
            )
        except (subprocess.TimeoutExpired, UnicodeDecodeError):
            return False
        if done.returncode or (words and done.stdout.splitlines()[-len(words) :] != words):
            return False
    return True


def _try(path: str, commands: list[tuple[str, list[str]]], trials: list[tuple[int, str]], seconds: float) -> None:
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "copy"
        shutil.copytree(".", copy, symlinks=True, ignore=_LEFT_OUT)
        file = copy / path
        with file.open(encoding="utf-8", newline="") as old:
            lines = old.read().split("\n")
        for number, (at, line) in enumerate(trials):
            if time.monotonic() > end:
                break
            with file.open("w", encoding="utf-8", newline="") as new:
                new.write("\n".join([*lines[:at], line, *lines[at + 1 :]]))
            if _works(commands, copy):
                sys.stdout.write(f"works: {number}\n")
                break


if __name__ == "__main__":
    _try(*json.loads(sys.argv[1]))
