"""Assertions that do not hold are left out of tests that were written for code that is there."""

from pathlib import Path

from ferrule.small.drop import without_line
from tests.server import ModelServer
from tests.small.led import CALC, CALC_TEST, answer, block, opened

TWO = (
    "def test_one():\n    assert f(1) == 1\n    assert f(\n        2\n    ) == 3\n\n\n"
    "def test_two():\n    assert f(3)\n"
)


def test_one_assertion_goes() -> None:
    assert without_line(TWO, 4) == (TWO.replace("    assert f(\n        2\n    ) == 3\n", ""), "assert f(2) == 3")


def test_a_test_is_not_left_empty() -> None:
    text, what = without_line(TWO, 9) or ("", "")
    assert (what, "def test_two" in text, "def test_one" in text) == ("test_two", False, True)


def test_the_only_one_stays() -> None:
    assert without_line("def test_one():\n    assert f(1)\n", 2) is None
    assert without_line("def test_one(", 1) is None
    assert without_line(TWO, 1) is None


async def test_it_is_said_what_was_left_out(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    more = "        self.assertEqual(triple(2), 5)\n"
    wrong = CALC_TEST.replace("triple(3), 9", "triple(3), 6") + more
    async with opened(project, server, *[block(wrong, "test_calc.py")] * 4) as session:
        await session.prompt("Write unit tests for triple from calc.py. Put them into test_calc.py.")
        assert (project / "test_calc.py").read_text() == wrong.removesuffix(more)
        assert answer(session).endswith("Left out, because it does not hold: `self.assertEqual(triple(2), 5)`.")
