"""Assertions that do not hold are left out of tests that were written for code that is there."""

from pathlib import Path

from ferrule.small.code.drop import corrected, without_line
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


def test_an_assertion_gets_the_value_that_came() -> None:
    text = "class T(TestCase):\n    def test_é(self):\n        self.assertEqual(f('é'), 'x')  # é\n"
    said = "FAIL: test_é\n  File test_a.py, line 3\nAssertionError: 'y' != 'x'\n- y\n+ x"
    line = "self.assertEqual(f('é'), 'y')  # é"
    assert corrected(text, 3, said) == (text.replace("'x'", "'y'"), line)
    assert corrected("def test_a():\n    assert f(1) == [2]\n", 2, "E       assert [1] == [2]") == (
        "def test_a():\n    assert f(1) == [1]\n",
        "assert f(1) == [1]",
    )
    for number, output in ((1, said), (3, "AssertionError: <x> != 'x'"), (3, "TypeError: no")):
        assert corrected(text, number, output) is None
    assert corrected("def test_a(", 1, said) is None
    assert corrected("def test_a():\n    assert f(1) == g(2)\n", 2, "E   assert 1 == 2") is None


async def test_the_last_assertion_of_a_test_is_corrected(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    wrong = CALC_TEST.replace("triple(3), 9", "triple(3), 7")
    async with opened(project, server, *[block(wrong, "test_calc.py")] * 4) as session:
        await session.prompt("Write unit tests for triple from calc.py. Put them into test_calc.py.")
        assert (project / "test_calc.py").read_text() == wrong.replace("7", "6")
        assert answer(session).endswith("look whether this is right: `self.assertEqual(triple(3), 6)`.")


async def test_it_is_said_what_was_left_out(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    more = "        self.assertEqual(triple(2), 5)\n"
    wrong = CALC_TEST.replace("triple(3), 9", "triple(3), 6") + more
    async with opened(project, server, *[block(wrong, "test_calc.py")] * 4) as session:
        await session.prompt("Write unit tests for triple from calc.py. Put them into test_calc.py.")
        assert (project / "test_calc.py").read_text() == wrong.removesuffix(more)
        assert answer(session).endswith("Left out, because it does not hold: `self.assertEqual(triple(2), 5)`.")


async def test_what_was_written_before_a_bad_answer_counts(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    wrong = CALC_TEST.replace("triple(3), 9", "triple(3), 7")
    answers = [block(wrong, "test_calc.py"), *["I do not know."] * 3]
    async with opened(project, server, *answers) as session:
        await session.prompt("Write unit tests for triple from calc.py. Put them into test_calc.py.")
        assert (project / "test_calc.py").read_text() == wrong.replace("7", "6")
        assert "It does not work yet" not in answer(session)


def test_what_came_is_read_where_the_line_is_blamed() -> None:
    text = "class T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 5)\n"
    said = (
        'File "t.py", line 9, in test_b\n    self.assertEqual(f(2), 7)\nAssertionError: 2 != 7\n'
        'File "t.py", line 3, in test_a\n    self.assertEqual(f(1), 5)\nAssertionError: 1 != 5\n'
    )
    assert corrected(text, 3, said) == (text.replace("5)", "1)"), "self.assertEqual(f(1), 1)")
