"""The Messages API: how a conversation looks there, where the cache markers stand, what its events mean."""

from typing import Any

import msgspec
import pytest

from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, ToolResult, Usage, User, said
from ferrule.core.model import Delta, Finish
from ferrule.llm.anthropic import AnthropicDecoder, AnthropicEncoder, encode
from ferrule.llm.endpoint import Quirks, Settings
from ferrule.llm.stream import StreamError
from tests.llm.wires import answer_of, endpoint_of, model_of, request_of, result_of
from tests.server import Call, ModelServer, Received, Reply, failure
from tests.server.anthropic import check

MARKER = {"type": "ephemeral"}
ME = "anthropic/claude-test"
PICTURE = Image(media_type="image/png", data="aGVsbG8=")


def settings(**more: Any) -> Settings:
    values: dict[str, Any] = {"model": "claude-test"} | more
    return Settings(**values)


def body_of(*messages: Message, quirks: Quirks | None = None, **more: Any) -> dict[str, Any]:
    """The body of a request; the strict server's check stands behind it."""
    raw = encode(request_of(*messages), endpoint_of("anthropic", "http://x", quirks=quirks), settings(**more))
    body: dict[str, Any] = msgspec.json.decode(raw)
    headers = {"anthropic-version": "2023-06-01"}
    check(Received(method="POST", path="/v1/messages", headers=headers, raw=raw, body=body), None)
    return body


def content_of(*messages: Message, **more: Any) -> list[tuple[str, list[dict[str, Any]]]]:
    body = body_of(*messages, quirks=Quirks(cache_markers=False), **more)
    return [(message["role"], message["content"]) for message in body["messages"]]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def answer(*content: Text | Thinking | ToolCall, model: str = ME) -> Assistant:
    return Assistant(content=content, model=model, stop="end_turn")


def called(id_: str = "toolu_1", name: str = "read") -> ToolCall:
    return ToolCall(id=id_, name=name, input={"path": "a"})


def result(id_: str = "toolu_1", *content: Text | Image, **more: Any) -> ToolResult:
    return ToolResult(call_id=id_, tool="read", content=content or (Text("ok"),), **more)


def use(id_: str = "toolu_1", name: str = "read") -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": {"path": "a"}}


def came(id_: str = "toolu_1", content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content} | more


def test_a_whole_request() -> None:
    assert body_of(said("Hi."), temperature=0.5) == {
        "model": "claude-test",
        "max_tokens": 8192,
        "stream": True,
        "temperature": 0.5,
        "tools": [
            {
                "name": "read",
                "description": "Reads a file.",
                "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
                "cache_control": MARKER,
            }
        ],
        "system": [{"type": "text", "text": "Be brief.", "cache_control": MARKER}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi.", "cache_control": MARKER}]}],
    }


def test_results_are_blocks_of_the_users_message_before_all_else() -> None:
    calls = answer(Text("I look."), called("toolu_1"), called("toolu_2"))
    assert content_of(said("Go."), calls, result("toolu_1"), result("toolu_2", is_error=True), said("And?")) == [
        ("user", [text("Go.")]),
        ("assistant", [text("I look."), use("toolu_1"), use("toolu_2")]),
        ("user", [came("toolu_1"), came("toolu_2", is_error=True), text("And?")]),
    ]


def test_neighbours_of_one_role_are_one_message() -> None:
    messages = (said("One."), said("Two."), answer(Text("A")), answer(Text("B")), said("Three."))
    assert content_of(*messages) == [
        ("user", [text("One."), text("Two.")]),
        ("assistant", [text("A"), text("B")]),
        ("user", [text("Three.")]),
    ]


def test_images_go_both_ways() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}
    asked = User(content=(Text("See:"), PICTURE))
    messages = (asked, answer(called()), result("toolu_1", Text("Here."), PICTURE))
    assert content_of(*messages)[0] == ("user", [text("See:"), image])
    assert content_of(*messages)[2] == ("user", [came(content=[text("Here."), image])])
    failed = content_of(*messages[:2], result("toolu_1", Text("Broken."), PICTURE, is_error=True))
    assert failed[2] == ("user", [came(content=[text("Broken."), image])])  # a failure may hold text only


def test_thinking_goes_back_only_to_the_model_that_thought_it() -> None:
    thought = Thinking(text="Hm.", signature="sig")
    raw = AnthropicEncoder(endpoint_of("anthropic", "http://x"), settings())
    for model, kept in ((ME, True), ("anthropic/claude-other", False), ("openai/gpt-5", False)):
        body = raw.encode(request_of(said("Hi."), answer(thought, Text("So."), model=model), said("Go on.")))
        assert (b'{"type":"thinking","thinking":"Hm.","signature":"sig"}' in body) is kept
    unsigned = answer(Thinking(text="Hm."), Text("So."))
    assert content_of(said("Hi."), unsigned, said("Go."))[1] == ("assistant", [text("So.")])


def test_an_answer_of_thoughts_alone_is_left_out() -> None:
    assert content_of(said("Hi."), answer(Thinking(text="Hm.")), said("Well?")) == [
        ("user", [text("Hi."), text("Well?")])
    ]
    late = answer(Text("So."), Thinking(text="Hm.", signature="sig"))
    assert content_of(said("Hi."), late, said("Well?"))[1] == ("assistant", [text("So.")])


def test_the_last_answer_ends_without_white_space_and_the_first_word_is_the_users() -> None:
    assert content_of(answer(Text("I was saying \n"))) == [
        ("user", [text("(The conversation goes on.)")]),
        ("assistant", [text("I was saying")]),
    ]


def test_calls_of_other_models_come_behind_their_text() -> None:
    foreign = answer(called(), Text("I look."), model="openai/gpt")
    assert content_of(said("Go."), foreign, result())[1] == ("assistant", [text("I look."), use()])


def test_ids_and_names_from_elsewhere_are_translated_and_meet_again() -> None:
    long, odd = "fc_" + "x" * 447, "call:1|ü"
    messages: list[Message] = [
        said("Go."),
        answer(called(long), called(odd, "functions.read"), model="openai/gpt"),
        result(long),
        result(odd),
        answer(called(long), model="openai/gpt"),
        result(long),
    ]
    sent = content_of(*messages)
    first, second = sent[1][1]
    again = sent[3][1][0]
    assert [block["tool_use_id"] for block in sent[2][1]] == [first["id"], second["id"]]
    assert sent[4][1][0]["tool_use_id"] == again["id"]
    assert second["name"] == "functions_read"
    assert len({first["id"], second["id"], again["id"]}) == 3
    assert content_of(*messages) == sent


def markers(body: dict[str, Any]) -> list[tuple[int, int]]:
    return [
        (place, number)
        for place, message in enumerate(body["messages"])
        for number, block in enumerate(message["content"])
        if "cache_control" in block
    ]


def test_markers_stand_on_the_last_two_messages_of_the_user() -> None:
    messages: list[Message] = [said("Go.")]
    places = []
    for number in range(4):
        places.append(markers(body_of(*messages)))
        messages += [answer(called(f"t{number}"), called(f"u{number}")), result(f"t{number}"), result(f"u{number}")]
    assert places == [[(0, 0)], [(0, 0), (2, 1)], [(2, 1), (4, 1)], [(4, 1), (6, 1)]]
    body = body_of(*messages)
    assert body["tools"][-1]["cache_control"] == body["system"][0]["cache_control"] == MARKER


def test_markers_can_be_left_out() -> None:
    body = body_of(said("Hi."), quirks=Quirks(cache_markers=False))
    assert "cache_control" not in msgspec.json.encode(body).decode()


@pytest.mark.parametrize(
    ("more", "quirks", "expected"),
    [
        ({}, Quirks(), {}),
        (
            {"effort": "high"},
            Quirks(),
            {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "high"}},
        ),
        ({"effort": "none"}, Quirks(), {"thinking": {"type": "disabled"}}),
        (
            {"effort": "minimal"},
            Quirks(),
            {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "low"}},
        ),
        (
            {"effort": "high", "thinking_budget": 2000},
            Quirks(adaptive_thinking=False),
            {"thinking": {"type": "enabled", "budget_tokens": 2000}},
        ),
        (
            {"thinking_budget": 9999, "max_tokens": 4096},
            Quirks(),
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        ),
        (
            {"thinking_budget": 10, "max_tokens": 4096},
            Quirks(),
            {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        ),
        ({"thinking_budget": 2000, "max_tokens": 1000}, Quirks(), {}),
    ],
)
def test_thinking_is_asked_for_as_the_model_wants_it(
    more: dict[str, Any], quirks: Quirks, expected: dict[str, Any]
) -> None:
    body = body_of(said("Hi."), quirks=quirks, **more)
    assert {name: body[name] for name in ("thinking", "output_config") if name in body} == expected


def test_with_a_budget_no_thinking_is_asked_for_in_the_middle_of_another_models_turn() -> None:
    messages: list[Message] = [said("Go."), answer(called(), model="openai/gpt"), result()]
    assert "thinking" not in body_of(*messages, thinking_budget=2000)
    messages += [answer(Text("Done.")), said("Next.")]
    assert "thinking" in body_of(*messages, thinking_budget=2000)


async def test_thinking_and_redacted_thinking_go_back_as_they_came() -> None:
    script = [
        Reply(thinking="Hm.", calls=(Call(name="read", arguments={"path": "a"}),)),
        Reply(redacted=True, calls=(Call(name="read", arguments={"path": "b"}),)),
        Reply(text="Done."),
    ]
    async with ModelServer(script) as server:
        model = model_of("anthropic", server.url, max_tokens=4000, thinking_budget=2000)
        messages: list[Message] = [said("Go.")]
        for _ in range(3):
            last = await answer_of(model, *messages)
            messages += [last, *result_of(last)]
        assert server.refusals() == []
        headers = server.requests[0].headers
        sent = [block["type"] for message in server.requests[2].body["messages"] for block in message["content"]]
    assert last.text == "Done."
    assert sent == ["text", "thinking", "tool_use", "tool_result", "redacted_thinking", "tool_use", "tool_result"]
    assert headers["anthropic-beta"] == "interleaved-thinking-2025-05-14"
    assert (headers["x-api-key"], headers["anthropic-version"]) == ("test-key", "2023-06-01")


def read(*events: dict[str, Any]) -> list[Delta | Finish | None]:
    decoder = AnthropicDecoder()
    pieces: list[Delta | Finish | None] = []
    for event in events:
        pieces += decoder.read(msgspec.json.encode(event).decode())
    return [*pieces, decoder.finish()]


STOP = (
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
)


def test_unknown_events_and_blocks_say_nothing() -> None:
    assert read(
        {"type": "ping"},
        {"type": "brand_new", "index": 3, "delta": {"type": "new_delta"}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "server_tool_use", "id": "s", "name": "web"},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {}}},
        {"type": "content_block_stop", "index": 0},
        *STOP,
    ) == [Finish(stop="end_turn", usage=Usage(output=3))]


def test_blocks_may_begin_in_any_order_and_grow_side_by_side() -> None:
    def piece(index: int, json: str) -> dict[str, Any]:
        return {
            "type": "content_block_delta",
            "index": index,
            "delta": {"type": "input_json_delta", "partial_json": json},
        }

    def begin(index: int) -> dict[str, Any]:
        block = {"type": "tool_use", "id": f"t{index}", "name": "read", "input": {}}
        return {"type": "content_block_start", "index": index, "content_block": block}

    assert read(begin(2), begin(1), piece(1, '{"a"'), piece(2, "{"), piece(1, ":1}"), piece(2, "}"), *STOP[1:]) == [
        Delta(kind="call", index=2, text="read", id="t2"),
        Delta(kind="call", index=1, text="read", id="t1"),
        Delta(kind="arguments", index=1, text='{"a"'),
        Delta(kind="arguments", index=2, text="{"),
        Delta(kind="arguments", index=1, text=":1}"),
        Delta(kind="arguments", index=2, text="}"),
        Finish(stop="tool_use"),
    ]


def test_blocks_that_come_whole_are_taken_whole() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "So."},
        {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "a"}},
    ]
    events = [{"type": "content_block_start", "index": n, "content_block": block} for n, block in enumerate(blocks)]
    assert read(*events, {"type": "content_block_stop", "index": 2}, {"type": "message_stop"}) == [
        Delta(kind="thinking", index=0, text="Hm."),
        Delta(kind="text", index=1, text="So."),
        Delta(kind="call", index=2, text="read", id="t"),
        Delta(kind="arguments", index=2, text='{"path":"a"}'),
        Finish(stop="tool_use"),
    ]


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "end_turn"),
        ("stop_sequence", "end_turn"),
        ("pause_turn", "end_turn"),
        ("tool_use", "tool_use"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("refusal", "refusal"),
        ("brand_new", "end_turn"),
        (None, "end_turn"),
    ],
)
def test_every_stop_reason_has_its_meaning(reason: str | None, stop: str) -> None:
    delta = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": None}
    (finish,) = read(delta, {"type": "message_stop"})
    assert isinstance(finish, Finish)
    assert finish.stop == stop


def test_the_last_word_on_tokens_counts() -> None:
    start = {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": None, "output_tokens": 1}
    end = {"output_tokens": 42, "cache_creation_input_tokens": 7}
    (finish,) = read(
        {"type": "message_start", "message": {"usage": start}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": end},
        {"type": "message_stop"},
    )
    assert finish == Finish(stop="end_turn", usage=Usage(input=5, output=42, cache_read=100, cache_write=7))


def test_an_error_event_is_raised() -> None:
    with pytest.raises(StreamError):
        read({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})


async def test_a_failure_names_the_provider_and_its_words() -> None:
    async with ModelServer([failure("overloaded", message="Overloaded")]) as server:
        with pytest.raises(Exception, match=r"^anthropic is overloaded \(HTTP 529\)\. It says: Overloaded$"):
            await answer_of(model_of("anthropic", server.url), said("Hi."))
