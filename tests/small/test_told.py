"""What a request says so plainly of a function that no model is needed."""

from pathlib import Path

import pytest

from ferrule.small.mends.told import as_told as changes
from tests.server import ModelServer
from tests.small.led import answer, opened

ROWS = (
    "class Counter:\n    def rows_left(self):\n        return self.rows - self.done + 1\n\n"
    "    def next_row(self):\n        return self.done + 1\n"
)
DUE = (
    "def is_due(last, today):\n"
    '    """Whether today >= the day."""\n'
    "    if last is None:\n        return True\n    return today > last + 3\n"
)
AGE = "// How old: now - then.\nfunction ageIn(person, year) {\n  return person.year - year;\n}\n"
SHOW = 'def show(tasks):\n    for number, task in enumerate(tasks):\n        print(f"{number}. {task}")\n'
PLAN = "def draw(rows):\n    for row in range(1, rows):\n        print(row, *range(1, 9 + 1))\n"
ROTATE = '# less than MIN_BYTES\nif [ "$size" -gt "$MIN_BYTES" ]; then\n    exit 0\nfi\n'
PRICE = "def shipping(total):\n    return 0 if total < 50 else 5\n"
LABEL = (
    'def label(text):\n    score = len(text)\n    if score > 3:\n        word = "a"\n    else:\n        word = "b"\n'
)
TALLY = "def tally(words):\n    seen = {}\n    for word in words:\n        seen[word] = seen.get(word, 1) + 1\n"
STEPS = "def tally(words):\n    seen = 1\n    for word in words:\n        seen += 1\n    return seen\n"
COUNT = "def count(words):\n    if not words:\n        return 0\n    number = len(words)\n"


def as_told(said: str, path: str, text: str) -> str:
    found = changes(said, {path: text})
    return found[0][2] if len(found) == 1 else text


def test_the_one_that_is_said_to_be_too_many_goes() -> None:
    said = "rows_left in counter.py is always one too many"
    assert as_told(said, "counter.py", ROWS) == ROWS.replace("self.done + 1", "self.done", 1)
    short = "def half(x):\n    return x // 2 - 1\n"
    assert as_told("half is one too low", "a.py", short) == "def half(x):\n    return x // 2\n"
    rest = "def to_delete(names, keep):\n    return sorted(names)[keep - 1:]\n"
    assert as_told("to_delete deletes one file too many", "a.py", rest).endswith("[keep:]\n")


@pytest.mark.parametrize(
    ("said", "path", "text", "was", "right"),
    [
        (
            "is_due in due.py is wrong for a plant watered exactly 3 days ago. Fix it.",
            "due.py",
            DUE,
            "> last",
            ">= last",
        ),
        ("is_due is true one day too late, fix that", "due.py", DUE, "> last", ">= last"),
        ("The ages of ageIn are negative, please fix it", "dates.js", AGE, "person.year - year", "year - person.year"),
        (
            "The list should start at 1, please fix show.py",
            "show.py",
            SHOW,
            "(tasks):\n        p",
            "(tasks, 1):\n        p",
        ),
        ("It should only leave a log with less than MIN_BYTES bytes", "rotate.sh", ROTATE, "-gt", "-lt"),
        ("shipping is wrong: it is free if one pays more than 50", "shop.py", PRICE, "< 50", "> 50"),
        ("label() prints None for every word. Fix label.", "a.py", LABEL, '"b"\n', '"b"\n    return word\n'),
        ("The numbers of show are one too small", "show.py", SHOW, "enumerate(tasks)", "enumerate(tasks, 1)"),
        ("the plan never shows the last row, can you fix that?", "a.py", PLAN, "1, rows", "1, rows + 1"),
        ("Fix it: the last row of seats is missing", "a.py", PLAN, "1, rows", "1, rows + 1"),
        ("Fix it: it doesn't print the last row", "a.py", PLAN.replace("1, rows", "rows - 1"), "rows - 1", "rows"),
        ("Bug: the last word gets left out", "a.py", "def f(x):\n    return x[:-1]\n", "[:-1]", ""),
        ("tally counts one too many for each word", "a.py", TALLY, "word, 1", "word, 0"),
        ("tally is one too high", "a.py", STEPS, "seen = 1", "seen = 0"),
        ("tally is one too high", "a.py", STEPS.replace("= 1", "= 0", 1).replace("seen\n", "seen + 1\n"), " + 1", ""),
        ("count always returns None", "a.py", COUNT, "len(words)\n", "len(words)\n    return number\n"),
    ],
)
def test_what_is_said_is_put_right(said: str, path: str, text: str, was: str, right: str) -> None:
    assert as_told(said, path, text) == text.replace(was, right)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("It is one too many", ROWS),
        ("rows_left is wrong", ROWS),
        ("rows_left is off by one", ROWS),
        ("rows_left and next_row are one too many", ROWS),
        ("half is one too many", "def half(x):\n    y = x + 1\n    return y + 1\n"),
        ("half is one too many", "def half(x):\n    return x + 10\n"),
        ("tally is one too many", TALLY.replace("word, 1", "word, 0")),
        ("tally is one too few", STEPS),
        ("Let is_due take exactly two dates", DUE),
        ("shipping is wrong: it is free if one pays less than 50", PRICE),
        ("Let shipping be free for more than 50", PRICE),
        ("is_due is wrong on Mondays, fix it", DUE),
        ("fix fits, it is wrong for exactly 3", "def fits(x):\n    return 1 < x and x < 3\n"),
        ("fix fits, it is wrong for exactly 3", "def fits(x):\n    while x < 3:\n        x += 1\n    return x\n"),
        ("fix fits, it is wrong for exactly 3", 'def fits(x):\n    return f"{x} < 3"  # x < 3\n'),
        ("Do not show the last row", PLAN),
        ("It gives 23 for 2, not 5", "def add(a, b):\n    return a + b\n"),
        ("For 2 and 3 it is 23, and not 6", "def add(a, b):\n    return a + b\n"),
        ("For 2 and 3 it is 23, and not 5", 'def add(a, b):\n    return a + "b"\n'),
        ("Fix it: since the last release it is slow", PLAN),
        ("Bug: the last row is missing", "def f(x):\n    return x[1:]\n"),
        ("count returns None for words without a capital", "def count(words):\n    return len(words)\n"),
    ],
)
def test_what_is_not_plain_stays(said: str, text: str) -> None:
    assert as_told(said, "a.py", text) == text


async def test_it_is_done_without_the_model(project: Path, server: ModelServer) -> None:
    (project / "counter.py").write_text(ROWS)
    async with opened(project, server) as session:
        await session.prompt("rows_left in counter.py is one too many: with 10 of 10 rows done it says 1. Fix it.")
        assert answer(session) == "Changed counter.py."
    assert (project / "counter.py").read_text() == ROWS.replace("self.done + 1", "self.done", 1)
    assert server.requests == []
