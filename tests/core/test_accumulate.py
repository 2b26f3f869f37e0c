"""Deltas become one message, however they are cut."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ferrule.core.accumulate import Draft
from ferrule.core.messages import Assistant, Text, Thinking, ToolCall, Usage
from ferrule.core.model import Delta, Finish


def drafted(*pieces: Delta | Finish) -> Assistant | None:
    draft = Draft()
    draft.begin("m")
    for piece in pieces:
        draft.feed(piece)
    return draft.message()


def test_blocks_of_every_kind() -> None:
    message = drafted(
        Delta(kind="thinking", text="Let me "),
        Delta(kind="thinking", text="see."),
        Delta(kind="signature", text="c2ln"),
        Delta(kind="text", text="Here", index=1),
        Delta(kind="call", text="ls", index=2, id="c1"),
        Delta(kind="call", text="ls", index=3, id="c1"),
        Delta(kind="arguments", text='{"path"', index=3),
        Delta(kind="arguments", text=': "a"}', index=3),
        Finish(stop="tool_use", usage=Usage(input=1, output=2)),
    )
    assert message is not None
    assert message.content == (
        Thinking(text="Let me see.", signature="c2ln"),
        Text("Here"),
        ToolCall(id="c1", name="ls", input={}),
        ToolCall(id="c1_1", name="ls", input={"path": "a"}),
    )
    assert message.usage == Usage(input=1, output=2)


def test_nothing_is_no_message() -> None:
    assert drafted(Finish(stop="end_turn")) is None
    assert drafted(Delta(kind="text", text="  "), Finish(stop="end_turn")) is None


def test_a_call_without_an_id_gets_one() -> None:
    message = drafted(Delta(kind="call", text="ls"), Finish(stop="tool_use"))
    assert message is not None
    assert message.calls[0].id.startswith("call_")


def test_a_new_attempt_starts_from_nothing() -> None:
    draft = Draft()
    draft.begin("a")
    draft.feed(Delta(kind="text", text="first try"))
    draft.begin("b")
    draft.feed(Delta(kind="text", text="second"))
    message = draft.message()
    assert message is not None
    assert (message.text, message.model) == ("second", "b")


@given(text=st.text(min_size=1), cuts=st.lists(st.integers(0, 50), max_size=5))
def test_however_the_text_is_cut_it_is_the_same(text: str, cuts: list[int]) -> None:
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [Delta(kind="text", text=text[a:b]) for a, b in pairwise(edges)]
    message = drafted(*pieces, Finish(stop="end_turn"))
    assert (message.text if message else "") == (text if text.strip() else "")
