"""Walks a tree as ripgrep does: `.gitignore` and its kin honoured, links not followed, `.git` left out."""
# Paths are strings here, since there are many of them.
# ruff: noqa: PTH110, PTH113, PTH120, PTH123

import os
import re
from collections.abc import Container, Iterator

import msgspec

from ferrule.tools.patterns import compile_glob

IGNORE_FILES = (".rgignore", ".ignore", ".gitignore")
_EXCLUDE = "info/exclude"
"""Git's own list of a repository, below its `.git`."""
_KINDS = (*IGNORE_FILES, _EXCLUDE)
"""From the strongest to the weakest; a kind decides before the next is asked."""
_GITS_OWN = frozenset({".gitignore", _EXCLUDE})


class Rule(msgspec.Struct, frozen=True):
    """One line of an ignore file."""

    regex: re.Pattern[str]
    keeps: bool
    only_directories: bool


class Level(msgspec.Struct):
    """A directory's rules by the file they stand in, and what lies above it."""

    prefix: str
    """The directory, with a slash behind it; rules see what follows it."""
    is_top: bool
    """Whether a repository begins there: git never looks above it."""
    above: "Level | None" = None
    rules: dict[str, list[Rule]] = msgspec.field(default_factory=dict)

    def hides(self, path: str, *, is_directory: bool) -> bool:
        """Whether the rules of this directory and of those above it leave the path out."""
        for kind in _KINDS:
            if (verdict := self._verdict(kind, path, is_directory=is_directory)) is not None:
                return verdict
        return False

    def _verdict(self, kind: str, path: str, *, is_directory: bool) -> bool | None:
        level: Level | None = self
        while level is not None:
            if rules := level.rules.get(kind):
                inside = path[len(level.prefix) :]
                for rule in reversed(rules):
                    if (is_directory or not rule.only_directories) and rule.regex.fullmatch(inside):
                        return not rule.keeps
            if level.is_top and kind in _GITS_OWN:
                return None
            level = level.above
        return None


def walk(root: str, *, depth: int | None = None, hidden: Container[str] = ()) -> Iterator[str]:
    """Every file below an absolute root that no rule hides, relative to it; `depth` 1 looks at the root alone.

    `hidden` are paths below the root that are left out with all that is in them.
    """
    start = len(_prefix(root))
    has_tops = in_repository(root)
    waiting = [(root, _levels_above(root, has_tops=has_tops), 1)]
    while waiting:
        directory, above, here = waiting.pop()
        entries = _entries(directory)
        level = _level(directory, above, frozenset(entry.name for entry in entries), has_tops=has_tops)
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if (
                entry.name == ".git"
                or entry.path[start:] in hidden
                or level.hides(entry.path, is_directory=is_directory)
            ):
                continue
            if is_directory:
                if depth is None or here < depth:
                    waiting.append((entry.path, level, here + 1))
            elif entry.is_file(follow_symlinks=False):
                yield entry.path[start:]


def in_repository(directory: str) -> bool:
    """Whether git knows the directory. Where it does not, ignore files hold all the same, and have no top."""
    return any(os.path.exists(_prefix(one) + ".git") for one in [directory, *_above(directory)])


def parse_rules(text: str) -> list[Rule]:
    """The rules of an ignore file; a line that is no pattern says nothing."""
    return [rule for line in text.split("\n") if (rule := _rule(line)) is not None]


def _levels_above(root: str, *, has_tops: bool) -> Level | None:
    """The rules of all directories above the root, for they hold below it too."""
    level = None
    for directory in reversed(_above(root)):
        level = _level(directory, level, frozenset((*IGNORE_FILES, ".git")), has_tops=has_tops)
    return level


def _above(directory: str) -> list[str]:
    """The directories above one, from the nearest on."""
    above = []
    while (parent := os.path.dirname(directory)) != directory:
        above.append(parent)
        directory = parent
    return above


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as listing:
            return list(listing)
    except OSError:  # gone meanwhile, or not ours to read
        return []


def _level(directory: str, above: Level | None, names: frozenset[str], *, has_tops: bool) -> Level:
    """Read the rules of a directory; `names` are those that may be there."""
    prefix = _prefix(directory)
    has_git = ".git" in names and os.path.exists(prefix + ".git")
    level = Level(prefix, has_git and has_tops, above)
    for kind in IGNORE_FILES:
        if kind in names and (rules := _read_rules(prefix + kind)):
            level.rules[kind] = rules
    if has_git and (rules := _read_rules(f"{prefix}.git/{_EXCLUDE}")):
        level.rules[_EXCLUDE] = rules
    return level


def _read_rules(path: str) -> list[Rule]:
    if not os.path.isfile(path):  # a pipe of that name would never end
        return []
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="\n") as file:
            return parse_rules(file.read())
    except OSError:
        return []


def _rule(line: str) -> Rule | None:
    pattern = re.sub(r"(?<!\\)[ \t]+$", "", line.removesuffix("\r"))
    if not pattern or pattern.startswith("#"):
        return None
    keeps = pattern.startswith("!")
    pattern = pattern[keeps:]
    only_directories = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    if not pattern:
        return None
    at_any_depth = "/" not in pattern
    try:
        regex = compile_glob(f"**/{pattern}" if at_any_depth else pattern.removeprefix("/"))
    except ValueError:
        return None
    return Rule(regex, keeps, only_directories)


def _prefix(directory: str) -> str:
    return directory.rstrip("/") + "/"
