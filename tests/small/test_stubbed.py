"""Examples for a function that is still to be written, where the request does not name it."""

from pathlib import Path

import pytest

from ferrule.small.checks.stubbed import only_function, told_of
from tests.server import ModelServer
from tests.small.led import answer, block, opened

STUB = "def short(text):\n    pass\n"
TABLE = "Write acronyms.\n\n|Input|Output|\n|-|-|\n|As Soon As Possible|ASAP|\n|It's a test!|IAT|\n\nThat is all."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(x):\n    pass\n", ("f", "x")),
        ("import os\n\nMOST = 3\n\n\ndef f(x=1):\n    pass\n", ("f", "x")),
        ("def f(x, y):\n    pass\n", None),
        ("def f(x):\n    pass\n\n\ndef g(x):\n    pass\n", None),
        ("class A:\n    pass\n\n\ndef f(x):\n    pass\n", None),
        ("def f(*, x):\n    pass\n", None),
        ("no python", None),
        ("", None),
    ],
)
def test_there_is_one_function(text: str, found: tuple[str, str] | None) -> None:
    assert only_function(text) == found


@pytest.mark.parametrize(
    ("text", "parameter", "found"),
    [
        ('- "a" -> "b"\n- `"c"` -> `"d"` (as it is)\n', "text", {"f('a')": "'b'", "f('c')": "'d'"}),
        ('- "pig" -> "igp" -> "igpay"\n', "text", {"f('pig')": "'igpay'"}),
        ('- 14 becomes "fourteen".\n* 3 becomes "three".\n', "number", {"f(14)": "'fourteen'", "f(3)": "'three'"}),
        ('- 28 has 7, but not 3, so the result would be "Plong".\n', "number", {"f(28)": "'Plong'"}),
        ('1. "ab" => 2\n', "text", {"f('ab')": "2"}),
        (TABLE, "text", {"f('As Soon As Possible')": "'ASAP'", 'f("It\'s a test!")': "'IAT'"}),
        ("| Given | Result |\n|:--|--:|\n| 3 | 9 |\n| 4 | 16 |\n", "number", {"f(3)": "9", "f(4)": "16"}),
        ("Given | Result\n--- | ---\n3 | 9\n", "text", {"f('3')": "9"}),
        ("Letter | Value\n--- | ---\nA | 9\n", "text", {}),
        ("| Input | Output | Why |\n|-|-|-|\n|a|b|c|\n", "text", {}),
        ("| Input | Output |\n|-|-|\n||b|\n", "text", {}),
        ("\"GATTACA\" -> 'A': 3, 'C': 1\n", "strand", {}),
        ('"a" -> "b"\n3 -> "c"\n', "x", {}),
        ('"a" -> "b"\n"c" -> 3\n', "x", {}),
        ("1 -> 2\n", "text", {}),
        ('The text "a" becomes longer.\nThen -> it goes.\n', "text", {}),
        ("", "text", {}),
    ],
)  # fmt: skip
def test_examples_on_lines_of_their_own_and_in_tables(text: str, parameter: str, found: dict[str, str]) -> None:
    assert dict(told_of(text, "f", parameter)) == found


def test_a_huge_request_is_read_at_once() -> None:
    assert told_of('- "a" -> ' * 50_000, "f", "text") == []
    assert told_of("|a" * 100_000 + "\n|-|-|\n" * 10_000, "f", "text") == []


async def test_they_are_tried_before_it_is_said_to_be_done(project: Path, server: ModelServer) -> None:
    (project / "short.py").write_text(STUB)
    wrong = "def short(text):\n    return text[0]\n"
    right = "def short(text):\n    return ''.join(word[0] for word in text.split()).upper()\n"
    async with opened(project, server, block(wrong, "short.py"), *[block(right, "short.py")] * 3) as session:
        await session.prompt(f"{TABLE}\nUse the above to modify the supplied files: short.py")
        assert (project / "short.py").read_text() == right
        assert "short('As Soon As Possible')" in answer(session)
