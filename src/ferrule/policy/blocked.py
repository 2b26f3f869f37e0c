"""What is never touched: secrets by their names, by the user's word, and by what they are under other names."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from ferrule.core.regex import lazy
from ferrule.policy.globs import PathGlob, text_matches
from ferrule.policy.names import HOME_SECRETS, HOMES, KEY_NAMES, KEY_SUFFIXES, PROCESS_HARMLESS, SYSTEM_SECRETS
from ferrule.policy.nametree import NameTree, folded
from ferrule.policy.trail import Identity

_IN_HOMES = NameTree(HOME_SECRETS)
_IN_SYSTEM = NameTree(SYSTEM_SECRETS)
_WILD = frozenset("*?[")
_WILDCARD = lazy(r"\*+|\?|\[[^]]*\]?")
_ESCAPED = lazy(r"(?s)\\(.)")
_PLAIN_NAME = lazy(r"[^/?\[\\]+")
_BLOCKED = "it is one of the blocked paths"
_SMALL = 200
"""Entries of a blocked directory that are looked at when a file may be one of them under another name."""


class Blocked:
    """The blocked paths of one session."""

    def __init__(
        self, *, home: str, own: Sequence[str], shown: Sequence[str], patterns: Sequence[str], given: Iterable[str]
    ) -> None:
        """Take in the user's own directory, Ferrule's own ones with what may be seen in them, and absolute patterns.

        `given` are directories that were given to work in: none above one is taken for a secret by what it is.
        """
        wild = [pattern for pattern in patterns if _is_wild(pattern)]
        plain = [_ESCAPED.sub(r"\1", pattern) for pattern in patterns if not _is_wild(pattern)]
        self._homes = spellings(home)
        self._home_parts = [_parts(folded(path)) for path in self._homes]
        self._single = [*own, *plain]
        self._own = tuple(f"{folded(path).rstrip('/')}/" for path in own)
        self._shown = tuple(f"{path}/" for path in shown)
        self._plain = tuple(f"{folded(path).rstrip('/')}/" for path in plain)
        self._matchers = [_matcher(pattern) for pattern in wild]
        self._telling = (*KEY_NAMES, *KEY_SUFFIXES, ".env", *map(_telling, wild))
        """Of what stands out among many paths by a name in it, each has one of these in it."""
        self._given = (*given, *shown, home)
        self._known: dict[Identity, str] | None = None

    def reason(self, path: str, parts: Sequence[str], *, root: str | None, reading: bool) -> str | None:
        """Why a path is blocked by its name; `parts` are those of the folded path, `root` is where it was let in."""
        low = f"/{'/'.join(parts)}/"
        if low.startswith(self._own) and self._is_own(path, low, root, reading=reading):
            return "it is one of Ferrule's own files"
        system = parts[1:] if parts[:1] == ["private"] else parts  # where macOS keeps /etc and /var
        if _IN_SYSTEM.holds(system) or any(_IN_HOMES.holds(tail) for tail in self._tails(parts)):
            return _BLOCKED
        if parts and is_key(parts[-1]):
            return "it is a private key by its name"
        if parts and parts[0] == "proc" and _shows_a_process(parts):
            return "it shows what a process keeps to itself"
        if low.startswith(self._plain) or any(fits(low) for fits in self._matchers):
            return f"{_BLOCKED} (safety.blocked_paths)"
        return None

    def met(self, passed: Iterable[Identity]) -> str | None:
        """Which blocked path one of these is, under whatever name it was reached."""
        if self._known is None:
            self._known = dict(_identities(self.there(), never=_all_above(self._given)))
        for identity in passed:
            path = self._known.get(identity)
            if path is not None and _identity(path) == identity:  # numbers are given to new files again
                return path
        return None

    def twin(self, info: os.stat_result) -> bool:
        """Whether a file with several names is a blocked one under another of them."""
        return (info.st_dev, info.st_ino) in {(one.st_dev, one.st_ino) for one in self.linked()}

    def linked(self) -> Iterator[os.stat_result]:
        """The blocked files that have other names; only the first of many are looked at."""
        for path in self.there():
            yield from (one for one in islice(_below(path), _SMALL) if one.st_nlink > 1)

    def there(self) -> Iterator[str]:
        """The blocked paths that are there now, as far as their names say where to look."""
        for home in dict.fromkeys([*self._homes, *_other_homes()]):
            yield from _IN_HOMES.there(home)
        yield from _IN_SYSTEM.there("")
        yield from filter(os.path.lexists, self._single)

    def hidden(self, directory: str) -> list[str]:
        """The blocked paths that are there below a directory, as seen from it, also by what their links lead to."""
        start = f"{directory.rstrip('/')}/"
        there = (one for path in self.there() for one in spellings(path))
        return [path.removeprefix(start) for path in there if path.startswith(start)]

    def odd(self, directory: str, paths: Sequence[str]) -> Sequence[str]:
        """Those of many paths below a directory that may be blocked, by a quick look at their names.

        All others are not, if the directory is not and no link was followed below it.
        """
        if self._holds_homes(directory) or next(self.linked(), None):
            return paths
        start = f"{folded(directory).rstrip('/')}/"
        prefixes = [one.removeprefix(start) for one in (*self._own, *self._plain) if one.startswith(start)]
        prefixes += [f"{folded(one)}/" for one in self.hidden(directory)]
        text = "\n".join(paths).lower()
        if text.isascii() and not prefixes and not any(word in text for word in self._telling):
            return ()
        return [path for path in paths if self._stands_out(path.lower(), tuple(prefixes))]

    def _stands_out(self, low: str, prefixes: tuple[str, ...]) -> bool:
        return not low.isascii() or f"{low}/".startswith(prefixes) or any(word in low for word in self._telling)

    def _is_own(self, path: str, low: str, root: str | None, *, reading: bool) -> bool:
        """Whether it is Ferrule's, and no part of it that was given to the session."""
        if reading and f"{path}/".startswith(self._shown):
            return False
        given = folded(root) if root else ""
        return any(low.startswith(own) and not given.startswith(own) for own in self._own)

    def _holds_homes(self, directory: str) -> bool:
        """Whether the secrets of a home directory or of the system may lie below a directory."""
        parts = _parts(folded(directory))
        return (
            any(home[: len(parts)] == parts for home in self._home_parts)
            or (len(parts) == 1 and parts[0] in HOMES)
            or _IN_SYSTEM.leads_to(parts)
            or any(_IN_HOMES.leads_to(tail) for tail in self._tails(parts))
        )

    def _tails(self, parts: Sequence[str]) -> Iterator[Sequence[str]]:
        """What follows a home directory in a path, whosever home it is."""
        for home in self._home_parts:
            if parts[: len(home)] == home:
                yield parts[len(home) :]
        if parts and parts[0] in HOMES and len(parts) > 1:
            yield parts[2:]
        elif parts and parts[0] == "root":
            yield parts[1:]


def spellings(path: str) -> tuple[str, ...]:
    """A path as it was given, and what it really is."""
    return tuple(dict.fromkeys((path, os.path.realpath(path))))


def is_key(name: str) -> bool:
    """Whether a folded name is that of a private key, or of a copy of one."""
    if name.endswith(KEY_SUFFIXES):
        return True
    return name.startswith("id_") and name.replace("~", ".").partition(".")[0] in KEY_NAMES and name[-4:] != ".pub"


def _shows_a_process(parts: Sequence[str]) -> bool:
    if len(parts) < 3 or not (parts[1].isdigit() or parts[1] in {"self", "thread-self"}):
        return False
    return parts[2] not in PROCESS_HARMLESS


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _is_wild(pattern: str) -> bool:
    return not _WILD.isdisjoint(_ESCAPED.sub("", pattern))


def _telling(pattern: str) -> str:
    """What every path that a pattern covers has in it."""
    name = pattern.rpartition("/")[2]
    return max(map(folded, _WILDCARD.split(_ESCAPED.sub("*", name))), key=len)


def _matcher(pattern: str) -> Callable[[str], bool]:
    """Make a test for folded paths with a slash behind them; most patterns are a name at any depth of a directory."""
    above, _, name = pattern.rpartition("/**/")
    if not above or _is_wild(above) or not _PLAIN_NAME.fullmatch(name):
        return PathGlob(pattern, sets=True, folded=True, below=True).matches
    start, low = folded(_ESCAPED.sub(r"\1", above)) + "/", folded(name)
    size = len(start)
    return lambda path: path.startswith(start) and any(text_matches(low, one) for one in path[size:-1].split("/"))


def _all_above(paths: Iterable[str]) -> set[Identity | None]:
    """What these paths are, and the directories in which they lie."""
    every = {"/", *(one for path in paths for one in spellings(path))}
    return {_identity(one) for path in every for one in _ways_up(path)}


def _ways_up(path: str) -> Iterator[str]:
    while path != "/":
        yield path
        path = path.rpartition("/")[0] or "/"
    yield path


def _identity(path: str) -> Identity | None:
    try:
        info = os.stat(path)  # noqa: PTH116 - paths are strings here
    except OSError:
        return None
    known = stat.S_ISDIR(info.st_mode) or stat.S_ISREG(info.st_mode)  # a history that is /dev/null makes that no secret
    return (info.st_dev, info.st_ino) if known else None


def _identities(paths: Iterable[str], *, never: set[Identity | None]) -> Iterator[tuple[Identity, str]]:
    for path in paths:
        identity = _identity(path)
        if identity and identity not in never:
            yield identity, path


def _other_homes() -> Iterator[str]:
    """The home directories of this machine that may be looked into."""
    for place in ("/home", "/Users"):
        with suppress(OSError), os.scandir(place) as entries:
            yield from (one.path for one in islice(entries, _SMALL) if os.access(one.path, os.R_OK | os.X_OK))
    if os.access("/root", os.R_OK | os.X_OK):
        yield "/root"


def _below(path: str) -> Iterator[os.stat_result]:
    """A file, or the files in a directory, those nearest to it first."""
    waiting = [path]
    for one in waiting:
        with suppress(OSError):
            info = os.lstat(one)
            if stat.S_ISREG(info.st_mode):
                yield info
            elif stat.S_ISDIR(info.st_mode) and len(waiting) < _SMALL:
                with os.scandir(one) as entries:
                    waiting += (entry.path for entry in islice(entries, _SMALL))
