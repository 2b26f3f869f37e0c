"""A repository that a confined command made: whatever in it would start programs outside is taken out again.

`git init` is an ordinary command, so `.git` is not kept away where it is missing. But whoever stands in the directory
afterwards, if only with a prompt that shows the branch, runs what the new configuration and hooks name.
"""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import StringIO
from pathlib import Path

from ferrule.core.regex import lazy
from ferrule.host.sandbox.protect import Standing
from ferrule.host.sandbox.repositories import common_directory, git_directory

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_TEXT = 1_000_000
_HARMLESS = frozenset(
    """
    core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.symlinks
    core.precomposeunicode core.autocrlf core.eol core.safecrlf core.quotepath core.abbrev core.sharedrepository
    user.name user.email init.defaultbranch extensions.objectformat extensions.refstorage
    remote.url remote.fetch remote.pushurl remote.tagopt remote.prune remote.mirror
    branch.remote branch.merge branch.rebase branch.description pull.rebase pull.ff push.default submodule.url
    submodule.active
    """.split()  # noqa: SIM905 - words read better as words
)
"""What a new configuration may say, by section and name, whatever the part in quotation marks."""
_HEADER = lazy(r'\[([A-Za-z0-9-]+)(?:\.[^\]"\\]*)?(?:\s+"[^"\\]*")?\s*\]')
"""The head of a section with nothing behind it: what stands there on the same line counts for git."""
_WORK_TREE = "core.worktree"
_QUOTING = frozenset('"\\#;')


class Newborn:
    """A place that had no repository when a command began."""

    def __init__(self, place: str, *, keep_in: Path) -> None:
        self._place, self._keep_in = place, keep_in

    def put_right(self) -> tuple[str, ...]:
        """Take out what would start programs, if there is a repository by now, and say what that was."""
        path = f"{self._place}/.git"
        try:
            directory = os.open(path, _DIRECTORY)
        except FileNotFoundError:
            return ()
        except OSError:  # a pointer to anywhere
            place = os.open(self._place, _DIRECTORY)
            try:
                return (self._take(".git", place, path),)
            finally:
                os.close(place)
        try:
            return tuple(self._clean(directory, path))
        finally:
            os.close(directory)

    def put_right_bare(self) -> tuple[str, ...]:
        """Make the place itself no repository, if what is in it would start programs, and say so.

        Only `HEAD` is taken: other files there may have been the project's own all along.
        """
        place = os.open(self._place, _DIRECTORY)
        try:
            if _is_plain(place):
                return ()
            return (
                f"{self._place} had become a repository that starts programs. "
                + self._take("HEAD", place, f"{self._place}/HEAD"),
            )
        finally:
            os.close(place)

    def put_right_pointer(self, standings: Sequence[Standing]) -> tuple[str, ...]:
        """Take away a `.git` file that leads to where programs would be started, if the command made that place.

        What was a git directory before it, or lies where it cannot write, is protected or none of its doing.
        """
        directory = git_directory(self._place)
        is_new = not any(directory in (*one.firm, *one.frozen) for one in standings)
        is_writable = any(directory.startswith(f"{path.rstrip('/')}/") for one in standings for path in one.open)
        if not (directory and is_new and is_writable) or self._is_harmless(directory, standings):
            return ()
        place = os.open(self._place, _DIRECTORY)
        try:
            return (self._take(".git", place, f"{self._place}/.git"),)
        finally:
            os.close(place)

    def _is_harmless(self, directory: str, standings: Sequence[Standing]) -> bool:
        """Whether a new git directory is that of a further working tree of a repository here, or plain."""
        common = common_directory(directory)
        descriptor = os.open(directory, _DIRECTORY)
        try:
            if common == directory:
                return _is_plain(descriptor, work=self._place, path=directory)
            is_known = any(common in (*one.firm, *one.frozen) for one in standings)
            return is_known and not _is_there("config.worktree", descriptor)
        finally:
            os.close(descriptor)

    def _clean(self, directory: int, path: str) -> Iterator[str]:
        for name in ("commondir", "config.worktree"):
            if _is_there(name, directory):
                yield self._take(name, directory, f"{path}/{name}")
        if any(not name.endswith(".sample") for name in _names_in("hooks", directory)):
            yield self._take("hooks", directory, f"{path}/hooks")
        text = _read("config", directory)
        kept = "".join(harmless(text))
        if kept != text:
            yield (
                self._take("config", directory, f"{path}/config")
                + " Of its lines those that start no program are left."
            )
            descriptor = os.open("config", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=directory)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(kept)

    def _take(self, name: str, directory: int, path: str) -> str:
        _open_up(directory)
        target = self._keep_in / f"{os.urandom(4).hex()}-{name.lstrip('.')}"
        try:
            os.rename(name, target, src_dir_fd=directory)
        except OSError:  # another file system
            target = Path(f"{path}.taken-{os.urandom(4).hex()}")
            os.rename(name, target.name, src_dir_fd=directory, dst_dir_fd=directory)
        return f"{path} is protected: what the command made there is now {target}."


class Nursery:
    """The directories in which a command may have made repositories, below the places themselves."""

    def __init__(
        self,
        works: Callable[[], frozenset[str]],
        before: frozenset[str],
        *,
        standings: Sequence[Standing],
        keep_in: Path,
    ) -> None:
        self._works, self._before, self._standings, self._keep_in = works, before, standings, keep_in

    def put_right(self) -> tuple[str, ...]:
        """Take out what would start programs of those that are new, and say what that was."""
        new = sorted(self._works() - self._before)
        return tuple(note for work in new for note in attempt(partial(self._look_at, work)))

    def _look_at(self, work: str) -> tuple[str, ...]:
        newborn = Newborn(work, keep_in=self._keep_in)
        if os.path.isdir(f"{work}/.git"):  # noqa: PTH112
            return newborn.put_right()
        if os.path.lexists(f"{work}/.git"):
            return newborn.put_right_pointer(self._standings)
        return newborn.put_right_bare()


def attempt(put_right: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """Put one thing right. If that cannot be done it is said, for the rest is to be put right all the same."""
    try:
        return put_right()
    except FileNotFoundError:
        return ()
    except OSError as error:
        return (f"What the command made could not be looked through: {error.filename}: {error.strerror}.",)


def harmless(text: str, *, work_tree: Callable[[str], bool] = lambda _: False) -> Iterator[str]:
    """The lines of a configuration that start no program, and nothing that is not plain to see.

    Which working tree it may name is for `work_tree` to say.
    """
    section = ""
    for line in StringIO(text, newline="\n"):
        words = line.strip()
        if words.startswith("["):
            header = _HEADER.fullmatch(words)
            section = header[1].lower() if header else ""
            if section:
                yield line
        elif not words:
            yield line
        elif not words.endswith("\\"):
            name, _, value = words.partition("=")
            key = f"{section}.{name.strip().lower()}"
            if key in _HARMLESS or (key == _WORK_TREE and work_tree(value.strip())):
                yield line


def _is_plain(directory: int, *, work: str = "", path: str = "") -> bool:
    """Whether nothing in a git directory starts programs."""

    def is_work(value: str) -> bool:
        return not _QUOTING.intersection(value) and os.path.realpath(f"{path}/{value}") == work

    text = _read("config", directory)
    return (
        "".join(harmless(text, work_tree=is_work)) == text
        and not any(_is_there(name, directory) for name in ("commondir", "config.worktree"))
        and all(name.endswith(".sample") for name in _names_in("hooks", directory))
    )


def _open_up(directory: int) -> None:
    """Let its owner write to a directory again: a command may have closed it, so that nothing is taken out of it."""
    mode = stat.S_IMODE(os.fstat(directory).st_mode)
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        with suppress(OSError):
            os.fchmod(directory, mode | stat.S_IRWXU)


def _is_there(name: str, directory: int) -> bool:
    with suppress(OSError):
        os.stat(name, dir_fd=directory, follow_symlinks=False)
        return True
    return False


def _names_in(name: str, directory: int) -> list[str]:
    """The names in a directory; a link counts as one that is full of hooks."""
    try:
        descriptor = os.open(name, _DIRECTORY, dir_fd=directory)
    except FileNotFoundError:
        return []
    except OSError:
        return [name]
    try:
        return os.listdir(descriptor)  # noqa: PTH208 - it is no path
    finally:
        os.close(descriptor)


def _read(name: str, directory: int) -> str:
    """The text of a file; of anything that is none, something that will not do."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except FileNotFoundError:
        return ""
    except OSError:
        return "="
    with os.fdopen(descriptor, encoding="utf-8", errors="surrogateescape", newline="") as file:
        info = os.fstat(descriptor)
        return file.read(_MOST_TEXT) if stat.S_ISREG(info.st_mode) and info.st_size <= _MOST_TEXT else "="
