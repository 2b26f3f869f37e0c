import asyncio
import socket
import struct

import pytest

from ferrule.host.sandbox.dial import Ways, dial
from ferrule.host.sandbox.hosts import Hosts
from ferrule.host.sandbox.reach import Refusal
from ferrule.host.sandbox.upstream import Proxy, Upstream, from_environment
from tests.host.sandbox.internet import serving

LISTED = Hosts(["host.org", "[fd00::7]:443"]).allow


@pytest.mark.parametrize(
    ("environment", "upstream"),
    [
        ({}, Upstream()),
        ({"http_proxy": "", "NO_PROXY": " "}, Upstream()),
        (
            {"HTTPS_PROXY": "http://proxy.corp:3128/"},
            Upstream(secure=Proxy(scheme="http", host="proxy.corp", port=3128)),
        ),
        ({"http_proxy": "Proxy.Corp"}, Upstream(plain=Proxy(scheme="http", host="proxy.corp", port=80))),
        (
            {"ALL_PROXY": "socks5://[::1]:1080", "no_proxy": "localhost,.corp, *.example.org ::1,a.org:80"},
            Upstream(
                plain=Proxy(scheme="socks5", host="::1", port=1080),
                secure=Proxy(scheme="socks5", host="::1", port=1080),
                spared=("localhost", "corp", "example.org", "::1", "a.org"),
            ),
        ),
        (
            {"https_proxy": "http://me:p%40ss@10.0.0.7:8080", "no_proxy": "*"},
            Upstream(secure=Proxy(scheme="http", host="10.0.0.7", port=8080, credentials=b"me:p@ss"), spared=("*",)),
        ),
        ({"https_proxy": "http://a b"}, Upstream(secure=Proxy(scheme="malformed", host="", port=0))),
    ],
)
def test_reads_the_environment(environment: dict[str, str], upstream: Upstream) -> None:
    assert from_environment(environment) == upstream


def test_which_proxy_serves_a_host() -> None:
    plain, secure = Proxy(scheme="http", host="p", port=1), Proxy(scheme="http", host="s", port=2)
    upstream = Upstream(plain=plain, secure=secure, spared=("corp", "10.0.0.7"))
    asked = [("a.org", 80), ("a.org", 443), ("a.org", 22), ("corp", 443), ("git.corp", 443), ("xcorp", 443)]
    assert [upstream.proxy_for(*one) for one in asked] == [plain, secure, secure, None, None, secure]
    assert upstream.proxy_for("10.0.0.7", 443) is None
    assert Upstream(secure=secure, spared=("*",)).proxy_for("a.org", 443) is None


async def through(answer: bytes, *, host: str = "host.org", credentials: bytes = b"") -> tuple[bytes, bytes]:
    """What a proxy that gives this answer was asked, and what came through it."""
    heard: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)

    async with serving(proxy) as port:
        own = Proxy(scheme="http", host="127.0.0.1", port=port, credentials=credentials)
        server = await dial(host, 443, allowed=LISTED, ways=Ways(upstream=Upstream(secure=own)))
        with server:
            return heard[0], await asyncio.get_running_loop().sock_recv(server, 100)


async def test_a_tunnel_takes_nothing_of_what_the_host_says_first() -> None:
    asked, came = await through(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nSSH-2.0")
    assert (asked, came) == (b"CONNECT host.org:443 HTTP/1.1\r\nHost: host.org:443\r\n\r\n", b"SSH-2.0")


async def test_a_password_is_shown_to_the_proxy_alone() -> None:
    asked, _ = await through(b"HTTP/1.0 200\r\n\r\n", host="fd00::7", credentials=b"me:p@ss")
    line = b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n"
    assert asked == b"CONNECT [fd00::7]:443 HTTP/1.1\r\nHost: [fd00::7]:443\r\n" + line + b"\r\n"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 407 Who?\r\n\r\n", "this machine's own proxy answered 407 when asked for host.org:443"),
        (b"HTTP/1.1 200 OK\r\n", "this machine's own proxy gave no answer that can be understood"),
        (b"SSH-2.0 200 \r\n\r\n", "this machine's own proxy gave no answer that can be understood"),
        (b"HTTP/1.1 x\r\n\r\n", "this machine's own proxy gave no answer that can be understood"),
        (b"a" * 20_000, "this machine's own proxy gave no answer that can be understood"),
    ],
)
async def test_a_proxy_that_does_not_agree(answer: bytes, words: str) -> None:
    with pytest.raises(Refusal) as raised:
        await through(answer)
    assert (raised.value.kind, raised.value.words) == ("unreachable", words)


async def test_a_proxy_that_breaks_off() -> None:
    async def proxy(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = writer.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async with serving(proxy) as port:
        ways = Ways(upstream=Upstream(secure=Proxy(scheme="http", host="127.0.0.1", port=port)))
        with pytest.raises(Refusal, match="this machine's own proxy broke the connection off"):
            await dial("host.org", 443, allowed=LISTED, ways=ways)


async def test_a_host_that_is_not_listed_is_not_asked_for() -> None:
    with pytest.raises(Refusal, match=r"host evil\.com is not among those"):
        await through(b"HTTP/1.1 200 OK\r\n\r\n", host="evil.com")


@pytest.mark.parametrize("scheme", ["https", "socks5", "malformed"])
async def test_a_proxy_that_cannot_be_used_is_not_passed_by(scheme: str) -> None:
    ways = Ways(upstream=Upstream(secure=Proxy(scheme=scheme, host="127.0.0.1", port=9)))
    with pytest.raises(Refusal) as raised:
        await dial("host.org", 443, allowed=LISTED, ways=ways)
    assert raised.value.kind == "unsupported"
