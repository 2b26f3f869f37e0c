import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from ferrule.core.events import Appended, RunStarted, TurnStarted
from ferrule.core.messages import said
from ferrule.session.log import SessionLog
from ferrule.session.store import Store, outputs_of
from ferrule.session.summary import Summary
from tests.cli.conftest import CommandLine


@pytest.fixture
def store(ferrule: CommandLine) -> Store:
    return Store(ferrule.home / "data" / "ferrule" / "sessions")


def add(store: Store, project: Path, prompt: str, *, used: float = 1_800_000_000) -> Summary:
    with store.create(project, model="acme/large") as log:
        log.write(RunStarted())
        log.write(Appended(message=said(prompt)))
        log.write(TurnStarted(turn=1))
    os.utime(log.path, (used, used))
    return store.find(project, log.path.stem)


def test_sessions_are_listed(ferrule: CommandLine, store: Store) -> None:
    add(store, ferrule.project, "An older\nrequest", used=1_800_000_000)
    newer = add(store, ferrule.project, "Wide 漢字, and " + "a very long prompt " * 30, used=1_800_000_060)
    store.rename(newer, "漢字 fix")
    ended = ferrule("sessions", env={**ferrule.env, "TZ": "UTC"})
    assert (ended.code, ended.err) == (0, "")
    head, first, second = ended.out.splitlines()
    assert head == "#  last used         turns  model       name      first prompt"
    assert first.startswith("1  2027-01-15 08:01  1      acme/large  漢字 fix  Wide 漢字, and a very long prompt")
    assert first.endswith("…")
    assert second == "2  2027-01-15 08:00  1      acme/large            An older request"


def test_those_of_all_directories_are_listed_with_where(ferrule: CommandLine, store: Store, tmp_path: Path) -> None:
    here, there = add(store, ferrule.project, "here"), add(store, tmp_path, "there")
    assert here.id[:13] not in ferrule("sessions").out
    out = ferrule("sessions", "--all").out
    for session, directory in ((here, ferrule.project), (there, tmp_path)):
        (line,) = [line for line in out.splitlines() if line.startswith(session.id[:13])]
        assert str(directory)[-24:] in line
    assert ferrule("sessions", "--cwd", str(tmp_path)).out.splitlines()[1].endswith("there")


def test_a_list_for_programs(ferrule: CommandLine, store: Store) -> None:
    session = add(store, ferrule.project, "prompt \x9b31m")
    ended = ferrule("sessions", "--json")
    (found,) = msgspec.json.decode(ended.out)
    assert "\x9b" not in ended.out
    assert msgspec.convert({**found, "path": None}, dict) == {
        **msgspec.to_builtins(session, enc_hook=str),
        "path": None,
    }
    assert found["path"] == str(session.path)
    assert ferrule("sessions", "--json", "--cwd", "/").out == "[]\n"


def test_where_there_are_none_that_is_said(ferrule: CommandLine) -> None:
    assert ferrule("sessions").out == f"There are no sessions of {ferrule.project} yet.\n"
    assert ferrule("sessions", "--all").out == "There are no sessions yet.\n"


def test_what_is_printed_moves_no_cursor(ferrule: CommandLine, store: Store) -> None:
    add(store, ferrule.project, "\x1b[2J\x1b]0;title\x07\x9b31m\u202egone\r\x1b[31mred\x1b[0m")
    out = ferrule("sessions").out
    assert not set(out) & set("\x1b\x07\x9b\u202e\r")
    assert "gone" in out


def test_sessions_are_removed_by_the_numbers_that_were_shown(ferrule: CommandLine, store: Store) -> None:
    made = [add(store, ferrule.project, f"request {age}", used=1_800_000_000 - age) for age in range(4)]
    outputs_of(made[0].path).mkdir()
    ended = ferrule("sessions", "rm", "1", "3", made[2].id)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"Removed {made[0].id}: request 0\nRemoved {made[2].id}: request 2\n"
    assert [one.id for one in store.list(ferrule.project)] == [made[1].id, made[3].id]
    assert not outputs_of(made[0].path).exists()


def test_nothing_is_removed_where_one_is_not_found(ferrule: CommandLine, store: Store) -> None:
    session = add(store, ferrule.project, "stays")
    ended = ferrule("sessions", "rm", "1", "2")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == f"ferrule: There is no session number 2: {ferrule.project} has 1.\n"
    with SessionLog.open(session.path):
        assert "open in another Ferrule" in ferrule("sessions", "rm", "1").err
    assert session.path.exists()


def test_a_session_is_named_and_its_place_told(ferrule: CommandLine, store: Store) -> None:
    session, other = add(store, ferrule.project, "one"), add(store, ferrule.project, "two")
    ended = ferrule("sessions", "name", session.id, "my name")
    assert (ended.code, ended.out) == (0, f"{session.id} is now named my name.\n")
    assert ferrule("sessions", "path", "my name").out == f"{session.path}\n"
    refused = ferrule("sessions", "name", other.id, "my name")
    assert (refused.code, refused.out) == (1, "")
    assert "Another session has the name my name already" in refused.err


def test_the_configuration_says_where_sessions_lie(ferrule: CommandLine, tmp_path: Path) -> None:
    add(Store(tmp_path / "kept"), ferrule.project, "elsewhere")
    env = {**ferrule.env, "FERRULE_SESSION_STORAGE_PATH": str(tmp_path / "kept")}
    assert "elsewhere" in ferrule("sessions", env=env).out


def test_wrong_words_are_a_usage_error(ferrule: CommandLine) -> None:
    for words in (["sessions", "--none"], ["sessions", "rm"], ["sessions", "path"], ["sessions", "--cwd", "/nowhere"]):
        ended = ferrule(*words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err


def test_a_reader_that_leaves_is_no_error(ferrule: CommandLine, store: Store) -> None:
    for count in range(60):
        add(store, ferrule.project, f"request {count} " + "x" * 200)
    with ferrule.start(["sessions", "--json"]) as process:
        assert process.stdout
        process.stdout.close()
        assert process.stderr
        assert (process.wait(30), process.stderr.read()) == (0, b"")


def test_a_full_disk_is_said(ferrule: CommandLine, store: Store) -> None:
    add(store, ferrule.project, "prompt")
    with Path("/dev/full").open("wb") as full, ferrule.start(["sessions"], stdout=full) as process:
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (1, b"ferrule: The output cannot be written (No space left on device).\n")


def test_a_table_fits_the_terminal(ferrule: CommandLine, store: Store) -> None:
    add(store, ferrule.project, "漢字 " * 100)
    master, terminal = os.openpty()
    subprocess.run(["stty", "cols", "90"], stdin=terminal, check=True)
    with ferrule.start(["sessions"], stdout=terminal) as process:
        assert process.wait(30) == 0
    shown = os.read(master, 100_000).decode().splitlines()
    os.close(master)
    os.close(terminal)
    prompt = shown[1].split("acme/large", 1)[1]
    wide = sum(2 if ord(char) > 0x3000 else 1 for char in shown[1])
    assert prompt.endswith("…")
    assert 86 <= wide <= 90
