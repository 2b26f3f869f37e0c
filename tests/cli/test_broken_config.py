"""A configuration that is wrong: what is said names the file, the place and the way out, and nothing is touched."""

from pathlib import Path

import pytest

from tests.cli.broken import BROKEN, TURNS
from tests.cli.conftest import CommandLine


def _state(file: Path) -> tuple[int, int, int, bytes]:
    """A file as it is; when it was last read is no part of that."""
    found = file.lstat()
    return found.st_ino, found.st_mode, found.st_mtime_ns, file.read_bytes() if file.is_file() else b""


@pytest.mark.parametrize("kind", BROKEN)
def test_the_right_words_and_nothing_lost(ferrule: CommandLine, kind: str) -> None:
    make, words = BROKEN[kind]
    file = ferrule.home / "config" / "ferrule" / "config.json"
    file.parent.mkdir(parents=True)
    make(file)
    before = _state(file)
    ended = ferrule(*ferrule.script("Hello."), "-p", "hi")
    assert (ended.code, ended.out, ended.err) == (2, "", f"ferrule: {file}{words}\n")
    assert _state(file) == before
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("FERRULE_AGENT_MAX_TURNS", "lots", f'{TURNS} "lots".'),
        ("FERRULE_AGENT_MAX_TURN", "3", "There is no such variable; there is FERRULE_AGENT_MAX_TURNS."),
    ],
)
def test_variables_that_are_wrong_are_named(ferrule: CommandLine, name: str, value: str, words: str) -> None:
    ferrule.env[name] = value
    ended = ferrule(*ferrule.script("Hello."), "-p", "hi")
    assert (ended.code, ended.out, ended.err) == (2, "", f"ferrule: environment {name}: {words}\n")


def test_a_project_sets_nothing_that_is_the_users(ferrule: CommandLine) -> None:
    file = ferrule.project / ".ferrule.json"
    file.write_text('{"ui": {"theme": "light"}, "llm": {"endpoint": "https://evil.example"}}')
    ended = ferrule(*ferrule.script("Hello."), "-p", "hi")
    words = "ui.theme, llm.endpoint are ignored: they are the user's to set, not a project's."
    assert (ended.code, ended.out, ended.err) == (0, "Hello.\n", f"ferrule: {file}: {words}\n")
