"""What confined commands may touch: fixed for a session, with the little that one command may have beyond it."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import field

from ferrule.config.protected import PROTECTED_NAMES
from ferrule.core.errors import ToolError
from ferrule.core.messages import Value

Backend = Literal["bubblewrap", "landlock", "seatbelt", "external", "off"]
Choice = Literal["auto", "bubblewrap", "landlock", "seatbelt", "external", "off"]


class UnseenError(ToolError):
    """A command cannot start in a directory that does not exist for it; nothing was run."""


class Protected(Value, frozen=True, kw_only=True):
    """Names that stay as they are although what they lie in may be written; matched without regard to case.

    A name that ends in `/` is a directory, with all that is in it.
    """

    project: tuple[str, ...] = PROTECTED_NAMES
    """In every writable place, and in the working tree of every repository nested in one."""
    git: tuple[str, ...] = ("hooks/", "config", "config.worktree", "commondir")
    """In every git directory, those of submodules and of worktrees too."""
    depth: int = 3
    """How many directories down repositories are looked for."""


class Profile(Value, frozen=True, kw_only=True):
    """What every command of a session may touch. All paths are absolute and resolved."""

    root: Path
    """The project."""
    writable: tuple[Path, ...]
    """The project and the directories added to it; all of them exist."""
    private: Path
    """What Ferrule and the shells of the session exchange. Commands can read it; of its files each can write one."""
    scratch: Path
    """A directory of the session alone, which is also `/tmp` inside; it lasts from one command to the next."""
    state: Path
    """A directory of Ferrule, one for all its sessions, in which the sandbox keeps its own; out of commands' reach."""
    masked: tuple[Path, ...] = ()
    """Files and directories that cannot be read."""
    readable: tuple[Path, ...] = ()
    """What can be read even so, such as the session's long outputs."""
    protected: Protected = Protected()


class Leave(Value, frozen=True, kw_only=True):
    """What one command may have beyond the profile."""

    network: bool = False
    """All of the network."""
    hosts: tuple[str, ...] = ()
    """These hosts and no others."""
    writable: tuple[Path, ...] = ()
    """More files and directories to write to; they exist."""
    outside: bool = False
    """Not confined at all."""
    safe_git: bool = False
    """It was judged to change nothing, so git starts none of the programs that a repository names."""


class Way(Value, frozen=True, kw_only=True):
    """How a command that has no network reaches the hosts that it has leave for."""

    prefix: tuple[str, ...] = ()
    """What comes before its arguments, inside."""
    environment: dict[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()
    """One for the prefix, and one to be held until its last process is gone; both are given away."""
    finish: Callable[[], tuple[str, ...]] = tuple
    """What to say when the command ended: which hosts were refused."""


OpenWay = Callable[[tuple[str, ...], int], Way]
"""Opens a way to hosts, given the number that the prefix's descriptor will have inside."""


class Finish(Protocol):
    """Puts right what a command changed though it must not be."""

    def __call__(self, *, is_over: bool) -> tuple[str, ...]:
        """Do so when the command ended, and when its last process did, which may be at once; say what was changed."""


def _nothing(*, is_over: bool) -> tuple[str, ...]:  # noqa: ARG001 - it is a `Finish`
    return ()


class Launch(Value, frozen=True, kw_only=True):
    """How a confined command is started: what the keeper is asked for.

    The descriptors in it are given away with it: whoever starts the command closes them once they are passed on.
    """

    argv: tuple[str, ...]
    environment: dict[str, str]
    cwd: Path
    """Where the keeper stands when it starts `argv`."""
    shut: bool = False
    """Whether it is started in the session's own network, which leads nowhere (see `loopback.py`)."""
    texts: tuple[bytes, ...] = ()
    """What `argv` finds to read at the descriptors 3, 4, …, one text each."""
    descriptors: tuple[int, ...] = ()
    """Descriptors of ours that `argv` finds after those."""
    lock: int | None = None
    """A descriptor that the keeper holds until nobody of the command's tree is left."""
    rules: bytes = b""
    """What the keeper's child lays upon itself before it becomes `argv`, in the words of `landlock.py`."""
    finish: Finish = _nothing

    @property
    def open_descriptors(self) -> list[int]:
        """All the descriptors in it, the lock last."""
        return [*self.descriptors, *(() if self.lock is None else (self.lock,))]

    def discard(self) -> None:
        """Take back what was made ready for a command that does not start after all."""
        for descriptor in self.open_descriptors:
            os.close(descriptor)
        self.finish(is_over=True)


class Sandbox(Protocol):
    """One way to confine commands."""

    @property
    def name(self) -> Backend:
        """What people are told about it."""

    def confine(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path, leave: Leave) -> Launch:
        """Make a command line one that is confined, and note what must stay as it is while it runs.

        Raises:
            ToolError: it cannot be confined, so it must not run.
        """

    def outer(self, path: Path) -> Path:
        """Where a directory that a confined command speaks of lies for the rest of the machine."""

    def inner(self, path: Path) -> Path:
        """What a confined command calls a directory of the machine."""
