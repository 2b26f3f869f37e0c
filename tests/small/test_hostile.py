"""What people paste and models write may be anything: huge, broken, or made to keep a reader busy."""

import shlex
import warnings
from collections.abc import Callable

import pytest

from ferrule.small.checks.check import Check, blamed_lines, called_in, imported, named_check, spelled_out
from ferrule.small.checks.condensed import condensed
from ferrule.small.checks.examples import asked_values, example_check, examples
from ferrule.small.checks.mapped import mapped
from ferrule.small.checks.pasted import asserted, names_in, reworded, untold, with_words
from ferrule.small.checks.replayed import replayed_check
from ferrule.small.checks.scripts import printed_check, script_check
from ferrule.small.checks.smoke import smoke_check
from ferrule.small.code.members import made_up
from ferrule.small.code.names import imports_in_vain
from ferrule.small.code.outcomes import functions_in, outcomes
from ferrule.small.code.rename import renamed_in_script
from ferrule.small.code.template import said_otherwise
from ferrule.small.hints import called, orders, stands, with_constants
from ferrule.small.mends.added import others_kept, with_exported
from ferrule.small.mends.defaults import speaks_of_sharing
from ferrule.small.mends.faults import fault
from ferrule.small.mends.finish import with_dots, with_exports, with_factories, with_listed
from ferrule.small.mends.misspelt import respelt
from ferrule.small.mends.parameters import with_parameters
from ferrule.small.mends.possible import possible
from ferrule.small.mends.slips import Trial, slips, trial_command, which_works
from ferrule.small.mends.told import as_told
from ferrule.small.words.naming import put_right
from ferrule.small.words.rank import terms
from ferrule.small.words.renumbered import renumbering
from ferrule.small.words.seen import Hit
from ferrule.small.words.wish import understand

HOMES = {"f": "f.py", "foo": "lib/foo.js"}
SIZES = (20_000, pytest.param(100_000, marks=pytest.mark.slow))
"""How long a text is: long enough for a reader that takes the square of it, and as long as a text may get."""
Text = Callable[[int], str]


def much(piece: str, *, before: str = "", after: str = "") -> Text:
    return lambda size: before + piece * (size // len(piece)) + after


READERS: dict[str, Callable[[str], object]] = {
    "understand": understand,
    "examples": examples,
    "example_check": lambda text: example_check(text, HOMES, is_wanted=True),
    "script_check": lambda text: script_check(f"foo(x) {text}", HOMES, is_wanted=True),
    "asked_values": lambda text: asked_values(text, HOMES),
    "printed_check": printed_check,
    "mapped": lambda text: mapped(f"foo(x) {text}"),
    "asserted": asserted,
    "untold": lambda text: untold(f"FAIL: a\n{text}\nFAIL: b\nE  AssertionError: x"),
    "reworded": lambda text: reworded([text], [], text),
    "with_words": lambda text: with_words(text, {"a": "b"}),
    "slips": lambda text: slips(text, None),
    "fault": lambda text: fault("a.py", "x = 1\n", text, understand("x"), [text]),
    "fault of new": lambda text: fault("a.js", None, text, understand("make a.js with a function f(x)"), [text]),
    "with_factories": lambda text: with_factories(f"@dataclass\n{text}"),
    "with_listed": lambda text: with_listed(".gitignore", "", understand(text)),
    "with_exports": lambda text: with_exports("a.js", f"export const x = 1\n{text}", ["module.exports = {"]),
    "blamed_lines": blamed_lines,
    "called_in": lambda text: called_in("a.py:1: x", "a.py", text),
    "imported": lambda text: [imported(path, text, ["b.py", "c.js"]) for path in ("a.py", "a.js")],
    "called": lambda text: called([text], [Hit(path="a.py", number=1, text="def f(x):")]),
    "others_kept": lambda text: others_kept("a.js", text, f"{text}x", understand("add a function x")),
    "with_exported": lambda text: with_exported(f"function a() {{\nmodule.exports = {{ a }};\n{text}", text),
    "stands": lambda text: stands(text, [text], {"a.py": text}, []),
    "with_constants": lambda text: with_constants(
        f"a.py\n```\n{text}\n```", [Hit(path="a.py", number=1, text="AB = 1")]
    ),
    "condensed": lambda text: condensed(f"{text}\n_ T.test _\n>  x"),
    "replayed_check": lambda text: replayed_check(text, HOMES),
    "possible": lambda text: possible("a.py", text, None, ["KeyError: 'abc'"], {"a.py": text, "b.js": text}),
    "respelt": lambda text: respelt(f"x['abc']\n{text}", ["KeyError: 'abc'"], {"a.py": text}),
    "with_parameters": lambda text: with_parameters(
        "def f(a):\n    pass\n", [f'File "t_test.py", line 1, in x\n{text}']
    ),
    "spelled_out": lambda text: spelled_out(f"{text}\n  x(\n", text),
    "as_told": lambda text: as_told("f is one too many, fix it", {"a.js": text, "a.sh": text}),
    "outcomes": lambda text: [outcomes("a.js", text, one) for one in functions_in("a.js", text)],
    "renamed_in_script": lambda text: renamed_in_script("a.js", text, "f", "g"),
    "said_otherwise": lambda text: said_otherwise('f"a {x} bcd {y}"', text, text),
    "renumbering": lambda text: renumbering(understand(text)),
    "named_check": lambda text: named_check(understand(f"fix {text}")),
    "made_up": lambda text: made_up(
        "def f(store):\n    store.a()\n", text, [f"class Store:\n    def a(self): ...\n{text}"]
    ),
    "speaks_of_sharing": speaks_of_sharing,
    "orders": lambda text: orders("in what order", {"a.py": text}),
    "terms": lambda text: terms(understand(f'"{text}"')),
    "with_dots": with_dots,
    "imports_in_vain": lambda text: imports_in_vain("import a\n", f"import a\n{text}"),
    "fault of words": lambda text: fault("a.py", "x = 1\n", "x = '12'\n", understand(text), []),
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("made_up", much("store.b()\n")),
        ("speaks_of_sharing", much("every each is the ")),
        ("orders", much("sorted(")),
        ("terms", much("an A or ")),
        ("with_dots", much("a/", before="from ")),
        ("with_dots", much("import a/b\n")),
        ("imports_in_vain", much("import a\n")),
        ("fault of words", much('like "12 ')),
        ("fault of words", much("like ")),
        ("understand", much("gives ")),
        ("as_told", much("the last one is never ")),
        ("as_told", much("function f() {\n")),
        ("outcomes", much("function f() {\n")),
        ("renamed_in_script", much("/* ")),
        ("said_otherwise", much("\n")),
        ("renumbering", much("from 1 to ")),
        ("condensed", much("a", before="_ ")),
        ("condensed", much("_ a _\n")),
        ("condensed", much("== short test summary info ==\n", after="\n_ a _")),
        ("replayed_check", much("    def test_x(self):\n        f()\n")),
        ("replayed_check", much('  File "a", line 1, in test_x\n    f()\n')),
        ("possible", much('    "a": f,\n', before="def f():\n    return A\n\n\nT = {\n")),
        ("possible", lambda size: "".join(f"def f{one}(): x['abc'] in y[{one}]\n" for one in range(size // 30))),
        ("possible", lambda size: "".join(f"{' ' * one}def f{one}():\n" for one in range(90)) + " " * 90 + "return A"),
        ("respelt", lambda size: "".join(f"'ab{number}' " for number in range(size // 8))),
        ("with_parameters", much("TypeError: f() got an unexpected keyword argument 'x'\n")),
        ("with_parameters", much('File "a_test.py", line 1, in x\n')),
        ("spelled_out", much('File "a_test.py", line 1, in x\n  x(\n')),
        ("spelled_out", much("x(\n")),
        ("reworded", much("\n")),
        ("reworded", much("\\'")),
        ("with_words", much('\\"')),
        ("with_factories", much(" \n")),
        ("with_listed", much("__a")),
        ("with_exports", much("import {\n")),
        ("mapped", much("1.")),
        ("stands", much("405 ")),
        ("others_kept", much("function a() {\n")),
        ("others_kept", much("function a() {\n}\n")),
        ("with_exported", much("module.exports = {")),
        ("with_exported", much("module.exports = {a, }\n")),
        ("stands", much("'a b c' ")),
        ("stands", much("    x\n")),
        ("with_constants", much("AB ")),
        ("with_constants", much("A_")),
        ("examples", much("f(1) gives a b c ")),
        ("examples", much("f(1) returns [")),
        ("examples", much("f(")),
        ("script_check", much("f(1) gives 4 but ")),
        ("asserted", much("    self.assertEqual(\n")),
        ("asserted", much("    x = [x, x]\n")),
        ("understand", much("; what ")),
        ("understand", lambda size: "".join(f"src/a{number}.py | 90%\n" for number in range(size // 20))),
        ("understand", much("修复main.py中的错误，")),
        ("named_check", much("run pytest ", after="(")),
        ("blamed_lines", much("  at /a\n")),
        ("called_in", much("a")),
        ("called", much("def \n")),
        ("imported", much("from ")),
        ("imported", much("\n")),
        ("slips", much("/* \n")),
        ("slips", lambda size: much("a,\n")(size // 2)),
    ],
)
@pytest.mark.parametrize("size", SIZES)
def test_no_reader_is_kept_busy(name: str, text: Text, size: int) -> None:
    READERS[name](text(size))  # none of these may take more than a moment


DEEP = [
    "    assert f(" + "-" * 900 + "1) == 2",
    "    assert a" + ".b" * 800 + " == 1",
    "    assert f(1) == " + "+".join("1" * 900) + " + x",
    "    x = x + x\n" * 60 + "    assert f(x) == 1",
    "    x = g(x)\n" * 300 + "    assert f(x) == 1",
    "    assert f(1) == 0x" + "f" * 1_900,
    f"    assert f(1) == {'9' * 1_900}{'9' * 4_000}",
    "f(" + "[" * 95 + "]" * 95 + ") -> " + "[" * 50 + "]" * 50,
    "f({[]: 1}) -> {[]}\n    assert f({[]: 1}) == {[]}",
    "f('a\0b') -> 1, `python3 a\0.py` prints `x`",
    "f('\ud800') -> '\udc80', foo('\ud800') -> 1, `python3 \ud800.py` prints `x`",
    "foo(1) -> {1, 2}; foo(2) -> b'x'; foo(3) -> 1e999; foo(4) -> 1j",
    'File "a.py", line ' + "9" * 5_000 + "\na.py:" + "9" * 5_000 + ": x",
    "f('\\d') -> '\\w'. f(1if 1else 2) -> 1\n    assert f('\\q') == 1if 1else 2",
]


@pytest.mark.parametrize("text", DEEP, ids=range(len(DEEP)))
def test_rubbish_breaks_nothing_and_nobody_is_warned(text: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for reader in READERS.values():
            reader(text)
    assert told == []


def test_numbers_of_any_length_can_be_counted_with() -> None:
    check = Check(command="", expects=(("f(1)", "1"),))
    assert check.count(f"failures={'9' * 5_000}\nExit code: 1") > 0
    assert which_works(f"works: {'9' * 5_000}") == ([], False)
    assert check.verdict(f"{'[' * 5_000}\nExit code: 0")
    assert names_in("(" * 5_000) is None
    assert put_right("It is in a.py.", []) is None


def test_a_test_that_binds_too_much_is_passed_over_and_the_next_is_read() -> None:
    grown = "    x = x + x\n" * 40
    assert asserted(f"{grown}    assert f(x) == 1\n    y = 2\n    assert f(y) == 3\n")[-1] == ("f(2)", "3")


def test_what_no_script_can_give_is_no_check() -> None:
    check = script_check("foo(1) -> {1, 2}; foo(2) -> b'x'; foo(3) -> 4", HOMES, is_wanted=True)
    assert check is not None
    assert check.expects == (("foo(3)", "4"),)


def test_half_a_character_can_be_passed_on() -> None:
    check = script_check(r"foo('\ud800é') -> '\udc80'", HOMES, is_wanted=True)
    assert check is not None
    assert check.expects == ((r'foo("\ud800é")', r'"\udc80"'),)
    command = trial_command("a\udc80.py", [("true", [], [], [])], [Trial(0, "'\ud800'")])
    assert command.encode()


@pytest.mark.parametrize(
    "command", ["shutdown -h now", "shred a.py", "nodemon a.js", "sh\tx", "python3 a.py\rx", "bashx"]
)
def test_what_only_begins_like_a_command_is_not_run(command: str) -> None:
    assert printed_check(f"`{command}` should print `done`") is None


@pytest.mark.parametrize("path", ["class.py", "lib/2fa.py", "my-lib/a.py", "a b.py", "a.py/b", "a/.py", "$(x).py"])
def test_what_cannot_be_imported_is_not_called(path: str) -> None:
    assert example_check("f(1) should be 2", {"f": path}) is None


def test_words_of_a_request_stay_inside_of_their_quotes() -> None:
    text = """f("'; touch x; '") should be '$(touch y)', and foo("'`touch z`") -> "';touch w;'" """
    for check in (example_check(text, HOMES), script_check(text, HOMES, is_wanted=True)):
        assert check is not None
        assert len(shlex.split(check.command)) in {3, 4}
        assert not {"touch", "x", ";"} & set(shlex.split(check.command))


def test_the_middle_of_a_huge_request_is_not_read() -> None:
    size = 100_000
    noise = much("noise.py line ", before="Fix cart.py.\n", after="\nThe total in src/shop.py is wrong.")
    wish = understand(noise(size))
    assert wish.kind == "change"
    assert {"cart.py", "src/shop.py"} <= set(wish.files)
    assert len(wish.text) > size


@pytest.mark.parametrize(
    "text",
    [
        'parse(text) raises ValueError for texts like "abc".',
        'parse(text): texts like "abc" are invalid',
        'Make parse(text) reject texts like "1x" or "x"',
    ],
)
def test_what_a_function_should_refuse_is_not_given_to_it(text: str) -> None:
    assert smoke_check(text, "a.py", "parse(text)") is None
