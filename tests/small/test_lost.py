"""Imports of modules that the project has not."""

import pytest

from ferrule.small.code.splice import UnusableError
from ferrule.small.mends.lost import without_lost_imports

PATHS = ["plants/__init__.py", "plants/store.py", "plants/data/a.json", "src/tool/base.py", "main.py"]
BODY = "def by_room(plants):\n    return {one: one for one in plants}\n"


@pytest.mark.parametrize(
    "line",
    [
        "from plants.store import load",
        "from plants import store",
        "from plants.data import a",
        "from tool.base import x",
        "from store import load",
        "from os.path import join",
        "from numpy import array",
        "from . import store",
        "import plants.rooms",
    ],
)
def test_what_may_be_there_stays(line: str) -> None:
    text = f"{line}\n\n{BODY}"
    assert without_lost_imports("plants/rooms.py", text, PATHS) == text


def test_what_is_not_there_goes_where_nobody_needs_it() -> None:
    text = f"from plants.plants import (\n    plants,\n)\n\n{BODY}"
    assert without_lost_imports("plants/rooms.py", text, PATHS) == BODY


def test_what_is_used_and_not_there_is_sent_back() -> None:
    text = f"from plants.rooms_of import rooms\n\n{BODY}\nALL = rooms()\n"
    with pytest.raises(UnusableError, match=r"no module plants\.rooms_of"):
        without_lost_imports("plants/rooms.py", text, PATHS)
    assert without_lost_imports("a.py", "def broken(:", PATHS) == "def broken(:"
