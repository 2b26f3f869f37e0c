"""Which blocks of a file are shown for a change."""

import pytest

from ferrule.small.focus import focus
from ferrule.small.profile import Profile
from ferrule.small.words.wish import understand
from ferrule.small.work import Work

HANDLERS = """\
def get_note(store, number):
    note = store.get(number)
    return (404, "no such note") if note is None else (200, note)


def delete_note(store, number):
    store.remove(number)
    return 200, number
"""


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ("`delete_note` fails if there is no such note", ["delete_note"]),
        ("`delete_note` fails if there is no such note. It should answer 404 just like GET does.", None),
        ("Let `delete_note` give back 404 if there is none, like the others.", None),
        ("`delete_note` fails with things like that", ["delete_note"]),
        ("delete it if there is none", None),
    ],
)
def test_one_function_is_enough_unless_another_is_the_example(request_: str, names: list[str] | None) -> None:
    work = Work(understand(request_), Profile(), ())
    found = focus(work, "handlers.py", HANDLERS, (), narrow=True)
    assert (None if found is None else [one.name for one in found]) == names


TICKET = """\
@dataclass
class Ticket:
    number: int
    subject: str
    is_open: bool = True

    def close(self):
        if not self.is_open:
            raise ValueError(f"ticket {self.number} is closed already")
        self.is_open = False

    def to_dict(self):
        return {
            "number": self.number,
            "subject": self.subject,
            "is_open": self.is_open,
            "is_new": self.is_open and self.number > 100,
            "title": f"{self.number}: {self.subject}",
        }
"""


@pytest.mark.parametrize(
    ("request_", "is_shown"),
    [
        ("Add a field email to Ticket, and include it in to_dict().", True),
        ("to_dict() should leave out what is open", False),
    ],
)
def test_the_fields_of_a_class_are_shown_where_it_is_named(request_: str, *, is_shown: bool) -> None:
    work = Work(understand(request_), Profile(), ())
    names = {one.name for one in focus(work, "ticket.py", TICKET, (), narrow=True) or ()}
    assert "Ticket.to_dict" in names
    assert ("Ticket" in names) is is_shown
