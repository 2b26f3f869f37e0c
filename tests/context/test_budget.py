"""Tokens: estimated, counted once, and by where they go."""

import sys

from ferrule.context.budget import (
    PER_IMAGE,
    PER_MESSAGE,
    Breakdown,
    Meter,
    breakdown,
    counted,
    message_tokens,
    tokens_of,
    tool_tokens,
)
from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, Usage, User
from ferrule.core.model import Request, ToolSpec
from tests.context.support import answer, call, note, result, turn, user, words


def test_a_text_is_four_characters_a_token_and_more_beyond_ascii() -> None:
    assert [tokens_of(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    assert tokens_of("日本語で書く") == 5  # about what tokenizers say; characters alone would be 2
    assert tokens_of("\ud800 half a pair") > 0


def test_each_block_counts() -> None:
    picture = Image(media_type="image/png", data="x" * 1_000_000)
    assert message_tokens(User(content=(Text("x" * 40), picture))) == PER_MESSAGE + 10 + PER_IMAGE
    made = Assistant(content=(Thinking(text="y" * 40), call("c", "bash", command="ls")), model="m", stop="tool_use")
    assert message_tokens(made) == PER_MESSAGE + 10 + PER_MESSAGE + 1 + 4
    strange = ToolCall(id="c", name="bash", input={"command": "\ud800", "of": object()})
    assert message_tokens(Assistant(content=(strange,), model="m", stop="tool_use")) > PER_MESSAGE
    broken = ToolCall(id="c", name="bash", input={}, malformed='{"command": ' + "x" * 400)
    assert message_tokens(Assistant(content=(broken,), model="m", stop="tool_use")) > 100


def test_what_was_read_from_the_cache_is_in_the_window_too() -> None:
    assert counted(Usage(input=1, output=20, cache_read=300, cache_write=4_000)) == 4_301


def test_the_meter_says_what_each_beginning_takes() -> None:
    messages: tuple[Message, ...] = (user("x" * 40), *turn("a", "y" * 80), answer("z" * 4))
    meter = Meter()
    assert meter.sums(messages[:2]) == [0, 18, 18 + message_tokens(messages[1])]
    assert meter.sums(messages)[-1] == sum(map(message_tokens, messages))
    assert meter.sums(messages[:1]) == [0, 18]
    assert meter.sums((user("x" * 80), *messages[1:]))[1] == 28
    assert meter.sums(()) == [0]


def test_the_meter_looks_at_new_messages_alone() -> None:
    messages = tuple(user(f"{number}") for number in range(5_000))
    meter = Meter()
    meter.sums(messages[:-1])
    seen = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal seen
        seen += event == "call"

    sys.setprofile(count)
    try:
        meter.sums(messages)
    finally:
        sys.setprofile(None)
    assert seen < 20


def test_the_system_prompt_and_the_tools_are_included() -> None:
    spec = ToolSpec(name="read", description="Read a file.", schema={"type": "object"})
    request = Request(system="s" * 400, tools=(spec,), messages=())
    meter = Meter()
    assert meter.fixed(request) == 100 + tool_tokens(spec)
    assert meter.fixed(Request(system="", tools=(spec, spec), messages=())) == 2 * tool_tokens(spec)


def test_the_breakdown_adds_up() -> None:
    spec = ToolSpec(name="read", description="Read a file.", schema={"type": "object"})
    thoughts = Assistant(content=(Thinking(text="t" * 400), Text("a" * 40)), model="m", stop="end_turn")
    messages: tuple[Message, ...] = (user("u" * 40), thoughts, note("n" * 80), *turn("c", words(500)))
    request = Request(system="s" * 400 + "i" * 80, tools=(spec,), messages=messages)
    parts = breakdown(request, instructions="i" * 80)
    assert parts == Breakdown(
        system=100,
        instructions=20,
        tools=tool_tokens(spec),
        user=18,
        notes=28,
        answers=18 + message_tokens(messages[3]),
        thinking=100,
        tool_results=message_tokens(result("c", words(500))),
    )
    assert parts.total == Meter().fixed(request) + sum(map(message_tokens, messages))
