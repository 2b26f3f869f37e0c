"""The door of an engine: who has no key, or comes from a web page, gets nothing at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ferrule.llm.local.engine import Address, engine_for
from tests.llm.local.door import ask, knock, request
from tests.llm.local.engines import engines

PATHS = ["/", "/health", "/v1/health", "/v1/models", "/models", "/props", "/slots", "/metrics", "/nowhere"]


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with pytest.MonkeyPatch.context() as monkeypatch, engines(tmp_path_factory.mktemp("door"), monkeypatch) as wish:
        yield engine_for(wish())


def status(door: Address, words: str) -> str:
    with knock(door, words) as answer:
        return answer.rest().partition("\r\n")[0]


@pytest.mark.parametrize("path", PATHS)
def test_every_path_wants_the_key(door: Address, path: str) -> None:
    for key in (None, "Bearer wrong", f"Basic {door.key.reveal()}", f"Bearer {door.key.reveal()}x", "Bearer "):
        assert status(door, request(door, f"GET {path}", authorization=key)) == "HTTP/1.1 401 Unauthorized"
    assert status(door, request(door, f"GET {path}")) == "HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    "changed",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"Origin": "http://127.0.0.1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_mode": "no-cors"},
        {"host": "evil.example"},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1:1"},
        {"host": None},
    ],
    ids=str,
)
def test_a_web_page_is_refused_even_with_the_key(door: Address, changed: dict[str, str | None]) -> None:
    for what in ("GET /health", "OPTIONS /v1/chat/completions", "POST /v1/chat/completions"):
        with knock(door, request(door, what, body="", **changed)) as answer:
            said = answer.rest()
        assert said.startswith("HTTP/1.1 403 Forbidden\r\n")
        assert "access-control" not in said.lower()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("nonsense\r\n\r\n", "HTTP/1.1 403 Forbidden"),
        ("GET / HTTP/1.1\r\nno header\r\n\r\n", "HTTP/1.1 400 Bad Request"),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", "HTTP/1.1 400 Bad Request"),
        ("GET / HTTP/1.1\r\nx: " + "y" * 100_000 + "\r\n\r\n", "HTTP/1.1 400 Bad Request"),
    ],
    ids=["nonsense", "no header", "a space", "too long"],
)
def test_what_is_no_request_is_refused(door: Address, words: str, expected: str) -> None:
    try:
        assert status(door, words) == expected
    except ConnectionResetError:  # it hung up before it had heard everything
        assert len(words) > 64 * 1024


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"content_length": "1000000000"}, "HTTP/1.1 413 Content Too Large"),
        ({"content_length": "-1"}, "HTTP/1.1 411 Length Required"),
        ({"transfer_encoding": "chunked"}, "HTTP/1.1 411 Length Required"),
        ({"authorization": "Bearer a\r\nauthorization: Bearer b"}, "HTTP/1.1 401 Unauthorized"),
    ],
)
def test_a_request_that_could_be_read_in_two_ways_is_refused(
    door: Address, changed: dict[str, str], expected: str
) -> None:
    assert status(door, request(door, "POST /v1/chat/completions", **changed)) == expected


def test_who_has_the_key_gets_the_answer_and_no_page_may_read_it(door: Address) -> None:
    with ask(door, "Hi.") as answer:
        head, _, body = answer.rest().partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200 OK\r\n")
    assert "access-control" not in head.lower()
    assert body.count("data: ") == 4
    assert body.endswith("data: [DONE]\n\n")


def test_its_files_can_be_reached_from_a_path_that_is_too_long_for_a_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("deep" * 20)
    deep.mkdir()
    with engines(deep, monkeypatch) as wish, ask(engine_for(wish()), "Hi.") as answer:
        assert answer.read_until("[DONE]")
