"""What is done without asking the model: slips that are mended, names that change, tests left out, changes undone."""

import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ferrule.core.messages import Text, ToolResult
from ferrule.small.byhand import as_told_by, rename
from ferrule.small.checking import find_checks, first_run, run
from ferrule.small.checks.check import Check
from ferrule.small.mending import mend_a_slip, put_back, restore
from ferrule.small.moves import Move, Use
from ferrule.small.newtests import leave_out
from ferrule.small.profile import Profile
from ferrule.small.words.wish import understand
from ferrule.small.work import Work
from tests.server import ModelServer, Reply
from tests.small.led import CALC, CALC_TEST, FENCE, answer, asked, block, calls, opened

T = TypeVar("T")
LEAST = "def least(prices):\n    return max(prices)\n\n\ndef most(prices):\n    return max(prices)\n"
LEAST_TEST = (
    "import unittest\n\nfrom shop import least\n\n\nclass TestLeast(unittest.TestCase):\n"
    "    def test_least(self):\n        self.assertEqual(least([3, 1, 2]), 1)\n"
)
MENDED = LEAST.replace("max", "min", 1)


class Hands:
    """Carries out the calls of an errand in a directory, and notes them."""

    def __init__(self, directory: Path, *, refuses: str = "") -> None:
        self.directory, self.refuses = directory, refuses
        self.made: list[str] = []

    def through(self, errand: Generator[Move, Any, T]) -> T:
        """Go through all the moves of an errand; gives what it gives."""
        results: list[ToolResult] | None = None
        while True:
            try:
                move = errand.send(results)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]  # a generator's value has no type here
            assert isinstance(move, Use)
            results = [self._carry_out(name, call) for name, call in move.calls]

    def _carry_out(self, name: str, call: dict[str, Any]) -> ToolResult:
        self.made.append(name)
        if name == self.refuses:
            return _result(name, "The user said no.", is_error=True)
        match name:
            case "bash":
                done = subprocess.run(
                    ["/bin/sh", "-c", call["command"]], cwd=self.directory, capture_output=True, text=True, check=False
                )
                return _result(name, f"{(done.stdout + done.stderr).rstrip()}\nExit code: {done.returncode}")
            case "edit":
                file = self.directory / call["file_path"]
                assert file.read_text().count(call["old_string"]) == 1
                file.write_text(file.read_text().replace(call["old_string"], call["new_string"]))
                return _result(name, "Done.")
            case "write":
                (self.directory / call["file_path"]).write_text(call["content"])
                return _result(name, "Done.")
            case "read":
                lines = (self.directory / call["file_path"]).read_text().splitlines()
                return _result(name, "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1)))
            case _:
                found = [one.name for one in sorted(self.directory.glob("*.py"))]
                return _result(name, "\n".join(found))


def _result(name: str, text: str, *, is_error: bool = False) -> ToolResult:
    return ToolResult(call_id="1", tool=name, content=(Text(text),), is_error=is_error)


def working(project: Path, request: str = "least in shop.py is wrong", **texts: str) -> Work:
    """Work on files that are there and were read."""
    work = Work(understand(request), Profile(model="tiny"), [])
    for stem, text in texts.items():
        (project / f"{stem}.py").write_text(text)
        work.paths.append(f"{stem}.py")
        work.texts[f"{stem}.py"] = text
    return work


CHECK = Check(command="grep -A1 'def least' shop.py | grep min", path="test_shop.py")


def test_a_slip_is_mended(project: Path) -> None:
    work, hands = working(project, shop=LEAST), Hands(project)
    assert hands.through(mend_a_slip(work, "shop.py", [(CHECK, "")], [CHECK], was=LEAST))
    assert ((project / "shop.py").read_text(), work.texts, work.changed) == (MENDED, {"shop.py": MENDED}, ["shop.py"])
    assert hands.made == ["bash", "edit", "bash"]


def test_a_slip_is_mended_in_what_there_was_not_in_what_the_model_wrote(project: Path) -> None:
    work, hands = working(project, shop="def least(prices):\n    return None\n"), Hands(project)
    (project / "shop.py").write_text(work.texts["shop.py"])
    assert hands.through(mend_a_slip(work, "shop.py", [(CHECK, "")], [CHECK], was=LEAST))
    assert (project / "shop.py").read_text() == MENDED


@pytest.mark.parametrize(
    ("check", "refuses"),
    [
        (Check(command="false", path="test_shop.py"), ""),
        (CHECK, "bash"),
        (Check(command="true", expects=(("least([1])", "7"),)), ""),
    ],
)
def test_where_no_slip_helps_all_stays(project: Path, check: Check, refuses: str) -> None:
    work, hands = working(project, shop=LEAST), Hands(project, refuses=refuses)
    assert not hands.through(mend_a_slip(work, "shop.py", [(check, "")], [check], was=LEAST))
    assert ((project / "shop.py").read_text(), work.changed, hands.made) == (LEAST, [], ["bash"])


def test_an_exit_code_alone_judges_no_slip_nor_are_tests_mended(project: Path) -> None:
    work, hands = working(project, shop=LEAST, test_shop=LEAST), Hands(project)
    plain = Check(command="python3 shop.py")
    assert not hands.through(mend_a_slip(work, "shop.py", [(plain, "")], [plain], was=LEAST))
    assert not hands.through(mend_a_slip(work, "test_shop.py", [(CHECK, "")], [CHECK], was=LEAST))
    assert hands.made == []


def test_tests_that_are_still_to_be_written_judge_no_slip(project: Path) -> None:
    work, hands = working(project, shop=LEAST), Hands(project)
    new = Check(command="true", is_new=True)
    assert not hands.through(mend_a_slip(work, "shop.py", [], [new], was=LEAST))
    assert hands.made == []


def test_a_check_that_prints_values_judges_by_them(project: Path) -> None:
    work, hands = working(project, shop=LEAST), Hands(project)
    check = Check(
        command="python3 -B -c 'from shop import least; print(least([3, 1]))'", expects=(("least([3, 1])", "1"),)
    )
    assert hands.through(mend_a_slip(work, "shop.py", [(check, "")], [check], was=LEAST))
    assert (project / "shop.py").read_text() == MENDED


def test_what_was_tried_is_put_back(project: Path) -> None:
    work, hands = working(project, a="x = 1\n", b="y = 1\n"), Hands(project)
    before = dict(work.texts)
    work.changed = ["a.py", "b.py"]
    hands.through(restore(work, "a.py", "x = 2\n"))
    assert ((project / "a.py").read_text(), work.texts["a.py"], work.changed) == (
        "x = 2\n",
        "x = 2\n",
        ["a.py", "b.py"],
    )
    hands.through(put_back(work, "a.py", before))
    assert ((project / "a.py").read_text(), work.texts, work.changed) == ("x = 1\n", before, ["b.py"])
    hands.through(put_back(work, "b.py", before))
    hands.through(put_back(work, "new.py", before))
    hands.through(restore(work, "b.py", "y = 1\n"))
    assert (hands.made, work.changed) == (["edit", "edit"], ["b.py"])


def test_a_name_changes_in_all_files_or_in_none(project: Path) -> None:
    texts = {"a": "def get_tot():\n    return 1\n", "b": "from a import get_tot\n\nget_tot()\n"}
    work, hands = working(project, **texts), Hands(project)
    assert hands.through(rename(work, "get_tot", "total"))
    assert (project / "a.py").read_text() == "def total():\n    return 1\n"
    assert (project / "b.py").read_text() == "from a import total\n\ntotal()\n"
    assert work.changed == ["a.py", "b.py"]
    work = working(project, **texts, c="total = 3\nget_tot = total\n")
    assert not hands.through(rename(work, "get_tot", "total"))
    assert [(project / f"{one}.py").read_text() for one in texts] == list(texts.values())


def test_a_name_that_may_not_be_changed_is_told(project: Path) -> None:
    work = working(project, a="get_tot = 1\n")
    assert Hands(project, refuses="edit").through(rename(work, "get_tot", "total"))
    assert (work.refused, work.changed, work.texts["a.py"]) == ("The user said no.", [], "get_tot = 1\n")


def test_assertions_that_do_not_hold_are_left_out(project: Path) -> None:
    test = CALC_TEST + "        self.assertEqual(triple(2), 4)\n        self.assertEqual(triple(1), 5)\n"
    work, hands = working(project, calc=CALC, test_calc=test), Hands(project)
    check = Check(command="python3 -B -m unittest test_calc.py", path="test_calc.py", is_new=True)
    problem = hands.through(run([check]))
    assert "6 != 9" in problem
    assert hands.through(leave_out(work, check, problem)) == ""
    left = (project / "test_calc.py").read_text()
    assert [one for one in test.splitlines() if one not in left.splitlines()] == [
        "        self.assertEqual(triple(3), 9)",
        "        self.assertEqual(triple(1), 5)",
    ]
    assert work.said == (
        "Left out, because it does not hold: `self.assertEqual(triple(3), 9)`; `self.assertEqual(triple(1), 5)`."
    )


def test_where_nothing_can_be_left_out_the_problem_stays(project: Path) -> None:
    work, hands = working(project, calc=CALC, test_calc=CALC_TEST), Hands(project)
    check = Check(command="", path="test_calc.py", is_new=True)
    for problem in ('File "calc.py", line 2', 'File "test_calc.py", line 8', "no frames"):
        assert hands.through(leave_out(work, check, problem)) == problem
    assert (hands.made, (project / "test_calc.py").read_text()) == ([], CALC_TEST)


def test_what_the_checks_say_at_first(project: Path) -> None:
    right, wrong, new = (
        Check(command="true"),
        Check(command="echo 'ValueError: x'; false"),
        Check(command="a", is_new=True),
    )
    absent = Check(command="echo 'x: command not found'; exit 127")
    hands = Hands(project)
    failures, usable = hands.through(first_run([right, wrong, new, absent]))
    assert [one for one, _ in failures] == [wrong]
    assert usable == [new, right, wrong]
    assert hands.made == ["bash"] * 3
    assert hands.through(first_run([])) == ([], [])
    assert Hands(project, refuses="bash").through(first_run([right, wrong])) == ([], [])


def test_what_the_checks_say_later(project: Path) -> None:
    hands = Hands(project)
    assert hands.through(run([])) == ""
    assert hands.through(run([Check(command="true")])) == ""
    wrong = [Check(command="echo 'KeyError: 1'; false"), Check(command="echo 2", expects=(("f(1)", "3"),))]
    assert hands.through(run(wrong)) == (
        f"The check fails:\n{FENCE}\nKeyError: 1\n{FENCE}\n\n"
        f"The check fails:\n{FENCE}\nf(1) gives 2, but should give 3\n{FENCE}"
    )


def test_the_checks_of_a_request_are_found(project: Path) -> None:
    request = "triple(2) gives 4 but I want 6. `python3 run.py` fails, too. See calc.py."
    work = working(project, request, calc=CALC, test_calc=CALC_TEST, run="import calc\n")
    found = Hands(project).through(find_checks(work, ["calc.py"], []))
    assert [(one.told, one.expects) for one in found] == [("`triple(2)`", (("triple(2)", "6"),)), ("", ()), ("", ())]
    assert [one.command for one in found[1:]] == ["python3 -B run.py", "python3 -B -m unittest test_calc.py"]


def test_the_checks_of_a_new_file_are_found(project: Path) -> None:
    work = working(project, "Create temps.py with functions c_to_f and f_to_c")
    (alive,) = Hands(project).through(find_checks(work, [], ["temps.py"]))
    assert (alive.told, alive.is_new) == ("that `c_to_f` and `f_to_c` can be called", True)
    work = working(project, "Create test_calc.py with tests for calc.py", calc=CALC)
    (test,) = Hands(project).through(find_checks(work, [], ["test_calc.py"]))
    assert (test.command, test.is_new) == ("python3 -B -m unittest test_calc.py", True)


async def test_a_model_that_does_not_see_a_slip_is_helped(project: Path, server: ModelServer) -> None:
    (project / "shop.py").write_text(LEAST)
    (project / "test_shop.py").write_text(LEAST_TEST)
    blind = block("def least(prices):\n    return max(prices)\n", "shop.py")
    async with opened(project, server, blind) as session:
        await session.prompt("least in shop.py is wrong, the test fails. Fix it.")
        assert (project / "shop.py").read_text() == MENDED
        assert answer(session) == "Changed shop.py. Checked: `python3 -B -m unittest test_shop.py`."
        assert len([about for name, about in calls(session) if name == "bash" and "trial.py" in about]) == 1
    assert sorted(one.name for one in project.iterdir()) == ["shop.py", "test_shop.py"]
    assert len(server.requests) == 1


async def test_a_slip_in_a_new_file_is_mended(project: Path, server: ModelServer) -> None:
    blind = block("def least(prices):\n    return max(prices)\n", "shop.py")
    async with opened(project, server, blind, blind) as session:
        await session.prompt("Create shop.py with a function least(prices); least([3, 1, 2]) should return 1.")
        assert (project / "shop.py").read_text() == "def least(prices):\n    return min(prices)\n"
        assert answer(session) == "Changed shop.py. Checked: `least([3, 1, 2])`."
    assert len(server.requests) == 2


async def test_a_name_that_is_called_terrible_changes_everywhere(project: Path, server: ModelServer) -> None:
    (project / "sums.py").write_text("def get_tot(rows):\n    return sum(rows)\n")
    (project / "app.py").write_text('from sums import get_tot\n\nprint("get_tot", get_tot([1]))\n')
    async with opened(project, server) as session:
        await session.prompt("get_tot is a terrible name, rename it to month_total everywhere")
        assert answer(session).startswith("Changed ")
    assert (project / "sums.py").read_text() == "def month_total(rows):\n    return sum(rows)\n"
    assert (project / "app.py").read_text() == 'from sums import month_total\n\nprint("get_tot", month_total([1]))\n'
    assert server.requests == []


async def test_better_as_it_was_than_broken(project: Path, server: ModelServer) -> None:
    (project / "shop.py").write_text(MENDED)
    (project / "test_shop.py").write_text(LEAST_TEST)
    async with opened(
        project, server, *[block("def least(prices):\n    return sum(prices)\n", "shop.py")] * 6
    ) as session:
        await session.prompt("Make least in shop.py faster")
        assert answer(session).startswith("Nothing was changed. What the model wrote does not work.")
    assert (project / "shop.py").read_text() == MENDED
    assert "6 != 1" in asked(server, 1)


async def test_methods_that_are_there_are_not_taken_for_ones_to_be_added(project: Path, server: ModelServer) -> None:
    (project / "matrix.py").write_text(
        "class Matrix:\n    def __init__(self, s):\n        self.s = s\n\n"
        "    def row(self, index):\n        return self.s.split()[index]\n"
    )
    said = "    def test_row(self):\n>       self.assertEqual(Matrix('1 2').row(1), '1')\n"
    said += "E   AssertionError\n\n    def row(self, index):\n"
    async with opened(project, server) as session:
        server.script += [Reply(text="I do not know.")] * 8
        await session.prompt(f"The test fails. Fix matrix.py.\n\n{said}")
        made = [name for name, _ in calls(session)]
    assert "bash" in made[: made.index("edit") if "edit" in made else len(made)]
    assert "[index - 1]" in (project / "matrix.py").read_text()


async def test_the_file_that_defines_what_is_named_comes_first_and_one_change_may_do(
    project: Path, server: ModelServer
) -> None:
    (project / "shop.py").write_text(LEAST)
    (project / "show.py").write_text("from shop import least\n\n\ndef shown(prices):\n    return str(least(prices))\n")
    test = LEAST_TEST.replace("from shop import least", "from show import shown\nfrom shop import least, most")
    test += '        self.assertEqual(shown([2, 1]), "1")\n        self.assertEqual(most([1, 2]), 2)\n'
    (project / "test_shop.py").write_text(test)
    both = block(LEAST.replace("max", "min"), "shop.py")
    async with opened(project, server, both, both) as session:
        await session.prompt("test_least fails: least gives the highest price.")
        assert (project / "shop.py").read_text() == MENDED
        assert answer(session) == "Changed shop.py. Checked: `python3 -B -m unittest test_shop.py`."
    assert "def least" in asked(server, 0)


def test_who_says_no_to_what_was_told_is_not_asked_for_more(project: Path) -> None:
    work = working(project, "half in calc.py is one too many. Fix it.", calc="def half(x):\n    return x // 2 + 1\n")
    hands = Hands(project, refuses="edit")
    assert hands.through(as_told_by(work, []))
    assert work.refused
    assert work.changed == []
    assert (project / "calc.py").read_text().endswith("+ 1\n")
