"""The guard of a session before there is one: most of it is imported with the first call that a model makes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ferrule.config.layers import Loaded
from ferrule.core.agent import Allow, Deny, Gate
from ferrule.core.messages import ToolCall
from ferrule.core.tool import Effect, ToolContext
from ferrule.host.sandbox.presence import at_a_glance
from ferrule.session.asking import Asking
from ferrule.session.jobs import Job

if TYPE_CHECKING:
    from ferrule.guard import Guard


class Guarding:
    """The guard of a session, built with the first call; before that only its mode is known."""

    def __init__(
        self,
        loaded: Loaded,
        directory: Path,
        outputs: Path,
        asking: Asking,
        *,
        allowed: Sequence[str] = (),
        free: Sequence[str] = (),
        gate: Gate | None = None,
    ) -> None:
        """Guard by a configuration; `allowed` are rules on top of it, `free` tools allowed by being given.

        A `gate` takes the place of the policy.
        """
        self.mode: str = loaded.config.safety.mode
        self.outputs = outputs
        self._loaded, self._directory, self._asking = loaded, directory, asking
        self._allowed, self._free, self._gate = allowed, free, gate
        self._guard: Guard | None = None
        self.warnings: tuple[str, ...] = ()
        if loaded.config.safety.sandbox not in {"off", "external"} and not at_a_glance():
            self.warnings = self.guard.confinement.remarks  # what must be refused, or said, is said at the start

    @property
    def guard(self) -> "Guard":
        """The guard itself."""
        if self._guard is None:
            from ferrule.guard import guard_of  # noqa: PLC0415 - see `guard.py`

            self._guard = guard_of(
                self._loaded,
                self._directory,
                self.outputs,
                self._asking,
                mode=self.mode,
                allowed=self._allowed,
                free=self._free,
            )
        return self._guard

    @property
    def cwd(self) -> Path:
        """Where the next command would run."""
        return self._guard.host.processes.cwd if self._guard else self._directory

    @property
    def said_always(self) -> tuple[str, ...]:
        """The rules that the person has added in this session."""
        return self._guard.policy.said_always if self._guard else ()

    @property
    def sandbox(self) -> str:
        """What confines commands."""
        return self.guard.confinement.sandbox.name

    def change_mode(self, mode: str) -> None:
        """Judge by another mode from now on.

        Raises:
            UsageError: it does not ask, and nothing confines.
        """
        self.guard.confinement.check(mode)
        self.mode = self.guard.policy.mode = mode

    async def gate(self, call: ToolCall, effects: tuple[Effect, ...]) -> Allow | Deny:
        """Say whether a call may run: by the caller's own gate, or by the policy."""
        return await (self._gate or self.guard.gate)(call, effects)

    def only_reads(self, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a call is known to change nothing."""
        return self.guard.policy.only_reads(call, effects)

    def side_by_side(self, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a call may run at the same time as its neighbours."""
        return self.guard.policy.side_by_side(call, effects)

    def hits(self, rule: str, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a rule speaks of a call."""
        return self.guard.policy.hits(rule, call, effects)

    def context(self, report: Callable[[str], None]) -> ToolContext[Any]:
        """What a tool sees of the world."""
        return self.guard.context(report)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The commands that go on behind the conversation, and the last that did."""
        return self._guard.jobs if self._guard else ()

    async def stop_job(self, number: int) -> None:
        """Stop a job and all that it started.

        Raises:
            ToolError: there is none with that number.
        """
        await self.guard.host.processes.job(number).kill()

    async def close(self) -> None:
        """Stop what runs."""
        if self._guard:
            await self._guard.close()
