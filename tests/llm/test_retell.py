"""The modes without native tools: what the model is told, and how its answers are read."""

from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any, cast

import msgspec
import pytest

from ferrule.core.accumulate import CUT_CALL, Draft, ask_model
from ferrule.core.errors import ProviderError
from ferrule.core.messages import Assistant, Image, Text, Thinking, ToolCall, ToolResult, User, said
from ferrule.core.model import Delta, Finish, Request, ToolSpec
from ferrule.llm.modes import InText
from ferrule.llm.retell import STEPS, TEXT, instructions, step_schema
from ferrule.llm.script import Fault, Reply, Scripted, Step
from tests.llm.modelled import CALL, LOOK, REQUEST, TOOLS, answer_of, change, look, parts, pieces_of, results, stepped
from tests.support import run_of

# text

SYSTEM = """\
Be good.

# Tools

You work through the tools below. To use one, write a call on lines of its own, exactly so:

<tool_call>
{"name": "look", "arguments": {"at":"…"}}
</tool_call>

Its arguments are strict JSON. Write several calls one after the other where they do not depend on each other, and \
nothing behind them: the results come in the next message, never from you. An answer without a call ends your work. \
A parameter with ? may be left out.

## look
Look at something.
- at: string
- times?: integer

## change
Change some things.
- what: [string]"""


async def test_in_text_the_tools_are_described_and_the_conversation_is_retold() -> None:
    picture = Image(media_type="image/png", data="AAAA")
    messages = (
        said("go"),
        Assistant(
            content=(
                Thinking(text="Hm.", signature="s"),
                Text("I look."),
                ToolCall(id="c1", name="look", input={"at": 'a"b'}),
                ToolCall(id="c2", name="look", input={}, malformed='{"at": "x'),
            ),
            model="m",
            stop="tool_use",
        ),
        ToolResult(call_id="c1", tool="look", content=(Text("saw </tool_result> it"), picture)),
        ToolResult(call_id="c2", tool="look", content=(Text("bad"),), is_error=True),
        Assistant(content=(Text("Done."),), model="m", stop="end_turn"),
        said("thanks"),
    )
    inner = Scripted(["Welcome."])
    await pieces_of(InText(inner), msgspec.structs.replace(REQUEST, messages=messages))
    (told,) = inner.requests
    assert (told.system, told.tools) == (SYSTEM, ())
    assert told.messages == (
        messages[0],
        msgspec.structs.replace(
            messages[1],
            content=(
                Thinking(text="Hm.", signature="s"),
                Text(
                    'I look.\n\n<tool_call>\n{"name": "look", "arguments": {"at":"a\\"b"}}\n</tool_call>\n\n'
                    '<tool_call>\n{"name": "look", "arguments": {"at": "x}\n</tool_call>'
                ),
            ),
        ),
        User(
            content=(Text('<tool_result tool="look">\nsaw <\\/tool_result> it\n</tool_result>'), picture),
            by="ferrule",
            at=messages[2].at,
        ),
        User(
            content=(Text('<tool_result tool="look" failed="true">\nbad\n</tool_result>'),),
            by="ferrule",
            at=messages[3].at,
        ),
        messages[4],
        messages[5],
    )


async def test_in_text_a_request_only_grows_at_its_end() -> None:
    steps: list[Step] = [LOOK.replace('"a"', f'"{turn}"') for turn in range(10)]
    inner = Scripted([*steps, "Done."])
    run, events = run_of(InText(inner), look, system="Be good.")
    await run.go(said("go"))
    assert results(events) == [f"saw {turn}" for turn in range(10)]
    assert {request.system for request in inner.requests} == {inner.requests[0].system}
    for before, after in pairwise(inner.requests):
        assert all(one is other for one, other in zip(before.messages, after.messages, strict=False))
        assert len(after.messages) == len(before.messages) + 2


async def test_in_text_another_conversation_begins_anew() -> None:
    inner = Scripted(["One.", "Two."])
    model = InText(inner)
    await pieces_of(model)
    other = msgspec.structs.replace(REQUEST, system="Other.", messages=(said("other"),))
    await pieces_of(model, other)
    assert inner.requests[1].messages == other.messages
    assert inner.requests[1].system.startswith("Other.")


async def test_in_text_a_wrong_call_is_answered() -> None:
    unknown = LOOK.replace('"look"', '"lok"')
    broken = '<tool_call>\n{"name": "look", "arguments": {"at": "a"b"}}\n</tool_call>'
    run, events = run_of(InText(Scripted([unknown, broken, "Done."])), look)
    await run.go(said("go"))
    assert results(events) == [
        "There is no tool named lok; there is look.",
        'The arguments are not a JSON object, so nothing was run: {"at": "a"b"}}',
    ]


async def test_in_text_a_call_that_was_cut_is_not_run() -> None:
    inner = Scripted(
        [Reply(text='I look.\n<tool_call>\n{"name": "look", "arguments": {"at": "a"', stop="max_tokens"), "Oh."]
    )
    run, events = run_of(InText(inner), look)
    await run.go(said("go"))
    assert results(events) == []
    assert [message.content for message in inner.requests[1].messages[1:]] == [
        (Text("I look."),),
        (Text(CUT_CALL.format(name="look")),),
    ]


async def test_in_text_prose_behind_a_call_is_kept_before_it() -> None:
    message = await answer_of(InText(Scripted([f"One.\n{LOOK}\nTwo.\n{LOOK}"])))
    assert parts(message) == [Text("One.\nTwo."), ("look", {"at": "a"}, None), ("look", {"at": "a"}, None)]
    assert len({call.id for call in message.calls}) == 2


async def test_in_text_calls_in_several_blocks_are_all_found() -> None:
    pieces = (
        Delta(kind="text", text=LOOK, index=0),
        Delta(kind="thinking", text="Hm.", index=1),
        Delta(kind="text", text=f"Again.\n{LOOK}", index=2),
        Finish(stop="end_turn"),
    )
    message = await answer_of(InText(Scripted([Reply(pieces=pieces)])))
    look_at_a = ("look", {"at": "a"}, None)
    assert parts(message) == [Thinking(text="Hm."), Text("Again."), look_at_a, look_at_a]


async def test_in_text_without_tools_nothing_is_added() -> None:
    inner = Scripted([LOOK])
    message = await answer_of(InText(inner), msgspec.structs.replace(REQUEST, tools=()))
    assert (inner.requests[0].system, message.content) == ("Be good.", (Text(LOOK),))


def test_parameters_are_described_as_one_would_write_them_down() -> None:
    nested: dict[str, Any] = {}
    for _ in range(20):
        nested = {"type": "array", "items": nested}
    inner = ToolSpec(
        name="x",
        description="Does x.",
        schema={
            "properties": {
                "mode": {"enum": ["a", 2], "description": "How to\n do it."},
                "items": {"type": "array", "items": {"type": "object", "properties": {"p": {"type": "string"}}}},
                "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "both": {"type": ["string", "number"]},
                "list": {"type": "array"},
                "free": {},
                "odd": True,
                "deep": nested,
            },
            "required": ["mode", "items"],
        },
    )
    system = instructions([inner], TEXT)
    assert '{"name": "x", "arguments": {"mode":"a","items":[]}}' in system
    assert system.endswith(
        "## x\nDoes x.\n"
        '- mode: "a" | 2. How to do it.\n'
        "- items: [{p?: string}]\n"
        "- either?: integer | null\n"
        "- both?: string | number\n"
        "- list?: [any]\n"
        "- free?: any\n"
        "- odd?: any\n"
        "- deep?: [[[[[[[…]]]]]]]"
    )


# schema


async def test_in_steps_calls_and_answers_are_decoded() -> None:
    model, inner, schemas = stepped(CALL, '{"step": {"answer": "It is \\"a\\".\\n\\u00e9\\ud83d\\ude00"}}')
    run, events = run_of(model, look, change, system="Be good.")
    ended = await run.go(said("go"))
    assert (ended.reason, results(events)) == ("end_turn", ["saw asaw a"])
    assert cast("Assistant", run.history.messages[-1]).text == 'It is "a".\né😀'
    assert schemas == [step_schema(TOOLS)]
    assert [request.tools for request in inner.requests] == [(), ()]
    assert inner.requests[1].messages[1].content == (
        Text('{"step": {"tool": "look", "arguments": {"at":"a","times":2}}}'),
    )
    assert '{"step": {"tool": "look", "arguments": {"at":"…"}}}' in inner.requests[0].system


async def test_in_steps_earlier_answers_are_retold_as_steps() -> None:
    model, inner, _ = stepped('{"step": {"answer": "Two."}}')
    earlier = Assistant(content=(Text("One."),), model="m", stop="end_turn")
    await pieces_of(model, msgspec.structs.replace(REQUEST, messages=(said("a"), earlier, said("b"))))
    assert inner.requests[0].messages[1].content == (Text('{"step": {"answer": "One."}}'),)


async def test_in_steps_words_are_shown_as_they_come() -> None:
    shown: list[str] = []

    async def slowly(_: Request) -> AsyncIterator[Delta | Finish]:
        for text in ('{"step":', ' {"answer": "He', "llo \\", "n\\ud83d", "\\ude00", 'you"}}'):
            yield Delta(kind="text", text=text)
        assert shown == ["He", "llo ", "\n", "😀", "you"]
        yield Finish(stop="end_turn")

    model, _, _ = stepped(slowly)
    async for piece in model.stream(REQUEST):
        if isinstance(piece, Delta):
            shown.append(piece.text)


async def test_in_steps_the_name_of_a_call_is_shown_before_its_arguments_are_whole() -> None:
    async def slowly(_: Request) -> AsyncIterator[Delta | Finish]:
        yield Delta(kind="text", text='{"step": {"tool": "look", "arguments": {"at')
        yield Delta(kind="text", text='": "a"}}}')
        yield Finish(stop="end_turn")

    model, _, _ = stepped(slowly)
    call, arguments, finish = await pieces_of(model)
    assert isinstance(call, Delta)
    assert (call.kind, call.text, bool(call.id)) == ("call", "look", True)
    assert arguments == Delta(kind="arguments", text='{"at": "a"}', index=1)
    assert finish == Finish(stop="tool_use")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Just words.", [Text("Just words.")]),
        (f"I look.\n{LOOK}", [Text("I look."), ("look", {"at": "a"}, None)]),
        ('```json\n{"step": {"tool": "look", "arguments": {"at": "a"}}}\n```', [("look", {"at": "a"}, None)]),
        ('{"other": 1}', [Text('{"other": 1}')]),
        ("{", [Text("{")]),
        ('{"step": {"tool": "look", "arguments": {"at": "a"}', [("look", {"at": "a"}, None)]),
        (
            '{"step": {"tool": "look", "arguments": {"at": "a" "b"}}}',
            [("look", {}, '{"at": "a" "b"}}}')],
        ),
    ],
)
async def test_in_steps_a_server_that_does_not_hold_the_model_is_understood(text: str, content: list[Any]) -> None:
    model, _, _ = stepped(text)
    assert parts(await answer_of(model)) == content


@pytest.mark.parametrize("text", ['{"step": {"an', '{"step": {"answer": "Half an ans', "{"])
async def test_in_steps_what_came_is_kept_when_the_stream_breaks(text: str) -> None:
    model, _, _ = stepped(Reply(text=text, error=Fault(message="reset", fault="network")))
    draft = Draft()
    with pytest.raises(ProviderError, match="reset"):
        await ask_model(model, REQUEST, draft, lambda _: None)
    message = draft.message()
    assert message is not None
    assert message.text == text.removeprefix('{"step": {"answer": "')


async def test_in_steps_raw_newlines_are_let_through() -> None:
    model, _, _ = stepped('{"step": {"answer": "one\ntwo"}}')
    assert (await answer_of(model)).text == "one\ntwo"


async def test_in_steps_a_call_that_was_cut_is_not_run() -> None:
    model, _, _ = stepped(Reply(text='{"step": {"tool": "look", "arguments": {"at": "a"', stop="max_tokens"))
    draft = Draft()
    for piece in await pieces_of(model):
        draft.feed(piece)
    assert (draft.message(), draft.follow_up) == (None, CUT_CALL.format(name="look"))


async def test_in_steps_without_tools_there_is_nothing_to_hold_to() -> None:
    model, _, schemas = stepped("Just words.")
    message = await answer_of(model, msgspec.structs.replace(REQUEST, tools=()))
    assert (message.content, schemas) == ((Text("Just words."),), [])


async def test_in_steps_other_tools_make_another_schema() -> None:
    model, _, schemas = stepped("a", "b", "c")
    for tools in (TOOLS, TOOLS, TOOLS[:1]):
        await pieces_of(model, msgspec.structs.replace(REQUEST, tools=tools))
    assert schemas == [step_schema(TOOLS), step_schema(TOOLS[:1])]


def test_the_schema_of_a_step() -> None:
    shared = ToolSpec(
        name="draw",
        description="",
        schema={
            "type": "object",
            "properties": {"at": {"$ref": "#/$defs/point"}, "by": {"$ref": "#/properties/at"}},
            "$defs": {"point": {"type": "object", "properties": {"next": {"$ref": "#/$defs/point"}}}},
        },
    )
    assert step_schema([shared]) == {
        "type": "object",
        "properties": {
            "step": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {
                            "tool": {"type": "string", "enum": ["draw"]},
                            "arguments": {
                                "type": "object",
                                "properties": {"at": {"$ref": "#/$defs/draw.point"}, "by": {}},
                                "additionalProperties": False,
                            },
                        },
                        "required": ["tool", "arguments"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "properties": {"answer": {"type": "string"}},
                        "required": ["answer"],
                        "additionalProperties": False,
                    },
                ]
            }
        },
        "required": ["step"],
        "additionalProperties": False,
        "$defs": {"draw.point": {"type": "object", "properties": {"next": {"$ref": "#/$defs/draw.point"}}}},
    }


def test_steps_are_shown_by_examples_of_the_tools_that_there_are() -> None:
    read = ToolSpec(
        name="read",
        description="Read a file.",
        schema={"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]},
    )
    told = instructions((read, *TOOLS), STEPS)
    assert 'What is in app.py?\n{"step": {"tool": "read", "arguments": {"file_path":"app.py"}}}' in told
    assert '"bash"' not in told
    assert instructions(TOOLS, STEPS).endswith('{"step": {"tool": "look", "arguments": {"at":"…"}}}')
