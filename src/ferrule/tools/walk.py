"""Walks a tree as ripgrep does: `.gitignore` and its kin honoured, links not followed, `.git` left out."""
# Paths are strings here, since there are many of them.
# ruff: noqa: PTH110, PTH113, PTH120, PTH123

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ferrule.tools.patterns import compile_glob

IGNORE_FILES = (".rgignore", ".ignore", ".gitignore")
_EXCLUDE = "info/exclude"
"""Git's own list of a repository, below its `.git`."""
_KINDS = (*IGNORE_FILES, _EXCLUDE)
"""From the strongest to the weakest; a kind decides before the next is asked."""
_GITS_OWN = frozenset({".gitignore", _EXCLUDE})


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file."""

    regex: re.Pattern[str]
    keeps: bool
    only_directories: bool


@dataclass(slots=True)
class Level:
    """A directory's rules by the file they stand in, and whether a repository begins there."""

    prefix: str
    """The directory, with a slash behind it; rules see what follows it."""
    is_repository: bool
    above: "Level | None" = None
    rules: dict[str, list[Rule]] = field(default_factory=dict)

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
            if level.is_repository and kind in _GITS_OWN:  # git never looks above its repository
                return None
            level = level.above
        return None


def walk(root: str) -> Iterator[str]:
    """Every file below an absolute root that no rule hides, relative to it."""
    start = len(_prefix(root))
    waiting = [(root, levels_above(root))]
    while waiting:
        directory, above = waiting.pop()
        entries = _entries(directory)
        level = _level(directory, above, frozenset(entry.name for entry in entries))
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if entry.name == ".git" or level.hides(entry.path, is_directory=is_directory):
                continue
            if is_directory:
                waiting.append((entry.path, level))
            elif entry.is_file(follow_symlinks=False):
                yield entry.path[start:]


def levels_above(root: str) -> Level | None:
    """The rules of all directories above the root, for they hold below it too."""
    parent = os.path.dirname(root)
    if parent == root:
        return None
    return _level(parent, levels_above(parent))


def parse_rules(text: str) -> list[Rule]:
    """The rules of an ignore file; a line that is no pattern says nothing."""
    return [rule for line in text.split("\n") if (rule := _rule(line)) is not None]


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as listing:
            return list(listing)
    except OSError:  # gone meanwhile, or not ours to read
        return []


def _level(directory: str, above: Level | None, names: frozenset[str] | None = None) -> Level:
    """Read the rules of a directory; `names` spares looking for files that are not there."""
    prefix = _prefix(directory)
    is_repository = (names is None or ".git" in names) and os.path.exists(prefix + ".git")
    level = Level(prefix, is_repository, above)
    wanted = [name for name in IGNORE_FILES if names is None or name in names]
    for kind, path in [(name, name) for name in wanted] + [(_EXCLUDE, f".git/{_EXCLUDE}")] * is_repository:
        if rules := _read_rules(prefix + path):
            level.rules[kind] = rules
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
