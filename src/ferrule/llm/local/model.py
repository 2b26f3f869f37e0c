"""An embedded model, as the rest of the program sees models: its engine is looked for anew with every request.

So an engine that was killed, or that left because nobody asked for long, is started again by the next attempt; one
that is lost again and again is given up.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import msgspec

from ferrule.core.errors import ProviderError, UsageError
from ferrule.core.model import Delta, Finish, Model, Request
from ferrule.llm.endpoint import Endpoint, Settings, name_of
from ferrule.llm.local.ended import MORE_MEMORY, lacks_memory
from ferrule.llm.local.engine import (
    Address,
    Say,
    Wanted,
    end,
    end_if_it_hangs,
    engine_ready,
    has_ended,
    last_words,
)

MOST_LOSSES = 3
"""So many engines in a row are lost over an answer before it is given up: where memory is short, each one will be."""
_GLANCES, _MOMENT = 50, 0.02

Make = Callable[[Endpoint, Settings], Model]


class Local:
    """A model on this machine; `make` speaks its wire format, and `endpoint` lacks only the address and the key."""

    def __init__(
        self, wanted: Wanted, endpoint: Endpoint, settings: Settings, *, make: Make, say: Say = lambda _: None
    ) -> None:
        self._wanted, self._endpoint, self._settings = wanted, endpoint, settings
        self._make, self._say = make, say
        self._held: tuple[Address, Model] | None = None
        self._losses = 0

    @property
    def name(self) -> str:
        """What the model is called."""
        return name_of(self._endpoint, self._settings)

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer a request; the engine is started first where none runs.

        Raises:
            ProviderError: it cannot be started, or did not answer.
        """
        address, model = await self._ready()
        watching = asyncio.create_task(end_if_it_hangs(self._wanted, address))
        try:
            async for piece in model.stream(request):
                yield piece
        except ProviderError as error:
            if lacks_memory(str(error)):  # one that says so says it again and again
                end(self._wanted, address)
                raise self._lost("ran out of memory in mid-answer and was ended") from error
            if error.fault != "network" or not await _has_ended(address):
                raise
            hung = "hung in mid-answer and was ended"
            raise self._lost(hung if watching.done() else "ended in mid-answer, perhaps for want of memory") from error
        finally:
            watching.cancel()
        self._losses = 0

    def _lost(self, how: str) -> ProviderError:
        """Say that the engine went in mid-answer; the next attempt has a new one, but not for ever."""
        self._losses += 1
        words = f"The engine of {self._wanted.model} {how}."
        if self._losses < MOST_LOSSES:
            return ProviderError(words, fault="network", retry_after=0)
        told = ""
        with suppress(UsageError):
            told = last_words(self._wanted)
        words = f"{words} That was {self._losses} times in a row. {MORE_MEMORY}{told}"
        self._losses = 0
        return ProviderError(words, fault="unknown")

    async def _ready(self) -> tuple[Address, Model]:
        told: list[str] = []

        def say(words: str) -> None:
            told.append(words)
            self._say(words)

        try:
            address = await engine_ready(self._wanted, say=say)
        except UsageError as error:  # the same would be so with the next attempt
            raise ProviderError(str(error), fault="bad_request") from error
        if told:  # what was said of loading holds no more
            self._say(f"{self._wanted.model} reads the request")
        if self._held is None or self._held[0] != address:
            endpoint = msgspec.structs.replace(self._endpoint, base_url=address.base_url, api_key=address.key)
            self._held = address, self._make(endpoint, self._settings)
        return self._held


async def _has_ended(address: Address) -> bool:
    """Whether the engine is gone; a connection may break a moment before its process does."""
    for _ in range(_GLANCES):
        if has_ended(address):
            return True
        await asyncio.sleep(_MOMENT)
    return False
