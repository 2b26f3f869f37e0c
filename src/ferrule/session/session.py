"""A conversation that goes on: the one object that every front door holds.

A front subscribes to the events and sends four verbs: prompt, steer, answer, interrupt.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

from ferrule.core.agent import Agent
from ferrule.core.events import Emit, Event, RunEnded
from ferrule.core.history import History
from ferrule.core.loop import Run
from ferrule.core.messages import Image, Text, User
from ferrule.core.watch import Watched, watch

Prompt = str | User | tuple[Text | Image, ...]


class Session:
    """A conversation of runs, saved as it goes."""

    def __init__(
        self,
        *,
        id: str,
        directory: Path,
        model: str,
        mode: str,
        agent: Agent,
        history: History,
        log: Emit,
        on_close: Callable[[], Awaitable[None]],
        notes: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.id = id
        self.directory = directory
        self.model = model
        self.mode = mode
        self.agent = agent
        self.history = history
        self.notes = notes
        """What was decided for the person, each in one line."""
        self.warnings = warnings
        """What the person should know before the first run: a damaged log, an ignored setting."""
        self.run: Run | None = None
        self._log = log
        self._listeners: list[Emit] = []
        self._on_close = on_close

    def subscribe(self, listener: Emit) -> Callable[[], None]:
        """Hear every event from now on; the function that is returned ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def prompt(self, prompt: Prompt) -> RunEnded:
        """Carry a request to its end."""
        return await self._begin().go(_message(prompt))

    def watch(self, prompt: Prompt) -> Watched:
        """Carry a request to its end, to be iterated: `async with session.watch("…") as events`."""
        return watch(self._begin(), _message(prompt))

    def steer(self, prompt: Prompt) -> None:
        """Say something while a run goes on; it is heard at the next turn."""
        if self.run is None:
            raise RuntimeError("There is no run to steer; prompt instead.")
        self.run.inbox.append(_message(prompt))

    def interrupt(self) -> None:
        """End the current run, if there is one. The conversation stays whole."""
        if self.run and self.run.reason is None:
            self.run.interrupt()

    async def close(self) -> None:
        """Stop what still runs and close the log."""
        self.interrupt()
        await self._on_close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _begin(self) -> Run:
        if self.run and self.run.reason is None:
            raise RuntimeError("A run goes on already; steer it, or interrupt it first.")
        waiting = self.run.inbox if self.run else ()
        self.run = Run(self.agent, self.history, self._log)
        self.run.listeners.append(self._tell)
        self.run.inbox.extend(waiting)  # what was said too late for the last run is not lost
        return self.run

    def _tell(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            listener(event)


def _message(prompt: Prompt) -> User:
    if isinstance(prompt, User):
        return prompt
    return User(content=(Text(prompt),) if isinstance(prompt, str) else prompt)
