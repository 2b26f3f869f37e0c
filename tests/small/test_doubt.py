"""What a model doubts when it copies: with a server that says what else it could have written."""

import math
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from ferrule.small.doubt import Doubt, _take_over, complains
from ferrule.small.likelihood import likelihood
from ferrule.small.mends.possible import possible
from ferrule.small.mends.slips import Trial
from ferrule.small.moves import Move, Piece
from ferrule.small.profile import Profile
from ferrule.small.words.wish import understand
from ferrule.small.work import Work
from tests.server import ModelServer
from tests.small.led import answer, asked, block, calls, opened

STOCK = (
    '"""What is in stock."""\n\nLEVEL = 10\n\n\ndef is_low(count, level=LEVEL):\n    return count < level\n\n\n'
    "def label(count):\n    if is_low(count):\n        return 'low'\n    return 'enough'\n"
)
REQUEST = "is_low in stock.py is wrong: a count that is just at the level is low as well."
AT_THE_LEVEL = STOCK.replace("count < level", "count <= level")
DOUBTS = {" <": {" <=": -1.0, " >": -3.0}, " level": {" count": -4.0}}


@pytest.fixture
def stock(project: Path) -> Path:
    (project / "stock.py").write_text(STOCK)
    return project


async def test_what_a_model_would_rather_have_is_written(stock: Path, server: ModelServer) -> None:
    server.doubts = DOUBTS
    async with opened(stock, server) as session:
        await session.prompt(REQUEST)
        assert answer(session) == "Changed stock.py."
        assert calls(session)[-1] == ("edit", "stock.py")
    assert (stock / "stock.py").read_text() == AT_THE_LEVEL
    assert not server.requests  # nothing had to be written
    assert "just at the level" in str(server.copies[0].body["messages"])


async def test_a_name_that_nobody_knows_there_is_not_written(project: Path, server: ModelServer) -> None:
    notes = (
        "def get(store, number):\n    note = store.get(number)\n    return note\n\n\n"
        "def delete(store, number):\n    store.remove(number)\n    return 200\n"
    )
    right = notes.replace("    store.remove", "    if not store.get(number):\n        return 404\n    store.remove")
    (project / "notes.py").write_text(notes)
    server.doubts = {" store": {" note": 0.0}, "store": {"note": 0.0}}
    async with opened(project, server, block(right, "notes.py")) as session:
        await session.prompt("delete in notes.py is wrong: it fails with KeyError: 9 where there is none.")
    assert (project / "notes.py").read_text() == right


async def test_who_cannot_say_it_writes(stock: Path, server: ModelServer) -> None:
    mended = "def is_low(count, level=LEVEL):\n    return count <= level\n"
    async with opened(stock, server, block(mended, "stock.py"), block(mended, "stock.py")) as session:
        await session.prompt(REQUEST)
        (stock / "stock.py").write_text(STOCK)
        await session.prompt(REQUEST)
    assert (stock / "stock.py").read_text() == AT_THE_LEVEL
    assert len(server.copies) == 1  # a server that refuses is not asked again
    assert [one.refused for one in server.requests] == ["", ""]


async def test_what_is_hardly_doubted_is_taken_where_nothing_is_written(stock: Path, server: ModelServer) -> None:
    server.doubts = {" <": {" <=": -3.2}}
    same = "def is_low(count, level=LEVEL):\n    return count < level\n"
    async with opened(stock, server, block(same, "stock.py")) as session:
        await session.prompt(REQUEST)
        assert answer(session) == "Changed stock.py."
    assert (stock / "stock.py").read_text() == AT_THE_LEVEL
    assert len(server.requests) == 1
    assert "does not do yet what is wanted" in asked(server)


async def test_what_is_hardly_doubted_is_asked_for_more_than_once(stock: Path, server: ModelServer) -> None:
    server.doubts = {" <": {" <=": -6.5}}
    same = "def is_low(count, level=LEVEL):\n    return count < level\n"
    other = "def is_low(count, level=LEVEL):\n    return not count > level\n"
    async with opened(stock, server, block(same, "stock.py"), block(other, "stock.py")) as session:
        await session.prompt(REQUEST)
    assert "not count > level" in (stock / "stock.py").read_text()


async def test_a_test_chooses_among_doubts(stock: Path, server: ModelServer) -> None:
    server.doubts = {" <": {" >": -0.1, " <=": -4.0}}
    (stock / "test_stock.py").write_text(
        "import unittest\n\nfrom stock import is_low\n\n\nclass TestStock(unittest.TestCase):\n"
        "    def test_level(self):\n        self.assertTrue(is_low(10))\n        self.assertFalse(is_low(11))\n"
    )
    async with opened(stock, server) as session:
        await session.prompt("test_level in test_stock.py fails. Please fix stock.py.")
        assert answer(session).startswith("Changed stock.py. Checked: ")
    assert (stock / "stock.py").read_text() == AT_THE_LEVEL
    assert not server.requests


async def test_a_crash_chooses_among_what_is_likely(project: Path, server: ModelServer) -> None:
    code = "import csv\n\nfor row in csv.DictReader(open('scores.csv')):\n    print(row['points'])\n"
    (project / "report.py").write_text(code)
    (project / "scores.csv").write_text("name,score\nAda,3\n")
    line = "\n    print(row['points'])"
    server.doubts = {line: {line.replace("points", "score"): -3.0, line.replace("points", "name"): -9.0}}
    async with opened(project, server) as session:
        await session.prompt("`python3 report.py` crashes with KeyError: 'points'. Fix it.")
        assert answer(session).startswith("Changed report.py. Checked: ")
    assert (project / "report.py").read_text() == code.replace("points", "score")
    assert not server.requests


def test_what_is_put_in_order_may_be_meant_the_other_way_round() -> None:
    code = "def newest(posts):\n    return sorted(posts, key=age)[:5]\n\n\nnames.sort(reverse=True)\n"
    lines = {one.line for one in possible("pages.py", code, None, [], {})}
    assert {"    return sorted(posts, key=age, reverse=True)[:5]", "names.sort()"} <= lines


@pytest.mark.parametrize("call", ["line.split(' ', 1)", "line.split(' ')", "line.split(' ', maxsplit=1)"])
def test_what_is_cut_in_two_may_have_nothing_to_cut_at(call: str) -> None:
    code = f"def parse(line):\n    tag, value = {call}\n    return tag, value\n"
    told = "ValueError: not enough values to unpack (expected 2, got 1)"
    cut = Trial(1, "    tag, _, value = line.partition(' ')")
    assert cut in possible("tree.py", code, None, [told], {})
    assert cut not in possible("tree.py", code, None, ["ValueError"], {})


async def test_what_is_doubted_in_two_lines_is_put_right_in_both(project: Path, server: ModelServer) -> None:
    rows, columns = "    for r in range(row, row + 1):\n", "        for c in range(column, column + 1):\n"
    code = f"def near(row, column):\n{rows}{columns}            yield r, c\n"
    (project / "board.py").write_text(code)
    server.doubts = {" 1):": {" 2):": -0.2}}
    async with opened(project, server) as session:
        await session.prompt("near in board.py is wrong: what is below and to the right is left out.")
    assert (project / "board.py").read_text() == code.replace("+ 1", "+ 2")
    assert len(server.copies) == 3


async def test_an_example_is_not_enough_for_what_is_unlikely(stock: Path, server: ModelServer) -> None:
    server.doubts = {" <": {" >": -2.0}}
    mended = "def is_low(count, level=LEVEL):\n    return count <= level\n"
    async with opened(stock, server, block(mended, "stock.py")) as session:
        await session.prompt("is_low(11, 10) in stock.py gives False, but it should be True. Fix it.")
    assert len(server.requests) >= 1


async def test_whoever_names_a_function_means_its_file(stock: Path, server: ModelServer) -> None:
    (stock / "other.py").write_text("def low_ones(counts):\n    return [one for one in counts if one < 10]\n")
    server.doubts = {" <": {" <=": -9.0}, " one": {" two": -0.1}, " 10]": {" 11]": -0.1}}
    same = "def is_low(count, level=LEVEL):\n    return count < level\n"
    async with opened(stock, server, *[block(same, "stock.py")] * 4) as session:
        await session.prompt("There is a bug in is_low: low ones that are just at the level are none.")
    assert (stock / "other.py").read_text().endswith("if one < 10]\n")


async def test_what_begins_alike_is_told_apart(project: Path, server: ModelServer) -> None:
    code = "def mean(values):\n    total = sum(values)\n    count = len(values)\n    result = total / count\n"
    (project / "means.py").write_text(code)
    server.doubts = {"\n```": {"\n    return": -0.6}, " total": {" result": -0.1}, " count": {" result": -0.1}}
    async with opened(project, server) as session:
        await session.prompt("There is a bug in means.py: whoever calls mean has no use of it.")
    assert (project / "means.py").read_text() == code + "    return result\n"


async def test_what_is_asked_for_anew_is_not_looked_for_among_slips(stock: Path, server: ModelServer) -> None:
    server.doubts = DOUBTS
    more = "def is_out(count):\n    return count == 0\n"
    async with opened(stock, server, block(more, "stock.py")) as session:
        await session.prompt("Add a function is_out(count) to stock.py that says whether nothing is left.")
    assert not server.copies
    assert "is_out" in (stock / "stock.py").read_text()


async def test_who_says_no_is_not_asked_for_another_line(stock: Path, server: ModelServer) -> None:
    server.doubts = DOUBTS
    async with opened(stock, server, mode="plan") as session:
        await session.prompt(REQUEST)
        assert answer(session).startswith("Nothing was changed.")
    assert (stock / "stock.py").read_text() == STOCK
    assert not server.requests


def pieces(*words: tuple[str, dict[str, float]]) -> list[Piece]:
    return [(word, ((word, -1.0), *others.items())) for word, others in words]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("a >= b\n", 0.5),  # in one piece what is written in two
        ("a < b\n", -1.0),
        ("a > c\n", -2.0),
        ("a = b\n", -30.0),  # never thought of
    ],
)
def test_how_likely_another_text_is(other: str, expected: float) -> None:
    said = pieces(("a", {}), (" >", {" >=": -0.5, " <": -2.0}), (" b", {" c": -3.0}), ("\n", {}))
    assert likelihood(said, other) == pytest.approx(expected)


def test_what_is_written_may_come_in_other_pieces() -> None:
    said = pieces(("f(x", {}), (")", {")\n": -0.1}), ("\n", {" -": -0.2}))
    both = math.exp(-0.1) + math.exp(-2.0)
    assert likelihood(said, "f(x) - 1\n") == pytest.approx(math.log(math.exp(-1.2) / both))


@pytest.mark.parametrize(
    ("path", "text", "other"),
    [
        ("a.sh", 'if [ "$size" -gt "$MOST" ]; then\n', 'if [ "$size" -lt "$MOST" ]; then'),
        (
            "a.js",
            "const open = cards.filter((card) => card.done);\n",
            "const open = cards.filter((card) => !card.done);",
        ),
        ("a.py", "def f(name):\n    return ending(name) in KNOWN\n", "    return ending(name).lower() in KNOWN"),
        (
            "a.py",
            'def up(x):\n    ...\n\n\ndef trim(x):\n    ...\n\n\nT = {\n    "trim": up,\n}\n',
            '    "trim": trim,',
        ),
        (
            "a.py",
            "DAY = 1\nNIGHT = 2\n\n\ndef f(hour):\n    if hour < 20:\n        return DAY\n",
            "        return DAY\n    return NIGHT",
        ),
        ("a.py", "def f(x):\n    if not x:\n        return 0\n    g(x)\n", "    return g(x)"),
        ("a.py", "def f(number):\n    return g(number)\n", "    return g(number + 1)"),
    ],
)
def test_what_lines_could_be(path: str, text: str, other: str) -> None:
    assert other in [one.line for one in possible(path, text, None, [], {path: text})]


def test_a_loop_over_names_needs_no_small_letters() -> None:
    text = "for name in names:\n    print(name)\n"
    assert not any(".lower()" in one.line for one in possible("a.py", text, None, [], {"a.py": text}))


@pytest.mark.parametrize(
    ("request_", "is_wrong"),
    [
        ("rows_left in knit.py is always one too many.", True),
        ("`convert 100 C F` prints 148 F, but 100 degrees are 212.", True),
        ("python -m unittest stops with KeyError: 'prio'. Make it pass.", True),
        ("winner() doesn't notice a diagonal.", True),
        ("The summary says: None, and I want a number.", True),
        ("water_change always takes 25 percent. Give it a second parameter percent with the default 25.", False),
        ("Add a function total(items). It should return the sum of the prices.", False),
        ("deposit() should raise a ValueError if the amount is negative.", False),
        ("Add leader(a, b), which returns None if they are equal.", False),
    ],
)
def test_who_complains(request_: str, is_wrong: bool) -> None:
    assert complains(understand(request_)) == is_wrong


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("class A:\n    def __init__(self, all=[]):\n        self.all = all\n", "        self.all = list(all)"),
        ("def f(x, seen={}):\n    seen[x] = 1\n", "    seen = dict(seen)\n    seen[x] = 1"),
        ("def f(x, seen={}, /, *, all=[]):\n    all.append(x)\n", "    all = list(all)\n    all.append(x)"),
        ("def f(x, seen={1}): return seen\n", None),
        ("def f(x, seen=None):\n    known = seen\n", None),
    ],
)
def test_what_is_shared_by_default_may_have_to_be_copied(text: str, line: str | None) -> None:
    lines = [one.line for one in possible("a.py", text, None, [], {})]
    assert line in lines if line else not any(re.search(r"(?:list|dict|set)\(", one) for one in lines)


def never_again() -> Generator[Move, Any, list[Doubt]]:
    yield from ()
    return []


def test_what_is_hardly_doubted_is_forgotten() -> None:
    work = Work(understand("f is wrong"), Profile(), ())
    work.texts["a.py"] = "x = 1\n"
    for likely, is_kept in ((-9.0, False), (-6.0, True)):
        assert list(_take_over(work, "a.py", [(likely, Trial(0, "x = 2"))], never_again, ())) == []
        assert bool(work.doubted) is is_kept
