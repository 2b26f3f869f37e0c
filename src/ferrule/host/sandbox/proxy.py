"""What a program inside asks of its proxy, in HTTP or in SOCKS 5, and how it is answered."""

import asyncio
import re
import socket
from contextlib import suppress

from ferrule.core.messages import Value
from ferrule.core.regex import lazy
from ferrule.host.sandbox.hosts import port_number, split_port
from ferrule.host.sandbox.reach import Refusal, RefusalKind

_CHUNK = 64 * 1024
_LONGEST_HEAD = 64 * 1024
_LINGER_SECONDS, _LINGER_BYTES = 2.0, 1024 * 1024
_ABSOLUTE = lazy(r"http://([^/?#]*)([^#]*)(?:#.*)?", re.IGNORECASE)
_TOKEN = lazy(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = lazy(r"[\x00-\x08\x0a-\x1f\x7f]")
_FOR_THE_PROXY = frozenset({"connection", "keep-alive", "proxy-connection", "proxy-authorization", "upgrade", "host"})
"""What a request says to the proxy and not to the server, and what is said anew."""
_FRAMES = frozenset({"content-length", "transfer-encoding"})
"""What no `Connection` header can take away, since it says where a request ends."""
_STATUS: dict[RefusalKind, int] = {
    "malformed": 400,
    "unsupported": 501,
    "forbidden": 403,
    "unreachable": 502,
    "slow": 504,
}
_SOCKS_VERSION, _SOCKS_CONNECT = 5, 1
_SOCKS_STATUS: dict[RefusalKind, int] = {
    "malformed": 1,
    "unsupported": 7,
    "forbidden": 2,
    "unreachable": 4,
    "slow": 6,
}


class Wish(Value, frozen=True, kw_only=True):
    """A connection that a program asks for."""

    host: str
    port: int
    welcome: bytes = b""
    """What the program is told when there is one."""
    opening: bytes = b""
    """What the server is told first, for the program."""


class Client:
    """One connection of a program to its proxy."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._loop = asyncio.get_running_loop()
        self._received = bytearray()
        self._speaks_socks = False

    async def wish(self) -> Wish:
        """Hear what it wants.

        Raises:
            Refusal: that cannot be understood.
            OSError: it went away.
        """
        await self._receive()
        self._speaks_socks = self._received[0] == _SOCKS_VERSION
        return await (self._hear_socks() if self._speaks_socks else self._hear_http())

    def rest(self) -> bytes:
        """What it sent behind its wish already, for the server."""
        return bytes(self._received)

    async def refuse(self, refusal: Refusal) -> None:
        """Say no, and wait a little until that is read: closing at once could take the words back."""
        await self.send(socks_answer(refusal.kind) if self._speaks_socks else http_answer(refusal))
        self._socket.shutdown(socket.SHUT_WR)
        left = _LINGER_BYTES
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_SECONDS):
                while left > 0 and (data := await self._loop.sock_recv(self._socket, _CHUNK)):
                    left -= len(data)

    async def send(self, data: bytes) -> None:
        """Tell it something."""
        await self._loop.sock_sendall(self._socket, data)

    async def _hear_http(self) -> Wish:
        seen = 0
        while (end := self._received.find(b"\r\n\r\n", max(0, seen - 3))) < 0:
            seen = len(self._received)
            if seen > _LONGEST_HEAD:
                raise Refusal("malformed", f"the head of the request is longer than {_LONGEST_HEAD:,} bytes")
            await self._receive()
        head = await self._take(end + 4)
        return read_http(head[:end])

    async def _hear_socks(self) -> Wish:
        _, count = await self._take(2)
        if 0 not in await self._take(count):
            await self.send(bytes((_SOCKS_VERSION, 0xFF)))
            raise ConnectionAbortedError
        await self.send(bytes((_SOCKS_VERSION, 0)))
        version, command, _, kind = await self._take(4)
        host = await self._take_socks_host(kind)
        port = int.from_bytes(await self._take(2), "big")
        if version != _SOCKS_VERSION or port == 0:
            raise Refusal("malformed", "the request is no SOCKS 5")
        if command != _SOCKS_CONNECT:
            raise Refusal("unsupported", "only connections can be asked for")
        return Wish(host=host, port=port, welcome=socks_answer(None))

    async def _take_socks_host(self, kind: int) -> str:
        match kind:
            case 1:
                return socket.inet_ntop(socket.AF_INET, await self._take(4))
            case 4:
                return socket.inet_ntop(socket.AF_INET6, await self._take(16))
            case 3:
                return (await self._take((await self._take(1))[0])).decode("latin-1")
            case _:
                raise Refusal("malformed", "the request is no SOCKS 5")

    async def _take(self, size: int) -> bytes:
        while len(self._received) < size:
            await self._receive()
        taken = bytes(self._received[:size])
        del self._received[:size]
        return taken

    async def _receive(self) -> None:
        data = await self._loop.sock_recv(self._socket, _CHUNK)
        if not data:
            raise ConnectionResetError
        self._received += data


def read_http(head: bytes) -> Wish:
    """Understand the head of a request to a proxy, without the empty line at its end.

    Raises:
        Refusal: it is none.
    """
    line, *fields = head.decode("latin-1").split("\r\n")
    words = line.split(" ")
    if len(words) != 3 or words[2] not in {"HTTP/1.0", "HTTP/1.1"} or any(map(_CONTROL.search, (line, *fields))):
        raise Refusal("malformed", "the request is no HTTP/1.1")
    method, target, version = words
    if method == "CONNECT":
        host, port = _place(target, None)
        return Wish(host=host, port=port, welcome=b"HTTP/1.1 200 Connection established\r\n\r\n")
    match = _ABSOLUTE.fullmatch(target)
    if match is None:
        raise Refusal("malformed", "this is a proxy: it takes CONNECT, and http:// addresses in full")
    host, port = _place(match[1], 80)
    path = match[2] if match[2].startswith("/") else f"/{match[2]}"
    lines = (f"{method} {path} {version}", f"Host: {match[1]}", *_for_server(fields), "Connection: close")
    return Wish(host=host, port=port, opening="\r\n".join((*lines, "", "")).encode("latin-1"))


def _place(authority: str, usual_port: int | None) -> tuple[str, int]:
    """Part an authority into host and port; user names have no place in it."""
    host, digits = split_port(authority)
    port = port_number(digits) if digits else usual_port
    if not host or port is None or "@" in authority:
        raise Refusal("malformed", f"{ascii(authority)[:100]} is no host with a port")
    return host, port


def _for_server(fields: list[str]) -> list[str]:
    """The header lines that the server shall see: not those which end at the proxy."""
    named: list[tuple[str, str]] = []
    for field in fields:
        name, colon, _ = field.partition(":")
        if not colon or not _TOKEN.fullmatch(name):
            raise Refusal("malformed", "the request has a header line that is none")
        named.append((name.lower(), field))
    listed = ",".join(field.partition(":")[2] for name, field in named if name == "connection")
    dropped = _FOR_THE_PROXY | ({word.strip().lower() for word in listed.split(",")} - _FRAMES)
    return [field for name, field in named if name not in dropped]


def http_answer(refusal: Refusal) -> bytes:
    """Refuse in HTTP. The words stand in the first line too: of the answer to a CONNECT many show no more."""
    body = f"{refusal.words}\n".encode()
    head = (
        f"HTTP/1.1 {_STATUS[refusal.kind]} {refusal.words}\r\nContent-Type: text/plain\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\nProxy-Connection: close\r\n\r\n"
    )
    return head.encode() + body


def socks_answer(kind: RefusalKind | None) -> bytes:
    """Refuse in SOCKS, or with None agree; of the address and port that belong to it nobody makes use."""
    return bytes((_SOCKS_VERSION, 0 if kind is None else _SOCKS_STATUS[kind], 0, 1, 0, 0, 0, 0, 0, 0))
