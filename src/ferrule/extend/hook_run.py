"""A run that hooks attend: what a person says is shown to them before it is taken up, and they may not let it end."""

import asyncio
from typing import Protocol

from ferrule.core.agent import Agent
from ferrule.core.errors import FerruleError
from ferrule.core.events import Emit, Event, ExitReason, Notice, TurnEnded
from ferrule.core.history import History
from ferrule.core.loop import Run
from ferrule.core.messages import Assistant, Text, User

MOST_RETURNS = 5
"""How often a model that thinks it is done may be sent back to work."""


class RefusedError(FerruleError):
    """A hook does not let a request pass."""


class Attending(Protocol):
    """What a run asks of the hooks."""

    async def opening(self) -> tuple[User, ...]:
        """What the model is to be told before all else."""

    async def submitted(self, message: User) -> tuple[User, ...]:
        """What becomes of something that a person said.

        Raises:
            RefusedError: it shall not be taken up.
        """

    async def stopping(self, last: str, *, again: bool) -> str:
        """Why the model is not done yet; nothing where it is. `again` says that it was sent back before."""

    def wants_end(self) -> bool:
        """Whether a hook has said meanwhile that the run shall end."""


class AttendedRun(Run):
    """One request, carried to an end that the hooks agree with."""

    def __init__(self, agent: Agent, history: History, log: Emit, *, hooks: Attending) -> None:
        super().__init__(agent, history, log)
        self._hooks = hooks
        self._in_order = asyncio.Lock()
        self._coming: set[asyncio.Task[None]] = set()

    def take_in(self, message: User) -> None:
        """Let the hooks see what is said while the run goes on; it is heard once they have."""
        if self.reason is not None:
            self.inbox.append(message)  # the next run will show it to them
            return
        task = asyncio.get_running_loop().create_task(self._show(message))
        self._coming.add(task)
        task.add_done_callback(self._coming.discard)

    def tell(self, event: Event) -> None:
        """Let everyone know; at the end of a turn a hook may have had enough."""
        super().tell(event)
        if isinstance(event, TurnEnded) and self._hooks.wants_end():
            self._stopped = self._stopped or "aborted"

    async def _turns(self) -> ExitReason:
        await self._open()
        returns = 0
        while (reason := await super()._turns()) == "end_turn":
            if await self._has_heard_more():
                continue
            word = await self._hooks.stopping(self._last_words(), again=returns > 0)
            if await self._has_heard_more():
                continue
            if not word:
                break
            if returns == MOST_RETURNS:
                self.tell(Notice(text=f"Stop hooks sent the model back {returns} times; the run ends all the same."))
                break
            returns += 1
            self.inbox.append(User(content=(Text(f"It is not done yet. A Stop hook says:\n{word}"),), by="ferrule"))
        return reason

    async def _open(self) -> None:
        """Show the hooks what the run begins with. What they have not seen is kept, whatever happens."""
        first = await self._hooks.opening()
        waiting = [*self.inbox]
        self.inbox.clear()
        self.inbox.extend(first)
        while waiting:
            try:
                self.inbox.extend(await self._hooks.submitted(waiting[0]))
            except RefusedError:
                self.inbox.extend(waiting[1:])
                raise
            except BaseException:
                self.inbox.extend(waiting)
                raise
            del waiting[0]

    async def _has_heard_more(self) -> bool:
        """Whether something was said that the run has not taken up, once the hooks have seen it."""
        await asyncio.gather(*self._coming)
        return bool(self.inbox)

    async def _show(self, message: User) -> None:
        async with self._in_order:
            try:
                self.inbox.extend(await self._hooks.submitted(message))
            except RefusedError as error:
                self.tell(Notice(text=str(error)))

    def _last_words(self) -> str:
        answers = (one.text for one in reversed(self.history.messages) if isinstance(one, Assistant))
        return next(answers, "")
