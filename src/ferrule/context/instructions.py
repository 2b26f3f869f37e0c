"""The standing instructions: AGENTS.md, else CLAUDE.md, from the repository's root down, and the user's own.

A repository that was just cloned has such files too. So they are read with care: plain files of a bounded size
that lie inside the repository, with every hidden character shown.
"""

import codecs
import os
from pathlib import Path

from ferrule.context.hidden import reveal
from ferrule.context.peek import peek
from ferrule.context.project import root_of
from ferrule.core.messages import Value

NAMES = ("AGENTS.md", "CLAUDE.md")
MOST_OF_A_FILE = 32 * 1024
MOST_OF_ALL = 64 * 1024


class Instructions(Value, frozen=True, kw_only=True):
    """What the instruction files say, and what is odd about them."""

    text: str = ""
    files: tuple[str, ...] = ()
    """Those that were read: the user's own first, the nearest last."""
    hidden: int = 0
    """How many characters were there that nobody sees."""
    warnings: tuple[str, ...] = ()


class _File(Value, frozen=True):
    name: str
    text: str = ""
    hidden: int = 0
    left_out: int = 0
    problem: str = ""


def find_instructions(directory: Path, *, own: Path | None = None) -> Instructions:
    """Read the instructions that hold in a directory; `own` is the user's file. Never raises."""
    room, files = MOST_OF_ALL, list[_File]()
    for path, root in reversed(_candidates(directory, own)):  # where room is scarce the nearest comes first
        files.insert(0, _read(path, root, min(room, MOST_OF_A_FILE)))
        room -= len(files[0].text)
    told = [file for file in files if file.text]
    return Instructions(
        text="\n\n".join(f"## {file.name}\n{file.text}{_note(file)}" for file in told),
        files=tuple(file.name for file in told),
        hidden=sum(file.hidden for file in files),
        warnings=tuple(warning for file in files for warning in _warnings(file)),
    )


def _candidates(directory: Path, own: Path | None) -> list[tuple[Path, Path | None]]:
    """The files that there are, each with the directory that it must not lead out of; the nearest last."""
    directory = Path(os.path.realpath(directory))
    root = root_of(directory) or directory
    levels = [level for level in (directory, *directory.parents) if level.is_relative_to(root)]
    there = [next((level / name for name in NAMES if os.path.lexists(level / name)), None) for level in levels]
    found: dict[str, tuple[Path, Path | None]] = {}
    if own and os.path.lexists(own):
        found[os.path.realpath(own)] = (own, None)
    for path in filter(None, reversed(there)):
        found.setdefault(os.path.realpath(path), (path, root))  # a link to one above says nothing new
    return list(found.values())


def _read(path: Path, root: Path | None, most: int) -> _File:
    name, _ = reveal(str(path))
    real = Path(os.path.realpath(path))
    if root and not real.is_relative_to(root):
        return _File(name, problem="it is a link that leads out of the repository")
    try:
        data, size = peek(real, most)
    except OSError as error:
        return _File(name, problem=f"it cannot be read ({error.strerror})")
    text = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(data, final=len(data) >= size)
    text, hidden = reveal(text.replace("\r\n", "\n").replace("\r", "\n").strip())
    left_out = max(size - len(data), 0) + max(len(text) - most, 0)
    return _File(name, text[:most], hidden, left_out)


def _note(file: _File) -> str:
    return f"\n[The rest of this file is left out: {file.left_out:,} bytes.]" if file.left_out else ""


def _warnings(file: _File) -> list[str]:
    warnings = []
    if file.problem:
        warnings.append(f"{file.name} is left out: {file.problem}.")
    if file.hidden:
        warnings.append(f"{file.name} has {file.hidden:,} hidden characters in it; they are shown as <U+…>.")
    if file.left_out:
        warnings.append(f"{file.name} is too long: {file.left_out:,} bytes of it are left out.")
    return warnings
