"""Formulas in requests, as examples."""

import pytest

from ferrule.small.checks.examples import examples
from ferrule.small.checks.formula import formulas


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        (
            "Write three_dart_average(points, darts) that returns points / darts * 3. If darts is 0, it gives 0.",
            [
                ("three_dart_average(12, 4)", "9.0"),
                ("three_dart_average(40, 8)", "15.0"),
                ("three_dart_average(12, 0)", "0"),
            ],
        ),
        (
            "Add to_fahrenheit(celsius), which returns `celsius * 9 / 5 + 32`.",
            [("to_fahrenheit(12)", "53.6"), ("to_fahrenheit(40)", "104.0")],
        ),
        ("Add area(a, b) that gives a * b and perimeter too.", [("area(12, 4)", "48.0"), ("area(40, 8)", "320.0")]),
        ("Write f(x) that returns the square of x.", []),
        ("Write f(x) that returns x.", []),
        ("Write f(x) that returns x / 5, rounded down.", [("f(40)", "8.0")]),
        ("Write f(x) that returns x / 5, but at most 3.", []),
        ("Write f(x) that returns x / 7.", []),
        ("Write f(x) that returns y * 2.", []),
        ("Write f(x) that returns x / 0.", []),
        ("Write f(x) that returns x ** 99999999.", []),
        ("Write f(x) that returns open(x) * 2.", []),
    ],
)  # fmt: skip
def test_a_formula_gives_examples(request_: str, found: list[tuple[str, str]]) -> None:
    assert formulas(request_) == found


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("formatTime(303) gives 5:3, but it should give 5:03. Fix it.", [("formatTime(303)", "'5:03'")]),
        ("f(1) gives 5:3, but it should give something better.", []),
    ],
)
def test_a_text_without_quotes_may_be_wanted(request_: str, found: list[tuple[str, str]]) -> None:
    assert examples(request_, is_wanted=False) == found
