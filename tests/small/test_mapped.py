"""Examples that are told without a call, for functions in JavaScript, and for what commands print."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ferrule.small.checks.check import Check
from ferrule.small.checks.examples import example_check
from ferrule.small.checks.mapped import mapped
from ferrule.small.checks.scripts import functions_of, printed_check, script_check
from tests.server import ModelServer
from tests.small.led import FENCE, answer, asked, block, calls, opened

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('normalize(plate): no dashes, so "b-ab 123" becomes "BAB123".', [("normalize('b-ab 123')", "'BAB123'")]),
        ('encode(text): "aaab" becomes "a3b1" and "" stays ""', [("encode('aaab')", "'a3b1'"), ("encode('')", "''")]),
        ('euros(cents) returns a text, e.g. "12.05 EUR" for 1205. Thanks', [("euros(1205)", "'12.05 EUR'")]),
        ('roman(n) returns "IV" for 4 and "IX" for 9', [("roman(4)", "'IV'"), ("roman(9)", "'IX'")]),
        ("is_even(n) gives True for 4 and False for 7.", [("is_even(4)", "True"), ("is_even(7)", "False")]),
        ("initials(name): 'Ada Lovelace' -> 'AL'", [("initials('Ada Lovelace')", "'AL'")]),
        ("total(items): for `[1, 2]` it should return `3`.", [("total([1, 2])", "3")]),
        ("median(values) should return None for []", [("median([])", "None")]),
        ('grade(points): below 50 gives "F".', []),
        ('price(days): "cheap" for 3 days or more', []),
        ('first(text) and last(text): "ab" becomes "a"', []),
        ('encode and decode: "ab" becomes "a"', []),
        ("size(text): `large` for 3.", []),
        ('normalize(name) now returns "ada" for "Ada", please keep the case', []),
        ('slugify(text): currently "a b" becomes "a_b", make it dashes', []),
        ("Rename the option in parse_args(argv): '--verbose' becomes '--debug'.", []),
        ("Change the timeout in connect(host) so that 30 becomes 60.", []),
        ("In connect(host), 30 becomes 60.", []),
        ("In fetch(url): the default 3 becomes 5.", []),
        ("Write escape(text): '\"' becomes '\\\\\"'.", []),
        ('rle(text): "aaab" -> "3ab" or "a3b1", your choice.', []),
        ('rle(text): "aaab" -> "3ab", and "aaab" -> "a3b1".', []),
        ("clamp(x): for 11, it gives 11, but it should be 10", []),
        ("grade(points): returns 'A' for 90 and above.", [("grade(90)", "'A'")]),
    ],
)
def test_what_is_given_and_what_comes_of_it(text: str, found: list[tuple[str, str]]) -> None:
    assert mapped(text) == found


def test_what_wrongly_is_does_not_become_a_check() -> None:
    text, homes = 'slug(text): "a b" becomes "ab".', {"slug": "slug.py"}
    assert example_check(text, homes) is None
    check = example_check(text, homes, is_wanted=True)
    assert check is not None
    assert check.expects == (("slug('a b')", "'ab'"),)


def test_functions_of_javascript() -> None:
    text = "const low = (a) => a\nfunction foo() {\n  function inner() {}\n}\nexports.bar = 3\nconst N = 3\n"
    assert functions_of(text) == ["low", "foo", "bar"]


def _outcome(check: Check | None, directory: Path) -> str | None:
    assert check is not None
    done = subprocess.run(["/bin/sh", "-c", check.command], cwd=directory, capture_output=True, text=True, check=False)
    return check.verdict(f"{(done.stdout + done.stderr).rstrip()}\nExit code: {done.returncode}")


@needs_node
@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("a.js", "module.exports = { big, isBig };"),
        ("a.mjs", "export { big, isBig };"),
        ("b/c-d.js", "exports.big = big; exports.isBig = isBig;"),
    ],
)
def test_examples_are_run_in_every_kind_of_module(tmp_path: Path, name: str, end: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    code = "function big(t) { return t.toUpperCase() }\nfunction isBig(t) { return big(t) === t }\n"
    (tmp_path / name).write_text(code + end)
    homes = {"big": name, "isBig": name}
    right = script_check('big("it\'s é") gives "IT\'S É", and isBig("A") is true', homes, is_wanted=True)
    assert _outcome(right, tmp_path) == ""
    wrong = script_check('big("a") should be "AA", isBig("A") -> false', homes, is_wanted=True)
    assert _outcome(wrong, tmp_path) == (
        'big("a") gives "A", but should give "AA"\nisBig("A") gives true, but should give false'
    )


def test_python_and_unknown_functions_are_not_for_node() -> None:
    assert script_check('big("a") gives "A"', {"big": "a.py"}, is_wanted=True) is None
    assert script_check('big("a") gives "A"', {}, is_wanted=True) is None


def test_what_a_command_should_print(tmp_path: Path) -> None:
    check = printed_check('Write greet.py, so that `python greet.py "Ada B"` prints "Hello, Ada B!".')
    (tmp_path / "greet.py").write_text("import sys\nprint('...')\nprint(f'Hello, {sys.argv[1]}!')\n")
    assert _outcome(check, tmp_path) == ""
    (tmp_path / "greet.py").write_text("print('Hi')\n")
    assert _outcome(check, tmp_path) == '`python greet.py "Ada B"` gives Hi, but should give Hello, Ada B!'
    assert printed_check("`python x.py | rm y` prints `a`") is None
    assert printed_check("`greet.py` prints `a`") is None


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ('`python app.py` prints "Helo", fix the typo', None),
        ('`python3 count.py` prints "10", it should print "11"', None),
        ('`python3 count.py` prints "10" but I expect "11".', None),
        ('`python3 calc.py` prints "Error". Please mend it.', None),
        ('Fix calc.py so that `python3 calc.py` prints "3".', "3"),
        ('It is broken: `python3 calc.py` should print "3"', "3"),
        ('`python3 app.py` prints "a" and then "b".', None),
        ('`python3 todo.py list` prints "1. buy milk", "2. call mum"', None),
        ('`python3 main.py` prints "Hi" before the menu appears', None),
        ('`python3 dice.py` prints "You rolled <n>"', None),
        ('`python3 greet.py` should print "Hello, {name}!"', None),
        ('`python3 guess.py` should print "Your guess: "', None),
        ('`node index.js` should print "Listening on 3000"', None),
        ('`python3 a.py` prints "a" and `python3 a.py x` prints "x".', "a"),
    ],
)
def test_what_is_printed_wrongly_or_among_other_things_is_no_check(text: str, printed: str | None) -> None:
    check = printed_check(text)
    assert (check.expects[0][1] if check else None) == printed


async def test_an_example_without_a_call_is_checked(project: Path, server: ModelServer) -> None:
    (project / "main.py").write_text("print('hi')\n")
    wrong, right = "def shout(text):\n    return text\n", "def shout(text):\n    return text.upper()\n"
    async with opened(project, server, block(wrong, "shout.py"), block(right, "shout.py")) as session:
        await session.prompt('Create shout.py with shout(text), so that "ab" becomes "AB".')
        assert (project / "shout.py").read_text() == right
        assert answer(session) == "Changed shout.py. Checked: `shout('ab')`."
    assert "shout('ab') gives 'ab', but should give 'AB'" in asked(server)


@needs_node
async def test_a_new_module_of_javascript_is_held_to_its_example(project: Path, server: ModelServer) -> None:
    (project / "index.js").write_text("const shout = require('./lib/shout');\n")
    code = "function shout(text) {{ return {}; }}\nmodule.exports = {{ shout }};\n"
    answers = [
        f"lib/shout.js\n{FENCE}javascript\n{code.format(one)}{FENCE}\n" for one in ("text", "text.toUpperCase()")
    ]
    async with opened(project, server, *answers) as session:
        await session.prompt('Add lib/shout.js, it should export a function shout(text): shout("ab") -> "AB"')
        assert "toUpperCase" in (project / "lib/shout.js").read_text()
        assert [about.partition(" ")[0] for name, about in calls(session) if name == "bash"].count("node") >= 2
