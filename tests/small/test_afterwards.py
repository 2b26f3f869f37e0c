"""The last step that was forgotten."""

from typing import Any

import pytest

from ferrule.small.code.blocks import Block
from ferrule.small.mends.afterwards import afterwards, powers

CODE = "def found(said):\n    return {value}\n"


@pytest.mark.parametrize(
    ("pairs", "line"),
    [
        ([([3, 1], [1, 3])], "return sorted(said)"),
        ([(["1", "2"], [1, 2])], "return [int(one) for one in said]"),
        ([("ab", "AB"), ("c", "C")], "return said.upper()"),
        ([(2.0, 2), (3.0, 3)], "return int(said)"),
        ([(2.345, 2.35), (1.0, 1.0)], "return round(said, 2)"),
        ([(("a", "b"), "a b")], "return ' '.join(said)"),
        ([("abcdefg", "abcde fg")], "return ' '.join(said[at:at + 5] for at in range(0, len(said), 5))"),
        ([([], [0]), ([], [0])], "return said or [0]"),
        ([("", "none")], "return said or 'none'"),
        ([({}, {"a": 1})], "return said or {'a': 1}"),
        ([([1, 3, 1], [3, 1]), ([2, 2], [2])], "return list(dict.fromkeys(said))[::-1]"),
        (
            [("ab c de", "ab cd e"), ("x y", "xy")],
            "result = said.replace(' ', '')\n    return ' '.join(result[at:at + 2] for at in range(0, len(result), 2))",
        ),
    ],
)
def test_the_values_tell_the_last_step(pairs: list[tuple[Any, Any]], line: str) -> None:
    lines = [one.line.strip() for one in afterwards(CODE.format(value="said"), None, {"found": pairs})]
    assert line in lines


@pytest.mark.parametrize(
    "pairs",
    [
        [(1, 2)],
        [(False, True), (True, 3)],
        [([], [0]), ([], [1])],
        [(3, 1)],
        [({1: 2}, [3])],
        [("ab", "AB"), ("c", "d")],
        [(None, 3)],
        [("x" * 3_000, "X" * 3_000)],
        [("abc 1", "Abc 1")],
    ],
)
def test_where_no_step_leads_there_none_is_tried(pairs: list[tuple[Any, Any]]) -> None:
    assert afterwards(CODE.format(value="said"), None, {"found": pairs}) == []


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("said + [1]", "sorted(said + [1])"),
        ("said + [1]", "(said + [1])[::-1]"),
        ("said or []", "-(said or [])"),
        ("f(said)", "f(said).strip()"),
    ],
)
def test_without_values_each_step_is_tried_and_holds_all_that_was_given(value: str, written: str) -> None:
    lines = [one.line.strip() for one in afterwards(CODE.format(value=value), None, {})]
    assert f"return {written}" in lines


@pytest.mark.parametrize(
    "text", ["", "no python", "def f():\n    pass\n", "def f():\n    return\n", "def f(a):\n    if a: return a\n"]
)
def test_where_nothing_is_given_back_nothing_is_tried(text: str) -> None:
    assert afterwards(text, None, {}) == []


def test_only_the_lines_that_matter_are_looked_at() -> None:
    two = CODE.format(value="said") + "\n\n" + CODE.format(value="said").replace("found", "other")
    assert {one.at for one in afterwards(two, [Block(first=5, last=6)], {})} == {5}
    assert len(afterwards(two * 40, None, {})) == 200


@pytest.mark.parametrize("code", ["n * 2", "2 * n"])
def test_a_product_may_be_a_power_where_several_values_say_so(code: str) -> None:
    text = f"def f(n):\n    return {code}\n"
    lines = [one.line for one in powers(text, None, {"f": [(2, 1), (6, 4)]})]
    assert lines == [f"    return {one}" for one in ("2 ** n", "2 ** (n - 1)", "n ** 2", "2 ** (n + 1)")]
    assert powers(text, None, {"f": [(2, 1)]}) == [], "one value is told by much"
    assert powers(text, None, {"f": [("a", "b"), ("c", "d")]}) == []
    assert powers(text, [Block(first=1, last=1)], {"f": [(2, 1), (6, 4)]}) == []


def test_a_step_that_helps_most_values_is_tried() -> None:
    text = "def f(x):\n    return x\n"
    lines = [one.line for one in afterwards(text, None, {"f": [("SImu", "SIMU"), ("RoR", "ROR"), ("Cms", "CMOS")]})]
    assert lines == ["    return x.upper()"]
    assert afterwards(text, None, {"f": [("SImu", "SIMU"), ("Cms", "CMOS"), ("a", "b")]}) == []
