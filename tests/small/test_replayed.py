"""Tests that pasted output shows, run again."""

import subprocess
import sys
from pathlib import Path

import pytest

from ferrule.small.checks import replayed
from ferrule.small.checks.check import Check
from ferrule.small.checks.replayed import first_of, replayed_check, written_tests
from ferrule.small.checks.smoke import loads_again_check
from ferrule.small.mends.slips import slips, trial_command, which_works

HOMES = {"School": "school.py", "half": "src/calc.py"}
BY_PYTEST = """\
=================================== FAILURES ===================================
______________________ SchoolTest.test_add_a_student ______________________

self = <school_test.SchoolTest testMethod=test_add_a_student>

    def test_add_a_student(self):
        school = School()
        school.add(name="Aimee",
            grade=2)
        expected = [True]
>       self.assertEqual(school.added(), expected)
E       AssertionError: None != [True]

school_test.py:24: AssertionError
______________________ SchoolTest.test_grade_is_a_number ______________________

    def test_grade_is_a_number(self):
        with self.assertRaises(ValueError) as error:
            School().add("Aimee", "two")
>       self.assertEqual(error.exception.args[0], "no grade")
E       AssertionError: 'two' != 'no grade'

school_test.py:30: AssertionError
"""
BY_UNITTEST = """\
ERROR: test_two (school_test.SchoolTest.test_two)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "school_test.py", line 26, in test_two
    school = School({"Aimee": 2})
             ^^^^^^^^^^^^^^^^^^^^
  File "school.py", line 3, in __init__
    self.pupils = pupils["x"]
KeyError: 'x'
"""
RIGHT = """\
class School:
    def __init__(self, pupils=None):
        self.done = []

    def add(self, name, grade):
        if not isinstance(grade, int):
            raise ValueError("no grade")
        self.done.append(True)

    def added(self):
        return self.done
"""


def output_of(check: Check, directory: Path) -> str:
    command = check.command.replace("python3", sys.executable, 1)
    done = subprocess.run(["/bin/sh", "-c", command], cwd=directory, capture_output=True, text=True, check=False)
    return f"{(done.stdout + done.stderr).rstrip()}\nExit code: {done.returncode}"


def check_of(text: str) -> Check:
    check = replayed_check(text, HOMES)
    assert check is not None
    return check


def test_tests_that_pytest_shows_are_run_again(tmp_path: Path) -> None:
    check = check_of(BY_PYTEST)
    (tmp_path / "school.py").write_text(RIGHT)
    assert check.verdict(output_of(check, tmp_path)) == ""
    (tmp_path / "school.py").write_text(RIGHT.replace("return self.done", "return None"))
    said = check.verdict(output_of(check, tmp_path)) or ""
    assert "self.assertEqual(school.added(), expected)" in said
    assert "AssertionError: None != [True]" in said
    assert check.count(output_of(check, tmp_path)) == 1
    assert check.told == "`test_add_a_student` and `test_grade_is_a_number`"


def test_what_a_traceback_of_unittest_stopped_at_must_get_on(tmp_path: Path) -> None:
    check = check_of(BY_UNITTEST)
    assert check.source == "def test_two(self):\n    school = School({'Aimee': 2})"
    (tmp_path / "school.py").write_text(RIGHT)
    assert check.verdict(output_of(check, tmp_path)) == ""
    (tmp_path / "school.py").write_text(RIGHT.replace("self.done = []", "self.done = pupils['x']"))
    assert "KeyError" in (check.verdict(output_of(check, tmp_path)) or "")


def test_what_a_table_gives_to_a_test_is_given(tmp_path: Path) -> None:
    text = "x\n\ngiven = 4, wanted = [2]\n\n"
    text += "    def test_half(given, wanted):\n        got = []\n        got.append(half(given))\n"
    check = check_of(
        f"{text}>       assert got == wanted\nE       assert [1] == [2]\n\ntests/test_calc.py:9: AssertionError\n"
    )
    (tmp_path / "src").mkdir()
    (tmp_path / "src/calc.py").write_text("def half(x):\n    return x / 2\n")
    assert check.verdict(output_of(check, tmp_path)) == ""


SHOWN = "\n    def test_x(self):\n{body}\nE   AssertionError\n\na_test.py:3: AssertionError\n"


@pytest.mark.parametrize(
    "body",
    [
        ">       self.assertEqual(half(4), 2)",
        ">       self.check(School())",
        "        school = School(PUPILS)\n>       school.add()",
        "        import os\n>       School().add(os.environ)",
        "        open('x', 'w')\n>       School().add()",
        "        School().__class__.x = 1\n>       School().add()",
        ">       with self.assertRaises(ValueError):",
        "        school = list()\n>       school.append(1)",
    ],
    ids=["plain", "helper", "constant", "import", "opens", "private", "cut-off", "not-ours"],
)
def test_what_is_not_shown_whole_or_does_more_than_look_is_not_run(body: str) -> None:
    assert replayed_check(SHOWN.format(body=body), HOMES) is None


def test_what_a_loop_binds_is_not_taken_for_what_stands_alone() -> None:
    body = "        one = School()\n        one, two = one, 2\n>       self.assertTrue(one.size() == two)"
    check = check_of(SHOWN.format(body=body))
    assert "one, two = (one, 2)" in check.source
    capital = "        School1 = School()\n>       self.assertEqual(School1.size, 2)"
    assert replayed_check(SHOWN.format(body=capital), HOMES) is None


def test_a_test_without_its_table_is_not_run() -> None:
    text = "\n    def test_x(given):\n        got = half(given)\n>       got.x()\nE   AssertionError\n"
    assert replayed_check(text, HOMES) is None


def test_tests_of_a_file_as_many_as_there_is_room_for() -> None:
    tests = written_tests(
        "import a\n\nclass T:\n    def test_a(self):\n        a.b(1)\n"
        "    def test_c(self):\n        pass\n    def x(self): ...\n"
    )
    assert tests == "def test_a(self):\n    a.b(1)\n\ndef test_c(self):\n    pass"
    assert first_of(tests, 30) == "def test_a(self):\n    a.b(1)"
    assert first_of(tests, 100) == tests
    assert written_tests("no python (") == ""


COLLECTED = """\
ImportError while importing test module 'school_test.py'.
school_test.py:3: in <module>
    from school import School
school.py:2: in <module>
    character = made()
E   NameError: name 'made' is not defined
"""


def test_a_module_that_tests_could_not_load_must_load() -> None:
    check = loads_again_check(COLLECTED, ["school.py", "school_test.py"])
    assert check is not None
    assert (check.command, check.told) == ("python3 -B -c 'import school'", "that school.py loads")
    by_unittest = 'File "/x/school_test.py", line 3, in <module>\nFile "/x/school.py", line 2, in <module>\nNameError'
    assert loads_again_check(by_unittest, ["school.py"]) == check
    assert loads_again_check('File "school.py", line 2, in <module>\nNameError', ["school.py"]) is None
    assert loads_again_check(COLLECTED, ["other.py"]) is None


def test_a_plain_call_that_needs_a_module_is_run_as_a_test() -> None:
    shown = (
        "    def test_it(self):\n        text = half(json.dumps([1]))\n"
        ">       self.assertEqual(json.loads(text), 3)\nE  x\n"
    )
    check = replayed_check(shown, HOMES)
    assert check is not None
    assert "import json" in check.command
    plain = "    def test_it(self):\n        text = half([1])\n>       self.assertEqual(text, 3)\nE  x\n"
    assert replayed_check(plain, HOMES) is None


def test_where_tests_wait_for_what_never_comes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replayed, "_SECONDS", 0.5)
    (tmp_path / "school.py").write_text(
        "import threading\n\n\nclass School:\n    def __init__(self):\n        self.lock = threading.Lock()\n\n"
        "    def add(self):\n        self.lock.acquire()\n"
    )
    shown = (
        "    def test_twice(self):\n        school = School()\n        school.add()\n        school.add()\n"
        ">       self.assertTrue(school.lock)\nE  no\n"
    )
    check = replayed_check(shown, {"School": "school.py"})
    assert check
    ended = subprocess.run(["/bin/sh", "-c", check.command], cwd=tmp_path, capture_output=True, text=True, check=False)
    wrong = check.verdict(f"{ended.stdout}{ended.stderr}\nExit code: {ended.returncode}")
    assert wrong is not None
    assert "Timeout" in wrong
    assert "line 9 in add" in wrong
    assert "unittest" not in wrong


def test_a_check_that_goes_quiet_fails() -> None:
    quiet = "..\nSilent and idle for 15 s; running as job 1."
    assert "does not end" in (Check(command="x", told="", path="a_test.py").verdict(quiet) or "")
    assert Check(command="x", told="").verdict(quiet) is None, "a program may wait for something"


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        ("half(datetime(2011, 4, 25)), datetime(2043, 1, 1)", "from datetime import datetime\n"),
        ("half(datetime.strptime('1', '2')), 3", "from datetime import datetime\n"),
        ("half(datetime.datetime(2011, 4, 25)), 3", "import datetime\n"),
        ("half(datetime.timedelta(3)), 3", "import datetime\n"),
        ("half(Decimal('1')), Fraction(1, 2)", "from decimal import Decimal\nfrom fractions import Fraction\n"),
        ("half(math.pi), 3", "import math\n"),
        ("half(Path('x')), 3", None),
    ],
)
def test_what_tests_need_is_imported_as_they_use_it(line: str, needed: str | None) -> None:
    shown = f"    def test_it(self):\n>       self.assertEqual({line})\nE  x\n"
    check = replayed_check(shown, HOMES)
    assert needed in check.command if check and needed else check is None


def test_shown_tests_judge_what_is_tried(tmp_path: Path) -> None:
    source = "from datetime import timedelta\n\n\ndef later(moment):\n    return moment + timedelta(days=10)\n"
    (tmp_path / "calc.py").write_text(source)
    shown = (
        "    def test_it(self):\n>       self.assertEqual(later(datetime(2011, 4, 25)), datetime(2011, 8, 3))\nE  x\n"
    )
    check = replayed_check(shown, {"later": "calc.py"})
    assert check
    trials = slips(source, None)
    command = trial_command("calc.py", [(check.command, [], [], [])], trials)
    ended = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    found, is_all = which_works(ended.stdout)
    assert is_all
    assert [trials[one].line for one in found] == ["    return moment + timedelta(days=100)"]
