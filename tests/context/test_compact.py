"""Making room: when, how much, what is said about it, and what happens when it fails."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest

from ferrule.context.compact import Compacting
from ferrule.context.summary import SYSTEM
from ferrule.context.view import State, state_of
from ferrule.core.accumulate import Draft
from ferrule.core.errors import ProviderError
from ferrule.core.events import Compacted, Event, Notice
from ferrule.core.history import History
from ferrule.core.loop import Run
from ferrule.core.messages import Message, ToolResult, Usage, User, text_of
from ferrule.core.model import Delta, Request
from ferrule.llm.script import Fault, Reply, Scripted, calling
from ferrule.tools.function import tool
from ferrule.tools.recall import Recall
from tests.context.support import (
    NOTES,
    Asked,
    Enforcing,
    answer,
    call,
    chat,
    long_talk,
    request_of,
    result,
    said_in,
    size_of,
    turn,
    user,
    words,
)
from tests.support import agent_of


async def test_what_fits_is_sent_as_it_is() -> None:
    model = Enforcing(10_000)
    asked = Asked(model, window=10_000)
    messages = long_talk(9, 1_000)
    request = request_of(messages)
    await asked.compacting(request, Draft(), asked.events.append)
    assert model.taken[0] is request
    assert not any(isinstance(event, Compacted | Notice) for event in asked.events)


async def test_old_outputs_go_first_and_that_is_enough() -> None:
    model = Enforcing(10_000)
    asked = Asked(model, window=10_000)
    messages = long_talk(11, 1_000)
    await asked(messages)
    (event,) = asked.compactions
    assert (event.upto, event.summary, event.pruned) == (0, "", 19)
    assert event.before > 11_000
    assert event.after < 4_000
    assert not model.for_notes
    (sent,) = model.taken
    assert sent.messages[19:] == tuple(messages[19:])
    whole = [m for m in sent.messages if isinstance(m, ToolResult) and len(m.text) > 100]
    assert whole == messages[-3::2]


async def test_the_threshold_counts_what_the_answer_needs_the_system_prompt_and_the_tools() -> None:
    for more, expected in (({}, 0), ({"reserve": 3_000}, 1), ({"threshold": 0.5}, 1)):
        asked = Asked(Enforcing(10_000), window=10_000, **more)
        await asked(long_talk(8, 1_000))
        assert len(asked.compactions) == expected
    asked = Asked(Enforcing(10_000), window=10_000)
    await asked(long_talk(8, 1_000), system="s" * 6_000)
    assert len(asked.compactions) == 1


async def test_then_older_messages_become_notes() -> None:
    model = Enforcing(10_000)
    asked = Asked(model, window=10_000)
    talk: list[Message] = [user("The task.")]
    for number in range(12):
        talk += [answer(words(1_000, number)), user(f"wish {number}")]
    await asked(talk)
    (event,) = asked.compactions
    assert (event.summary, event.pruned) == (NOTES, event.upto)
    (sent,) = model.taken
    assert sent.messages[1:] == tuple(talk[event.upto :])
    assert size_of(sent) < 5_000
    head = text_of(sent.messages[0].content)
    assert NOTES in head
    assert all(f"wish {number}\n" in head for number in range((event.upto - 1) // 2))
    notice = next(event for event in asked.events if isinstance(event, Notice))
    assert notice == Notice(text=f"Summing up the conversation before #{event.upto + 1} to make room.", level="info")


async def test_the_second_time_builds_on_the_first_and_nothing_changes_in_between() -> None:
    model = Enforcing(10_000)
    asked = Asked(model, window=10_000)
    talk = chat(12)
    for _ in range(16):
        await asked(talk)
        talk += [answer(words(1_000, len(talk))), user("more")]
    first, second, *_ = asked.compactions
    assert second.upto > first.upto
    on_top = next(text for text in map(said_in, model.for_notes) if f"#{first.upto + 1} assistant" in text)
    assert on_top.startswith(f"<earlier_notes>\n{NOTES}")
    assert f"#{first.upto} assistant" not in on_top
    breaks = 0
    for before, after in zip(model.taken, model.taken[1:], strict=False):
        breaks += after.messages[: len(before.messages)] != before.messages
    assert breaks == len(asked.compactions) - 1


async def test_the_providers_count_is_believed_where_it_is_plausible() -> None:
    def estimate(usage: Usage, state: State | None = None) -> int:
        messages: list[Message] = [user("x" * 400), answer("y" * 40, usage=usage), user("z" * 400)]
        return Asked(Enforcing(10_000), window=10_000, state=state).compacting.estimate(request_of(messages))

    assert estimate(Usage(input=100, cache_read=62, output=9_000)) == 162 + int(162 / 108 * (18 + 108))
    assert estimate(Usage(input=90)) == 90 + 18 + 108
    for odd in (Usage(), Usage(output=900), Usage(input=10)):
        assert estimate(odd) == 108 + 18 + 108
    assert estimate(Usage(input=200), State(pruned=1)) == 108 + 18 + 108


async def test_what_had_streamed_before_it_was_too_long_is_said_to_be_void() -> None:
    half = (Delta(kind="text", text="Half an"),)
    cut = Reply(pieces=half, error=Fault(message="too long", fault="context_overflow"))
    asked = Asked(Scripted([cut, "Done."]), window=0)
    draft = await asked(long_talk(9, 1_000))
    made = draft.message()
    assert made is not None
    assert made.text == "Done."
    assert [type(event).__name__ for event in asked.events] == ["Delta", "Retrying", "Compacted", "Delta"]


async def test_a_dense_text_is_compacted_before_the_provider_complains() -> None:
    model = Enforcing(10_000, counts=True, characters=2)
    asked = Asked(model, window=10_000)
    talk: list[Message] = [user("The task.")]
    for number in range(20):
        draft = await asked(talk)
        made = draft.message()
        assert made is not None
        talk += [made, *turn(f"c{number}", words(300, number))]
    assert model.refused == 0
    assert asked.compactions


@pytest.mark.parametrize(
    "complaint",
    [
        lambda sent, window: f"prompt is too long: {sent} tokens > {window} maximum",
        lambda sent, window: f"maximum context length is {window} tokens",
        lambda sent, window: "Input is too long for requested model.",
    ],
)
@pytest.mark.parametrize("window", [0, 1_000_000])
@pytest.mark.parametrize("characters", [4, 2])
async def test_the_providers_word_beats_the_estimate(
    complaint: Callable[[int, int], str], window: int, characters: int
) -> None:
    model = Enforcing(8_000, complaint=complaint, characters=characters)
    asked = Asked(model, window=window)
    talk = long_talk(20, 1_000)
    await asked(talk)
    refused = model.refused
    assert 0 < refused <= 3
    assert asked.compactions
    for number in range(10):
        talk += turn(f"n{number}", words(500))
        await asked(talk)
    assert model.refused <= refused + 2
    assert (asked.compacting.usable or 1_000_000) < 20_000


async def test_what_can_never_fit_is_an_error_after_a_few_attempts() -> None:
    model = Enforcing(1_000)
    asked = Asked(model, window=0)
    with pytest.raises(ProviderError, match="too long"):
        await asked(long_talk(3, 100), system="s" * 8_000)
    assert model.refused <= 20
    assert not model.taken


async def test_other_failures_pass_through_and_are_not_tried_again() -> None:
    model = Scripted([Reply(error=Fault(message="No.", fault="auth"))])
    with pytest.raises(ProviderError, match=r"No\."):
        await Asked(model, window=10_000)(long_talk(2, 100))
    assert len(model.requests) == 1


async def test_notes_that_fail_leave_the_oldest_turns_out() -> None:
    model = Enforcing(10_000, notes=lambda _: "Sure!")
    asked = Asked(model, window=10_000)
    talk = chat(12)
    await asked(talk)
    (event,) = asked.compactions
    words_left = f"[Messages #1 to #{event.upto} are left out here, without notes; recall shows them.]"
    assert event.summary == words_left
    assert words_left in said_in(model.taken[0])
    warning = next(e for e in asked.events if isinstance(e, Notice) and e.level == "warning")
    assert "what the model wrote are no notes" in warning.text
    assert len(model.for_notes) == 1
    assert isinstance(asked.events[-1], Compacted)


async def test_where_no_answer_comes_either_the_notes_may_still_be_had_later() -> None:
    down = Fault(message="Down.", fault="network")
    model = Scripted([Reply(error=down), Reply(error=down), NOTES, NOTES, "Done."])
    asked = Asked(model, window=10_000)
    talk = chat(12)
    with pytest.raises(ProviderError, match=r"Down\."):
        await asked(talk)
    assert asked.compactions == []
    assert asked.compacting.state == State(verbatim=2_000)
    await asked(talk)
    assert [event.summary for event in asked.compactions] == [NOTES]
    assert [request.system == SYSTEM for request in model.requests] == [True, False, True, True, False]


async def test_the_last_request_survives_a_long_run_and_whatever_its_size() -> None:
    model = Enforcing(10_000)
    wish = "The wish. " + words(7_000) + " Its end."
    await Asked(model, window=10_000)([user("Before."), answer("Yes."), *long_talk(8, 1_000, wish)])
    assert wish in said_in(model.taken[0])


async def test_a_request_larger_than_the_window_is_cut_in_the_middle() -> None:
    model = Enforcing(10_000)
    await Asked(model, window=10_000)([user("The wish. " + words(30_000) + " Its end.")])
    text = said_in(model.taken[0])
    assert text.startswith("The wish.")
    assert text.endswith("Its end.")
    assert "characters left out; recall #1 shows all" in text
    assert size_of(model.taken[0]) > 5_000


async def test_one_huge_output_in_the_last_turn_is_cut_in_the_middle() -> None:
    model = Enforcing(10_000)
    await Asked(model, window=10_000)([user("The wish."), *turn("a", "begin" + words(30_000) + "end")])
    sent = model.taken[0].messages[-1]
    assert isinstance(sent, ToolResult)
    assert sent.text.startswith("begin")
    assert sent.text.endswith("end")
    assert "recall #3 shows all" in sent.text
    assert "The wish." in said_in(model.taken[0])


async def test_a_last_turn_that_cannot_be_cut_is_told_as_notes() -> None:
    model = Enforcing(10_000)
    talk: list[Message] = [
        user("The wish."),
        answer("", call("a", "write", content=words(30_000))),
        result("a", "Written."),
    ]
    await Asked(model, window=10_000)(talk)
    (sent,) = model.taken
    assert len(sent.messages) == 1
    assert "The wish." in said_in(sent)
    assert "## Goal\n- Mend the parser; keep the public names. [#1]" in said_in(sent)


async def test_cancelling_the_notes_changes_nothing() -> None:
    started = asyncio.Event()

    async def hanging(request: Request, draft: Draft, emit: object) -> None:
        started.set()
        await asyncio.Event().wait()

    events: list[Event] = []
    compacting = Compacting(hanging, window=10_000)
    talk = chat(12)
    task = asyncio.create_task(compacting(request_of(talk), Draft(), events.append))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert compacting.state == State(verbatim=2_000)
    assert not any(isinstance(event, Compacted) for event in events)


async def test_a_resumed_session_goes_on_where_it_was() -> None:
    model = Enforcing(10_000)
    asked = Asked(model, window=10_000)
    talk = chat(12)
    await asked(talk)
    again = Asked(model, window=10_000, state=state_of(asked.events))
    await again([*talk, answer("Done."), user("And now?")])
    first, second = model.taken
    assert second.messages[: len(first.messages)] == first.messages
    assert not again.compactions


async def test_a_state_that_belongs_to_another_conversation_is_dropped() -> None:
    model = Enforcing(10_000)
    asked = Asked(model, window=0, state=State(upto=99_999, pruned=99_999, summary="Of what?", pins=(7,)))
    await asked(chat(2))
    assert model.taken[0].messages == tuple(chat(2))


async def test_what_went_can_be_recalled_in_the_same_run() -> None:
    secret = "the one line that matters\n" + words(3_000)
    outputs = iter([secret, *(words(1_000, number) for number in range(7))])

    @tool(effect="read")
    def look() -> str:
        """Look."""
        return next(outputs)

    model = Scripted([*[calling("look")] * 8, calling("recall", ids=["#3"]), "Done."])
    history, events = History(), list[Event]()
    base = agent_of(model, look, Recall(lambda: history.messages))
    agent = msgspec.structs.replace(base, ask=Compacting(base.ask, window=10_000))
    await Run(agent, history, events.append).go(user("Find it."))
    assert any(isinstance(event, Compacted) for event in events)
    left_out, back = model.requests[-2].messages[2], model.requests[-1].messages[-1]
    assert isinstance(left_out, ToolResult)
    assert left_out.text.endswith("recall #3 shows it]")
    assert isinstance(back, ToolResult)
    assert back.text == f"#3 result of look:\n\n{secret}"


async def test_what_the_notes_cost_is_told() -> None:
    model = Enforcing(10_000, counts=True)
    draft = await Asked(model, window=10_000)(chat(12))
    spent = [finish.usage for finish in draft.aside]
    assert spent == [Usage(input=size_of(request), output=3) for request in model.for_notes]
    assert len(spent) == 2
    assert len(draft.paid) == 3


async def test_the_answer_streams_through() -> None:
    asked = Asked(Enforcing(10_000), window=10_000)
    draft = await asked([user("Hello.")])
    assert asked.events == [Delta(kind="text", text="Done.")]
    made = draft.message()
    assert made is not None
    assert made.text == "Done."
    assert isinstance(asked.compacting.told(request_of([user("x")])).messages[0], User)


async def test_who_wants_to_know_hears_of_it_before_messages_become_notes() -> None:
    heard: list[tuple[str, str, int]] = []

    async def hear(by: str, focus: str) -> None:
        heard.append((by, focus, len(model.for_notes)))

    model = Enforcing(10_000)
    asked = Asked(model, window=10_000, before=hear)
    await asked(long_talk(11, 1_000))
    assert heard == []  # old outputs alone went
    await asked(chat(12))
    assert heard == [("auto", "", 0)]
    await asked.compacting.now(request_of(chat(16)), asked.events.append, focus="tests")
    assert heard[1:] == [("manual", "tests", len(model.for_notes) - 1)]
