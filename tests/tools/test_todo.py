from pathlib import Path
from typing import Any

import pytest

from ferrule.tools.todo import Item, Todo, TodoParameters
from tests.tools.calling import context_in, refusal_of, words_of


def items(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"content": content, "status": status} for content, status in pairs]


async def test_the_list_is_shown(tmp_path: Path) -> None:
    todos = items(("read the code", "completed"), ("mend\nthe  bug", "in_progress"), ("test it", "pending"))
    words = await words_of(Todo(), context_in(tmp_path), todos=todos)
    assert words == "[x] read the code\n[>] mend the bug\n[ ] test it"


async def test_an_empty_list(tmp_path: Path) -> None:
    assert await words_of(Todo(), context_in(tmp_path), todos=[]) == "The list is empty."


def test_a_list_written_as_a_string_is_taken_as_meant() -> None:
    assert Todo().parse({"todos": '[{"content": "a", "status": "pending"}]'}) == TodoParameters(
        todos=(Item(content="a", status="pending"),)
    )


@pytest.mark.parametrize(
    ("todos", "words"),
    [
        (
            items(("a", "in_progress"), ("b", "in_progress")),
            "todo: 2 items are in_progress, and at most one may be; nothing was changed.",
        ),
        (items((" \n", "pending")), "todo: each item needs a content; nothing was changed."),
        (items(("", "pending")), "todo: expected `str` of length >= 1 for `todos[0].content`."),
        (
            items(("a", "done")),
            "todo: invalid enum value 'done', expected one of completed, in_progress, pending for `todos[0].status`.",
        ),
        ([{"content": "a"}], "todo: it needs the parameter `status` for `todos[0]`."),
        ([{"content": "a", "status": "pending", "id": 1}], "todo: object contains unknown field `id` for `todos[0]`."),
        ("none", "todo: expected `array`, got `str` for `todos`."),
    ],
)
async def test_refusals(tmp_path: Path, todos: Any, words: str) -> None:
    assert await refusal_of(Todo(), context_in(tmp_path), todos=todos) == words


def test_it_touches_nothing() -> None:
    assert Todo().effects(Todo().parse({"todos": []})) == ()
