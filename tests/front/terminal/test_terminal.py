"""`ferrule` as a person meets it: a real pseudo-terminal, keys in, screens out."""

import os
import signal

import pytest

from tests.front.terminal.conftest import Place
from tests.front.terminal.emulator import (
    BACK_TAB,
    CTRL_C,
    CTRL_D,
    CTRL_J,
    CTRL_O,
    CTRL_R,
    ENTER,
    ESCAPE,
    TAB,
    UP,
    Terminal,
    enough_for,
)

READY = "normal"
EDIT = {
    "text": "I will change it.",
    "calls": [{"name": "edit", "input": {"file_path": "a.py", "old_string": "1", "new_string": "2"}}],
}
COMMAND = {"text": "Now a command.", "calls": [{"name": "bash", "input": {"command": "touch made-it; echo finished"}}]}
SLOW = {"text": "word " * 2_000 + "the end", "pace": 0.01}


def box(terminal: Terminal) -> str:
    """What stands in the input box."""
    return next((row for row in reversed(terminal.display) if row.startswith("❯")), "")  # none while it is drawn


@pytest.mark.parametrize("size", [(80, 24), (200, 50), (40, 12), (20, 6)])
def test_the_first_prompt(place: Place, size: tuple[int, int]) -> None:
    with place.start(place.script("Hello there."), size=size, fresh=size == (80, 24)) as terminal:
        terminal.wait(READY)
        terminal.send("say hello" + ENTER)
        terminal.until(lambda: "1 turn" in terminal.text)
        assert [row for row in terminal.lines if row == "❯ say hello"] == ["❯ say hello"]
        assert "Hello there." in terminal.lines
        assert all(len(row) <= size[0] for row in terminal.lines)
        terminal.send(CTRL_D)
        assert terminal.end() == 0
        assert terminal.display[-1] == "" or terminal.display[-1].startswith("1 turn")


def test_an_edit_that_is_allowed_and_a_command_that_is_not(place: Place) -> None:
    (place.project / "a.py").write_text("x = 1\n")
    with place.start(place.script(EDIT, COMMAND, "As you wish.")) as terminal:
        terminal.wait(READY)
        terminal.send("do it" + ENTER)
        terminal.wait("Esc stops the run")
        assert "Allow edit?" in terminal.display
        assert [row.strip() for row in terminal.display if "x = " in row] == ["1 -x = 1", "1 +x = 2"]
        terminal.send("y")
        terminal.wait("Allow bash?")
        assert (place.project / "a.py").read_text() == "x = 2\n"
        terminal.send("n")
        terminal.wait("will not run")
        terminal.send("use make" + ENTER)
        terminal.wait("As you wish.")
        assert "They say: use make" in terminal.text
        assert not (place.project / "made-it").exists()
        terminal.wait("3 turns")
        terminal.send(ESCAPE + ESCAPE)
        terminal.wait("Go back to before which message?")
        terminal.send(ENTER)
        terminal.wait("Files that would change:")
        terminal.send("b")
        terminal.until(lambda: box(terminal) == "❯ do it")
        assert (place.project / "a.py").read_text() == "x = 1\n"


def test_nothing_hides_in_a_question(place: Place) -> None:
    hiding = {"command": "echo \x1b]x' ; touch made-it; ' \x07\x1b[8m\u2800"}
    shown = r"echo \x1b]x' ; touch made-it; ' \x07\x1b[8m\u2800"
    with place.start(place.script({"calls": [{"name": "bash", "input": hiding}]}, "Done."), PAGER="cat") as terminal:
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.wait("Esc stops the run")
        assert shown in terminal.text
        terminal.send(CTRL_O)
        terminal.until(lambda: terminal.text.count(shown) == 2)
        terminal.wait("Esc stops the run")
        terminal.send("n")
        terminal.wait("A word to the model")
        terminal.send(ENTER)
        terminal.wait("2 turns")


def test_always_is_asked_once(place: Place) -> None:
    with place.start(place.script(COMMAND, COMMAND, "Done.")) as terminal:
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.wait("Allow bash?")
        terminal.send("a")
        terminal.wait("Always allow")
        terminal.send("s")
        terminal.wait("3 turns")
        assert (place.project / "made-it").exists()
        assert terminal.text.count("exit 0") == 2


def test_an_interrupt_in_mid_stream_and_in_mid_command(place: Place) -> None:
    sleeping = {"calls": [{"name": "bash", "input": {"command": "echo begun; sleep 60"}}]}
    with place.start(place.script(SLOW, sleeping, "Good.")) as terminal:
        terminal.wait(READY)
        terminal.send("talk" + ENTER)
        terminal.wait("word word")
        terminal.send("wait for me" + ENTER)
        terminal.wait("↳ wait for me")
        terminal.send(ESCAPE)
        terminal.wait("✗ Interrupted")
        terminal.until(lambda: box(terminal) == "❯ wait for me")
        terminal.send(ENTER)
        terminal.wait("begun")
        terminal.send(CTRL_C)
        terminal.until(lambda: terminal.text.count("✗ Interrupted") == 2)


def test_what_is_said_meanwhile_waits_and_can_be_taken_back(place: Place) -> None:
    waiting = {"calls": [{"name": "bash", "input": {"command": "echo begun; until test -e go; do sleep 0.01; done"}}]}
    with place.start([*place.script(waiting, "Second.", "Third."), "--mode", "yolo"]) as terminal:
        terminal.wait("yolo")
        terminal.send("first" + ENTER)
        terminal.wait("  begun")
        terminal.send("one more" + ENTER + "not this" + ENTER)
        terminal.wait("↳ not this")
        terminal.send(UP)
        terminal.until(lambda: box(terminal) == "❯ not this")
        terminal.send("\x15")
        terminal.until(lambda: box(terminal) == "❯")
        (place.project / "go").touch()
        terminal.wait("Second.")
        assert "❯ one more" in terminal.lines
        assert "not this" not in place.log()


def test_a_paste_is_folded_and_sent_whole(place: Place) -> None:
    pasted = "\n".join(f"line number {number}" for number in range(5_000))
    with place.start(place.script("I read it.")) as terminal:
        terminal.wait(READY)
        terminal.send(f"\x1b[200~{pasted}\x1b[201~")
        terminal.wait("[pasted 5,000 lines]")
        terminal.send(" what is it" + CTRL_J + "really" + ENTER)
        terminal.wait("I read it.")
        assert pasted.replace("\n", "\\n") + " what is it\\nreally" in place.log()


def paragraphs(terminal: Terminal) -> list[str]:
    return [row for row in terminal.lines if row.startswith("Paragraph")]


def test_a_resize_in_mid_stream_loses_and_repeats_nothing(place: Place) -> None:
    text = "\n\n".join(f"Paragraph {number:03} of a few words." for number in range(120))
    with place.start(place.script({"text": text, "pace": 0.002})) as terminal:
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.until(lambda: "Paragraph 020" in terminal.text)
        terminal.resize(100, 30)
        terminal.until(lambda: "Paragraph 050" in terminal.text)
        terminal.resize(60, 16)
        terminal.wait("1 turn ·")
        terminal.until(lambda: paragraphs(terminal)[-60:] == text.split("\n\n")[60:])
        assert len(paragraphs(terminal)) == len(set(paragraphs(terminal)))


@pytest.mark.slow
def test_little_is_written_and_everything_is_there_once(place: Place) -> None:
    text = "\n\n".join(f"Paragraph {number} " + "with some words in it, as there are. " * 4 for number in range(40))
    with place.start(place.script({"text": text, "pace": 0.003})) as terminal:
        terminal.wait(READY)
        before = len(terminal.written)
        terminal.send("go" + ENTER)
        terminal.until(lambda: "1 turn" in terminal.text)
        assert [row.split(" with")[0] for row in terminal.lines if row.startswith("Paragraph")] == [
            f"Paragraph {number}" for number in range(40)
        ]
        written = terminal.written[before:]
        assert len(written) < enough_for(text, written)


def test_what_was_typed_is_found_again(place: Place) -> None:
    options = place.script("One.", "Two.")
    with place.start(options) as terminal:
        terminal.wait(READY)
        terminal.send("the first request" + ENTER)
        terminal.wait("1 turn")
        terminal.send("another" + ENTER)
        terminal.wait("Two.")
        terminal.send(CTRL_D)
        assert terminal.end() == 0
    assert (place.home / ".local/state/ferrule/history").stat().st_mode & 0o777 == 0o600
    with place.start(options) as terminal:
        terminal.wait(READY)
        terminal.send(UP)
        terminal.until(lambda: box(terminal) == "❯ another")
        terminal.send("\x15" + CTRL_R + "first")
        terminal.wait("found: the first request")
        terminal.send(ENTER)
        terminal.until(lambda: box(terminal) == "❯ the first request")


def test_files_and_commands_are_completed(place: Place) -> None:
    (place.project / "src").mkdir()
    (place.project / "src" / "unusual_name.py").touch()
    with place.start(place.script("Yes.")) as terminal:
        terminal.wait(READY)
        terminal.send("see @unus")
        terminal.wait("  @src/unusual_name.py")
        terminal.send(TAB)
        terminal.until(lambda: box(terminal) == "❯ see @src/unusual_name.py")
        terminal.send("\x15/mod")
        terminal.wait("/model")
        terminal.send("\x15" + BACK_TAB)
        terminal.wait("auto-edit")


def test_a_shell_line_of_ones_own(place: Place) -> None:
    with place.start(place.script("I see.")) as terminal:
        terminal.wait(READY)
        terminal.send("!echo un''seen" + ENTER)
        terminal.wait("exit 0")
        terminal.send("what was that" + ENTER)
        terminal.wait("I see.")
        assert "I ran this command myself" in place.log()


ENDS = {
    "ctrl-d": (CTRL_D, None, 0),
    "ctrl-c twice": (CTRL_C + CTRL_C, None, 0),
    "quit": ("/quit" + ENTER, None, 0),
    "sigterm": ("", signal.SIGTERM, 143),
    "sighup": ("", signal.SIGHUP, 129),
}


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[] if way in {"ctrl-d", "sigterm"} else pytest.mark.slow) for way in ENDS]
)
def test_the_terminal_is_left_as_it_was_found(place: Place, way: str) -> None:
    keys, number, code = ENDS[way]
    inner = 'echo $$ > pid; exec "$@"'
    shell = f'stty -g > before; sh -c \'{inner}\' sh "$@"; echo "code $?"; stty -g > after'
    with place.start(place.script(SLOW), shell=shell) as terminal:
        terminal.wait(READY)
        terminal.send(keys or f"go{ENTER}")
        if number:
            terminal.wait("word")
            os.kill(int((place.project / "pid").read_text()), number)
        terminal.wait(f"code {code}")
        terminal.end()
    assert (place.project / "before").read_text() == (place.project / "after").read_text()


@pytest.mark.parametrize("keys", [CTRL_D, CTRL_C + CTRL_C, "/quit" + ENTER])
def test_how_to_come_back_is_said_where_something_was_said(place: Place, keys: str) -> None:
    back = "To come back to this: ferrule --continue"
    with place.start(place.script("One.")) as terminal:
        terminal.wait(READY)
        terminal.send("first" + ENTER)
        terminal.wait("1 turn")
        terminal.send(keys)
        assert terminal.end() == 0
        assert [row for row in terminal.lines if row][-1] == back
    with place.start(place.script("One.")) as terminal:
        terminal.wait(READY)
        terminal.send(keys)
        assert terminal.end() == 0
        assert back not in terminal.text


def test_without_a_model_it_says_how_to_get_one(place: Place) -> None:
    with place.start([]) as terminal:
        assert terminal.end() != 0
        assert "ferrule:" in terminal.text
        assert not any(row.startswith("──") for row in terminal.display)


def test_a_terminal_that_can_only_print(place: Place) -> None:
    with place.start(place.script(COMMAND, "All is well."), TERM="dumb") as terminal:
        terminal.wait("/help shows")
        terminal.send("do it\n")
        terminal.wait("Allow bash?")
        terminal.send("y\n")
        terminal.wait("All is well.")
        terminal.send("/quit\n")
        assert terminal.end() == 0
        assert terminal.lines.count("To come back to this: ferrule --continue") == 1
        assert b"\x1b" not in terminal.written
    assert (place.project / "made-it").exists()


def test_a_folder_that_brings_settings_is_trusted_only_when_the_person_says_so(place: Place) -> None:
    (place.project / ".ferrule.json").write_text('{"safety": {"allow": ["bash(touch *)"]}}')
    options = place.script(COMMAND, "Done.")
    with place.start(options) as terminal:
        terminal.wait("brings settings of its own")
        terminal.send("n")
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.wait("Allow bash?")
        terminal.send(ESCAPE)
        terminal.wait("1 turn")
    with place.start(options) as terminal:
        terminal.wait("brings settings of its own")
        terminal.send("t")
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.wait("2 turns")
    assert (place.project / "made-it").exists()


def test_the_program_ends_with_its_terminal(place: Place) -> None:
    with place.start(place.script(SLOW), fresh=True) as terminal:
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.wait("word word")
        assert terminal.hang_up() == 129
    assert "word word" in place.log()
