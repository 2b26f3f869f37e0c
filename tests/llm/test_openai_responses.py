"""The Responses API: how a conversation looks there, and what its events mean."""

from typing import Any

import msgspec
import pytest

from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, ToolResult, Usage, User, said
from ferrule.core.model import Delta, Finish
from ferrule.llm.endpoint import Quirks, Settings
from ferrule.llm.openai_responses import ResponsesDecoder, encode
from ferrule.llm.stream import StreamError
from tests.llm.wires import answer_of, endpoint_of, model_of, request_of, result_of
from tests.server import Call, ModelServer, Received, Reply
from tests.server.openai_responses import check
from tests.server.strict import sign

ME = "openai/gpt-5-test"
PICTURE = Image(media_type="image/png", data="aGVsbG8=")
PLAIN, REASONS = Quirks(), Quirks(reasons=True, temperature=False)


def body_of(*messages: Message, quirks: Quirks = REASONS, **more: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"model": "gpt-5-test"} | more
    raw = encode(request_of(*messages), endpoint_of("openai_responses", "http://x", quirks=quirks), Settings(**values))
    body: dict[str, Any] = msgspec.json.decode(raw)
    check(Received(method="POST", path="/v1/responses", headers={}, raw=raw, body=body), None)
    return body


def sent(*messages: Message, **more: Any) -> list[dict[str, Any]]:
    return list(body_of(*messages, **more)["input"])


def answer(*content: Text | Thinking | ToolCall, model: str = ME) -> Assistant:
    return Assistant(content=content, model=model, stop="end_turn")


def called(id_: str = "call_1", name: str = "read") -> ToolCall:
    return ToolCall(id=id_, name=name, input={"path": "a"})


def result(id_: str = "call_1", *content: Text | Image, **more: Any) -> ToolResult:
    return ToolResult(call_id=id_, tool="read", content=content or (Text("ok"),), **more)


def use(id_: str = "call_1") -> dict[str, Any]:
    return {"type": "function_call", "call_id": id_, "name": "read", "arguments": '{"path":"a"}'}


def came(id_: str = "call_1", output: Any = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id_, "output": output}


def thought(id_: str = "rs_1", text: str = "Hm.") -> Thinking:
    mark = {"id": id_, "encrypted_content": sign("gpt-5-test", id_)}
    return Thinking(text=text, signature=msgspec.json.encode(mark).decode())


def reasoning(id_: str = "rs_1", text: str = "Hm.") -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": text}] if text else []
    return {"type": "reasoning", "id": id_, "summary": summary, "encrypted_content": sign("gpt-5-test", id_)}


def user(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": list(parts)}


def spoken(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]} | more


def inputs(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def test_a_whole_request() -> None:
    assert body_of(said("Hi."), max_tokens=100, effort="high", temperature=0.3, cache_key="s1") == {
        "model": "gpt-5-test",
        "stream": True,
        "store": False,
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 100,
        "prompt_cache_key": "s1",
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Reads a file.",
                "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
                "strict": False,
            }
        ],
        "instructions": "Be brief.",
        "input": [user(inputs("Hi."))],
    }


def test_a_model_that_does_not_reason_is_not_asked_to() -> None:
    body = body_of(said("Hi."), quirks=PLAIN, model="gpt-4o", temperature=0.3, effort="high")
    assert body["temperature"] == 0.3
    assert not {"reasoning", "include"} & set(body)


def test_calls_and_results_are_items() -> None:
    messages = (
        said("Go."),
        answer(Text("I look."), called(), called("call_2")),
        result(),
        result("call_2", is_error=True),
    )
    assert sent(*messages) == [
        user(inputs("Go.")),
        spoken("I look."),
        use(),
        use("call_2"),
        came(),
        came("call_2", "Error: ok"),
    ]


def test_images_go_both_ways() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,aGVsbG8=", "detail": "auto"}
    messages = (User(content=(Text("See:"), PICTURE)), answer(called()), result("call_1", Text("Here."), PICTURE))
    assert sent(*messages) == [user(inputs("See:"), image), use(), came(output=[inputs("Here."), image])]


def test_reasoning_goes_back_only_to_the_model_that_reasoned() -> None:
    mine = answer(thought(), called())
    assert sent(said("Go."), mine, result()) == [user(inputs("Go.")), reasoning(), use(), came()]
    other = answer(thought(), called(), model="openai/gpt-5-other")
    assert sent(said("Go."), other, result()) == [user(inputs("Go.")), use(), came()]
    claude = answer(Thinking(text="Hm.", signature="EqABC"), Text("So."), model=ME)
    assert sent(said("Go."), claude, said("On.")) == [user(inputs("Go.")), spoken("So."), user(inputs("On."))]


def test_reasoning_that_led_to_nothing_is_left_out() -> None:
    assert sent(said("Go."), answer(thought()), said("Well?")) == [user(inputs("Go.")), user(inputs("Well?"))]
    late = answer(thought("rs_1", ""), Text("So."), thought("rs_2"))
    assert sent(said("Go."), late, said("Well?"))[1:3] == [reasoning("rs_1", ""), spoken("So.")]


def test_the_phase_of_a_text_goes_back() -> None:
    marked = answer(Thinking(text="", signature='{"phase":"commentary"}'), Text("I look."), called())
    assert sent(said("Go."), marked, result())[1] == spoken("I look.", phase="commentary")


def test_ids_that_are_too_long_are_translated() -> None:
    long = "x" * 450
    call, output = sent(said("Go."), answer(called(long)), result(long))[1:]
    assert call["call_id"] == output["call_id"]


async def test_reasoning_and_phases_survive_a_conversation() -> None:
    script = [
        Reply(thinking="First.", text="I look.", calls=(Call(name="read", arguments={"path": "a"}),)),
        Reply(thinking="Second.", calls=(Call(name="read", arguments={"path": "b"}),)),
        Reply(text="Done."),
    ]
    async with ModelServer(script) as server:
        model = model_of("openai_responses", server.url)
        messages: list[Message] = [said("Go.")]
        for _ in range(3):
            last = await answer_of(model, *messages)
            messages += [last, *result_of(last)]
        assert server.refusals() == []
        items = server.requests[2].body["input"]
    assert [item["type"] for item in items] == [
        "message",
        "reasoning",
        "message",
        "function_call",
        "function_call_output",
        "reasoning",
        "function_call",
        "function_call_output",
    ]
    assert (items[2]["phase"], items[1]["summary"][0]["text"]) == ("commentary", "First.")


def read(*events: dict[str, Any] | str) -> list[Delta | Finish | None]:
    decoder = ResponsesDecoder()
    pieces: list[Delta | Finish | None] = []
    for event in events:
        pieces += decoder.read(event if isinstance(event, str) else msgspec.json.encode(event).decode())
    return [*pieces, decoder.finish()]


COMPLETED = {"type": "response.completed", "response": {"usage": None}}


def test_unknown_events_say_nothing() -> None:
    events: list[dict[str, Any]] = [
        {"type": "response.queued"},
        {"type": "brand.new", "delta": {"a": 1}, "item": {"type": "web_search_call"}},
    ]
    assert read(*events, COMPLETED, "[DONE]") == [Finish(stop="end_turn")]


def test_summaries_have_parts() -> None:
    def summary(index: int, text: str) -> list[dict[str, Any]]:
        part = {"output_index": 0, "summary_index": index}
        return [
            {"type": "response.reasoning_summary_part.added", **part},
            {"type": "response.reasoning_summary_text.delta", **part, "delta": text},
        ]

    pieces = read(*summary(0, "One."), *summary(1, "Two."), COMPLETED)
    assert [piece.text for piece in pieces if isinstance(piece, Delta)] == ["One.", "\n\n", "Two."]


def test_items_that_come_whole_are_taken_whole() -> None:
    items: list[dict[str, Any]] = [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "Hm."}],
            "encrypted_content": "e",
        },
        {"type": "message", "content": [{"type": "output_text", "text": "So."}]},
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
    ]
    done = [{"type": "response.output_item.done", "output_index": n, "item": item} for n, item in enumerate(items)]
    assert read(*done, COMPLETED) == [
        Delta(kind="thinking", index=0, text="Hm."),
        Delta(kind="signature", index=0, text='{"id":"rs_1","encrypted_content":"e"}'),
        Delta(kind="text", index=1, text="So."),
        Delta(kind="call", index=2, text="read", id="c1"),
        Delta(kind="arguments", index=2, text="{}"),
        Finish(stop="tool_use"),
    ]


def test_calls_may_grow_side_by_side() -> None:
    def begin(index: int) -> dict[str, Any]:
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": f"c{index}", "name": "read", "arguments": ""}
        return {"type": "response.output_item.added", "output_index": index, "item": item}

    def piece(index: int, text: str) -> dict[str, Any]:
        return {"type": "response.function_call_arguments.delta", "output_index": index, "delta": text}

    whole = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"a":1}'}
    done = {"type": "response.output_item.done", "output_index": 1, "item": whole}
    assert read(begin(2), begin(1), piece(1, '{"a"'), piece(2, "{}"), piece(1, ":1}"), done, COMPLETED) == [
        Delta(kind="call", index=2, text="read", id="c2"),
        Delta(kind="call", index=1, text="read", id="c1"),
        Delta(kind="arguments", index=1, text='{"a"'),
        Delta(kind="arguments", index=2, text="{}"),
        Delta(kind="arguments", index=1, text=":1}"),
        Finish(stop="tool_use"),
    ]


@pytest.mark.parametrize(
    ("reason", "stop"), [("max_output_tokens", "max_tokens"), ("content_filter", "refusal"), ("new", "end_turn")]
)
def test_an_answer_may_be_incomplete(reason: str, stop: str) -> None:
    (finish,) = read({"type": "response.incomplete", "response": {"incomplete_details": {"reason": reason}}})
    assert isinstance(finish, Finish)
    assert finish.stop == stop


def test_a_refusal_is_text_and_a_reason() -> None:
    assert read({"type": "response.refusal.delta", "output_index": 0, "delta": "No."}, COMPLETED) == [
        Delta(kind="text", index=0, text="No."),
        Finish(stop="refusal"),
    ]


def test_tokens_are_counted_once() -> None:
    details = {"cached_tokens": 6, "cache_write_tokens": 1}
    usage = {"input_tokens": 10, "output_tokens": 4, "input_tokens_details": details, "total_tokens": 14}
    assert read({"type": "response.completed", "response": {"usage": usage}}) == [
        Finish(stop="end_turn", usage=Usage(input=3, output=4, cache_read=6, cache_write=1))
    ]


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "server_error", "message": "Sorry."},
        {"type": "error", "error": {"type": "server_error"}},
        {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "Sorry."}}},
        {"type": "response.failed", "response": {"error": None}},
        {"error": {"message": "Sorry."}},
    ],
)
def test_an_error_event_is_raised(event: dict[str, Any]) -> None:
    with pytest.raises(StreamError):
        read(event)
