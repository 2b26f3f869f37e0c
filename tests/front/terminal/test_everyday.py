"""What a person does all day: commands, jobs, questions and drafts at a real pseudo-terminal."""

import pytest

from tests.front.terminal.conftest import Place
from tests.front.terminal.emulator import BACK_TAB, CTRL_C, CTRL_O, CTRL_R, ENTER, ESCAPE, TAB, UP, Terminal, enough_for

READY = "normal"
JOB = {"calls": [{"name": "bash", "input": {"command": "echo begun; read -r answer", "background": True}}]}
NEW_FILE = {
    "calls": [
        {
            "name": "write",
            "input": {"file_path": "new.txt", "content": "".join(f"line {number}\n" for number in range(1, 301))},
        }
    ]
}


def box(terminal: Terminal) -> str:
    """What stands in the input box."""
    return next((row for row in reversed(terminal.display) if row.startswith("❯")), "")  # none while it is drawn


def status(terminal: Terminal) -> str:
    """The last line that is not blank."""
    return next((row for row in reversed(terminal.display) if row), "")


def test_a_command_is_sent_without_the_words_that_are_only_offered(place: Place) -> None:
    with place.start(place.script("Yes.")) as terminal:
        terminal.wait(READY)
        terminal.send("/provider li" + TAB)
        terminal.until(lambda: box(terminal) == "❯ /provider list")
        terminal.send("\x15/perm")
        terminal.wait("show the rules")
        terminal.send(TAB)
        terminal.wait("  explain")  # it could follow, but was not asked for
        terminal.send(ENTER)
        terminal.wait("There are no rules of your own.")
        terminal.send("/too")
        terminal.wait("list what the model can call")
        terminal.send(ENTER)  # it takes no words, so it runs
        terminal.wait("│ what it does")


def test_jobs_are_counted_shown_and_stopped(place: Place) -> None:
    with place.start(place.script(JOB, "It runs.")) as terminal:
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.until(lambda: "Allow bash?" in terminal.text or "2 turns" in terminal.text)
        if "2 turns" not in terminal.text:
            terminal.send("y")
        terminal.wait("2 turns")
        terminal.until(lambda: status(terminal).endswith("· 1 job"))
        terminal.send("/jobs" + ENTER)
        terminal.wait("running for")
        terminal.send("/jobs stop 1" + ENTER)
        terminal.wait("Job 1 was stopped.")
        terminal.until(lambda: "job" not in status(terminal))


def test_a_draft_that_was_cleared_is_found_again(place: Place) -> None:
    with place.start(place.script("Yes.")) as terminal:
        terminal.wait(READY)
        for clear in (ESCAPE + ESCAPE, CTRL_C):
            terminal.send("a long draft")
            terminal.until(lambda: box(terminal) == "❯ a long draft")
            terminal.send(clear)
            terminal.until(lambda: box(terminal) == "❯")
            terminal.send(UP)
            terminal.until(lambda: box(terminal) == "❯ a long draft")
            terminal.send("\x15")
            terminal.until(lambda: box(terminal) == "❯")


def test_in_vi_keys_esc_takes_nothing_away_and_the_mode_is_seen(place: Place) -> None:
    (place.home / ".config" / "ferrule").mkdir(parents=True)
    (place.home / ".config" / "ferrule" / "config.json").write_text('{"ui": {"keys": "vi"}}')
    with place.start(place.script("Yes.")) as terminal:
        terminal.wait(READY)
        terminal.send("hello world")
        terminal.until(lambda: box(terminal) == "❯ hello world")
        assert "navigation" not in terminal.text
        terminal.send(ESCAPE)
        terminal.wait(" navigation ──")
        terminal.send(ESCAPE)
        terminal.send(ESCAPE)
        terminal.send("0dw")
        terminal.until(lambda: box(terminal) == "❯ world")
        terminal.send("i")
        terminal.wait_gone("navigation")


def test_a_new_file_is_asked_about_line_by_line_and_can_be_seen_whole(place: Place) -> None:
    with place.start(place.script(NEW_FILE, "Done."), PAGER="cat") as terminal:
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.wait("Esc stops the run")
        assert "Allow write?" in terminal.display
        assert [row.strip() for row in terminal.display if "+line" in row][:3] == [
            "1 +line 1",
            "2 +line 2",
            "3 +line 3",
        ]
        assert "more lines, Ctrl+O shows all" in terminal.text
        terminal.send(CTRL_O)
        terminal.until(lambda: "+line 300" in terminal.text)
        terminal.wait("Esc stops the run")
        terminal.send("y")
        terminal.wait("2 turns")
        assert "… 280 more lines, Ctrl+O" in terminal.text
        assert (place.project / "new.txt").read_text().endswith("line 300\n")


def test_an_edit_that_is_asked_about_is_shortened_once(place: Place) -> None:
    (place.project / "a.txt").write_text("old\n")
    lines = "".join(f"line {number}\n" for number in range(1, 26))
    edit = {"name": "edit", "input": {"file_path": "a.txt", "old_string": "old\n", "new_string": lines}}
    with place.start(place.script({"calls": [edit]}, "Done."), size=(100, 30)) as terminal:
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.wait("Esc stops the run")
        rows = terminal.display
        head = rows.index("Allow edit?")
        told = [row for row in rows if "more lines" in row]
        shown = [row for row in rows if "+line" in row or "-old" in row]
        assert told == [f"… {26 - len(shown) + 1} more lines, Ctrl+O shows all"]  # one that says what "always" allows
        assert [row.strip() for row in rows[head + 2 : head + 5]] == ["1 -old", "1 +line 1", "2 +line 2"]
        assert " 25 +line 25" in shown[-1]


def test_the_branch_is_the_one_that_is_checked_out_now(place: Place) -> None:
    (place.project / ".git").mkdir()
    head = place.project / ".git" / "HEAD"
    head.write_text("ref: refs/heads/main\n")
    with place.start(place.script("One.", "Two.")) as terminal:
        terminal.wait("· main")
        head.write_text("ref: refs/heads/other\n")
        terminal.send("go" + ENTER)
        terminal.wait("· other")


def test_the_way_out_of_plan_mode_is_said(place: Place) -> None:
    with place.start([*place.script("1. Do this.", "Done."), "--mode", "plan"]) as terminal:
        terminal.wait("· sandbox")
        terminal.send("plan it" + ENTER)
        terminal.wait("leave plan mode with Shift+Tab")
        terminal.send(BACK_TAB)
        terminal.until(lambda: " · normal" in status(terminal))
        terminal.wait_gone("leave plan mode")


def test_a_mode_stays_in_force_and_is_said_whichever_session_comes(place: Place) -> None:
    with place.start(place.script("One.", "Two.")) as terminal:
        terminal.wait(READY)
        terminal.send("first" + ENTER)
        terminal.wait("1 turn")
        terminal.send("/mode yolo" + ENTER)
        terminal.wait("The mode is yolo now")
        terminal.send("/clear" + ENTER)
        terminal.wait("A new conversation.")
        assert [row for row in terminal.display if " mode" in row and "normal" in row] == []
        terminal.wait("yolo mode")
        terminal.send("/load 1" + ENTER)
        terminal.wait("The mode is still yolo.")
        assert terminal.display.count("normal mode") == 0
        assert " · yolo" in status(terminal)


def test_what_was_run_is_not_said_again(place: Place) -> None:
    with place.start(place.script("I see.")) as terminal:
        terminal.wait(READY)
        terminal.send("!echo un''seen" + ENTER)
        terminal.wait("exit 0")
        terminal.send("what was that" + ENTER)
        terminal.wait("I see.")
        assert "I ran this command myself" in place.log()
        assert "I ran this command myself" not in terminal.text
        assert "❯ what was that" in terminal.lines


def test_what_is_typed_at_once_is_sent(place: Place) -> None:
    with place.start(place.script("Hello.")) as terminal:
        terminal.send("say hello" + ENTER)  # perhaps before the terminal was taken
        terminal.wait("1 turn")
        assert "❯ say hello" in terminal.lines


def test_a_session_goes_on_with_what_is_known_of_it(place: Place) -> None:
    options = place.script({"text": "One.", "usage": {"input": 2_000, "output": 345}})
    with place.start(options) as terminal:
        terminal.wait(READY)
        terminal.send("first" + ENTER)
        terminal.wait("2,345 tokens")
    with place.start([*options, "--continue"]) as terminal:
        terminal.wait("2,345 tokens")
        assert [row for row in terminal.display if row in {"❯ first", "One."}] == ["❯ first", "One."]
        terminal.send("/rewind 1" + ENTER)
        terminal.until(lambda: box(terminal) == "❯ first")
        terminal.until(lambda: "tokens" not in status(terminal))


def test_the_pager_shows_what_was_thought_and_printed(place: Place) -> None:
    reply = {"thinking": "Deep thoughts.", "text": "So.", "calls": [{"name": "ls", "input": {"path": "."}}]}
    with place.start(place.script(reply, "Done."), PAGER="cat") as terminal:
        terminal.wait(READY)
        terminal.send(CTRL_O)
        terminal.wait("Nothing was shortened yet")
        terminal.send("go" + ENTER)
        terminal.wait("2 turns")
        assert "Deep thoughts." not in terminal.text
        terminal.send(CTRL_O)
        terminal.until(lambda: "Deep thoughts." in terminal.text)
        terminal.send("\x14")
        terminal.wait("Thoughts are shown whole")


def test_the_search_in_the_history_is_left_with_esc(place: Place) -> None:
    with place.start(place.script("One.")) as terminal:
        terminal.wait(READY)
        terminal.send("the first request" + ENTER)
        terminal.wait("1 turn")
        terminal.send("draft" + CTRL_R + "first")
        terminal.wait("found: the first request")
        terminal.send(ESCAPE)
        terminal.until(lambda: box(terminal) == "❯ draft")


def test_a_command_that_takes_long_is_waited_for_and_can_be_interrupted(place: Place) -> None:
    notes = {"text": "some notes " * 300, "pace": 0.05}
    with place.start(place.script(*["word " * 2_000] * 4, notes, "After that.")) as terminal:
        terminal.wait(READY)
        for number in range(4):
            terminal.send(f"request {number}" + ENTER)
            terminal.until(lambda number=number: terminal.text.count("1 turn ·") == number + 1)  # type: ignore[misc]
        terminal.send("/compact" + ENTER)
        terminal.wait("Running /compact")
        terminal.send("said meanwhile" + ENTER + "/undo" + ENTER)
        terminal.wait("↳ said meanwhile")
        terminal.wait("/undo has to wait until /compact is done; Esc stops it.")
        terminal.send(ESCAPE)
        terminal.wait("/compact was interrupted.")
        terminal.until(lambda: box(terminal) == "❯ said meanwhile")
        terminal.send(ENTER)
        terminal.wait("After that.")


def test_a_command_that_only_reads_runs_at_once_and_lands_in_no_answer(place: Place) -> None:
    items = "\n\n".join(f"item {number}" for number in range(2_000))
    with place.start(place.script({"text": items, "pace": 0.01})) as terminal:
        terminal.wait(READY)
        terminal.send("go" + ENTER)
        terminal.wait("item 5")
        terminal.send("/diff" + ENTER)
        terminal.wait("This session changed nothing that still stands.")
        terminal.wait("Esc interrupts")
        seen = sum(row.startswith("item ") for row in terminal.lines)
        terminal.until(lambda: sum(row.startswith("item ") for row in terminal.lines) > seen + 5)
        terminal.send(ESCAPE)
        terminal.wait("Interrupted")
        rows = [row for row in terminal.lines if row]
        first, answered = rows.index("item 0"), rows.index("❯ /diff")
        assert [row.startswith("item") for row in rows[first:answered]] == [True] * (answered - first)
        assert rows[answered + 1] == "This session changed nothing that still stands."
        assert not any(row.startswith("item") for row in rows[answered:])


def block(number: int) -> tuple[str, list[str]]:
    """A block of an answer, and the rows that it makes."""
    kinds = (
        (
            f"Paragraph {number} with **some** words and `code` in it.",
            [f"Paragraph {number} with some words and code in it."],
        ),
        (f"- item {number}\n- another {number}", [f"• item {number}", f"• another {number}"]),
        (
            f"```python\ndef function_{number}():\n    return {number}\n```",
            [f"  def function_{number}():", f"      return {number}"],
        ),
        (f"### Heading {number}", [f"Heading {number}"]),
        (f"> quoted {number}", [f"│ quoted {number}"]),
    )
    return kinds[number % len(kinds)]


@pytest.mark.parametrize("pace", [0, pytest.param(0.002, marks=pytest.mark.slow)])
def test_of_500_blocks_every_line_is_there_once_and_little_is_written(place: Place, pace: float) -> None:
    blocks = [block(number) for number in range(500)]
    text = "\n\n".join(source for source, _ in blocks)
    rows = [row for _, some in blocks for row in some]
    with place.start(place.script({"text": text, "pace": pace})) as terminal:
        terminal.wait(READY)
        before = len(terminal.written)
        terminal.send("go" + ENTER)
        terminal.until(lambda: any(row.startswith("1 turn ·") for row in terminal.display), seconds=120)
        lines = terminal.lines
        end = next(place for place, row in enumerate(lines) if row.startswith("1 turn ·"))
        assert [row for row in lines[lines.index("❯ go") + 1 : end] if row] == rows
        written = terminal.written[before:]
        assert len(written) < enough_for(text, written)
