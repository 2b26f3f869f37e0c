"""What people read: safe to show, short, and the right hint."""

import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from ferrule.config.keys import KEYS
from ferrule.config.words import in_json, nearest, plain, shown, words_for


@settings(deadline=None)
@given(st.text(alphabet=st.characters()))
def test_nothing_unprintable_is_shown(text: str) -> None:
    assert plain(text).isprintable()
    assert shown(text).isprintable()


@settings(deadline=None)
@given(st.text())
def test_json_with_everything_written_out_is_still_that_value(text: str) -> None:
    assert in_json([text]).isprintable()
    assert json.loads(in_json([text])) == [text]
    assert json.loads(in_json({"a": [text]}, indent=2)) == {"a": [text]}
    assert all(line.isprintable() for line in in_json({"a": [text]}, indent=2).split("\n"))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        ("a\x1b", '"a\\u001b"'),
        ("x" * 70, '"' + "x" * 60 + '…"'),
        (10**80, "1" + "0" * 59 + "…"),
        ([1], "a list"),
        ((1,), "a list"),
        ({"a": 1}, "an object"),
    ],
)
def test_values_are_mentioned_shortly(value: Any, words: str) -> None:
    assert shown(value) == words


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        (str, "a string"),
        (bool, "true or false"),
        (Annotated[int, Meta(ge=1)], "a whole number of at least 1"),
        (Annotated[float, Meta(le=2.5)], "a number of at most 2.5"),
        (Annotated[int, Meta(ge=0, le=9)], "a whole number from 0 to 9"),
        (Annotated[str, Meta(min_length=1), Meta(description="d")], "a string that is not empty"),
        (Annotated[str, Meta(extra={"words": "a path"})] | None, "a path or null"),
        (Literal["a", "b", "c"], '"a", "b" or "c"'),
        (tuple[int, ...], "a list"),
    ],
)
def test_types_are_said_in_words(type_: Any, words: str) -> None:
    assert words_for(type_) == words


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("llm.mode", "llm.model"),
        ("agent.mode", "safety.mode"),
        ("MODEL", "llm.model"),
        ("Llm.Model", "llm.model"),
        ("agent.max-turns", "agent.max_turns"),
        ("lmm.model", "llm.model"),
        ("sessions.retention_days", "session.retention_days"),
        ("max_turn", "agent.max_turns"),
        ("qwerty", None),
        ("", None),
    ],
)
def test_the_nearest_key_is_found(wrong: str, right: str | None) -> None:
    assert nearest(wrong, KEYS) == right
