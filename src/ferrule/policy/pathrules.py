"""Where a rule's pattern for files lies on the disk: in the project, in the home, anywhere.

`src/**` lies in the project, `*.md` at any depth of it, `~/x` in the home, `/etc` and `//etc` at the root of the disk.
In Claude Code's spelling (`Edit(/src/**)`) one slash means the project. What forbids is read widely: a name without
a slash is meant wherever it occurs, a directory means all that is in it, and a pattern that can be read in two ways is
read in both. What allows is read narrowly.
"""

import os
import posixpath
from collections.abc import Iterator

from ferrule.core.regex import lazy
from ferrule.policy.globs import PathGlob

MOST_ALTERNATIVES = 64
LONGEST_PATH = 8_192
"""Characters. No system opens a longer one."""


class PathPatterns:
    """The patterns of rules for one project and one home, each read once."""

    def __init__(self, root: str, home: str) -> None:
        self._roots = tuple(dict.fromkeys((posixpath.normpath(root), os.path.realpath(root))))
        self._homes = tuple(dict.fromkeys((posixpath.normpath(home), os.path.realpath(home))))
        self._read: dict[tuple[str, bool, bool], tuple[PathGlob, ...]] = {}

    def hit(self, pattern: str, path: str, *, foreign: bool) -> bool:
        """Whether a pattern that forbids means this path."""
        if len(path) > LONGEST_PATH:
            return True
        return any(glob.matches(posixpath.normpath(path)) for glob in self._globs(pattern, foreign=foreign, wide=True))

    def cover(self, pattern: str, path: str, *, foreign: bool) -> bool:
        """Whether a pattern that allows means this path, which must be absolute and without detours."""
        if len(path) > LONGEST_PATH or not path.startswith("/") or path != posixpath.normpath(path):
            return False
        return any(glob.matches(path) for glob in self._globs(pattern, foreign=foreign, wide=False))

    def _globs(self, pattern: str, *, foreign: bool, wide: bool) -> tuple[PathGlob, ...]:
        known = self._read.get((pattern, foreign, wide))
        if known is None:
            known = self._read[pattern, foreign, wide] = tuple(self._made(pattern, foreign=foreign, wide=wide))
        return known

    def _made(self, pattern: str, *, foreign: bool, wide: bool) -> Iterator[PathGlob]:
        for one in _alternatives(pattern, wide=wide):
            for place in dict.fromkeys(self._placed(one, foreign=foreign, wide=wide)):
                below = wide or _names_all_in_it(place)
                yield PathGlob(place, sets=False, folded=wide, below=below)
                if wide and "[" in place:
                    yield PathGlob(place, sets=True, folded=True, below=True)

    def _placed(self, pattern: str, *, foreign: bool, wide: bool) -> Iterator[str]:
        """The pattern as absolute ones; also as what their beginnings lead to, if they are links."""
        for place in self._absolute(pattern, foreign=foreign, wide=wide):
            yield place
            fixed, rest = _fixed_beginning(place)
            of_the_project = any(fixed == root or fixed.startswith(f"{root}/") for root in self._roots)
            if wide or not of_the_project:  # the project's own links are not to be believed where something is allowed
                yield literally(os.path.realpath(fixed)) + rest

    def _absolute(self, pattern: str, *, foreign: bool, wide: bool) -> Iterator[str]:
        if pattern.startswith("//"):
            yield posixpath.normpath(pattern[1:])
        elif pattern == "~" or pattern.startswith("~/"):
            yield from (_below(home, pattern[1:]) for home in self._homes)
        elif pattern.startswith("/"):
            if foreign:
                yield from (_below(root, pattern) for root in self._roots)
            if wide or not foreign:
                yield posixpath.normpath(pattern)
        elif "/" not in pattern.rstrip("/"):
            yield from ("/**/" + pattern,) if wide else (_below(root, "**/" + pattern) for root in self._roots)
        else:
            yield from (_below(root, pattern) for root in self._roots)
            if wide and pattern.startswith("**/"):
                yield posixpath.normpath("/" + pattern)


def _below(directory: str, pattern: str) -> str:
    """A pattern inside a directory; one that climbs out with `..` may."""
    return posixpath.normpath(f"{literally(directory)}/{pattern}")


def _alternatives(pattern: str, *, wide: bool) -> Iterator[str]:
    """What braces stand for: `*.{js,ts}` is two patterns. Where they are too many, leave is not given for any more."""
    if wide:
        yield pattern
    waiting, made = [pattern], 0
    while waiting:
        one = waiting.pop()
        found = _BRACES.search(one)
        if found is None:
            yield one
            made += 1
        elif len(waiting) + made < MOST_ALTERNATIVES:
            waiting += [one[: found.start()] + each + one[found.end() :] for each in found[1].split(",")]
        elif wide:
            waiting.append(f"{one[: found.start()]}*{one[found.end() :]}")


def _fixed_beginning(pattern: str) -> tuple[str, str]:
    """The directory with which a pattern begins as plain text, and the rest."""
    parts = pattern.split("/")
    fixed = next((at for at, part in enumerate(parts) if _SPECIAL.search(part)), len(parts))
    return "/".join(parts[:fixed]) or "/", "".join(f"/{part}" for part in parts[fixed:])


def _names_all_in_it(pattern: str) -> bool:
    """Whether leave for this is leave for what lies below it: `src` and `src/**` do, `src/*` does not."""
    last = pattern.rpartition("/")[2]
    return last == "**" or not _SPECIAL.search(last)


def literally(path: str) -> str:
    """A pattern for one path, whatever characters are in it."""
    return _MEANS_MORE.sub(lambda found: "\\" + found[0], path)


_BRACES = lazy(r"(?<!\\)\{([^{}]*,[^{}]*)\}")
_SPECIAL = lazy(r"[*?\[\\]")
_MEANS_MORE = lazy(r"[*?\[\\{]")
