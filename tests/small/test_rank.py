"""The files that a request is about are found: in projects of the task suite, and by their names."""

import re
import tomllib
from pathlib import Path

import pytest

from ferrule.bench.task import load_task
from ferrule.small.words.rank import is_prose, is_test, mentions, named, odd_signs, pattern, ranked, terms
from ferrule.small.words.seen import Hit
from ferrule.small.words.wish import understand

TASKS = Path(__file__).parents[2] / "bench" / "tasks"
FOUND_BY_RUNNING = {"shop-cart-test", "notes-no-file", "bot-npm-test"}
PATHS = ["src/shop/cart.py", "src/shop/price.py", "tests/test_cart.py", "docs/cart.md", "my notes.txt", "README.md"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("fix cart.py", ["src/shop/cart.py"]),
        ("fix src/shop/price.py", ["src/shop/price.py"]),
        ("explain the README", ["README.md"]),
        ("explain src/shop", ["src/shop/cart.py", "src/shop/price.py"]),
        ("shorten 'my notes.txt'", ["my notes.txt"]),
        ("what is in `test_cart`?", ["tests/test_cart.py"]),
        ('File "/home/me/ours/src/shop/cart.py", line 3', ["src/shop/cart.py"]),
        ("fix nothing.py", []),
    ],
)
def test_files_that_are_named(text: str, found: list[str]) -> None:
    assert named(understand(text), PATHS) == found


def test_kinds_of_files() -> None:
    assert [is_test(one) for one in PATHS] == [False, False, True, False, False, False]
    assert [is_prose(one) for one in PATHS] == [False, False, False, True, True, True]
    assert [is_test(one) for one in ("a_test.go", "a.spec.ts", "latest.py", "contest/x.py")] == [
        True,
        True,
        False,
        False,
    ]


def test_names_are_searched_for_before_words() -> None:
    wish = understand("Why does `Cart.total` ignore the shipping costs?")
    assert terms(wish)[:2] == ["Cart", "total"]
    assert "ship" in terms(wish)
    assert pattern(["a.b", "shipping"]) == r"a\.b|shipping"


@pytest.mark.parametrize(
    ("line", "number"), [("PORT = 1", 1), ("server_port: 80", 1), ("serverPort", 1), ("import x", 0)]
)
def test_short_words_are_found_where_words_begin(line: str, number: int) -> None:
    assert mentions("port", line) == number
    assert len(re.findall(pattern(["port"]), line, re.IGNORECASE)) == number


def test_where_a_thing_is_defined_counts_most() -> None:
    hits = [
        Hit(path="src/a.py", number=1, text="    total(1)"),
        Hit(path="src/b.py", number=1, text="def total(x):"),
        Hit(path="docs/c.md", number=1, text="def total(x):"),
    ]
    order = [
        path for path, _ in ranked(understand("what does total() do?"), ["src/a.py", "src/b.py", "docs/c.md"], hits)
    ]
    assert order[0] == "src/b.py"


def found_in(root: Path, text: str) -> list[str]:
    """The files of a project, the likeliest first, as a search of its lines finds them."""
    wish = understand(text)
    texts = {str(one.relative_to(root)): one.read_text() for one in sorted(root.rglob("*")) if one.is_file()}
    hits = [
        Hit(path=path, number=number, text=line)
        for path, content in texts.items()
        for number, line in enumerate(content.splitlines(), 1)
        if any(term.lower() in line.lower() for term in terms(wish))
    ]
    by_score = [path for path, _ in ranked(wish, list(texts), hits)]
    return list(dict.fromkeys([*named(wish, list(texts)), *by_score]))


def changes() -> list[tuple[str, str]]:
    """The tasks that change a file that is there, each with its request; not those whose test has to be run for it."""
    tasks = [(path.parent, tomllib.loads(path.read_text())) for path in sorted(TASKS.glob("*/task.toml"))]
    return [
        (path.name, task["request"])
        for path, task in tasks
        if task["kind"] in {"edit", "fix"} and path.name not in FOUND_BY_RUNNING
    ]


@pytest.mark.parametrize(("task", "text"), changes())
def test_the_file_that_has_to_change_is_among_the_first(task: str, text: str, tmp_path: Path) -> None:
    root = TASKS / task
    load_task(root / "task.toml").lay_out(tmp_path)
    solved = [str(one.relative_to(root / "solution")) for one in (root / "solution").rglob("*") if one.is_file()]
    first = [path for path in found_in(tmp_path, text) if not is_test(path)][:3]
    assert set(first) & set(solved)


def test_the_number_that_is_to_be_replaced_tells_the_file() -> None:
    hits = [
        *(Hit(path="board.py", number=at, text="self.columns = columns") for at in range(5)),
        Hit(path="options.py", number=1, text="COLUMNS = 9"),
    ]
    order = ranked(understand("the default board should be 12 columns wide, not 9"), ["board.py", "options.py"], hits)
    assert order[0][0] == "options.py"


def test_what_a_test_is_about_is_done_in_the_file_that_it_tests() -> None:
    hits = [Hit(path="tests/test_router.py", number=1, text="handle(delete).status")]
    paths = ["app/router.py", "tests/test_router.py"]
    assert {path for path, _ in ranked(understand("Which status does DELETE get?"), paths, hits)} == set(paths)


def test_files_of_tests_are_told_by_their_names() -> None:
    tests = ("test.js", "tests.py", "src/test.ts", "test/a.js", "test_a.py", "a.test.js", "a_test.go")
    assert all(map(is_test, tests))
    assert not any(map(is_test, ("latest.js", "contest.py", "testing.py", "src/spectrum.py")))


def test_what_defines_a_named_function_comes_before_what_is_called_like_a_word() -> None:
    found = [
        Hit(path="report.py", number=1, text="from summary import worked"),
        Hit(path="report.py", number=2, text="    print(entry.day, worked(entry))"),
        Hit(path="summary.py", number=3, text="def worked(entry):"),
    ]
    wish = understand("The report shows -16:30. Please fix worked().")
    assert next(path for path, _ in ranked(wish, ["report.py", "summary.py"], found)) == "summary.py"


def test_a_text_that_is_quoted_tells_the_file() -> None:
    found = [
        Hit(path="fuel/log.py", number=1, text='"""Reads the log of refuels."""'),
        Hit(path="fuel/report.py", number=6, text='        return "no data"'),
    ]
    wish = understand('For an empty log it says "no data" where refuels should be.')
    assert ranked(wish, ["fuel/log.py", "fuel/report.py"], found)[0][0] == "fuel/report.py"


def test_a_number_of_another_unit_tells_the_file() -> None:
    found = [
        Hit(path="parcel.py", number=1, text="class Parcel:"),
        Hit(path="rates.py", number=6, text="MAX_GRAMS = 20000"),
    ]
    wish = understand("The post office now takes parcels up to 30 kg, not just 20 kg.")
    assert "20000" in terms(wish)
    assert ranked(wish, ["parcel.py", "rates.py"], found)[0][0] == "rates.py"


def test_odd_signs_are_searched_for() -> None:
    assert "ß" in terms(understand("Which file replaces ß by ss?"))
    assert odd_signs("Ten € → 5 °C, “naïve” – and été…") == ["€", "→"]


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("In which file is it decided who gets an A or a B?", ["A", "B"]),
        ("where is grade F given", ["F"]),
        ("What does the 'Q' key do?", ["Q"]),
        ("A button is missing, and I want C++ and a C# file", []),
        ("Which part of class A.b is it, and may I or U do it?", ["U"]),
    ],
)
def test_letters_that_are_spoken_of_are_searched_for(text: str, letters: list[str]) -> None:
    assert [one for one in terms(understand(text)) if len(one) == 1] == letters


def test_code_may_spell_a_word_otherwise() -> None:
    assert [one for one in terms(understand("Where is the colour of the footer set?")) if "col" in one] == [
        "colour",
        "color",
    ]


@pytest.mark.parametrize(("line", "number"), [('(90, "A"),', 1), ("'A': 1, 'a': 2", 1), ("A = 1", 0), ("ABBA", 0)])
def test_a_letter_stands_in_quotes(line: str, number: int) -> None:
    assert mentions("A", line) == number
    assert len(re.findall(pattern(["A"]), line)) == number


def test_words_of_a_quoted_text_are_searched_for_as_they_are() -> None:
    found = terms(understand('At the bottom it says "3 things left". In which file is that put together?'))
    assert found[:2] == ["thing", "left"]
