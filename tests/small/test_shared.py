"""Tables that one function has and another one names."""

import pytest

from ferrule.small.code.names import out_of_reach
from ferrule.small.mends.shared import with_shared

APART = '''"""Bands."""
import re


@cached
def code(color):
    # as printed
    bands = {
        "black": 0,
        "brown": 1,
    }
    return bands[color]


def colors():
    return list(bands)
'''
SHARED = '''"""Bands."""
import re


bands = {
    "black": 0,
    "brown": 1,
}


@cached
def code(color):
    # as printed
    return bands[color]


def colors():
    return list(bands)
'''


def test_a_table_that_two_functions_use_stands_before_both() -> None:
    wrong = APART.replace("@cached\n", "")
    assert with_shared(wrong) == SHARED.replace("@cached\n", "")
    imported = "from functools import cache as cached\n"
    assert with_shared(imported + APART) == imported + SHARED


def test_methods_share_as_functions_do() -> None:
    text = (
        "class A:\n    def f(self):\n        t = [1, 2]\n        return t[0]\n\n    def g(self):\n        return t[1]\n"
    )
    moved = "t = [1, 2]\n\n\nclass A:\n    def f(self):\n        return t[0]\n\n    def g(self):\n        return t[1]\n"
    assert with_shared(text) == moved


@pytest.mark.parametrize(
    "text",
    [
        SHARED.replace("@cached\n", ""),
        "def f():\n    found = []\n    return found\n\n\ndef g():\n    return found\n",
        "def f():\n    t = [1]\n    t = [2]\n    return t\n\n\ndef g():\n    return t\n",
        "def f(n):\n    t = [n]\n    return t\n\n\ndef g():\n    return t\n",
        "def f():\n    t = [1]\n\n\ndef g():\n    return t\n",
        "def f():\n    x = 1; t = [1]\n    return t, x\n\n\ndef g():\n    return t\n",
        "from a import *\n\n\ndef f():\n    t = [1]\n    return t\n\n\ndef g():\n    return t\n",
        "no python",
        "",
    ],
)
def test_all_else_stays(text: str) -> None:
    assert with_shared(text) == text


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("def f():\n    t = 1\n    return t\n\ndef g():\n    return t\n", {"t": "g"}),
        ("class A:\n    t = 1\n\n    def f(self):\n        return t\n", {"t": "f"}),
        ("def f():\n    global t\n    t = 1\n\ndef g():\n    return t\n", {}),
        ("t = 1\n\ndef g():\n    return [t for _ in range(3)]\n", {}),
        ("def f():\n    t = 1\n    def g():\n        return t\n    return g\n", {}),
        ("import t\n\ndef g(a=t):\n    return t, a, __name__\n", {}),
        ("for t in range(3):\n    pass\n\ndef g():\n    return t\n", {}),
        ("def g():\n    return nothing\n", {}),
        ("\0", {}),
    ],
)
def test_names_of_others_are_out_of_reach(text: str, missing: dict[str, str]) -> None:
    assert out_of_reach(text) == missing
