"""The loop: ask the model, perform its calls, repeat.

However a run ends, every tool call has its result, so the history can always be sent again as it stands.
The loop knows no concrete tool, provider, user interface or policy; they come in through `Agent`.
"""

import asyncio
from collections import deque
from typing import Any

from ferrule.core.accumulate import Draft
from ferrule.core.agent import Agent
from ferrule.core.calls import perform
from ferrule.core.errors import ProviderError, describe
from ferrule.core.events import (
    Appended,
    Emit,
    Event,
    ExitReason,
    RunEnded,
    RunStarted,
    TurnEnded,
    TurnStarted,
)
from ferrule.core.history import History
from ferrule.core.messages import Text, ToolCall, ToolResult, Usage, User
from ferrule.core.model import Request
from ferrule.core.repeat import ADVICE, STOPPED_AT, TOLD_AT, Repeats

MOST_CUTS = 3
"""How many answers in a row may hit the output limit before that is an error."""


class Run:
    """One request, carried to its end."""

    def __init__(self, agent: Agent, history: History, *listeners: Emit) -> None:
        self.agent, self.history = agent, history
        self.listeners: list[Emit] = [*listeners, history.apply]
        """Told of every event in this order: first the log, then the conversation, then who joined later."""
        self.inbox: deque[User] = deque()  # what is said meanwhile; delivered at the next turn
        self.turns, self.usage = 0, Usage()
        self.cost: float | None = None
        self.reason: ExitReason | None = None
        self.failure: Exception | None = None
        self._stopped: ExitReason | None = None
        self._task: asyncio.Task[Any] | None = None

    def interrupt(self) -> None:
        """End the run now: close the model's stream, kill running tools, keep the history whole."""
        if self._task and self._stopped is None:  # once is enough: a second cancellation would not be ours
            self._task.cancel()
        self._stopped = "interrupted"

    async def go(self, *messages: User) -> RunEnded:
        """Carry the request to its end. Raises nothing but the cancellation of the task that it runs in."""
        self.inbox.extend(messages)
        self._task = asyncio.current_task()
        try:
            self.tell(RunStarted())
            async with asyncio.timeout(self.agent.limits.seconds or None):
                self.reason = await self._turns()
        except TimeoutError:
            self.reason = "max_time"
        except asyncio.CancelledError:
            self.reason = self._stopped or "aborted"
            if not self._stopped or not self._task or self._task.uncancel():
                raise
        except Exception as error:
            self.reason, self.failure = "error", error
        finally:
            self._task = None
            self.tell(self.ended)
        return self.ended

    @property
    def ended(self) -> RunEnded:
        """How the run ended, and what it took."""
        error = describe(self.failure) if self.failure else None
        reason = self.reason or "error"
        return RunEnded(reason=reason, turns=self.turns, usage=self.usage, cost=self.cost, error=error)

    def tell(self, event: Event) -> None:
        """Let everyone know."""
        for listener in self.listeners:
            listener(event)

    async def _turns(self) -> ExitReason:
        repeats, cuts = Repeats(), 0
        while self._stopped is None:
            while self.inbox:
                self.tell(Appended(message=self.inbox.popleft()))
            if limit := self.agent.limits.reached(self.turns, self.cost):
                return limit
            self.turns += 1
            self.tell(TurnStarted(turn=self.turns))
            draft, calls = await self._ask()
            times = repeats.note(calls, await self._perform(calls))
            self.tell(TurnEnded(turn=self.turns, usage=self.usage, cost=self.cost))
            cuts = cuts + 1 if draft.stop == "max_tokens" else 0
            if cuts > MOST_CUTS:
                raise ProviderError(f"The answer hit the output limit {cuts} times in a row.")
            if times >= STOPPED_AT:
                return "loop_detected"
            if advice := draft.follow_up or (ADVICE.format(times=times) if times >= TOLD_AT else ""):
                self.inbox.append(User(content=(Text(advice),), by="ferrule"))
            if not calls and not self.inbox:
                return "end_turn"
        return self._stopped

    async def _ask(self) -> tuple[Draft, tuple[ToolCall, ...]]:
        draft, tools = Draft(), tuple(tool.spec for tool in self.agent.tools.values())
        request = Request(system=self.agent.system, tools=tools, messages=tuple(self.history.messages))
        try:
            await self.agent.ask(request, draft, self.tell)
        finally:  # what was cut short is kept as well
            if answer := draft.message():
                self.tell(Appended(message=answer))
        self.usage = sum((one.usage for one in draft.paid), start=self.usage)
        if (cost := self.agent.cost(draft)) is not None:
            self.cost = (self.cost or 0) + cost
        if draft.is_empty:
            raise ProviderError("The model gave an empty answer.")
        return draft, answer.calls if answer else ()

    async def _perform(self, calls: tuple[ToolCall, ...]) -> list[ToolResult]:
        try:
            self._stopped = await perform(calls, self.agent, self.tell) or self._stopped
        finally:  # every call has its result
            for ended in self.history.closing("by the user" if self._stopped == "interrupted" else ""):
                self.tell(ended)
        return self.history.results_of(calls)
