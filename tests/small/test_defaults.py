"""Lists and dictionaries that all calls share by mistake."""

from pathlib import Path

import pytest

from ferrule.small.mends.defaults import speaks_of_sharing, with_own_defaults
from tests.server import ModelServer
from tests.small.led import opened

FILTER = '''class Filter:
    def __init__(self, words=[], *, size=3, seen={}):
        """One of them."""
        self.words, self.seen = words, seen

    def add(self, word):
        self.words.append(word)
'''
OWN = '''class Filter:
    def __init__(self, words=None, *, size=3, seen=None):
        """One of them."""
        if words is None:
            words = []
        if seen is None:
            seen = {}
        self.words, self.seen = words, seen

    def add(self, word):
        self.words.append(word)
'''


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (FILTER, OWN),
        ("def f(x=[], /):\n    return x\n", "def f(x=None, /):\n    if x is None:\n        x = []\n    return x\n"),
        (
            "def f(ä='ö', b=set()):\n    return b\n",
            "def f(ä='ö', b=None):\n    if b is None:\n        b = set()\n    return b\n",
        ),
        ("def f(a=(), b=None, c=list(d)):\n    return a\n", None),
        ("def f(a=[]): return a\n", None),
        ("def f(\n    a=[\n    1],\n):\n    return a\n", None),
        ("no python", None),
        ("", None),
    ],
)
def test_each_call_has_its_own(text: str, own: str | None) -> None:
    assert with_own_defaults(text) == (own or text)


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("When I add a word to one Filter() it shows up in all other filters too. Fix this bug.", True),
        ("The list is shared wrongly between instances", True),
        ("collect() remembers what it got in the first call", True),
        ("add_item is wrong when it is called twice", True),
        ("The second list still has the items of the first one", True),
        ("If I add Ida to the first crew, she's in the second one as well.", True),
        ("Something is odd. Every crew should have its own rowers.", True),
        ("The filter finds nothing. Fix it.", False),
        ("connect() fails with an error in the first call.", False),
        ("It shows the wrong title for each song", False),
    ],
)
def test_it_is_said_that_something_is_shared(text: str, is_so: bool) -> None:
    assert speaks_of_sharing(text) is is_so


async def test_it_needs_no_model(project: Path, server: ModelServer) -> None:
    (project / "filters.py").write_text(FILTER)
    async with opened(project, server) as session:
        await session.prompt("When I add a word to one Filter() it shows up in all other filters too. Fix filters.py")
    assert ((project / "filters.py").read_text(), server.requests) == (OWN, [])
