"""Many names at once: whether a path is one of them or lies below one, and which of them are there.

Names are compared as the most forgiving file system would: neither case, nor Unicode's ways of writing a letter, nor
characters that cannot be seen, nor what Windows drops behind a name make a difference.
"""

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

MOST_ENTRIES = 2_000
"""How many entries of a directory are compared with a pattern."""
_FEW = 8
"""Fewer names than this are looked for one by one, more by listing their directory."""
_SHORT_NAMES = {"git~1": ".git", "gitmod~1": ".gitmodules", "ferrul~1": ".ferrule"}
"""What Windows calls long names on the side."""
_UNSEEN = dict.fromkeys(
    one
    for first, last in (
        (0x00AD, 0x00AD),
        (0x034F, 0x034F),
        (0x061C, 0x061C),
        (0x115F, 0x1160),
        (0x180E, 0x180E),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0),
        (0xE0000, 0xE007F),
    )
    for one in range(first, last + 1)
)
"""Characters that some file systems ignore, and that nobody sees."""


def folded(path: str) -> str:
    """A path such that two that some file system takes for one are the same."""
    low = path.lower() if path.isascii() else "/".join(map(_letters, path.split("/")))
    if "~" in low or ":" in low or " /" in low or "./" in low or low.endswith((" ", ".")):
        low = "/".join(map(_name, low.split("/")))
    return low


def _letters(name: str) -> str:
    return unicodedata.normalize("NFKC", name.translate(_UNSEEN)).casefold().replace("/", "\ufffd")


def _name(name: str) -> str:
    name = name.partition(":")[0].rstrip(" .")
    return _SHORT_NAMES.get(name, name)


class NameTree:
    """Names of paths below one directory. The last part of a name may have one `*` in it."""

    __slots__ = ("_below", "_ends", "_starts", "_wild")

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._below: dict[str, tuple[str, NameTree]] = {}
        self._ends: dict[str, str] = {}
        self._wild: list[tuple[str, str]] = []
        self._starts: tuple[str, ...] = ()
        for name in names:
            self.add(name.split("/"))

    def add(self, parts: Sequence[str]) -> None:
        """Take in one more name."""
        name = folded(parts[0])
        if len(parts) > 1:
            self._below.setdefault(name, (parts[0], NameTree()))[1].add(parts[1:])
        elif "*" in name:
            before, _, after = name.partition("*")
            self._wild.append((before, after))
            self._starts += (before,)
        else:
            self._ends[name] = parts[0]

    def holds(self, parts: Sequence[str]) -> bool:
        """Whether a path, by its folded parts, is one of the names or lies below one."""
        tree = self
        for part in parts:
            if part in tree._ends or (tree._wild and tree._fits(part)):
                return True
            if part not in tree._below:
                return False
            tree = tree._below[part][1]
        return False

    def leads_to(self, parts: Sequence[str]) -> bool:
        """Whether one of the names lies below a directory, by its folded parts."""
        tree = self
        for part in parts:
            if part not in tree._below:
                return False
            tree = tree._below[part][1]
        return True

    def there(self, directory: str) -> Iterator[str]:
        """The paths of all names that are there below a directory."""
        names = self._names_in(directory)
        yield from (f"{directory}/{name}" for low, name in names.items() if low in self._ends or self._fits(low))
        for low, (_, tree) in self._below.items():
            if low in names:
                yield from tree.there(f"{directory}/{names[low]}")

    def _names_in(self, directory: str) -> dict[str, str]:
        """The names in a directory that matter here, by what they are folded."""
        if not self._wild and len(self._ends) + len(self._below) < _FEW:
            wanted = {**self._ends, **{low: name for low, (name, _) in self._below.items()}}
            return {low: name for low, name in wanted.items() if os.path.lexists(f"{directory}/{name}")}
        try:
            with os.scandir(directory or "/") as entries:
                return {folded(entry.name): entry.name for entry in islice(entries, MOST_ENTRIES)}
        except OSError:
            return {}

    def _fits(self, part: str) -> bool:
        return part.startswith(self._starts) and any(  # most begin otherwise, and there are many
            part.startswith(before) and part.endswith(after) and len(part) >= len(before) + len(after)
            for before, after in self._wild
        )
