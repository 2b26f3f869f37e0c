"""Tests that wait for an error in vain."""

import pytest

from ferrule.small.checks.raising import callables, likely_call
from ferrule.small.checks.replayed import replayed_check

ACCOUNT = (
    "class Account:\n    def __init__(self, owner):\n        pass\n\n    def get_balance(self):\n        pass\n\n"
    "    def deposit(self, amount):\n        pass\n\n    def move(self, amount, other):\n        pass\n\n"
    "    def _log(self):\n        pass\n\n\ndef steps(number, most=3):\n    pass\n"
)
KNOWN = callables({"account.py": ACCOUNT, "notes.md": "def other(): pass", "torn.py": "def ("})


def test_what_can_be_called_is_known() -> None:
    assert KNOWN == {"": {"steps": 1}, "Account": {"get_balance": 0, "deposit": 1, "move": 2}}


@pytest.mark.parametrize(
    ("name", "made", "call"),
    [
        ("test_checking_balance_of_closed_account", "account = Account(1)", "account.get_balance()"),
        ("test_deposit_into_closed_account", "    a = Account('x')\n    a.close()", "a.deposit(1)"),
        ("test_cannot_deposit_negative", "a = Account(1)", "a.deposit(-1)"),
        ("test_move_more_than_there_is", "a = Account(1)", ""),
        ("test_nothing_that_is_known", "a = Account(1)", ""),
        ("test_zero_is_an_error", "a = Other(1)", "steps(0)"),
        ("test_negative_steps", "", "steps(-1)"),
        ("test_empty_input", "", "steps([])"),
        ("test_something_large", "", ""),
    ],
)
def test_a_name_tells_what_is_called(name: str, made: str, call: str) -> None:
    assert likely_call(name, made, KNOWN, "steps([1, 2])") == call


def test_of_several_functions_one_must_be_named() -> None:
    known = callables({"a.py": "def encode(text): pass\ndef decode(text): pass\n"})
    assert likely_call("test_decode_empty", "", known, "decode('a')") == "decode('')"
    assert likely_call("test_empty", "", known, "") == ""


@pytest.mark.parametrize("waits", ["self.assertRaises(ValueError) as err", "pytest.raises(ValueError)"])
def test_a_test_that_waits_for_an_error_is_run_with_what_it_calls(waits: str) -> None:
    shown = (
        "    def test_deposit_into_closed_account(self):\n        account = Account(1)\n"
        f">       with {waits}:\nE       AssertionError: ValueError not raised\n"
    )
    check = replayed_check(shown, {"Account": "account.py"}, KNOWN)
    assert check
    assert check.source.endswith(f"    with {waits}:\n        account.deposit(1)")
    assert replayed_check(shown, {"Account": "account.py"}) is None


def test_the_same_by_unittest() -> None:
    shown = (
        'FAIL: test_zero (t.T.test_zero)\nTraceback (most recent call last):\n  File "t.py", line 9, in test_zero\n'
        "    with self.assertRaises(ValueError) as err:\nAssertionError: ValueError not raised\n"
    )
    check = replayed_check(shown, {"steps": "account.py"}, KNOWN)
    assert check
    assert check.source.endswith("steps(0)")
