import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.core.errors import ProviderError
from ferrule.llm.lines import JsonLines, Lines, ServerEvents, Splitter

STREAM = (
    "\ufeff: a comment\r\n"
    'event: message_start\r\ndata: {"text":"Grüße, 世界 🌍"}\r\n\r\n'
    "id: 7\rretry: 10\rdata:no space\r\r"
    "data: one\ndata: two\ndata\ndata:  two spaces\n\n"
    "event: nothing\n\n"
    "database: not data\n\n"
    "data: the last one has no blank line"
).encode()
EVENTS = [
    '{"text":"Grüße, 世界 🌍"}',
    "no space",
    "one\ntwo\n\n two spaces",
    "the last one has no blank line",
]


def fed(splitter: Splitter, *chunks: bytes) -> list[str]:
    return [record for chunk in chunks for record in splitter.feed(chunk)] + splitter.end()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def read_at_once(data: bytes) -> list[str]:
    """Server-sent events as their specification has them, for a stream that is all there."""
    lines = re.split("\r\n|\r|\n", data.decode("utf-8", "replace").removeprefix("\ufeff"))
    events: list[str] = []
    pending: list[str] = []
    for line in [*lines, ""]:
        if not line and pending:
            events.append("\n".join(pending))
            pending = []
        elif re.match("data(:|$)", line):
            pending.append(line[4:].removeprefix(":").removeprefix(" "))
    return events


def test_events_are_read_from_one_chunk() -> None:
    assert fed(ServerEvents(), STREAM) == EVENTS
    assert read_at_once(STREAM) == EVENTS


def test_one_cut_anywhere_changes_nothing() -> None:
    for place in range(len(STREAM) + 1):
        assert fed(ServerEvents(), STREAM[:place], b"", STREAM[place:]) == EVENTS, place


def test_single_bytes_change_nothing() -> None:
    assert fed(ServerEvents(), *(STREAM[place : place + 1] for place in range(len(STREAM)))) == EVENTS


@settings(deadline=None)
@given(st.lists(st.integers(0, 10_000), max_size=40))
def test_many_cuts_change_nothing(places: list[int]) -> None:
    assert fed(ServerEvents(), *cut(STREAM, places)) == EVENTS


PIECES = st.sampled_from(
    [b"data: ", b"data:", b"data", b"event: x", b": ping", b"\n", b"\r", b"\r\n", b"\n\n", b"a", b" "]
)
RAW = st.lists(PIECES | st.binary(max_size=4) | st.text(max_size=3).map(str.encode), max_size=30).map(b"".join)


@settings(deadline=None)
@given(RAW, st.lists(st.integers(0, 200), max_size=10))
def test_whatever_comes_is_read_as_the_specification_says(data: bytes, places: list[int]) -> None:
    assert fed(ServerEvents(), *cut(data, places)) == read_at_once(data)


@settings(deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=8)), st.lists(st.integers(0, 99))
)
def test_lines_come_back_as_they_were(lines: list[str], places: list[int]) -> None:
    records = [line for line in lines if line.encode().strip()]
    assert fed(JsonLines(), *cut("\n".join(records).encode(), places)) == [
        record.removeprefix("\ufeff") if number == 0 else record for number, record in enumerate(records)
    ]


def test_a_carriage_return_ends_a_line_before_the_next_byte_is_there() -> None:
    lines = Lines()
    assert lines.feed(b"one\r") == [b"one"]
    assert lines.feed(b"\ntwo\r") == [b"two"]
    assert lines.feed(b"\r") == [b""]


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert fed(ServerEvents(), b"data: caf\xff\xc3\n\n") == ["caf\ufffd\ufffd"]
    assert fed(JsonLines(), b'{"a":"\xe4"}\n') == ['{"a":"\ufffd"}']


def test_blank_lines_between_json_lines_say_nothing() -> None:
    assert fed(JsonLines(), b'{"a":1}\r\n\r\n \n{"b":2}') == ['{"a":1}', '{"b":2}']


@pytest.mark.parametrize("splitter", [ServerEvents(100), JsonLines(100)])
def test_a_line_has_a_longest_length(splitter: Splitter) -> None:
    splitter.feed(b"data: " + b"x" * 90)
    with pytest.raises(ProviderError, match="more than 100 bytes"):
        splitter.feed(b"x" * 10)


def test_an_event_of_many_lines_has_one_too() -> None:
    with pytest.raises(ProviderError, match="an event of more than 100 bytes"):
        ServerEvents(100).feed(b"data: xxxx\n" * 50)


def test_a_long_line_in_small_pieces_takes_no_longer_than_its_length() -> None:
    events = ServerEvents()
    events.feed(b"data: ")
    for _ in range(20_000):
        assert events.feed(b"x" * 50) == []
    assert [len(event) for event in events.feed(b"\n\n")] == [1_000_000]
