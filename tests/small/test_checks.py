"""What says whether a project works: commands, their outputs, and whom they blame."""

import subprocess
import sys
from pathlib import Path

import pytest

from ferrule.small.checks import check as checks
from ferrule.small.checks.check import Check, check_for, failure, frames, imported, named_check, outcome, used_in
from ferrule.small.words.wish import understand
from tests.server import ModelServer
from tests.small.led import answer, opened

UNITTEST = (
    "import unittest\nfrom calc import half\n\nclass T(unittest.TestCase):\n"
    "    def test(self):\n        self.assertEqual(half(4), 2)\n"
)
PYTEST = "from calc import half\n\ndef test_half():\n    assert half(4) == 2\n"


def output_of(directory: Path, *words: str) -> str:
    """What a command prints, in the form that `bash` gives it."""
    env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-B", *words]
    done = subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True, check=False)
    return f"{(done.stdout + done.stderr).rstrip()}\nExit code: {done.returncode}"


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (UNITTEST, ["-m", "unittest", "test_calc.py"]),
        (PYTEST, ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_calc.py"]),
    ],
    ids=["unittest", "pytest"],
)
def test_real_outputs_are_understood(tmp_path: Path, test: str, words: list[str]) -> None:
    check = Check(command="")
    (tmp_path / "test_calc.py").write_text(test)
    (tmp_path / "calc.py").write_text("def half(x):\n    return x / 0\n")
    bad = output_of(tmp_path, *words)
    verdict = check.verdict(bad)
    assert verdict
    assert "ZeroDivisionError" in verdict
    assert len(verdict.splitlines()) <= 25
    assert "calc.py" in [Path(one).name for one in frames(bad)]
    (tmp_path / "calc.py").write_text("def half(x):\n    return x / 2\n")
    assert check.verdict(output_of(tmp_path, *words)) == ""


@pytest.mark.parametrize(
    "output",
    [
        "/usr/bin/python3: No module named pytest\nExit code: 1",
        "bash: npm: command not found\nExit code: 127",
        "Denied: nobody is there to ask.",
        "The user said no.",
        "NO TESTS RAN\nExit code: 5",
        "",
    ],
)
def test_what_could_not_be_run_says_nothing(output: str) -> None:
    assert Check(command="", expects=(("f(1)", "1"),)).verdict(output) is None


@pytest.mark.parametrize(
    ("output", "verdict"),
    [
        ("1\n'a'\nExit code: 0", ""),
        ("loaded\n1\n'a'\nExit code: 0\n(now in src/)", ""),
        ("1\n'b'\nExit code: 0", "g() gives 'b', but should give 'a'"),
        ("1\nExit code: 0", None),
    ],
)
def test_examples_are_compared(output: str, verdict: str | None) -> None:
    assert Check(command="", expects=(("f()", "1"), ("g()", "'a'"))).verdict(output) == verdict


def test_a_timeout_is_a_failure() -> None:
    words = "working\nTimed out after 60 s: the command and all that it had started were killed."
    assert Check(command="").verdict(words) == words


def test_a_long_failure_is_shortened() -> None:
    told = failure("\n".join(["noise"] * 50 + ["Traceback (most recent call last):"] + ["  x = " + "1" * 500] * 100))
    assert told.splitlines()[0].startswith("  x = 1")
    assert (len(told.splitlines()), max(map(len, told.splitlines()))) == (24, 200)


@pytest.mark.parametrize(
    ("request_", "paths", "command"),
    [
        ("fix calc.py", ["calc.py", "test_calc.py"], "python3 -B -m unittest test_calc.py"),
        (
            "fix calc.py",
            ["calc.py", "tests/test_calc.py", "tests/test_b.py"],
            "python3 -B -m unittest tests/test_calc.py",
        ),
        ("fix calc.py", ["calc.py", "tests/test_a b.py"], "python3 -B -m unittest 'tests/test_a b.py'"),
        ("fix calc.py", ["calc.py", "test_$(x).py"], "python3 -B -m unittest 'test_$(x).py'"),
        ("fix it", ["main.rs", "Cargo.toml"], "cargo test -q"),
        ("fix it, `python3 demo.py` fails", ["demo.py"], "python3 -B demo.py"),
    ],
)
def test_the_command_that_checks(request_: str, paths: list[str], command: str) -> None:
    wish = understand(request_)
    check = named_check(wish) or check_for(wish, paths, {}, target="calc.py" if "calc.py" in paths else "")
    assert check
    assert check.command == command


@pytest.mark.parametrize("command", ["python3 x.py; rm -rf /", "make $(id)", "python3 a.py > b", "make a && make b"])
def test_a_command_of_a_request_is_never_more_than_one(command: str) -> None:
    check = named_check(understand(f"Fix it: `{command}` fails"))
    assert check is None


@pytest.mark.parametrize(
    ("request_", "command"),
    [
        ("node --test fails", "node --test"),
        ("$ python run.py data/x.csv\nTraceback (most recent call last):\nKeyError: 1", "python3 -B run.py data/x.csv"),
        ("When I run python3 app.py --x 3 it crashes", "python3 -B app.py --x 3"),
        ("It fails: running python -m shop.report breaks.", "python3 -B -m shop.report"),
        ("npm test fails", "npm test"),
        ("pytest fails with an error", "python3 -B -m pytest"),
        ("I get an error: python3 app.py", "python3 -B app.py"),
        ("It crashes: python3 app.py; rm -rf /", "python3 -B app.py"),
        ("python3 a.py | sh fails", None),
        ("When I run make test && rm x it fails", None),
        ("running python app.py $(id) crashes", None),
        ("run python3 x.py `id` fails", None),
        ("$ python3 app.py > out.txt\nerror", None),
        ("$ python3 app.py & python3 b.py\nerror", None),
        ("Add python3 run.py to the README", None),
        ("The error is in the Python code", None),
    ],
)
def test_a_command_of_a_request_needs_no_quotes(request_: str, command: str | None) -> None:
    check = named_check(understand(request_))
    assert (check.command if check else None) == command


def test_of_many_wrong_values_six_are_told() -> None:
    check = Check(command="", expects=tuple((f"f({number})", "0") for number in range(9)))
    told = (check.verdict("1\n" * 9 + "Exit code: 0") or "").splitlines()
    assert told == [*(f"f({number}) gives 1, but should give 0" for number in range(6)), "(3 more are wrong.)"]
    six = Check(command="", expects=check.expects[:6])
    assert len((six.verdict("1\n" * 6 + "Exit code: 0") or "").splitlines()) == 6


def test_the_kind_of_test_is_told_by_its_text() -> None:
    for text, words in (
        (UNITTEST, "-m unittest"),
        (PYTEST, "-m pytest"),
        ("if __name__ == '__main__':\n", "-B test_a.py"),
    ):
        check = check_for(understand("fix a.py"), ["a.py", "test_a.py"], {"test_a.py": text}, target="a.py")
        assert check
        assert words in check.command


def test_files_that_belong_together() -> None:
    paths = ["src/shop/cart.py", "src/shop/__init__.py", "tests/test_cart.py", "tests/test_other.py"]
    assert checks.tests_near(paths, "src/shop/cart.py") == ["tests/test_cart.py"]
    assert imported("tests/test_cart.py", "from shop.cart import total\nimport os\n", paths) == ["src/shop/cart.py"]
    assert imported("tests/test_cart.py", "from shop import cart as c\n", paths) == ["src/shop/cart.py"]


@pytest.mark.parametrize(
    ("output", "what"),
    [
        ("[1, 2]\nExit code: 0", "gives [1, 2]"),
        ("Traceback (most recent call last):\n  File x\nValueError: no\nExit code: 1", "raises ValueError: no"),
        ("TypeError: add() missing 1 required positional argument: 'b'\nExit code: 1", ""),
        ("ImportError: no\nExit code: 1", ""),
        ("Refused", ""),
        ("Exit code: 0", ""),
    ],
)
def test_what_came_of_a_call(output: str, what: str) -> None:
    assert outcome(output) == what


NODE = """\
  throw new AssertionError(obj);
AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
    at Object.<anonymous> (/w/project/test/run.js:5:8)
    at Module._compile (node:internal/modules/cjs/loader:1521:14) {
  code: 'ERR_ASSERTION',
  actual: [ 0 ],
  expected: [ 1 ],
}
Node.js v20.20.2
Exit code: 1"""


def test_what_node_prints_is_told_in_brief() -> None:
    assert frames(NODE) == ["/w/project/test/run.js"]
    assert failure(NODE).splitlines() == [
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:",
        "    at Object.<anonymous> (/w/project/test/run.js:5:8)",
        "  actual: [ 0 ],",
        "  expected: [ 1 ],",
    ]


def test_what_a_script_requires() -> None:
    text = 'const { roll } = require("../lib/dice");\nimport x from "./own.mjs";\nconst fs = require("fs");\n'
    assert imported("test/run.js", text, ["lib/dice.js", "test/own.mjs", "fs.js"]) == ["lib/dice.js", "test/own.mjs"]


def test_of_tests_that_were_just_written_those_count_that_pass() -> None:
    check = checks.Check(command="python3 -m unittest tests/test_a.py", path="tests/test_a.py", is_new=True)
    said = "ERROR: test_x (tests.test_a.T)\nAssertionError: 1 != 2\n\n"
    few = f"{said}Ran 1 test in 0.1s\n\nFAILED (errors=1)\nExit code: 1"
    more = f"{said}Ran 4 tests in 0.1s\n\nFAILED (failures=2)\nExit code: 1"
    none = "SyntaxError: no\nExit code: 1"
    assert [check.count(one) for one in (few, more)] == [0, -2]
    assert check.count(f"{said}=== 1 failed, 2 passed in 0.1s\nExit code: 1") == -1
    assert check.count(none) > check.count(few)
    assert check.count("Ran 4 tests in 0.1s\n\nOK\nExit code: 0") < check.count(more)


def test_what_a_failing_test_uses() -> None:
    text = "def test_a():\n    clock = Clock(1)\n    assert clock.turn == 1\n\n\ndef test_b():\n    shown()\n"
    assert set(used_in('File "/x/tests/test_a.py", line 3, in test_a', "tests/test_a.py", text)) == {"clock", "Clock"}
    assert used_in("tests/test_a.py:7: AssertionError", "tests/test_a.py", text) == ["shown"]
    assert used_in("other.py:7: AssertionError", "tests/test_a.py", text) == []


def test_what_is_said_to_be_printed_wrongly_must_not_be_printed() -> None:
    check = named_check(understand('node index.js Miller roll=10 prints "Total: NaN". Fix it, please.'))
    assert check is not None
    assert (check.command, check.never) == ("node index.js Miller roll=10", ("NaN",))
    wrong = "Order\nTotal: NaN\nExit code: 0"
    assert check.verdict(wrong) == "Order\nTotal: NaN\nIt still prints 'NaN', which is wrong."
    assert check.verdict("Order\nTotal: 3\nExit code: 0") == ""
    for text in ("`python3 a.py` prints 3, which is wrong", "`python3 a.py` fails, and b is None. Fix it"):
        other = named_check(understand(text))
        assert other is not None
        assert other.never == ()


async def test_a_property_that_nobody_gives_is_put_right_by_what_is_printed(project: Path, server: ModelServer) -> None:
    (project / "order.js").write_text(
        "const order = { items: [{ count: 2 }] };\nlet sum = 0;\n"
        "for (const item of order.items) sum += 3 * item.quantity;\nconsole.log(`Total: ${sum}`);\n"
    )
    async with opened(project, server) as session:
        await session.prompt('node order.js prints "Total: NaN", please fix it')
        assert answer(session) == "Changed order.js. Checked: `node order.js`."
    assert "item.count;" in (project / "order.js").read_text()
    assert server.requests == []
