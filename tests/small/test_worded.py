"""Texts that are put together a little wrongly."""

import pytest

from ferrule.small.mends.slips import Trial
from ferrule.small.mends.worded import other_words

SAY = "def say(n):\n    return tens[n // 10] + units[n % 10] + ' and ' + say(n)\n"


@pytest.mark.parametrize(
    ("text", "came", "should", "line"),
    [
        (SAY, "two and one", "two one", "    return tens[n // 10] + units[n % 10] + ' ' + say(n)"),
        (SAY, "ninetynine", "ninety-nine", "    return tens[n // 10] + '-' + units[n % 10] + ' and ' + say(n)"),
        ("def f(x):\n    return 'Hi, ' + x + '!'\n", "Hi, Al!", "Hello, Al!", "    return 'Hello, ' + x + '!'"),
        ("def f(x):\n    return x + ' is here'\n", "Al is here", "Al is here.", "    return x + ' is here.'"),
    ],
)
def test_what_values_tell_is_tried(text: str, came: str, should: str, line: str) -> None:
    assert Trial(1, line) in other_words(text, None, {"f": [(came, should)]})


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (SAY, {"say": [(1, 2), ("a", None)]}),
        (SAY, {"say": [("same", "same")]}),
        (SAY, {"say": [("a" * 400, "b")]}),
        ("def f():\n    '''In words.'''\n", {"f": [("In words.", "In word.")]}),
        ("no python", {"f": [("a", "b")]}),
        ("def f(x):\n    return 'abcdefghijklmnopqrstuvwxyzA'[x]\n", {"f": [("a", "A")]}),
    ],
)
def test_where_nothing_is_told_nothing_is_tried(text: str, pairs: dict[str, list[tuple[object, object]]]) -> None:
    assert other_words(text, None, pairs) == []
