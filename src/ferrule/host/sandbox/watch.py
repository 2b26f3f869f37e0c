"""Protected names that no mount can hold fast: compared after a command with what they were before it."""

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


class Watch:
    """What was at some paths when a command began: nothing, or a link."""

    def __init__(self, paths: Iterable[str], *, keep_in: Path) -> None:
        before = ((path, _link(path)) for path in paths)
        self._before = {path: link for path, link in before if link != ""}
        self._keep_in = keep_in

    def put_right(self) -> tuple[str, ...]:
        """Make everything as it was, and say what was not. What a command made there is kept, out of the way."""
        changed = [(path, link) for path, link in self._before.items() if _link(path) != link]
        return tuple(self._restore(path, link) for path, link in changed)

    def _restore(self, path: str, link: str | None) -> str:
        words = f"{path} is protected"
        try:
            # The directory may have become a link meanwhile, to where we must not touch anything.
            directory = os.open(os.path.dirname(path), os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)  # noqa: PTH120
            try:
                with suppress(FileNotFoundError):
                    words += f": what the command made there is now {self._take(os.path.basename(path), directory)}"  # noqa: PTH119
                if link is not None:
                    os.symlink(link, os.path.basename(path), dir_fd=directory)  # noqa: PTH119
                    words += f": the link to {link} was restored"
            finally:
                os.close(directory)
        except OSError as error:
            return f"{words}, but what the command did to it could not be undone: {error.strerror}."
        return f"{words}."

    def _take(self, name: str, directory: int) -> str:
        """Move something out of the way, on another file system only to another name."""
        target = self._keep_in / f"{os.urandom(4).hex()}-{name.lstrip('.')}"
        try:
            os.rename(name, target, src_dir_fd=directory)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            beside = f"{name}.taken-{os.urandom(4).hex()}"
            os.rename(name, beside, src_dir_fd=directory, dst_dir_fd=directory)
            return beside
        return str(target)


def _link(path: str) -> str | None:
    """Where a link leads; empty for anything else that is there, None for nothing."""
    try:
        return os.readlink(path)  # noqa: PTH115
    except OSError as error:
        return "" if error.errno == errno.EINVAL else None
