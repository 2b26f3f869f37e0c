"""The server itself: it speaks, it refuses what the real services refuse, and it fails as it is told."""

import asyncio
import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ferrule.core.errors import ProviderError
from ferrule.llm.http import send
from tests.server import Call, ModelServer, Reply, Tokens, failure
from tests.server.script import Step
from tests.server.strict import sign

ROOT = Path(__file__).parent.parent.parent
SCHEMA = {"type": "object", "properties": {}}
HEADERS = {"x-api-key": "test-key", "authorization": "Bearer test-key", "anthropic-version": "2023-06-01"}
PATHS = {
    "anthropic": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "ollama": "/api/chat",
}

GOOD: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "m",
        "max_tokens": 2000,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief."}],
        "tools": [{"name": "read", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": sign("m", "Hm.")},
                    {"type": "tool_use", "id": "t1", "name": "read", "input": {}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]},
        ],
    },
    "openai_chat": {
        "model": "m",
        "stream": True,
        "max_tokens": 100,
        "tools": [{"type": "function", "function": {"name": "read", "parameters": SCHEMA}}],
        "messages": [
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        ],
    },
    "openai_responses": {
        "model": "gpt-5",
        "stream": True,
        "store": False,
        "tools": [{"type": "function", "name": "read", "parameters": SCHEMA, "strict": False}],
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": sign("gpt-5", "rs_1")},
            {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        ],
    },
    "ollama": {
        "model": "m",
        "stream": True,
        "options": {"num_ctx": 8192},
        "tools": [{"type": "function", "function": {"name": "read", "parameters": SCHEMA}}],
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "read", "arguments": {}}}]},
            {"role": "tool", "tool_name": "read", "content": "ok"},
        ],
    },
}

GONE = object()
Change = tuple[tuple[str | int, ...], Any]


def changed(wire: str, *changes: Change) -> dict[str, Any]:
    """A good request with some places changed, or taken away."""
    body = copy.deepcopy(GOOD[wire])
    for path, value in changes:
        place: Any = body
        for step in path[:-1]:
            place = place[step]
        if value is GONE:
            del place[path[-1]]
        elif path[-1] == "+":
            place.append(value)
        else:
            place[path[-1]] = value
    return body


def block(**fields: Any) -> Change:
    return ("messages", 1, "content", 1), fields


TEXT = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
BAD: dict[str, dict[str, Change]] = {
    "anthropic": {
        "max_tokens: Field required": (("max_tokens",), GONE),
        "model: Field required": (("model",), GONE),
        "greater than or equal to 1": (("max_tokens",), 0),
        "temperature: range: 0..1": (("temperature",), 1.5),
        "surprise: Extra inputs are not permitted": (("surprise",), 1),
        "at least one message is required": (("messages",), []),
        'first message must use the "user" role': (("messages", 0, "role"), "assistant"),
        "Input should be 'user' or 'assistant'": (("messages", 0, "role"), "system"),
        "all messages must have non-empty content": (("messages", 0, "content"), ""),
        "text content blocks must be non-empty": (("messages", 0, "content"), [{"type": "text", "text": ""}]),
        "must contain non-whitespace text": (("messages", 0, "content"), " \n"),
        "ids were found without": (("messages", 2, "content"), "no results"),
        "unexpected `tool_use_id`": (("messages", 2, "content", 0, "tool_use_id"), "t2"),
        "single result": (
            ("messages", 2, "content", "+"),
            {"type": "tool_result", "tool_use_id": "t1", "content": "x"},
        ),
        "should match pattern": (("messages", 1, "content", 1, "id"), "call:1"),
        "valid dictionary": (("messages", 1, "content", 1, "input"), "{}"),
        "Invalid `signature`": (("messages", 1, "content", 0, "thinking"), "Other."),
        "cannot be `thinking`": (("messages", 1, "content", 1), GONE),
        "`tool_result` blocks are not allowed": block(type="tool_result", tool_use_id="t1", content="x"),
        "input_schema.type: Input should be 'object'": (("tools", 0, "input_schema"), {"type": "string"}),
        "custom.parameters: Extra inputs": (("tools", 0, "parameters"), {}),
        "Tool names must be unique": (("tools", "+"), {"name": "read", "input_schema": SCHEMA}),
        "maximum of 4 blocks": (("messages", 2, "content", "+"), TEXT),
        "trailing whitespace": (("messages", "+"), {"role": "assistant", "content": "I see "}),
        "should be at least 1024": (("thinking",), {"type": "enabled", "budget_tokens": 10}),
        "`max_tokens` must be greater": (("thinking",), {"type": "enabled", "budget_tokens": 2000}),
        "all content must be type `text`": (
            ("messages", 2, "content", 0),
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "is_error": True,
                "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}],
            },
        ),
        "invalid base64 data": (
            ("messages", 2, "content", "+"),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "%%%"}},
        ),
    },
    "openai_chat": {
        "you must provide a model": (("model",), GONE),
        "Unrecognized request argument supplied: top_k": (("top_k",), 5),
        "between 0 and 2": (("temperature",), 3),
        "integer below minimum": (("max_tokens",), 0),
        "'max_tokens' is not supported with this model": (("model",), "o3-mini"),
        "only allowed when 'stream' is enabled": (("stream_options",), {"include_usage": True}),
        "empty array": (("messages",), []),
        "Invalid value: 'human'": (("messages", 0, "role"), "human"),
        "expected a string, got null": (("messages", 0, "content"), None),
        "did not have response messages: c1": (("messages", 2), GONE),
        "must be a response to a preceeding message": (("messages", 2, "tool_call_id"), "c2"),
        "maximum length 40": (("messages", 1, "tool_calls", 0, "id"), "x" * 41),
        "arguments': expected a string": (("messages", 1, "tool_calls", 0, "function", "arguments"), {}),
        "does not match pattern": (("messages", 1, "tool_calls", 0, "function", "name"), "a.b"),
        "Image URLs are only allowed": (("messages", 2, "content"), [{"type": "image_url", "image_url": {"url": "x"}}]),
        "Invalid image data": (("messages", 0, "content"), [{"type": "image_url", "image_url": {"url": "data:x"}}]),
        "schema must be a JSON Schema": (("tools", 0, "function", "parameters"), {"type": "array"}),
        "Unknown parameter: 'tools[0].function.input_schema'": (("tools", 0, "function", "input_schema"), SCHEMA),
        "Unknown parameter: 'messages[0].thinking'": (("messages", 0, "thinking"), "x"),
    },
    "openai_responses": {
        "Missing required parameter: 'model'": (("model",), GONE),
        "Missing required parameter: 'input'": (("input",), []),
        "Unknown parameter: 'messages'": (("messages",), []),
        "'temperature' is not supported": (("temperature",), 0.5),
        "'max_output_tokens'": (("max_output_tokens",), 3),
        "Supported values are: input_file, input_image, input_text": (
            ("input", 0, "content", 0, "type"),
            "output_text",
        ),
        "No tool output found for function call c1": (("input", 3), GONE),
        "No tool call found for function call output with call_id c2": (("input", 3, "call_id"), "c2"),
        "maximum length 64": (("input", 2, "call_id"), "x" * 65),
        "could not be verified": (("input", 1, "encrypted_content"), "other"),
        "not found. Items are not persisted": (("input", 1, "encrypted_content"), GONE),
        "without its required following item": (("input", 2), {"role": "user", "content": "Wait."}),
        "'additionalProperties' is required": (("tools", 0, "strict"), GONE),
        "schema must be a JSON Schema": (("tools", 0, "parameters"), {}),
        "Unknown parameter: 'tools[0].function'": (("tools", 0, "function"), {}),
    },
    "ollama": {
        "model is required": (("model",), GONE),
        "invalid role: human": (("messages", 0, "role"), "human"),
        "messages.content of type string": (("messages", 0, "content"), [{"type": "text", "text": "x"}]),
        "arguments of type object": (("messages", 1, "tool_calls", 0, "function", "arguments"), "{}"),
        "a result without its call": (("messages", 2, "tool_name"), "write"),
        "calls without their results": (("messages", 2), GONE),
        "illegal base64 data": (("messages", 0, "images"), ["%%%"]),
        "invalid option provided: num_batches": (("options", "num_batches"), 1),
        'option "num_ctx" must be of type integer': (("options", "num_ctx"), "8k"),
    },
}
CASES = [(wire, words) for wire, cases in BAD.items() for words in cases]


async def post(server: ModelServer, wire: str, body: dict[str, Any], **headers: str) -> tuple[int, bytes]:
    raw = msgspec.json.encode(body)
    async with send(server.url + PATHS[wire], body=raw, headers=HEADERS | headers) as response:
        return response.status, await response.body(10**7)


@pytest.mark.parametrize("wire", PATHS)
async def test_a_good_request_is_answered(wire: str) -> None:
    async with ModelServer([Reply(text="Hello.")]) as server:
        status, body = await post(server, wire, GOOD[wire])
        assert (status, b"Hello." in body, server.refusals()) == (200, True, [])
        (request,) = server.requests
    assert (request.method, request.path, request.body) == ("POST", PATHS[wire], GOOD[wire])
    assert msgspec.json.decode(request.raw) == GOOD[wire]


@pytest.mark.parametrize(("wire", "words"), CASES)
async def test_a_bad_request_is_refused_in_the_services_words(wire: str, words: str) -> None:
    body = changed(wire, BAD[wire][words])
    if "maximum of 4" in words:
        body = changed(wire, *[BAD[wire][words]] * 5)
    if "only allowed when" in words:
        body["stream"] = False
    async with ModelServer([Reply(text="never")]) as server:
        status, answer = await post(server, wire, body)
        assert status in {400, 404}
        assert words in server.refusals()[0]
    document = msgspec.json.decode(answer)
    said = document["error"] if wire == "ollama" else document["error"]["message"]
    assert words in said
    assert (document.get("type") == "error") is (wire == "anthropic")


@pytest.mark.parametrize(
    ("wire", "headers", "status"),
    [
        ("anthropic", {"x-api-key": "", "authorization": ""}, 401),
        ("anthropic", {"x-api-key": "wrong"}, 401),
        ("anthropic", {"anthropic-version": ""}, 400),
        ("openai_chat", {"authorization": ""}, 401),
        ("openai_chat", {"authorization": "Bearer wrong"}, 401),
        ("openai_responses", {"authorization": "Basic x"}, 401),
    ],
)
async def test_headers_are_checked(wire: str, headers: dict[str, str], status: int) -> None:
    async with ModelServer([Reply(text="never")]) as server:
        assert (await post(server, wire, GOOD[wire], **headers))[0] == status


async def test_the_script_is_followed_to_its_end() -> None:
    script: list[Step] = [
        Reply(text="One."),
        lambda request: Reply(text=f"There are {len(request.body['messages'])} messages."),
        failure("rate_limit", headers={"retry-after": "7"}),
    ]
    async with ModelServer(script) as server:
        answers = [await post(server, "anthropic", GOOD["anthropic"]) for _ in range(4)]
    assert [status for status, _ in answers] == [200, 200, 429, 400]
    assert b'"text":"There are 3 "' in answers[1][1]
    assert b"The script is at its end." in answers[3][1]


@pytest.mark.parametrize("wire", PATHS)
async def test_faults_happen_as_they_are_told(wire: str) -> None:
    async with ModelServer([Reply(text="x" * 500, cut=100), Reply(silent=True, reset=True)]) as server:
        for _ in range(2):
            with pytest.raises(ProviderError) as caught:
                await post(server, wire, GOOD[wire])
            assert caught.value.fault == "network"


async def test_a_client_that_leaves_is_noticed() -> None:
    async with ModelServer([Reply(text="Hello", stall=10)]) as server:
        task = asyncio.create_task(post(server, "ollama", GOOD["ollama"]))
        while not server.requests:
            await asyncio.sleep(0.002)
        assert not server.requests[0].abandoned
        task.cancel()
        async with asyncio.timeout(30):
            while not server.requests[0].abandoned:
                await asyncio.sleep(0.002)


async def test_models_are_listed_and_others_are_unknown() -> None:
    async with ModelServer(models=("big", "small")) as server:

        async def get(path: str, body: bytes | None = None, version: str = "") -> tuple[int, Any]:
            headers = {"anthropic-version": version} if version else {}
            async with send(server.url + path, body=body, headers=headers) as response:
                return response.status, msgspec.json.decode(await response.body(10**6))

        _, openai = await get("/v1/models")
        _, anthropic = await get("/v1/models", version="2023-06-01")
        _, ollama = await get("/api/tags")
        _, shown = await get("/api/show", b'{"model":"big"}')
        assert [one["id"] for one in openai["data"]] == [one["id"] for one in anthropic["data"]] == ["big", "small"]
        assert [one["name"] for one in ollama["models"]] == ["big", "small"]
        assert shown["model_info"]["llama.context_length"] == 32_768
        assert (await get("/api/show", b'{"model":"huge"}'))[0] == (await get("/v1/nothing"))[0] == 404
        assert (await post(server, "ollama", changed("ollama", (("model",), "huge"))))[0] == 404
        assert (len(server.others), len(server.requests)) == (6, 1)


def test_it_can_be_used_without_asyncio() -> None:
    with ModelServer([Reply(text="Hello.")]) as server:
        status, _ = asyncio.run(post(server, "openai_chat", GOOD["openai_chat"]))
        assert status == 200


def test_it_runs_by_hand(tmp_path: Path) -> None:
    replies = [Reply(text="By hand.", calls=(Call(name="read", arguments={"path": "a"}),), usage=Tokens(input=1))]
    script = tmp_path / "script.json"
    script.write_bytes(msgspec.json.encode(replies))
    command = [sys.executable, "-m", "tests.server", "--script", str(script), "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()

            async def ask() -> bytes:
                body = msgspec.json.encode(GOOD["ollama"])
                async with send(f"{url}/api/chat", body=body) as response:
                    return await response.body(10**6)

            assert b"By hand." in asyncio.run(ask())
        finally:
            process.terminate()
