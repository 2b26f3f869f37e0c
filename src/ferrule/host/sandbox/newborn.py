"""A repository that a confined command made: whatever in it would start programs outside is taken out again.

`git init` is an ordinary command, so `.git` is not kept away where it is missing. But whoever stands in the directory
afterwards, if only with a prompt that shows the branch, runs what the new configuration and hooks name.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

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
            text = _read("config", place)
            is_plain = "".join(harmless(text)) == text and not any(
                _is_there(name, place) for name in ("commondir", "config.worktree")
            )
            if is_plain and all(name.endswith(".sample") for name in _names_in("hooks", place)):
                return ()
            return (
                f"{self._place} had become a repository that starts programs. "
                + self._take("HEAD", place, f"{self._place}/HEAD"),
            )
        finally:
            os.close(place)

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
        target = self._keep_in / f"{os.urandom(4).hex()}-{name.lstrip('.')}"
        try:
            os.rename(name, target, src_dir_fd=directory)
        except OSError:  # another file system
            target = Path(f"{path}.taken-{os.urandom(4).hex()}")
            os.rename(name, target.name, src_dir_fd=directory, dst_dir_fd=directory)
        return f"{path} is protected: what the command made there is now {target}."


class Nursery:
    """The directories in which a command may have made repositories, below the places themselves."""

    def __init__(self, works: Callable[[], frozenset[str]], before: frozenset[str], *, keep_in: Path) -> None:
        self._works, self._before, self._keep_in = works, before, keep_in

    def put_right(self) -> tuple[str, ...]:
        """Take out what would start programs of those that are new, and say what that was.

        A `.git` that is a file belongs to a repository elsewhere, which is protected there.
        """
        new = [work for work in sorted(self._works() - self._before) if os.path.isdir(f"{work}/.git")]  # noqa: PTH112
        return tuple(note for work in new for note in Newborn(work, keep_in=self._keep_in).put_right())


def harmless(text: str) -> Iterator[str]:
    """The lines of a configuration that start no program, and nothing that is not plain to see."""
    section = ""
    for line in text.splitlines(keepends=True):
        words = line.strip()
        if words.startswith("["):
            section = words[1:].partition("]")[0].split()[0].split(".")[0].lower() if words.endswith("]") else ""
            if section:
                yield line
        elif not words:
            yield line
        elif not words.endswith("\\"):
            name = words.partition("=")[0].strip().lower()
            if f"{section}.{name}" in _HARMLESS:
                yield line


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
        return file.read(_MOST_TEXT) if stat.S_ISREG(os.fstat(descriptor).st_mode) else "="
