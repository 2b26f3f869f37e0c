"""Models in their tool modes, through the loop: whatever the model does, the loop sees ordinary calls."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import pairwise
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.core.accumulate import CUT_CALL, Draft, ask_model
from ferrule.core.errors import ProviderError, UsageError
from ferrule.core.messages import Assistant, Image, Text, Thinking, ToolCall, Usage, User, said
from ferrule.core.model import Delta, Finish, Model, Request
from ferrule.core.tool import Output
from ferrule.llm.modes import InSteps, InText, Mending, ToolMode, in_mode
from ferrule.llm.script import Call, Fault, Reply, Scripted, Step, calling
from ferrule.tools.function import tool
from tests.llm.modelled import CALL, LOOK, REQUEST, answer_of, change, look, parts, pieces_of, results, stepped
from tests.support import assert_sendable, run_of


def native(arguments: str, *, stop: str = "tool_use", name: str = "look") -> Reply:
    """A native call with these very arguments, in small pieces."""
    pieces = [Delta(kind="arguments", text=arguments[at : at + 3], index=1) for at in range(0, len(arguments), 3)]
    call = Delta(kind="call", text=name, index=1, id="c1")
    return Reply(pieces=(call, *pieces, Finish(stop=stop)))  # type: ignore[arg-type]


# native


@pytest.mark.parametrize(
    ("arguments", "input"),
    [
        ('{"at": "a"}', {"at": "a"}),
        ("{'at': 'a',}", {"at": "a"}),
        ('```json\n{"at": "a"}\n```', {"at": "a"}),
        ('{"at": "a"', {"at": "a"}),
        ('"{\\"at\\": \\"a\\"}"', {"at": "a"}),
        ('{"at": "a", "times": "2"}', {"at": "a", "times": 2}),
        ('{"at": 5, "times": null}', {"at": "5"}),
        ("", {}),
        ("null", {}),
    ],
)
async def test_arguments_are_mended(arguments: str, input: dict[str, Any]) -> None:
    message = await answer_of(Mending(Scripted([native(arguments)])))
    assert message.content == (ToolCall(id="c1", name="look", input=input),)


@pytest.mark.parametrize(
    ("arguments", "malformed"),
    [
        ('{"at": "rm -rf /tmp/bu', '{"at": "rm -rf /tmp/bu'),
        ('{"at": "a"}{"at": "b"}', '{"at": "a"}{"at": "b"}'),
        ("[1]", "[1]"),
        ('{"at": "a", "at": "b"}', 'the key "at" stands twice: {"at": "a", "at": "b"}'),
        ('{"at": {"x": 1, "x": 1}}', 'the key "x" stands twice: {"at": {"x": 1, "x": 1}}'),
    ],
)
async def test_arguments_without_a_certain_reading_reach_the_loop_as_they_came(arguments: str, malformed: str) -> None:
    run, events = run_of(Mending(Scripted([native(arguments), "I see."])), look)
    await run.go(said("go"))
    assert results(events) == [f"The arguments are not a JSON object, so nothing was run: {malformed}"]
    (call,) = cast("Assistant", run.history.messages[1]).calls
    assert call.malformed == malformed


async def test_a_list_that_came_as_a_string_is_opened() -> None:
    run, events = run_of(Mending(Scripted([native('{"what": "[\\"a\\", \\"b\\"]"}', name="change"), "Done."])), change)
    await run.go(said("go"))
    assert results(events) == ["changed a, b"]


async def test_what_is_right_passes_as_it_is() -> None:
    reply = Reply(
        thinking="Hm, so be it.",
        text="I look at both.",
        calls=(Call(name="look", input={"at": "a"}, id="c1"), Call(name="look", input={"at": "b"}, id="c2")),
        usage=Usage(input=3, output=4),
        cost=0.1,
    )
    assert await answer_of(Mending(Scripted([reply]))) == msgspec.structs.replace(
        await answer_of(Scripted([reply])), at=pytest.approx(0, abs=1e12)
    )


async def test_a_call_that_the_output_limit_cut_is_not_closed() -> None:
    model = Scripted([native('{"at": "a"', stop="max_tokens"), "I see."])
    run, events = run_of(Mending(model), look)
    await run.go(said("go"))
    assert results(events) == []
    advice = model.requests[1].messages[-1]
    assert isinstance(advice, User)
    assert advice.content == (Text(CUT_CALL.format(name="look")),)


async def test_calls_before_the_one_that_was_cut_are_mended() -> None:
    pieces = (
        Delta(kind="call", text="look", index=0, id="c1"),
        Delta(kind="arguments", text="{'at': 'a'", index=0),
        Delta(kind="call", text="look", index=1, id="c2"),
        Delta(kind="arguments", text='{"at": "b"', index=1),
        Finish(stop="max_tokens"),
    )
    message = await answer_of(Mending(Scripted([Reply(pieces=pieces)])))
    assert message.content == (ToolCall(id="c1", name="look", input={"at": "a"}),)


async def test_arguments_whose_pieces_are_mixed_are_kept_apart() -> None:
    pieces = (
        Delta(kind="call", text="look", index=3, id="c1"),
        Delta(kind="call", text="look", index=1, id="c2"),
        Delta(kind="arguments", text="{'at':", index=1),
        Delta(kind="arguments", text='{"at"', index=3),
        Delta(kind="arguments", text=" 'b'}", index=1),
        Delta(kind="arguments", text=': "a"}', index=3),
        Finish(stop="tool_use"),
    )
    message = await answer_of(Mending(Scripted([Reply(pieces=pieces)])))
    assert message.content == (
        ToolCall(id="c1", name="look", input={"at": "a"}),
        ToolCall(id="c2", name="look", input={"at": "b"}),
    )


async def test_words_and_thoughts_pass_at_once() -> None:
    passed: list[str] = []

    async def slowly(_: Request) -> AsyncIterator[Delta | Finish]:
        yield Delta(kind="thinking", text="Hm")
        assert passed == ["Hm"]
        yield Delta(kind="text", text="Half a ", index=1)
        assert passed == ["Hm", "Half a "]
        yield Delta(kind="text", text="sentence", index=1)
        assert passed == ["Hm", "Half a ", "sentence"]
        yield Finish(stop="end_turn")

    async for piece in Mending(Scripted([slowly])).stream(REQUEST):
        if isinstance(piece, Delta):
            passed.append(piece.text)
    assert passed == ["Hm", "Half a ", "sentence"]


# a native model that writes its calls as text


async def test_a_call_written_as_text_becomes_a_real_one_and_the_model_moves_to_text() -> None:
    changes: list[tuple[ToolMode, str]] = []
    inner = Scripted([f"Let me look.\n\n{LOOK}", LOOK.replace('"a"', '"b"'), "Done."])
    model = Mending(inner, on_change=lambda mode, why: changes.append((mode, why)))
    run, events = run_of(model, look)
    assert (await run.go(said("go"))).reason == "end_turn"
    assert results(events) == ["saw a", "saw b"]
    assert_sendable(run.history.messages)
    first = cast("Assistant", run.history.messages[1])
    assert parts(first) == [Text("Let me look."), ("look", {"at": "a"}, None)]
    assert first.stop == "tool_use"
    assert changes == [
        ("text", "scripted writes its calls as text, so from now on its tools are described to it in words.")
    ]
    assert model.mode == "text"
    assert [bool(request.tools) for request in inner.requests] == [True, False, False]
    assert [message.content for message in inner.requests[1].messages] == [
        (Text("go"),),
        (Text('Let me look.\n\n<tool_call>\n{"name": "look", "arguments": {"at":"a"}}\n</tool_call>'),),
        (Text('<tool_result tool="look">\nsaw a\n</tool_result>'),),
    ]


async def test_talk_about_a_call_moves_nothing() -> None:
    text = f"A call looks like this:\n\n{LOOK}\n\nIt is simple."
    model = Mending(Scripted([text]))
    message = await answer_of(model)
    assert (message.content, message.stop, model.mode) == ((Text(text),), "end_turn", "native")


async def test_a_model_that_called_natively_before_is_understood_but_not_moved() -> None:
    inner = Scripted([calling("look", at="a"), LOOK, "Done."])
    model = Mending(inner)
    run, events = run_of(model, look)
    await run.go(said("go"))
    assert results(events) == ["saw a", "saw a"]
    assert [bool(request.tools) for request in inner.requests] == [True, True, True]
    assert model.mode == "native"
    assert_sendable(run.history.messages)


async def test_what_a_model_that_calls_natively_shows_is_no_call() -> None:
    shown = 'Here it is:\n```json\n{"name": "change", "arguments": {"what": ["all"]}}\n```'
    model = Mending(Scripted([calling("look", at="a"), shown]))
    run, events = run_of(model, look, change)
    assert (await run.go(said("show me the file"))).reason == "end_turn"
    assert results(events) == ["saw a"]
    assert cast("Assistant", run.history.messages[-1]).text == shown


async def test_beside_a_native_call_text_stays_text() -> None:
    model = Mending(Scripted([Reply(text=LOOK, calls=(Call(name="look", input={"at": "b"}),))]))
    message = await answer_of(model)
    assert parts(message) == [Text(LOOK), ("look", {"at": "b"}, None)]
    assert model.mode == "native"


async def test_without_tools_nothing_is_a_call() -> None:
    model = Mending(Scripted([LOOK]))
    message = await answer_of(model, msgspec.structs.replace(REQUEST, tools=()))
    assert message.content == (Text(LOOK),)


@pytest.mark.parametrize("stop", ["max_tokens", "refusal"])
async def test_in_an_answer_that_did_not_end_well_text_stays_text(stop: Any) -> None:
    message = await answer_of(Mending(Scripted([Reply(text=LOOK, stop=stop)])))
    assert message.content == (Text(LOOK),)


async def test_what_was_held_back_is_passed_on_when_the_stream_breaks() -> None:
    model = Mending(Scripted([Reply(text=f"I look.\n{LOOK}", error=Fault(message="reset", fault="network"))]))
    draft = Draft()
    with pytest.raises(ProviderError, match="reset"):
        await ask_model(model, REQUEST, draft, lambda _: None)
    message = draft.message()
    assert message is not None
    assert message.content == (Text(f"I look.\n{LOOK}"),)


async def test_a_stream_that_just_ends_stays_unfinished() -> None:
    model = Mending(Scripted([Reply(pieces=(Delta(kind="text", text="{"),))]))
    assert await pieces_of(model) == [Delta(kind="text", text="{")]


async def test_text_in_several_blocks_is_kept_apart() -> None:
    pieces = (
        Delta(kind="text", text="One.\n", index=0),
        Delta(kind="text", text="{", index=0),
        Delta(kind="thinking", text="Hm.", index=1),
        Delta(kind="text", text="Two.", index=2),
        Finish(stop="end_turn"),
    )
    message = await answer_of(Mending(Scripted([Reply(pieces=pieces)])))
    assert message.content == (Text("One.\n{"), Thinking(text="Hm."), Text("Two."))


# servers that take no tools

REFUSALS = [
    "registry.ollama.ai/library/gemma:latest does not support tools",
    'No endpoints found that support tool use. Try disabling "look".',
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "tools param requires --jinja flag",
    "`tool calling` is not supported with this model",
    "This model does not support function calling.",
    "Unsupported parameter: 'tools'",
    "Function calling is not enabled for models/gemma-3",
]


@pytest.mark.parametrize("words", REFUSALS)
async def test_a_server_that_takes_no_tools_is_asked_again_in_text(words: str) -> None:
    changes: list[str] = []
    inner = Scripted([Reply(error=Fault(message=words, fault="bad_request", status=400)), LOOK, "Done."])
    run, events = run_of(Mending(inner, on_change=lambda _, why: changes.append(why)), look)
    assert (await run.go(said("go"))).reason == "end_turn"
    assert results(events) == ["saw a"]
    assert [bool(request.tools) for request in inner.requests] == [True, False, False]
    assert changes == [
        f"scripted takes no tools ({words.rstrip('.')}), so from now on they are described to it in words."
    ]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("Invalid schema for function 'look': 'format' is not supported", "bad_request"),
        ("messages with role 'tool' must follow tool_calls", "bad_request"),
        ("max_tokens is not supported", "bad_request"),
        ("This model does not support image input", "bad_request"),
        ("does not support tools", "auth"),
        ("does not support tools", "rate_limit"),
    ],
)
async def test_other_errors_are_passed_on(words: str, fault: Any) -> None:
    model = Mending(Scripted([Reply(error=Fault(message=words, fault=fault)), "no"]))
    with pytest.raises(ProviderError, match=words.replace("(", r"\(")):
        await pieces_of(model)
    assert model.mode == "native"


async def test_a_server_that_fails_in_text_too_is_not_asked_a_third_time() -> None:
    fault = Reply(error=Fault(message="does not support tools", fault="bad_request"))
    inner = Scripted([fault, fault, "no"])
    with pytest.raises(ProviderError, match="does not support tools"):
        await pieces_of(Mending(inner))
    assert len(inner.requests) == 2


async def test_a_refusal_after_the_first_words_is_no_refusal_of_tools() -> None:
    reply = Reply(text="Well, ", error=Fault(message="does not support tools", fault="bad_request"))
    inner = Scripted([reply, "no"])
    with pytest.raises(ProviderError, match="does not support tools"):
        await pieces_of(Mending(inner))
    assert len(inner.requests) == 1


# in every mode


def models(*steps: Step) -> list[Model]:
    return [Mending(Scripted(steps)), InText(Scripted(steps)), stepped(*steps)[0]]


@settings(deadline=None)
@given(
    st.sampled_from([CALL, LOOK, f"Hm.\n{LOOK}", "Words.\n{ and } more.", '{"step": {"answer": "a\\u00e9\\n"}}', "{}"]),
    st.data(),
)
async def test_however_an_answer_is_cut_it_is_the_same(text: str, data: st.DataObject) -> None:
    edges = sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text)), max_size=8))})
    pieces = [Delta(kind="text", text=text[a:b]) for a, b in pairwise(edges)]
    reply = Reply(pieces=(*pieces, Finish(stop="end_turn")))
    for whole, cut in zip(models(text), models(reply), strict=True):
        assert parts(await answer_of(cut)) == parts(await answer_of(whole))


@pytest.mark.parametrize("mode", range(3))
async def test_a_stream_that_is_left_early_is_closed(mode: int) -> None:
    closed: list[bool] = []

    async def endless(_: Request) -> AsyncIterator[Delta | Finish]:
        try:
            while True:
                yield Delta(kind="text", text="more ")
        finally:
            closed.append(True)

    class Asked:
        """A model that gives the very stream, so that only who asked can close it."""

        name = "asked"

        def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
            return endless(request)

    wrapped: list[Model] = [Mending(Asked()), InText(Asked()), InSteps(Asked(), lambda _: Asked())]
    async with aclosing(cast("Any", wrapped[mode].stream(REQUEST))) as stream:
        await anext(stream)
    assert closed == [True]


@pytest.mark.parametrize("arguments", ['{"at": "\\ud800"}', '{"at": "\ud800"}', "\ud800"])
async def test_half_characters_are_no_reason_to_fail(arguments: str) -> None:
    message = await answer_of(Mending(Scripted([native(arguments)])))
    assert message.calls[0].malformed == arguments


async def test_a_lone_half_character_in_the_history_can_be_retold() -> None:
    call = ToolCall(id="c", name="look", input={"at": "\ud800"})
    messages = (said("go"), Assistant(content=(call,), model="m", stop="tool_use"))
    model, inner, _ = stepped("ok")
    await pieces_of(model, msgspec.structs.replace(REQUEST, messages=messages))
    assert len(inner.requests) == 1


def test_models_are_put_into_modes() -> None:
    inner = Scripted([])
    assert isinstance(in_mode(inner), Mending)
    assert isinstance(in_mode(inner, "text"), InText)
    assert isinstance(in_mode(inner, "schema", constrain=lambda _: inner), InSteps)
    with pytest.raises(UsageError, match="scripted cannot be held to a schema; choose the tool mode native or text"):
        in_mode(inner, "schema")


async def test_the_result_of_a_tool_may_be_a_picture() -> None:
    @tool
    def draw(at: str) -> Output:
        """Draw."""
        return Output((Image(media_type="image/png", data=at),))

    inner = Scripted([LOOK.replace("look", "draw"), "Done."])
    run, _ = run_of(InText(inner), draw)
    await run.go(said("go"))
    assert inner.requests[1].messages[-1].content == (
        Text('<tool_result tool="draw">\n\n</tool_result>'),
        Image(media_type="image/png", data="a"),
    )
