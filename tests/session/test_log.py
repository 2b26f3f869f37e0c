import errno
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from ferrule.core.errors import SessionError
from ferrule.core.events import Appended, Event, Notice, RunEnded, RunStarted, ToolEnded, TurnStarted
from ferrule.core.messages import Assistant, Text, ToolCall, ToolResult, Usage, said
from ferrule.session.log import SessionLog
from ferrule.session.reading import LONGEST_LINE, read_log, rebuild
from ferrule.session.records import SessionNamed, Totals
from ferrule.session.secrets import MARK, Mask
from tests.session.samples import ANSWER, CALL, CALLS, EVERY_EVENT, KEPT, RESULT, header, turns, write_session
from tests.support import assert_sendable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "project" / "an-id.jsonl"


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def change(path: Path, *changes: tuple[int, bytes]) -> None:
    """Put other bytes in the place of lines, which count from 1."""
    lines = lines_of(path)
    for number, new in changes:
        lines[number - 1] = new
    path.write_bytes(b"".join(lines))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# Writing


def test_every_event_comes_back_as_it_was(path: Path) -> None:
    assert {type(event) for event in EVERY_EVENT} == set(get_args(Event))
    loaded = read_log(write_session(path))
    assert loaded.events == KEPT
    assert loaded.header == header()
    assert loaded.warnings == ()
    assert loaded.totals == Totals(turns=2, messages=5, usage=Usage(input=30, output=9), cost=0.03)


def test_the_conversation_is_rebuilt(path: Path) -> None:
    messages = rebuild(read_log(write_session(path))).messages
    first, _, _, go_on, _ = messages
    assert messages == [first, CALLS, RESULT, go_on, ANSWER]


def test_a_line_is_a_numbered_record_and_the_first_says_the_version(path: Path) -> None:
    records = [msgspec.json.decode(line) for line in lines_of(write_session(path))]
    assert [record["n"] for record in records] == list(range(len(KEPT) + 2))
    assert records[0]["event"] == {"type": "session_start", **msgspec.to_builtins(header()), "version": 1}
    assert records[-1]["event"]["type"] == "session_end"
    assert records[1]["at"] == pytest.approx(time.time(), abs=60)


def test_an_event_is_on_disk_when_write_returns(path: Path) -> None:
    log = SessionLog.create(path, header())
    for count, event in enumerate(KEPT, start=1):
        log.write(event)
        assert read_log(path).events == KEPT[:count]
    log.close()


def test_there_is_no_file_before_the_first_event(path: Path) -> None:
    with SessionLog.create(path, header()):
        assert not path.parent.exists()
    assert not path.parent.exists()


@pytest.mark.usefixtures("open_umask")
def test_files_and_directories_are_private_whatever_the_umask(path: Path, tmp_path: Path) -> None:
    write_session(path)
    assert (mode(path), mode(path.parent), mode(path.parent.parent)) == (0o600, 0o700, 0o700)
    path.chmod(0o666)
    SessionLog.open(path).close()
    assert mode(path) == 0o600


def test_a_link_in_its_place_is_not_followed(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    with pytest.raises(SessionError):
        SessionLog.create(path, header()).write(RunStarted())
    with pytest.raises(SessionError, match="It is a symbolic link"):
        SessionLog.open(path)
    with pytest.raises(SessionError, match="It is a symbolic link"):
        read_log(path)
    assert target.read_text() == "mine"


def test_what_is_no_file_is_refused_and_not_waited_for(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with pytest.raises(SessionError, match="No such file"):
        read_log(path)
    path.mkdir()
    for attempt in (read_log, SessionLog.open):
        with pytest.raises(SessionError, match=r"not a plain file|Is a directory"):
            attempt(path)
    path.rmdir()
    os.mkfifo(path)
    for attempt in (read_log, SessionLog.open):
        with pytest.raises(SessionError, match="not a plain file"):
            attempt(path)


def test_a_session_goes_on_where_it_ended(path: Path) -> None:
    write_session(path)
    with SessionLog.open(path) as log:
        assert log.loaded.events == KEPT
        log.write(RunStarted())
        log.write(TurnStarted(turn=1))
        log.write(RunEnded(reason="end_turn", turns=1, usage=Usage(input=1), cost=0.5))
    loaded = read_log(path)
    assert loaded.events[: len(KEPT)] == KEPT
    assert len(loaded.events) == len(KEPT) + 3
    assert loaded.totals == Totals(turns=3, messages=5, usage=Usage(input=31, output=9), cost=0.53)
    assert [msgspec.json.decode(line)["n"] for line in lines_of(path)] == list(range(len(lines_of(path))))


def test_opening_alone_changes_nothing(path: Path) -> None:
    before = write_session(path).read_bytes()
    SessionLog.open(path).close()
    assert path.read_bytes() == before


def test_the_last_name_counts(path: Path) -> None:
    with SessionLog.create(path, header()) as log:
        log.write(SessionNamed("one"))
        log.write(SessionNamed("two"))
        assert log.name == "two"
    assert read_log(path).name == "two"
    with SessionLog.open(path) as log:
        assert log.name == "two"


def test_a_second_one_is_refused_while_it_is_open(path: Path) -> None:
    first = SessionLog.create(path, header())
    first.write(RunStarted())
    with pytest.raises(SessionError, match=r"open in another Ferrule; --fork"):
        SessionLog.open(path)
    ran = child(path, "try: SessionLog.open(path)\nexcept SessionError as error: print(error)")
    assert "--fork" in ran.stdout
    first.close()
    SessionLog.open(path).close()


def test_a_session_that_was_removed_meanwhile_is_not_written(path: Path) -> None:
    write_session(path)
    code = """
descriptor = open_private(path, os.O_RDWR)
lock(descriptor)
print("locked", flush=True)
sys.stdin.readline()
path.unlink()
"""
    script = [sys.executable, "-c", PRELUDE + code, str(path)]
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as remover:
        assert remover.stdout
        assert remover.stdout.readline() == "locked\n"
        with pytest.raises(SessionError, match="open in another"):
            SessionLog.open(path)
        remover.communicate("go\n")
    with pytest.raises(SessionError, match="No such file"):
        SessionLog.open(path)


def test_nothing_is_kept_after_closing_and_no_thread_is_left(path: Path) -> None:
    log = SessionLog.create(path, header())
    log.write(RunEnded(reason="end_turn", turns=0))
    log.close()
    log.write(Notice(text="too late"))
    log.close()
    assert read_log(path).events == (RunEnded(reason="end_turn", turns=0),)
    assert "session-to-disk" not in {thread.name for thread in threading.enumerate()}


STRANGE = [
    "half a character \ud83d alone",
    "a byte that was no text \udcff",
    "\x00\x01\x1b[31m\x7f\x9b\u2028",
    '"quotes" and \\ back\\\\slashes',
    "\U0001f600",
]


@pytest.mark.parametrize("text", STRANGE)
def test_whatever_text_comes_it_is_written_and_read(path: Path, text: str) -> None:
    loaded = read_log(write_session(path, Appended(message=said(text)), Notice(text="after")))
    first, after = loaded.events
    assert isinstance(first, Appended)
    assert first.message.content == (Text(text.encode(errors="replace").decode()),)
    assert after == Notice(text="after")
    assert loaded.warnings == ()


def test_whatever_arguments_come_they_do_not_stop_the_log(path: Path) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    odd = [
        {"deep": deep},
        {"huge": 10**5000},
        {"half": "\ud800"},
        {"set": {1}, "path": Path("/x")},
        {"nan": float("nan")},
    ]
    calls = [ToolCall(id=str(place), name="t", input=each) for place, each in enumerate(odd)]
    events = [Appended(message=Assistant(content=(call,), model="m", stop="tool_use")) for call in calls]
    loaded = read_log(write_session(path, *events, Notice(text="after")))
    assert loaded.events[-1] == Notice(text="after")
    assert len(loaded.events) == len(events) + 1
    assert_sendable(rebuild(loaded).messages)


# A disk that is full


PRELUDE = """
import os, resource, sys
from pathlib import Path
from ferrule.core.errors import SessionError
from ferrule.core.events import *
from ferrule.session.files import lock, open_private
from ferrule.session.log import SessionLog
from tests.session.samples import header
path = Path(sys.argv[1])
"""


def child(path: Path, code: str) -> "subprocess.CompletedProcess[str]":
    script = [sys.executable, "-c", PRELUDE + code, str(path)]
    return subprocess.run(script, capture_output=True, text=True, check=True, timeout=30)


FILL = """
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, resource.RLIM_INFINITY))
log = SessionLog.create(path, header())
for count in range(100):
    try:
        log.write(Notice(text=f"{count} " + "x" * 300))
        print(log.broken or count)
    except SessionError as error:
        print(error)
log.close()
"""


def test_a_full_disk_is_said_once_and_leaves_a_whole_file(path: Path) -> None:
    said_ = child(path, FILL).stdout.splitlines()
    written = next(place for place, line in enumerate(said_) if not line.isdecimal())
    assert 5 < written < 20
    assert said_[written] == f"The session can no longer be written ({os.strerror(errno.EFBIG)}): {path}"
    assert said_[written + 1 :] == ["True"] * (99 - written)
    loaded = read_log(path)
    assert loaded.warnings == ()
    assert [event.text.split()[0] for event in loaded.events if isinstance(event, Notice)] == [
        str(count) for count in range(written)
    ]
    with SessionLog.open(path) as log:
        log.write(RunStarted())
    assert read_log(path).events == (*loaded.events, RunStarted())


def test_a_disk_that_is_full_from_the_start_is_left_empty(path: Path) -> None:
    ran = child(path, FILL.replace("5_000", "0"))
    assert ran.stdout.startswith(f"The session cannot be saved ({os.strerror(errno.EFBIG)}): {path}. Set session.")
    assert not path.exists()


def test_a_file_where_the_directory_should_be_is_said_once(path: Path) -> None:
    path.parent.parent.write_text("a file")
    log = SessionLog.create(path, header())
    with pytest.raises(SessionError, match="The session cannot be saved"):
        log.write(RunStarted())
    log.write(RunStarted())
    log.close()


# Damage


def test_a_torn_tail_is_dropped_wherever_it_was_torn(path: Path) -> None:
    events = tuple(islice(turns(), 20))
    log = SessionLog.create(path, header())
    for event in events:
        log.write(event)
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start + 1, len(whole) - 1, 3):
        path.write_bytes(whole[:end])
        loaded = read_log(path)
        assert loaded.events == events[:-1]
        assert loaded.warnings == ("The last line was cut off and was left out.",)
    path.write_bytes(whole[:-1])  # only its end is missing, so it is not torn
    assert read_log(path).events == events
    log.close()


def test_going_on_after_a_torn_tail_ends_the_torn_line_first(path: Path) -> None:
    whole = write_session(path).read_bytes()
    path.write_bytes(whole[:-20])
    with SessionLog.open(path) as log:
        assert log.loaded.warnings
        log.write(Notice(text="on"))
    loaded = read_log(path)
    assert loaded.events == (*KEPT, Notice(text="on"))
    assert loaded.warnings == ("Line 25 is damaged; what could not be read was left out.",)


@pytest.mark.parametrize(
    "rubbish",
    [b"rubbish\n", b"\xff\xfe\x00\n", b"{}\n", b"[]\n", b"42\n", b'"a"\n', b"null\n", b"[" * 100_000 + b"\n",
     b'{"n":3,"at":0,"event":{"type":"appended"\n', b'{"n":3,"at":0,"event":7}\n', b'{"n":' * 50_000 + b"\n"],
    ids=lambda line: line[:12].decode(errors="replace"),
)  # fmt: skip
def test_a_damaged_line_is_left_out_and_named(path: Path, rubbish: bytes) -> None:
    write_session(path)
    change(path, (4, rubbish))
    loaded = read_log(path)
    assert loaded.events == (*KEPT[:2], *KEPT[3:])
    assert loaded.warnings == ("Line 4 is damaged; what could not be read was left out.",)


def test_of_many_damaged_lines_the_first_are_named(path: Path) -> None:
    write_session(path)
    change(path, *((number, b"?\n") for number in range(2, 12)))
    assert read_log(path).warnings == (
        "Lines 2, 3, 4, 5, 6 and 5 more are damaged; what could not be read was left out.",
    )


def test_empty_lines_say_nothing(path: Path) -> None:
    write_session(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n\n\0\0\n \n"))
    loaded = read_log(path)
    assert (loaded.events, loaded.warnings) == (KEPT, ())


def test_two_records_on_one_line_are_both_read(path: Path) -> None:
    write_session(path)
    lines = lines_of(path)
    change(path, (4, lines[3].rstrip(b"\n")), (8, b"\0\0\0rubbish" + lines[7]))
    loaded = read_log(path)
    assert loaded.events == KEPT
    assert loaded.warnings == ("Lines 4, 7 are damaged; what could not be read was left out.",)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [(b"What is", b"What\xff is", "What\ufffd is here?"), (b"What is", b"What\\ud800 is", "What? is here?"),
     (b"What is", b"What\x07 is", "What\x07 is here?"), (b"What is", b"What\x00 is", "What is here?")],
)  # fmt: skip
def test_a_text_with_damage_in_it_is_read_as_far_as_it_goes(path: Path, old: bytes, new: bytes, text: str) -> None:
    write_session(path)
    path.write_bytes(path.read_bytes().replace(old, new))
    loaded = read_log(path)
    first = loaded.events[1]
    assert isinstance(first, Appended)
    assert first.message.content == (Text(text),)
    assert (loaded.events[0], *loaded.events[2:]) == (KEPT[0], *KEPT[2:])


def test_records_that_are_there_twice_count_once(path: Path) -> None:
    write_session(path)
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:7], *lines[3:7], *lines[7:], *lines]))
    loaded = read_log(path)
    assert (loaded.events, loaded.warnings, loaded.header) == (KEPT, (), header())


def test_records_that_changed_places_go_back(path: Path) -> None:
    write_session(path)
    lines = lines_of(path)
    for order in (
        [*lines[:5], lines[6], lines[5], *lines[7:]],
        [*lines[:-2], lines[-1], lines[-2]],
        [lines[1], lines[0], *lines[2:]],
        [*lines[10:], *lines[:10]],
        list(reversed(lines)),
    ):
        path.write_bytes(b"".join(order))
        assert read_log(path).events == KEPT
        assert read_log(path).next == len(lines)


@pytest.mark.parametrize("number", [b"2", b"6", b"900", b"-7", b"99999999999999999999", b'"7"', b"null", b"0.5"])
def test_a_record_whose_number_is_damaged_stays_in_its_place(path: Path, number: bytes) -> None:
    write_session(path)
    change(path, (8, lines_of(path)[7].replace(b'{"n":7,', b'{"n":%b,' % number)))
    assert read_log(path).events == KEPT
    with SessionLog.open(path) as log:
        log.write(Notice(text="last"))
    assert read_log(path).events == (*KEPT, Notice(text="last"))


@pytest.mark.parametrize("id", [b'"an-id"', b"7"])
def test_a_newer_format_is_refused_in_clear_words(path: Path, id: bytes) -> None:
    new = lines_of(write_session(path))[0].replace(b'"version":1', b'"version":2').replace(b'"an-id"', id)
    change(path, (1, new))
    with pytest.raises(SessionError, match=r"by a newer Ferrule \(format 2, where this one reads format 1\)"):
        read_log(path)
    with pytest.raises(SessionError, match="newer Ferrule"):
        SessionLog.open(path)


def test_what_a_newer_minor_version_adds_is_left_out_and_counted(path: Path) -> None:
    write_session(path)
    lines = lines_of(path)
    lines.insert(3, b'{"n":90,"at":1.0,"event":{"type":"mood_changed","mood":"good"}}\n')
    lines.insert(5, b'{"n":91,"at":1.0,"event":{"type":"notice","text":"x","level":"fatal"}}\n')
    lines[1] = b'{"n":1,"at":1.0,"by":"you","event":{"type":"run_started","why":"because"}}\n'
    path.write_bytes(b"".join(lines))
    loaded = read_log(path)
    assert loaded.events == KEPT
    assert loaded.warnings == ("2 records were left out: of a kind that this Ferrule does not know.",)


def test_messages_that_no_provider_would_take_are_left_out(path: Path) -> None:
    twice = Assistant(content=(CALL, CALL), model="m", stop="tool_use")
    empty = Assistant(content=(), model="m", stop="end_turn")
    loaded = read_log(write_session(path, Appended(message=twice), Appended(message=empty), Appended(message=CALLS)))
    assert loaded.events == (Appended(message=CALLS),)
    assert_sendable(rebuild(loaded).messages)


def test_a_call_without_a_result_is_closed(path: Path) -> None:
    messages = rebuild(read_log(write_session(path, Appended(message=CALLS)))).messages
    assert_sendable(messages)
    result = messages[-1]
    assert isinstance(result, ToolResult)
    assert result.is_error
    assert result.text == "Interrupted before it began: nothing of it was run."


def test_a_missing_header_is_made_up(path: Path) -> None:
    write_session(path)
    change(path, (1, b"?\n"))
    loaded = read_log(path)
    assert (loaded.header.id, loaded.header.model, loaded.header.directory) == ("an-id", "scripted", "")
    assert loaded.events == KEPT
    assert loaded.warnings[0] == "The session does not say in which directory and with which model it began."


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\0" * 5000, b"\xff" * 5000])
def test_an_empty_file_is_an_empty_session_that_can_go_on(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    loaded = read_log(path)
    assert loaded.events == ()
    assert loaded.warnings[0] == "The session has nothing in it that can be read."
    with SessionLog.open(path) as log:
        log.write(RunStarted())
    assert read_log(path).events == (RunStarted(),)
    assert read_log(path).header.id == "an-id"


def test_a_line_without_end_is_read_over(path: Path) -> None:
    write_session(path)
    lines = lines_of(path)
    with path.open("wb") as file:
        file.writelines(lines[:3])
        file.seek(LONGEST_LINE + 1_000_000, os.SEEK_CUR)  # a hole: zeros that take no space
        file.write(b"\n")
        file.writelines(lines[3:])
    loaded = read_log(path)
    assert loaded.events == KEPT
    assert loaded.warnings == ("Line 4 is damaged; what could not be read was left out.",)


# Secrets


def test_a_secret_does_not_reach_the_file(path: Path) -> None:
    canary = 'canary"with\\odd\nöcharacters'
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz"
    call = ToolCall(id="call_1", name="bash", input={canary: [f"export X={canary}"], "n": {"deep": f"a{canary}b"}})
    events = (
        Appended(message=said(f"my key is {canary}; and\n{key}")),
        Appended(message=Assistant(content=(call,), model="m", stop="tool_use")),
        ToolEnded(result=ToolResult(call_id="call_1", tool="bash", content=(Text(f"Authorization: Bearer {key}"),))),
    )
    with SessionLog.create(path, header(), mask=Mask({"SOME_API_KEY": canary})) as log:
        for event in events:
            log.write(event)
    for secret in (canary, "canary", key, "abcdefghijklmnop"):
        assert secret.encode() not in path.read_bytes()
    loaded = read_log(path)
    assert loaded.warnings == ()
    first, _, last = loaded.events
    assert isinstance(first, Appended)
    assert first.message.content == (Text(f"my key is {MARK}; and\n{MARK}"),)
    assert isinstance(last, ToolEnded)
    assert last.result.text == f"Authorization: Bearer {MARK}"


def test_secrets_of_the_environment_are_masked_by_themselves(path: Path) -> None:
    code = "log = SessionLog.create(path, header())\nlog.write(Notice(text=os.environ['MY_TOKEN']))\nlog.close()"
    script = [sys.executable, "-c", PRELUDE + code, str(path)]
    subprocess.run(script, env={**os.environ, "MY_TOKEN": "canary-of-the-token"}, check=True, timeout=30)
    assert read_log(path).events == (Notice(text=MARK),)


# Speed


def test_ten_thousand_messages_load_quickly(path: Path) -> None:
    write_session(path, *islice(turns(), 8 * 3_334))
    began = time.process_time()
    history = rebuild(read_log(path))
    took = time.process_time() - began
    assert len(history.messages) == 10_002
    assert took < 1.5


def test_appending_costs_the_same_however_long_the_session_is(path: Path) -> None:
    log = SessionLog.create(path, header())

    def cost(count: int) -> float:
        """The best of a few batches, so that a busy machine does not matter."""
        best = float("inf")
        for _ in range(5):
            events = list(islice(turns(), count))
            began = time.process_time()
            for event in events:
                log.write(event)
            best = min(best, time.process_time() - began)
        return best

    early = cost(200)
    for event in islice(turns(), 25_000):
        log.write(event)
    assert cost(200) < 3 * early
    log.close()
