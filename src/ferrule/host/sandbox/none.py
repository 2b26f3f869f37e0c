"""No sandbox: commands run as they are, because the user wants it so or because a container confines all of Ferrule."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ferrule.host.sandbox.profile import Backend, Launch, Leave


class Unconfined(Struct, frozen=True):
    """Starts commands as they are."""

    name: Backend = "off"

    def confine(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path, leave: Leave) -> Launch:
        """Give back the command as it is."""
        return Launch(argv=tuple(argv), environment=dict(environment), cwd=cwd)

    def outer(self, path: Path) -> Path:
        """Every directory lies where the command says."""
        return path

    def inner(self, path: Path) -> Path:
        """Every directory has the same name inside."""
        return path
