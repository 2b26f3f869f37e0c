"""A sandbox that is looked for when it is first needed: a session without commands never pays for it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ferrule.host.sandbox.profile import Backend, Launch, Leave, Sandbox


class Deferred:
    """Stands for the sandbox that `find` will find."""

    def __init__(self, find: Callable[[], Sandbox]) -> None:
        self._find = find
        self._found: Sandbox | None = None

    @property
    def found(self) -> Sandbox:
        """The sandbox itself."""
        if self._found is None:
            self._found = self._find()
        return self._found

    @property
    def name(self) -> Backend:
        """What people are told about it."""
        return self.found.name

    def confine(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path, leave: Leave) -> Launch:
        """Make a command line one that is confined.

        Raises:
            ToolError: it cannot be confined, so it must not run.
        """
        return self.found.confine(argv, environment, cwd, leave)

    def outer(self, path: Path) -> Path:
        """Where a directory that a confined command speaks of lies for the rest of the machine."""
        return self.found.outer(path)

    def inner(self, path: Path) -> Path:
        """What a confined command calls a directory of the machine."""
        return self.found.inner(path)
