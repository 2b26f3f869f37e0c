"""What the word under the cursor could become: a command, its argument, a file of the project, a path."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal, NamedTuple

from ferrule.core.regex import lazy

MOST = 50
Kind = Literal["command", "argument", "file", "path"]
_PATH = lazy(r"(?:~|\.{1,2})?/\S*$|(?:[\w.-]+/)+\S*$")


class Candidate(NamedTuple):
    """Something that could stand there, with a word about it."""

    text: str
    note: str = ""


class Word(NamedTuple):
    """The word that is being typed: what it is, where it begins, and how far it has come."""

    kind: Kind
    start: int
    text: str


class Offer(NamedTuple):
    """What could stand in the place of a word."""

    word: Word
    candidates: list[Candidate]


Commands = Callable[[str], list[Candidate]]
"""The commands, or the arguments of one, that a line which begins with `/` could go on with."""
Files = Callable[[str], Awaitable[list[str]]]


def word_at(text: str, position: int, *, on_request: bool = False) -> Word | None:
    """The word that ends at the cursor, if it is one that can be completed; paths are only on request."""
    before = text[:position]
    if before.startswith("/") and "\n" not in before:
        name, blank, rest = before.partition(" ")
        if not blank:
            return Word("command", 0, name)
        word = rest.rpartition(" ")[2]
        return Word("argument", len(before) - len(word), word)
    start = max(before.rfind(char) for char in " \n\t") + 1
    word = before[start:]
    if word.startswith("@"):
        return Word("file", start, word)
    if on_request and (found := _PATH.search(word)):
        return Word("path", start + found.start(), found[0])
    return Word("path", start, word) if on_request and word else None


async def offer(
    text: str, position: int, *, commands: Commands, files: Files, directory: Path, on_request: bool = False
) -> Offer | None:
    """What the word at the cursor could become; None where there is nothing to offer."""
    word = word_at(text, position, on_request=on_request)
    if word is None:
        return None
    if word.kind in {"command", "argument"}:
        found = commands(text[:position])
    elif word.kind == "file" and not word.text.startswith(("@/", "@~", "@./", "@../")):
        found = [Candidate(f"@{name}") for name in await files(word.text[1:])]
    else:
        mark = "@" if word.kind == "file" else ""
        found = [Candidate(mark + name) for name in paths(word.text.removeprefix("@"), directory)]
    if word.text.endswith("/") and word.kind != "command":  # a directory that stands there: what is in it
        found = [candidate for candidate in found if candidate.text != word.text]
    is_whole = any(candidate.text == word.text for candidate in found)
    return Offer(word, found[:MOST]) if found and not is_whole else None


def paths(beginning: str, directory: Path) -> list[str]:
    """The paths that begin so, as they would be typed."""
    head, slash, name = beginning.rpartition("/")
    place = Path(os.path.expanduser(head + slash) or ".")  # noqa: PTH111 - Path.expanduser raises where there is none
    try:
        with os.scandir(directory / place) as entries:
            found = [entry.name + ("/" if entry.is_dir() else "") for entry in entries if _fits(entry.name, name)]
    except OSError:
        return []
    return [f"{head}{slash}{one}" for one in sorted(found)]


def _fits(name: str, beginning: str) -> bool:
    hidden = name.startswith(".") and not beginning.startswith(".")
    return name.startswith(beginning) and not hidden and name.isprintable()
