"""Tests that do one thing after the other, with other values."""

import subprocess
import sys
from pathlib import Path

from ferrule.small.checks.stepped import stepping

HOMES = {"Account": "account.py"}
ACCOUNT = """class Account:
    def __init__(self):
        self.money = 0

    def add(self, money):
        if money <= 0:
            raise ValueError("too little")
        self.money += money
        return self
"""
TESTS = """def test_add(self):
    account = Account()
    account.add(1)
    self.assertEqual(account.money, 1)
    with self.assertRaises(ValueError) as error:
        account.add(-1)
    self.assertEqual(error.exception.args[0], 'no')

def test_wrong(self):
    account = Account()
    account.add('x')
    assert account.money == 'x'
    self.assertTrue(account.money)
"""


def printed(command: str, directory: Path) -> list[str]:
    (directory / "account.py").write_text(ACCOUNT)
    command = command.replace("python3", sys.executable, 1)
    ended = subprocess.run(["/bin/sh", "-c", command], cwd=directory, capture_output=True, text=True, check=True)
    return ended.stdout.splitlines()


def test_what_tests_look_at_is_printed_with_other_values(tmp_path: Path) -> None:
    assert printed(stepping(TESTS, HOMES), tmp_path) == [
        "2 ValueError",  # add(2)
        "TypeError",  # add('xa')
        "1 ValueError",  # add(-2)
    ]


def test_without_anything_to_change_there_is_nothing_to_watch() -> None:
    assert stepping("def test_new(self):\n    self.assertEqual(Account().money, None)\n", HOMES) == ""
    assert stepping("def test_new(self):\n    self.assertEqual(other(1), None)\n", HOMES) == ""
    assert stepping("no python", HOMES) == ""
    assert stepping("", HOMES) == ""
