import asyncio
import os
import resource
import socket
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from ferrule.host.sandbox.broker import MOST_CONNECTIONS, MOST_OF_ONE, PORT, prefix, variables
from ferrule.host.sandbox.hosts import Hosts
from tests.host.sandbox.internet import HERE, brokering, door, echo, serving, tunnel, until, web

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a door is a matter of Linux's namespaces")


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def ask(door: int, request: bytes) -> bytes:
    """Everything that a proxy says to a request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", door)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    return answer


async def test_a_request_for_a_listed_host() -> None:
    async with serving(web) as port, brokering() as broker, door(broker, f"host.org:{port}") as (line, entry):
        head = f"POST http://host.org:{port}/x HTTP/1.1\r\nHost: host.org\r\nContent-Length: 5\r\n\r\nhello"
        answer = await ask(entry, head.encode())
        seen = f"POST /x HTTP/1.1\r\nHost: host.org:{port}\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
        assert answer.decode() == f"HTTP/1.1 200 OK\r\nContent-Length: {len(seen)}\r\nConnection: close\r\n\r\n{seen}"
        assert line.refusals == ()


async def test_a_request_for_another_host() -> None:
    async with brokering() as broker, door(broker, "host.org") as (line, entry):
        words = "host evil.com is not among those that the user allows (safety.network)"
        whole = (
            f"HTTP/1.1 403 {words}\r\nContent-Type: text/plain\r\nContent-Length: {len(words) + 1}\r\n"
            f"Connection: close\r\nProxy-Connection: close\r\n\r\n{words}\n"
        )
        assert (await ask(entry, b"GET http://evil.com/ HTTP/1.1\r\n\r\n")).decode() == whole
        assert (await ask(entry, b"CONNECT evil.com:443 HTTP/1.1\r\n\r\n")).decode() == whole
        assert await ask(entry, b"\x05\x01\x00\x05\x01\x00\x03\x08evil.com\x01\xbb") == b"\5\0\5\2\0\1\0\0\0\0\0\0"
        assert (await ask(entry, b"nonsense\r\n\r\n")).startswith(b"HTTP/1.1 400 the request is no HTTP/1.1\r\n")
        assert line.refusals == (words,)


async def test_a_refusal_is_read_whole_by_one_who_still_sends() -> None:
    async with brokering() as broker, door(broker) as (_, entry):
        head = b"POST http://evil.com/ HTTP/1.1\r\nContent-Length: 900000\r\n\r\n"
        answer = await ask(entry, head + b"x" * 900_000)
        assert answer.endswith(b"\r\n\r\nhost evil.com is not among those that the user allows (safety.network)\n")


async def test_refusals_are_noted_once_and_not_without_end() -> None:
    async with brokering() as broker, door(broker) as (line, entry):
        for number in (*range(25), 0, 1, 2):
            await ask(entry, f"CONNECT h{number}.com:443 HTTP/1.1\r\n\r\n".encode())
        noted = [f"host h{number}.com is not among those that the user allows (safety.network)" for number in range(20)]
        assert list(line.refusals) == noted


async def test_bytes_go_both_ways_and_so_does_the_end() -> None:
    async with serving(echo) as port, brokering() as broker, door(broker, "host.org:*") as (_, entry):
        reader, writer = await tunnel(entry, "host.org", port)
        for _ in range(3):
            writer.write(b"hello")
            assert await reader.readexactly(5) == b"hello"
        data = os.urandom(3_000_000)
        writer.write(data)
        writer.write_eof()
        assert await reader.read() == data
        writer.close()


async def test_a_server_may_go_on_after_its_client_has_said_all_and_the_other_way_round() -> None:
    heard: list[bytes] = []

    async def ends_first(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"done")
        writer.write_eof()
        heard.append(await reader.read())

    async def ends_last(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read()).upper())

    async with (
        serving(ends_first) as one,
        serving(ends_last) as other,
        brokering() as broker,
        door(broker, "host.org:*") as (_, entry),
    ):
        reader, writer = await tunnel(entry, "host.org", one)
        assert await reader.read() == b"done"
        writer.write(b"late")
        writer.close()
        await until(lambda: heard == [b"late"])
        reader, writer = await tunnel(entry, "host.org", other)
        writer.write(b"hello")
        writer.write_eof()
        assert await reader.read() == b"HELLO"
        writer.close()


async def test_what_is_cut_on_one_side_is_cut_on_the_other() -> None:
    async def cut(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"half")
        await writer.drain()
        await asyncio.sleep(0)
        own = writer.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async with serving(cut) as port, brokering() as broker, door(broker, "host.org:*") as (_, entry):
        reader, writer = await tunnel(entry, "host.org", port)
        with pytest.raises(ConnectionResetError):
            await reader.read()
        writer.close()
        with suppress(ConnectionResetError):
            await writer.wait_closed()


async def test_a_slow_reader_holds_up_its_server() -> None:
    sent = 0

    async def pour(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        while True:
            writer.write(bytes(65536))
            await writer.drain()
            sent += 65536

    async with serving(pour) as port, brokering() as broker, door(broker, "host.org:*") as (_, entry):
        with socket.create_connection(("127.0.0.1", entry)) as client:
            client.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(client, f"CONNECT host.org:{port} HTTP/1.1\r\n\r\n".encode())
            before = -1
            while sent > before or sent == 0:  # until it stands still
                before = sent
                await asyncio.sleep(0.2)
            assert sent < 64 * 1024 * 1024
            taken = 0
            while taken < before + 1_000_000:
                taken += len(await loop.sock_recv(client, 1_000_000))


async def test_fifty_at_once() -> None:
    async def one(entry: int, port: int, number: int) -> bool:
        reader, writer = await tunnel(entry, f"h{number}.org", port)
        data = f"{number}".encode() * 50_000
        writer.write(data)
        writer.write_eof()
        answer = await reader.read()
        writer.close()
        return answer == data

    async with serving(echo) as port, brokering() as broker, door(broker, "*.org:*") as (_, entry):
        assert all(await asyncio.gather(*(one(entry, port, number) for number in range(50))))


async def test_those_beyond_the_bound_wait_for_their_turn() -> None:
    async with serving(echo) as port, brokering() as broker, door(broker, "host.org:*") as (_, entry):
        held = [await tunnel(entry, "host.org", port) for _ in range(MOST_OF_ONE)]
        waiting = asyncio.create_task(tunnel(entry, "host.org", port))
        async with door(broker, "host.org:*") as (_, other):  # another command has room
            _, free = await tunnel(other, "host.org", port)
            free.close()
        assert not waiting.done()
        held.pop()[1].close()
        held.append(await waiting)
        for _, writer in held:
            writer.close()


def test_all_commands_together_leave_descriptors_for_the_rest() -> None:
    assert min(1024, resource.getrlimit(resource.RLIMIT_NOFILE)[0]) / 2 > 2 * MOST_CONNECTIONS


async def test_the_end_of_the_sandbox_ends_its_connections() -> None:
    async with serving(echo) as port, brokering() as broker:
        before = descriptors()
        async with door(broker, "host.org:*") as (line, entry):
            reader, writer = await tunnel(entry, "host.org", port)
        assert await reader.read() == b""
        writer.close()
        await until(lambda: line.is_closed and descriptors() == before)
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", entry)


async def test_closing_leaves_nothing_behind() -> None:
    async with serving(echo) as port:
        before, tasks = descriptors(), len(asyncio.all_tasks())
        async with brokering() as broker, door(broker, "host.org:*") as (_, entry):
            held = [await tunnel(entry, "host.org", port) for _ in range(5)]
            _, silent = await asyncio.open_connection("127.0.0.1", entry)
            broker.open(Hosts(()).allow)  # of which nobody made use
            await broker.close()
            for reader, writer in held:
                assert await reader.read() == b""
                writer.close()
            silent.close()
        await until(lambda: descriptors() == before and len(asyncio.all_tasks()) == tasks)


async def test_what_is_no_door_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    async with brokering() as broker:
        before = descriptors()
        with (
            (tmp_path / "file").open() as file,
            socket.socket() as unconnected,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
            socket.socket(socket.AF_UNIX) as local,
        ):
            local.bind(os.fspath(tmp_path / "socket"))
            local.listen()
            for given in ([file], [unconnected], [datagrams], [local], []):
                line = broker.open(Hosts(["host.org"]).allow)
                theirs, sync = (socket.socket(fileno=one) for one in line.give_away())
                with theirs, sync:
                    socket.send_fds(theirs, [b"\0"], [one.fileno() for one in given])
                    await until(lambda line=line: line.is_closed)  # type: ignore[misc]
        await until(lambda: descriptors() == before)


async def test_a_line_hears_one_word_and_no_more() -> None:
    async with serving(echo) as port, brokering() as broker:
        line = broker.open(Hosts(["host.org:*"]).allow)
        theirs, sync = (socket.socket(fileno=one) for one in line.give_away())
        with theirs, sync, socket.create_server(("127.0.0.1", 0)) as listener:
            socket.send_fds(theirs, [b"\0"], [listener.fileno()])
            _, writer = await tunnel(listener.getsockname()[1], "host.org", port)
            writer.close()
            sync.send(b"\0")
            await until(lambda: line.is_closed)


async def test_hostile_bytes_end_one_connection_and_not_the_line() -> None:
    async with serving(echo) as port, brokering() as broker, door(broker, "host.org:*") as (line, entry):
        for start in (b"\x05", b"GET http://", b"CONNECT "):
            for _ in range(30):
                _, writer = await asyncio.open_connection("127.0.0.1", entry)
                writer.write(start + os.urandom(200))
                writer.transport.abort()
        reader, writer = await tunnel(entry, "host.org", port)
        writer.write(b"alive")
        assert await reader.readexactly(5) == b"alive"
        writer.close()
        assert not line.is_closed


def test_what_programs_are_told() -> None:
    told = variables()
    assert {value for name, value in told.items() if "no" not in name.lower()} == {f"http://127.0.0.1:{PORT}"}
    assert {"http_proxy", "HTTPS_PROXY", "ALL_PROXY", "PIP_PROXY", "npm_config_https_proxy"} < told.keys()
    assert told["NO_PROXY"] == told["no_proxy"] == told["npm_config_noproxy"] == "localhost,127.0.0.1,::1"


def test_what_the_interpreter_needs_stands_before_it() -> None:
    assert prefix(7, {"LD_LIBRARY_PATH": "/opt/lib", "HOME": "/root"}) == (
        "/usr/bin/env",
        "LD_LIBRARY_PATH=/opt/lib",
        *prefix(7, {}),
    )


@pytest.mark.slow
async def test_a_hundred_megabytes() -> None:
    size = 100_000_000
    longest = 0.0

    async def pour(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(size // 1_000_000):
            writer.write(bytes(1_000_000))
            await writer.drain()

    async def watch() -> None:
        nonlocal longest
        while True:
            before = time.monotonic()
            await asyncio.sleep(0)
            longest = max(longest, time.monotonic() - before)

    async with serving(pour) as port, brokering(HERE) as broker, door(broker, "host.org:*") as (_, entry):
        reader, writer = await tunnel(entry, "host.org", port)
        watching = asyncio.create_task(watch())
        began, received = time.monotonic(), 0
        while data := await reader.read(1_000_000):
            received += len(data)
        seconds = time.monotonic() - began
        watching.cancel()
        writer.close()
    print(f"{size / seconds / 1e6:.0f} MB/s; the loop was held up for {longest * 1000:.1f} ms at most")
    assert received == size
    assert size / seconds > 20_000_000
    assert longest < 0.5
