"""New tests that would not notice a mistake."""

from pathlib import Path

from ferrule.small.mends.noticing import mistakes, says_something, tried_calls, with_assertion
from tests.server import ModelServer
from tests.small.led import answer, block, opened

ROWS = 'def trim_cells(row):\n    """Cells without blanks."""\n    return [cell.strip() for cell in row]\n'
BLIND = (
    "import unittest\nfrom rows import trim_cells\n\n\nclass TestRows(unittest.TestCase):\n"
    "    def test_trim(self):\n        self.assertEqual(trim_cells(['a', 'b']), ['a', 'b'])\n"
)
SEEING = BLIND.replace("trim_cells(['a', 'b'])", "trim_cells([' a', 'b'])")


def test_a_function_with_a_mistake() -> None:
    assert [one.line.split("\n")[0].strip() for one in mistakes(ROWS, "trim_cells")] == ["return None", "return row"]
    assert {one.at for one in mistakes(ROWS, "trim_cells")} == {2}
    assert mistakes(ROWS, "other") == mistakes("def broken(:", "broken") == []


def test_calls_and_what_they_say() -> None:
    assert tried_calls(BLIND, "trim_cells") == ["trim_cells(['a', 'b'])", "trim_cells([' A ', ' B '])"]
    assert tried_calls("trim_cells(row)\ntrim_cells()\n", "trim_cells") == []
    assert says_something("trim_cells([' A '])", "['A']")
    assert not says_something("trim_cells(['A'])", "['A']")
    assert not says_something("trim_cells(['A'])", "None")


def test_one_more_assertion() -> None:
    found = with_assertion(BLIND, "trim_cells", "trim_cells([' A '])", "['A']")
    assert found is not None
    assert found[0] == (
        f"{BLIND}\n    def test_trim_cells_gives(self):\n        self.assertEqual(trim_cells([' A ']), ['A'])\n"
    )
    plain = "def test_trim():\n    assert trim_cells([]) == []\n"
    found = with_assertion(plain, "trim_cells", "trim_cells([' A '])", "['A']")
    assert found is not None
    assert found[0].endswith("\n\n\ndef test_trim_cells_gives():\n    assert trim_cells([' A ']) == ['A']\n")
    assert with_assertion("x = 1\n", "f", "f(1)", "2") is None


async def test_tests_that_notice_nothing_get_more(project: Path, server: ModelServer) -> None:
    (project / "rows.py").write_text(ROWS)
    async with opened(project, server, block(BLIND, "test_rows.py")) as session:
        await session.prompt("Write test_rows.py with unittest tests for trim_cells from rows.py.")
        assert answer(session).endswith("`self.assertEqual(trim_cells([' A ', ' B ']), ['A', 'B'])`.")
    assert "trim_cells_gives" in (project / "test_rows.py").read_text()
    assert len(server.requests) == 1


async def test_tests_that_notice_stay_as_they_are(project: Path, server: ModelServer) -> None:
    (project / "rows.py").write_text(ROWS)
    async with opened(project, server, block(SEEING, "test_rows.py")) as session:
        await session.prompt("Write test_rows.py with unittest tests for trim_cells from rows.py.")
        assert answer(session) == "Changed test_rows.py. Checked: `python3 -B -m unittest test_rows.py`."
    assert (project / "test_rows.py").read_text() == SEEING


FEES = "def fee(balance):\n    if balance >= 1000:\n        return 0\n    return 3\n"
ONE_CASE = (
    "import unittest\nfrom fees import fee\n\n\nclass TestFee(unittest.TestCase):\n"
    "    def test_fee(self):\n        balance = 1000\n        self.assertEqual(fee(balance), 0)\n"
)


async def test_tests_of_one_case_get_the_other(project: Path, server: ModelServer) -> None:
    (project / "fees.py").write_text(FEES)
    assert {one.line.split("\n")[0].strip() for one in mistakes(FEES, "fee")} > {"return 0", "return 3"}
    async with opened(project, server, block(ONE_CASE, "test_fees.py")) as session:
        await session.prompt("Write test_fees.py for fee from fees.py: with 500 the fee is 3, with 1000 it is 0.")
        assert answer(session).endswith("`self.assertEqual(fee(500), 3)`.")
    assert len(server.requests) == 1
