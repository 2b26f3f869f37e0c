"""What a question is about is tried, where that does nothing."""

import re
import shutil
from pathlib import Path

import pytest

from ferrule.small.checks.examples import asked_values
from ferrule.small.tried import ACTS, asked_command, asks_only_that
from tests.server import ModelServer
from tests.small.led import answer, asked, calls, opened

PATHS = ["main.py", "app/cli.py", "tool/__main__.py", "index.js"]
DICE = "import sys\n\n\ndef main(words):\n    print(f'{len(words)} words')\n\n\nmain(sys.argv[1:])\n"


@pytest.mark.parametrize(
    ("question", "command"),
    [
        ("What does `python main.py range 2d6+1` print?", "python main.py range 2d6+1"),
        ("What would python3 -m app.cli --help show?", "python3 -m app.cli --help"),
        ("What does `python3 -m tool x` do?", "python3 -m tool x"),
        ("What is the output of `node index.js 12`?", "node index.js 12"),
        ("What is printed when I run `python main.py`?", "python main.py"),
        ("What happens if I call `python main.py 'a b'`?", "python main.py 'a b'"),
        ("What does `python other.py` print?", ""),
        ("What does `python -c 'print(1)'` print?", ""),
        ("What does `python main.py; rm -rf x` print?", ""),
        ("What does `python main.py > out` print?", ""),
        ("What does `python main.py 'a` print?", ""),
        ("What does `sh run.sh` print?", ""),
        ("What does main.py do?", ""),
    ],
)
def test_commands_that_a_question_is_about(question: str, command: str) -> None:
    assert asked_command(question, PATHS) == command


@pytest.mark.parametrize(
    ("code", "acts"),
    [
        ("with open(path) as file:", False),
        ("open(path, 'r')", False),
        ("items.remove(3)", False),
        ("path.rename(other)", True),
        ("sys.stdout.write('x')", False),
        ("text.replace('a', 'b')", False),
        ("open(path, 'w')", True),
        ("Path(x).open('ab')", True),
        ("path.write_text('x')", True),
        ("import subprocess", True),
        ("fs.writeFileSync(path, text)", True),
        ("fs.rmSync(path)", True),
        ("os.remove(path)", True),
        ("name = input('Name? ')", True),
    ],
)
def test_code_that_does_something(code: str, acts: bool) -> None:
    assert bool(re.search(ACTS, code)) == acts


async def test_a_command_that_a_question_is_about_is_tried(project: Path, server: ModelServer) -> None:
    (project / "main.py").write_text(DICE)
    said = "It was tried: `python main.py a b` prints:\n2 words"
    async with opened(project, server, "Because there are two.") as session:
        await session.prompt("What does `python main.py a b` print?")
        assert [name for name, _ in calls(session)][-2:] == ["grep", "bash"]
        assert (answer(session), server.requests) == (said, [])
        await session.prompt("What does `python main.py a b` print, and why?")
        assert answer(session) == f"Because there are two.\n\n{said}"
    assert said in asked(server)


LATE = "function late(minutes) {\n  return minutes < 30 ? 'late' : 'very late';\n}\n\nmodule.exports = { late };\n"


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
async def test_a_function_in_javascript_is_tried(project: Path, server: ModelServer) -> None:
    (project / "late.js").write_text(LATE)
    async with opened(project, server) as session:
        await session.prompt("What does late in late.js return for a delay of 45 minutes?")
        assert (answer(session), server.requests) == ('It was tried: late(45) gives "very late".', [])


@pytest.mark.parametrize(
    ("code", "question"),
    [
        (LATE, "What does late in late.js return for a delay of 45 hours?"),
        (LATE.partition("module")[0], "What does late(45) return?"),
        (LATE + "require('fs').writeFileSync('log', 'x');\n", "What does late(45) return?"),
    ],
)
async def test_what_is_not_sure_in_javascript_is_not_tried(
    project: Path, server: ModelServer, code: str, question: str
) -> None:
    (project / "late.js").write_text(code)
    async with opened(project, server, "I do not know.") as session:
        await session.prompt(question)
        assert "bash" not in [name for name, _ in calls(session)]


async def test_the_name_of_an_object_is_no_answer(project: Path, server: ModelServer) -> None:
    (project / "box.py").write_text("class Box:\n    def __init__(self, what):\n        self.what = what\n")
    async with opened(project, server, "A box.") as session:
        await session.prompt("What does Box(3) return?")
        assert answer(session) == "A box."


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("import os\n\n\ndef tidy(n):\n    os.remove(str(n))\n", "What does tidy(3) do?"),
        ("def delete_it(n):\n    return n\n", "What does delete_it(3) do?"),
        (DICE + "open('log', 'a').write('x')\n", "What does `python main.py a b` print?"),
    ],
)
async def test_what_does_something_is_not_tried(project: Path, server: ModelServer, code: str, question: str) -> None:
    (project / "main.py").write_text(code)
    async with opened(project, server, "I do not know.") as session:
        await session.prompt(question)
        assert "bash" not in [name for name, _ in calls(session)]


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("What does `python main.py range 2d6+1` print?", True),
        ("What does triple(4) return?", True),
        ("What is the result of `median([4,1])`?", True),
        ("What does the add function return when called with 2 and 3?", True),
        ("What does median return for [1, 2]?", True),
        ("What does median do for [1]?", False),
        ("What does f(3) return and why?", False),
        ("What does f(3) print? And where is it?", False),
        ("Explain what f(3) gives.", False),
    ],
)
def test_questions_for_nothing_but_a_value(question: str, is_so: bool) -> None:
    assert asks_only_that(question) == is_so


def test_what_is_given_may_stand_in_another_sentence() -> None:
    homes = {"rating": "rating.py"}
    assert list(asked_values("I bowled 150. What will rating() call me, and why?", homes)) == ["rating(150)"]
    assert list(asked_values("I bowled 150 or 200. What will rating() call me?", homes)) == []
    assert list(asked_values("What does rating() do?", homes)) == []
