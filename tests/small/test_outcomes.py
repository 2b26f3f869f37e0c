"""What the code of a function says of itself, in words."""

from pathlib import Path

import pytest

from ferrule.small.code.outcomes import functions_in, outcomes, purpose
from tests.server import ModelServer
from tests.small.led import answer, asked, opened

CLOCK = '''\
class Clock:
    def press(self, player):
        """Press the clock."""
        if player != self.turn:
            raise ValueError("not your turn")
        self.turn = other(player)


def colour(name):
    return NAMES.get(name.lower(), GREY)


# Everything is read again.
def load(path):
    try:
        return read(path)
    except OSError:
        print("no file")
        return None


def size(items):
    for one in items:
        if not one:
            continue
    return "few" if len(items) < 3 else "many"


def main():
    if undo():
        print("back")
    else:
        print("Nothing to undo.")
'''
DATES = """\
// The day on which somebody celebrates.
function birthday(person, year) {
  if (person.day === 29 && !leap(year)) {
    return new Date(year, 1, 28);
  }
  if (!person) throw new Error("nobody");
  return person.date;
}

const age = (person) => person.age;
"""
SCRIPT = """\
#!/bin/sh
# Remind everybody.
if [ ! -f "$LIST" ]; then
    echo "There is no $LIST." >&2
    exit 3
fi
"""


def told(path: str, text: str) -> dict[str, list[str]]:
    return {one.name: outcomes(path, text, one) for one in functions_in(path, text)}


def test_cases_of_python() -> None:
    assert told("clock.py", CLOCK) == {
        "Clock.press": ["raises ValueError('not your turn') if `player != self.turn`"],
        "colour": ["takes GREY where `NAMES` has no `name.lower()`"],
        "load": ["prints 'no file' and returns None on OSError"],
        "size": ["skips it (leaves it out) if `not one`", "returns 'few' if `len(items) < 3`, otherwise 'many'"],
        "main": ["prints 'back' if `undo()`", "prints 'Nothing to undo.' unless `undo()`"],
    }


def test_cases_of_scripts() -> None:
    assert told("dates.js", DATES) == {
        "birthday": [
            "returns new Date(year, 1, 28) if `person.day === 29 && !leap(year)`",
            'throws Error("nobody") if `!person`',
        ],
        "age": [],
    }
    assert told("remind.sh", SCRIPT) == {
        "remind.sh": ['prints "There is no $LIST." and exits with 3 if `[ ! -f "$LIST" ]`']
    }


def test_what_is_taken_for_what_is_not_there_is_a_case_wherever_it_stands() -> None:
    fill = 'def render(context):\n    def fill(name):\n        return context.get(name, "")\n\n    return fill\n'
    assert told("a.py", fill)["render"] == ["takes '' where `context` has no `name`"]
    amount = "def amount(number, unit):\n    return number or other, unit or DEFAULT, number() or 3\n"
    assert told("a.py", amount)["amount"] == ["takes DEFAULT where `unit` is empty"]


def test_what_is_left_over_is_a_case_of_scripts_too() -> None:
    late = (
        'function late(minutes) {\n  if (minutes < 3) return "on time";\n  if (minutes < 30) {\n'
        '    return "late";\n  }\n\n  return "very late";\n}\n'
    )
    assert told("late.js", late) == {
        "late": [
            'returns "on time" if `minutes < 3`',
            'returns "late" if `minutes < 30`',
            'returns "very late" unless `minutes < 30`',
        ]
    }
    assert told("late.js", late.replace("\n\n  return", "\n  tell();\n  return"))["late"][2:] == []


def test_what_functions_say_of_themselves() -> None:
    said = {one.name: purpose("clock.py", CLOCK, one) for one in functions_in("clock.py", CLOCK)}
    assert (said["Clock.press"], said["load"], said["colour"]) == ("Press the clock.", "Everything is read again.", "")
    (birthday, *_) = functions_in("dates.js", DATES)
    assert purpose("dates.js", DATES, birthday) == "The day on which somebody celebrates."


@pytest.mark.parametrize("text", ["def broken(:", "", "\x00", "if (", "function f() {", "}" * 50])
def test_what_cannot_be_read_says_nothing(text: str) -> None:
    for path in ("a.py", "a.js", "a.sh", "a.txt"):
        assert all(outcomes(path, text, one) == [] for one in functions_in(path, text))


async def test_an_answer_can_be_held_against_what_the_code_says(project: Path, server: ModelServer) -> None:
    (project / "clock.py").write_text(CLOCK)
    async with opened(project, server, "Nothing happens.") as session:
        await session.prompt("What happens in Clock.press if black presses although it is white's turn?")
        assert answer(session) == (
            "Nothing happens.\n\n`Clock.press` (clock.py:2): Press the clock; "
            "raises ValueError('not your turn') if `player != self.turn`."
        )


RATES = '''\
def rate(code):
    if code not in RATES:
        raise UnknownCurrency(code)
    return RATES[code]


def convert(amount, code):
    """Convert an amount."""
    return amount / rate(code)
'''


async def test_what_a_function_calls_may_be_what_does_it(project: Path, server: ModelServer) -> None:
    (project / "rates.py").write_text(RATES)
    question = "What does convert in rates.py do if I pass it a code which is not in the table?"
    async with opened(project, server, "It gives 0.", "It raises UnknownCurrency.") as session:
        await session.prompt(question)
        assert answer(session).endswith("`rate` (rates.py:1): raises UnknownCurrency(code) if `code not in RATES`.")
        await session.prompt(question)
        assert answer(session) == "It raises UnknownCurrency."


async def test_the_function_is_meant_that_has_what_is_named_in_it(project: Path, server: ModelServer) -> None:
    storage = (
        "import os\nfrom pathlib import Path\n\n\ndef place():\n"
        '    given = os.environ.get("TODO_FILE")\n    if given:\n        return Path(given)\n'
        '    return Path.home() / ".todo.json"\n\n\n'
        "def save(items):\n    place().write_text(str(items))\n"
    )
    (project / "storage.py").write_text(storage)
    async with opened(project, server, "It saves the list in a file.") as session:
        await session.prompt("If TODO_FILE is not set, where does the tool save the list?")
        assert answer(session).endswith("returns Path.home() / '.todo.json' unless `given`.")


async def test_where_something_is_left_out_is_told_by_the_code(project: Path, server: ModelServer) -> None:
    reader = (
        "def clean(rows):\n    for row in rows:\n        if row['temperature'] in ('', '-'):\n            continue\n"
        "        yield row\n"
    )
    (project / "reader.py").write_text(reader)
    (project / "summary.py").write_text("def average(rows):\n    return sum(one['temperature'] for one in rows)\n")
    async with opened(project, server, "In `reader.py`.") as session:
        await session.prompt("which file drops the days that have no temperature?")
    told = "`clean` in reader.py skips it (leaves it out) if `row['temperature'] in ('', '-')`."
    assert told in asked(server)


async def test_what_is_taken_where_nothing_is_given_is_told(project: Path, server: ModelServer) -> None:
    log = 'class Log:\n    def recent(self, count=15, *, key=None):\n        """The newest."""\n        return self\n'
    (project / "log.py").write_text(log)
    async with opened(project, server, "It gives the newest.", "It gives many.") as session:
        await session.prompt("How many does recent() in log.py give me if I don't pass a count?")
        assert answer(session).endswith("`Log.recent` (log.py:2): The newest; takes 15 where no `count` is given.")
        assert "takes 15 where no `count` is given" in str(server.requests[0].body)
        await session.prompt("What does recent() in log.py give?")
        assert "takes 15" not in answer(session)
