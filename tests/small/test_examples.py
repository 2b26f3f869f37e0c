"""Examples in a request, as a check that can be run."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ferrule.small.checks.examples import asked_values, example_check, examples
from ferrule.small.checks.smoke import alive_check, form_check, runs_check, smoke_check


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("median([4, 1, 3, 2]) gives 3, but it should be 2.5", [("median([4, 1, 3, 2])", "2.5")]),
        ("slugify('Hello World') should return 'hello-world'.", [("slugify('Hello World')", "'hello-world'")]),
        ("add(1, 2) -> 3 and add(0, 0) -> 0", [("add(1, 2)", "3"), ("add(0, 0)", "0")]),
        ("add(1, 2) == 3", [("add(1, 2)", "3")]),
        ("`is_even(3)` returns True instead of False", [("is_even(3)", "False")]),
        ('greet(name="Ann") returns "Hi, Ann!"', [('greet(name="Ann")', "'Hi, Ann!'")]),
        ("parse('1,2') => [1, 2]", [("parse('1,2')", "[1, 2]")]),
        ("f('a b') gives 'a--b', there should never be two dashes: 'a-b'", [("f('a b')", "'a-b'")]),
        ("f(x) returns 3", []),
        ("f(1) gives 3, but that is wrong", []),
        ("f(open('x')) returns 3", []),
        ("f(1) returns nothing", []),
        ("f(" * 50, []),
        ("", []),
    ],
)
def test_calls_and_what_they_should_come_to(text: str, found: list[tuple[str, str]]) -> None:
    assert examples(text) == found


@pytest.mark.parametrize("home", ["calc.py", "lib/calc.py", "src/shop/calc.py", "src/calc.py"])
def test_the_check_runs(tmp_path: Path, home: str) -> None:
    path = tmp_path / home
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("def half(x):\n    return x / 2\n")
    check = example_check("half(4) should be 2.0 and half(3) should be 1.0", {"half": home})
    assert check
    assert check.expects == (("half(4)", "2.0"), ("half(3)", "1.0"))
    command = check.command.replace("python3", sys.executable, 1)
    done = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert check.verdict(f"{done.stdout}{done.stderr}Exit code: {done.returncode}") == (
        "half(3) gives 1.5, but should give 1.0"
    )


def test_without_a_home_there_is_no_check() -> None:
    assert example_check("half(4) should be 2", {}) is None
    assert example_check("half(4) should be 2", {"half": "my file.py"}) is None
    assert example_check("half(4) should be 2", {"half": "a'; import os; '.py"}) is None


def test_what_a_new_function_is_said_to_take_must_not_break_it() -> None:
    check = smoke_check('f(text) returns the minutes in texts like "1h30m", "2h" or "45m".', "a/b.py", "f(text)")
    assert check is not None
    assert shlex.split(check.command)[-1] == 'from a.b import f; f("1h30m"); f("2h"); f("45m")'
    dates = 'total(entries) adds up entries with a date such as "2024-02-09".'
    assert smoke_check(dates, "b.py", "total(entries)") is None
    assert smoke_check('f(a, b) takes texts like "x".', "b.py", "f(a, b)") is None


@pytest.mark.parametrize(
    ("question", "calls"),
    [
        ("What does median return for [1, 2, 3]?", ["median([1, 2, 3])"]),
        ("What is the result of `median([4,1])`?", ["median([4,1])"]),
        ("what does the add function return when called with 2 and 3?", ["add(2, 3)"]),
        ("What does add give for 1, 2?", ["add(1, 2)"]),
        ("What does `median` do for an empty list?", []),
        ("What does median do with a list of one, for example [7]?", ["median([7])"]),
        ("What does median do with odd values such as `'#'`?", ["median('#')"]),
        ("What does median do with lists, for example the first?", []),
        ("What does median in stats.py return for the list [1, 2]?", ["median([1, 2])"]),
        ("What does `add` give back for a 2 and 3?", ["add(2, 3)"]),
        ("Is median used for the report in 2024?", []),
        ("What does median() do?", []),
        ("What does len([1]) give?", []),
        ('What does Box("a").show(2) give?', ['Box("a").show(2)']),
        ('What does Box("a").drop() give?', []),
        ('What does Bag("a").show() give?', ['Bag("a").show()']),
        ('What does Bag("a").show().more() give?', []),
    ],
)
def test_calls_that_a_question_is_about(question: str, calls: list[str]) -> None:
    homes = {"median": "stats.py", "add": "calc.py", "Box": "box.py", "Box.show": "box.py", "Bag": "box.py"}
    assert list(asked_values(question, homes)) == calls


TIMES = 'Create times.py with show(seconds): it returns minutes like "3:07", after an hour also hours like "1:02:45".'


@pytest.mark.parametrize(
    ("body", "is_right"),
    [
        ("return f'{n // 60}:{n % 60:02}' if n < 3600 else f'{n // 3600}:{n // 60 % 60:02}:{n % 60:02}'", True),
        ("return f'{n // 60:02}:{n % 60:02}'", False),
        ("return None[n]", True),
    ],
)
def test_the_form_of_values_is_checked(tmp_path: Path, body: str, is_right: bool) -> None:
    (tmp_path / "times.py").write_text(f"def show(n):\n    {body}\n")
    check = form_check(TIMES, "times.py", "show(seconds)")
    assert check
    ended = subprocess.run(check.command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    verdict = check.verdict(f"{ended.stdout}{ended.stderr}\nExit code: {ended.returncode}")
    assert verdict is not None
    assert bool(verdict) != is_right
    assert is_right or "show should give values like ['3:07', '1:02:45']" in verdict


def test_what_has_no_form_is_not_checked() -> None:
    assert form_check("Create times.py with show(seconds) like you would", "times.py", "show(seconds)") is None
    assert form_check('texts like "3:07" are read', "times.py", "parse(text)") is None
    for said in ('"1.5 MB"', '"2024-01-31"', '"12.5%"', '"3 days"'):
        assert form_check(f"show(seconds) returns texts like {said}.", "times.py", "show(seconds)") is None
    assert form_check('ordinal(n) returns texts like "22nd".', "a.py", "ordinal(n)")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "last_n([1], 0) in tools.py returns the whole list, it should return an empty list",
            [("last_n([1], 0)", "[]")],
        ),
        ("join([]) should be an empty string", [("join([])", "''")]),
    ],
)
def test_values_in_words(text: str, found: list[tuple[str, str]]) -> None:
    assert examples(text) == found


PASTED = """\
The tests fail:

FAIL: test_omg (cipher_test.CipherTest.test_omg)
Traceback (most recent call last):
  File "cipher_test.py", line 21, in test_omg
    self.assertEqual(encode("OMG"), "lnt")
AssertionError: 'LNT' != 'lnt'
>       assert decode("lnt") == "omg"
    self.assertTrue(is_code("lnt"))
    self.assertEqual(encode(self.text), "x")
    self.assertEqual(

Fix it."""


def test_what_pasted_tests_assert_is_checked() -> None:
    assert examples(PASTED) == [("encode('OMG')", "'lnt'"), ("decode('lnt')", "'omg'"), ("is_code('lnt')", "True")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("f(3) gives 4 but I want 5", [("f(3)", "5")]),
        ("f(3) gives 4, but I'd like 5", [("f(3)", "5")]),
        ("f(3) returns 4, expected 5", [("f(3)", "5")]),
        ("f(3) gives 4. I expected 5.", [("f(3)", "5")]),
        ("f(3) returns 4 when it should return 5", [("f(3)", "5")]),
        ("f('x') raises ValueError, it should return None", [("f('x')", "None")]),
        ("f([]) crashes with ZeroDivisionError; it should return 0", [("f([])", "0")]),
        ("f(3) prints nothing, it should return 5", [("f(3)", "5")]),
        ("f(3) raises KeyError", []),
        ("f(3) is 4, which is wrong", []),
        ("f('a') gives '1', not '2'", []),
        ("f(3) gives 4 and f(4) gives 5", [("f(3)", "4"), ("f(4)", "5")]),
    ],
)
def test_what_is_wrong_now_is_not_taken_for_what_is_right(text: str, found: list[tuple[str, str]]) -> None:
    assert examples(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "f(1) should be 3 or more",
        "f(6) should return 1 to 6",
        "f(6) should return 1, 2, 3 or 6 at random",
        "f(6) should return 1, 2",
        "f(1) should be 1.41 (rounded)",
        "f(2) gives 1.41421356...",
        "f(1) = None unless it was set",
        "f('a,b') should return ['a', 'b', ...]",
        "f(8) should return 8 characters",
        "f(1) is 3 only if both are positive",
        "f('abc') gives 'abc' when the key is 0",
        "f(3) returns 9 for lists but should raise ValueError",
        "The test `assert f('1h') == 60` is wrong",
        "The old test said f(2) == 5. Change it to 4.",
        "Make `f(1)` and `f(2)` return '1' and '2'.",
        "f('x') gives 'X' :(",
    ],
)
def test_half_of_what_is_said_is_no_example(text: str) -> None:
    assert examples(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("There is a bug: title('a b') returns 'A b'. Fix it.", []),
        ("Why does total([]) return None? It should return 0.", [("total([])", "0")]),
        ("parse('1h') == 3600 fails", [("parse('1h')", "3600")]),
        ("f(1) returns 2 (right), f(2) -> 3", [("f(2)", "3")]),
    ],
)
def test_where_something_is_wrong_what_a_call_gives_is_not_what_it_should_give(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert examples(text, is_wanted=False) == found


@pytest.mark.parametrize(
    ("call", "is_one"),
    [
        ("first(list(range(10)), 3)", True),
        ("first(range(3), key=tuple(sorted([2, 1])))", True),
        ("first(list(open('x')))", False),
        ("first(eval('1'))", False),
        ("first(list(range(n)))", False),
        ("first([].append(1))", False),
    ],
)
def test_arguments_may_be_made_of_plain_values(call: str, is_one: bool) -> None:
    assert examples(f"{call} should return [0]") == ([(call, "[0]")] if is_one else [])


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("def to_miles(x):\n    return x * 0.62\n", ""),
        ("def to_miles(x):\n    return x + FACTOR\n", "to_miles(20) raises NameError: name 'FACTOR' is not defined"),
        ("def to_miles(x, y):\n    return x + y\n", ""),
        ("def to_miles(x):\n    return x.strip()\n", ""),
        ("to_miles = 0.62\n", ""),
        ("def to_miles(x):\n    raise ValueError('no way')\n", ""),
        ("def to_miles(x)\n", "SyntaxError: expected ':'"),
    ],
)
def test_a_new_function_must_not_fail_whatever_it_is_given(tmp_path: Path, body: str, problem: str) -> None:
    (tmp_path / "units.py").write_text(f"{body}\n")
    check = alive_check("Create units.py with a function to_miles", "units.py")
    assert check
    assert (check.told, check.is_new) == ("that `to_miles` can be called", True)
    ended = subprocess.run(check.command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    verdict = check.verdict(f"{ended.stdout}{ended.stderr}\nExit code: {ended.returncode}")
    assert verdict is not None
    assert problem in verdict
    assert bool(verdict) == bool(problem)


@pytest.mark.parametrize(
    ("text", "path", "is_run"),
    [
        ('Write a little script sos.py next to main.py that prints the Morse code of "SOS".', "sos.py", True),
        ("Write a program days.py that prints the days of the week.", "days.py", True),
        ("Write a script sos.py that prints the number of lines of a file.", "sos.py", False),
        ("Write a script sos.py that deletes the cache and prints how much that was.", "sos.py", False),
        ("Write a script sos.py that prints its first argument.", "sos.py", False),
        ("Write a module sos.py with a function that prints.", "sos.py", False),
        ("Write a script tools/sos.py that prints SOS.", "tools/sos.py", False),
        ("Script sos.py: read data/calls.json and print it as CSV, in the order of the file.", "sos.py", True),
        ("Script sos.py: read data/other.json and print it as CSV, in the order of the file.", "sos.py", False),
        ("Script sos.py: print data/calls.json as CSV into a file.", "sos.py", False),
    ],
)
def test_a_new_script_that_only_prints_is_run(text: str, path: str, is_run: bool) -> None:
    check = runs_check(text, path, ["main.py", "data/calls.json"])
    assert (check and check.command) == ("python3 -B sos.py".replace("sos.py", path) if is_run else None)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Create files.py with delete_all and write_out", "files.py"),
        ("Create units.py with convert", "units.py"),
        ("Create units.py with to_miles", "my units.py"),
    ],
)
def test_what_may_do_something_is_not_called(text: str, path: str) -> None:
    assert alive_check(text, path) is None


def test_what_should_come_may_be_said_after_a_reason() -> None:
    text = "fit(600, 1200, 300) returns (300, 600), but no side may be above 300, so it should be (150, 300)."
    assert examples(text, is_wanted=False) == [("fit(600, 1200, 300)", "(150, 300)")]
    text = 'slugify("Hello World!") returns "hello-world-" with a dash at the end, it should be "hello-world".'
    assert examples(text, is_wanted=False) == [('slugify("Hello World!")', "'hello-world'")]


def test_of_several_calls_each_is_told_though_one_fails(tmp_path: Path) -> None:
    (tmp_path / "calc.py").write_text("def half(x):\n    return {2: 1, 4: 3}[x]\n")
    check = example_check("half(2) should be 1, half(3) should be 1.5. half(4) should be 2.", {"half": "calc.py"})
    assert check is not None
    done = subprocess.run(["/bin/sh", "-c", check.command], cwd=tmp_path, capture_output=True, text=True, check=False)
    output = f"{done.stdout}Exit code: {done.returncode}"
    assert (check.verdict(output) or "").splitlines() == [
        "half(3) raises KeyError: 3, but should give 1.5",
        "half(4) gives 3, but should give 2",
    ]
    assert check.count(output) == 2


def test_what_there_is_should_come() -> None:
    said = 'next_bus("12", "08:00") gives "08:20", but there is one at "08:00". Please fix it.'
    assert examples(said, is_wanted=False) == [('next_bus("12", "08:00")', "'08:00'")]
