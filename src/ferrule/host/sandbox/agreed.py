"""What all commands that run in one project at the same time agree to protect.

Mounts are made by path. A confined command that goes on in the background could swap a directory for a link just
when the next command's sandbox is set up, and so have another place laid open: so nothing may be mounted that the
commands already running can swap. What to protect is looked up while none is running; until that is so again, all
later ones protect the very same, and hold it fast.
"""

import hashlib
import marshal
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec.structs import astuple

from ferrule.core.errors import ToolError
from ferrule.host.sandbox.protect import Standing
from ferrule.host.sandbox.stubs import hold, place, share, tidy


class Share:
    """One command's part in the agreement, and the lock that goes with it until that is given away."""

    def __init__(self, lock: int, standings: list[Standing]) -> None:
        self.standings = standings
        self._lock: int | None = lock

    def give_away(self) -> int | None:
        """Leave the lock to whoever watches the command."""
        lock, self._lock = self._lock, None
        return lock

    def close(self) -> None:
        """Let go of the lock, if it is still here."""
        if self._lock is not None:
            tidy(self._lock)
            os.close(self._lock)


class Agreed:
    """The agreement of one project, between all Ferrules that work in it."""

    def __init__(self, state: Path, places: Sequence[str]) -> None:
        """Find it, and take away what a session left that came to a sudden end. The first place names the project.

        Raises:
            OSError: the files for it cannot be made.
        """
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._places, self._file = places, _file(state, places[0], "standing")
        self._lock_file = os.fsencode(_file(state, places[0], "lock"))
        self.tidy()

    def tidy(self) -> None:
        """Take away the place-holders if no command needs them; the monitors do, unless they never got to it."""
        lock = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        tidy(lock)
        os.close(lock)

    @contextmanager
    def share(self, look: Callable[[str], Standing]) -> Iterator[Share]:
        """Join in: with what `look` finds in each place if nobody else is there, else with what was agreed.

        Raises:
            ToolError: there can be no agreement, so nothing may run.
        """
        try:
            lock, is_alone = hold(self._lock_file)
            part = Share(lock, [])
            try:
                part.standings = self._settle(look) if is_alone else self._known(look)
                share(lock)
                for standing in part.standings:
                    standing.missing = place(lock, standing.missing)
                yield part
            finally:
                part.close()
        except OSError as error:
            raise ToolError(f"The command could not be confined: {self._file}: {error.strerror}.") from error

    def _settle(self, look: Callable[[str], Standing]) -> list[Standing]:
        standings = {place: look(place) for place in self._places}
        text = marshal.dumps({place: astuple(standing) for place, standing in standings.items()})
        if not self._file.exists() or self._file.read_bytes() != text:
            self._file.write_bytes(text)
        return list(standings.values())

    def _known(self, look: Callable[[str], Standing]) -> list[Standing]:
        try:
            agreed = marshal.loads(self._file.read_bytes())  # noqa: S302 - nobody else can write it
        except (FileNotFoundError, ValueError, EOFError, TypeError):
            agreed = {}
        standings = [Standing(*agreed[place]) if place in agreed else look(place) for place in self._places]
        for standing in standings:  # the user may have removed something meanwhile
            standing.firm = [path for path in standing.firm if os.path.isdir(path)]  # noqa: PTH112
            standing.frozen = [path for path in standing.frozen if os.path.lexists(path)]
        return standings


def tidy_up(state: Path, place: str) -> None:
    """Take away what a session left in a place that was killed with all its helpers, be there another command or not.

    Where the list of place-holders is empty, as nearly always, this takes one look at it.
    """
    with suppress(OSError):
        if _file(state, place, "lock").stat().st_size:
            Agreed(state, [place])


def _file(state: Path, place: str, kind: str) -> Path:
    return state / f"{hashlib.sha256(os.fsencode(place)).hexdigest()[:24]}.{kind}"
