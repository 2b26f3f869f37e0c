"""Functions that give nothing back."""

from pathlib import Path

import pytest

from ferrule.small.mends.returns import missing_returns, speaks_of_nothing
from tests.server import ModelServer
from tests.small.led import calls, opened

HELLO = """\
def text(body):
    return {"body": body}


def hello(query):
    \"\"\"Greets.\"\"\"
    name = query.get("name", "stranger")
    text(f"Hello, {name}!")
"""
TEST = """\
import unittest

from app import hello


class HelloTest(unittest.TestCase):
    def test_hello(self):
        self.assertEqual(hello({"name": "Ann"})["body"], "Hello, Ann!")
"""


def lines(text: str) -> list[str]:
    return [one.line for one in missing_returns(text)]


def test_the_last_value_may_be_meant() -> None:
    assert lines(HELLO) == [
        '    return text(f"Hello, {name}!")',
        '    text(f"Hello, {name}!")\n    return name',
    ]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def f(x):\n    total = 0\n    for y in x:\n        total += y\n", ["        total += y\n    return total"]),
        ("def f(x):\n    a: int = 1\n    if x:\n        return\n", ["        return\n    return a"]),
        ("def f(x):\n    if x:\n        return 1\n    g(x)\n", []),
        ("def f(x):\n    if x:\n        return 1\n    round(x, 2)\n", ["    return round(x, 2)"]),
        ("def f(x):\n    yield x\n    g(x)\n", []),
        ('def f(x):\n    """Nothing."""\n', []),
        ("class A:\n    def __init__(self):\n        g(self)\n", []),
        ("class A:\n    @x.setter\n    def x(self, y):\n        g(y)\n", []),
        ("def f(:\n", []),
        ("def f(x): g(x)\n", []),
    ],
)
def test_what_could_be_given_back(code: str, found: list[str]) -> None:
    assert lines(code) == found


def test_failures_about_a_value_that_is_not_there() -> None:
    assert speaks_of_nothing(["TypeError: 'NoneType' object is not subscriptable"])
    assert speaks_of_nothing(["AssertionError: None != 3"])
    assert speaks_of_nothing(["E  assert None == 3"])
    assert speaks_of_nothing(["it always returns None"])
    assert not speaks_of_nothing(["AssertionError: 2 != 3", "None of this works"])


async def test_what_is_computed_is_given_back_without_the_model(project: Path, server: ModelServer) -> None:
    (project / "app.py").write_text(HELLO)
    (project / "test_app.py").write_text(TEST)
    async with opened(project, server) as session:
        ended = await session.prompt("hello in app.py crashes: 'NoneType' object is not subscriptable. Fix it.")
        assert ended.reason == "end_turn"
        assert [name for name, _ in calls(session)][-4:] == ["bash", "bash", "edit", "bash"]
    assert (project / "app.py").read_text() == HELLO.replace("    text(f", "    return text(f")
    assert len(server.requests) == 0


def test_a_value_that_stands_alone_behind_a_return() -> None:
    text = (
        'def other(player):\n    """The other one."""\n    if player == "white":\n        return "black"\n    "white"\n'
        "\n\ndef size(x):\n    if x:\n        x + 1\n    else:\n        return 0\n"
    )
    assert lines(text) == ['    return "white"', "        return x + 1"]
