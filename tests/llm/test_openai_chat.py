"""Chat Completions: how a conversation looks there, and what servers that call themselves compatible may send."""

from typing import Any

import msgspec
import pytest

from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, ToolResult, Usage, User, said
from ferrule.core.model import Delta, Finish
from ferrule.llm.endpoint import Quirks, Settings
from ferrule.llm.openai_chat import ChatDecoder, encode
from ferrule.llm.stream import StreamError
from tests.llm.wires import answer_of, endpoint_of, model_of, request_of, result_of
from tests.server import Call, ModelServer, Received, Reply
from tests.server.openai_chat import check

ME = "openai/chat-test"
PICTURE = Image(media_type="image/png", data="aGVsbG8=")
PLAIN = Quirks()


def body_of(*messages: Message, quirks: Quirks = PLAIN, strictly: bool = True, **more: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"model": "chat-test"} | more
    raw = encode(request_of(*messages), endpoint_of("openai_chat", "http://x", quirks=quirks), Settings(**values))
    body: dict[str, Any] = msgspec.json.decode(raw)
    if strictly:
        check(Received(method="POST", path="/v1/chat/completions", headers={}, raw=raw, body=body), None)
    return body


def sent(*messages: Message, **more: Any) -> list[dict[str, Any]]:
    return list(body_of(*messages, **more)["messages"][1:])


def answer(*content: Text | Thinking | ToolCall, model: str = ME) -> Assistant:
    return Assistant(content=content, model=model, stop="end_turn")


def called(id_: str = "call_1", name: str = "read") -> ToolCall:
    return ToolCall(id=id_, name=name, input={"path": "a"})


def result(id_: str = "call_1", *content: Text | Image, **more: Any) -> ToolResult:
    return ToolResult(call_id=id_, tool="read", content=content or (Text("ok"),), **more)


def use(id_: str = "call_1", name: str = "read", **more: Any) -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": '{"path":"a"}'}} | more


def test_a_whole_request() -> None:
    assert body_of(said("Hi."), temperature=0.5, max_tokens=100, cache_key="session-1", effort="low") == {
        "model": "chat-test",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "temperature": 0.5,
        "reasoning_effort": "low",
        "prompt_cache_key": "session-1",
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


def test_quirks_change_what_is_asked() -> None:
    quirks = Quirks(
        developer_role=True,
        max_tokens_field="max_completion_tokens",
        temperature=False,
        stream_usage=False,
        reports_cost=True,
        effort_field="reasoning",
    )
    body = body_of(said("Hi."), quirks=quirks, strictly=False, max_tokens=9, temperature=1.0, effort="high")
    del body["tools"]
    assert body == {
        "model": "chat-test",
        "stream": True,
        "usage": {"include": True},
        "max_completion_tokens": 9,
        "reasoning": {"effort": "high"},
        "messages": [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi."}],
    }


def test_a_reasoning_model_is_asked_as_it_wants() -> None:
    quirks = Quirks(developer_role=True, max_tokens_field="max_completion_tokens", temperature=False)
    assert body_of(said("Hi."), model="o4-mini", quirks=quirks, temperature=0.2, max_tokens=100, effort="high")


def test_calls_and_results() -> None:
    messages = (
        said("Go."),
        answer(Text("I look."), called("call_1"), called("call_2")),
        result(),
        result("call_2", is_error=True),
    )
    assert sent(*messages, answer(called("call_3")), result("call_3", Text("Error: gone"), is_error=True)) == [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "I look.", "tool_calls": [use("call_1"), use("call_2")]},
        {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
        {"role": "tool", "tool_call_id": "call_2", "content": "Error: ok"},
        {"role": "assistant", "content": None, "tool_calls": [use("call_3")]},
        {"role": "tool", "tool_call_id": "call_3", "content": "Error: gone"},
    ]


def test_images_of_results_follow_them_in_a_message_of_the_user() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGVsbG8="}}
    calls = answer(called("call_1"), called("call_2"))
    results = (result("call_1", PICTURE), result("call_2", Text("Two."), PICTURE))
    follow = {"role": "user", "content": [{"type": "text", "text": "The images of the results above:"}, image, image]}
    assert sent(said("Go."), calls, *results)[2:] == [
        {"role": "tool", "tool_call_id": "call_1", "content": "(an image; it follows)"},
        {"role": "tool", "tool_call_id": "call_2", "content": "Two."},
        follow,
    ]
    assert sent(said("Go."), calls, *results, answer(Text("I see.")))[4] == follow
    and_text = sent(said("Go."), calls, *results, User(content=(Text("And?"), PICTURE)))[4]
    assert and_text["content"] == [*follow["content"], {"type": "text", "text": "And?"}, image]


def test_neighbouring_messages_of_the_user_are_one() -> None:
    assert sent(said("One."), answer(Thinking(text="Hm.")), said("Two.")) == [
        {"role": "user", "content": "One.\n\nTwo."}
    ]


def test_ids_from_elsewhere_are_translated_and_meet_again() -> None:
    long = "fc_" + "x" * 447
    assistant, tool = sent(said("Go."), answer(called(long, "a.b")), result(long))[1:]
    assert tool["tool_call_id"] == assistant["tool_calls"][0]["id"]
    assert assistant["tool_calls"][0]["function"]["name"] == "a_b"
    short = sent(said("Go."), answer(called("call_1")), result("call_1"), quirks=Quirks(short_ids=True))
    assert short[1]["tool_calls"][0]["id"] == short[2]["tool_call_id"]
    assert short[2]["tool_call_id"].isalnum()
    assert len(short[2]["tool_call_id"]) == 9


@pytest.mark.parametrize(
    ("field", "back"),
    [
        ("", {}),
        ("reasoning_content", {"reasoning_content": "Hm."}),
        ("reasoning", {"reasoning": "Hm."}),
        ("reasoning_details", {"reasoning_details": [{"type": "reasoning.text", "text": "Hm.", "signature": "s"}]}),
    ],
)
def test_thinking_goes_back_where_it_is_wanted_and_to_its_model_alone(field: Any, back: dict[str, Any]) -> None:
    signature = '{"details":[{"type":"reasoning.text","text":"Hm.","signature":"s"}]}'
    content = (Thinking(text="Hm.", signature=signature), Text("So."))
    quirks = Quirks(thinking_field=field)
    mine, other = answer(*content), answer(*content, model="x/y")
    assert (
        sent(said("Go."), mine, said("On."), quirks=quirks, strictly=False)[1]
        == {
            "role": "assistant",
            "content": "So.",
        }
        | back
    )
    assert sent(said("Go."), other, said("On."), quirks=quirks)[1] == {"role": "assistant", "content": "So."}


def test_signatures_of_calls_go_back_and_missing_ones_are_excused() -> None:
    gemini = Quirks(thought_signatures=True)
    extra = {"google": {"thought_signature": "abc"}}
    signed = answer(
        Thinking(text="", signature='{"calls":[{"google":{"thought_signature":"abc"}},null]}'), called(), called("c2")
    )
    assert sent(said("Go."), signed, result(), result("c2"), quirks=gemini, strictly=False)[1]["tool_calls"] == [
        use(extra_content=extra),
        use("c2"),
    ]
    excuse = {"google": {"thought_signature": "skip_thought_signature_validator"}}
    foreign = answer(called(), called("c2"), model="x/y")
    assert sent(said("Go."), foreign, result(), result("c2"), quirks=gemini, strictly=False)[1]["tool_calls"] == [
        use(extra_content=excuse),
        use("c2"),
    ]


def read(*chunks: dict[str, Any] | str) -> list[Delta | Finish | None]:
    decoder = ChatDecoder()
    pieces: list[Delta | Finish | None] = []
    for chunk in chunks:
        pieces += decoder.read(chunk if isinstance(chunk, str) else msgspec.json.encode(chunk).decode())
    return [*pieces, decoder.finish()]


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def pieces(*calls: dict[str, Any]) -> dict[str, Any]:
    return delta(tool_calls=list(calls))


DONE = (delta("tool_calls"), "[DONE]")
A, B = {"path": "a"}, {"path": "b"}


def function(name: str | None = None, arguments: Any = None) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("reason", "with_call", "stop"),
    [
        ("stop", False, "end_turn"),
        ("stop", True, "tool_use"),
        ("tool_calls", True, "tool_use"),
        ("tool_calls", False, "end_turn"),
        ("function_call", True, "tool_use"),
        ("length", False, "max_tokens"),
        ("length", True, "max_tokens"),
        ("content_filter", False, "refusal"),
        ("brand_new", False, "end_turn"),
    ],
)
def test_every_finish_reason_has_its_meaning(reason: str, with_call: bool, stop: str) -> None:
    call = [pieces({"index": 0, "id": "1", **function("read", "{}")})] if with_call else []
    finish = read(*call, delta(reason))[-1]
    assert isinstance(finish, Finish)
    assert finish.stop == stop


def test_the_end_may_be_said_in_one_way_only() -> None:
    text = Delta(kind="text", text="Hi.")
    assert read(delta(content="Hi."), delta("stop")) == [text, Finish(stop="end_turn")]
    assert read(delta(content="Hi."), "[DONE]") == [text, Finish(stop="end_turn")]
    assert read(delta(content="Hi.")) == [text, None]


def test_chunks_without_choices_and_strange_ones_say_nothing() -> None:
    assert read(
        {"choices": []}, {"choices": None}, {}, {"id": "x", "object": "ping"}, delta(role="assistant"), delta("stop")
    ) == [Finish(stop="end_turn")]


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2}, Usage(input=10, output=2)),
        (
            {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}},
            Usage(input=2, output=2, cache_read=8),
        ),
        (
            {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 5}},
            Usage(input=1, cache_read=4, cache_write=5),
        ),
        (
            {"prompt_tokens": 10, "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 2},
            Usage(input=2, cache_read=8),
        ),
        ({"prompt_tokens": None, "completion_tokens": None, "prompt_tokens_details": None}, Usage()),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 9}}, Usage(cache_read=9)),
    ],
)
def test_tokens_are_counted_once(usage: dict[str, Any], expected: Usage) -> None:
    last = {"choices": [], "usage": usage}
    assert read(delta("stop"), last) == [Finish(stop="end_turn", usage=expected)]
    inside = {"choices": [{"delta": {}, "finish_reason": "stop", "usage": usage}]}
    assert read(inside) == [Finish(stop="end_turn", usage=expected)]


def test_the_providers_own_price_is_kept() -> None:
    assert read(delta("stop"), {"choices": [], "usage": {"prompt_tokens": 1, "cost": 0.00123}}, "[DONE]") == [
        Finish(stop="end_turn", usage=Usage(input=1), cost=0.00123)
    ]


def test_thinking_has_many_names() -> None:
    assert read(
        delta(reasoning_content="a"),
        delta(reasoning="b"),
        delta(
            content=[{"type": "thinking", "thinking": [{"type": "text", "text": "c"}]}, {"type": "text", "text": "d"}]
        ),
        delta("stop"),
    ) == [
        Delta(kind="thinking", text="a"),
        Delta(kind="thinking", text="b"),
        Delta(kind="thinking", text="c"),
        Delta(kind="text", text="d"),
        Finish(stop="end_turn"),
    ]


def test_what_a_server_wants_back_is_kept_as_a_signature() -> None:
    first = {"type": "reasoning.text", "index": 0, "text": "H", "signature": None, "format": "x"}
    rest = {"type": "reasoning.text", "index": 0, "text": "m.", "signature": "s"}
    extra = {"google": {"thought_signature": "abc"}}
    told = read(
        delta(reasoning="H", reasoning_details=[first]),
        delta(reasoning="m.", reasoning_details=[rest]),
        pieces({"index": 0, "id": "1", "extra_content": extra, **function("read", "{}")}),
        *DONE,
    )
    (signature,) = [piece for piece in told if isinstance(piece, Delta) and piece.kind == "signature"]
    assert msgspec.json.decode(signature.text) == {
        "details": [{"type": "reasoning.text", "index": 0, "text": "Hm.", "signature": "s", "format": "x"}],
        "calls": [extra],
    }


def test_a_refusal_is_text_and_a_reason() -> None:
    assert read(delta(refusal="I will not."), delta("stop")) == [
        Delta(kind="text", text="I will not."),
        Finish(stop="refusal"),
    ]


@pytest.mark.parametrize(
    "chunk",
    [
        {"error": {"message": "Overloaded", "code": 503}},
        {"error": "down"},
        {"choices": [{"delta": {"content": ""}, "finish_reason": "error", "error": {"code": 502}}]},
    ],
)
def test_an_error_in_a_chunk_is_raised(chunk: dict[str, Any]) -> None:
    with pytest.raises(StreamError):
        read(chunk)


async def test_an_answer_that_is_not_streamed_is_taken() -> None:
    message = {"role": "assistant", "content": "Hi.", "tool_calls": [{"id": "1", **function("read", '{"path":"a"}')}]}
    body = {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 4}}
    whole = Reply(body=msgspec.json.encode(body).decode(), headers={"content-type": "application/json"})
    async with ModelServer([whole]) as server:
        answer_ = await answer_of(model_of("openai_chat", server.url), said("Hi."))
    assert (answer_.text, [call.input for call in answer_.calls], answer_.usage) == ("Hi.", [A], Usage(input=4))


async def test_a_server_that_falls_silent_after_a_whole_answer_is_not_waited_for() -> None:
    chunks = [b"data: " + msgspec.json.encode(one) for one in (delta(content="Hi."), delta("stop"))]
    finished = b"\n\n".join([*chunks, b""]).decode()
    async with ModelServer([Reply(body=finished), Reply(body=finished, cut=len(finished))]) as server:
        model = model_of("openai_chat", server.url)
        for _ in range(2):
            assert (await answer_of(model, said("Hi."))).text == "Hi."


async def test_a_local_server_needs_no_key() -> None:
    async with ModelServer([Reply(text="Hi.")], key=None) as server:
        answer_ = await answer_of(model_of("openai_chat", server.url, key=None), said("Hi."))
        assert answer_.text == "Hi."
        assert "authorization" not in server.requests[0].headers


async def test_results_are_sent_where_they_belong() -> None:
    script = [
        Reply(calls=(Call(name="read", arguments=A, id="x" * 60), Call(name="read", arguments=B))),
        Reply(text="Done."),
    ]
    async with ModelServer(script) as server:
        model = model_of("openai_chat", server.url)
        first = await answer_of(model, said("Go."))
        assert (await answer_of(model, said("Go."), first, *result_of(first))).text == "Done."
        assert server.refusals() == []


SAID = {"token": " <", "logprob": -0.5}


@pytest.mark.parametrize(
    ("given", "likely"),
    [
        ({"content": [SAID | {"top_logprobs": [SAID, {"token": " >", "logprob": -1}]}]}, ((" <", -0.5), (" >", -1.0))),
        ({"content": [SAID | {"top_logprobs": []}]}, ((" <", -0.5),)),
        ({"content": [SAID, SAID]}, ()),  # of two tokens it is not said which is which
        ({"content": [SAID | {"logprob": None}]}, ()),
        ({"content": None}, ()),
        ({"tokens": [" <"]}, ()),
        ("much", ()),
        (None, ()),
    ],
)
def test_what_else_could_have_been_said(given: Any, likely: tuple[tuple[str, float], ...]) -> None:
    chunk = {"choices": [{"delta": {"content": " <"}, "logprobs": given}]}
    (piece,) = ChatDecoder().read(msgspec.json.encode(chunk).decode())
    assert piece == Delta(kind="text", text=" <", likely=likely)
