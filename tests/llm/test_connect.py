"""Which model is used, and what is said where there is none."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from ferrule.config.schema import Embedded, Llm, OwnEndpoint, OwnModel
from ferrule.core.errors import UsageError
from ferrule.core.messages import Usage
from ferrule.llm.connect import Connection, connect
from ferrule.llm.detect import local_servers
from ferrule.llm.endpoint import Secret

HERE = Path.cwd()
KEY = {"ANTHROPIC_API_KEY": "k"}
ANTHROPIC = "https://api.anthropic.com"


NOTHING_FETCHED = Embedded(fetch="no")
"""So that the embedded model is none of the choices, whether its engine is installed or not."""


def made(llm: Llm, **environ: str) -> Connection:
    return connect(llm, directory=HERE, local=NOTHING_FETCHED, environ=environ)


def inside(connection: Connection) -> Any:
    model: Any = connection.model
    return model


@pytest.mark.parametrize(
    ("llm", "environ", "name", "url"),
    [
        (Llm(provider="anthropic"), KEY, "anthropic/claude-sonnet-5-5", ANTHROPIC),
        (Llm(), KEY, "anthropic/claude-sonnet-5-5", ANTHROPIC),
        (Llm(), {"OPENAI_API_KEY": "k"}, "openai/gpt-6.1-sol", "https://api.openai.com/v1"),
        (Llm(model="gpt-5"), {"OPENAI_API_KEY": "k"}, "openai/gpt-5", "https://api.openai.com/v1"),
        (Llm(model="anthropic/claude-opus-5-5"), KEY, "anthropic/claude-opus-5-5", ANTHROPIC),
        (Llm(provider="claude", model="x"), KEY, "anthropic/x", ANTHROPIC),
        (Llm(provider="anthropic", model="x", endpoint="http://127.0.0.1:1"), {}, "anthropic/x", "http://127.0.0.1:1"),
        (Llm(provider="anthropic", model="x"), {**KEY, "ANTHROPIC_BASE_URL": "http://h"}, "anthropic/x", "http://h"),
        (Llm(provider="ollama", model="q"), {"OLLAMA_HOST": "0.0.0.0"}, "ollama/q", "http://127.0.0.1:11434"),
        (Llm(model="q", endpoint="http://127.0.0.1:9/v1"), {}, "openai-compatible/q", "http://127.0.0.1:9/v1"),
    ],
)
def test_what_is_chosen(llm: Llm, environ: dict[str, str], name: str, url: str) -> None:
    connection = made(llm, **environ)
    assert (connection.model.name, inside(connection).endpoint.base_url) == (name, url)


def test_a_choice_that_nobody_made_is_said() -> None:
    assert made(Llm(), OPENAI_API_KEY="k").note == "Using openai/gpt-6.1-sol, since OPENAI_API_KEY is set."
    assert made(Llm(provider="openai"), OPENAI_API_KEY="k").note == ""


def test_an_endpoint_of_the_users_own_is_a_provider() -> None:
    lab = OwnEndpoint(
        name="lab", base_url="http://127.0.0.1:9/v1", key_variable="LAB_KEY", model="m", headers=("X-A: b",)
    )
    connection = made(Llm(provider="lab", endpoints=(lab,)), LAB_KEY="secret")
    assert connection.model.name == "lab/m"
    endpoint = inside(connection).endpoint
    assert (endpoint.api_key, endpoint.headers) == (Secret("secret"), {"X-A": "b"})
    assert "secret" not in repr(connection)


def test_the_users_own_prices_count() -> None:
    mine = OwnModel(name="m", window=5000, input=1.0, output=2.0)
    known = made(Llm(provider="openai-compatible", model="m", endpoint="http://127.0.0.1:9", models=(mine,))).known
    assert (known.window, known.cost(Usage(input=1_000_000, output=1_000_000))) == (5000, 3.0)


@pytest.mark.parametrize(
    ("llm", "words"),
    [
        (Llm(), "The shortest ways to one"),
        (Llm(provider="anthropic"), "set ANTHROPIC_API_KEY in your environment"),
        (Llm(provider="antropic"), "There is no provider antropic; there is anthropic."),
        (Llm(provider="openai-compatible", model="x"), "needs an address"),
        (Llm(provider="replay"), "needs the file"),
        (Llm(provider="replay", model="nowhere.jsonl"), "cannot be read: No such file"),
        (Llm(model="nobody-has-this"), "It is not known who has the model"),
        (Llm(provider="openai-compatible", endpoint="http://127.0.0.1:9"), "Which model of openai-compatible"),
    ],
)
def test_what_is_missing_is_said(llm: Llm, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        made(llm)


async def test_servers_of_this_machine_are_found_and_silent_ones_not_waited_for() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"/api/show" in head:
            length = int(head.lower().split(b"content-length:")[1].split()[0])
            able = b"able" in await reader.readexactly(length)
            body = b'{"capabilities": ["completion", "tools"]}' if able else b'{"capabilities": ["completion"]}'
        else:
            body = b'{"models": [{"name": "dull:1b"}, {"name": "able:8b"}]}'
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    silent = socket.create_server(("127.0.0.1", 0))
    port = server.sockets[0].getsockname()[1]
    ports = {
        "ollama": (port, "/api/tags"),
        "vllm": (silent.getsockname()[1], "/v1/models"),
        "llama.cpp": (9, "/v1/models"),
    }
    began = asyncio.get_running_loop().time()
    (found,) = await asyncio.to_thread(local_servers, ports, patience=0.3)
    assert asyncio.get_running_loop().time() - began < 2
    assert (found.provider, found.base_url, found.models) == ("ollama", f"http://127.0.0.1:{port}", ("able:8b",))
    server.close()
    silent.close()
