"""Finds ripgrep and runs it; where there is none, our own search in Python takes the same options."""

import os
import site
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from ferrule.core.errors import ToolError
from ferrule.core.regex import lazy
from ferrule.host.program import capture
from ferrule.tools.walk import in_repository

Program = tuple[str, ...]
"""A command that takes ripgrep's options."""
FindProgram = Callable[[Path], Program]

BUILT_IN: Program = (sys.executable, "-P", "-m", "ferrule.tools.scan")
"""`-P`: nothing that lies in the project is imported."""
_ALWAYS = (
    "--no-config",
    "--no-ignore-global",
    "--hidden",
    "--glob=!.git",
    "--color=never",
    "--no-messages",
    "--no-ignore-messages",
    "--max-filesize=1G",
)
_SPECIAL, _ESCAPED = lazy(r"[\\*?\[\]{}!]"), r"\\\g<0>"
_MOST_OUTPUT = 64_000_000
_SECONDS = 60


@lru_cache(maxsize=16)
def find_program(directory: Path) -> Program:
    """The system's ripgrep, else the one that came with us, else our own; never one that the project brings along.

    What lies beside our own interpreter is ours, even where that is a virtual environment inside the project.
    """
    beside = Path(sys.executable).parent
    for place in [*map(Path, os.get_exec_path()), beside, Path(site.getuserbase()) / "bin"]:
        rg = place / "rg"
        is_ours = place == beside or not _inside(rg, directory)
        if rg.is_absolute() and os.access(rg, os.X_OK) and rg.is_file() and is_ours:
            return (str(rg), *_ALWAYS)
    return BUILT_IN


async def run(program: Program, options: Sequence[str], *, root: Path, seconds: float = _SECONDS) -> bytes:
    """Run a search in a directory, and give back what it printed.

    Raises:
        ToolError: it could not be run, did not end, found too much, or refused the options in its own words.
    """
    outside_git = [] if in_repository(str(root)) else ["--no-require-git"]  # or it would read no .gitignore there
    try:
        captured = await capture([*program, *outside_git, *options], cwd=root, limit=_MOST_OUTPUT, timeout=seconds)
    except (OSError, ValueError) as error:  # too many arguments for the system, or a NUL in one
        raise ToolError(f"The search could not be started: {error}.") from error
    if captured.truncated:
        raise ToolError("There is too much to list. Give a path, or a pattern that says more.")
    if captured.code not in {0, 1, 2} or (
        captured.code and captured.stderr
    ):  # 1: nothing found, 2: something unreadable
        words = captured.stderr.decode(errors="replace").strip().removeprefix("rg: ")
        raise ToolError(words or f"The search ended with code {captured.code}.")
    return captured.stdout


async def files_below(
    program: Program,
    root: Path,
    *,
    name: str = "*",
    depth: int | None = None,
    hidden: Sequence[str] = (),
    seconds: float = _SECONDS,
) -> list[str]:
    """The files below a directory that no `.gitignore` hides, relative to it, in no order; `hidden` is left out."""
    options = ["--files", "--null", *only(name), *without(hidden)]
    options += [] if depth is None else [f"--max-depth={depth}"]
    printed = await run(program, [*options, "./"], root=root, seconds=seconds)
    return [path.removeprefix("./") for path in os.fsdecode(printed).split("\0")[:-1]]


def only(name: str) -> list[str]:
    """Options that narrow a search to files of a name; `--glob` would bring back what `.gitignore` hides."""
    return [] if name == "*" else [f"--type-add=only:{name}", "--type=only"]


def without(paths: Sequence[str]) -> list[str]:
    """Options that keep a search out of some paths, given as seen from where it starts."""
    return [f"--glob=!/{_SPECIAL.sub(_ESCAPED, path)}" for path in paths]


def _inside(path: Path, directory: Path) -> bool:
    home = directory.resolve()
    return path.is_relative_to(directory) or path.is_relative_to(home) or path.resolve().is_relative_to(home)
