"""An embedded model, as the rest of the program sees models: its engine is looked for anew with every request.

So an engine that was killed, or that left because nobody asked for long, is started again by the next attempt.
"""

import asyncio
from collections.abc import AsyncIterator, Callable

import msgspec

from ferrule.core.errors import ProviderError, UsageError
from ferrule.core.model import Delta, Finish, Model, Request
from ferrule.llm.endpoint import Endpoint, Settings, name_of
from ferrule.llm.local.engine import Address, Say, Wanted, engine_ready, is_alive

_GLANCES, _MOMENT = 10, 0.02

Make = Callable[[Endpoint, Settings], Model]


class Local:
    """A model on this machine; `make` speaks its wire format, and `endpoint` lacks only the address and the key."""

    def __init__(
        self, wanted: Wanted, endpoint: Endpoint, settings: Settings, *, make: Make, say: Say = lambda _: None
    ) -> None:
        self._wanted, self._endpoint, self._settings = wanted, endpoint, settings
        self._make, self._say = make, say
        self._held: tuple[Address, Model] | None = None

    @property
    def name(self) -> str:
        """What the model is called."""
        return name_of(self._endpoint, self._settings)

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer a request; the engine is started first where none runs.

        Raises:
            ProviderError: it cannot be started, or did not answer.
        """
        model = await self._model()
        try:
            async for piece in model.stream(request):
                yield piece
        except ProviderError as error:
            if error.fault != "network" or not await self._has_ended():
                raise
            words = f"The engine of {self._wanted.model} ended in mid-answer, perhaps for want of memory."
            raise ProviderError(words, fault="network", retry_after=0) from error

    async def _has_ended(self) -> bool:
        """Whether there is no engine any more; a connection may break a moment before its process is gone."""
        for _ in range(_GLANCES):
            if not is_alive(self._wanted):
                return True
            await asyncio.sleep(_MOMENT)
        return False

    async def _model(self) -> Model:
        try:
            address = await engine_ready(self._wanted, say=self._say)
        except UsageError as error:  # the same would be so with the next attempt
            raise ProviderError(str(error), fault="bad_request") from error
        if self._held is None or self._held[0] != address:
            endpoint = msgspec.structs.replace(self._endpoint, base_url=address.base_url, api_key=address.key)
            self._held = address, self._make(endpoint, self._settings)
        return self._held[1]
