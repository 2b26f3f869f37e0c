"""Patterns that are compiled on first use."""

import re

from ferrule.core.regex import lazy


def test_it_is_a_pattern_to_its_users() -> None:
    word = lazy(r"(\w)\w*", re.ASCII)
    found = word.search("--hello")
    assert found is not None
    assert (found[0], found[1]) == ("hello", "h")
    assert word.sub("x", "a b") == "x x"
    assert word.pattern == r"(\w)\w*"
    assert lazy(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_a_wrong_one_says_so_when_it_is_used() -> None:
    wrong = lazy("(")
    try:
        wrong.search("x")
    except re.error:
        return
    raise AssertionError
