"""What is sent: pure, valid whatever the state says, and longer only at its end."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.context.view import GOES_ON, State, Telling, state_of, view
from ferrule.core.events import Compacted, Event, Notice, Pinned
from ferrule.core.messages import Image, Message, Text, ToolResult, User, text_of
from tests.context.support import answer, call, note, random_history, result, turn, user, words
from tests.support import assert_sendable

PICTURE = Image(media_type="image/png", data="aGk=")


def test_without_a_state_everything_is_told_as_it_is() -> None:
    messages = tuple(random_history(1, 5_000))
    assert view(messages, State()) == messages
    assert Telling()(messages, State()) is messages


def test_old_outputs_become_one_line_that_says_how_to_get_them_back() -> None:
    short = turn("b", "short")
    messages: list[Message] = [user("Go."), *turn("a", "line\n" * 200), *short, *turn("c", "line\n" * 200)]
    told = view(messages, State(pruned=5))
    assert [text_of(m.content) for m in told if isinstance(m, ToolResult)] == [
        "[output of bash left out: 201 lines; recall #3 shows it]",
        "short",
        "line\n" * 200,
    ]
    assert [m for m in told if not isinstance(m, ToolResult)] == [m for m in messages if not isinstance(m, ToolResult)]


def test_images_and_errors_are_pruned_as_such() -> None:
    shown = ToolResult(call_id="a", tool="read", content=(Text("x"), PICTURE, PICTURE), is_error=True, at=3)
    messages: list[Message] = [user("Go."), answer("", call("a", "read")), shown]
    line = "[output of read left out: 1 line and 2 images; recall #3 shows it]"
    assert view(messages, State(pruned=3))[2] == msgspec.structs.replace(shown, content=(Text(line),))
    only = msgspec.structs.replace(shown, content=(PICTURE,))
    (told,) = view([*messages[:2], only], State(pruned=3))[2].content
    assert told == Text("[output of read left out: 1 image; recall #3 shows it]")


def test_the_beginning_is_one_message_with_the_notes_and_the_users_own_words() -> None:
    messages: list[Message] = [
        user("First wish."),
        *turn("a", "x"),
        note("Go on."),
        user("Second wish."),
        answer("Ok."),
        user("Now?"),
    ]
    told = view(messages, State(upto=5, pruned=5, summary="## Goal\n- All of it. [#1]"))
    assert told[1:] == tuple(messages[5:])
    head = told[0]
    assert isinstance(head, User)
    assert head.by == "ferrule"
    assert text_of(head.content) == (
        "The conversation up to #5 no longer fits and is told here in notes. Numbers such as #12 name its messages; "
        "the tool recall gives them back in full.\n\n## Goal\n- All of it. [#1]\n\nOf that part, word for word:\n\n"
        "#1 user:\n\nFirst wish.\n\n#5 user:\n\nSecond wish.\n\nThe conversation goes on from here."
    )


def test_the_users_words_stay_up_to_a_size_and_the_last_of_them_always() -> None:
    messages: list[Message] = [
        user("early " + words(10)),
        user("lengthy " + words(300)),
        user("huge " + words(9_000)),
        *turn("a", "x"),
    ]
    (head, *_) = view(messages, State(upto=3, verbatim=100))
    assert "huge" in text_of(head.content)
    assert "lengthy" not in text_of(head.content)
    (head, *_) = view([*messages[:3], user("a later one")], State(upto=3, verbatim=100))
    assert "huge" not in text_of(head.content)
    assert "early" in text_of(head.content)


def test_pins_stay_in_full_wherever_they_are() -> None:
    seen = ToolResult(call_id="a", tool="read", content=(Text("f" * 600), PICTURE), at=0)
    messages: list[Message] = [
        user("Go."),
        answer("I look.", call("a", "read", file_path="x.py")),
        seen,
        *turn("b", "y" * 600),
    ]
    assert view(messages, State(pruned=5, pins=(2,)))[2] == seen
    (head,) = view(messages, State(upto=5, pins=(1, 2, 99)))
    first, picture, last = head.content
    assert isinstance(first, Text)
    assert '#2 assistant:\n\nI look.\n\ncalls read {"file_path":"x.py"}\n\n#3 result of read:\n\nffff' in first.text
    assert picture == PICTURE
    assert last == Text(GOES_ON)


def test_what_nothing_else_helps_against_is_cut_in_the_middle() -> None:
    messages: list[Message] = [
        User(content=(Text("b" * 4_000), PICTURE), at=0),
        *turn("a", "begin" + words(2_000) + "end"),
    ]
    told = view(messages, State(result_cap=100))
    assert told[:2] == tuple(messages[:2])
    text = text_of(told[2].content)
    assert text.startswith("begin")
    assert text.endswith("end")
    assert "characters left out; recall #3 shows all" in text
    assert len(text) < 500
    whole = view(messages, State(result_cap=100, text_cap=100))
    assert "characters left out; recall #1 shows all" in text_of(whole[0].content)
    assert "an image was left out; recall #1 shows all" in text_of(whole[0].content)


def test_the_state_is_rebuilt_from_what_was_told() -> None:
    events: list[Event] = [
        Pinned(number=7),
        Compacted(before=9, after=5, pruned=4),
        Notice(text="x"),
        Pinned(number=2),
        Compacted(before=9, after=5, pruned=8, upto=6, summary="s"),
        Pinned(number=7),
        Pinned(number=-1),
    ]
    assert state_of(events) == State(pruned=8, upto=6, summary="s", pins=(2, 7))
    assert state_of([]) == State()


numbers = st.integers(0, 80)
states = st.builds(
    State,
    pruned=numbers,
    upto=numbers,
    summary=st.sampled_from(["", "## Goal\n- x [#1]"]),
    pins=st.lists(numbers, max_size=3).map(tuple),
    verbatim=st.sampled_from([0, 100, 20_000]),
    result_cap=st.sampled_from([0, 0, 0, 60]),
    text_cap=st.sampled_from([0, 0, 0, 60]),
)


@given(seed=st.integers(0, 30), state=states)
def test_any_state_gives_a_valid_conversation_that_only_grows(seed: int, state: State) -> None:
    messages = tuple(random_history(seed, 3_000))
    telling, before = Telling(), None
    for upto in range(1, len(messages) + 1):
        part = messages[:upto]
        told = view(part, state)
        assert telling(part, state) == told
        settled = max(state.upto, state.pruned) < upto - 1
        if before is not None and settled:
            assert told[: len(before)] == before
        before = told if settled else None
    told = view(messages, state)
    assert isinstance(told[0], User)
    assert_sendable(list(told))
    assert all(message.content for message in told)


def test_what_was_remembered_of_another_conversation_is_not_told() -> None:
    telling, state = Telling(), State(upto=2, summary="s")
    first = (user("One."), answer("1"), user("Two."), answer("2"))
    other = (user("Uno."), answer("1"), user("Due."), answer("2"))
    for messages in (first, other, first[:1], other):
        assert telling(messages, state) == view(messages, state)


@pytest.mark.parametrize("upto", [2, 3, 4])
def test_a_cut_inside_a_turn_moves_to_its_start(upto: int) -> None:
    several: list[Message] = [
        user("Go."),
        answer("", call("a"), call("b"), call("c")),
        result("a", "1"),
        result("b", "2"),
    ]
    messages: list[Message] = [*several, result("c", "3"), answer("Done.")]
    assert view(messages, State(upto=upto))[1:] == tuple(messages[1:])
