"""A small internet on loopback, and programs that reach it from a sandbox or through an open door."""

import asyncio
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from msgspec import Struct

import ferrule
from ferrule.host.sandbox.broker import Broker, Line, prefix, variables
from ferrule.host.sandbox.dial import Ways
from ferrule.host.sandbox.hosts import Hosts
from ferrule.host.sandbox.seccomp import filter_bytes

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_OURS = [place for place in (sys.prefix, sys.base_prefix, str(Path(ferrule.__file__).parent)) if place[:5] == "/tmp/"]
BUBBLEWRAP = (
    *("/usr/bin/bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/tmp", "--unshare-all"),
    *("--new-session", "--cap-drop", "ALL"),
    *(word for place in _OURS for word in ("--ro-bind", place, place)),
)


async def everywhere(_host: str) -> tuple[str, ...]:
    """The name service of this internet: all hosts are here."""
    return ("127.0.0.1",)


HERE = Ways(resolve=everywhere, is_public=lambda _: True)
"""How this internet is reached."""


@asynccontextmanager
async def serving(handler: Handler, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server on loopback; gives its port."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def web(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A web server that says what it was asked, once."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    size = next((int(line[15:]) for line in head.split("\r\n") if line.lower().startswith("content-length:")), 0)
    body = head.encode() + await reader.readexactly(size)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body))
    await writer.drain()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Say everything back, and the end too."""
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.write_eof()


@asynccontextmanager
async def brokering(ways: Ways = HERE) -> AsyncIterator[Broker]:
    """A broker, closed at the end."""
    broker = Broker(ways)
    try:
        yield broker
    finally:
        await broker.close()


@asynccontextmanager
async def door(broker: Broker, *listed: str) -> AsyncIterator[tuple[Line, int]]:
    """A line to the listed hosts and the port of its door, which stands in our own network."""
    line = broker.open(Hosts(listed).allow)
    with ExitStack() as held:
        theirs, sync = (held.enter_context(socket.socket(fileno=one)) for one in line.give_away())
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            socket.send_fds(theirs, [b"\0"], [listener.fileno()])
        theirs.close()
        yield line, port
        sync.close()


async def tunnel(door: int, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a host through a door, by CONNECT."""
    reader, writer = await asyncio.open_connection("127.0.0.1", door)
    writer.write(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
    return reader, writer


async def until(condition: Callable[[], bool], *, seconds: float = 30) -> None:
    """Poll until something holds."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


class Ran(Struct, frozen=True, kw_only=True):
    """What a command came to."""

    code: int
    output: str
    refusals: tuple[str, ...] = ()


class Inside:
    """Runs commands in real sandboxes that can reach some hosts."""

    def __init__(
        self,
        broker: Broker,
        *listed: str,
        wrapper: Sequence[str] = (*BUBBLEWRAP, "--die-with-parent", "--proc", "/proc"),
        python: str = sys.executable,
    ) -> None:
        self._broker, self._listed, self._wrapper, self._python = broker, listed, wrapper, python
        self.environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}

    async def run(self, *argv: str | bytes) -> Ran:
        """Run a command to its end, and wait for the end of its line."""
        line, process = await self.start(*argv)
        output, _ = await process.communicate()
        await until(lambda: line.is_closed)
        assert process.returncode is not None
        return Ran(code=process.returncode, output=output.decode(errors="replace"), refusals=line.refusals)

    async def shell(self, script: str) -> Ran:
        """Run a script."""
        return await self.run("/bin/bash", "-c", script)

    async def start(self, *argv: str | bytes) -> tuple[Line, asyncio.subprocess.Process]:
        """Start a command."""
        line = self._broker.open(Hosts(self._listed).allow)
        relay, sync = line.give_away()
        calls = _in_memory(filter_bytes(network=True))
        inner = ("--sync-fd", str(sync), "--seccomp", str(calls), self._python, *prefix(relay, {})[1:])
        try:
            process = await asyncio.create_subprocess_exec(
                *(*self._wrapper, *inner, *argv),
                pass_fds=(relay, sync, calls),
                env=self.environment | variables(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        finally:
            for descriptor in (relay, sync, calls):
                os.close(descriptor)
        return line, process


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("filter")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def certificate(directory: Path, host: str) -> tuple[ssl.SSLContext, Path]:
    """A certificate for a host, made just now: what a server needs of it, and the file that a client trusts."""
    key, file = directory / "key.pem", directory / "certificate.pem"
    request = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    names = ("-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}", "-days", "2")
    subprocess.run([*request, *names, "-keyout", key, "-out", file], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return context, file
