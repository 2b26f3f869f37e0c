"""A configuration that is wrong is said at a terminal as it is elsewhere, and the terminal is left as it was."""

import pytest

from tests.cli.broken import BROKEN
from tests.front.terminal.conftest import Place


@pytest.mark.parametrize("kind", ["a named pipe", "a value of the wrong type", "what would steer a terminal"])
def test_at_a_terminal_the_same_is_said(place: Place, kind: str) -> None:
    make, words = BROKEN[kind]
    file = place.home / ".config" / "ferrule" / "config.json"
    file.parent.mkdir(parents=True)
    make(file)
    with place.start(place.script("Hello."), size=(300, 24)) as terminal:
        assert terminal.end() == 2
        assert [row for row in terminal.display if row] == [f"ferrule: {file}{words}"]
