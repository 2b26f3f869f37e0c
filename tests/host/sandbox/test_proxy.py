import asyncio
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.host.sandbox.proxy import Client, Wish, http_answer, read_http, socks_answer
from ferrule.host.sandbox.reach import Refusal


@pytest.mark.parametrize("target", ["host.org:443", "Host.org:443", "[::1]:8080"])
def test_connect(target: str) -> None:
    host, _, port = target.rpartition(":")
    assert read_http(f"CONNECT {target} HTTP/1.1\r\nHost: evil.com".encode()) == Wish(
        host=host.strip("[]"), port=int(port), welcome=b"HTTP/1.1 200 Connection established\r\n\r\n"
    )


def test_an_absolute_address_is_asked_of_its_own_server() -> None:
    head = (
        b"POST http://host.org/simple?a=b#c HTTP/1.1\r\nHost: evil.com\r\nConnection: keep-alive, X-Own, Content-Length"
        b"\r\nX-Own: 1\r\nProxy-Authorization: Basic abc\r\nContent-Length: 3\r\nKeep-Alive: 5\r\nAccept: */*"
    )
    assert read_http(head) == Wish(
        host="host.org",
        port=80,
        opening=b"POST /simple?a=b HTTP/1.1\r\nHost: host.org\r\nContent-Length: 3\r\nAccept: */*\r\n"
        b"Connection: close\r\n\r\n",
    )


@pytest.mark.parametrize(
    ("target", "host", "port", "path"),
    [
        ("http://a.org", "a.org", 80, "/"),
        ("HTTP://a.org?x", "a.org", 80, "/?x"),
        ("http://a.org:8080/", "a.org", 8080, "/"),
        ("http://a.org:/", "a.org", 80, "/"),
        ("http://[::1]:81/x", "::1", 81, "/x"),
        ("http://a.org/http://b.org/@c", "a.org", 80, "/http://b.org/@c"),
    ],
)
def test_parts_of_an_address(target: str, host: str, port: int, path: str) -> None:
    authority = target.split("//", 1)[1].split("/", maxsplit=1)[0].split("?", maxsplit=1)[0]
    assert read_http(f"GET {target} HTTP/1.0".encode()) == Wish(
        host=host,
        port=port,
        opening=f"GET {path} HTTP/1.0\r\nHost: {authority}\r\nConnection: close\r\n\r\n".encode(),
    )


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/1.1\r\nHost: host.org",
        b"GET https://host.org/ HTTP/1.1",
        b"GET ftp://host.org/ HTTP/1.1",
        b"GET http:/// HTTP/1.1",
        b"GET http://user:word@host.org/ HTTP/1.1",
        b"GET http://host.org\\@evil.com/ HTTP/1.1",
        b"GET http://host.org:99999/ HTTP/1.1",
        b"GET  http://host.org/ HTTP/1.1",
        b"GET http://host.org/ HTTP/2.0",
        b"GET http://host.org/\x00 HTTP/1.1",
        b"GET http://host.org/\n HTTP/1.1",
        b"GET http://host.org/ HTTP/1.1\r\nA : b",
        b"GET http://host.org/ HTTP/1.1\r\n folded",
        b"GET http://host.org/ HTTP/1.1\r\nA: b\nHost: c",
        b"GET http://host.org/ HTTP/1.1\r\nnone",
        b"CONNECT host.org HTTP/1.1",
        b"CONNECT host.org: HTTP/1.1",
        b"CONNECT user@host.org:443 HTTP/1.1",
        b"CONNECT :443 HTTP/1.1",
        b"CONNECT [10.0.0.7]:443 HTTP/1.1",
        b"CONNECT a:b:443 HTTP/1.1",
    ],
)
def test_what_is_no_request(head: bytes) -> None:
    with pytest.raises(Refusal) as raised:
        read_http(head)
    assert raised.value.kind == "malformed"
    assert "\n" not in raised.value.words


PIECES = (b"a.org", b":", b"443", b"@", b"[", b"]", b" HTTP/1.1", b"\r\n", b"\n", b"\r", b"\0", b" ")


@given(
    st.sampled_from([b"", b"CONNECT ", b"GET http://", b"GET http://a.org/ HTTP/1.1\r\n"]),
    st.lists(st.sampled_from(PIECES)),
    st.binary(max_size=20),
)
def test_whatever_is_sent_is_one_request_or_none(start: bytes, pieces: list[bytes], end: bytes) -> None:
    head = (start + b"".join(pieces) + end).partition(b"\r\n\r\n")[0]
    wish, words = None, ""
    try:
        wish = read_http(head)
    except Refusal as refusal:
        words = refusal.words
    assert words.isprintable()
    if wish:
        assert 0 < wish.port < 65536
        first, _, rest = wish.opening.partition(b"\r\n\r\n")
        assert (rest, b"\n" in first.replace(b"\r\n", b"")) == (b"", False)


def test_a_refusal_in_http_has_its_words_in_the_first_line_too() -> None:
    assert http_answer(Refusal("forbidden", "no")) == (
        b"HTTP/1.1 403 no\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n"
        b"Proxy-Connection: close\r\n\r\nno\n"
    )


async def hear(*pieces: bytes, answers: bytes = b"") -> Wish:
    """What a client wants that sends these pieces, each after an answer of two bytes."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.setblocking(False)
        loop = asyncio.get_running_loop()
        asking = asyncio.create_task(Client(ours).wish())
        for piece in pieces:
            await loop.sock_sendall(theirs, piece)
            if answers:
                assert await loop.sock_recv(theirs, 2) == answers
                answers = b""
        theirs.shutdown(socket.SHUT_WR)
        return await asking


@pytest.mark.parametrize(
    ("address", "host"),
    [
        (b"\x03\x08host.org", "host.org"),
        (b"\x01\x0a\x00\x00\x07", "10.0.0.7"),
        (b"\x04" + bytes(15) + b"\x01", "::1"),
        (b"\x03\x05a\0b\xff\n", "a\0bÿ\n"),
    ],
)
async def test_socks(address: bytes, host: str) -> None:
    wish = await hear(b"\x05\x02\x00\x02", b"\x05\x01\x00" + address + b"\x01\xbb", answers=b"\x05\x00")
    assert wish == Wish(host=host, port=443, welcome=b"\x05\x00\x00\x01\0\0\0\0\0\0")


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (b"\x05\x02\x00\x03\x01a\x00\x50", "unsupported"),
        (b"\x05\x03\x00\x03\x01a\x00\x50", "unsupported"),
        (b"\x04\x01\x00\x03\x01a\x00\x50", "malformed"),
        (b"\x05\x01\x00\x03\x01a\x00\x00", "malformed"),
        (b"\x05\x01\x00\x09\x01a\x00\x50", "malformed"),
    ],
)
async def test_odd_socks(request_: bytes, kind: str) -> None:
    with pytest.raises(Refusal) as raised:
        await hear(b"\x05\x01\x00", request_, answers=b"\x05\x00")
    assert raised.value.kind == kind


async def test_socks_with_a_password_is_told_that_none_is_taken() -> None:
    with pytest.raises(ConnectionAbortedError):
        await hear(b"\x05\x01\x02", answers=b"\x05\xff")


@pytest.mark.parametrize("start", [b"", b"GET http://host.org/ HT", b"\x05", b"\x05\x01\x00\x05\x01\x00\x03\x08pyp"])
async def test_a_client_that_goes_away(start: bytes) -> None:
    with pytest.raises(ConnectionResetError):
        await hear(start)


async def test_a_head_without_an_end() -> None:
    with pytest.raises(Refusal, match="longer than 65,536 bytes"):
        await hear(b"GET http://a/ HTTP/1.1\r\n" + b"a: b\r\n" * 12_000)


def test_answers_in_socks() -> None:
    answers = {kind: socks_answer(kind)[1] for kind in (None, "forbidden", "unreachable", "unsupported", "slow")}
    assert answers == {None: 0, "forbidden": 2, "unreachable": 4, "unsupported": 7, "slow": 6}
