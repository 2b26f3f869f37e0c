"""Examples as Python's own prompt shows them."""

from pathlib import Path

import pytest

from ferrule.small.checks.examples import examples
from ferrule.small.checks.interactive import shown_calls
from tests.server import ModelServer
from tests.small.led import answer, block, opened


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (">>> f(3)\n9\n>>> f('a')\n'aa'\n", [("f(3)", "9"), ("f('a')", "'aa'")]),
        ("```python\n>>> f(3)\n\n# that is it\n9\n```", [("f(3)", "9")]),
        (">>> box = Box(2)\n>>> box.size()\n4\n", [("Box(2).size()", "4")]),
        (">>> box = Box(2)\n>>> box.grow()\n>>> box.size()\n4\n", [("box.size()", "4")]),  # of nothing that is known
        (">>> f(\n...     3,\n... )\n9\n", [("f(3)", "9")]),
        (">>> f(3) == 9\nTrue\n", [("f(3) == 9", "True")]),
        (">>> f(3)\n>>> f(4)\n16\n", [("f(4)", "16")]),
        (">>> f(3)\n9 is what comes.\n", []),
        (">>> f(3)\nTraceback (most recent call last):\nValueError: no\n", []),
        (">>> f(3)\n```\n9\n", []),
        (">>> f(3)\n\n\n\n\n9\n", []),
        (">>> import os\n>>>\n>>> \n...\n", []),
        ("f(3)\n9\n", []),
        ("", []),
    ],
)
def test_what_was_typed_and_what_came_of_it(text: str, found: list[tuple[str, str]]) -> None:
    assert shown_calls(text) == found


def test_where_something_is_wrong_it_may_be_just_that() -> None:
    said = "This is broken:\n>>> f(3)\n8\n"
    assert (examples(said, is_wanted=True), examples(said, is_wanted=False)) == ([("f(3)", "8")], [])


def test_a_huge_one_is_read_at_once() -> None:
    assert len(shown_calls(">>> f(3)\n9\n" * 50_000)) == 40
    assert shown_calls(">>> f(\n" + "... 3\n" * 100_000) == []


async def test_a_function_that_is_to_be_written_says_itself_what_it_gives(project: Path, server: ModelServer) -> None:
    head = 'def triple(number):\n    """Three times a number.\n\n    >>> triple(3)\n    9\n    """\n'
    (project / "calc.py").write_text(f"{head}    pass\n")
    wrong, right = f"{head}    return number * 2\n", f"{head}    return number * 3\n"
    async with opened(project, server, block(wrong), *[block(right)] * 3) as session:
        await session.prompt("Fill in calc.py.")
        assert (project / "calc.py").read_text() == right
        assert answer(session) == "Changed calc.py. Checked: that `triple` can be called and `triple(3)`."
