"""What a program was given is not what is wrong in it."""

from pathlib import Path

import pytest

from ferrule.small.checks.check import named_check
from ferrule.small.words.wish import understand
from tests.server import ModelServer
from tests.small.led import block, opened

RANKING = 'def winner(rows):\n    return max(rows, key=lambda row: row["score"])\n'
BEST = (
    "import csv\nfrom ranking import winner\n\nwith open('scores.csv', newline='') as file:\n"
    "    print(winner(list(csv.DictReader(file)))['name'], 'won')\n"
)
SCORES = "name,score\nInes,140\nTom,95\n"


@pytest.mark.parametrize("command", ["`python best.py`", "python best.py"])
async def test_the_code_is_changed_and_not_its_data(command: str, project: Path, server: ModelServer) -> None:
    for name, text in (("ranking.py", RANKING), ("best.py", BEST), ("scores.csv", SCORES)):
        (project / name).write_text(text)
    async with opened(project, server, *[block(RANKING, "ranking.py")] * 4) as session:
        await session.prompt(
            f"{command} says that Tom won, but Ines has 140 in scores.csv. "
            "Something is wrong with how it ranks the winner, can you fix it?"
        )
    assert (project / "scores.csv").read_text() == SCORES
    assert "int(row['score'])" in (project / "ranking.py").read_text()


async def test_data_that_is_named_alone_is_changed(project: Path, server: ModelServer) -> None:
    (project / "ranking.py").write_text(RANKING)
    (project / "scores.csv").write_text("name,score\nInse,140\n")
    async with opened(project, server, *[block("name,score\nInes,140\n", "scores.csv")] * 4) as session:
        await session.prompt("Fix the typo in scores.csv: it is Ines")
    assert (project / "scores.csv").read_text() == "name,score\nInes,140\n"


@pytest.mark.parametrize(
    ("request_", "never", "holds"),
    [
        ("`python best.py` says that Tom won with 95, but Ines has 140. Fix it.", ("Tom won with 95",), ("Ines",)),
        ("`python3 best.py` prints `3 left` although Kai took one. It is wrong", ("3 left",), ("Kai",)),
        ('python3 best.py gives "x y", but that is wrong', (), ()),
        ("`python best.py` prints 3, but It should be 4. Fix it", ("3",), ("4",)),
        ("`python best.py` says nothing and fails", (), ()),
        ("`python best.py` fails, but only for Tom", (), ()),
    ],
)
def test_what_is_said_to_be_wrong_may_not_come(request_: str, never: tuple[str, ...], holds: tuple[str, ...]) -> None:
    check = named_check(understand(request_))
    assert check
    assert (check.command, check.never, check.holds) == ("python3 -B best.py", never, holds)


async def test_entries_of_a_table_are_numbers_where_that_helps(project: Path, server: ModelServer) -> None:
    for name, text in (("ranking.py", RANKING), ("best.py", BEST), ("scores.csv", SCORES)):
        (project / name).write_text(text)
    async with opened(project, server, *[block(RANKING, "ranking.py")] * 8) as session:
        await session.prompt("`python best.py` says that Tom won, but Ines has 140. Fix winner in ranking.py, please")
    assert "key=lambda row: int(row['score'])" in (project / "ranking.py").read_text()


async def test_what_a_command_uses_is_looked_at_before_the_command(project: Path, server: ModelServer) -> None:
    (project / "darts").mkdir()
    for name, text in (("darts/ranking.py", RANKING), ("best.py", BEST), ("scores.csv", SCORES)):
        (project / name).write_text(text.replace("from ranking", "from darts.ranking"))
    async with opened(project, server, *[block(RANKING, "darts/ranking.py")] * 12) as session:
        await session.prompt("`python best.py` says that Tom won, but Ines has 140 in scores.csv. Please fix it")
    assert "key=lambda row: int(row['score'])" in (project / "darts/ranking.py").read_text()
    assert (project / "best.py").read_text() == BEST.replace("from ranking", "from darts.ranking")
