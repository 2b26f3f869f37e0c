"""Something ends in an error: the function is looked at in which that happened, and no way around it is guessed."""

from pathlib import Path

import pytest

from ferrule.small.checks.smoke import crash_check
from ferrule.small.focus import focus
from ferrule.small.profile import Profile
from ferrule.small.prompts import shown_file
from ferrule.small.words.wish import understand
from ferrule.small.work import Work
from tests.server import ModelServer
from tests.small.led import answer, asked, block, opened

BOARD = '''\
"""Repair tickets."""

STATES = ("waiting", "in work", "done", "collected")


class Ticket:
    def __init__(self, number, owner):
        self.number = number
        self.owner = owner
        self.state = "waiting"

    def label(self):
        return f"{self.number} {self.owner} {self.state}"


class Board:
    def __init__(self):
        self.tickets = []

    def open(self, owner):
        """Write a new ticket, with the next free number."""
        ticket = Ticket(self.next_number(), owner)
        self.tickets.append(ticket)
        return ticket

    def next_number(self):
        return max(ticket.number for ticket in self.tickets) + 1
'''
FIRST = """\
With a fresh board I can't open any ticket:

  File "tickets.py", line 22, in open
    ticket = Ticket(self.next_number(), owner)
  File "tickets.py", line 27, in next_number
    return max(ticket.number for ticket in self.tickets) + 1
ValueError: max() arg is an empty sequence

The first one should get number 1.
"""


def test_the_function_in_which_it_happened_is_shown_with_its_class() -> None:
    blocks = focus(Work(understand(FIRST), Profile(), ()), "tickets.py", BOARD, (), narrow=True)
    assert blocks is not None
    assert blocks[0].name == "Board.next_number"
    shown = shown_file("tickets.py", BOARD, blocks, with_gaps=False)
    assert "class Board:\n    def __init__(self):\n        self.tickets = []\n" in shown
    assert shown.index("class Board:") < shown.index("def next_number")


async def test_what_is_written_of_a_class_goes_into_that_class(project: Path, server: ModelServer) -> None:
    (project / "tickets.py").write_text(BOARD)
    old = "        return max(ticket.number for ticket in self.tickets) + 1\n"
    new = "        if not self.tickets:\n            return 1\n" + old
    part = f"class Board:\n    def next_number(self):\n{new}"
    async with opened(project, server, block(part, "tickets.py")) as session:
        await session.prompt(FIRST)
    assert (project / "tickets.py").read_text() == BOARD.replace(old, new)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("after(date(2024, 11, 5)) in sowing.py crashes with ValueError: month must be in 1..12", True),
        ("`after(date(2024, 11, 5))` still raises a ValueError. Please fix it.", True),
        ("after(date(2024, 11, 5)) blows up", True),
        ("after(date(2024, 11, 5)) gives me a traceback", True),
        ("after(date(2024, 11, 5)) fails to say so", False),
        ("after(date(2024, 11, 5)) crashes, it should raise a KeyError", False),
        ("after(today()) crashes", False),
        ("before(date(2024, 11, 5)) crashes", False),
        ("after(date(2024, 11, 5)) is slow", False),
        ("delete_after(date(2024, 11, 5)) crashes", False),
    ],
)
def test_a_call_that_is_said_to_end_in_an_error_is_made_again(text: str, *, call: bool) -> None:
    found = crash_check(text, {"after": "sowing.py", "delete_after": "sowing.py"})
    assert (found is not None) is call
    if found:
        assert "from datetime import date" in found.command
        assert found.told == "`after(date(2024, 11, 5))`"


SOWING = '''\
from datetime import date


def month_after(day):
    """The first day of the following month."""
    return date(day.year, day.month + 1, 1)


def months_between(first, last):
    """The first days of all months from one day to another."""
    months = [first.replace(day=1)]
    while month_after(months[-1]) <= last:
        months.append(month_after(months[-1]))
    return months
'''
CRASHES = "months_between(date(2024, 11, 5), date(2025, 2, 1)) in sowing.py crashes with ValueError. pls fix"
IN_DECEMBER = "    if day.month == 12:\n        return date(day.year + 1, 1, 1)\n    return date("


async def test_of_two_functions_that_were_changed_one_is_enough(project: Path, server: ModelServer) -> None:
    (project / "sowing.py").write_text(SOWING)
    right = SOWING.replace("    return date(", IN_DECEMBER)
    both = right.replace("    months = [first.replace(day=1)]\n", "    months = [first]\n")
    async with opened(project, server, block(both, "sowing.py")) as session:
        await session.prompt(CRASHES)
        assert answer(session).startswith("Changed sowing.py. Checked: ")
    assert (project / "sowing.py").read_text() == right
    assert "in month_after" in asked(server, 0)


async def test_a_slip_that_but_leads_around_an_error_is_not_taken(project: Path, server: ModelServer) -> None:
    code = "def pace(km, seconds):\n    return round(seconds / km)\n"
    right = code.replace("    return", "    if not km:\n        return '-'\n    return")
    (project / "pace.py").write_text(code)
    (project / "show.py").write_text("from pace import pace\n\nprint(pace(0, 2400))\n")
    server.doubts = {" km": {" (km + 1)": -0.5}, "km)": {"km + 1)": -0.5}}
    async with opened(project, server, block(right, "pace.py")) as session:
        await session.prompt("`python3 show.py` crashes in pace.py, there should be a - instead of the pace then")
    assert (project / "pace.py").read_text() == right


async def test_what_makes_more_fail_is_taken_back(project: Path, server: ModelServer) -> None:
    code = "def minutes(text):\n    hours, rest = text.split(':')\n    return int(hours) * 50 + int(rest)\n"
    worse = code.replace("* 50 + int(rest)", "* 6 - int(rest)")
    (project / "clock.py").write_text(code)
    (project / "test_clock.py").write_text(
        "import unittest\n\nfrom clock import minutes\n\n\nclass TestClock(unittest.TestCase):\n"
        "    def test_hours(self):\n        self.assertEqual(minutes('1:47'), 107)\n\n"
        "    def test_rest(self):\n        self.assertEqual(minutes('0:30'), 30)\n"
    )
    async with opened(project, server, *[block(worse, "clock.py")] * 12) as session:
        await session.prompt("test_clock.py fails, the bug must be in clock.py")
        assert answer(session).startswith("Nothing was changed. What the model wrote does not work.")
    assert (project / "clock.py").read_text() == code


async def test_a_file_that_a_command_reads_is_not_what_a_traceback_blames(project: Path, server: ModelServer) -> None:
    (project / "tree.py").write_text("def parse(line):\n    tag, value = line.split(' ', 1)\n    return tag, value\n")
    (project / "oster.ged").write_text("NAME Maren\nBIRT\n")
    (project / "report.py").write_text(
        "import sys\n\nfrom tree import parse\n\nfor line in open(sys.argv[1]):\n    print(parse(line.strip()))\n"
    )
    whole = "tag, _, value = line.partition(' ')"
    right = (project / "tree.py").read_text().replace("tag, value = line.split(' ', 1)", whole)
    async with opened(project, server, block(right, "tree.py")) as session:
        await session.prompt(
            'python3 report.py oster.ged crashes:\n  File "tree.py", line 2, in parse\n'
            "    tag, value = line.split(' ', 1)\nValueError: not enough values to unpack (expected 2, got 1)"
        )
        assert answer(session).startswith("Changed tree.py. Checked: ")
    assert (project / "oster.ged").read_text() == "NAME Maren\nBIRT\n"


async def test_what_the_request_names_is_not_taken_back(project: Path, server: ModelServer) -> None:
    code = "def area(side):\n    return side * 4\n\n\ndef label(side):\n    return str(side)\n"
    both = code.replace("side * 4", "side * side").replace("str(side)", "f'{side} m'")
    (project / "square.py").write_text(code)
    (project / "test_square.py").write_text(
        "import unittest\n\nfrom square import area\n\n\nclass TestSquare(unittest.TestCase):\n"
        "    def test_area(self):\n        self.assertEqual(area(3), 9)\n"
    )
    async with opened(project, server, block(both, "square.py")) as session:
        await session.prompt("test_square.py fails, fix area in square.py. And `label` should say 3 m instead of 3.")
    assert (project / "square.py").read_text() == both
