"""What a confined command sees of the disk: a list of mounts, each laid over what its parents show."""

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

Kind = Literal["read", "write", "scratch", "devices", "processes", "empty", "closed", "hidden", "blank"]
"""How something is shown: as it is, to be read or written; as the scratch directory; as `/dev` or `/proc`; as an
empty directory that nobody can write to; as one that nobody can look into; as one that anybody may fill; or as an
empty file."""
_EMPTY: dict[Kind, str] = {"empty": "0555", "closed": "0111", "hidden": "0755"}
"""The permissions of directories that begin with nothing in them, each a little file system of its own."""


class Mount(Struct, frozen=True):
    """One path inside, and what lies there."""

    kind: Kind
    source: str = ""


class Mounts:
    """The mounts by their paths; a later word on the same path replaces an earlier one."""

    def __init__(self, mounts: Iterable[tuple[str, Mount]] = ()) -> None:
        self._mounts = dict(mounts)

    def copy(self) -> "Mounts":
        """The same, to be added to."""
        return Mounts(self._mounts.items())

    def show(self, path: str, kind: Kind, source: str = "") -> None:
        """Lay something over a path."""
        self._mounts[path] = Mount(kind, source or path)

    def over(self, path: str) -> tuple[str, Mount]:
        """The nearest mount at or above a path."""
        while path not in self._mounts:
            path = _above(path)
        return path, self._mounts[path]

    def is_there(self, path: str) -> bool:
        """Whether a path inside is the same as outside."""
        place, mount = self.over(path)
        return mount.kind in {"read", "write"} and mount.source == place

    def lay(self, path: str, kind: Kind, source: str = "") -> None:
        """Show a path as itself, or as something else, so that it stays where it is."""
        self._hold(path)
        self.show(path, kind, source)

    def cover(self, path: str, kind: Kind, *, spare: Iterable[str]) -> None:
        """Show a directory as something else, and nothing of what was laid below it, but for the places to spare."""
        inside = f"{path}/"
        spared = tuple(f"{place}/" for place in spare if place.startswith(inside))
        for below in [one for one in self._mounts if one.startswith(inside)]:
            if not f"{below}/".startswith(spared):
                del self._mounts[below]
        self.lay(path, kind)

    def _hold(self, path: str) -> None:
        """Make the directories above a path immovable, as far as they may be written to.

        Otherwise they could be moved with all that is protected in them, and be made anew.
        """
        place, mount = self.over(_above(path))
        if mount.kind == "write":
            between = path[len(place.rstrip("/")) + 1 :].split("/")[:-1]
            for end in range(1, len(between) + 1):
                self.show(f"{place.rstrip('/')}/{'/'.join(between[:end])}", "write")

    def arguments(self, *, blank: str) -> Iterator[str]:
        """All of it as arguments for bubblewrap, parents first."""
        for path in sorted(self._mounts, key=lambda path: path.split("/") if path != "/" else []):
            match self._mounts[path]:
                case Mount("read", source):
                    yield from ("--ro-bind", source, path)
                case Mount("write" | "scratch", source):
                    yield from ("--bind", source, path)
                case Mount("devices"):
                    yield from ("--dev", path)
                case Mount("processes"):
                    yield from ("--proc", path)
                case Mount("blank"):
                    yield from ("--ro-bind", blank, path)
                case Mount(kind):
                    yield from ("--perms", _EMPTY[kind], "--tmpfs", path)


def _above(path: str) -> str:
    """The directory that something lies in; for absolute paths alone, and asked for so often that it must be quick."""
    return path.rpartition("/")[0] or "/"
