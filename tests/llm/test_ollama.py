"""Ollama's own API: how a conversation looks there, and what its lines mean."""

from typing import Any

import msgspec
import pytest

from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, ToolResult, Usage, User, said
from ferrule.core.model import Delta, Finish
from ferrule.llm.endpoint import Settings
from ferrule.llm.ollama import OllamaDecoder, encode
from ferrule.llm.stream import StreamError
from tests.llm.wires import answer_of, endpoint_of, model_of, request_of
from tests.server import ModelServer, Received, Reply
from tests.server.ollama import check

ME = "ollama/llama"
PICTURE = Image(media_type="image/png", data="aGVsbG8=")


def body_of(*messages: Message, **more: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"model": "llama"} | more
    raw = encode(request_of(*messages), endpoint_of("ollama", "http://x"), Settings(**values))
    body: dict[str, Any] = msgspec.json.decode(raw)
    check(Received(method="POST", path="/api/chat", headers={}, raw=raw, body=body), None)
    return body


def answer(*content: Text | Thinking | ToolCall, model: str = ME) -> Assistant:
    return Assistant(content=content, model=model, stop="end_turn")


def called(name: str = "read") -> ToolCall:
    return ToolCall(id="call_1", name=name, input={"path": "a"})


def result(*content: Text | Image, **more: Any) -> ToolResult:
    return ToolResult(call_id="call_1", tool="read", content=content or (Text("ok"),), **more)


def test_a_whole_request() -> None:
    assert body_of(said("Hi."), context=32_768, max_tokens=500, temperature=0.1, effort="high") == {
        "model": "llama",
        "stream": True,
        "truncate": False,
        "shift": False,
        "think": "high",
        "options": {"num_ctx": 32_768, "num_predict": 500, "temperature": 0.1},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read",
                    "description": "Reads a file.",
                    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
                },
            }
        ],
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}],
    }
    assert not {"options", "think", "keep_alive"} & set(body_of(said("Hi.")))


@pytest.mark.parametrize(
    ("effort", "think"), [("none", False), ("minimal", "low"), ("medium", "medium"), ("xhigh", "high"), ("max", "high")]
)
def test_how_hard_to_think(effort: Any, think: bool | str) -> None:
    assert body_of(said("Hi."), effort=effort)["think"] == think


def test_calls_hold_objects_and_results_names() -> None:
    use = {"function": {"name": "read", "arguments": {"path": "a"}}}
    messages = (
        said("Go."),
        answer(Thinking(text="Hm."), Text("I look."), called()),
        result(is_error=True),
        answer(called()),
    )
    assert body_of(*messages, result())["messages"][1:] == [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "I look.", "thinking": "Hm.", "tool_calls": [use]},
        {"role": "tool", "tool_name": "read", "content": "Error: ok"},
        {"role": "assistant", "content": "", "tool_calls": [use]},
        {"role": "tool", "tool_name": "read", "content": "ok"},
    ]


def test_thinking_of_other_models_stays_out() -> None:
    foreign = answer(Thinking(text="Hm."), Text("So."), model="openai/gpt")
    assert body_of(said("Go."), foreign, said("On."))["messages"][2] == {"role": "assistant", "content": "So."}


def test_images_stand_beside_the_text() -> None:
    asked = User(content=(Text("See:"), PICTURE, Text("Well?")))
    messages = body_of(asked, answer(called()), result(PICTURE))["messages"]
    assert messages[1] == {"role": "user", "content": "See:\n\nWell?", "images": ["aGVsbG8="]}
    assert messages[3:] == [
        {"role": "tool", "tool_name": "read", "content": "(an image; it follows)"},
        {"role": "user", "content": "The images of the results above:", "images": ["aGVsbG8="]},
    ]


def read(*lines: dict[str, Any]) -> list[Delta | Finish | None]:
    decoder = OllamaDecoder()
    pieces: list[Delta | Finish | None] = []
    for line in lines:
        pieces += decoder.read(msgspec.json.encode(line).decode())
    return [*pieces, decoder.finish()]


def test_what_the_lines_mean() -> None:
    call = {"function": {"name": "read", "arguments": {"path": "a"}}}
    done = {"message": {"content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 3}
    assert read(
        {"message": {"role": "assistant", "content": "", "thinking": "Hm."}},
        {"message": {"content": "So."}},
        {"message": {"content": "", "tool_calls": [call, {"id": "c2", **call}]}},
        {"message": {"tool_calls": [{"function": {"name": "read", "arguments": '{"path":"b"}'}}]}},
        {"brand_new": 1},
        done,
    ) == [
        Delta(kind="thinking", text="Hm."),
        Delta(kind="text", text="So."),
        Delta(kind="call", index=0, text="read"),
        Delta(kind="arguments", index=0, text='{"path":"a"}'),
        Delta(kind="call", index=1, text="read", id="c2"),
        Delta(kind="arguments", index=1, text='{"path":"a"}'),
        Delta(kind="call", index=2, text="read"),
        Delta(kind="arguments", index=2, text='{"path":"b"}'),
        Finish(stop="tool_use", usage=Usage(input=7, output=3)),
    ]


@pytest.mark.parametrize(
    ("line", "finish"),
    [
        ({"done": True, "done_reason": "stop"}, Finish(stop="end_turn")),
        ({"done": True, "done_reason": "length"}, Finish(stop="max_tokens")),
        ({"done": True}, Finish(stop="end_turn")),
        ({"done": True, "message": None, "eval_count": None}, Finish(stop="end_turn")),
        ({"done": False}, None),
    ],
)
def test_how_an_answer_ends(line: dict[str, Any], finish: Finish | None) -> None:
    assert read(line) == [finish]


def test_an_error_line_is_raised() -> None:
    with pytest.raises(StreamError):
        read({"error": "model runner has unexpectedly stopped"})


async def test_no_key_is_sent_and_a_missing_model_is_said() -> None:
    async with ModelServer([Reply(text="Hi.")], models=("llama",)) as server:
        assert (await answer_of(model_of("ollama", server.url, key=None), said("Hi."))).text == "Hi."
        assert "authorization" not in server.requests[0].headers
        with pytest.raises(Exception, match=r"ollama has no model qwen .* `ollama pull qwen` fetches it"):
            await answer_of(model_of("ollama", server.url, model="qwen"), said("Hi."))
