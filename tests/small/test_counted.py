"""Counts that are one too many or one too few."""

from pathlib import Path

from ferrule.small.mends.counted import counted
from tests.server import ModelServer
from tests.small.led import answer, opened

ROWS = (
    "class Counter:\n    def rows_left(self):\n        return self.rows - self.done + 1\n\n"
    "    def next_row(self):\n        return self.done + 1\n"
)


def test_the_one_that_is_said_to_be_too_many_goes() -> None:
    said = "rows_left in counter.py is always one too many"
    assert counted(said, "counter.py", ROWS) == ROWS.replace("self.done + 1", "self.done", 1)
    short = "def half(x):\n    return x // 2 - 1\n"
    assert counted("half is one too low", "a.py", short) == "def half(x):\n    return x // 2\n"


def test_what_is_not_plain_stays() -> None:
    assert counted("It is one too many", "counter.py", ROWS) == ROWS
    assert counted("rows_left is wrong", "counter.py", ROWS) == ROWS
    assert counted("rows_left is off by one", "counter.py", ROWS) == ROWS
    assert counted("rows_left is one too few", "counter.py", ROWS) == ROWS
    twice = "def half(x):\n    y = x + 1\n    return y + 1\n"
    assert counted("half is one too many", "a.py", twice) == twice
    assert counted("half is one too many", "a.py", "def half(x):\n    return x + 10\n").endswith("x + 10\n")


async def test_it_is_done_without_the_model(project: Path, server: ModelServer) -> None:
    (project / "counter.py").write_text(ROWS)
    async with opened(project, server) as session:
        await session.prompt("rows_left in counter.py is one too many: with 10 of 10 rows done it says 1. Fix it.")
        assert answer(session) == "Changed counter.py."
    assert (project / "counter.py").read_text() == ROWS.replace("self.done + 1", "self.done", 1)
    assert server.requests == []
