"""Questions in little room: the answers stay, and what is not shown is counted."""

import asyncio
from functools import partial

import pytest

from ferrule.core.events import PermissionAsked
from ferrule.core.messages import ToolCall
from ferrule.front.terminal.ask import Choice, Choosing
from ferrule.front.terminal.show.fit import columns_of
from ferrule.front.terminal.show.lines import Line, line
from ferrule.front.terminal.show.question import question
from tests.front.terminal.show.bare import text_lines

CHOICES = [Choice("y", "Yes, once"), Choice("a", "Always", "edit(./calc.py)"), Choice("n", "No, and say why")]


def head(_width: int) -> list[Line]:
    return [line("Allow edit?"), *(line(f"row {number}") for number in range(5))]


def whole(_width: int) -> list[Line]:
    return [line(f"row {number}") for number in range(100)]


async def test_with_room_all_is_shown() -> None:
    asked = Choosing(head, CHOICES, escape="stops the run", whole=whole)
    assert text_lines(asked.rows(80, 24)) == [
        "Allow edit?",
        *(f"row {number}" for number in range(5)),
        "❯ y  Yes, once",
        "  a  Always  edit(./calc.py)",
        "  n  No, and say why",
        "  Esc stops the run",
    ]


async def test_where_it_can_only_be_printed_nothing_is_left_out() -> None:
    asked = Choosing(head, CHOICES, escape="stops the run", whole=whole)
    assert text_lines(asked.printed(80)) == [
        *(f"row {number}" for number in range(100)),
        "❯ y  Yes, once",
        "  a  Always  edit(./calc.py)",
        "  n  No, and say why",
        "  Ctrl+C stops the run",
    ]


async def test_with_little_the_rest_is_counted_and_the_answers_stay() -> None:
    asked = Choosing(head, CHOICES, escape="stops the run", whole=whole)
    assert text_lines(asked.rows(80, 6)) == [
        "Allow edit?",
        "row 0",
        "… 98 more lines, Ctrl+O shows all",
        "❯ y  Yes, once",
        "  a  Always  edit(./calc.py)",
        "  n  No, and say why",
    ]


async def test_of_what_is_too_long_the_end_says_what_it_is_for() -> None:
    rows = [*(f"row {number}" for number in range(50)), "said to: look", "why: it runs"]
    asked = Choosing(lambda _width: [line(one) for one in rows], CHOICES, escape="stops the run")
    assert text_lines(asked.rows(80, 14))[:10] == [
        *rows[:6],
        "… 43 more lines, Ctrl+O shows all",
        "row 49",
        "said to: look",
        "why: it runs",
    ]


async def test_the_end_of_a_short_question_has_its_labels() -> None:
    said = {"command": "\n".join(map(str, range(50))), "description": "look " * 20 + "why: you said so"}
    call = ToolCall(id="1", name="bash", input=said)
    asked = PermissionAsked(id="q", call=call, reason="it runs")
    shown, whole = (partial(question, asked, whole=one) for one in (False, True))
    choosing = Choosing(lambda width: shown(width=width), CHOICES, escape="x", whole=lambda width: whole(width=width))
    rows = text_lines(choosing.rows(40, 14))
    assert rows[6:10] == [
        "… 47 more lines, Ctrl+O shows all",
        "  49",
        "  said to: look look look look look loo…",
        "  why: it runs",
    ]


async def test_with_hardly_any_its_title_is_seen() -> None:
    asked = Choosing(head, CHOICES, escape="stops the run", whole=whole)
    assert text_lines(asked.rows(20, 5)) == [
        "Allow edit? … Ctrl+O",
        "❯ y  Yes, once",
        "  a  Always",
        "     edit(./calc.py)",
        "  n  No, and say why",
    ]
    assert text_lines(asked.rows(20, 6))[:2] == ["Allow edit?", "… 99 more, Ctrl+O"]


@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize("most", [4, 6, 8, 24])
async def test_it_never_takes_more_than_it_may(width: int, most: int) -> None:
    rows = Choosing(head, CHOICES, escape="stops the run", whole=whole).rows(width, most)
    assert len(rows) <= most
    assert max(map(columns_of, rows)) <= width
    assert "❯ y  Yes, once" in text_lines(rows)


async def test_keys_answer_and_others_do_not() -> None:
    asked = Choosing(head, CHOICES)
    for key in ("x", "up", "down", "tab", "enter"):
        asked.key(key)
    assert await asyncio.wait_for(asked.answer, 30) == "a"
