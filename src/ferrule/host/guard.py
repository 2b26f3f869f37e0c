"""Who says which paths may be touched. The file tools ask at the moment of access, with what a path has become."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from ferrule.core.errors import ToolError

Use = Literal["read", "list", "write"]
"""What is done with a path: its content is seen, its name and the names in it are seen, or it is changed."""


class RefusedError(ToolError):
    """A path may not be touched. Nothing else about it is said, not even whether it is there."""


class Guard(Protocol):
    """Says which paths may be touched. Asked from several threads at once."""

    def __call__(self, path: Path, use: Use) -> str | None:
        """Why a path may not be touched, in words that follow on it (`it is …`); None if it may be."""

    def hidden(self, directory: Path) -> Sequence[str]:
        """Paths below a directory, as seen from it, that may certainly not be touched: a search leaves them out."""

    def odd(self, directory: Path, paths: Sequence[str]) -> Sequence[str]:
        """Those of many paths below a directory about which the guard has to be asked one by one.

        All others may be read, if the directory may be and none of them leads through a link.
        """


class Anything:
    """The guard that lets everything be touched."""

    def __call__(self, path: Path, use: Use) -> str | None:
        """Nothing is refused."""
        return None

    def hidden(self, directory: Path) -> Sequence[str]:
        """Nothing is hidden."""
        return ()

    def odd(self, directory: Path, paths: Sequence[str]) -> Sequence[str]:
        """Nothing stands out."""
        return ()
