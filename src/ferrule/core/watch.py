"""Iterate over a run: `async with watch(run, message) as events: async for event in events`.

The run is a task of its own that emits into a queue; leaving the block early interrupts it. (A run is not an
async generator: a `yield` inside a task group hands cancellation to the wrong task.)
"""

import asyncio
from collections.abc import AsyncIterator, Generator
from types import TracebackType
from typing import Any, Self

from ferrule.core.events import Event, RunEnded
from ferrule.core.loop import Run
from ferrule.core.messages import User


class Watched:
    """A run that can be iterated for events, awaited for its end, and interrupted."""

    def __init__(self, run: Run, *messages: User) -> None:
        self.run = run
        self._messages = messages
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._task: asyncio.Task[RunEnded] | None = None

    async def __aenter__(self) -> Self:
        self.run.listeners.append(self._events.put_nowait)
        self._task = asyncio.create_task(self.run.go(*self._messages))
        self._task.add_done_callback(lambda _: self._events.put_nowait(None))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.interrupt()
        if self._task:
            await asyncio.wait([self._task])

    async def __aiter__(self) -> AsyncIterator[Event]:
        while (event := await self._events.get()) is not None:
            yield event
        self._events.put_nowait(None)  # a second iteration ends at once

    def __await__(self) -> Generator[Any, None, RunEnded]:
        if self._task is None:
            raise RuntimeError("Enter the run with `async with` first.")
        return self._task.__await__()

    def interrupt(self) -> None:
        """End the run now, if it still goes."""
        if self._task and not self._task.done():
            self.run.interrupt()


def watch(run: Run, *messages: User) -> Watched:
    """Start a run, to be iterated for its events."""
    return Watched(run, *messages)
