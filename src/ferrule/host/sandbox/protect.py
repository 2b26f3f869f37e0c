"""What must stay as it is inside the places that commands may write to, found anew for each command."""

import os
from collections.abc import Iterable
from contextlib import suppress

from msgspec import Struct, field

from ferrule.host.sandbox.gitwords import Configurations, Pointer
from ferrule.host.sandbox.profile import Protected
from ferrule.host.sandbox.repositories import (
    Repositories,
    Repository,
    common_directory,
    is_confirmed,
    modules,
    pointed_to,
    worktrees,
)
from ferrule.host.sandbox.stubs import Stub

_SILENT = {"commondir": b".\n", "config": b"\n", "config.worktree": b"\n"}
"""Files of a git directory that say nothing. A `commondir` of its own keeps git where it is."""
_PERSONAL = frozenset(
    """
    .gitconfig .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin
    .zlogout .kshrc .cshrc .tcshrc .inputrc .pam_environment .xprofile .xinitrc .xsession .pythonrc .pythonrc.py
    .pythonstartup .exrc .nvim.lua
    """.split()  # noqa: SIM905 - words read better as words
)
"""What programs obey in a home directory, and nowhere else of their own accord."""
_MOST_DIRECTORIES = 24
"""Git directories that are protected name by name; more of them are closed as a whole, or every command would wait."""
_MOST_POINTERS = 200
_MOST_LINKS = 40
_HOOKS = """
    applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
    pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
    reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman
    post-index-change
    """.split()  # noqa: SIM905 - words read better as words


class Standing(Struct):
    """What is to stay in one place, and how: each path is absolute, and resolved but for its last name."""

    open: list[str] = field(default_factory=list)
    """Where commands may write: the place itself, and the git directory of a worktree that is elsewhere."""
    firm: list[str] = field(default_factory=list)
    """Directories that can be written to, but neither moved nor removed."""
    frozen: list[str] = field(default_factory=list)
    """What is there and cannot be changed."""
    missing: list[Stub] = field(default_factory=list)
    """What is not there and cannot be made, with what may stand in for it."""
    watched: list[str] = field(default_factory=list)
    """What cannot be held fast: it is looked at when the command ended."""
    ignored: str = ""
    """The file in which git is told what to ignore in the place, and there alone; empty if there is none."""

    @property
    def kept_away(self) -> list[str]:
        """The names right in the place for which something stands in."""
        paths = (os.fsdecode(path) for path, _ in self.missing)
        return [os.path.basename(path) for path in paths if os.path.dirname(path) == self.open[0]]  # noqa: PTH119, PTH120


class Survey:
    """Looks after the protected names of a session's writable places."""

    def __init__(self, protected: Protected, *, home: str) -> None:
        self._protected, self._home = protected, home
        self._repositories: dict[str, Repositories] = {}
        self._configurations = Configurations(home=home)

    def works(self, *, anew: bool = False) -> frozenset[str]:
        """Where there are repositories, in all places that were looked at."""
        return frozenset(work for one in self._repositories.values() for work in one.works(anew=anew))

    def look(self, place: str) -> Standing:
        """Say what must stay as it is in a place. A file that may be written holds nothing to protect."""
        standing = Standing([place])
        if not os.path.isdir(place):  # noqa: PTH112
            return standing
        self._look_at_names(standing, place, is_place=True)
        room = _MOST_DIRECTORIES
        known = self._repositories.setdefault(place, Repositories(place, depth=self._protected.depth))
        for repository in known.look():
            if repository.work != place:
                self._look_at_names(standing, repository.work, is_place=False)
            room = self._look_at_repository(standing, repository, room, is_place=repository.work == place)
            self._look_at_settings(standing, repository)
        return standing

    def _look_at_names(self, standing: Standing, directory: str, *, is_place: bool) -> None:
        """Protect what projects and people keep in a directory.

        What is missing is kept away only in the places themselves, and where it would matter: each such name appears
        there for as long as a command runs, which everybody sees. Elsewhere it is taken away again afterwards.
        """
        present, is_home = _hidden(directory), directory == self._home
        for name in (name.rstrip("/") for name in self._protected.project):
            found = _find(directory, name, present)
            for path in found:
                _freeze(standing, path)
            if not found and is_place and "/" not in name and (is_home or name not in _PERSONAL):
                standing.missing.append((os.fsencode(f"{directory}/{name}"), b""))
            elif not found:
                standing.watched.append(f"{directory}/{name}")

    def _look_at_repository(self, standing: Standing, repository: Repository, room: int, *, is_place: bool) -> int:
        """Protect what steers git, in all git directories that belong to a repository; give what room is left."""
        pointer = f"{repository.work}/.git"
        if os.path.islink(pointer) or os.path.isfile(pointer):  # noqa: PTH113, PTH114
            _freeze(standing, pointer)
        if not repository.directory:
            return room
        common = common_directory(repository.directory)
        if is_place and not _within(common, standing.open) and is_confirmed(repository):
            standing.open.append(common)
        if is_place and _within(common, standing.open) and _is_plain(f"{common}/info/exclude"):
            standing.ignored = f"{common}/info/exclude"
        own = {repository.directory, common, *modules(common)}
        for directory in [*own, *worktrees(common)]:
            if not _within(directory, standing.open) or directory in standing.firm:
                continue
            if not os.path.isdir(directory):  # noqa: PTH112 - a pointer that leads nowhere: nobody shall make it lead there
                _hold(standing, Pointer(directory, is_folder=True))
                continue
            room -= 1
            if room < 0 or (directory not in own and not _is_worked_in(directory, standing.open)):
                standing.frozen.append(directory)
            else:
                self._look_at_git(standing, directory)
        return room

    def _look_at_settings(self, standing: Standing, repository: Repository) -> None:
        """Protect the files in the place that a repository's settings, or the user's own, have git obey or run."""
        directories = dict.fromkeys((repository.directory, common_directory(repository.directory)))
        files = [
            f"{directory}/{name}" for directory in directories if directory for name in ("config", "config.worktree")
        ]
        files += (f"{self._home}/{name}" for name in (".gitconfig", ".config/git/config"))
        for pointer in self._configurations.pointers(files, repository.work)[:_MOST_POINTERS]:
            _hold(standing, pointer)

    def _look_at_git(self, standing: Standing, directory: str) -> None:
        standing.firm.append(directory)
        for name in self._protected.git:
            path = f"{directory}/{name.rstrip('/')}"
            if os.path.lexists(path):
                _freeze(standing, path)
                if name == "hooks/":
                    _hold_linked(standing, path)
            else:
                standing.missing.append((os.fsencode(path), b"" if name.endswith("/") else _SILENT.get(name, b"\n")))


def _hidden(directory: str) -> dict[str, list[str]]:
    """The names in a directory that begin with a dot, by how they read without regard to case."""
    found: dict[str, list[str]] = {}
    try:
        names = os.listdir(directory)  # noqa: PTH208 - only names
    except OSError:
        return found
    for name in names:
        if name.startswith("."):
            found.setdefault(name.casefold(), []).append(name)
    return found


def _find(directory: str, name: str, present: dict[str, list[str]]) -> list[str]:
    """The paths to a protected name, in whichever case it is written."""
    first, _, rest = name.partition("/")
    paths = [f"{directory}/{one}" for one in present.get(first.casefold(), ())]
    return [path for path in (f"{path}/{rest}" for path in paths) if os.path.lexists(path)] if rest else paths


def _freeze(standing: Standing, path: str) -> None:
    """Freeze what is there. A link itself can only be watched; what it leads to is frozen."""
    if not os.path.islink(path):  # noqa: PTH114
        standing.frozen.append(path)
        return
    standing.watched.append(path)
    target = os.path.realpath(path)
    if not _within(target, standing.open):
        return
    if os.path.lexists(target):
        standing.frozen.append(target)
    elif os.path.isdir(os.path.dirname(target)):  # noqa: PTH112, PTH120
        standing.missing.append((os.fsencode(target), b""))


def _hold(standing: Standing, pointer: Pointer) -> None:
    """Protect what a setting points to, if it lies where commands may write; links on the way to it are watched."""
    if "\0" in pointer.path:
        return
    links, path = _follow(pointer.path)
    if not pointer.is_certain and not os.path.isfile(path):  # noqa: PTH113
        return
    standing.watched += (link for link in links if _within(link, standing.open) and link not in standing.watched)
    if not _within(path, standing.open) or path in standing.frozen:
        return
    if not os.path.lexists(path):
        _keep_away(standing, path, b"" if pointer.is_folder else b"\n")
    elif not os.path.isdir(path):  # noqa: PTH112
        standing.frozen.append(path)
    elif pointer.is_folder and any(_within(one, [path]) for one in (*standing.open, *standing.firm)):
        for name in _HOOKS:  # the directory is also one to work in
            _hold(standing, Pointer(f"{path}/{name}"))
    elif pointer.is_folder:
        standing.frozen.append(path)
        _hold_linked(standing, path)


def _hold_linked(standing: Standing, folder: str) -> None:
    """Protect the scripts to which links in a directory of hooks lead."""
    with suppress(OSError), os.scandir(folder) as entries:
        for link in [entry.path for entry in entries if entry.is_symlink()][:_MOST_LINKS]:
            _hold(standing, Pointer(link))


def _keep_away(standing: Standing, path: str, text: bytes) -> None:
    """Keep something from being made, by the first name on the way to it that is missing."""
    above = os.path.dirname(path)  # noqa: PTH120
    while not os.path.lexists(above):
        path, above, text = above, os.path.dirname(above), b""  # noqa: PTH120
    stub = (os.fsencode(path), text)
    if os.path.isdir(above) and stub[0] not in (known for known, _ in standing.missing):  # noqa: PTH112
        standing.missing.append(stub)


def _follow(path: str) -> tuple[list[str], str]:
    """Walk along a path, and give the links on the way and where it ends, be there something or not."""
    links: list[str] = []
    left, here = path.split("/")[::-1], "/"
    while left:
        name = left.pop()
        if name in {"", "."}:
            continue
        if name == "..":
            here = os.path.dirname(here)  # noqa: PTH120
            continue
        here = f"{here.rstrip('/')}/{name}"
        if len(links) < _MOST_LINKS and os.path.islink(here):  # noqa: PTH114
            links.append(here)
            left += os.readlink(here).split("/")[::-1]  # noqa: PTH115
            here = "/" if os.readlink(here).startswith("/") else os.path.dirname(here)  # noqa: PTH115, PTH120
    return links, here


def _is_worked_in(directory: str, places: Iterable[str]) -> bool:
    """Whether the working tree of a worktree's git directory lies where commands may write."""
    pointer = pointed_to(f"{directory}/gitdir")
    return bool(pointer) and _within(pointer, places)


def _is_plain(path: str) -> bool:
    """Whether a path is a file, and no link on the way leads somewhere else."""
    return os.path.isfile(path) and os.path.realpath(path) == path  # noqa: PTH113


def _within(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in places)
