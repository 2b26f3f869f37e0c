"""What is done in the background of the terminal; what goes wrong in it is told."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from ferrule.core.errors import describe


class Errands:
    """Tasks that nobody waits for."""

    def __init__(self, complain: Callable[[str], None]) -> None:
        self._complain = complain
        self._tasks: set[asyncio.Task[None]] = set()

    def do(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Begin with one."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def end(self) -> None:
        """Stop all of them."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._complain(describe(error) if isinstance(error, Exception) else repr(error))
