"""Tables with wrong values."""

from pathlib import Path

import pytest

from ferrule.small.mends.tables import with_said_values, with_told_values
from ferrule.small.words.tabled import said_tables
from tests.server import ModelServer
from tests.small.led import block, opened

WRONG = "def pair(one):\n    pairs = {'ü': 'C', 'C': 'G', 'G': 'A'}\n    return ''.join(pairs[each] for each in one)\n"
RIGHT = WRONG.replace("'ü': 'C'", "'ü': 'U'").replace("'G': 'A'", "'G': 'C'")


def test_several_values_of_a_line_are_put_right() -> None:
    wrong = [("pair('ü')", "'U'", "'C'"), ("pair('G')", "'C'", "'A'"), ("pair('üG')", "'UC'", "'CA'")]
    assert with_told_values(WRONG, wrong) == RIGHT


@pytest.mark.parametrize(
    "wrong",
    [
        ("pair('ü')", "'U'", "'X'"),  # it does not come of that table
        ("pair('C', 2)", "'U'", "'G'"),
        ("pair('C')", "3", "'G'"),
        ("pair('C')", "'U'", "raises KeyError: 1"),
        ("pair(x)", "'U'", "'G'"),
        ("pair(", "'U'", "'G'"),
    ],
)
def test_all_else_stays(wrong: tuple[str, str, str]) -> None:
    assert with_told_values(WRONG, [wrong]) == WRONG
    assert with_told_values("no python", [wrong]) == "no python"


async def test_a_model_is_not_asked_again_for_what_tests_tell(project: Path, server: ModelServer) -> None:
    (project / "pairs.py").write_text("def pair(one):\n    pass\n")
    pasted = "".join(
        f"FAIL: test_{n} (t.T.test_{n})\n    self.assertEqual(pair({key!r}), {value!r})\nAssertionError: 1 != 2\n\n"
        for n, (key, value) in enumerate({"ü": "U", "G": "C", "üG": "UC"}.items())
    )
    async with opened(project, server, block(WRONG, "pairs.py")) as session:
        await session.prompt("pair(one) in pairs.py gives for each letter the other one. Fill it in.")
        await session.prompt(f"The tests fail:\n\n{pasted}\nFix it.")
    assert (project / "pairs.py").read_text() == RIGHT
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Letter      Value\nA, E          1\nD, G          2\nQ             10\n",
        "Points:\n\n| Letter | Value |\n| --- | --- |\n| `A`, `E` | 1 |\n| `D`, `G` | 2 |\n| `Q` | 10 |\n",
        "A, E | 1\nD, G | 2\nQ | 10\n",
        "- A, E -> 1\n- D, G -> 2\n- Q -> 10\n",
        "* A, E: 1\n* D, G: 2\n* Q: 10\n",
        "A, E => 1\nD, G => 2\nQ => 10\n",
    ],
)
def test_tables_of_a_request_are_read_in_every_form(text: str) -> None:
    found = [{key: one.get(key) for key in "AEDGQ"} for one in said_tables(text)]
    assert {"A": "1", "E": "1", "D": "2", "G": "2", "Q": "10"} in found


@pytest.mark.parametrize("text", ["", "Do this:\n\n- one thing\n- another: it is long\n", "a -> b\n\nc -> d\n"])
def test_what_is_no_table_is_none(text: str) -> None:
    assert said_tables(text) == []


SAID = [{"A": "1", "E": "1", "D": "2", "Q": "10", "Ä": "7"}]


@pytest.mark.parametrize(
    ("code", "right"),
    [
        ("V = {'A': 1, 'E': 2, 'D': 4,\n     'Q': 10}\n", "V = {'A': 1, 'E': 1, 'D': 2,\n     'Q': 10}\n"),
        ("V = {'a': '3', 'ä': '3', 'd': '2'}\n", "V = {'a': '1', 'ä': '7', 'd': '2'}\n"),
        ("V = {'A': 1, 'E': 2}\n", "V = {'A': 1, 'E': 2}\n"),
        ("V = {'A': 9, 'E': 9, 'D': 9, 'x': 1, 'y': 2, 'z': 3}\n", None),
        ("V = {'A': True, 'E': [], 'D': f(2)}\n", None),
        ("no python", None),
    ],
)
def test_a_new_table_has_what_was_said(code: str, right: str | None) -> None:
    assert with_said_values(code, "", SAID) == (right or code)
    assert with_said_values(code, code, SAID) == code, "what was there before is nobody's mistake in copying"


async def test_a_table_that_is_copied_wrongly_is_put_right_at_once(project: Path, server: ModelServer) -> None:
    (project / "score.py").write_text("def score(word):\n    pass\n")
    code = "def score(word):\n    values = {'A': 1, 'B': 2, 'C': 4}\n    return sum(values[one] for one in word)\n"
    async with opened(project, server, block(code, "score.py")) as session:
        await session.prompt("score(word) in score.py adds up the letters:\n\n- A: 1\n- B: 3\n- C: 3\n\nFill it in.")
    assert (project / "score.py").read_text() == code.replace("'B': 2, 'C': 4", "'B': 3, 'C': 3")
