"""What every file of a project defines, in a few lines."""

import re
from pathlib import Path

import pytest

from ferrule.small.outline import DEFINITIONS, outline
from ferrule.small.words.seen import Hit
from tests.server import ModelServer
from tests.small.led import asked, opened


@pytest.mark.parametrize(
    "line",
    [
        "def cast(poll, person):",
        "    async def reply(self):",
        "export default class Board {",
        "const LIMIT = 5;",
        "GRACE = 15",
        'port: "8000"',
        "[server]",
        "retry() {",
        '    """A short name."""',
        '  "version": "1.2",',
        "pub fn parse(text: &str)",
        "#define BAUD 9600",
    ],
)
def test_lines_that_say_what_a_file_is_about(line: str) -> None:
    assert re.search(DEFINITIONS, line)


@pytest.mark.parametrize("line", ["    return x", "    def __init__(self):", "if a == b:", "  total = 3", "", "x == 3"])
def test_lines_that_do_not(line: str) -> None:
    assert not re.search(DEFINITIONS, line)


def test_each_file_is_one_line() -> None:
    hits = [
        Hit(path="gate.js", number=1, text="const LIMIT = 5;"),
        Hit(path="gate.js", number=3, text="function open() {"),
        Hit(path="a.py", number=1, text='"""What it is."""'),
        Hit(path="test_a.py", number=1, text="def test_it():"),
    ]
    assert outline(hits, ["gate.js", "a.py", "test_a.py"], 100).splitlines() == [
        "The project's files, and what they define:",
        "a.py: (What it is.)",
        "gate.js: const LIMIT = 5; function open()",
        "Other files: test_a.py",
    ]


def test_there_is_only_so_much_room() -> None:
    paths = [f"module_{number}.py" for number in range(300)]
    hits = [Hit(path=path, number=1, text="def work():") for path in paths]
    told = outline(hits, paths, 60)
    assert len(told) < 400
    assert "more" in told


def test_what_says_most_of_each_file_comes_before_what_says_more_of_one() -> None:
    hits = [
        Hit(path="words.py", number=1, text='"""From what is typed to a verb."""'),
        *(Hit(path="words.py", number=number, text=f'    "word{number}": "verb",') for number in range(3, 12)),
        Hit(path="words.py", number=14, text="def understand(line):"),
        Hit(path="words.py", number=15, text='    """A verb and a noun."""'),
        Hit(path="turns.py", number=1, text='"""What goes on by itself."""'),
        Hit(path="turns.py", number=3, text="PATIENCE = 3"),
        Hit(path="turns.py", number=6, text="def stumble(game):"),
    ]
    assert outline(hits, ["words.py", "turns.py"], 52).splitlines()[1:] == [
        "turns.py: (What goes on by itself.); PATIENCE = 3; def stumble(game)",
        "words.py: (From what is typed to a verb.); def understand(line)",
    ]


async def test_a_file_that_no_word_finds_is_in_sight(project: Path, server: ModelServer) -> None:
    (project / "gate.js").write_text("const LIMIT = 5;\n\nfunction createGate() {\n  return LIMIT;\n}\n")
    (project / "commands.js").write_text("// commands that a user may send\nfunction dispatch() {}\n")
    async with opened(project, server, "In `gate.js`.") as session:
        await session.prompt("Which file says how many commands a user may send?")
    assert "gate.js: const LIMIT = 5; function createGate()" in asked(server)


async def test_lines_are_numbered_for_who_asks_for_one(project: Path, server: ModelServer) -> None:
    (project / "flavour.py").write_text('QUOTE = 1\nSEPARATOR = ";"\n')
    async with opened(project, server, "Line 2.") as session:
        await session.prompt("On which line is the separator defined?")
    assert '  2 SEPARATOR = ";"' in asked(server)
