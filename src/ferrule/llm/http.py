"""The one file that knows the HTTP library: a request goes out, a response comes back in chunks.

Every failure of the transport is a `ProviderError` in words. Leaving the block, or being cancelled in it, closes
the connection at once; a response that was read to its end gives its connection back to the pool.

`FERRULE_OFFLINE=1` in the environment forbids every host but this machine, before its name is looked up.
"""

import asyncio
import os
import socket
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

from pyreqwest.client import Client, ClientBuilder
from pyreqwest.exceptions import (
    BuilderError,
    ConnectError,
    ConnectTimeoutError,
    DetailedPyreqwestError,
    ReadError,
)
from pyreqwest.http import Url
from pyreqwest.request import StreamRequest
from pyreqwest.response import Response as Received

from ferrule.core.errors import ProviderError
from ferrule.llm.endpoint import Transport
from ferrule.version import __version__

MOST_OF_ERROR = 64 * 1024
PATIENCE_WITH_ERROR = 10.0
"""How many bytes and seconds the body of an error is worth: its status says the most."""

_clients: dict[tuple[str, Transport, str], Client] = {}
_in_flight: Counter[int] = Counter()
"""How many requests are under way to each port of this machine."""


class Response:
    """An answer whose body is still to be read."""

    def __init__(self, received: Received, host: str, transport: Transport) -> None:
        self.status = received.status
        self.header = received.get_header
        """Looks up a header, whatever its letters' case."""
        self._reader = received.body_reader
        self._host, self._transport = host, transport
        self._begun = False

    async def chunk(self, within: float | None = None) -> bytes | None:
        """Give the next bytes as they came, or nothing at the end.

        Raises:
            ProviderError: the connection broke, or nothing came for too long.
        """
        seconds = within or (self._transport.stall if self._begun else self._transport.first_byte)
        try:
            async with asyncio.timeout(seconds):
                chunk = await self._reader.read_chunk()
        except TimeoutError:
            raise _network(f"{self._host} sent nothing for {seconds:g} s") from None
        except DetailedPyreqwestError as error:
            raise _network(f"The connection to {self._host} broke: {_cause(error)}") from None
        if (task := asyncio.current_task()) and task.cancelling():
            raise asyncio.CancelledError  # the library loses a cancellation that comes together with bytes
        self._begun = True
        return None if chunk is None else bytes(chunk)

    async def body(self, most: int) -> bytes:
        """Read what is left of the body, but no more than `most` bytes."""
        body = bytearray()
        while len(body) < most and (chunk := await self.chunk()) is not None:
            body += chunk
        return bytes(body[:most])

    async def error_body(self, seconds: float = PATIENCE_WITH_ERROR) -> bytes:
        """Read the body of an error, as far as it comes soon."""
        body = bytearray()
        with suppress(ProviderError, TimeoutError):
            async with asyncio.timeout(seconds):
                while len(body) < MOST_OF_ERROR and (chunk := await self.chunk()) is not None:
                    body += chunk
        return bytes(body[:MOST_OF_ERROR])

    async def drain(self, seconds: float = 0.25) -> None:
        """Wait a moment for the end of a body that has said all, so that the connection can be used again."""
        with suppress(ProviderError, TimeoutError):
            async with asyncio.timeout(seconds):
                while await self.chunk() is not None:
                    pass


@asynccontextmanager
async def send(
    url: str,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    transport: Transport = Transport(),  # noqa: B008
) -> AsyncIterator[Response]:
    """Send a request (a POST where there is a body) and give the response as soon as its head is there.

    Raises:
        ProviderError: there was no answer, or the address is none, or it is forbidden.
    """
    target = _target(url)
    where = f"{target.host_str}:{target.port}" if target.port else target.host_str or ""
    port = (target.port_or_known_default or 0) if is_loopback(target.host_str or "") else 0
    try:
        client = _client(transport, target)
        builder = client.get(target) if body is None else client.post(target).body_bytes(body)
        builder = builder.headers(dict(headers or {}))
        # without a limit of zero the first 64 kB of a stream are held back
        request = builder.streamed_read_buffer_limit(0).build_streamed()
    except (DetailedPyreqwestError, ValueError):  # its words would show the key
        raise ProviderError(
            f"A header for {where}, perhaps its key, holds a character that cannot be sent.", fault="bad_request"
        ) from None
    _in_flight[port] += 1
    try:
        received = await _open(request, port, where, transport)
        try:
            yield Response(received, where, transport)
        finally:
            await request.__aexit__(None, None, None)
    finally:
        _in_flight[port] -= 1


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name alone."""
    name = host.strip("[]").lower()
    if name in {"localhost", "::1"} or name.endswith(".localhost"):
        return True
    return name.startswith("127.") and name.replace(".", "").isdigit()


def _target(url: str) -> Url:
    try:
        target = Url(url)
    except ValueError as error:
        raise ProviderError(f"{url!r} is not an address: {error}.", fault="bad_request") from None
    if target.scheme not in {"http", "https"}:
        raise ProviderError(f"{url!r} is neither an http nor an https address.", fault="bad_request")
    if os.environ.get("FERRULE_OFFLINE", "0") not in {"", "0"} and not is_loopback(target.host_str or ""):
        raise ProviderError(f"FERRULE_OFFLINE is set: no request goes to {target.host_str}.", fault="bad_request")
    return target


async def _open(request: StreamRequest, port: int, where: str, transport: Transport) -> Received:
    try:
        async with asyncio.timeout(transport.first_byte):
            return await request.__aenter__()
    except TimeoutError as error:
        _hang_up(port)
        if isinstance(error, ConnectTimeoutError) and "client error (Connect)" in _causes(error):
            raise _network(f"Could not connect to {where} within {transport.connect:g} s") from None
        raise _network(f"{where} gave no answer within {transport.first_byte:g} s") from None
    except asyncio.CancelledError:
        _hang_up(port)
        raise
    except BuilderError as error:
        raise ProviderError(f"The request to {where} cannot be made: {_cause(error)}.", fault="bad_request") from None
    except DetailedPyreqwestError as error:
        raise _no_answer(error, where) from None


def _client(transport: Transport, target: Url) -> Client:
    """The pooled client for one way of reaching hosts. It outlives event loops.

    This machine is reached directly, all else through the proxies that the environment names.
    """
    way = target.scheme if is_loopback(target.host_str or "") else "proxied"
    bundle = transport.ca_file or os.environ.get("SSL_CERT_FILE", "")
    key = (way, transport, bundle)
    if key not in _clients:
        _clients[key] = _build(way, transport, bundle)
    return _clients[key]


def _build(way: str, transport: Transport, bundle: str) -> Client:
    builder = (
        ClientBuilder()
        .user_agent(f"ferrule/{__version__}")
        .follow_redirects(False)
        .connect_timeout(timedelta(seconds=transport.connect))
        # ends requests that nobody waits for any more
        .read_timeout(timedelta(seconds=max(transport.first_byte, transport.stall) + 1))
        .tcp_keepalive(timedelta(seconds=30))
        # compressed streams are held back by whoever compresses them
        .gzip(False)
        .brotli(False)
        .zstd(False)
        .deflate(False)
    )
    if way == "http":  # no certificate is ever seen here, so the system's need not be read, which takes long
        return builder.no_proxy().danger_accept_invalid_certs(True).build()
    if bundle:
        builder = builder.add_root_certificate_pem(_read_bundle(bundle))
    return (builder.no_proxy() if way == "https" else builder).build()


def _read_bundle(path: str) -> bytes:
    try:
        return Path(path).expanduser().read_bytes()
    except OSError as error:
        raise ProviderError(
            f"The certificates in {path} cannot be read: {error.strerror}.", fault="bad_request"
        ) from None


def _hang_up(port: int) -> None:
    """Close the connections to a port of this machine that nobody waits for; 0 is no port of it.

    The library lets a request whose answer has not begun run on in the background when it is cancelled: a local
    model would go on reading a prompt that was taken back. So the sockets themselves are shut down, unless
    another request to the same port is under way.
    """
    if port == 0 or _in_flight[port] > 1:
        return
    with suppress(OSError):
        for name in os.listdir("/dev/fd"):  # noqa: PTH208
            _shut_down(int(name), port)


def _shut_down(descriptor: int, port: int) -> None:
    """End a connection to a port of this machine; leave every other open file as it is."""
    with suppress(OSError):
        copy = os.dup(descriptor)  # so that what is looked at cannot change meanwhile
        try:
            one = socket.socket(fileno=copy)
        except OSError:  # no socket
            os.close(copy)
            return
        with one:
            match one.getpeername():
                case (str(peer), int(number), *_) if number == port and is_loopback(peer):
                    one.shutdown(socket.SHUT_RDWR)


def _no_answer(error: DetailedPyreqwestError, where: str) -> ProviderError:
    causes = _causes(error)
    cause = _cause(error)
    if "certificate" in cause:
        return ProviderError(
            f"The certificate of {where} is not trusted ({cause}). If that is as it should be, name the file of "
            "its authority in SSL_CERT_FILE.",
        )
    if "dns error" in causes:
        return _network(f"Could not find {where}: {cause}")
    if isinstance(error, ConnectError) and "client error (Connect)" in causes:
        return _network(f"Could not connect to {where}: {cause}")
    if isinstance(error, ConnectError | ReadError):
        return _network(f"{where} closed the connection without an answer: {cause}")
    return _network(f"{where} sent something that is no HTTP: {cause}")


def _causes(error: BaseException) -> list[str]:
    causes = error.details["causes"] if isinstance(error, DetailedPyreqwestError) else None
    return [cause["message"] for cause in causes or []]


def _cause(error: DetailedPyreqwestError) -> str:
    """The innermost reason, as a part of a sentence."""
    causes = _causes(error)
    cause = (causes[-1] if causes else error.message).partition(" (os error")[0]
    return cause[:1].lower() + cause[1:]


def _network(sentence: str) -> ProviderError:
    return ProviderError(f"{sentence}.", fault="network")
