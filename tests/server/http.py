"""The HTTP side of the server: real sockets on loopback, in a thread of its own, and every fault on request."""

import asyncio
import socket
import struct
import threading
from collections.abc import Iterable
from types import ModuleType
from typing import Self

import msgspec

from tests.server import anthropic, listings, ollama, openai_chat, openai_responses
from tests.server.script import Received, Reply, Step
from tests.server.strict import Refused

WIRES: dict[str, ModuleType] = {one.PATH: one for one in (anthropic, openai_chat, openai_responses, ollama)}


class ModelServer:
    """A model server that follows a script: `async with ModelServer([Reply(text="Hello")]) as server:`.

    It refuses what the real services refuse. When the script is at its end, it says so with a 400.
    """

    def __init__(
        self,
        script: Iterable[Step] = (),
        *,
        key: str | None = "test-key",
        models: tuple[str, ...] = (),
        port: int = 0,
    ) -> None:
        self.script: list[Step] = list(script)
        self.key, self.models, self.port = key, models, port
        """Without a key none is asked for; without models every model is known."""
        self.requests: list[Received] = []
        """The requests to models, in the order of their arrival."""
        self.doubts: dict[str, dict[str, float]] | None = None
        """What else each word of a text could be that is to be copied; without it such requests are refused."""
        self.copies: list[Received] = []
        """The requests to copy a text."""
        self.others: list[Received] = []
        """All other requests: listings and wrong paths."""
        self.connections = 0
        self._steps = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop: asyncio.Event
        self._thread = threading.Thread(target=self._run, daemon=True, name="model-server")

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(30):
            raise RuntimeError("The model server did not start.")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.__exit__)

    def refusals(self) -> list[str]:
        """What was wrong with the requests."""
        return [request.refused for request in self.requests if request.refused]

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._connection(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(accept, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        try:
            while request := await _read(reader, number):
                await Answering(self, request, reader, writer).answer()
        except (ConnectionError, asyncio.IncompleteReadError, Hangup):
            pass
        finally:
            writer.close()

    def next_step(self, request: Received) -> Reply | None:
        """What the script says next."""
        if self._steps >= len(self.script):
            return None
        step = self.script[self._steps]
        self._steps += 1
        return step if isinstance(step, Reply) else step(request)


class Hangup(Exception):  # noqa: N818
    """The connection is to be closed, or was."""


class Answering:
    """One request and its answer."""

    def __init__(
        self, server: ModelServer, request: Received, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.server, self.request, self.reader, self.writer = server, request, reader, writer
        self.sent = 0

    async def answer(self) -> None:
        """Find out what to say, and say it."""
        request, server = self.request, self.server
        wire = WIRES.get(request.path.partition("?")[0])
        if wire is None or request.method != "POST":
            server.others.append(request)
            status, document = listings.answer(request, server.models)
            await self._whole(status, msgspec.json.encode(document), {})
            return
        is_copy = isinstance(request.body, dict) and "grammar" in request.body
        number = len(server.requests) + 1
        (server.copies if is_copy else server.requests).append(request)
        try:
            if not is_copy or server.doubts is None:
                wire.check(request, server.key)
            self._check_model(request)
        except Refused as refused:
            request.refused = refused.message
            body = wire.error(refused.kind, refused.message, refused.code)
            await self._whole(refused.status, msgspec.json.encode(body), {})
            return
        if is_copy and server.doubts is not None:
            await self._stream(Reply(), list(openai_chat.copied(request, server.doubts)), wire.CONTENT_TYPE)
            return
        reply = server.next_step(request) or Reply(status=400, kind="bad_request", message="The script is at its end.")
        await self._reply(reply, wire, number)

    def _check_model(self, request: Received) -> None:
        model = request.body["model"]
        if self.server.models and model not in self.server.models:
            raise Refused(f"model '{model}' not found", status=404, kind="no_model", code="model_not_found")
        if not request.body.get("stream"):
            raise Refused("This server only streams: set `stream`.")

    async def _reply(self, reply: Reply, wire: ModuleType, number: int) -> None:
        if reply.silent:
            self._hang_up(reply)
        await self._pause(reply.delay)
        if reply.status != 200:
            given = wire.error(reply.kind or "server", reply.message)
            body = msgspec.json.encode(given) if reply.body is None else reply.body.encode()
            await self._whole(reply.status, body, reply.headers)
            return
        if reply.body is not None:
            events = [reply.body.encode("utf-8", "surrogateescape")]
        else:
            events = list(wire.render(reply, self.request, number))
        events = [event.replace("☠".encode(), b"\xff") for event in events]
        await self._stream(reply, events, reply.headers.get("content-type", wire.CONTENT_TYPE))

    async def _stream(self, reply: Reply, events: list[bytes], content_type: str) -> None:
        body = b"".join(events)
        if reply.cut is not None or reply.stall is not None:
            body = body[: reply.stall if reply.cut is None else reply.cut]
            events = [body]
        if reply.chunk:
            events = [body[start : start + reply.chunk] for start in range(0, len(body), reply.chunk)]
        more = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items() if name != "content-type")
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n{more}\r\n"
        self.writer.write(head.encode())
        for event in events:
            if event:
                self.writer.write(b"%x\r\n%b\r\n" % (len(event), event))
            if reply.pace or reply.chunk:
                await self._drain()
                await self._pause(reply.pace)
        await self._drain()
        if reply.stall is not None:
            await self._pause(3600)
        if reply.cut is not None:
            self._hang_up(reply)
        self.writer.write(b"0\r\n\r\n")
        await self._drain()

    async def _whole(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        fields = {"content-type": "application/json", "content-length": str(len(body))} | headers
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.writer.write(f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode() + body)
        await self._drain()

    async def _drain(self) -> None:
        try:
            await self.writer.drain()
        except ConnectionError:
            self.request.abandoned = True
            raise

    async def _pause(self, seconds: float) -> None:
        """Wait, but notice when the client leaves meanwhile."""
        if not seconds:
            return
        try:
            async with asyncio.timeout(seconds):
                await self.reader.read(1)
        except TimeoutError:
            return
        except ConnectionError:
            pass
        self.request.abandoned = True
        raise Hangup

    def _hang_up(self, reply: Reply) -> None:
        if reply.reset:
            linger = struct.pack("ii", 1, 0)
            self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.writer.transport.abort()
        raise Hangup


async def _read(reader: asyncio.StreamReader, connection: int) -> Received | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    try:
        body = msgspec.json.decode(raw) if raw else None
    except msgspec.DecodeError:
        body = None
    return Received(method=method, path=path, headers=headers, raw=raw, body=body, connection=connection)
