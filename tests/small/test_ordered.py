"""What is put in order the wrong way round."""

from pathlib import Path

import pytest

from ferrule.small.code.rename import is_setting, resetting
from ferrule.small.hints import orders
from ferrule.small.mends.ordered import speaks_of_order, turned_round
from tests.server import ModelServer
from tests.small.led import answer, opened


@pytest.mark.parametrize(
    ("request_", "is_so"),
    [
        ("top.sql lists the customers who spent the least, not the ones who spent the most", True),
        ("The list shows the oldest post first instead of the newest", True),
        ("The ranking is in the wrong order", True),
        ("The names are sorted the wrong way round", True),
        ("Show the most recent post", False),
        ("The first test fails, but not the last", False),
        ("The total is wrong", False),
        ("add a --reverse option to the list command that lists the lots in reverse order", False),
        ("Write a function that lists them in reverse order", False),
    ],
)
def test_it_is_said_that_the_order_is_wrong(request_: str, is_so: bool) -> None:
    assert speaks_of_order(request_) is is_so


@pytest.mark.parametrize(
    ("path", "text", "turned"),
    [
        ("a.sql", "SELECT a FROM b\nORDER BY c\nLIMIT 3;", "SELECT a FROM b\nORDER BY c DESC\nLIMIT 3;"),
        ("a.sql", "SELECT a FROM b ORDER BY b.c desc;", "SELECT a FROM b ORDER BY b.c;"),
        ("a.sql", "SELECT a ORDER BY c;\nSELECT b ORDER BY c;", None),
        ("a.sql", "SELECT a ORDER BY c, d;", None),
        ("a.py", "x = sorted(y, key=len)\n", "x = sorted(y, key=len, reverse=True)\n"),
        ("a.py", "y.sort(key=len, reverse=True)[:3]\n", "y.sort(key=len)[:3]\n"),
        ("a.py", "x = sorted(y)\nz = sorted(y)\n", None),
        ("a.py", "x = sorted(y", None),
        ("a.js", "list.sort((a, b) => a.n - b.n);", "list.sort((b, a) => a.n - b.n);"),
        ("a.js", "list.sort();", None),
        ("a.txt", "ORDER BY c;", None),
    ],
)
def test_one_order_is_turned_round(path: str, text: str, turned: str | None) -> None:
    assert turned_round(path, text) == (text if turned is None else turned)


async def test_it_is_done_without_the_model(project: Path, server: ModelServer) -> None:
    (project / "low.sql").write_text("SELECT name FROM products ORDER BY stock;\n")
    (project / "top.sql").write_text("SELECT name FROM customers ORDER BY spent LIMIT 3;\n")
    async with opened(project, server) as session:
        await session.prompt("top.sql lists the customers who spent the least, not the ones who spent the most")
        assert answer(session) == "Changed top.sql."
    assert (project / "top.sql").read_text() == "SELECT name FROM customers ORDER BY spent DESC LIMIT 3;\n"
    assert server.requests == []


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("make the links green insted of blue", ("blue", "green")),
        ("Please set the level to debug, not info.", ("info", "debug")),
        ("Change the colour of the title from red to black", ("red", "black")),
        ("make it print 3 instead of 4", None),
        ("use json instead of a csv file for the notes", None),
        ("Make the links blue.", None),
    ],
)
def test_a_word_that_is_to_be_another(request_: str, words: tuple[str, str] | None) -> None:
    assert resetting(request_) == words


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("  color: blue;", True),
        ("border: 1px solid blue;", True),
        ("level = info", True),
        ('<p style="blue">', True),
        ("link = sky.blue", False),
        ("The blue one: is nice", False),
        ("blue: blue;", False),
        ("def blue():", False),
    ],
)
def test_what_sets_something(line: str, is_one: bool) -> None:
    assert is_setting(line, "info" if "info" in line else "blue") is is_one


@pytest.mark.parametrize("twice", [False, True])
async def test_a_setting_gets_another_word_where_one_has_it(project: Path, server: ModelServer, twice: bool) -> None:
    style = "a {\n  color: blue;\n}\n" + ("b {\n  color: blue;\n}\n" if twice else "")
    (project / "style.css").write_text(style)
    (project / "README.md").write_text("The blue page.\n")
    async with opened(project, server, "Nothing.", "Nothing.", "Nothing.", "Nothing.") as session:
        await session.prompt("make the links green insted of blue")
    assert (project / "style.css").read_text() == (style if twice else style.replace("blue", "green"))
    assert bool(server.requests) is twice


def test_a_question_about_order_is_told_how_code_does_it() -> None:
    code = {"posts.py": "x = 1\nreturn sorted(found, key=date, reverse=True)\n", "a.sql": "ORDER BY name"}
    assert orders("In what order are the posts listed?", code) == (
        "Put in order here:\n"
        "posts.py: return sorted(found, key=date, reverse=True)  (the largest, latest or last comes first)\n"
        "a.sql: ORDER BY name  (the smallest, earliest or first comes first)"
    )
    assert orders("What is a post?", code) == ""
    assert orders("In what order?", {"a.py": "x = 1"}) == ""
