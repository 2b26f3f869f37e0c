"""Values that are all off by the same factor."""

import pytest

from ferrule.small.mends.scaled import scaled

AGE = """class Age:
    def __init__(self, seconds):
        self.seconds = seconds

    def on_earth(self):
        return round(self.seconds / 365.25, 2)
"""


def lines(text: str, *pairs: tuple[object, object]) -> list[str]:
    return [one.line.strip() for one in scaled(text, {"f": pairs})]


def test_a_factor_that_all_values_tell() -> None:
    found = lines(AGE, (208149.97, 2.41), (3100393.8, 35.88), (30254.57, 0.35))
    assert "self.seconds = seconds / 86400" in found
    assert "return round((self.seconds / 365.25) / 86400, 2)" in found
    assert lines("def f(a):\n    return cents(a)\n", (5, 500), (12, 1200)) == ["return cents(a) * 100"]
    assert lines("def f(a):\n    return a\n", (500, 5), (1200, 12)) == ["return a // 100"]


def test_what_is_divided_by_may_be_too_small() -> None:
    assert lines("YEAR = 365\n", (86400.0, 1.0), (864000.0, 10.0)) == ["YEAR = 365 / 86400", "YEAR = 365 * 86400"]


@pytest.mark.parametrize(
    "pairs",
    [
        [(5, 500)],
        [(5, 500), (5, 500)],
        [(5, 500), (12, 1300)],
        [(5, 500), (12, "1200")],
        [(0, 500), (0, 1200)],
        [(5, 0), (12, 0)],
        [(True, False), (False, True)],
        [(5, 5), (12, 12)],
        [(1e300, 1e-300), (1e-300, 1e300)],
        [(10**400, 1), (1, 10**400)],
        [],
    ],
)
def test_otherwise_there_is_none(pairs: list[tuple[object, object]]) -> None:
    assert lines("def f(a):\n    return a\n", *pairs) == []


def test_what_is_no_python_and_what_has_other_letters() -> None:
    assert lines("no python", (5, 500), (12, 1200)) == []
    assert lines("def f(ä):\n    ö = ä\n    return ö\n", (5, 500), (12, 1200))[0] == "ö = ä * 100"
