"""Session files that were damaged in every way: none is the end of a program, and what can be read is back."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ferrule.core.errors import SessionError
from ferrule.core.events import Event, Notice
from ferrule.front.export.markdown import to_markdown
from ferrule.front.export.plain import to_json
from ferrule.session.log import SessionLog
from ferrule.session.reading import LoadedLog, read_log, rebuild
from ferrule.session.records import Record, SessionEnded, SessionNamed
from ferrule.session.secrets import Mask
from ferrule.session.summary import summarise
from tests.session.samples import EVERY_EVENT, header, turns
from tests.support import assert_sendable

MUTANTS = 1_000
DICE = random.Random(20_260)

ODD_LINES = [
    b'{"n":5,"at":1.0,"event":{"type":"unheard_of","x":[1,2]}}',
    b'{"n":5,"at":1.0,"event":{"type":"notice","text":"\\ud800 \\udfff"}}',
    b'{"n":' + b"9" * 400 + b',"at":1e308,"event":{"type":"notice","text":"n"}}',
    b'{"n":1,"at":1,"event":{"type":"run_ended","reason":"end_turn","turns":3,"usage":{"input":' + b"8" * 4000 + b"}}}",
    b'{"n":1,"at":-1e300,"event":{"type":"turn_ended","turn":1,"cost":1e308}}',
    b'{"n":5,"at":1.0,"event":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    b'{"n":5,"at":1.0,"event":{"type":"tool_started","call":{"type":"tool_call","id":"c","name":"t","input":'
    + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}}}",
    b'{"n":5,"at":1.0,"event":{"type":"appended","message":{"role":"assistant","content":[],"model":"m","stop":"error"}}}',
    b'{"n":5,"at":1.0,"event":{"type":"appended","message":{"role":"user","content":[{"type":"text","text":7}]}}}',
    b'{"n":true,"at":null,"event":{"type":"notice","text":"wrong types"}}',
    b'{"n":0,"at":1.0,"event":{"type":"session_start","version":"one","id":["x"]}}',
    b'{"n":0,"at":1.0,"event":{"type":"session_start","version":1,"id":"","created":1e300,"directory":"\\u001b[2J"}}',
    b'{"n":5,"at":NaN,"event":{"type":"notice","text":"not a number"}}',
    b"\xef\xbb\xbf", b"\xff\xfe{\0}\0", b"null", b"", b"\r", b'"', b"{", b"}" * 1_000,
]  # fmt: skip


def cut(data: bytes) -> bytes:
    return data[: DICE.randrange(len(data) + 1)]


def flip(data: bytes) -> bytes:
    mutable = bytearray(data)
    for _ in range(DICE.choice((1, 1, 1, 5, 50))):
        mutable[DICE.randrange(len(mutable))] ^= 1 << DICE.randrange(8)
    return bytes(mutable)


def insert(data: bytes) -> bytes:
    place = DICE.randrange(len(data))
    return data[:place] + DICE.randbytes(DICE.choice((1, 3, 500))) + data[place:]


def overwrite(data: bytes) -> bytes:
    place, length = DICE.randrange(len(data)), DICE.choice((1, 20, 4096))
    return data[:place] + DICE.choice((b"\0", b"\xff", b" ", b"\n")) * length + data[place + length :]


def by_lines(change: Callable[[list[bytes]], None]) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        change(lines)
        return b"".join(lines)

    return changed


def _some(lines: list[bytes]) -> int:
    return DICE.randrange(len(lines))


def _twice(lines: list[bytes]) -> None:
    lines.insert(_some(lines), lines[_some(lines)])


def _lost(lines: list[bytes]) -> None:
    del lines[_some(lines)]


def _swapped(lines: list[bytes]) -> None:
    one, other = _some(lines), _some(lines)
    lines[one], lines[other] = lines[other], lines[one]


def _odd(lines: list[bytes]) -> None:
    lines.insert(_some(lines), DICE.choice(ODD_LINES) + b"\n")


def _swap_values(lines: list[bytes]) -> None:
    """Put a value of another type where one was."""
    place = _some(lines)
    values = list(re.finditer(rb":(\d+(\.\d+)?|\"[^\"\\]*\"|true|null)", lines[place]))
    if values:
        start, end = DICE.choice(values).span(1)
        new = DICE.choice((b"null", b"7", b'"x"', b"[]", b"{}", b"-1", b"1e999", b"true", b'"\\ud800"'))
        lines[place] = lines[place][:start] + new + lines[place][end:]


MUTATIONS: list[Callable[[bytes], bytes]] = [
    cut,
    flip,
    insert,
    overwrite,
    by_lines(_twice),
    by_lines(_swapped),
    by_lines(_lost),
    by_lines(_odd),
    by_lines(_swap_values),
    by_lines(DICE.shuffle),
]


def whole_session(path: Path) -> bytes:
    events = turns("a result\nof “two” lines")
    with SessionLog.create(path, header()) as log:
        for _ in range(24):
            log.write(next(events))
        for event in EVERY_EVENT:
            log.write(event)
        log.write(SessionNamed("a name"))
        for _ in range(13):  # in the middle of a turn, with a call that has no result
            log.write(next(events))
    return path.read_bytes()


def load(path: Path) -> LoadedLog | None:
    """Read it every way there is; only a file that claims to be of a newer format may be refused."""
    assert summarise(path)
    try:
        loaded = read_log(path)
    except SessionError as error:
        assert "newer Ferrule" in str(error)  # noqa: PT017
        return None
    assert_sendable(rebuild(loaded).messages)
    assert to_markdown(loaded, Mask({}))
    assert msgspec.json.decode(to_json(loaded, Mask({})))
    return loaded


def timeless(event: Event) -> bytes:
    """The event without its time: a message whose time was damaged has that of its reading."""
    return re.sub(rb'"at":[\d.e+-]+', b"", msgspec.json.encode(event))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_can_be_read_of_a_damaged_session_is_back(tmp_path: Path) -> None:
    path = tmp_path / "an-id.jsonl"
    whole = whole_session(path)
    decoder = msgspec.json.Decoder(Record)
    original = {line: decoder.decode(line).event for line in whole.splitlines(keepends=True)}
    events = {line: event for line, event in original.items() if not isinstance(event, SessionNamed | SessionEnded)}
    refused = 0
    for count in range(MUTANTS):
        data, chosen = whole, DICE.choices(MUTATIONS, k=1 + count % 3)
        for mutate in chosen:
            data = mutate(data) if data else data
        path.write_bytes(data)
        loaded = load(path)
        if loaded is None:
            refused += 1
            continue
        back = {msgspec.json.encode(event) for event in (*loaded.events, loaded.header)}
        intact = [events[line] for line in data.splitlines(keepends=True) if line in events]
        headers = [event for event in intact if event == header()]
        for event in intact:
            assert msgspec.json.encode(event) in back or event in headers, f"mutant {count} lost {event}"
        with SessionLog.open(path) as log:
            log.write(Notice(text="written after the damage"))
        again = load(path)
        assert again
        expected = [timeless(event) for event in (*loaded.events, Notice(text="written after the damage"))]
        found = [timeless(event) for event in again.events]
        assert sorted(found) == sorted(expected), f"mutant {count}"
        assert found[-1] == expected[-1], f"mutant {count}"
        assert found == expected or len(chosen) > 1, f"mutant {count}"
    assert refused < MUTANTS / 50
