"""What the encoders share: bytes that never change, ids that every provider takes, no more images than allowed."""

import re
from time import process_time
from typing import Any

import msgspec
import pytest

from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, ToolResult, User, said
from ferrule.llm.encode import Ids, dumps, tool_name
from ferrule.llm.endpoint import Quirks, Wire
from tests.llm.wires import KINDS, WIRES, model_of, request_of

PICTURE = Image(media_type="image/png", data="aGVsbG8=")


def turn(number: int, *, model: str = "other/model", image: bool = False) -> list[Message]:
    """A request of a person, an answer with thinking, text and two calls, and their results."""
    calls = (
        ToolCall(id=f"call.{number}", name="read", input={"path": f"{number}.txt"}),
        ToolCall(id=f"call:{number}", name="read", input={"path": "ä ☃"}),
    )
    return [
        said(f"Do number {number}."),
        Assistant(
            content=(Thinking(text="Hm.", signature="sig"), Text("I look.  "), *calls), model=model, stop="tool_use"
        ),
        ToolResult(call_id=f"call.{number}", tool="read", content=(Text(f"content {number}"),)),
        ToolResult(
            call_id=f"call:{number}",
            tool="read",
            content=(Text("none"), PICTURE) if image else (Text("none"),),
            is_error=not image,
        ),
        Assistant(content=(Text(f"Done {number}."),), model=model, stop="end_turn"),
    ]


def encoder_of(wire: Wire, **quirks: Any) -> Any:
    model = model_of(wire, "http://127.0.0.1", quirks=Quirks(**quirks))
    return model._encoder


def without_markers(body: bytes) -> bytes:
    return body.replace(b',"cache_control":{"type":"ephemeral"}', b"")


@pytest.mark.parametrize("wire", WIRES)
def test_each_request_begins_with_the_one_before_it(wire: Wire) -> None:
    messages: list[Message] = []
    encoder, before, length = encoder_of(wire), b"", 0
    for number in range(50):
        for message in turn(number, image=number % 7 == 0):
            messages.append(message)
            body = without_markers(encoder.encode(request_of(*messages)))
            assert msgspec.json.decode(body)
            waits_for_more = isinstance(message, ToolResult) and message.call_id.startswith("call.")
            if not waits_for_more:  # the results of one answer are sent together, their images behind them
                start = before.removesuffix(b"]}")
                assert body.startswith(start)
                before, length = body, length + 1
    assert length == 200


@pytest.mark.parametrize("wire", WIRES)
def test_encoding_again_from_the_beginning_gives_the_same_bytes(wire: Wire) -> None:
    messages = [message for number in range(20) for message in turn(number, image=True)]
    grown = encoder_of(wire)
    for end in range(1, len(messages) + 1):
        last = grown.encode(request_of(*messages[:end]))
    assert last == encoder_of(wire).encode(request_of(*messages))


@pytest.mark.parametrize("wire", WIRES)
def test_a_conversation_that_was_shortened_is_encoded_anew(wire: Wire) -> None:
    encoder = encoder_of(wire)
    long = [message for number in range(5) for message in turn(number)]
    encoder.encode(request_of(*long))
    short = [said("A summary."), *turn(9)]
    assert encoder.encode(request_of(*short)) == encoder_of(wire).encode(request_of(*short))


@pytest.mark.parametrize("wire", WIRES)
def test_other_instructions_or_tools_are_seen(wire: Wire) -> None:
    encoder = encoder_of(wire)
    first = encoder.encode(request_of(said("Hi.")))
    assert encoder.encode(request_of(said("Hi."), system="Else.")) != first
    assert encoder.encode(request_of(said("Hi."), tools=())) != first
    assert encoder.encode(request_of(said("Hi."))) == first


@pytest.mark.parametrize("wire", WIRES)
def test_a_turn_costs_what_is_new_in_it(wire: Wire) -> None:
    messages: list[Message] = []
    encoder = encoder_of(wire)
    times: list[float] = []
    for number in range(400):
        messages += turn(number)
        start = process_time()
        encoder.encode(request_of(*messages))
        times.append(process_time() - start)
    start = process_time()
    assert len(encoder_of(wire).encode(request_of(*messages))) > 100_000
    from_the_beginning = process_time() - start
    assert sum(times[-50:]) / 50 < from_the_beginning / 4


@pytest.mark.parametrize("wire", WIRES)
def test_the_oldest_images_give_way_and_rarely(wire: Wire) -> None:
    encoder = encoder_of(wire, most_images=6)
    shown: list[int] = []
    messages: list[Message] = []
    for _ in range(20):
        messages.append(User(content=(Text("Look."), PICTURE)))
        messages.append(Assistant(content=(Text("I see."),), model="x/y", stop="end_turn"))
        body = encoder.encode(request_of(*messages))
        shown.append(body.count(b"aGVsbG8="))
    assert max(shown) == 6
    assert shown == [1, 2, 3, 4, 5, 6, *[4, 5, 6] * 4, 4, 5]
    assert b"An image that is no longer shown" in body


@pytest.mark.parametrize("wire", WIRES)
def test_half_characters_are_replaced(wire: Wire) -> None:
    body = encoder_of(wire).encode(request_of(said("a file named \udce4.txt")))
    assert b"a file named ?.txt" in body


@pytest.mark.parametrize("wire", WIRES)
def test_nothing_empty_is_sent(wire: Wire) -> None:
    blank = Assistant(content=(Text("  \n"), Thinking(text="Only a thought.")), model="x/y", stop="aborted")
    silent = ToolResult(call_id="1", tool="read", content=())
    call = Assistant(content=(ToolCall(id="1", name="read", input={}),), model="x/y", stop="tool_use")
    body = encoder_of(wire).encode(request_of(User(content=(Text(" "),)), blank, said("Go."), call, silent, system=" "))
    document = msgspec.json.decode(body)
    assert b'""' not in body.replace(b'"content":"","tool_calls"', b"")
    assert b"(no output)" in body
    assert b"Only a thought" not in body
    assert "system" not in document
    assert "instructions" not in document


@pytest.mark.parametrize("wire", WIRES)
def test_no_messages_are_still_json(wire: Wire) -> None:
    assert msgspec.json.decode(encoder_of(wire).encode(request_of()))


@pytest.mark.parametrize("wire", WIRES)
def test_what_the_user_wants_in_every_request_is_in_it(wire: Wire) -> None:
    model = model_of(wire, "http://127.0.0.1", extra={"model": "mine", "seed": 7})
    document = msgspec.json.decode(model._encoder.encode(request_of(said("Hi."))))
    assert (document["model"], document["seed"]) == ("mine", 7)


def test_ids_that_fit_are_kept_and_others_are_made_the_same_each_time() -> None:
    first, again = Ids("[a-z_0-9]{1,40}"), Ids("[a-z_0-9]{1,40}")
    given = ["call_1", "fc|2", "x" * 450, "", "ü"]
    sent = [first.of_call(one) for one in given]
    assert sent == [again.of_call(one) for one in given]
    assert sent[0] == "call_1"
    assert len(set(sent)) == len(given)
    assert all(re.fullmatch("[a-z_0-9]{1,40}", one) for one in sent)
    assert [first.of_result(one) for one in given] == sent


def test_an_id_that_comes_back_is_told_apart() -> None:
    ids = Ids("[a-z_0-9]{1,40}")
    pairs = [(ids.of_call("call_0"), ids.of_result("call_0")) for _ in range(3)]
    assert all(call == result for call, result in pairs)
    assert len({call for call, _ in pairs}) == 3


def test_names_that_no_provider_takes_are_bent() -> None:
    assert [tool_name(one) for one in ("read", "functions.read", "", "ä b", "x" * 99)] == [
        "read",
        "functions_read",
        "unknown",
        "__b",
        "x" * 64,
    ]


def test_json_holds_every_text() -> None:
    assert dumps({"a\ud800": ["\udfff", ("x", 1)]}) == b'{"a?":["?",["x",1]]}'


@pytest.mark.parametrize(
    ("wire", "base", "address"),
    [
        ("openai_chat", "https://api.test", "https://api.test/v1/chat/completions"),
        ("openai_chat", "https://api.test/v1/", "https://api.test/v1/chat/completions"),
        ("openai_chat", "http://localhost:1/api/v2", "http://localhost:1/api/v2/chat/completions"),
        ("openai_chat", "https://azure.test/x?api-version=1", "https://azure.test/x/chat/completions?api-version=1"),
        ("openai_responses", "https://api.test/v1", "https://api.test/v1/responses"),
        ("anthropic", "https://api.test", "https://api.test/v1/messages"),
        ("anthropic", "https://api.test/v1", "https://api.test/v1/messages"),
        ("anthropic", "https://api.test/anthropic/", "https://api.test/anthropic/v1/messages"),
        ("ollama", "http://127.0.0.1:11434", "http://127.0.0.1:11434/api/chat"),
        ("ollama", "http://127.0.0.1:11434/api", "http://127.0.0.1:11434/api/chat"),
        ("ollama", "https://gpu.test/ollama", "https://gpu.test/ollama/api/chat"),
    ],
)
def test_a_base_url_may_or_may_not_name_the_root(wire: Wire, base: str, address: str) -> None:
    assert model_of(wire, base).url() == address


def test_all_formats_are_here() -> None:
    assert set(KINDS) == set(WIRES)
