"""Gives confined commands a way to the hosts that the user allows: a proxy whose door alone stands inside.

    Ferrule                               the sandbox, with a network of its own that leads nowhere
    broker ── line ─── the door ◀──────── 127.0.0.1:PORT ◀── curl, pip, git, …
       └───▶ an allowed host

A command has a line, a pair of sockets. The far end goes into the sandbox twice: `relay.py` sends the listening socket
over it, and bubblewrap holds the other copy until its last process is gone (`--sync-fd`), which ends the line and
whatever runs over it. All else happens out here: nothing but bytes and a listening socket of the inner network ever
crosses, so there is nothing inside that leads anywhere else, and what comes out of it is not trusted.
"""

import asyncio
import os
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ferrule.core.errors import ConfigError, ToolError
from ferrule.host.sandbox.dial import Allowed, Ways, dial
from ferrule.host.sandbox.hosts import Hosts
from ferrule.host.sandbox.profile import Way
from ferrule.host.sandbox.proxy import Client
from ferrule.host.sandbox.reach import Refusal
from ferrule.host.sandbox.upstream import from_environment

PORT = 61_080
"""Where the proxy is found inside; the network there is the command's own, so it is always free at first."""
MOST_CONNECTIONS, MOST_OF_ONE = 128, 64
"""At once: of all commands, and of one. Each costs two descriptors; those beyond wait for their turn."""
_PATIENCE = 30.0
"""Seconds in which a program has to say what it wants, and to hear why it cannot have it."""
_CHUNK = 256 * 1024
_MOST_REFUSALS = 20
_SCRIPT = Path(__file__).with_name("relay.py")
_LOADER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_NAMES = """
    http_proxy https_proxy ftp_proxy all_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY
    npm_config_proxy npm_config_https_proxy YARN_HTTP_PROXY YARN_HTTPS_PROXY PIP_PROXY CARGO_HTTP_PROXY
"""
"""Those that many programs know, and those that win over the configuration files of some."""


def variables() -> dict[str, str]:
    """What tells programs inside about the proxy."""
    local = "localhost,127.0.0.1,::1"
    exceptions = {"no_proxy": local, "NO_PROXY": local, "npm_config_noproxy": local}
    return dict.fromkeys(_NAMES.split(), f"http://127.0.0.1:{PORT}") | exceptions | {"NODE_USE_ENV_PROXY": "1"}


def prefix(descriptor: int, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """What comes before a command inside, given the number that the line has there."""
    loader = [f"{name}={environment[name]}" for name in _LOADER if name in environment]
    start = ("/usr/bin/env", *loader) if loader else ()
    return (*start, sys.executable, "-I", "-S", str(_SCRIPT), str(descriptor), str(PORT))


class Broker:
    """Serves the commands of a session. It starts no process, and costs nothing before the first line."""

    def __init__(self, ways: Ways | None = None) -> None:
        """Make ready; without `ways` hosts are reached as this machine reaches them."""
        self._ways = ways or Ways(upstream=from_environment(os.environ))
        self._room = asyncio.Semaphore(MOST_CONNECTIONS)
        self._lines: set[Line] = set()
        self._work: set[asyncio.Task[None]] = set()

    def open(self, allowed: Allowed) -> "Line":
        """Make a line for one command, which may reach what is allowed.

        Raises:
            OSError: there are no descriptors left.
        """
        line = Line(allowed, self._ways, self._room, self._work)
        self._lines = {one for one in self._lines if not one.is_closed} | {line}
        return line

    def open_way(self, hosts: tuple[str, ...], descriptor: int) -> Way:
        """Make all that a sandbox needs to let one command reach hosts, given the number of the line inside.

        Raises:
            OSError: there are no descriptors left.
            ToolError: one of the hosts is none.
        """
        try:
            allowed = Hosts(hosts).allow
        except ConfigError as error:
            raise ToolError(f"The command could not be started: in safety.network {error}") from error
        line = self.open(allowed)
        return Way(
            prefix=prefix(descriptor),
            environment=variables(),
            descriptors=line.give_away(),
            finish=lambda: tuple(f"A connection was refused: {words}." for words in line.refusals),
        )

    async def close(self) -> None:
        """End all lines, and wait until nothing of them is left."""
        for line in self._lines:
            line.close()
        self._lines.clear()
        await asyncio.gather(*self._work, return_exceptions=True)


class Line:
    """The way out of one sandbox."""

    def __init__(self, allowed: Allowed, ways: Ways, room: asyncio.Semaphore, work: set[asyncio.Task[None]]) -> None:
        self._allowed, self._ways, self._work = allowed, ways, work
        self._room, self._own_room = room, asyncio.Semaphore(MOST_OF_ONE)
        self._refusals: dict[str, None] = {}
        self._task: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._ours, theirs = socket.socketpair()
        with theirs:
            self._theirs = [theirs.dup(), theirs.dup()]
        self._ours.setblocking(False)
        self._loop.add_reader(self._ours, self._on_word)

    @property
    def is_closed(self) -> bool:
        """Whether it is at its end."""
        return self._ours.fileno() < 0

    @property
    def refusals(self) -> tuple[str, ...]:
        """Why connections were refused, each reason once."""
        return tuple(self._refusals)

    def give_away(self) -> tuple[int, int]:
        """The far end, for `prefix` and for `--sync-fd`; whoever takes it closes it."""
        relay, sync = self._theirs
        return relay.detach(), sync.detach()

    def close(self) -> None:
        """End it, and every connection that runs over it."""
        if not self.is_closed:
            self._loop.remove_reader(self._ours)
            for end in (self._ours, *self._theirs):
                end.close()
            if self._task:
                self._task.cancel()

    def _on_word(self) -> None:
        """Take the door, which comes once; after it nothing comes but the end."""
        door = None if self._task else _receive_door(self._ours)
        if door is None:
            self.close()
            return
        self._task = self._loop.create_task(self._serve(door))
        self._work.add(self._task)
        self._task.add_done_callback(self._work.discard)
        self._task.add_done_callback(lambda _: door.close())

    async def _serve(self, door: socket.socket) -> None:
        """Accept connections as long as there is room for them."""
        async with asyncio.TaskGroup() as connections:
            while True:
                await self._own_room.acquire()
                await self._room.acquire()
                try:
                    connection = await _accept(door)
                except BaseException:
                    self._room.release()
                    raise
                task = connections.create_task(self._attend(connection))
                task.add_done_callback(lambda _, connection=connection: self._dismiss(connection))  # type: ignore[misc]

    def _dismiss(self, connection: socket.socket) -> None:
        connection.close()
        self._own_room.release()
        self._room.release()

    async def _attend(self, connection: socket.socket) -> None:
        """Serve one connection to its end."""
        client = Client(connection)
        with suppress(OSError):  # it went away: there is nobody to tell
            try:
                async with asyncio.timeout(_PATIENCE):
                    wish = await client.wish()
                server = await dial(wish.host, wish.port, allowed=self._allowed, ways=self._ways)
            except Refusal as refusal:
                self._note(refusal)
                async with asyncio.timeout(_PATIENCE):
                    await client.refuse(refusal)
                return
            with server:
                await client.send(wish.welcome)
                await self._loop.sock_sendall(server, wish.opening + client.rest())
                await _join(connection, server)

    def _note(self, refusal: Refusal) -> None:
        if refusal.kind != "malformed" and len(self._refusals) < _MOST_REFUSALS:
            self._refusals[refusal.words] = None


def _receive_door(line: socket.socket) -> socket.socket | None:
    """A listening socket, if that is what came over a line; anything else is closed."""
    descriptors: list[int] = []
    try:
        _, descriptors, _, _ = socket.recv_fds(line, 1, 1, socket.MSG_CMSG_CLOEXEC)
        door = socket.socket(fileno=descriptors[0])
    except (OSError, IndexError):
        for descriptor in descriptors:
            os.close(descriptor)
        return None
    is_stream = door.family == socket.AF_INET and door.type == socket.SOCK_STREAM
    if is_stream and door.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        door.setblocking(False)
        return door
    door.close()
    return None


async def _accept(door: socket.socket) -> socket.socket:
    """The next connection. Unlike the loop's own way, this one loses none when it is called off."""
    while True:
        try:
            connection, _ = door.accept()
        except BlockingIOError:
            await _readable(door)
        except OSError:  # it was given up before its turn, or we have no descriptors left
            await asyncio.sleep(0.1)
        else:
            connection.setblocking(False)
            return connection


async def _readable(door: socket.socket) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(door, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(door)


async def _join(one: socket.socket, other: socket.socket) -> None:
    """Pass bytes both ways until both have ended; what is cut on one side is cut on the other too."""
    try:
        async with asyncio.TaskGroup() as ways:
            ways.create_task(_pump(one, other))
            ways.create_task(_pump(other, one))
    except* OSError:
        for end in (one, other):
            with suppress(OSError):  # closing resets it now: an ordinary end would look like the end of the data
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def _pump(source: socket.socket, target: socket.socket) -> None:
    """Pass on bytes as fast as they are taken, then the end."""
    loop = asyncio.get_running_loop()
    while data := await loop.sock_recv(source, _CHUNK):
        await loop.sock_sendall(target, data)
        await asyncio.sleep(0)  # the two may be so quick that nobody else would have a turn
    target.shutdown(socket.SHUT_WR)
