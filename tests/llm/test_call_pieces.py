"""Tool calls in pieces: two calls are understood however a server tells them."""

from typing import Any

import msgspec
import pytest

from ferrule.core.accumulate import Draft
from ferrule.core.model import Finish
from ferrule.llm.call_pieces import Calls, Piece


def pieces(*calls: dict[str, Any]) -> list[Piece]:
    """The calls of one record."""
    return msgspec.json.decode(msgspec.json.encode(calls), type=list[Piece], strict=False)


def calls_in(*records: list[Piece]) -> list[tuple[str, str, dict[str, Any], str | None]]:
    """The calls of an answer as the loop would see them; ids that were made up are left out."""
    draft = Draft()
    calls = Calls()
    for record in records:
        for piece in calls.take(record):
            draft.feed(piece)
    for piece in calls.remaining():
        draft.feed(piece)
    draft.feed(Finish(stop="tool_use"))
    message = draft.message()
    assert message is not None
    return [
        ("" if call.id.startswith("call_") and len(call.id) == 21 else call.id, call.name, call.input, call.malformed)
        for call in message.calls
    ]


A, B = {"path": "a"}, {"path": "b"}


def function(name: str | None = None, arguments: Any = None) -> dict[str, Any]:
    return {
        "function": ({} if name is None else {"name": name}) | ({} if arguments is None else {"arguments": arguments})
    }


WAYS: dict[str, list[list[Piece]]] = {
    "as OpenAI does": [
        pieces({"index": 0, "id": "1", "type": "function", **function("read", "")}),
        pieces({"index": 0, **function(None, '{"path"')}),
        pieces({"index": 0, **function(None, ':"a"}')}),
        pieces({"index": 1, "id": "2", "type": "function", **function("read", "")}),
        pieces({"index": 1, **function(None, '{"path":"b"}')}),
    ],
    "mixed": [
        pieces({"index": 0, "id": "1", **function("read", "")}, {"index": 1, "id": "2", **function("read", "")}),
        pieces({"index": 1, **function(None, '{"path":"b"')}, {"index": 0, **function(None, '{"path":')}),
        pieces({"index": 0, **function(None, '"a"}')}, {"index": 1, **function(None, "}")}),
    ],
    "whole": [
        pieces({"index": 0, "id": "1", **function("read", '{"path":"a"}')}),
        pieces({"index": 1, "id": "2", **function("read", '{"path":"b"}')}),
    ],
    "arguments as objects": [
        pieces({"index": 0, "id": "1", **function("read", A)}, {"index": 1, "id": "2", **function("read", B)}),
    ],
    "all with number 0": [
        pieces({"index": 0, "id": "1", **function("read", '{"path":"a"}')}),
        pieces({"index": 0, "id": "2", **function("read", '{"path":"b"}')}),
    ],
    "no number": [
        pieces({"id": "1", **function("read", "")}),
        pieces({"id": "1", **function(None, '{"path":"a"}')}),
        pieces({"id": "2", **function("read", '{"path":')}),
        pieces(function(None, '"b"}')),
    ],
    "no number, in one piece": [
        pieces({"id": "1", **function("read", '{"path":"a"}')}, {"id": "2", **function("read", '{"path":"b"}')}),
    ],
    "name and id repeated": [
        pieces({"index": 0, "id": "1", **function("read", '{"pa')}),
        pieces({"index": 0, "id": "1", **function("read", 'th":"a"}')}),
        pieces({"index": 1, "id": "2", **function("read", '{"pa')}),
        pieces({"index": 1, "id": "2", **function("read", 'th":"b"}')}),
    ],
    "the name comes late": [
        pieces({"index": 0, "id": "1", **function("", '{"path":')}),
        pieces({"index": 0, **function("read", '"a"}')}),
        pieces({"index": 1, "id": "2", **function("read", '{"path":"b"}')}),
    ],
    "null and empty": [
        pieces({"index": 0, "id": "1", "type": None, **function("read", None)}),
        pieces({"index": 0, "id": None, "function": {"name": None, "arguments": '{"path":"a"}'}}),
        pieces(
            {"index": 1, "id": "2", "function": {"name": "read", "arguments": None}}, {"index": 0, "function": None}
        ),
        pieces({"index": 1, "id": "", "function": {"name": "", "arguments": '{"path":"b"}'}}),
    ],
    "numbers begin at 1": [
        pieces({"index": 1, "id": "1", **function("read", '{"path":"a"}')}),
        pieces({"index": 2, "id": "2", **function("read", '{"path":"b"}')}),
    ],
    "not streamed at all": [
        pieces(
            {"id": "1", "type": "function", **function("read", '{"path":"a"}')},
            {"id": "2", "type": "function", **function("read", '{"path":"b"}')},
        ),
    ],
}


@pytest.mark.parametrize("way", WAYS)
def test_two_calls_are_understood_however_they_are_told(way: str) -> None:
    assert calls_in(*WAYS[way]) == [("1", "read", A, None), ("2", "read", B, None)]


@pytest.mark.parametrize(
    "chunks",
    [
        [pieces(function("read", '{"path":"a"}'), function("read", '{"path":"b"}'))],
        [pieces(function("read", '{"path":"a"}')), pieces(function("read", '{"path":"b"}'))],
        [
            pieces({"index": 0, **function("read", '{"path":"a"}')}),
            pieces({"index": 0, **function("read", '{"path":"b"}')}),
        ],
    ],
    ids=["in one piece", "in two", "with the same number"],
)
def test_without_ids_too(chunks: list[list[Piece]]) -> None:
    assert calls_in(*chunks) == [("", "read", A, None), ("", "read", B, None)]


def test_a_call_whose_name_never_comes_is_still_told() -> None:
    assert calls_in(pieces({"index": 0, "id": "1", **function(None, '{"path":"a"}')})) == [("1", "", A, None)]


def test_a_call_without_arguments_has_none() -> None:
    assert calls_in(pieces({"index": 0, "id": "1", **function("read", "")})) == [("1", "read", {}, None)]
