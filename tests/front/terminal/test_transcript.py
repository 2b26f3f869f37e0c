"""Events become lines: what is printed, what is live, what is kept to be shown whole."""

import msgspec

from ferrule.config.schema import Ui
from ferrule.core.events import (
    Appended,
    PermissionAsked,
    Retrying,
    RunEnded,
    RunStarted,
    ToolEnded,
    ToolStarted,
    TurnStarted,
)
from ferrule.core.messages import Assistant, Text, ToolCall, ToolResult, Usage, User
from ferrule.core.model import Delta
from ferrule.front.terminal.shell import as_told, shell_call
from ferrule.front.terminal.transcript import Transcript
from tests.front.terminal.show.bare import text_lines

STEPS = [{"content": f"step {number}", "status": "completed" if number < 6 else "pending"} for number in range(12)]
TODO = ToolCall(id="t", name="todo", input={"todos": STEPS})
COMMAND = ToolCall(id="c", name="bash", input={"command": "make"})


def result(call: ToolCall, text: str) -> ToolResult:
    return ToolResult(call_id=call.id, tool=call.name, content=(Text(text),))


def printed(transcript: Transcript) -> list[str]:
    return text_lines(transcript.take())


def test_the_time_of_a_call_is_without_the_time_that_its_question_took() -> None:
    transcript = Transcript(lambda: 60)
    transcript.hear(PermissionAsked(id="q", call=COMMAND))
    assert transcript.doing == "Waiting for your answer"
    transcript.hear(ToolStarted(call=COMMAND))
    assert transcript.doing == "Running bash"
    transcript.hear(ToolEnded(result=result(COMMAND, "Exit code: 0"), seconds=3_600))
    assert printed(transcript) == ["● bash make · exit 0 · no output"]


def test_what_is_going_on_is_told() -> None:
    transcript = Transcript(lambda: 60)
    told = [transcript.doing]
    for event in (
        TurnStarted(turn=1),
        Delta(kind="thinking", text="Hm."),
        Delta(kind="text", text="So"),
        Delta(kind="call", text="write", id="1"),
        Retrying(attempt=1, delay=60, reason="Too many requests"),
        TurnStarted(turn=1),
    ):
        transcript.hear(event)
        told.append(transcript.doing)
    assert told == [
        "Waiting for the model",
        "Waiting for the model",
        "Thinking",
        "Writing",
        "Preparing write",
        "Waiting to try again",
        "Waiting for the model",
    ]


def test_thoughts_are_folded_and_can_be_seen_whole() -> None:
    transcript = Transcript(lambda: 60)
    thoughts = "First this.\nThen that."
    transcript.hear(Delta(kind="thinking", text=thoughts))
    assert text_lines(transcript.live()) == ["First this.", "Then that."]
    transcript.hear(Appended(message=Assistant(content=(), model="m", stop="end_turn")))
    assert printed(transcript) == ["✻ thought · Ctrl+O shows it"]
    assert [text_lines(one(60)) for one in transcript.whole] == [["✻ thought", "  First this.", "  Then that."]]
    transcript.shows_thoughts = True
    transcript.hear(Delta(kind="thinking", text="Again."))
    transcript.hear(Appended(message=Assistant(content=(), model="m", stop="end_turn")))
    assert printed(transcript) == ["", "✻ thought", "  Again."]


def test_steps_are_in_the_panel_and_those_left_are_printed_at_the_end() -> None:
    transcript = Transcript(lambda: 60)
    transcript.hear(RunStarted())
    transcript.hear(ToolStarted(call=TODO))
    transcript.hear(ToolEnded(result=result(TODO, "Noted.")))
    assert printed(transcript) == ["● todo · 6 of 12 done"]
    panel = ["  ☑ step 4", "  ☑ step 5", *(f"  ☐ step {number}" for number in range(6, 12))]
    assert text_lines(transcript.todo()) == panel
    transcript.hear(RunEnded(reason="end_turn", turns=1))
    assert printed(transcript) == ["", *panel, "", "1 turn · 0.0 s"]


def test_where_nothing_is_live_all_steps_are_printed() -> None:
    transcript = Transcript(lambda: 60, is_live=False)
    transcript.hear(Appended(message=Assistant(content=(TODO,), model="m", stop="tool_use")))
    transcript.hear(ToolEnded(result=result(TODO, "Noted.")))
    marks = ["☑"] * 6 + ["☐"] * 6
    steps = [f"  {mark} step {number}" for number, mark in enumerate(marks)]
    assert printed(transcript) == ["● todo · 6 of 12 done", *steps]


def test_where_no_keys_are_read_none_is_named() -> None:
    transcript = Transcript(lambda: 60, is_live=False)
    long = "\n".join(str(number) for number in range(20))
    calls = [
        (COMMAND, f"{long}\nExit code: 0"),
        (ToolCall(id="w", name="write", input={"file_path": "a", "content": "x\n" * 30}), "Created a."),
        (ToolCall(id="e", name="edit", input={"file_path": "a"}), "Edited a.\n@@ -0,0 +1,30 @@\n" + "+x\n" * 30),
        (ToolCall(id="o", name="weather", input={}), long),
    ]
    transcript.hear(Delta(kind="thinking", text="Hm."))
    asked = tuple(call for call, _ in calls)
    transcript.hear(Appended(message=Assistant(content=asked, model="m", stop="tool_use")))
    for call, text in calls:
        transcript.hear(ToolEnded(result=result(call, text)))
    transcript.hear(ToolEnded(result=msgspec.structs.replace(result(calls[-1][0], long), is_error=True)))
    lines = printed(transcript)
    assert lines[0] == "✻ thought"
    assert [row.strip() for row in lines if "more" in row] == [
        "… 12 more lines",
        "… 10 more lines",
        "… 10 more lines",
        "… 16 more lines",
        "… 14 more lines",
    ]
    assert "Ctrl" not in "".join(lines)


def test_calls_are_not_shown_where_nobody_wants_to_see_them() -> None:
    transcript = Transcript(lambda: 60, ui=Ui(show_tool_calls=False))
    asking = ToolCall(id="a", name="ask_user", input={"question": "Red or green?"})
    own = shell_call("ls")
    transcript.hear(RunStarted())
    transcript.hear(Appended(message=Assistant(content=(COMMAND, TODO, asking), model="m", stop="tool_use")))
    for call in (COMMAND, TODO):
        transcript.hear(ToolStarted(call=call))
        assert (transcript.doing, transcript.live()) == (f"Running {call.name}", [])
        transcript.hear(ToolEnded(result=result(call, "Exit code: 0")))
    assert printed(transcript) == []
    assert [text_lines(one(60))[0] for one in transcript.whole] == [
        "● bash make · exit 0 · no output",
        "● todo · 6 of 12 done",
    ]
    assert transcript.todo(), "the steps are no call"
    transcript.hear(ToolStarted(call=own))
    assert text_lines(transcript.live())[0].startswith("● bash ls")
    transcript.hear(ToolEnded(result=result(own, "Exit code: 0")))
    transcript.hear(ToolEnded(result=result(asking, "The person answered: red")))
    transcript.hear(RunEnded(reason="error", turns=1, error="The model is gone."))
    assert [row for row in printed(transcript)[:-1] if row and "step" not in row] == [
        "● bash ls · exit 0 · no output",
        "● ask_user Red or green?",
        "  → red",
        "✗ The model is gone.",
    ]


def test_an_answer_can_wait_until_it_is_complete() -> None:
    transcript = Transcript(lambda: 60, ui=Ui(stream_responses=False))
    transcript.hear(Delta(kind="thinking", text="Hm."))
    assert transcript.live() == []
    for text in ("One.\n\n", "Two"):
        transcript.hear(Delta(kind="text", text=text))
        assert (transcript.doing, transcript.live()) == ("Writing", [])
    assert printed(transcript) == ["✻ thought · Ctrl+O shows it"]
    transcript.hear(Retrying(attempt=1, delay=60, reason="Too many requests"))
    transcript.hear(TurnStarted(turn=1))
    transcript.hear(Delta(kind="text", text="Three.\n\nFour."))
    transcript.hear(Appended(message=Assistant(content=(), model="m", stop="end_turn")))
    assert printed(transcript) == ["", "Three.", "", "Four."]
    transcript.hear(Appended(message=Assistant(content=(), model="m", stop="end_turn")))
    assert printed(transcript) == []


def test_tokens_are_told_unless_nobody_wants_to_know() -> None:
    told = []
    for ui in (Ui(), Ui(show_token_usage=False)):
        transcript = Transcript(lambda: 60, ui=ui)
        transcript.hear(RunStarted())
        transcript.hear(RunEnded(reason="end_turn", turns=1, usage=Usage(input=1_200, output=34), cost=0.5))
        told += [row.rpartition(" · ")[0] for row in printed(transcript)]
    assert told == ["1 turn · 1.2k in · 34 out · $0.500", "1 turn · $0.500"]


def test_a_run_that_ended_before_it_began_took_no_time() -> None:
    transcript = Transcript(lambda: 60)
    transcript.hear(RunEnded(reason="error", turns=0, error="The session cannot be saved."))
    assert printed(transcript) == ["✗ The session cannot be saved.", "0 turns · 0.0 s"]


def test_what_the_person_ran_is_not_told_to_them_again() -> None:
    transcript = Transcript(lambda: 60)
    heard = as_told(COMMAND, result(COMMAND, "all is built"))
    transcript.hear(Appended(message=User(content=(Text(f"{heard}\n\n"), Text("what was that?")))))
    assert printed(transcript) == ["❯ what was that?"]
