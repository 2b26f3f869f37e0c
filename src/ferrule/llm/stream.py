"""A model behind HTTP: a request goes out as bytes, the answer comes back as deltas and one finish.

The wire formats say how a request looks (an encoder), how a response is cut into records (a splitter) and what
the records mean (a decoder); the way there and back is the same for all.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, ClassVar, Protocol

import msgspec

from ferrule.core.errors import ProviderError
from ferrule.core.model import Delta, Finish, Request
from ferrule.core.regex import lazy
from ferrule.llm import errors
from ferrule.llm.encode import Encoder
from ferrule.llm.endpoint import Endpoint, Settings, name_of
from ferrule.llm.http import Response, send
from ferrule.llm.lines import MOST_BYTES, ServerEvents, Splitter

GRACE = 5.0
"""Seconds that are waited for more when an answer is whole but its end marker has not come."""


DISPENSABLE = ("reasoning.summary", "stream_options", "reasoning_effort", "prompt_cache_key", "temperature")
"""Fields of a request that some server refuses, and without which it is still the same question."""
_REFUSED = lazy(r"(?i)un(?:supported|recognized|known|expected)|not (?:supported|permitted|allowed)|extra|verified")
_NO_ROOM = lazy(r"\d \+ \d+ > (\d+)")
_SURROGATES = lazy(
    r"(\\[^u]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""Pairs, and escapes that merely look like a half, are kept; a half by itself is not."""


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
        self._given_up: list[str] = []

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
        theirs = {name.lower(): value for name, value in self.endpoint.headers.items()}
        headers = {"content-type": "application/json"} | self.headers() | theirs
        while True:
            body = without(self._encoder.encode(request), self._given_up)
            async with send(self.url(), body=body, headers=headers, transport=self.endpoint.transport) as response:
                if not await self._begins(response):
                    continue
                decoder = self.decoder()
                async for record in self._records(response, decoder):
                    for delta in self._read(decoder, record):
                        yield delta
                if (finish := decoder.finish()) is None:
                    raise errors.cut_off(self.endpoint)
                await response.drain()
                yield finish
                return

    async def _begins(self, response: Response) -> bool:
        """See that a stream begins; or give up what the server will not have, so that it may be asked again."""
        if response.status != 200:
            body = await response.error_body()
            error = errors.failure(
                self.endpoint, self.settings.model, status=response.status, header=response.header, body=body
            )
            if not self._concede(error, body.decode("utf-8", "replace")):
                raise error
            return False
        if "text/html" in (response.header("content-type") or ""):
            raise ProviderError(
                f"{self.url()} answers with a web page: is that the base URL of {self.endpoint.provider}?",
                fault="bad_request",
            )
        return True

    def _concede(self, error: ProviderError, words: str) -> bool:
        """Ask for a shorter answer where the one asked for leaves no room, or do without a field that is refused."""
        most = self.settings.max_tokens or 0
        if error.fault == "context_overflow" and (found := _NO_ROOM.search(words)) and int(found[1]) // 4 < most:
            self.settings = msgspec.structs.replace(self.settings, max_tokens=int(found[1]) // 4)
            self._encoder = self.encoder(self.endpoint, self.settings)
            return True
        if error.fault == "bad_request" and _REFUSED.search(words):
            for field in DISPENSABLE:
                if field in words and field not in self._given_up:
                    self._given_up.append(field)
                    return True
        return False

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
        if "\\u" in record:  # half a character is no reason to lose the answer
            record = _SURROGATES.sub(lambda found: found[1] or "\\ufffd", record)
        try:
            yield from decoder.read(record)
        except StreamError as error:
            raise errors.stream_failure(self.endpoint, self.settings.model, error.about) from None
        except msgspec.DecodeError:
            raise ProviderError(
                f"{self.endpoint.provider} sent something that could not be understood: {record[:100]!r}",
                fault="network",
            ) from None


def without(body: bytes, fields: Sequence[str]) -> bytes:
    """A request without some of its fields, which are named as `field` or `field.inside`."""
    if not fields:
        return body
    request = msgspec.json.decode(body)
    for field in fields:
        outer, _, inner = field.partition(".")
        place, name = (request.get(outer), inner) if inner else (request, outer)
        if isinstance(place, dict):
            place.pop(name, None)
    return msgspec.json.encode(request)
