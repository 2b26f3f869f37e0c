"""Texts that code puts together, said otherwise, and names in scripts."""

from pathlib import Path

import pytest

from ferrule.small.code.rename import renamed_in_script
from ferrule.small.code.template import said_otherwise
from ferrule.small.mends.finish import with_dots, with_formatted, with_parentheses
from tests.server import ModelServer
from tests.small.led import answer, opened

TABLE = 'def full(number):\n    raise ValueError(f"table {number} is full")\n'
SHELL = 'say() {\n    echo "say: $1"\n}\n\nif [ -z "$1" ]; then say "no"; fi\nsay "done" && say\n'
SCRIPT = (
    "// total of all\nconst total = (xs) => xs.length; // total\nmodule.exports = { total };\n"
    'log(`${total(a)} total`, "total");\n'
)


@pytest.mark.parametrize(
    ("code", "old", "new", "line"),
    [
        (TABLE, "table 2 is full", "Sorry, table 2 has no seats", 'f"Sorry, table {number} has no seats"'),
        ("say(`Hello ${name}!`);", "Hello Ada!", "Welcome Ada!", "`Welcome ${name}!`"),
        ('x = f"Wrong! It is {y}."', "Wrong! It is ...", "Sorry! It is ...", 'f"Sorry! It is {y}."'),
    ],
)
def test_what_is_computed_stays(code: str, old: str, new: str, line: str) -> None:
    (found,) = said_otherwise(code, old, new)
    assert line in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("table 2 is full", "Sorry, no seats"),
        ("table 2 is empty", "table 2 has no guests"),
        ("table 2 is full", "table 2 of 2 is full"),
        ("tab...", "chair..."),
    ],
)
def test_what_is_not_plain_stays(old: str, new: str) -> None:
    assert said_otherwise(TABLE, old, new) == []


def test_a_text_computes_what_the_one_before_it_did() -> None:
    was = 'def f(x):\n    say(f"Wrong! It is {x}.")\n    say("{x}")\n'
    lost = was.replace('f"Wrong!', '"Sorry!')
    assert with_formatted(was, lost) == was.replace("Wrong!", "Sorry!")
    other = was.replace("Wrong!", "{y} {{x}}").replace('f"', '"')
    assert with_formatted('say("{x}")\n', other) == other


def test_names_of_scripts() -> None:
    assert renamed_in_script("a.sh", SHELL, "say", "log") == (
        'log() {\n    echo "say: $1"\n}\n\nif [ -z "$1" ]; then log "no"; fi\nlog "done" && log\n'
    )
    assert renamed_in_script("a.sh", SHELL, "echo", "print") is None
    renamed = renamed_in_script("a.js", SCRIPT, "total", "count")
    assert renamed is not None
    assert renamed.split("\n")[1:3] == ["const count = (xs) => xs.length; // total", "module.exports = { count };"]
    assert renamed_in_script("a.js", SCRIPT, "total", "log") is None


async def test_it_is_done_without_the_model(project: Path, server: ModelServer) -> None:
    (project / "tables.py").write_text(TABLE)
    (project / "run.sh").write_text(SHELL)
    async with opened(project, server) as session:
        await session.prompt('The message is for example "table 2 is full". Change it to "no seats at table 2".')
        assert answer(session) == "Changed tables.py."
        await session.prompt("Rename the function say in run.sh to log.")
        assert answer(session) == "Changed run.sh."
    assert 'f"no seats at table {number}"' in (project / "tables.py").read_text()
    assert (project / "run.sh").read_text().startswith("log() {")
    assert server.requests == []


def test_generators_stand_in_parentheses() -> None:
    lost = "def f(xs):\n    y = max(x for x in xs)\n    return sorted(x[0] for x in f(xs), reverse=True)\n"
    assert with_parentheses(lost) == lost.replace("(x[0] for x in f(xs),", "((x[0] for x in f(xs)),")
    assert with_parentheses("def broken(:") == "def broken(:"


def test_modules_are_imported_and_not_paths() -> None:
    assert with_dots("from shop/cart import total\nimport a/b/c.py\n") == "from shop.cart import total\nimport a.b.c\n"
    assert (
        with_dots('"""from a/b to c"""\nfrom shop import cart  # a/b\n')
        == '"""from a/b to c"""\nfrom shop import cart  # a/b\n'
    )
