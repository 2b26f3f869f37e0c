"""The policy's words become the sandbox's: where commands run, and what each of them may have beyond that."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ferrule.config.paths import config_home, home, runtime_home, state_home
from ferrule.config.schema import UNASKED, Safety
from ferrule.core.errors import UsageError
from ferrule.core.events import PermissionAsked
from ferrule.core.messages import ToolCall
from ferrule.core.permission import Asker
from ferrule.core.tool import Effect
from ferrule.host.sandbox.agreed import tidy_up
from ferrule.host.sandbox.broker import Broker
from ferrule.host.sandbox.deferred import Deferred
from ferrule.host.sandbox.find import Found, find
from ferrule.host.sandbox.profile import Leave, Profile, Way
from ferrule.policy.judge import Policy
from ferrule.policy.paths import Places
from ferrule.session.files import make_private, reason

EVERYTHING = "*"


class Confinement:
    """What confines the commands of one session."""

    def __init__(self, safety: Safety, places: Places, *, outputs: Path) -> None:
        self._safety, self._places = safety, places
        self._outputs = outputs
        self._found: Found | None = None
        self._outside: set[str] = set()
        self._broker: Broker | None = None
        self.sandbox = Deferred(lambda: self.found.sandbox)
        tidy_up(state_home() / "sandbox", os.path.realpath(places.root))

    @property
    def found(self) -> Found:
        """The sandbox, and how it was chosen."""
        if self._found is None:
            path = os.environ.get("PATH", "")
            self._found = find(self._safety.sandbox, self._profile(), home=home(), path=path, open_way=self._open_way)
        return self._found

    @property
    def holds(self) -> bool:
        """Whether commands are confined by anything."""
        return self.sandbox.name != "off"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the person should know about it: that it is not the best there could be, or none at all."""
        if not self.found.why:
            return ()
        tried = "; ".join(self.found.why)
        if self.holds:
            return (f"Commands are confined by {self.sandbox.name} ({tried}).",)
        return (f"There is no sandbox here, so commands are not confined, and ask ({tried}).",)

    def check(self, mode: str) -> None:
        """Refuse a mode that does not ask where nothing confines, unless the user wants it so.

        Raises:
            UsageError: there is no sandbox for it.
        """
        if mode in UNASKED and self._safety.sandbox != "off" and not self.holds:
            raise UsageError(
                f"In mode {mode} commands run unasked, so they must run confined, and no sandbox works here: "
                f"{'; '.join(self.found.why)}. Install bubblewrap, choose another mode, or type --no-sandbox."
            )

    def leave(self, policy: Policy, command: str) -> Leave:
        """What a command that was let through may have."""
        granted, network = policy.granted(command), self._safety.network
        outside = command in self._outside
        self._outside.discard(command)  # once
        return Leave(
            network=granted.network or EVERYTHING in network,
            hosts=tuple(host for host in network if host != EVERYTHING),
            writable=_there(granted.writable),
            outside=outside,
            safe_git=granted.readonly,
        )

    async def ask_to_leave(self, policy: Policy, ask: Asker, command: str, why: str) -> bool:
        """Ask whether a command that its sandbox held up may run again without it, once."""
        if policy.mode in {"plan", "yolo"}:
            return False
        call = ToolCall(id="", name="bash", input={"command": command, "sandbox": "off"})
        effects, reason = (Effect("execute", command),), f"run it again, unconfined {why}"
        answer = await ask(PermissionAsked(id=os.urandom(8).hex(), call=call, effects=effects, reason=reason))
        if answer is None or answer.verdict not in {"once", "always"}:
            return False
        self._outside.add(command)
        return True

    async def close(self) -> None:
        """Cut the lines to the hosts that commands were allowed."""
        if self._broker:
            await self._broker.close()

    def _open_way(self, hosts: tuple[str, ...], descriptor: int) -> Way:
        if self._broker is None:
            self._broker = Broker()
        return self._broker.open_way(hosts, descriptor)

    def _profile(self) -> Profile:
        places = self._places
        scratch = self._outputs / "tmp"
        try:
            make_private(scratch)
        except OSError as error:
            raise UsageError(
                f"Commands have no place for their files ({reason(error)}): {scratch}. Set session.storage_path to a "
                "place that can be written, or session.auto_save to false and TMPDIR to such a place."
            ) from None
        real = [Path(os.path.realpath(path)) for path in (places.root, *places.added)]
        return Profile(
            root=real[0],
            writable=tuple(path for path in real if path.is_dir()),
            private=self._outputs / "shell",
            scratch=scratch,
            state=_state() / "sandbox",
            masked=places.masks(),
            readable=(self._outputs, *(place for place in (config_home() / "tools",) if place.is_dir())),
        )


def _state() -> Path:
    """Where the sandboxes of all sessions keep their own: with what may last, or with what runs if that is read-only.

    Raises:
        UsageError: neither can be written.
    """
    place = state_home()
    with suppress(OSError):
        make_private(place)
        if os.access(place, os.W_OK | os.X_OK) and place.is_dir():
            return place
    return runtime_home()


def _there(paths: Sequence[str]) -> tuple[Path, ...]:
    """Places that a command may write to: what is there, or what a new file would be made in."""
    found = (path if path.exists() else path.parent for path in map(Path, paths))
    return tuple(dict.fromkeys(path for path in found if path.exists() and path != Path("/")))
