"""What the person wants to see of a session, and what a terminal can show of it."""

import re
import subprocess

import pytest

from tests.front.terminal.conftest import Place
from tests.front.terminal.emulator import CTRL_D, ENTER, ESCAPE, Terminal

READY = "normal"
COMMAND = {
    "calls": [{"name": "bash", "input": {"command": "touch made-it; echo finished"}}],
    "usage": {"input": 1_200, "output": 34},
}
ANSWER = {"text": "All is well.", "usage": {"input": 1_300, "output": 5}}
SLOW = {"text": "word " * 2_000 + "the end", "pace": 0.01}
NEW_FILE = {
    "calls": [
        {
            "name": "write",
            "input": {"file_path": "new.txt", "content": "".join(f"line {number}\n" for number in range(1, 301))},
        }
    ]
}


def status(terminal: Terminal) -> str:
    """The last line that is not blank."""
    return next((row for row in reversed(terminal.display) if row), "")


@pytest.mark.parametrize(("wanted", "shown"), [("true", True), ("false", False)])
def test_calls_and_tokens_are_shown_unless_nobody_wants_to_see_them(place: Place, wanted: str, shown: bool) -> None:
    place.env |= {"FERRULE_UI_SHOW_TOOL_CALLS": wanted, "FERRULE_UI_SHOW_TOKEN_USAGE": wanted}
    with place.start(place.script(COMMAND, ANSWER)) as terminal:
        terminal.wait(READY)
        terminal.send("do it" + ENTER)
        terminal.wait("Allow bash?")
        terminal.send("y")
        terminal.until(lambda: re.search(r"^2 turns · .* s$", terminal.text, re.MULTILINE))
        assert "All is well." in terminal.lines
        assert ("● bash" in terminal.text, " in · " in terminal.text) == (shown, shown)
        terminal.until(lambda: ("tokens" in status(terminal)) is shown)
        terminal.send("!echo my own" + ENTER)
        terminal.wait("  my own")
        terminal.send(CTRL_D)
        assert terminal.end() == 0
    assert (place.project / "made-it").exists()


def test_an_answer_is_shown_when_it_is_complete_or_was_interrupted(place: Place) -> None:
    with place.start(place.script(SLOW), FERRULE_UI_STREAM_RESPONSES="false") as terminal:
        terminal.wait(READY)
        terminal.send("talk" + ENTER)
        terminal.wait("Writing")
        assert "word" not in terminal.text
        terminal.send(ESCAPE)
        terminal.wait("✗ Interrupted")
        assert "word" in terminal.text


def test_a_terminal_that_can_only_print_names_no_key_that_it_does_not_read(place: Place) -> None:
    with place.start(place.script(NEW_FILE, "Done."), TERM="dumb", FERRULE_UI_STREAM_RESPONSES="false") as terminal:
        terminal.wait("/help shows")
        terminal.send("do it\n")
        terminal.wait("Ctrl+C stops the run")
        assert "+line 300" in terminal.text, "nothing could show the rest of what is asked"
        terminal.send("y\n")
        terminal.wait("2 turns")
        assert [row.strip() for row in terminal.lines if "more line" in row] == ["… 280 more lines"]
        assert "Done." in terminal.lines
        assert "Ctrl+O" not in terminal.text


def test_the_branch_has_a_mark_while_files_are_edited(place: Place) -> None:
    file = place.project / "a.txt"
    file.write_text("as it was\n")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "a.txt"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*git, *words], cwd=place.project, env=place.env, check=True)
    with place.start(place.script("One.", "Two.", "Three.")) as terminal:
        terminal.until(lambda: status(terminal).endswith("· main"))
        file.write_text("otherwise\n")
        terminal.send("go" + ENTER)
        terminal.until(lambda: status(terminal).endswith("· main*"))
        file.write_text("as it was\n")
        terminal.send("go" + ENTER)
        terminal.until(lambda: status(terminal).endswith("· main"))
