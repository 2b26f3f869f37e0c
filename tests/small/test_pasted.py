"""What is read from pasted output of tests: what must come to what, and which words are not as they should be."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ferrule.small.checks.pasted import asserted, failures_in, names_in, reworded, untold, with_words, without_helpers
from tests.server import ModelServer
from tests.small.led import answer, asked, block, calls, opened

BY_UNITTEST = """
FAIL: test_product (numbers_test.T.test_product)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "numbers_test.py", line 9, in test_product
    self.assertEqual(5 * Complex(2, 5), Complex(10, 25))
                     ~~^~~~~~~~~~~~~~~
AssertionError: <Complex> != <Complex>

FAIL: test_kinds (numbers_test.T.test_kinds)
  File "numbers_test.py", line 19, in test_kinds
    self.assertEqual(
        kinds([1, 2]),
        {"odd": 1, "even": 1},
    )
AssertionError: {} != {"odd": 1, "even": 1}

  File "numbers_test.py", line 29, in test_row
    self.assertEqual(matrix.row(2), [10, 20])
"""
BY_PYTEST = """
_____________________ MatrixTest.test_row _____________________

self = <matrix_test.MatrixTest testMethod=test_row>

    def test_row(self):
        matrix = Matrix("1 2\\n10 20")
>       self.assertEqual(matrix.row(2), [10, 20])
E       AssertionError: Lists differ: [10] != [10, 20]

    def test_full():
        account = Account()
        account.open()
>       assert account.balance() == 0
E       assert None == 0
"""


def test_assertions_of_any_form_are_read_over_several_lines_too() -> None:
    assert asserted(BY_UNITTEST) == [
        ("5 * Complex(2, 5) == Complex(10, 25)", "True"),
        ("kinds([1, 2])", "{'odd': 1, 'even': 1}"),
        ("matrix.row(2)", "[10, 20]"),
    ]
    assert (failures_in(BY_UNITTEST), failures_in(BY_PYTEST), failures_in("It fails.")) == (2, 1, 0)


def test_calls_within_a_statement_of_several_lines_are_no_statements() -> None:
    said = (
        "        entries = [\n            entry(1, 2),\n            entry(3, 4),\n        ]\n"
        "        expected = '\\n'.join(\n"
        "            [\n                'a',\n                'b',\n            ]\n        )\n"
        ">       self.assertEqual(shown(entries), expected)\n"
    )
    assert asserted(said) == [("shown([entry(1, 2), entry(3, 4)])", r"'a\nb'")]


def test_what_a_test_made_before_stands_in_for_its_name_until_something_is_done_to_it() -> None:
    assert asserted(BY_PYTEST) == [("Matrix('1 2\\n10 20').row(2)", "[10, 20]"), ("account.balance()", "0")]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("self.assertTrue(is_odd(3))", [("is_odd(3)", "True")]),
        ("self.assertFalse(odd(2) and even(1))", [("bool(odd(2) and even(1))", "False")]),
        ("self.assertIsNone(find('x'), 'why')", [("find('x')", "None")]),
        ("self.assertNotIn(3, primes(10))", [("3 in primes(10)", "False")]),
        ("self.assertIs(is_odd(2), False)", [("is_odd(2)", "False")]),
        ("self.assertEqual(9, triple(3))", [("triple(3)", "9")]),
        ("assert triple(3) > 8", [("triple(3) > 8", "True")]),
        ("self.assertEqual(3, 4)", []),
        ("self.assertRaises(ValueError)", []),
        ("self.assertEqual(self.made, 4)", []),
        ("self.assertEqual(triple(", []),
        ("self.assertMultiLineEqual(code('a'), 'b')", [("code('a')", "'b'")]),
        ("self.assertCountEqual(all_of(1), [3, 2])", [("sorted(all_of(1), key=repr)", "[2, 3]")]),
        ("self.assertNotEqual(a(1), b(2))", [("a(1) != b(2)", "True")]),
        ("self.assertGreaterEqual(a(1), 2)", [("a(1) >= 2", "True")]),
    ],
)
def test_each_kind_of_assertion(line: str, found: list[tuple[str, str]]) -> None:
    assert asserted(f"    {line}") == found


@pytest.mark.parametrize(
    ("call", "bare"),
    [
        ("in_order(found(1)) == in_order([2])", ("found(1)", "[2]")),
        ("in_order(found(1)) == in_order(found(2))", ("found(1) == found(2)", "True")),
        ("sort_all(found(1)) == sort_all([3, 2])", ("sorted(found(1), key=repr)", "[2, 3]")),
        ("sort_all(found(1)) == sort_all(b)", ("sorted(found(1), key=repr) == sorted(b, key=repr)", "True")),
        ("found(1) == found([2])", None),
        ("len(found(1)) == len([2])", None),
        ("one(found(1)) == other([2])", None),
        ("in_order(found(1), 2) == in_order([2], 2)", None),
        ("in_order(", None),
    ],
)
def test_a_helper_of_the_tests_is_no_part_of_what_they_say(call: str, bare: tuple[str, str] | None) -> None:
    assert without_helpers(call, "True", {"found"}) == (bare or (call, "True"))


def test_only_plain_expressions_may_be_tried() -> None:
    assert names_in("Matrix('1').row(len(x))") == {"Matrix", "len", "x"}
    assert names_in("open.__globals__") is None
    assert names_in("lambda: x") is None
    assert names_in("(lambda: 1)()") is None
    assert names_in("a b") is None


CODE = "def greet(name):\n    # don't shout\n    return 'Hello'\n\n\ndef part():\n    raise ValueError(\"not ok\")\n"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("AssertionError: 'Hello' != 'Hi there'", {"Hello": "Hi there"}),
        ("E       AssertionError: assert 'Hi there' == 'Hello'", {"Hello": "Hi there"}),
        ("AssertionError [ERR_ASSERTION]: 'Hello' !== 'Hi'", {"Hello": "Hi"}),
        ("AssertionError: 'Hello' != 'Hi'\nAssertionError: 'Hello' != 'Ho'", {}),
        ("AssertionError: 'Hello' != 'not ok'", {}),
        ("AssertionError: 'Other' != 'Hi'", {}),
        ("AssertionError: 'Hello' != None", {}),
        ("AssertionError: 'Hello[31 chars]' != 'Hi'", {}),
    ],
)
def test_words_count_where_one_text_is_wanted_otherwise(output: str, words: dict[str, str]) -> None:
    assert reworded([output], [], CODE) == words


def test_words_are_put_in_place_with_the_quotes_that_fit() -> None:
    new = with_words(CODE, {"Hello": 'He said "hi"', "not ok": 'not "ok"\n'})
    assert "return 'He said \"hi\"'" in new
    assert "raise ValueError('not \"ok\"\\n')" in new
    assert "# don't shout" in new
    assert reworded([], [("'Hello'", "'Hi'"), ("3", "4")], CODE) == {"Hello": "Hi"}


async def test_a_text_in_other_words_needs_no_model(project: Path, server: ModelServer) -> None:
    (project / "bob.py").write_text("def response(text):\n    return 'Calm down!' if text.isupper() else 'Fine.'\n")
    pasted = (
        "FAIL: test_shouting (bob_test.BobTest.test_shouting)\n"
        '  File "bob_test.py", line 15, in test_shouting\n'
        '    self.assertEqual(response("WATCH OUT"), "Whoa, chill out!")\n'
        "AssertionError: 'Calm down!' != 'Whoa, chill out!'\n"
    )
    async with opened(project, server) as session:
        await session.prompt(f"{pasted}\nThe tests are right. Fix bob.py.")
        assert "'Whoa, chill out!' if" in (project / "bob.py").read_text()
        assert answer(session).startswith("Changed bob.py. Checked: ")
    assert not server.requests


async def test_words_that_make_nothing_better_are_not_left_there(project: Path, server: ModelServer) -> None:
    code = "def greet(tongue):\n    return 'Hello'\n"
    (project / "greet.py").write_text(code)
    (project / "test_greet.py").write_text(
        "import unittest\n\nfrom greet import greet\n\n\nclass T(unittest.TestCase):\n"
        "    def test_fr(self):\n        self.assertEqual(greet('fr'), 'Bonjour')\n\n"
        "    def test_en(self):\n        self.assertEqual(greet('en'), 'Hello')\n"
    )
    right = "def greet(tongue):\n    return 'Bonjour' if tongue == 'fr' else 'Hello'\n"
    async with opened(project, server, block(right, "greet.py")) as session:
        await session.prompt("test_greet.py fails. Fix greet.py.")
        assert (project / "greet.py").read_text() == right
        assert [name for name, _ in calls(session)].count("edit") == 3, "tried, taken back, and made right"
    assert code.strip() in asked(server, 0), "the model saw the code as it was"


async def test_words_that_were_asked_for_are_not_taken_for_wrong_ones(project: Path, server: ModelServer) -> None:
    (project / "bob.py").write_text("def answer(said):\n    pass\n")
    first = (
        "def answer(said):\n    if said.isupper():\n        return 'Calm down!'\n"
        "    elif said.endswith('?'):\n        return 'Sure.'\n    return 'Whatever.'\n"
    )
    pasted = (
        "FAIL: test_shouting (bob_test.T.test_shouting)\n    self.assertEqual(answer('WATCH OUT'), 'Whoa!')\n"
        "AssertionError: 'Calm down!' != 'Whoa!'\n"
    )
    async with opened(project, server, block(first)) as session:
        await session.prompt(
            'answer(said) in bob.py gives "Whoa!" for all capital letters, "Sure." for a question such as "How?", '
            '"Calm down!" where both is so, else "Whatever.". Fill it in.'
        )
        await session.prompt(f"{pasted}\nFix the code in bob.py.")
    space: dict[str, Callable[[str], str]] = {}
    exec((project / "bob.py").read_text(), space)
    assert [space["answer"](one) for one in ("WATCH OUT", "WHAT?", "What?", "So.")] == [
        "Whoa!",
        "Calm down!",
        "Sure.",
        "Whatever.",
    ]
    assert len(server.requests) == 1


async def test_what_was_written_before_is_written_from_nothing_again(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text("def triple(number):\n    pass\n")
    wrong, worse = "def triple(number):\n    return str(number)\n", "def triple(number):\n    return None\n"
    right = "def triple(number):\n    return sum([number, number, number])\n"
    pasted = (
        "FAIL: test_triple (calc_test.T.test_triple)\n    self.assertEqual(triple(3), 9)\nAssertionError: 6 != 9\n\n"
        "FAIL: test_none (calc_test.T.test_none)\n    self.assertEqual(triple(0), 0)\nAssertionError: 1 != 0\n"
    )
    answers = [block(one) for one in (wrong, worse, worse, right)]
    async with opened(project, server, *answers) as session:
        await session.prompt("triple(number) gives three times a number. Fill in calc.py.")
        await session.prompt(f"{pasted}\nFix the code in calc.py.")
        assert (project / "calc.py").read_text() == right
    untold, last = (one.body["messages"] for one in server.requests[-2:])
    for each in (untold, last):
        assert "triple(number) gives three times a number." in each[1]["content"]
        assert "return str(number)" not in str(each)
    assert "triple(3)" not in str(untold), "the tests of some draw it away from what was asked for"
    assert "triple(3) == 9\ntriple(0) == 0" in last[1]["content"]


@pytest.mark.parametrize(
    ("before", "is_afresh"),
    [
        ("TIMES = 3\n\n\ndef triple(number):\n    pass\n", True),
        ("TIMES = 3\n\n\ndef once(number):\n    return number\n\n\ndef triple(number):\n    pass\n", True),
        ("TIMES = 3\n\n\ndef once(number):\n    return number\n\n\ndef triple(number):\n    return 0\n", False),
    ],
)
async def test_what_the_person_gave_is_there_when_it_is_written_again(
    project: Path, server: ModelServer, before: str, is_afresh: bool
) -> None:
    (project / "calc.py").write_text(before)
    wrong = "def triple(number):\n    return str(number)\n"
    right = "def triple(number):\n    return sum([number] * TIMES)\n"
    pasted = (
        "FAIL: test_triple (calc_test.T.test_triple)\n    self.assertEqual(triple(3), 9)\nAssertionError: '3' != 9\n\n"
        "FAIL: test_none (calc_test.T.test_none)\n    self.assertEqual(triple(0), 0)\nAssertionError: '0' != 0\n"
    )
    async with opened(project, server, block(wrong), block(wrong), block(right)) as session:
        await session.prompt("triple(number) gives three times a number. Change it in calc.py.")
        await session.prompt(f"{pasted}\nFix the code in calc.py.")
    kept = before[: before.index("def triple")]
    assert (project / "calc.py").read_text() == kept + right
    assert ("    pass" in asked(server)) is is_afresh


async def test_a_slip_in_what_was_written_before_is_put_right_without_asking(
    project: Path, server: ModelServer
) -> None:
    (project / "calc.py").write_text("def triple(number):\n    pass\n")
    pasted = "FAIL: test_triple (calc_test.T.test_triple)\n    self.assertEqual(triple(3), 9)\nAssertionError: 6 != 9\n"
    async with opened(project, server, block("def triple(number):\n    return number * 2\n")) as session:
        await session.prompt("triple(number) gives three times a number. Fill in calc.py.")
        await session.prompt(f"{pasted}\nFix the code in calc.py.")
        assert (project / "calc.py").read_text() == "def triple(number):\n    return number * 3\n"
    assert len(server.requests) == 1


TWO_FAIL = (
    "FAIL: test_triple (calc_test.T.test_triple)\n    self.assertEqual(triple(3), 9)\nAssertionError: 6 != 9\n\n"
    "FAIL: test_text (calc_test.T.test_text)\n    self.assertEqual(\nAssertionError: 'aa' != 'none'\n"
)


def test_tests_that_show_nothing_of_what_they_assert_are_known_by_their_names() -> None:
    assert untold(TWO_FAIL) == ["test_text: 'aa' != 'none'"]
    by_pytest = "____ T.test_text ____\ncalc_test.py:4: in test_text\n    f(\nE   ValueError: no\n"
    assert untold(by_pytest) == ["T.test_text: ValueError: no"]
    assert untold("") == untold("It is wrong: 1 != 2") == untold(BY_PYTEST) == []


@pytest.mark.parametrize("is_right", [True, False])
async def test_what_fails_and_cannot_be_tried_is_asked_for_once(
    project: Path, server: ModelServer, is_right: bool
) -> None:
    (project / "calc.py").write_text("def triple(number):\n    pass\n")
    first, mended = (f"def triple(number):\n    return number * {n}\n" for n in (2, 3))
    last = mended.replace("    return", "    if isinstance(number, str):\n        return 'none'\n    return")
    last = last if is_right else last.replace("* 3", "* 4")
    async with opened(project, server, block(first), block(last)) as session:
        await session.prompt("triple(number) gives three times a number. Fill in calc.py.")
        await session.prompt(f"{TWO_FAIL}\nFix the code in calc.py.")
        assert (project / "calc.py").read_text() == (last if is_right else mended)
        assert answer(session).endswith("What is asserted there was not shown, so these were not tried: test_text.")
    assert "test_text: 'aa' != 'none'" in asked(server)


async def test_the_best_of_several_stays_where_none_is_right(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text("def triple(number):\n    pass\n")
    one_right = "def triple(number):\n    return 9\n"
    tries = [
        "def triple(number):\n    return 0\n",
        one_right,
        *(f"def triple(number):\n    return -{n}\n" for n in range(1, 14)),
    ]
    pasted = (
        "FAIL: test_triple (calc_test.T.test_triple)\n    self.assertEqual(triple(3), 9)\nAssertionError: 6 != 9\n\n"
        "FAIL: test_two (calc_test.T.test_two)\n    self.assertEqual(triple(2), 6)\nAssertionError: 1 != 6\n"
    )
    async with opened(project, server, *map(block, tries)) as session:
        await session.prompt("triple(number) gives three times a number. Fill in calc.py.")
        await session.prompt(f"{pasted}\nFix the code in calc.py.")
        assert (project / "calc.py").read_text() == one_right
        assert "triple(2) gives 9, but should give 6" in answer(session)


async def test_equal_things_are_not_had_by_finding_everything_equal(project: Path, server: ModelServer) -> None:
    (project / "clock.py").write_text("class Clock:\n    def __init__(self, hour):\n        pass\n")
    code = (
        "class Clock:\n    def __init__(self, hour):\n        self.hour = hour\n\n    def __eq__(self, other):\n"
        "        return isinstance(other, Clock) and self.hour == other.hour\n"
    )
    pasted = "".join(
        f"    def test_{n}(self):\n>       self.assertEqual(Clock({n}), Clock({n + 24}))\nE       AssertionError: a\n\n"
        for n in range(4)
    )
    async with opened(project, server, *[block(code, "clock.py")] * 14) as session:
        await session.prompt("Clock(hour) in clock.py is a clock of 24 hours. Fill it in.")
        await session.prompt(f"The tests fail:\n\n{pasted}\nFix it.")
    assert " or " not in (project / "clock.py").read_text()


@pytest.mark.parametrize("request_", ["Refactor triple in calc.py.", "Make triple in calc.py easier to read."])
async def test_what_tidying_broke_is_as_it_was(project: Path, server: ModelServer, request_: str) -> None:
    code = "def triple(number):\n    total = number + number + number\n    return total\n"
    (project / "calc.py").write_text(code)
    pasted = (
        "    def test_triple(self):\n        numbers = [\n            int(3),\n        ]\n"
        "        expected = '-'.join(\n            [\n                '9',\n            ]\n        )\n"
        ">       self.assertEqual(str(triple(numbers[0])), expected)\nE       AssertionError: '7' != '9'\n"
    )
    async with opened(project, server, block("def triple(number):\n    return number + 2 * 2\n")) as session:
        await session.prompt(request_)
        assert (project / "calc.py").read_text() != code
        await session.prompt(f"The tests fail:\n\n{pasted}\nFix it.")
        assert (project / "calc.py").read_text() == code
        assert "as it was before" in answer(session)
    assert len(server.requests) == 1


def test_names_that_an_expression_makes_for_itself() -> None:
    assert names_in("[prime(n) for n in range(1, 21)]") == {"prime", "range"}
    said = "    self.assertEqual([prime(n) for n in range(1, 3)], [2, 3])"
    assert asserted(said) == [("[prime(n) for n in range(1, 3)]", "[2, 3]")]


async def test_tests_that_use_constants_of_the_file_are_run_again(project: Path, server: ModelServer) -> None:
    (project / "robot.py").write_text(
        "NORTH = 0\nEAST: int = 1\n\n\nclass Robot:\n    def __init__(self, facing):\n        self.facing = facing\n\n"
        "    def turn(self):\n        self.facing = NORTH\n"
    )
    pasted = (
        "    def test_turns(self):\n        robot = Robot(NORTH)\n        robot.turn()\n"
        ">       self.assertEqual(robot.facing, EAST)\nE       AssertionError: 0 != 1\n\nrobot_test.py:8: Error\n"
    )
    right = "    def turn(self):\n        self.facing = (self.facing + 1) % 4\n"
    async with opened(project, server, block(right, "robot.py")) as session:
        await session.prompt(f"The tests fail:\n\n{pasted}\nFix robot.py.")
        assert "Checked: `test_turns`" in answer(session)


async def test_a_slip_is_not_believed_where_all_that_passes_is_unseen(project: Path, server: ModelServer) -> None:
    (project / "buffer.py").write_text("class Buffer:\n    def __init__(self, most):\n        pass\n")
    first = (
        "class Buffer:\n    def __init__(self, most):\n        self.most, self.size = most, 0\n\n"
        "    def write(self):\n        if self.size == self.most:\n            raise BufferError('full')\n"
        "        self.size += 1\n"
    )
    pasted = (
        "    def test_wraps(self):\n        buffer = Buffer(1)\n        buffer.write()\n>       buffer.write()\n"
        "E       BufferError: full\n\nbuffer_test.py:8: BufferError\n=== 1 failed, 11 passed in 0.06s ===\n"
    )
    async with opened(project, server, block(first), *([block(first)] * 12)) as session:
        await session.prompt("Buffer(most) in buffer.py takes as much as `write` is called. Fill it in.")
        await session.prompt(f"{pasted}\nFix the code in buffer.py.")
        assert "self.size += 1" in (project / "buffer.py").read_text()
        assert answer(session).startswith("Nothing was changed. The model wrote the code as it was")
