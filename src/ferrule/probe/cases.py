"""The questions that a model is asked, as they stand in `cases.json`, and what counts as a right answer."""

from functools import cache
from pathlib import Path

import msgspec

from ferrule.core.messages import Value


class Told(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An order whose answer must be exactly what was asked for."""

    order: str
    right: str
    """A pattern for all of the answer."""


class Wanted(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call that carries a request out; each argument is a pattern for all of its value."""

    tool: str
    arguments: dict[str, str]


class Task(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request, and the first calls that would be right for it."""

    request: str
    calls: tuple[Wanted, ...]


class Change(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A small change to a small Python file, and all that it may look like afterwards."""

    path: str
    before: str
    request: str
    after: tuple[str, ...]


class Asked(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question that a shown file answers."""

    path: str
    text: str
    question: str
    right: str
    """A pattern that is found in a right answer."""


class Hidden(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence that is put into a long text, and the question that it answers."""

    sentence: str
    question: str
    right: str


class Cases(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of them."""

    orders: tuple[Told, ...]
    tasks: tuple[Task, ...]
    changes: tuple[Change, ...]
    questions: tuple[Asked, ...]
    hidden: tuple[Hidden, ...]
    """For the beginning, the middle and the end of a text."""
    filler: tuple[str, ...]
    """Sentences that long texts are made of."""


@cache
def cases() -> Cases:
    """Read them."""
    return msgspec.json.decode(Path(__file__).with_name("cases.json").read_bytes(), type=Cases)
