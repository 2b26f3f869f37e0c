"""What objects of a project's classes can do, and what a model makes up."""

from pathlib import Path

import pytest

from ferrule.small.code.members import made_up, with_gets
from ferrule.small.code.names import made_anew
from tests.server import ModelServer
from tests.small.led import answer, block, opened

STORE = """\
class Store:
    size = 0

    def __init__(self):
        self.notes = {}

    def get(self, number):
        return self.notes.get(number)

    def remove(self, number):
        del self.notes[number]
"""
HANDLER = "def delete(store, number):\n    store.remove(number)\n    return 200\n"
CAN = "It has these: get, notes, remove, size."


def with_line(line: str) -> str:
    return HANDLER.replace("    store", f"    {line}\n    store")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("if number not in store: return 404", f"A Store has no `in`. {CAN}"),
        ("if not store.exists(number): return 404", f"A Store has no exists. {CAN}"),
        ("if store[number] is None: return 404", f"A Store has no `[]`. {CAN}"),
        ("if len(store) == 0: return 404", f"A Store has no `len`. {CAN}"),
        ("for one in store: pass", f"A Store has no `for`. {CAN}"),
        ("if store.get(number) is None: return 404", ""),
        ("if number not in store.notes: return 404", ""),
        ("print(store.size)", ""),
        ("print(shop.exists)", ""),
    ],
)
def test_what_a_class_does_not_know_is_said(line: str, said: str) -> None:
    assert made_up(HANDLER, with_line(line), [STORE]) == said


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("if number not in store: return 404", "if store.get(number) is None: return 404"),
        ("if number in store and number: pass", "if store.get(number) is not None and number: pass"),
        ("if store[number] is None: return 404", "if store[number] is None: return 404"),
        ("if number in store.notes: pass", "if number in store.notes: pass"),
    ],
)
def test_an_object_that_knows_no_in_is_asked_otherwise(line: str, right: str) -> None:
    assert with_gets(HANDLER, with_line(line), [STORE]) == with_line(right)
    without = STORE.replace("get(self", "find(self")
    assert with_gets(HANDLER, with_line(line), [without]) == with_line(line)


@pytest.mark.parametrize(
    ("base", "classes"),
    [
        (HANDLER, STORE.replace("Store:", "Store(dict):")),
        (HANDLER, STORE.replace("get(", "__getattr__(")),
        (HANDLER, f"{STORE}\n\n{STORE}"),
        (HANDLER, STORE.replace("get(", "__contains__(")),
        (HANDLER, "class Shop:\n    def remove(self):\n        pass\n"),
        (HANDLER.replace("return 200", "return store.ok"), STORE),
        (HANDLER.replace("store.remove(number)", "pass"), STORE),
        (HANDLER.replace("    store", "    store = {}\n    store"), STORE),
        ("", STORE),
        (HANDLER, "class Store:\n  def (:"),
    ],
)
def test_where_it_cannot_be_told_nothing_is_said(base: str, classes: str) -> None:
    new = base.replace("    store.remove", "    if number not in store: return 404\n    store.remove")
    assert made_up(base, new, [classes]) == ""


@pytest.mark.parametrize(
    ("base", "text", "found"),
    [
        ("from tax import rate\n", "from tax import rate\n\ndef rate(): ...\n", ("tax", "rate")),
        ("from tax import rate\n", "def rate(): ...\n", ("", "")),
        ("from tax import rate as old\n", "from tax import rate as old\n\ndef rate(): ...\n", ("", "")),
        ("", "from tax import rate\n\ndef rate(): ...\n", ("", "")),
        ("from tax import rate\n", "from tax import rate\n\ndef other(): ...\n", ("", "")),
        ("from (", "from tax import rate\n", ("", "")),
    ],
)
def test_what_is_imported_and_made_anew(base: str, text: str, found: tuple[str, str]) -> None:
    assert made_anew(base, text) == found


async def test_what_is_made_anew_beside_its_import_changes_where_it_is(project: Path, server: ModelServer) -> None:
    totals = "from amounts import to_amount\n\n\ndef total(rows):\n    return sum(map(to_amount, rows))\n"
    amounts = "def to_amount(text):\n    return float(text or 0)\n"
    mended = "def to_amount(text):\n    return float(text.replace(',', '') or 0)\n"
    (project / "totals.py").write_text(totals)
    (project / "amounts.py").write_text(amounts)
    replies = [block(f"{totals}\n\n{mended}", "totals.py"), block(mended, "amounts.py")]
    async with opened(project, server, *replies) as session:
        await session.prompt("The totals of totals.py are too low, thousands with a comma are not understood.")
        assert answer(session) == "Changed amounts.py."
    assert (project / "totals.py").read_text() == totals
    assert (project / "amounts.py").read_text() == mended
