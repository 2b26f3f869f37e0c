"""Which files a git configuration has git obey or run: read as git does, but without git.

A configuration cannot be changed from inside a sandbox. What it points to must not be either: a directory of hooks in
the working tree, another file of settings, a script that filters or compares. Whatever is not known to be mere text
counts as pointing somewhere.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from ferrule.core.regex import lazy

_LARGEST = 1_000_000
_MOST_SETTINGS = 2_000
_DEEPEST = 10
"""Files that include files; git goes no further."""
_MOST_FILES = 100
_PLAIN = frozenset(
    """
    core.repositoryformatversion core.filemode core.bare core.worktree core.excludesfile core.logallrefupdates
    commit.template blame.ignorerevsfile mailmap.file include.path includeif.path extensions.worktreeconfig
    """.split()  # noqa: SIM905 - words read better as words
)
"""Settings whose values start nothing; files that are included are followed apart from these."""
_PLAIN_SECTIONS = frozenset(
    "remote branch submodule user author committer url safe color gui maintenance scalar http".split()  # noqa: SIM905
)
_PROGRAMS_ALL_THE_SAME = frozenset({"uploadpack", "receivepack", "update"})
"""Keys in those sections that name programs even so."""
_PROGRAM_SECTIONS = frozenset(
    {"alias", "filter", "diff", "merge", "credential", "gpg", "pager", "difftool", "mergetool"}
)
_PROGRAM_KEYS = frozenset({"core.fsmonitor", "core.sshcommand", "core.editor", "core.pager", "core.askpass"})
_INTERPRETERS = ("sh", "bash", "dash", "zsh", "ksh", "python", "node", "perl", "ruby", "php", "deno", "bun", "env")
_FILES = frozenset({"core.attributesfile"})
_FOLDERS = frozenset({"core.hookspath", "init.templatedir"})
_WORDS = lazy(r"""(?:[^\s"'\\;|&()<>`$]|\\.)+|"[^"]*"|'[^']*'""")
_HEADER = lazy(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')

Setting = tuple[str, str]
"""The section and the key, in lower case, and the value."""


class Pointer(Struct, frozen=True):
    """One path that a configuration names, absolute but not resolved."""

    path: str
    is_folder: bool = False
    """Whether all that is in it counts, should it be a directory."""
    is_certain: bool = True
    """Whether it counts even where there is nothing yet; else it may be no path at all."""


class Configurations:
    """Reads configurations, again only those that changed."""

    def __init__(self, *, home: str) -> None:
        self._home = home
        self._known: dict[str, tuple[tuple[int, ...], list[Setting]]] = {}

    def pointers(self, files: list[str], work: str) -> list[Pointer]:
        """All that some configurations name, for someone who works in a directory."""
        found: dict[Pointer, None] = {}
        left, seen = [(file, 0) for file in files], set[str]()
        while left and len(seen) < _MOST_FILES:
            file, depth = left.pop(0)
            if file in seen:
                continue
            seen.add(file)
            for name, value in self._settings(file):
                if name in {"include.path", "includeif.path"} and value:
                    path = self._absolute(value, os.path.dirname(file))  # noqa: PTH120
                    found[Pointer(path)] = None
                    left += [(path, depth + 1)] if depth < _DEEPEST else []
                else:
                    found.update(dict.fromkeys(self._pointed_to(name, value, work)))
        return list(found)

    def _pointed_to(self, name: str, value: str, work: str) -> Iterator[Pointer]:
        section, _, key = name.partition(".")
        is_plain = name in _PLAIN or (section in _PLAIN_SECTIONS and key not in _PROGRAMS_ALL_THE_SAME)
        if not value or is_plain or (section == "alias" and not value.startswith("!")):
            return
        if name in _FOLDERS:
            yield from self._folder(value, work)
            return
        if "/" in value or key.endswith(("file", "path", "dir")):
            yield Pointer(self._absolute(value, work), is_certain=name in _FILES)
        for word, is_program in _words(name, value):
            yield Pointer(self._absolute(word, work), is_certain=is_program)

    def _folder(self, value: str, work: str) -> Iterator[Pointer]:
        path = self._absolute(value.rstrip("/") or "/", work)
        yield Pointer(path, is_folder=True)
        if os.path.basename(path) == "_":  # noqa: PTH119 - husky keeps what the hooks run right above them
            yield Pointer(os.path.dirname(path), is_folder=True)  # noqa: PTH120

    def _absolute(self, value: str, base: str) -> str:
        if value == "~" or value.startswith("~/"):
            return self._home + value[1:]
        return os.path.join(base, value.removeprefix(":(optional)"))  # noqa: PTH118

    def _settings(self, file: str) -> list[Setting]:
        """The settings in a file; none if there is no such file, or it is none."""
        with suppress(OSError):
            descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as opened:
                info = os.fstat(descriptor)
                if not stat.S_ISREG(info.st_mode):
                    return []
                stamp = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
                known = self._known.get(file)
                if known is None or known[0] != stamp:
                    text = os.fsdecode(opened.read(_LARGEST))
                    self._known[file] = known = (stamp, list(settings(text)))
                return known[1]
        return []


def settings(text: str) -> Iterator[Setting]:
    """Read a configuration, passing over what git would stumble at."""
    section, left = "", _MOST_SETTINGS
    for line in _logical_lines(text.removeprefix("\ufeff")):
        rest = line.strip()
        while header := _HEADER.match(rest):
            section, rest = header[1].partition(".")[0].lower(), rest[header.end() :].strip()
        key, equals, value = rest.partition("=")
        if rest and rest[0] not in "#;[" and equals and left > 0:
            left -= 1
            yield f"{section}.{key.strip().lower()}", _unquoted(value.strip())


def _logical_lines(text: str) -> Iterator[str]:
    """Lines, those that a backslash continues as one."""
    whole = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        whole += line
        if len(whole) - len(whole.rstrip("\\")) & 1:
            whole = whole[:-1]
        else:
            yield whole
            whole = ""
    yield whole


def _unquoted(value: str) -> str:
    """A value without its quotation marks, its escapes and the comment after it."""
    told, is_quoted, characters = "", False, iter(value)
    for character in characters:
        if character == "\\":
            following = next(characters, "")
            told += {"n": "\n", "t": "\t", "b": ""}.get(following, following)
        elif character == '"':
            is_quoted = not is_quoted
        elif character in "#;" and not is_quoted:
            break
        else:
            told += character
    return told.rstrip() if not value.endswith('"') else told


def _words(name: str, value: str) -> Iterator[tuple[str, bool]]:
    """The words of a command that may be paths, roughly as a shell takes them; and whether it is the program's."""
    found = [word.strip("\"'").replace("\\", "") for word in _WORDS.findall(value.removeprefix("!"))]
    while found and "=" in found[0].partition("/")[0]:  # a variable for the program
        found.pop(0)
    for number, word in enumerate(found):
        if number == 0:
            if "/" in word:
                yield word, _is_program(name, word)
        else:
            is_script = number == 1 and not word.startswith("-") and _is_interpreter(found[0])
            yield from ((part, is_script) for part in {word, word.rpartition("=")[2]} if part)


def _is_program(name: str, word: str) -> bool:
    """Whether the first word of a value is surely a path to a program, and no other text with a slash in it."""
    is_known = name.partition(".")[0] in _PROGRAM_SECTIONS or name in _PROGRAM_KEYS
    return "://" not in word and (is_known or word.startswith(("./", "../", "~/", "/")))


def _is_interpreter(word: str) -> bool:
    return word.rpartition("/")[2].rstrip("0123456789.") in _INTERPRETERS
