"""Looks names up and connects to addresses, without a word on whether that is allowed (see `dial.py`)."""

import asyncio
import os
import socket
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Literal

RefusalKind = Literal["malformed", "unsupported", "forbidden", "unreachable", "slow"]


class Refusal(Exception):  # noqa: N818 - it is an answer, not a fault
    """No connection, in words for whoever asked for it."""

    def __init__(self, kind: RefusalKind, words: str) -> None:
        super().__init__(words)
        self.kind: RefusalKind = kind
        self.words = words


async def resolve(host: str) -> tuple[str, ...]:
    """Ask the machine's name service, in a thread that nobody has to wait for at the end of the program."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[tuple[str, ...]] = loop.create_future()

    def settle(addresses: tuple[str, ...]) -> None:
        if not answer.done():
            answer.set_result(addresses)

    def look_up() -> None:
        found: list[str] = []
        with suppress(OSError, UnicodeError):
            found = [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
        with suppress(RuntimeError):  # the program ended meanwhile
            loop.call_soon_threadsafe(settle, tuple(dict.fromkeys(found)))

    threading.Thread(target=look_up, name="resolve", daemon=True).start()
    return await answer


async def connect(addresses: Iterable[str], port: int, *, name: str, seconds_each: float) -> socket.socket:
    """Connect to the first address of a host that answers.

    Raises:
        Refusal: none does.
    """
    reason = "no answer"
    for address in addresses:
        try:
            async with asyncio.timeout(seconds_each):
                return await _connect(address, port)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else "no answer"
    raise Refusal("unreachable", f"host {name} could not be reached on port {port}: {reason}")


async def _connect(address: str, port: int) -> socket.socket:
    server = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        server.setblocking(False)
        await asyncio.get_running_loop().sock_connect(server, (address, port))
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        server.close()
        raise
    return server
