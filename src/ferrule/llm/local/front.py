"""The door of an engine: on loopback, for who knows the key, and for no web page.

llama.cpp itself listens on a socket in a private directory. Here each request must bear the key, whatever it asks
for; must name this very address as its host, so that no name that is made to point here will do; and must not come
from a browser. Then its bytes go through, one request to a connection, and a client that goes away ends its answer.
An engine that hangs up without a word is broken, most often for want of memory, and says so to whoever runs it.
"""

import asyncio
import hmac
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

import msgspec

from ferrule.core.messages import Value

HOST = "127.0.0.1"
LONGEST_HEAD = 64 * 1024
LARGEST_BODY = 64 * 1024 * 1024
PATIENCE = 30.0
"""Seconds within which a client must have said what it wants."""
_CHUNK = 64 * 1024
_HOP = {"connection", "keep-alive", "proxy-connection", "upgrade", "te", "trailer", "host", "expect"}
"""Headers that concern one connection alone; the next one gets its own."""
_REASONS = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    411: "Length Required",
    413: "Content Too Large",
    502: "Bad Gateway",
}


class _Head(Value, frozen=True):
    """The head of a request or of a response."""

    line: str
    headers: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str:
        """A header by its name in small letters; several of a name are none that is trusted."""
        found = [value for key, value in self.headers if key.lower() == name]
        return found[0] if len(found) == 1 else ""

    def encode(self, extra: Mapping[str, str]) -> bytes:
        """The bytes to pass on, with what this connection needs."""
        kept = [(key, value) for key, value in self.headers if key.lower() not in _HOP]
        passed = [(key, value) for key, value in kept if not key.lower().startswith("access-control-")]
        lines = [self.line, *(f"{key}: {value}" for key, value in (*passed, *extra.items()))]
        return "\r\n".join((*lines, "", "")).encode("latin-1")


class _Refusal(Exception):  # noqa: N818  it is an answer
    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Front:
    """Lets requests through to a socket, and knows how long there was none."""

    def __init__(self, socket: str, *, key: str, on_broken: Callable[[], None] = lambda: None) -> None:
        self._socket, self._key, self._on_broken = socket, key, on_broken
        self.is_broken = False
        self._server: asyncio.Server | None = None
        self.port = 0
        self._busy = 0
        self._at_rest = asyncio.Event()
        self._at_rest.set()
        self._last = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        """How long nothing has been asked."""
        return 0.0 if self._busy else time.monotonic() - self._last

    async def open(self) -> None:
        """Listen on a free port of this machine.

        Raises:
            OSError: there is none.
        """
        self._server = await asyncio.start_server(self._meet, HOST, 0, limit=LONGEST_HEAD)
        self.port = self._server.sockets[0].getsockname()[1]

    def shut(self) -> None:
        """Let nobody in any more."""
        if self._server:
            self._server.close()

    def break_off(self) -> None:
        """Know that the engine is of no use any more."""
        self.is_broken = True
        self._on_broken()

    async def emptied(self) -> None:
        """Wait until everybody has their answer."""
        await self._at_rest.wait()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._busy += 1
        self._at_rest.clear()
        try:
            with suppress(OSError, asyncio.IncompleteReadError):  # it went away, or never said what it wanted
                try:
                    async with asyncio.timeout(PATIENCE):
                        head = await _read_head(reader)
                        body = await reader.readexactly(self._admit(head))
                    await self._pass(head, body, reader, writer)
                except _Refusal as refusal:
                    writer.write(_answer(refusal.status, str(refusal)))
                    await writer.drain()
        finally:
            self._busy -= 1
            self._last = time.monotonic()
            writer.close()
            if not self._busy:
                self._at_rest.set()

    def _admit(self, head: _Head) -> int:
        """See whether a request may pass; gives the length of its body."""
        if head.get("host") not in {f"{HOST}:{self.port}", f"localhost:{self.port}"}:
            raise _Refusal(403, "This is not the host that was asked for.")
        if any(key.lower() == "origin" or key.lower().startswith("sec-fetch-") for key, _ in head.headers):
            raise _Refusal(403, "Web pages have no business here.")
        if not hmac.compare_digest(head.get("authorization").encode(), f"Bearer {self._key}".encode()):
            raise _Refusal(401, "The key is missing or wrong.")
        length = head.get("content-length") or "0"
        if any(key.lower() == "transfer-encoding" for key, _ in head.headers) or not length.isdecimal():
            raise _Refusal(411, "The length of the body must be said once.")
        if int(length) > LARGEST_BODY:
            raise _Refusal(413, "The request is too large.")
        return int(length)

    async def _pass(self, head: _Head, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Ask the engine, and give its answer as it comes; a client that goes away takes its request back."""
        try:
            theirs, ours = await asyncio.open_unix_connection(self._socket, limit=LONGEST_HEAD)
        except OSError as error:
            self.break_off()
            raise _Refusal(502, f"The engine does not answer: {error.strerror}.") from None
        answering = asyncio.create_task(_relay(head, body, (theirs, ours), writer))
        leaving = asyncio.create_task(_gone(reader))
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ours.transport.abort()
            for task in (answering, leaving):
                task.cancel()
            ended, _ = await asyncio.gather(answering, leaving, return_exceptions=True)
            if isinstance(ended, asyncio.IncompleteReadError):
                self.break_off()


async def _relay(
    head: _Head,
    body: bytes,
    engine: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    writer: asyncio.StreamWriter,
) -> None:
    theirs, ours = engine
    try:
        ours.write(head.encode({"Host": "localhost", "Connection": "close"}) + body)
        await ours.drain()
        writer.write((await _read_head(theirs)).encode({"Connection": "close"}))
        while chunk := await theirs.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
    except OSError:  # one of the two went away; what was not said stays unsaid
        writer.transport.abort()


async def _gone(reader: asyncio.StreamReader) -> None:
    with suppress(OSError):
        while await reader.read(_CHUNK):
            pass


async def _read_head(reader: asyncio.StreamReader) -> _Head:
    try:
        data = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise _Refusal(400, "The head of the request is too long.") from None
    line, *rest = data.decode("latin-1").split("\r\n")[:-2]
    pairs = [entry.partition(":") for entry in rest]
    if any(not mark or not key or key != key.strip() for key, mark, _ in pairs):
        raise _Refusal(400, "A header cannot be understood.")
    return _Head(line, tuple((key, value.strip()) for key, _, value in pairs))


def _answer(status: int, words: str) -> bytes:
    body = msgspec.json.encode({"error": {"message": words, "type": _REASONS[status], "code": status}})
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
