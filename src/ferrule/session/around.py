"""What stands around a session: the guard of the machine, and the user's own hooks."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ferrule.core.agent import Agent, Allow, Deny, Gate
from ferrule.core.events import Emit, Event
from ferrule.core.history import History
from ferrule.core.loop import Run
from ferrule.core.messages import ToolCall, User
from ferrule.core.tool import Effect, Tool, ToolContext
from ferrule.session.jobs import Job


class Guarding(Protocol):
    """What stands between the model and the machine."""

    mode: str
    """What asks before it runs."""

    @property
    def said_always(self) -> tuple[str, ...]:
        """The rules that the person has added in this session by "always"."""

    @property
    def sandbox(self) -> str:
        """What confines commands: bubblewrap, landlock, seatbelt, external, or off."""

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The commands that go on behind the conversation, and the last that did."""

    async def stop_job(self, number: int) -> None:
        """Stop a job and all that it started.

        Raises:
            ToolError: there is none with that number; the text says which there are.
        """

    def change_mode(self, mode: str) -> None:
        """Judge by another mode from now on."""

    async def gate(self, call: ToolCall, effects: tuple[Effect, ...]) -> Allow | Deny:
        """Say whether a call may run."""

    def only_reads(self, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a call is known to change nothing."""

    def side_by_side(self, call: ToolCall, effects: tuple[Effect, ...]) -> bool:
        """Whether a call may run at the same time as its neighbours."""

    def context(self, report: Callable[[str], None]) -> ToolContext[Any]:
        """What a tool sees of the world."""


class Hooks(Protocol):
    """The user's own programs, as far as a session knows of them."""

    tell: Emit
    """Where they say what a person should know; the session sets it."""

    def start(self) -> None:
        """Let them know that the session begins, once."""

    def run(self, agent: Agent, history: History, log: Emit) -> Run:
        """Make a run that they attend."""

    def steer(self, message: User) -> None:
        """Let what is said during a run be heard, if they let it pass."""

    def gate(self, gate: Gate, tools: Callable[[], Mapping[str, Tool]]) -> Gate:
        """The same gate, behind them; the tools are those of the moment."""

    def hear(self, event: Event) -> None:
        """Take in an event."""

    async def close(self, reason: str) -> None:
        """Let them know that the session ends, and leave none of them behind."""
