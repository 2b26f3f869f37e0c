"""Whether a repository's own settings make git start programs, found out without starting git.

`git status` in a hostile repository runs what its configuration names. So the file is read here, and whatever is
not known to be harmless counts as a program.
"""

import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_LARGEST = 1 << 20
_LARGEST_INDEX = 64 << 20
_INNER = b"\x00\x00\xe0\x00"
"""The mode of a repository inside another, as the index writes it. By chance other bytes look so too: no harm."""
_BLANKS = str.maketrans("\n\t", "  ")
_MOST_FOLDERS = 5_000
_DEEPEST = 4
_NO_REPOSITORIES = frozenset({"objects", "node_modules", ".venv", "refs", "logs"})
_ANY = "*"
_TABLE = """
core         repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol
core         safecrlf untrackedcache quotepath abbrev compression bigfilethreshold preloadindex fscache longpaths
core         sharedrepository whitespace trustctime checkstat commitgraph multipackindex protecthfs protectntfs
core         hidedotfiles sparsecheckout sparsecheckoutcone deltabasecachelimit packedgitlimit
remote       url fetch pushurl push prune prunetags tagopt mirror skipdefaultupdate promisor partialclonefilter
remote       gh-resolved
branch       *
user         name email signingkey useconfigonly
submodule    url active branch recurse fetchjobs ignore fetchrecursesubmodules shallow
extensions   objectformat partialclone preciousobjects noop refstorage
lfs          repositoryformatversion url locksverify
diff         algorithm renames renamelimit mnemonicprefix noprefix colormoved context submodule
merge        conflictstyle ff renames renamelimit stat log verbosity
log          date decorate abbrevcommit follow
status       short branch showuntrackedfiles submodulesummary
init         *
push         *
pull         *
fetch        *
rebase       *
color        *
column       *
pack         *
gc           *
index        *
feature      *
maintenance  *
advice       *
receive      *
transfer     *
checkout     *
worktree     *
rerere       *
stash        *
i18n         *
apply        *
"""
"""Sections and the keys in them that start nothing, in lower case; a star is every key."""
_HARMLESS = frozenset((line.split()[0], key) for line in _TABLE.strip().splitlines() for key in line.split()[1:])
_GIT_LFS = frozenset({"git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs filter-process", "true"})
"""What git-lfs itself writes: a program of the machine, not of the repository."""


def git_runs_programs(directory: str) -> bool:
    """Whether git, run in a directory, might start a program that the repository names."""
    try:
        return any(_is_steered(config) for config in _configs(Path(directory).resolve()))
    except (OSError, ValueError):
        return True


def _configs(directory: Path) -> Iterator[Path]:
    """The configuration files that git might obey in a directory.

    Git looks upwards for a repository, and goes on where one is not whole; so all that it could meet are looked at.
    """
    for place in (directory, *directory.parents):
        dot = place / ".git"
        if os.path.lexists(dot):
            for home in _homes(dot):
                yield from (home / "config", home / "config.worktree")
                if _has_inner(home / "index"):
                    yield from _inner(place, home)
        if os.path.lexists(place / "HEAD"):
            yield place / "config"  # a bare repository, which git takes as it finds it


def _homes(dot: Path) -> Iterator[Path]:
    """The git directory that a `.git` leads to, and the one that it shares with others."""
    if dot.is_file():
        pointer = _text(dot).rstrip("\r\n")
        if not pointer.startswith("gitdir: "):
            raise ValueError(pointer)
        dot = dot.parent / pointer.removeprefix("gitdir: ")
    yield dot
    if os.path.lexists(dot / "commondir"):
        yield dot / _text(dot / "commondir").rstrip("\r\n")


def _has_inner(index: Path) -> bool:
    """Whether a repository holds others, into which git goes with their own settings."""
    try:
        info = index.stat()
    except FileNotFoundError:
        return False
    return _names_inner(index, info.st_mtime_ns, info.st_size, info.st_ino)


@lru_cache(64)
def _names_inner(index: Path, _changed: int, size: int, _inode: int) -> bool:
    if size > _LARGEST_INDEX:
        return True
    return _INNER in _bytes(index, _LARGEST_INDEX)


def _inner(place: Path, home: Path) -> Iterator[Path]:
    """The settings of the repositories inside one: those kept in its git directory, and those in its tree."""
    found = 0
    for top, is_tree in ((home / "modules", False), (place, True)):
        for folder, folders, files in os.walk(top):
            found += 1
            if found > _MOST_FOLDERS:
                raise ValueError(folder)
            here, depth = Path(folder), len(Path(folder).relative_to(top).parts)
            if is_tree and depth and (".git" in folders or ".git" in files):
                yield from (one / "config" for one in _homes(here / ".git"))
            elif not is_tree and "config" in files:
                yield here / "config"
            folders[:] = [] if depth >= _DEEPEST else [one for one in folders if one not in _NO_REPOSITORIES]


def _is_steered(path: Path) -> bool:
    try:
        info = path.stat()
    except FileNotFoundError:
        return False
    return _names_programs(path, info.st_mtime_ns, info.st_size, info.st_ino)


@lru_cache(256)
def _names_programs(path: Path, _changed: int, _size: int, _inode: int) -> bool:
    return any(not _is_harmless(*setting) for setting in _settings(_text(path)))


def _is_harmless(section: str, name: str, key: str, value: str) -> bool:
    if section == "filter" and name == "lfs":
        return value in _GIT_LFS
    if "!" in value[:2] or (section in {"diff", "merge"} and name):
        return False
    return (section, key) in _HARMLESS or (section, _ANY) in _HARMLESS


def _settings(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Section, name of the section, key and value of each setting. A line that is none of these raises ValueError."""
    section = name = ""
    if "\\" in text or not text.translate(_BLANKS).isprintable():  # what git makes of that is a science of its own
        raise ValueError(text)
    for line in text.split("\n"):
        stripped = line.strip()
        while stripped.startswith("["):
            inside, bracket, stripped = stripped[1:].partition("]")
            if not bracket:
                raise ValueError(line)
            section, _, name = inside.partition(" ")
            section, dot, old = section.strip().lower().partition(".")
            name = old if dot else name.strip().strip('"')
            stripped = stripped.strip()
        if not stripped or stripped[0] in "#;":
            continue
        key, _, value = stripped.partition("=")
        yield section, name, key.strip().lower(), value.strip()


def _text(path: Path) -> str:
    """A small regular file as text."""
    return _bytes(path, _LARGEST).decode("utf-8", "replace")


def _bytes(path: Path, most: int) -> bytes:
    """A regular file that is not too large; a pipe is not waited for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        if info.st_size > most or not stat.S_ISREG(info.st_mode):
            raise ValueError(path)
        return file.read(most)
