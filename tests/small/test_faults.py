"""What is plainly missing in what a model wrote."""

import pytest

from ferrule.small.mends.faults import fault
from ferrule.small.mends.finish import (
    with_exports,
    with_factories,
    with_listed,
    with_tabs,
    without_trials,
)
from ferrule.small.words.wish import understand

CLI = """\
import argparse


def build():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    return parser


def show(file):
    print(file)


def main():
    given = build().parse_args()
    show(given.file)
"""
OPTION = '    parser.add_argument("--dry-run", action="store_true")\n    return parser\n'
WISH = understand("add a --dry-run option to cli.py")


def with_option(option: str, use: str = "", other: str = "") -> str:
    """What is said of the command line with one more option, and perhaps a use of it, here or in another file."""
    text = CLI.replace("    return parser\n", f"    {option}\n    return parser\n")
    text = text.replace("    show(given.file)\n", f"    show(given.file)\n{use and f'    {use}'}\n")
    return fault("cli.py", CLI, text, WISH, [other])


def test_an_option_that_nothing_uses_is_seen() -> None:
    said = with_option('parser.add_argument("-n", "--dry-run", action="store_true")')
    assert said.startswith("--dry-run is read now, but nothing uses `dry_run` yet.")


@pytest.mark.parametrize(
    ("option", "use", "other"),
    [
        ('parser.add_argument("--dry-run")', "print(given.dry_run)", ""),
        ('parser.add_argument("--dry-run")', "print(getattr(given, 'dry_run'))", ""),
        ('parser.add_argument("--dry-run")', 'print(vars(given)["dry_run"])', ""),
        ('parser.add_argument("--dry-run")', 'print(vars(given).get("dry_run"))', ""),
        ('parser.add_argument("--dry-run")', "", "def f(args):\n    return args.dry_run\n"),
        ('parser.add_argument("--dry-run", dest="really")', "", ""),
        ('parser.add_argument("--version", action="version", version="1")', "", ""),
        ('parser.add_argument("--dry-run", action=Own)', "", ""),
        ('parser.add_argument("other")', "", ""),
        ("parser.add_argument(*names)", "", ""),
        ('parser.add_argument("--c++")', "print(getattr(given, 'c++'))", ""),
    ],
)
def test_an_option_that_is_used_or_needs_no_use_is_right(option: str, use: str, other: str) -> None:
    assert with_option(option, use, other) == ""


@pytest.mark.parametrize("option", ["--c++", "--a.b", "--(", "--[x", "--größe", "--a\\\\b"])
def test_options_with_strange_names_break_nothing(option: str) -> None:
    assert option.replace("\\\\", "\\") in with_option(f'parser.add_argument("{option}")')


def test_what_was_there_before_is_nobodys_fault() -> None:
    before = CLI.replace("    return parser\n", OPTION)
    assert fault("cli.py", before, before + "\n\ndef other():\n    return 1\n", WISH, []) == ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("def f(a):\n    return a\n", "def f(a, b):\n    return a\n", "f has the parameter b now"),
        ("def f(a):\n    return a\n", "def f(a, *, b=1):\n    return a\n", "f has the parameter b now"),
        ("async def f(a): return a\n", "async def f(a, b): return a\n", "f has the parameter b now"),
        ("def f(a):\n    return a\n", "def f(a, b):\n    return a + b\n", ""),
        ("def f(a):\n    return a\n", "class C:\n    def f(self, a):\n        return a\n", ""),
        ("def f(a):\n    return a\n", "def f(a, b):\n    def g():\n        return b\n    return g\n", ""),
        ("def f(a):\n    return a\n", "def f(a):\n    return a\n\n\ndef g(b):\n    return 1\n", ""),
        ("def f(a, b):\n    return a\n", "def f(a, b):\n    return a + 1\n", ""),
        ("def f(a):\n    return a\n", "def f(a, b:\n    return a\n", ""),
        ("def f(a:\n", "def f(a, b):\n    return a\n", ""),
        ("def f(a): pass\n", "\0", ""),
    ],
)
def test_a_parameter_that_is_not_used_is_seen(before: str, after: str, said: str) -> None:
    found = fault("calc.py", before, after, WISH, [])
    assert found.startswith(said)
    assert bool(found) == bool(said)
    assert fault("calc.js", before, after, WISH, []) == ""


@pytest.mark.parametrize(
    ("text", "is_seen"),
    [
        ('"""Says it."""\nimport sys\n\n\ndef main():\n    print(1)\n', True),
        ("import sys\n\n\ndef main():\n    print(1)\n", True),
        ("def main():\n    print(1)\n\n\nmain()\n", False),
        ("def main():\n    print(1)\n\n\nif __name__ == '__main__':\n    main()\n", False),
        ("WORDS = ['a']\n", False),
    ],
)
def test_a_script_that_only_defines_something(text: str, is_seen: bool) -> None:
    found = fault("sos.py", None, text, understand("Write a script sos.py that prints SOS."), [])
    assert bool(found) == is_seen
    assert fault("sos.py", None, text, understand("Write a module sos.py with main()."), []) == ""


HELLO_TEST = 'def test_hello():\n    assert hello("Ann") == "Hello, Ann!"\n    assert bye() == "Bye."\n'


@pytest.mark.parametrize(
    ("body", "request_", "said"),
    [
        ("return 'Hello, Ann!'", "Fix hello.", "'Hello, Ann!' is right for one test only."),
        ("return f'Hello, {name}!'", "Fix hello.", ""),
        ("return 'Bye.'", "Fix hello.", ""),
        (
            "return name + ' (2)'",
            'It should end with the number, like "Ann (2)".',
            "' (2)' is right for the example only.",
        ),
        ("return name + ' (2)'", 'It should say "Ann (2)".', ""),
        ("return f'{name} ({count})'", 'It should end with the number, like "Ann (2)".', ""),
        ("return 'Hello, Ann!'", "hello always says 'Hello, Ann!'", ""),
    ],
)
def test_what_a_test_expects_is_not_written_down(body: str, request_: str, said: str) -> None:
    before = "def hello(name):\n    return name\n"
    found = fault("app.py", before, f"def hello(name):\n    {body}\n", understand(request_), [HELLO_TEST, "def f(:"])
    assert found.startswith(said)
    assert bool(found) == bool(said)


TAKES = "Write a script that takes a file name as an argument and counts its lines"


@pytest.mark.parametrize(
    ("path", "request_", "text", "place"),
    [
        ("count.py", TAKES, "print(len(open('data.txt').readlines()))\n", "sys.argv"),
        ("count.js", TAKES, "console.log(1);\n", "process.argv"),
        ("count.sh", TAKES, "wc -l data.txt\n", '"$1"'),
        ("count.py", "a small program that reads command line arguments", "print(1)\n", "sys.argv"),
        ("count.py", TAKES, "import sys\nprint(sys.argv[1])\n", ""),
        ("count.py", TAKES, "import argparse\n", ""),
        ("count.py", "`python count.py a.md` should count the words in it", "print(open('a.md'))\n", "sys.argv"),
        ("tools/count.py", "I call it like `./tools/count.py FILE`", "print(open('a.md'))\n", "sys.argv"),
        ("count.py", "`python count.py` and `python sum.py a.md` should say 3", "print(3)\n", ""),
        ("count.py", "`python count.py > out.txt` should say 3", "print(3)\n", ""),
        ("count.sh", TAKES, 'wc -l "$1"\n', ""),
        ("count.sh", TAKES, 'for one in "$@"; do wc -l "$one"; done\n', ""),
        ("count.js", TAKES, "const [, , name] = process.argv;\n", ""),
        ("count.txt", TAKES, "nothing\n", ""),
        ("count", TAKES, "nothing\n", ""),
        ("count.py", "Write a script that prints hello", "print('hello')\n", ""),
        ("count.py", "Write a function that takes a list as an argument", "def f(xs): pass\n", ""),
    ],
)
def test_a_script_that_takes_no_argument_is_seen(path: str, request_: str, text: str, place: str) -> None:
    said = f"{path} takes no argument yet: it has to read it from {place}." if place else ""
    assert fault(path, None, text, understand(request_), []) == said
    assert fault(path, "x = 1\n", text, understand(request_), []) == ""


@pytest.mark.parametrize(
    ("request_", "before", "after"),
    [
        (
            "Add a .gitignore for .venv, *.log, __pycache__ and budget.json.",
            ".venv\n",
            ".venv\n*.log\n__pycache__\nbudget.json\n",
        ),
        ("ignore .env and .env.local in .gitignore", "", ".env\n.env.local\n"),
        ("add a .gitignore (.DS_Store, debug.log, `*.csv`)", "", ".DS_Store\ndebug.log\n*.csv\n"),
        ("put __pycache__/ and .venv/ into .gitignore", "/.venv\n__pycache__\n", "/.venv\n__pycache__\n"),
        ("add a .gitignore for a .NET project", "bin/", "bin/\n"),
        ("add a .gitignore, see notes.txt and README.md", "bin/\n", "bin/\n"),
        ("a .gitignore that ignores the folder backups and all .pyc files", "*.pyc\n", "*.pyc\n.pyc\nbackups/\n"),
        ("a .gitignore for the build directory and the folder of logs", "", "build/\n"),
        ("add .env to .gitignore; .env holds keys", "a\n\n# b\n", "a\n\n# b\n.env\n"),
    ],
)
def test_an_ignore_file_has_all_that_the_request_names(request_: str, before: str, after: str) -> None:
    assert with_listed(".gitignore", before, understand(request_)) == after
    assert with_listed("deep/.gitignore", after, understand(request_)) == after


@pytest.mark.parametrize("path", ["gitignore.py", "ignore", ".env", "list.gitignore"])
def test_other_files_stay_as_they_are(path: str) -> None:
    assert with_listed(path, "x", understand("Add a .gitignore for .venv and *.log")) == "x"


@pytest.mark.parametrize(
    ("other", "said"), [("module.exports = { add };\n", "use require"), ("export const a = 1;\n", ""), ("", "")]
)
def test_a_new_module_is_of_the_kind_of_the_others(other: str, said: str) -> None:
    found = fault(
        "src/b.js", None, "export function b() {}\n", understand("create src/b.js with a function b"), [other]
    )
    assert (said in found, bool(found)) == (True, bool(said))


@pytest.mark.parametrize(
    ("request_", "text", "said"),
    [
        ("a dataclass Room in room.py", "class Room:\n    pass\n", "`@dataclass`"),
        ("a dataclass Room in room.py", "@dataclass\nclass Room:\n    name: str\n", ""),
        ("an enum Level in level.py", "class Level:\n    A = 1\n", "`Enum`"),
        ("an enum Level in level.py", "class Level(IntEnum):\n    A = 1\n", ""),
        ("a script x.py, use argparse", "import sys\n", "`argparse`"),
        ("a decorator timed in t.py", "def timed(f):\n    def g():\n        f()\n    return g\n", "functools.wraps"),
        ("a decorator timed in t.py", "def timed(f):\n    @wraps(f)\n    def g():\n        f()\n    return g\n", ""),
        ("a function in x.py", "def f():\n    pass\n", ""),
    ],
)
def test_a_new_file_without_what_it_is_to_be_made_with_is_seen(request_: str, text: str, said: str) -> None:
    found = fault("x.py", None, text, understand(f"Write {request_}"), [])
    assert (said in found and bool(found)) if said else not found


def test_a_makefile_gets_its_tabs() -> None:
    text = "OUT = out\n# how\ntest: out\n    python3 -m unittest\n\n  rm -r x\nclean:\n\trm -rf out\nX := 1\n  y\n"
    assert with_tabs("a/Makefile", text) == (
        "OUT = out\n# how\ntest: out\n\tpython3 -m unittest\n\n\trm -r x\nclean:\n\trm -rf out\nX := 1\n  y\n"
    )
    assert with_tabs("a.mk.txt", text) == text


def test_a_new_module_exports_as_the_others_do() -> None:
    text = "import { a } from './a.js';\n\nexport const big = (x) => a(x);\nexport default function low() {}\n"
    right = (
        "const { a } = require('./a.js');\n\nconst big = (x) => a(x);\nfunction low() {}\n\n"
        "module.exports = { big, low };\n"
    )
    assert with_exports("b.js", text, ["module.exports = { a };\n"]) == right
    assert with_exports("b.js", text, ["export const a = 1;\n"]) == text
    assert with_exports("b.mjs", text, ["module.exports = { a };\n"]) == text
    assert with_exports("b.js", right, ["exports.a = 1;\n"]) == right
    alone = "function low() {}\n\nmodule.exports = low;\n"
    assert with_exports("b.js", alone, ["module.exports = { a };\n"]) == alone.replace("low;", "{ low };")
    assert with_exports("b.js", alone, ["module.exports = a;\n"]) == alone
    kept = "function low() {}\n"
    assert with_exports("b.js", kept, ["module.exports = { a };\n"]) == f"{kept}\nmodule.exports = {{ low }};\n"
    assert with_exports("b.js", kept, ["export const a = 1;\n"]) == kept


TRIED = "def add(a, b):\n    return a + b\n\n\n# Example usage:\nprint(add(1, 2))\n"


@pytest.mark.parametrize(
    ("request_", "text", "is_cut"),
    [
        ("calc.py with add(a, b)", TRIED, True),
        ("a script calc.py that adds", TRIED, False),
        ("calc.py with add(a, b)", TRIED.replace("print", "@other\ndef shown(): pass\n\nprint"), True),
        ("calc.py with add(a, b) and shown()", TRIED.replace("print", "def shown(): pass\n\nprint"), False),
        ("calc.py with add(a, b)", TRIED.replace("print", "if __name__ == '__main__':\n    print"), False),
        ("calc.py with add(a, b)", "# Test of it\nprint(1)\n", False),
        ("calc.py with add(a, b)", TRIED.replace("# Example usage:", "# The sum of all:"), False),
    ],
)
def test_calls_that_only_try_a_new_module_are_left_out(request_: str, text: str, *, is_cut: bool) -> None:
    left = without_trials("calc.py", text, understand(f"Write {request_}."))
    assert left == ("def add(a, b):\n    return a + b\n" if is_cut else text)


def test_a_dataclass_makes_its_lists_itself() -> None:
    text = (
        "@dataclass\nclass Room:\n    name: str\n    plants: list[str] = []\n    size: dict = {}  # m\n    n: int = 3\n"
    )
    right = text.replace("= []", "= field(default_factory=list)").replace("= {}", "= field(default_factory=dict)")
    assert with_factories(text) == right
    assert with_factories("class Room:\n    plants: list = []\n") == "class Room:\n    plants: list = []\n"


@pytest.mark.parametrize(
    "code",
    [
        "    n: int\n\n    def all(self):\n        out: list[int] = []\n        return out\n",
        "    n: int\n\n\ndef all():\n    out: list[int] = []\n    return out\n",
        "    n: int\n\n\nclass Other:\n    out: list[int] = []\n",
        "    known: ClassVar[dict[str, int]] = {}\n",
    ],
)
def test_what_is_no_field_stays_as_it_is(code: str) -> None:
    text = f"@dataclass\nclass Room:\n{code}"
    assert with_factories(text) == text


def test_a_text_that_was_asked_for_is_not_lost() -> None:
    base = 'def reply(text):\n    return "Calm down!" if text else "Sure."\n'
    lost, told = 'def reply(text):\n    return "Sure."\n', ['He answers "Calm down!" or "Sure."']
    said = fault("a.py", base, lost, understand("The tests fail: Sure. != x"), [], told=told)
    assert said == "'Calm down!' is gone, and it was asked for. Keep what gives it."
    assert fault("a.py", base, lost, understand("The tests fail"), []) == ""
    assert fault("a.py", base, lost, understand("Leave the shouting out"), [], told=told) == ""
    assert fault("a.py", base, base, understand("The tests fail"), [], told=told) == ""


@pytest.mark.parametrize(
    ("request_", "text", "said"),
    [
        ('It prints "Added: milk". I want it like this: "Added #1: milk".', "f'Added: {text} #{id}'", "Added #"),
        ('It prints "Added: milk". I want it like this: "Added #1: milk".', "f'Added #{id}: {text}'", ""),
        ("It should say “Total: 12 EUR” at the end.", "print('Total:', total, 'EUR')", ""),
        ('It should print "12 EUR" at the end.', "print(total)", ""),
        ('It should print "Ada says 12" at the end.', "print(name, 'says', 12)", ""),
    ],
)
def test_a_text_that_is_shown_must_come_of_the_code(request_: str, text: str, said: str) -> None:
    words = fault("a.js", "x\n", text, understand(request_), [])
    assert words.endswith(f'Nothing gives "{said}" yet.') if said else words == ""


@pytest.mark.parametrize(
    ("body", "is_wrong"),
    [
        ("return nights * 60 + (12 if breakfast else 0)", True),
        ("return nights * 60 + 12 * nights * breakfast", False),
        ("return nights * (60 + 12)", False),
        ("return nights * 60 + EXTRA * nights", False),
    ],
)
def test_what_is_for_each_is_multiplied(body: str, is_wrong: bool) -> None:
    wish = understand("Add a parameter breakfast=False to price. If it is True, 12 euros per night are added.")
    base, text = (f"def price({given}):\n    {done}\n" for given, done in (
        ("nights", "return nights * 60"), ("nights, breakfast=False", f"{body} if breakfast else 0"),
    ))  # fmt: skip
    words = fault("a.py", base, text, wish, [])
    assert words == ("It is 12 for each night, so 12 has to be multiplied with nights." if is_wrong else "")


def test_a_module_that_is_one_function_gives_it_as_the_others_do() -> None:
    text = "module.exports = function low(x) {\n  return x;\n};\n"
    right = "function low(x) {\n  return x;\n};\n\nmodule.exports = { low };\n"
    assert with_exports("b.js", text, ["module.exports = { a };\n"]) == right
    assert with_exports("b.js", text, ["module.exports = function a() {};\n"]) == text


@pytest.mark.parametrize(
    ("request_", "text", "others", "said"),
    [
        (
            "I need a function to_kmh(knots) here.",
            "KMH = 1.852\n",
            [],
            "There is no function to_kmh(knots) yet. Write it.",
        ),
        ("I need a function to_kmh(knots) here.", "def to_kmh(knots):\n    return knots * KMH\n", [], ""),
        ("Let the function show use to_kmh(knots).", "KMH = 1.852\n", ["def to_kmh(knots): ...\n"], ""),
        ("Set KMH to 1.852, it is what to_kmh(knots) needs.", "KMH = 1.852\n", [], ""),
        ("The function to_kmh(knots) is wrong, fix it.", "KMH = 1.852\n", [], ""),
    ],
)
def test_a_function_that_is_not_there_is_missed(request_: str, text: str, others: list[str], said: str) -> None:
    assert fault("units.py", "KMH = 1\n", text, understand(request_), others) == said


PRICES = "FULL = 1200\nREDUCED = 700\n\n\ndef price(age):\n    return REDUCED if age < 18 else FULL\n"
MORE = f"{PRICES}\n\ndef price_of_the_old(age):\n    return REDUCED if age < 18 else FULL\n"


@pytest.mark.parametrize(
    ("text", "request_", "others", "said"),
    [
        (MORE, "visitors of 65 and older should pay the reduced price too", [], "Nobody calls price_of_the_old."),
        (MORE, "add a function for the price of the old", [], ""),
        (MORE, "price_of_the_old is missing", [], ""),
        (MORE, "visitors of 65 and older should pay the reduced price too", ["from a import price_of_the_old"], ""),
        (f"{MORE}\n\nprint(price_of_the_old(70))\n", "the old should pay the reduced price", [], ""),
        (MORE.replace("def price_", "@app.get\ndef price_"), "the old should pay the reduced price", [], ""),
        (PRICES.replace("< 18", "< 18 or age >= 65"), "the old should pay the reduced price", [], ""),
    ],
)
def test_a_function_that_nobody_wants_or_calls_is_no_change(
    text: str, request_: str, others: list[str], said: str
) -> None:
    found = fault("prices.py", PRICES, text, understand(request_), others)
    assert found.startswith(said)
    assert bool(found) is bool(said)


@pytest.mark.parametrize(
    ("asked", "there", "said"),
    [
        ("Write test_a.py with two tests for f", 1, "test_a.py has 1 test so far, and two were asked for"),
        ("Write test_a.py with 3 small tests for f", 2, "test_a.py has 2 tests so far, and 3 were asked for"),
        ("Write test_a.py with two tests for f", 2, ""),
        ("Write test_a.py, which tests two numbers", 1, ""),
    ],
)
def test_fewer_tests_than_were_asked_for_are_seen(asked: str, there: int, said: str) -> None:
    text = "".join(f"def test_{number}():\n    assert f({number})\n" for number in range(there))
    found = fault("test_a.py", None, text, understand(asked), [])
    assert found.startswith(said) if said else not found


ANSWERS = 'He says one of these:\n\n- **"Sure."** to a question\n- **"No."** to a shout\n- "Fine." to nothing\n'


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f(x):\n    return 'Sure.' if x else 'Fine.'\n", 'The code has "No." nowhere, and the request lists it.'),
        ("def f(x):\n    return {1: 'Sure.', 2: 'No.'}.get(x, 'Fine.')\n", ""),
        ("def f(x):\n    return 'Sure.'\n", ""),
    ],
)
def test_a_text_that_a_list_has_and_the_code_has_not_is_seen(code: str, said: str) -> None:
    for base in (None, "def f(x):\n    pass\n"):
        found = fault("a.py", base, code, understand(f"{ANSWERS}\nFill in a.py."), [])
        assert found.startswith(said) if said else not found


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        (
            "a.js",
            "function fits(game, players) {\n  return game.free > 2;\n}\n",
            "fits(game, players) does not use players",
        ),
        ("a.py", "def fits(game, players):\n    return game > 2\n", "fits(game, players) does not use players yet."),
        ("a.js", "function fits(game, players) {\n  return game.min <= players;\n}\n", ""),
        ("a.js", "const fits = (game, players) => game.min <= players;\n", ""),
        ("a.py", "def fits(game):\n    return game > 2\n", ""),
    ],
)
def test_what_a_new_function_is_given_in_vain_is_seen(path: str, code: str, said: str) -> None:
    wish = understand(f"Make {path} with a function fits(game, players) that returns true if it fits.")
    found = fault(path, None, code, wish, [])
    assert found.startswith(said) if said else not found
