"""What passes stays as it is while what fails is put right, though nobody shows it."""

from pathlib import Path

import pytest

from ferrule.small.watching import is_another
from tests.server import ModelServer
from tests.small.led import answer, block, opened

STUB = "def ends(low, high):\n    pass\n"
FIRST = """def ends(low, high):
    found = [n for n in range(low, high) if n % 7 == 0]
    if not found:
        return 0, []
    return found[0], found
"""
BREAKS = """def ends(low, high):
    return None, []
"""
KEEPS = FIRST.replace("return 0, []", "return None, []")
PASTED = """
    def test_none(self):
        value, found = ends(low=15, high=17)
>       self.assertIsNone(value)
E       AssertionError: 0 is not None

test_ends.py:9: AssertionError
1 failed, 11 passed in 0.10s
"""


@pytest.mark.parametrize(
    ("before", "now", "is_so"),
    [
        (["1", "2", "3"], ["1", "2", "4"], False),
        (["1", "2", "3"], ["1", "5", "4"], True),
        (["1", "2", "3"], [], True),
        (["1", "2"], ["3", "4"], False),
        (["raises ValueError: no", "raises KeyError: a", "3", "4", "5"], ["1", "2", "3", "4", "6"], False),
        (["raises ValueError: no"] * 9, ["1"] * 9, False),
        ([], [], False),
    ],
)
def test_most_is_another(before: list[str], now: list[str], is_so: bool) -> None:
    assert is_another(before, now) is is_so


@pytest.mark.parametrize(("said", "taken"), [("1 failed, 11 passed", KEEPS), ("11 failed, 1 passed", BREAKS)])
async def test_what_breaks_most_of_what_passed_is_not_taken(
    said: str, taken: str, project: Path, server: ModelServer
) -> None:
    (project / "ends.py").write_text(STUB)
    tries = [block(one, "ends.py") for one in (FIRST, BREAKS, BREAKS, KEEPS, KEEPS, KEEPS)]
    async with opened(project, server, *tries) as session:
        await session.prompt("ends(low, high) in ends.py gives the first multiple of 7, and all. Fill it in.")
        assert (project / "ends.py").read_text() == FIRST
        await session.prompt(
            f"The tests fail:\n{PASTED.replace('1 failed, 11 passed', said)}\nThe tests are right. Fix ends.py."
        )
        assert (project / "ends.py").read_text() == taken
        assert "test_none" in answer(session)
