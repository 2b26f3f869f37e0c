"""Files of every form, read and changed through a small model that is led: nothing but the change changes."""

from pathlib import Path

import pytest

from ferrule.small.choosing import new_files
from ferrule.small.profile import Profile
from ferrule.small.words.wish import understand
from ferrule.small.work import Work
from tests.server import ModelServer, Reply
from tests.small.led import CALC, FENCE, MENDED, answer, asked, block, calls, opened

BIG = "".join(f"LINE_{number} = {number}\n" for number in range(2_400)) + "\n\n" + CALC


async def test_a_long_file_is_read_to_its_end(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(BIG)
    async with opened(project, server, *[block(MENDED)] * 4) as session:
        await session.prompt("Make triple in calc.py multiply by 3")
    assert (project / "calc.py").read_text() == BIG.replace("number * 2", "number * 3")
    assert len(asked(server)) < 20_000


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\n" * 200_000,
        b"x = '" + b"a" * 5_000 + b"'\n" + CALC.encode(),
        b"\x7fELF\0\0\0" + CALC.encode(),
    ],
    ids=["huge", "long line", "binary"],
)
async def test_what_cannot_be_seen_whole_stays_as_it_is(project: Path, server: ModelServer, data: bytes) -> None:
    (project / "calc.py").write_bytes(data)
    async with opened(project, server, *[block(MENDED)] * 8) as session:
        ended = await session.prompt("Make triple in calc.py multiply by 3")
        assert ended.reason == "end_turn"
        assert answer(session).startswith("Nothing was changed.")
    assert (project / "calc.py").read_bytes() == data


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CALC.replace("\n", "\r\n").encode(), CALC.replace("* 2", "* 3").replace("\n", "\r\n").encode()),
        (CALC.rstrip("\n").encode(), CALC.replace("* 2", "* 3").rstrip("\n").encode()),
        (b"\xef\xbb\xbf" + CALC.encode(), b"\xef\xbb\xbf" + CALC.replace("* 2", "* 3").encode()),
        (
            f"# Größe\n{CALC}".encode("latin-1"),
            f"# Größe\n{CALC}".replace("* 2", "* 3").encode("latin-1"),
        ),
        (CALC.replace("    ", "\t").encode(), CALC.replace("    ", "\t").replace("* 2", "* 3").encode()),
        (f"\f\n{CALC}".encode(), f"\f\n{CALC}".replace("* 2", "* 3").encode()),
    ],
    ids=["CRLF", "no end of line", "byte order mark", "latin-1", "tabs", "form feed"],
)
async def test_the_form_of_a_file_is_kept(project: Path, server: ModelServer, before: bytes, after: bytes) -> None:
    (project / "calc.py").write_bytes(before)
    async with opened(project, server, *[block(MENDED)] * 4) as session:
        await session.prompt("Make triple in calc.py multiply by 3")
    assert (project / "calc.py").read_bytes() == after


@pytest.mark.parametrize("name", ["my calc.py", "calc:12:x.py", "-calc.py", "[calc].py", "(calc).py", "ca\nlc.py"])
async def test_files_with_strange_names_are_read(project: Path, server: ModelServer, name: str) -> None:
    (project / name).write_text(CALC)
    async with opened(project, server, "It doubles.") as session:
        ended = await session.prompt("What does the function double do?")
        assert ended.reason == "end_turn"
    assert ("def double(number):" in asked(server)) == ("\n" not in name)


async def test_of_a_long_part_that_matters_some_is_shown(project: Path, server: ModelServer) -> None:
    words = "".join(f"word {number}\n" for number in range(1_500))
    (project / "words.txt").write_text(f"{words}the melon is ripe\n{words}")
    async with opened(project, server, "It is ripe.") as session:
        await session.prompt("Is the melon ripe?")
    assert "the melon is ripe\nword 0\n" in asked(server)
    assert len(asked(server)) < 6_000


RUN = """\
import csv
import sys

from lib.sums import total

with open(sys.argv[1]) as file:
    print(total(list(csv.DictReader(file))))
"""
SUMS = "def total(rows):\n    return sum(int(row['cost']) for row in rows)\n"
PRICES = "name,price\npear,2\nplum,3\n"
PASTED = """\
$ python run.py data/prices.csv
Traceback (most recent call last):
  File "run.py", line 7, in <module>
    print(total(list(csv.DictReader(file))))
  File "lib/sums.py", line 2, in total
    return sum(int(row['cost']) for row in rows)
KeyError: 'cost'"""


def at_once(text: str, path: str) -> Reply:
    """A file that comes in one piece."""
    return Reply(text=block(text, path), piece=10_000)


@pytest.fixture
def prices(project: Path) -> Path:
    for name, text in (("run.py", RUN), ("lib/sums.py", SUMS), ("data/prices.csv", PRICES)):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    return project


async def test_of_a_pasted_traceback_the_last_file_is_changed_alone(prices: Path, server: ModelServer) -> None:
    right = SUMS.replace("cost", "price")
    async with opened(prices, server, at_once(right, "lib/sums.py")) as session:
        await session.prompt(PASTED)
        assert answer(session) == "Changed lib/sums.py. Checked: `python3 -B run.py data/prices.csv`."
        assert [one for one in calls(session) if one[0] in {"edit", "write"}] == [("edit", "lib/sums.py")]
    assert (prices / "lib/sums.py").read_text() == right
    assert ((prices / "run.py").read_text(), (prices / "data/prices.csv").read_text()) == (RUN, PRICES)
    assert len(server.requests) == 1


async def test_data_of_a_pasted_command_is_never_rewritten(prices: Path, server: ModelServer) -> None:
    data = at_once("name,cost\npear,2\n", "data/prices.csv")
    wrong = at_once(SUMS.replace("cost", "sum"), "lib/sums.py")
    async with opened(prices, server, *[wrong, data] * 6) as session:
        await session.prompt(PASTED)
        assert "data/prices.csv" not in [path for name, path in calls(session) if name in {"edit", "write"}]
        assert "does not work" in answer(session)
    assert (prices / "data/prices.csv").read_text() == PRICES
    assert sorted(one.name for one in (prices / "data").iterdir()) == ["prices.csv"]


CLI = """\
import argparse


def show(text):
    return text


def main(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("text")
    args = parser.parse_args(words)
    return show(args.text)
"""
CLI_TEST = (
    "import unittest\n\nimport cli\n\n\nclass T(unittest.TestCase):\n"
    "    def test_show(self):\n        self.assertEqual(cli.main(['a']), 'a')\n"
)
HALF = CLI.replace("    args =", '    parser.add_argument("--upper", action="store_true")\n    args =')
WHOLE = HALF.replace("return show(args.text)", "return show(args.text.upper() if args.upper else args.text)")
UNUSED = "--upper is read now, but nothing uses `upper` yet. Change the function that has to use it, too."


@pytest.mark.parametrize(
    ("second", "after", "said"),
    [
        (block(WHOLE, "cli.py"), WHOLE, ""),
        (block(HALF.replace("return show(args.text)", "return None"), "cli.py"), HALF, UNUSED),
        ("I cannot.", HALF, UNUSED),
    ],
    ids=["better", "worse", "nothing"],
)
async def test_an_option_that_is_not_used_is_asked_for_once_more(
    project: Path, server: ModelServer, second: str, after: str, said: str
) -> None:
    (project / "cli.py").write_text(CLI)
    (project / "test_cli.py").write_text(CLI_TEST)
    async with opened(project, server, block(HALF, "cli.py"), second) as session:
        await session.prompt("add an --upper option to cli.py that shows the text in upper case")
        done = "Changed cli.py. Checked: `python3 -B -m unittest test_cli.py`."
        assert answer(session) == f"{done} {said}".rstrip()
    assert (project / "cli.py").read_text() == after
    assert len(server.requests) == 2
    assert UNUSED in asked(server)


async def test_what_is_not_installed_is_done_without(project: Path, server: ModelServer) -> None:
    (project / "sales.csv").write_text("product,amount\nlamp,3\n")
    wrong = "import pandas as pd\n\nprint(pd.read_csv('sales.csv'))\n"
    right = "import csv\n\nwith open('sales.csv') as file:\n    print(list(csv.reader(file)))\n"
    async with opened(project, server, block(wrong, "top.py"), block(right, "top.py")) as session:
        await session.prompt("Write a script top.py that reads sales.csv and prints its rows.")
        assert answer(session) == "Changed top.py. Checked: that top.py runs."
    assert "pandas is not installed. Write it without pandas: use csv." in asked(server)


async def test_a_new_script_that_takes_no_argument_is_asked_for_once_more(project: Path, server: ModelServer) -> None:
    fixed = "with open('data.txt') as file:\n    print(len(file.readlines()))\n"
    right = "import sys\n\nwith open(sys.argv[1]) as file:\n    print(len(file.readlines()))\n"
    async with opened(project, server, block(fixed, "count.py"), block(right, "count.py")) as session:
        await session.prompt("Write a script count.py that takes a file name as an argument and prints how long it is")
        assert answer(session) == "Changed count.py."
    assert (project / "count.py").read_text() == right
    assert "count.py takes no argument yet: it has to read it from sys.argv." in asked(server)
    assert len(server.requests) == 2


@pytest.mark.parametrize("is_there", [False, True])
async def test_what_is_to_be_ignored_is_listed_and_not_made(project: Path, server: ModelServer, is_there: bool) -> None:
    (project / "app.py").write_text("x = 1\n")
    if is_there:
        (project / ".gitignore").write_text("build/\n")
    async with opened(project, server, *[block("build/\n.venv\n", ".gitignore")] * 6) as session:
        await session.prompt("Add .venv, __pycache__, *.log, .env and budget.json to .gitignore")
        assert answer(session) == "Changed .gitignore."
    assert (project / ".gitignore").read_text() == "build/\n.venv\n__pycache__\n*.log\n.env\nbudget.json\n"
    assert sorted(one.name for one in project.iterdir()) == [".gitignore", "app.py"]
    assert len(server.requests) == 1


async def test_a_makefile_is_a_new_file_with_tabs(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    text = f"{FENCE}makefile\ntest:\n    python3 -m unittest\n{FENCE}\n"
    async with opened(project, server, text) as session:
        await session.prompt("Make a Makefile with a target `test` that runs the tests.")
        assert answer(session) == "Changed Makefile."
    assert (project / "Makefile").read_text() == "test:\n\tpython3 -m unittest\n"
    assert "Write the new file Makefile." in asked(server)


@pytest.mark.parametrize(
    ("request_", "is_shown"),
    [
        ("Add recipes/chemex.json for a Chemex with 30 g of coffee.", True),
        ("Add lib/tea.js with a function tea(). Export it in the same way as the other files do.", True),
        ("Add lib/tea.js with a function tea().", False),
    ],
)
async def test_what_stands_beside_a_new_file_shows_its_form(
    project: Path, server: ModelServer, request_: str, *, is_shown: bool
) -> None:
    for path in ("recipes/v60.json", "lib/mill.js"):
        (project / path).parent.mkdir()
        (project / path).write_text('{"pours": 3}\n')
    async with opened(project, server, f'{FENCE}\n{{"pours": 4}}\n{FENCE}\n') as session:
        await session.prompt(request_)
    beside = "recipes/v60.json" if "json" in request_ else "lib/mill.js"
    assert (f"{beside}\n{FENCE}" in asked(server, 0)) == is_shown


async def test_the_file_that_a_failing_line_calls_is_changed_first(project: Path, server: ModelServer) -> None:
    (project / "first.py").write_text("def one():\n    return 1\n")
    (project / "later.py").write_text("def two():\n    return 3\n")
    (project / "test_all.py").write_text(
        "import unittest\n\nfrom first import one\nfrom later import two\n\n\nclass T(unittest.TestCase):\n"
        "    def test(self):\n        self.assertEqual(one(), 1)\n        self.assertEqual(two(), 2)\n"
    )
    async with opened(project, server, block("def two():\n    return 2\n", "later.py")) as session:
        await session.prompt("The tests fail, please fix that.")
        assert answer(session).startswith("Changed later.py. Checked: ")


async def test_a_readme_with_another_ending_is_the_readme(project: Path, server: ModelServer) -> None:
    (project / "README.rst").write_text("Tool\n====\n\nIt reads.\n")
    new = f"{FENCE}\nTool\n====\n\nIt writes.\n{FENCE}\n"
    async with opened(project, server, *[new] * 4) as session:
        await session.prompt("Change the README: it writes, it does not read.")
    assert not (project / "README.md").exists()


async def test_a_new_file_uses_no_names_that_nobody_defines(project: Path, server: ModelServer) -> None:
    wrong = block("def length(songs):\n    return sum(song.seconds for one in songs)\n", "total.py")
    right = block("def length(songs):\n    return sum(song.seconds for song in songs)\n", "total.py")
    async with opened(project, server, wrong, right) as session:
        await session.prompt("Create total.py with a function length(songs) that gives the seconds of all songs.")
    assert "for song in songs" in (project / "total.py").read_text()
    assert "song is not defined anywhere" in asked(server, 1)


async def test_a_readme_says_how_the_program_is_run(project: Path, server: ModelServer) -> None:
    (project / "todo.py").write_text("import sys\n\nprint(sys.argv)\n")
    short, whole = "# Todo\n\nA small program.", "# Todo\n\nRun `python3 todo.py list`."
    async with opened(project, server, short, whole) as session:
        await session.prompt("Write a README.md that says how to use todo.py.")
        assert answer(session) == "Changed README.md."
    assert (project / "README.md").read_text().strip() == whole
    assert "README.md must say how the program is run: name todo.py" in asked(server)


async def test_a_readme_has_the_command_that_was_asked_for(project: Path, server: ModelServer) -> None:
    (project / "report.py").write_text("import sys\n\nprint(open(sys.argv[1]).read())\n")
    (project / "data").mkdir()
    (project / "data" / "sales.csv").write_text("a,b\n")
    whole = "# Report\n\n```sh\npython3 report.py data/sales.csv\n```"
    async with opened(project, server, "# Report\n\nRun report.py with a CSV file.", whole) as session:
        await session.prompt("Write a README.md with the command to run the report on data/sales.csv.")
        assert answer(session) == "Changed README.md."
    assert (project / "README.md").read_text().strip() == whole
    assert "README.md has no command with data/sales.csv yet." in asked(server)


@pytest.mark.parametrize(
    ("request_", "made"),
    [
        ("See the cases in calc_test.py. Implement triple in calc.py.", []),
        ("Draw it with `x.dot` in mind. Modify the supplied files: calc.py", []),
        ("Modify the given files: calc.py. Create a file x.py as well.", ["x.py"]),
        ("Write some tests for calc.py in calc_test.py.", ["calc_test.py"]),
        ("Please test triple in calc_test.py.", ["calc_test.py"]),
        ("Move triple from calc.py to more.py.", ["more.py"]),
    ],
)
def test_a_file_that_is_only_spoken_of_is_not_made(request_: str, made: list[str]) -> None:
    work = Work(understand(request_), Profile(), ())
    work.paths = ["calc.py"]
    assert new_files(work) == made
