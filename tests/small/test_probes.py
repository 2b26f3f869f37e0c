"""Calls like those that fail, with other values."""

import pytest

from ferrule.small.checks.probes import probes


@pytest.mark.parametrize(
    ("call", "like"),
    [
        ("f(3)", ["f(13)", "f(4)", "f(2)", "f(1)", "f(0)"]),
        ("f(True)", ["f(False)"]),
        ("f([1, 2], n=3)", ["f([1], n=3)", "f([2, 1], n=3)", "f([1, 2, 1], n=3)", "f([2], n=3)"]),
        ("f((1, 1))", ["f((1,))", "f((1, 1, 1))"]),
        ("f('Ab')", ["f('ab')", "f('AB')", "f('Aba')", "f('so')", "f('SO')", "f('A')", "f('bA')", "f('')"]),
        ("f([2, 0])", ["f([2])", "f([0, 2])", "f([2, 0, 2])", "f([0])"]),
        ("f(1, [2, 0])",
         ["f(11, [2])", "f(11, [2, 0])", "f(2, [2])", "f(1, [2])", "f(0, [0, 2])", "f(2, [2, 0])", "f(0, [2, 0, 2])",
          "f(0, [2, 0])", "f(1, [0, 2])", "f(1, [2, 0, 2])", "f(1, [0])"]),
        ("f(10 ** 9)", []),
        ("f(999999)", ["f(1)", "f(0)"]),
        ("f({})", []),
        ("f(x)", []),
        ("a.f(1)", ["a.f(11)", "a.f(2)", "a.f(0)"]),
        ("A('ü').f(A(True))",
         ["A('Ü').f(A(False))", "A('Ü').f(A(True))", "A('ü').f(A(False))", "A('üa').f(A(True))", "A('so').f(A(True))",
          "A('SO').f(A(True))", "A('').f(A(True))"]),
        ("f(1) == 2", []),
        ("f(True) == g(True)", ["f(False) == g(False)", "f(False) == g(True)", "f(True) == g(False)"]),
        ("f(", []),
        ("f()", []),
    ],
)  # fmt: skip
def test_one_value_is_another(call: str, like: list[str]) -> None:
    assert probes([call], ["so"]) == like


def test_each_call_has_its_turn_and_there_are_never_too_many() -> None:
    assert probes(["f(3)", "f(9)"])[:2] == ["f(13)", "f(19)"]
    assert len(probes([f"f({one})" for one in range(0, 900, 9)])) == 24
    assert probes([f"f('{'x' * 500}')"]) == []
