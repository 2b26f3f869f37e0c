"""`ferrule undo`, `redo`, `rewind` and `diff`, on what a real run changed."""

import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.conftest import CommandLine
from tests.server import ModelServer, Reply


def call(tool: str, **input: Any) -> dict[str, Any]:
    return {"calls": [{"name": tool, "input": input}]}


@pytest.fixture
def worked(ferrule: CommandLine) -> CommandLine:
    """A project with three steps behind it: a write, a command, an edit."""
    (ferrule.project / "a.txt").write_text("one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
    (ferrule.project / "gone.txt").write_text("here\n")
    options = ferrule.script(
        call("write", file_path="new.txt", content="new\n"),
        call("bash", command="rm gone.txt; mkdir sub; echo x > sub/y; chmod +x a.txt"),
        call("edit", file_path="a.txt", old_string="one", new_string="ONE"),
        "Done.",
    )
    assert ferrule(*options, "--mode", "auto", "-p", "go").code == 0
    return ferrule


def tree(ferrule: CommandLine) -> dict[str, str]:
    files = (path for path in ferrule.project.rglob("*") if path.is_file())
    return {str(path.relative_to(ferrule.project)): path.read_text() for path in files}


def test_one_step_after_another_and_back(worked: CommandLine) -> None:
    last = tree(worked)
    ended = worked("undo")
    assert (ended.code, ended.out) == (0, "Undid step 3.\n  changed   a.txt\n")
    assert tree(worked)["a.txt"].startswith("one\n")
    ended = worked("undo", "--steps", "2")
    assert ended.code == 0
    assert tree(worked) == {"a.txt": last["a.txt"].replace("ONE", "one"), "gone.txt": "here\n"}
    assert not (worked.project / "sub").exists()
    assert (worked.project / "a.txt").stat().st_mode & 0o111 == 0
    assert (worked("undo").code, worked("undo").err) == (2, "ferrule: There is no step to undo.\n")
    for _ in range(3):
        assert worked("redo").code == 0
    assert tree(worked) == last
    assert (worked.project / "a.txt").stat().st_mode & 0o111
    assert worked("redo").code == 2


def test_a_later_edit_of_the_user_is_merged(worked: CommandLine) -> None:
    path = worked.project / "a.txt"
    path.write_text(path.read_text() + "eight\n")
    ended = worked("undo")
    assert ended.code == 0
    assert "merged    a.txt" in ended.out
    assert path.read_text() == "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"


def test_a_conflict_is_said_and_nothing_is_lost(worked: CommandLine) -> None:
    path = worked.project / "a.txt"
    path.write_text("mine\n")
    ended = worked("undo")
    assert ended.code == 1
    assert "conflict  a.txt" in ended.out
    assert path.read_text() == "mine\n"


def test_rewind_shows_first_and_then_goes_back(worked: CommandLine) -> None:
    before = tree(worked)
    ended = worked("rewind", "--to", "1", "--preview")
    assert ended.code == 0
    assert "Would undo steps" in ended.out
    assert "The conversation would go on after message 1." in ended.out
    assert tree(worked) == before
    assert worked("rewind", "--to", "1", "--files").code == 0
    assert set(tree(worked)) == {"a.txt", "gone.txt"}
    ended = worked("rewind", "--to", "1", "--chat")
    assert (ended.code, ended.out) == (0, "The conversation goes on after message 1.\n")
    assert "it goes on after its message 1" in worked("export", "--last", "--format", "md").out
    assert worked("rewind", "--to", "9").code == 2


def test_the_conversation_goes_on_from_there(worked: CommandLine) -> None:
    assert worked("rewind", "--to", "3").code == 0
    assert set(tree(worked)) == {"a.txt", "gone.txt", "new.txt"}
    options = worked.script("Going on.")
    assert worked(*options, "--continue", "-p", "and now?").out == "Going on.\n"


def test_what_was_rewound_is_no_longer_told_to_the_model(worked: CommandLine) -> None:
    assert worked("rewind", "--to", "1", "--chat").code == 0
    with ModelServer([Reply(text="Going on.")], key="k") as server:
        worked.env |= {"OPENAI_COMPATIBLE_API_KEY": "k"}
        options = ["-P", "openai-compatible", "-m", "m", "--endpoint", server.url]
        assert worked(*options, "--continue", "-p", "and now?").out == "Going on.\n"
    (request,) = server.requests
    said = [message["content"] for message in request.body["messages"] if message["role"] != "system"]
    assert "".join(said).split() == ["go", "and", "now?"] or said == ["go", "and now?"]


def test_diff_shows_what_stands(worked: CommandLine) -> None:
    shown = worked("diff").out
    assert "+ONE" in shown
    assert "new.txt" in shown
    worked("undo", "--steps", "3")
    assert worked("diff").out == "This session changed nothing that still stands.\n"


def test_there_is_nothing_yet(ferrule: CommandLine) -> None:
    ended = ferrule("undo")
    assert ended.code == 1
    assert "There is no session" in ended.err


def test_the_users_own_repository_is_left_alone(ferrule: CommandLine) -> None:
    git = ["git", "-C", str(ferrule.project), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    (ferrule.project / "a.txt").write_text("a\n")
    subprocess.run([*git, "add", "a.txt"], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    before = {path: path.read_bytes() for path in (ferrule.project / ".git").rglob("*") if path.is_file()}
    options = ferrule.script(call("write", file_path="b.txt", content="b"), "Done.")
    assert ferrule(*options, "--mode", "auto-edit", "-p", "go").code == 0
    assert ferrule("undo").code == 0
    assert {path: path.read_bytes() for path in (ferrule.project / ".git").rglob("*") if path.is_file()} == before


def test_what_a_killed_run_did_can_be_undone(ferrule: CommandLine) -> None:
    (ferrule.project / "a").write_text("1\n")
    options = ferrule.script(call("bash", command="echo 2 > a; echo > ready; sleep 60"), "Done.")
    with ferrule.start([*options, "--mode", "auto", "-p", "go"]) as process:
        wait_for((ferrule.project / "ready").exists)
        process.kill()
    ended = ferrule("undo")
    assert ended.code == 0, ended
    assert tree(ferrule) == {"a": "1\n"}


def test_others_can_work_while_a_command_runs(ferrule: CommandLine) -> None:
    options = ferrule.script(call("bash", command="echo > ready; sleep 60"), "Done.")
    with ferrule.start([*options, "--mode", "auto", "-p", "go"]) as process:
        wait_for((ferrule.project / "ready").exists)
        assert ferrule("sessions").code == 0
        process.terminate()


def test_messages_count_anew_after_rewinding(ferrule: CommandLine) -> None:
    def turn(name: str, *more: str) -> None:
        options = ferrule.script(call("write", file_path=name, content="x"), "Done.")
        assert ferrule(*options, "--mode", "auto-edit", *more, "-p", name).code == 0

    turn("one")
    turn("two", "--continue")
    turn("three", "--continue")
    assert ferrule("rewind", "--to", "1", "--chat").code == 0
    turn("four", "--continue")
    turn("five", "--continue")
    ended = ferrule("rewind", "--to", "6", "--files")
    assert ended.out.startswith("Undid step 5.\n")
    assert sorted(tree(ferrule)) == ["four", "one", "three", "two"]


def test_more_than_there_is(worked: CommandLine) -> None:
    assert worked("undo").code == 0
    ended = worked("redo", "--steps", "2")
    assert (ended.code, ended.err) == (2, "ferrule: 2 steps cannot be redone; there is 1.\n")
    assert worked("redo").code == 0


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
