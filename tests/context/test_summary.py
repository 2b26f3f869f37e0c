"""Notes: what the model is asked, what of its answer is taken, and what is not."""

from functools import partial

import pytest

from ferrule.context.budget import tokens_of
from ferrule.context.summary import SYSTEM, Summariser, SummaryError, left_out
from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.events import Event, Retrying
from ferrule.core.messages import Message, Usage
from ferrule.core.model import Request
from ferrule.llm.retry import retrying
from ferrule.llm.script import Fault, Reply, Scripted, Step, calling
from tests.context.support import NOTES, Enforcing, answer, call, said_in, turn, user, words

TALK: list[Message] = [
    user("Mend the parser."),
    answer("I look.", call("a", "read", file_path="src/parser.py")),
    *turn("b", "begin " + words(3_000) + " end"),
    answer("It is the empty input."),
]


async def notes_of(
    *steps: Step, span: range = range(5), earlier: str = "", room: int = 5_000, most: int = 500, focus: str = ""
) -> tuple[str, list[Request]]:
    model = Scripted(steps)
    summariser = Summariser(partial(ask_model, model), spent=lambda _: None)
    notes = await summariser.notes(TALK, span, earlier=earlier, room=room, most=most, focus=focus, emit=lambda _: None)
    return notes, model.requests


async def test_the_span_is_told_with_its_numbers_and_long_outputs_without_their_middle() -> None:
    notes, (request,) = await notes_of(NOTES, focus="the lexer")
    assert notes == NOTES
    assert (request.system, request.tools, len(request.messages)) == (SYSTEM, (), 1)
    text = said_in(request)
    assert "<conversation>\n#1 user: Mend the parser.\n\n#2 assistant: I look.\ncalls read" in text
    assert "#4 result of bash: begin line" in text
    assert "characters left out" in text
    assert "#5 assistant: It is the empty input.\n</conversation>" in text
    assert "<earlier_notes>" not in text
    assert text.endswith("Mind above all: the lexer")
    assert tokens_of(text) < 1_000


async def test_earlier_notes_are_carried_over_and_only_what_is_new_is_read() -> None:
    _, (request,) = await notes_of(NOTES, span=range(4, 5), earlier="EARLIER " + words(400))
    assert "<earlier_notes>\nEARLIER" in said_in(request)
    assert "#5 assistant" in said_in(request)
    assert "Mend the parser." not in said_in(request)


async def test_numbers_that_the_model_made_up_are_dropped() -> None:
    made_up = NOTES.replace("[#2, #3]", "[#2, #77]").replace("[#4]", "[#0, #99999999999]")
    notes, _ = await notes_of(made_up)
    assert "not at fault. [#2]\n" in notes
    assert "for empty input.\n" in notes


async def test_notes_that_are_too_long_keep_their_ends() -> None:
    long = NOTES.replace("## State", "\n".join(f"- fact {number} [#2]" for number in range(300)) + "\n## State")
    notes, _ = await notes_of(long, most=150)
    assert tokens_of(notes) <= 160
    assert notes.startswith("## Goal\n- Mend the parser")
    assert notes.endswith("- Mend test_empty. [#5]")


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("", "the model said nothing."),
        ("I am happy to go on with the task!", "what the model wrote are no notes."),
        (calling("bash", command="ls"), "what the model wrote are no notes."),
        (Reply(text=NOTES, stop="refusal"), "the model refused."),
        (Reply(error=Fault(message="Out of order", fault="server")), "Out of order."),
        (Reply(error=Fault(message="No.", fault="auth")), "No."),
        (NOTES + words(5_000), ""),
    ],
)
async def test_what_cannot_stand_for_the_messages_is_not_taken(step: Step, reason: str) -> None:
    if not reason:
        notes, _ = await notes_of(step, most=200)
        assert tokens_of(notes) <= 210
        return
    with pytest.raises(SummaryError) as caught:
        await notes_of(step)
    assert str(caught.value) == f"The conversation could not be summed up: {reason}"


async def test_notes_longer_than_what_they_stand_for_are_not_taken() -> None:
    with pytest.raises(SummaryError, match="longer than what they stand for"):
        await notes_of(NOTES, span=range(1))


async def test_a_window_too_small_for_the_task_is_not_asked() -> None:
    with pytest.raises(SummaryError, match="too small"):
        await notes_of(room=500)


async def test_a_long_span_is_read_in_parts_each_on_top_of_the_last() -> None:
    talk = [message for number in range(40) for message in turn(f"c{number}", words(600, number))]
    model = Enforcing(2_500, notes=lambda request: NOTES.replace("5 tests", f"{len(said_in(request))} tests"))
    summariser = Summariser(partial(ask_model, model), spent=lambda _: None)
    span = range(10, 70)
    notes = await summariser.notes(talk, span, earlier="", room=2_400, most=300, focus="", emit=lambda _: None)
    assert notes.startswith("## Goal")
    assert "left out" not in notes
    assert (model.refused, len(model.for_notes)) == (0, 8)
    for before, after in zip(model.for_notes, model.for_notes[1:], strict=False):
        assert f"{len(said_in(before))} tests" in said_in(after)
    seen = "".join(map(said_in, model.for_notes))
    assert [f"#{number} " in seen for number in (10, 11, 70, 71)] == [False, True, True, False]


async def test_of_an_endless_span_the_latest_part_is_read() -> None:
    talk = [message for number in range(400) for message in turn(f"c{number}", words(600, number))]
    model = Enforcing(2_500)
    summariser = Summariser(partial(ask_model, model), spent=lambda _: None)
    notes = await summariser.notes(talk, range(800), earlier="", room=2_400, most=300, focus="", emit=lambda _: None)
    assert notes.startswith(NOTES + "\n\n[Messages #1 to #")
    assert len(model.for_notes) < 15
    seen = "".join(map(said_in, model.for_notes))
    assert "#800 result of bash" in seen


async def test_a_request_for_notes_that_is_too_long_is_halved() -> None:
    talk = [message for number in range(12) for message in turn(f"c{number}", words(600, number))]
    model = Enforcing(2_100)
    summariser = Summariser(partial(ask_model, model), spent=lambda _: None)
    notes = await summariser.notes(talk, range(24), earlier="", room=8_000, most=300, focus="", emit=lambda _: None)
    assert notes == NOTES
    assert model.refused == 2
    hopeless = Summariser(partial(ask_model, Enforcing(10)), spent=lambda _: None)
    with pytest.raises(SummaryError, match="too long"):
        await hopeless.notes(talk, range(24), earlier="", room=8_000, most=300, focus="", emit=lambda _: None)


async def test_the_person_sees_a_retry_but_not_the_notes_as_they_are_written() -> None:
    failing = Reply(error=Fault(message="Busy", fault="overloaded", retry_after=0))
    model = Scripted([failing, Reply(text=NOTES, usage=Usage(input=70, output=7))])
    spent: list[Draft] = []
    events: list[Event] = []
    summariser = Summariser(retrying(partial(ask_model, model)), spent=spent.append)
    await summariser.notes(TALK, range(5), earlier="", room=5_000, most=500, focus="", emit=events.append)
    assert events == [Retrying(attempt=1, delay=0.0, reason="Busy")]
    assert [draft.usage for draft in spent] == [Usage(input=70, output=7)]


def test_what_is_left_out_without_notes_is_said_once() -> None:
    first = left_out("## Goal\n- x", 4, 10)
    assert first == "## Goal\n- x\n\n[Messages #5 to #10 are left out here, without notes; recall shows them.]"
    assert left_out(first, 10, 20) == first.replace("#10", "#20")
    assert left_out("", 0, 1).startswith("[Messages #1 to #1 are")


async def test_a_failure_of_another_kind_is_not_swallowed() -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await Summariser(broken, spent=lambda _: None).notes(
            TALK, range(5), earlier="", room=5_000, most=500, focus="", emit=lambda _: None
        )
