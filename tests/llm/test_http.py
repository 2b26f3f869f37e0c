"""The HTTP seam against real sockets: every way in which a connection can fail, and when it is closed."""

import asyncio
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pyreqwest.exceptions import ConnectError

from ferrule.core.errors import ProviderError
from ferrule.llm.endpoint import Transport
from ferrule.llm.http import _no_answer, is_loopback, send
from ferrule.version import __version__
from tests.support import until

QUICK = Transport(connect=5, first_byte=5, stall=5)
Handle = Callable[[bytes, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def raw_server(handle: Handle, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """A server that gives the head of each request to `handle`."""

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            await handle(head, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield f"{'https' if tls else 'http'}://localhost:{server.sockets[0].getsockname()[1]}"


def says(text: bytes) -> Handle:
    async def handle(_: bytes, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(text)
        await writer.drain()

    return handle


async def failure_of(url: str, transport: Transport = QUICK, **more: object) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await read_all(url, transport=transport, **more)
    return caught.value


async def read_all(url: str, **more: object) -> bytes:
    async with send(url, body=b"{}", **more) as response:  # type: ignore[arg-type]
        pieces = []
        while (chunk := await response.chunk()) is not None:
            pieces.append(chunk)
        return b"".join(pieces)


async def test_a_request_goes_out_and_a_response_comes_back() -> None:
    heads: list[bytes] = []

    async def handle(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(head.lower() + await reader.readexactly(2))
        writer.write(b"HTTP/1.1 201 Made\r\nX-Odd: yes\r\nContent-Length: 5\r\n\r\nhello")

    async with raw_server(handle) as url, send(f"{url}/path?q=1", body=b"{}", headers={"X-Mine": "1"}) as response:
        assert (response.status, response.header("x-odd"), response.header("nothing")) == (201, "yes", None)
        assert await response.body(100) == b"hello"
    assert heads[0].startswith(b"post /path?q=1 http/1.1\r\n")
    assert heads[0].endswith(b"\r\n\r\n{}")
    assert f"user-agent: ferrule/{__version__}\r\n".encode() in heads[0]
    assert b"x-mine: 1\r\n" in heads[0]
    assert b"accept-encoding" not in heads[0]


async def test_chunks_arrive_as_they_are_sent() -> None:
    go_on = asyncio.Event()

    async def handle(_: bytes, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        await go_on.wait()
        writer.write(b"3\r\ntwo\r\n0\r\n\r\n")

    async with raw_server(handle) as url, send(url, transport=QUICK) as response:
        assert await response.chunk() == b"one"
        go_on.set()
        assert await response.chunk() == b"two"
        assert await response.chunk() is None


async def test_refusal_is_said_in_words() -> None:
    error = await failure_of("http://127.0.0.1:1/")
    assert (str(error), error.fault) == ("Could not connect to 127.0.0.1:1: connection refused.", "network")


def test_an_unknown_host_is_said_in_words() -> None:
    causes = ["client error (Connect)", "dns error", "failed to lookup address information: Name or service not known"]
    error = _no_answer(ConnectError("connection error", {"causes": [{"message": one} for one in causes]}), "api.test")
    assert error.fault == "network"
    assert str(error) == ("Could not find api.test: failed to lookup address information: Name or service not known.")


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"", "closed the connection without an answer"),
        (b"\x00nonsense\r\n\r\n", "sent something that is no HTTP"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "broke: "),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", "broke: "),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n", "broke: "),
    ],
)
async def test_a_connection_that_ends_early_is_a_network_fault(sent: bytes, words: str) -> None:
    async with raw_server(says(sent)) as url:
        error = await failure_of(url)
    assert words in str(error)
    assert error.fault == "network"


async def test_redirects_are_not_followed() -> None:
    moved = says(b"HTTP/1.1 307 Go\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")
    async with raw_server(moved) as url, send(url, body=b"{}") as response:
        assert (response.status, response.header("location")) == (307, "/x")


async def test_a_body_is_read_up_to_a_bound() -> None:
    long = says(b"HTTP/1.1 500 No\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 1_000_000)
    async with raw_server(long) as url, send(url, body=b"{}") as response:
        assert len(await response.error_body()) == 64 * 1024
    async with raw_server(long) as url, send(url, body=b"{}") as response:
        assert len(await response.body(1000)) == 1000


class Silent:
    """A server that begins as it is told and then waits for the client to leave."""

    def __init__(self, beginning: bytes = b"") -> None:
        self.beginning = beginning
        self.asked = self.left = 0

    async def __call__(self, _: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(self.beginning)
        self.asked += 1
        try:
            await reader.read()
        finally:
            self.left += 1


BEGUN = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"


@pytest.mark.parametrize(
    ("beginning", "transport", "words"),
    [
        (b"", Transport(first_byte=0.1), "gave no answer within 0.1 s."),
        (BEGUN[:-10], Transport(first_byte=1), "sent nothing for 1 s."),
        (BEGUN, Transport(first_byte=5, stall=0.1), "sent nothing for 0.1 s."),
    ],
)
async def test_silence_ends_by_itself_and_the_connection_is_closed(
    beginning: bytes, transport: Transport, words: str
) -> None:
    silent = Silent(beginning)
    async with raw_server(silent) as url:
        error = await failure_of(url, transport)
        await until(lambda: silent.left)
    assert words in str(error)
    assert error.fault == "network"


@pytest.mark.parametrize("beginning", [b"", BEGUN])
async def test_cancellation_closes_the_connection_at_once(beginning: bytes) -> None:
    silent = Silent(beginning)
    async with raw_server(silent) as url:
        task = asyncio.create_task(read_all(url))
        await until(lambda: silent.asked)
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: silent.left)


async def test_cancelling_many_times_leaves_no_open_file_behind() -> None:
    silent = Silent()
    async with raw_server(silent) as url:
        counts = []
        for number in range(1, 12):
            task = asyncio.create_task(read_all(url))
            await until(lambda number=number: silent.asked == number)  # type: ignore[misc]
            task.cancel()
            await asyncio.wait([task])
            await until(lambda number=number: silent.left == number)  # type: ignore[misc]
            counts.append(len(list(Path("/dev/fd").iterdir())))
    assert max(counts) - counts[0] <= 2


async def test_cancelling_one_request_leaves_others_to_the_same_server_alone() -> None:
    silent, go_on = Silent(), asyncio.Event()

    async def handle(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if head.startswith(b"POST /slow"):
            await silent(head, reader, writer)
        else:
            await go_on.wait()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine")

    async with raw_server(handle) as url:
        slow, fine = asyncio.create_task(read_all(f"{url}/slow")), asyncio.create_task(read_all(f"{url}/fine"))
        await until(lambda: silent.asked)
        slow.cancel()
        await asyncio.wait([slow])
        go_on.set()
        assert await fine == b"fine"


async def test_this_machine_has_many_names() -> None:
    silent = Silent()
    async with raw_server(silent) as url:
        by_number = asyncio.create_task(read_all(url.replace("localhost", "127.0.0.1")))
        by_name = asyncio.create_task(read_all(url))
        await until(lambda: silent.asked == 2)
        by_name.cancel()
        await asyncio.wait([by_name])
        await asyncio.sleep(0.02)
        assert not by_number.done()
        by_number.cancel()
        await asyncio.wait([by_number])
        await until(lambda: silent.left == 2)


async def test_an_error_that_never_ends_is_not_waited_for() -> None:
    stalled = Silent(b"HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nHalf a")
    async with raw_server(stalled) as url, send(url, body=b"{}") as response:
        assert (response.status, await response.error_body(1)) == (500, b"Half a")


async def test_when_the_last_is_cancelled_all_are_closed() -> None:
    silent = Silent()
    async with raw_server(silent) as url:
        tasks = [asyncio.create_task(read_all(url)) for _ in range(3)]
        await until(lambda: silent.asked == 3)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await until(lambda: silent.left == 3)


async def test_leaving_the_block_early_closes_the_connection() -> None:
    silent = Silent(BEGUN)
    async with raw_server(silent) as url:
        async with send(url, body=b"{}") as response:
            assert await response.chunk() == b"hello"
        await until(lambda: silent.left)


async def test_a_connection_is_used_again_when_its_response_was_read() -> None:
    connections = 0

    async def handle(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while head:
            await reader.readexactly(2)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            head = await reader.readuntil(b"\r\n\r\n")

    async with raw_server(handle) as url:
        for _ in range(5):
            assert await read_all(url) == b"ok"
    assert connections == 1


async def test_draining_waits_a_moment_only() -> None:
    async with raw_server(Silent(BEGUN)) as url, send(url, body=b"{}", transport=QUICK) as response:
        await response.drain(0.05)


@pytest.mark.parametrize("url", ["nonsense", "ftp://localhost/", "http://", "http://a b/", "file:///etc/passwd", ""])
async def test_an_address_that_is_none_is_refused(url: str) -> None:
    assert (await failure_of(url)).fault == "bad_request"


async def test_a_key_with_a_line_break_is_refused_and_not_shown() -> None:
    error = await failure_of("http://127.0.0.1:1/", headers={"authorization": "Bearer sk-hidden\nx"})
    assert (error.fault, "hidden" in str(error)) == ("bad_request", False)


@pytest.mark.parametrize("url", ["https://api.anthropic.com/v1", "http://10.0.0.1/", "http://127.evil.test.invalid/"])
async def test_offline_no_request_leaves_this_machine(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FERRULE_OFFLINE", "1")
    error = await failure_of(url)
    assert str(error).startswith("FERRULE_OFFLINE is set: no request goes to ")
    async with raw_server(says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")) as here:
        assert await read_all(here) == b"ok"


def test_which_hosts_are_this_machine() -> None:
    here = ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.1.2.3", "[::1]"]
    elsewhere = ["127.0.0.1.example.com", "localhost.example.com", "0.0.0.0", "example.com", ""]
    assert [host for host in [*here, *elsewhere] if is_loopback(host)] == here


PROXIED = """
import asyncio, sys
from ferrule.llm.http import send
async def main():
    for url in sys.argv[1:]:
        try:
            async with send(url, body=b"{}") as response:
                print((await response.body(100)).decode())
        except Exception as error:
            print(error)
asyncio.run(main())
"""


async def run_client(*urls: str, **environment: str) -> list[str]:
    """Send requests from a process of its own, whose environment names proxies and certificates."""
    skipped = ("proxy", "ferrule_offline")
    inherited = {name: value for name, value in os.environ.items() if not name.lower().endswith(skipped)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROXIED, *urls, env=inherited | environment, stdout=subprocess.PIPE
    )
    output, _ = await process.communicate()
    return output.decode().splitlines()


async def test_proxies_come_from_the_environment_and_never_stand_before_this_machine() -> None:
    seen: list[bytes] = []

    async def proxy(head: bytes, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(head.split(b"\r\n")[0])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy")

    async with raw_server(proxy) as by, raw_server(says(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect")) as here:
        names = {"HTTP_PROXY": by, "HTTPS_PROXY": by, "NO_PROXY": "0.0.0.0"}
        spared = here.replace("localhost", "0.0.0.0")  # this machine as well, but not by its name
        said = await run_client("http://model.test/v1", here, spared, "https://model.test/v1", **names)
    assert said[:3] == ["proxy", "direct", "direct"]
    assert seen == [b"POST http://model.test/v1 HTTP/1.1", b"CONNECT model.test:443 HTTP/1.1"]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority of our own, and a certificate for this machine."""
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificates")
    place = tmp_path_factory.mktemp("certificates")
    (place / "extensions").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    new = ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    signed = ["-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"]
    for command in (
        [*new, "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test authority"],
        [*new, "-keyout", "key.pem", "-out", "leaf.csr", "-subj", "/CN=localhost"],
        ["openssl", "x509", *signed, "-out", "cert.pem", "-extfile", "extensions"],
    ):
        subprocess.run(command, cwd=place, check=True, capture_output=True)
    return place


async def test_certificates_are_checked_and_an_authority_can_be_named(certificates: Path) -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificates / "cert.pem", certificates / "key.pem")
    authority = str(certificates / "ca.pem")
    async with raw_server(says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), tls) as url:
        error = await failure_of(url)
        assert "is not trusted" in str(error)
        assert "SSL_CERT_FILE" in str(error)
        assert not error.retryable
        assert await read_all(url, transport=Transport(ca_file=authority)) == b"ok"
        assert await run_client(url, SSL_CERT_FILE=authority) == ["ok"]
        missing = await failure_of(url, Transport(ca_file="/no/such/file"))
    assert str(missing) == "The certificates in /no/such/file cannot be read: No such file or directory."


def test_the_client_outlives_event_loops() -> None:
    async def once() -> bytes:
        async with raw_server(says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")) as url:
            return await read_all(url)

    assert [asyncio.run(once()) for _ in range(2)] == [b"ok", b"ok"]
