"""A model behind HTTP: a request goes out as bytes, the answer comes back as deltas and one finish.

The wire formats say how a request looks (an encoder), how a response is cut into records (a splitter) and what
the records mean (a decoder); the way there and back is the same for all.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar, Protocol

import msgspec

from ferrule.core.errors import ProviderError
from ferrule.core.model import Delta, Finish, Request
from ferrule.llm import errors
from ferrule.llm.encode import Encoder
from ferrule.llm.endpoint import Endpoint, Settings, name_of
from ferrule.llm.http import Response, send
from ferrule.llm.lines import MOST_BYTES, ServerEvents, Splitter

GRACE = 5.0
"""Seconds that are waited for more when an answer is whole but its end marker has not come."""


class StreamError(Exception):
    """The provider reports an error inside a stream; `about` is what it says."""

    def __init__(self, about: Any) -> None:
        super().__init__(about)
        self.about = about


class Decoder(Protocol):
    """What turns the records of one answer into deltas."""

    ended: bool
    """Whether the end marker came: nothing more is to be expected."""

    def read(self, record: str) -> Iterator[Delta]:
        """Take in a record.

        Raises:
            StreamError: the record is an error.
            msgspec.DecodeError: the record is not what it should be.
        """
        ...

    def finish(self) -> Finish | None:
        """The end of the answer, or nothing while the answer is not whole."""
        ...


class Remote:
    """A model behind an endpoint."""

    encoder: ClassVar[type[Encoder]]
    splitter: ClassVar[type[Splitter]] = ServerEvents

    def __init__(self, endpoint: Endpoint, settings: Settings) -> None:
        self.endpoint, self.settings = endpoint, settings
        self._encoder = self.encoder(endpoint, settings)

    @property
    def name(self) -> str:
        """What the model is called."""
        return name_of(self.endpoint, self.settings)

    def decoder(self) -> Decoder:
        """Make what reads one answer."""
        raise NotImplementedError

    def url(self) -> str:
        """Where requests go."""
        raise NotImplementedError

    def headers(self) -> dict[str, str]:
        """The headers of the format, with small letters."""
        key = self.endpoint.api_key
        return {"authorization": f"Bearer {key.reveal().strip()}"} if key else {}

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer a request, piece by piece."""
        body = self._encoder.encode(request)
        theirs = {name.lower(): value for name, value in self.endpoint.headers.items()}
        headers = {"content-type": "application/json"} | self.headers() | theirs
        async with send(self.url(), body=body, headers=headers, transport=self.endpoint.transport) as response:
            await self._check(response)
            decoder = self.decoder()
            async for record in self._records(response, decoder):
                for delta in self._read(decoder, record):
                    yield delta
            if (finish := decoder.finish()) is None:
                raise errors.cut_off(self.endpoint)
            await response.drain()
            yield finish

    async def _check(self, response: Response) -> None:
        """See that a stream begins."""
        if response.status != 200:
            body = await response.error_body()
            raise errors.failure(
                self.endpoint, self.settings.model, status=response.status, header=response.header, body=body
            )
        if "text/html" in (response.header("content-type") or ""):
            raise ProviderError(
                f"{self.url()} answers with a web page: is that the base URL of {self.endpoint.provider}?",
                fault="bad_request",
            )

    async def _records(self, response: Response, decoder: Decoder) -> AsyncIterator[str]:
        """The records of a response until the end marker, or until an answer that is whole falls silent."""
        splitter = self.splitter()
        if (response.header("content-type") or "").startswith("application/json"):
            body = await response.body(MOST_BYTES)
            is_one = self.splitter is ServerEvents and body.lstrip()[:1] == b"{"  # it was not streamed after all
            for record in [body.decode("utf-8", "replace")] if is_one else [*splitter.feed(body), *splitter.end()]:
                yield record
            return
        while not decoder.ended:
            whole = decoder.finish() is not None
            try:
                chunk = await response.chunk(GRACE if whole else None)
            except ProviderError:
                if whole:
                    return
                raise
            for record in splitter.end() if chunk is None else splitter.feed(chunk):
                if not decoder.ended:
                    yield record
            if chunk is None:
                return

    def _read(self, decoder: Decoder, record: str) -> Iterator[Delta]:
        try:
            yield from decoder.read(record)
        except StreamError as error:
            raise errors.stream_failure(self.endpoint, self.settings.model, error.about) from None
        except msgspec.DecodeError:
            raise ProviderError(
                f"{self.endpoint.provider} sent something that could not be understood: {record[:100]!r}",
                fault="network",
            ) from None
