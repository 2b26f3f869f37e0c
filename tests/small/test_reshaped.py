"""What more than slips could be wrong in what a model wrote."""

import pytest

from ferrule.small.code.blocks import Block
from ferrule.small.mends.reshaped import for_nothing, reshaped, with_guards_apart
from ferrule.small.mends.slips import Trial

BOB = """def response(said):
    if said.isupper():
        return "Whoa!"
    elif said.endswith("?"):
        return "Sure."
    return "Whatever."
"""


def with_one(text: str, trial: Trial) -> str:
    lines = text.split("\n")
    lines[trial.at] = trial.line
    return "\n".join(lines)


def results(text: str, call: str, *outputs: str, wanted: tuple[str, ...] = ()) -> list[object]:
    """What a call comes to with each of the lines that are tried."""
    found: list[object] = []
    for trial in reshaped(text, None, outputs, wanted):
        space: dict[str, object] = {}
        exec(with_one(text, trial), space)
        try:
            found.append(eval(call, space))
        except (ArithmeticError, ValueError, TypeError, KeyError) as error:
            found.append(type(error))
    return found


@pytest.mark.parametrize(
    ("text", "call", "right"),
    [
        ("def f(xs):\n    all = set()\n    for x in xs:\n        all |= set(range(x, 9, x))\n    return sum(all)\n",
         "f([0, 4])", 12),
        ("def f(xs):\n    return sum(12 // x for x in xs)\n", "f([0, 4, 3])", 7),
    ],
)  # fmt: skip
def test_what_is_nothing_is_left_out(text: str, call: str, right: int) -> None:
    assert right in results(text, call, "ZeroDivisionError: division by zero")
    assert not reshaped(text, None, ["AssertionError: 3 != 4"])


def test_texts_are_split_into_numbers() -> None:
    text = "def rows(said):\n    return [line.split() for line in said.splitlines()]\n"
    assert [[1, 2], [3]] in results(text, "rows('1 2\\n3')", "AssertionError: ['1', '2'] != [1, 2]")


def test_a_case_that_nobody_thought_of_is_added() -> None:
    assert "Calm down!" in results(BOB, "response('WHAT?')", wanted=("'Calm down!'",))
    lines = [one.line for one in reshaped(BOB, None, [], ["'Calm down!'"])]
    assert (
        "    if said.isupper() and said.endswith('?'):\n        return 'Calm down!'\n    elif said.isupper():" in lines
    )
    assert "Calm down!" in results(BOB, "response('NO')", wanted=("'Calm down!'",)), "all but those"


def test_what_a_function_computes_is_not_written_into_it() -> None:
    text = "def coded(said):\n    if said:\n        return said[::-1]\n    return 'nothing'\n"
    assert not [one for one in reshaped(text, None, [], ["'dias'"]) if "dias" in one.line]


def test_a_condition_may_be_half_the_truth() -> None:
    lines = {one.line.strip() for one in reshaped(BOB, None, [])}
    assert "if said.isupper() and said.endswith('?'):" in lines
    assert "elif said.endswith('?') and not said.isupper():" in lines
    assert "elif said.endswith('?') or said.isupper():" in lines
    unclear = "def f(a, b):\n    if a or b:\n        return 1\n    if a > 2:\n        return 2\n    return 3\n"
    joined = {one.line.strip() for one in reshaped(unclear, None, [])}
    assert {"if (a or b) and a > 2:", "if (a or b) and not (a > 2):", "if a > 2 and not (a or b):"} <= joined


def test_values_of_cases_may_be_those_of_others() -> None:
    assert {"Sure.", "Whatever."} <= set(map(str, results(BOB, "response('OH')")))
    assert {one.at for one in reshaped(BOB, [Block(first=3, last=3)], [])} == {2}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no python",
        "x = 1\n",
        "def f():\n    pass\n",
        "if a:\n    b()\n",
        "def f(a):\n    if (a and\n        b):\n        return 1\n",
    ],
)
def test_where_nothing_can_be_told_nothing_is_tried(text: str) -> None:
    assert reshaped(text, None, ["ZeroDivisionError"]) == []


def test_there_are_never_too_many() -> None:
    branches = "".join(f"    if a > {n}:\n        return {n}\n" for n in range(300))
    assert len(reshaped(f"def f(a):\n{branches}", None, [], ["'x'"])) <= 400
    assert reshaped(f"def f(a):\n{branches * 20}", None, [], []) == []


@pytest.mark.parametrize(
    ("test", "reasons"),
    [
        ("row < 0 or row > 7", ["row < 0", "row > 7"]),
        ("not (0 <= row < 8 and column >= 0)", ["0 > row", "row >= 8", "column < 0"]),
        ("row not in range(8) or column not in range(1, 9)", ["row < 0", "row >= 8", "column < 1", "column >= 9"]),
        ("not 0 <= row <= 7", ["0 > row", "row > 7"]),
        ("row not in range(0, 8, 2) or not row", ["row not in range(0, 8, 2)", "not row"]),
    ],
)
def test_each_reason_for_an_error_stands_alone(test: str, reasons: list[str]) -> None:
    text = f"def f(row, column):\n    if {test}:\n        raise ValueError('bad')\n    return row\n"
    apart = with_guards_apart(text)
    guards = "".join(f"    if {one}:\n        raise ValueError('bad')\n" for one in reasons)
    assert apart == f"def f(row, column):\n{guards}    return row\n"
    said = [one.line.strip() for one in reshaped(apart, None, [], [], ["'bad'", "'not positive'"])]
    assert said.count("raise ValueError('not positive')") == len(reasons)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a):\n    if a < 0:\n        raise ValueError('bad')\n",
        "def f(a):\n    if a < 0 or a > 7:\n        return 1\n",
        "def f(a):\n    if a < 0 or a > 7: raise ValueError('bad')\n",
        "def f(a):\n    if a < 0 or a > 7:\n        raise ValueError('bad')\n    else:\n        a = 1\n",
        "def f(a):\n    if a:\n        return 1\n    elif a < 0 or a > 7:\n        raise ValueError('bad')\n",
        "no python",
        "",
    ],
)
def test_what_is_no_plain_guard_stays(text: str) -> None:
    assert with_guards_apart(text) == text


@pytest.mark.parametrize(
    ("text", "call", "right"),
    [
        (
            "def f(word, all):\n    return [one for one in all if sorted(one) == sorted(word)]\n",
            "f('ab', ['ab', 'BA', 'Ab', 'ba', 'c'])",
            ["BA", "ba"],
        ),
        ("def f(a, b):\n    return set(a.lower()) == set(b.lower())\n", "f('aab', 'AAB')", False),
        ("def f(a, b):\n    if len(a) == len(b):\n        return 1\n    return 0\n", "f('ab', 'ab')", 0),
    ],
)
def test_what_is_alike_is_not_the_same(text: str, call: str, right: object) -> None:
    assert right in results(text, call)


@pytest.mark.parametrize(
    "text", ["def f(a):\n    return a[0] == a[1]\n", "def f(a, b):\n    return len(a) == sum(b)\n"]
)
def test_what_is_compared_otherwise_stays(text: str) -> None:
    assert reshaped(text, None, []) == []


@pytest.mark.parametrize(
    ("call", "right"),
    [("f('a')", 1), ("f('x')", 0), ("f('x')", ""), ("f('x')", None), ("f('2')", "two"), ("f('z')", 9)],
)
def test_what_is_not_found_may_be_there_otherwise(call: str, right: object) -> None:
    text = "def f(x):\n    table = {'A': 1, 'z': 9, 2: 'two'}\n    return table[x]\n"
    found = results(text, call, "KeyError: 'a'")
    assert right in found
    assert results(text, "f('z')") == [], "only where a key was not found"


@pytest.mark.parametrize(
    ("call", "should", "guard"),
    [
        ("f('')", "''", "    if not x:\n        return ''\n    return x[-1]"),
        ("f([])", "None", "    if not x:\n        return None\n    return x[-1]"),
        ("f('a')", "''", None),
        ("f('a', 0)", "1", "    if not y:\n        return 1\n    return x[-1]"),
        ("f('a', 2, 0)", "1", None),
        ("g('')", "''", None),
        ("f(", "''", None),
    ],
)
def test_who_is_given_nothing_gives_something_at_once(call: str, should: str, guard: str | None) -> None:
    text = "def f(x, y=1):\n    return x[-1]\n\n\ndef other(): return 1\n"
    assert for_nothing(text, [(call, should, "raises IndexError: no")]) == ([Trial(1, guard)] if guard else [])
    assert for_nothing("no python", [(call, should, "1")]) == []


def test_a_step_may_come_too_late() -> None:
    text = (
        "def f(text):\n    text = ''.join(one for one in text if one.isalnum() or one == ' ')\n"
        "    # then the dashes\n    text = text.replace('-', ' ')\n    other = text\n"
        "    return [word[0] for word in text.split()]\n"
    )
    assert ["a", "b", "c"] in results(text, "f('a-b c!')")
    assert results("def f(x):\n    y = x\n    x = 1\n    return x\n", "f(2)") == []
