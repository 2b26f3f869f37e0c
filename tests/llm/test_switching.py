"""A conversation begun with one provider goes on with another, in every direction."""

from itertools import permutations
from typing import Any

import pytest

from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, ToolResult, User, said
from ferrule.llm.endpoint import Wire
from tests.llm.wires import MODELS, WIRES, answer_of, model_of, result_of
from tests.server import Call, ModelServer, Reply
from tests.server.script import Received

PAIRS = list(permutations(WIRES, 2))
PICTURE = Image(media_type="image/png", data="aGVsbG8=")
ODD = "call|ü:" + "x" * 443
"""An id as long as the longest that was seen, with letters that few providers take."""


def script() -> list[Reply]:
    """Two turns: thinking, text, two calls at once; then a call with an odd id; then the end."""
    return [
        Reply(
            thinking="Both at once.",
            text="I look at both.",
            calls=(Call(name="read", arguments={"path": "a"}), Call(name="read", arguments={"path": "b"})),
        ),
        Reply(thinking="One more.", calls=(Call(name="read", arguments={"path": "c"}, id=ODD),)),
        Reply(text="That is all."),
    ]


async def go_on(wire: Wire, messages: list[Message], *, picture: bool) -> list[Received]:
    """Carry a conversation through a whole request with another model; give what was sent."""
    async with ModelServer(script()) as server:
        model = model_of(wire, server.url)
        messages.append(User(content=(Text(f"Now with {wire}."), PICTURE) if picture else (Text("Go on."),)))
        while True:
            answer = await answer_of(model, *messages)
            messages += [answer, *result_of(answer, is_error=not picture)]
            if not answer.calls:
                break
        assert server.refusals() == []
        return server.requests


@pytest.mark.parametrize(("first", "second"), PAIRS)
async def test_each_pair_there_and_back(first: Wire, second: Wire) -> None:
    messages: list[Message] = []
    for wire in (first, second, first, second):
        requests = await go_on(wire, messages, picture=wire == first)
    answers = [message for message in messages if isinstance(message, Assistant)]
    assert len(answers) == 12
    assert {answer.model.partition("/")[0] for answer in answers} == {one.partition("_")[0] for one in (first, second)}
    assert len(requests) == 3


@pytest.mark.parametrize(("first", "second"), PAIRS)
async def test_only_its_own_thinking_goes_back_to_a_model(first: Wire, second: Wire) -> None:
    messages: list[Message] = []
    await go_on(first, messages, picture=False)
    foreign = [b"Both at once.", b"One more."]
    sent = await go_on(second, messages, picture=False)
    assert not any(thought in sent[0].raw for thought in foreign)
    back = await go_on(first, messages, picture=False)
    signed = first in {"anthropic", "openai_responses", "ollama"}
    assert all((thought in back[0].raw) is signed for thought in foreign)
    own = [message for message in messages if isinstance(message, Assistant)]
    assert any(isinstance(part, Thinking) for answer in own for part in answer.content)


@pytest.mark.parametrize("wire", WIRES)
async def test_another_model_of_the_same_provider_gets_no_signatures(wire: Wire) -> None:
    messages: list[Message] = []
    await go_on(wire, messages, picture=False)
    async with ModelServer([Reply(text="Hello.")]) as server:
        await answer_of(model_of(wire, server.url, model=f"{MODELS[wire]}-2"), *messages, said("And you?"))
        assert server.refusals() == []
        assert b"Both at once." not in server.requests[0].raw


def call(id_: str, name: str = "read", **more: Any) -> ToolCall:
    return ToolCall(id=id_, name=name, input={}, **more)


def answer(*content: Text | Thinking | ToolCall, stop: Any = "end_turn") -> Assistant:
    return Assistant(content=content, model="elsewhere/model", stop=stop)


def result(id_: str, *content: Text | Image, tool: str = "read", **more: Any) -> ToolResult:
    return ToolResult(call_id=id_, tool=tool, content=content, **more)


HISTORIES: dict[str, list[Message]] = {
    "the same id in every turn": [
        message for _ in range(3) for message in (said("Go."), answer(call("call_0")), result("call_0", Text("ok")))
    ],
    "no id at all": [said("Go."), answer(call("")), result("", Text("ok"))],
    "an aborted answer": [said("Go."), answer(Text("I was abou"), stop="aborted")],
    "an aborted thought": [said("Go."), answer(Thinking(text="I thi"), stop="aborted")],
    "an answer of spaces": [said("Go."), answer(Text(" \n"), Thinking(text="x", signature="y"))],
    "a name that is none": [
        said("Go."),
        answer(call("c1", "functions.read"), call("c2", "")),
        result("c1", tool="functions.read"),
        result("c2", tool=""),
    ],
    "arguments that were no JSON": [
        said("Go."),
        answer(call("c1", malformed='{"a')),
        result("c1", Text("No."), is_error=True),
    ],
    "text behind a call": [said("Go."), answer(call("c1"), Text("Wait."), stop="tool_use"), result("c1", Text("ok"))],
    "an image alone": [
        said("Go."),
        answer(call("c1"), call("c2")),
        result("c1", PICTURE),
        result("c2", PICTURE, is_error=True),
    ],
    "an empty result": [said("Go."), answer(call("c1")), result("c1", Text(""))],
    "said twice": [said("Go."), said("Please."), answer(Text("Yes.")), answer(Text("Yes?"))],
    "begun by the model": [answer(Text("What can I do?"))],
    "an empty word": [User(content=(Text(""),)), answer(Text("What?"))],
    "half a character": [said("\ud800 here"), answer(Text("\udfff there"))],
    "a hundred and fifty images": [User(content=(PICTURE,) * 50), answer(Text("Oh.")), User(content=(PICTURE,) * 100)],
}


@pytest.mark.parametrize("name", HISTORIES)
@pytest.mark.parametrize("wire", WIRES)
async def test_whatever_lies_behind_the_request_is_accepted(wire: Wire, name: str) -> None:
    async with ModelServer([Reply(text="Fine.")]) as server:
        fine = await answer_of(model_of(wire, server.url), *HISTORIES[name], said("And now?"))
        assert server.refusals() == []
    assert fine.text == "Fine."
