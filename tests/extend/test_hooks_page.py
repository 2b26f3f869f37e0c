"""Every example of docs/hooks.md, taken from the page and run."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ferrule
from ferrule.core.errors import FerruleError
from ferrule.core.events import PermissionAsked
from ferrule.core.permission import Answer
from ferrule.session.reading import read_log
from tests.extend.hooking import Watched

PAGE = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text("utf-8")
EXAMPLES = {part.partition("\n")[0]: part for part in PAGE.split("\n### ")[1:]}


class Place:
    """A project and a home in which an example of the page is set up as the page says."""

    def __init__(self, root: Path) -> None:
        self.project, self.home = root / "project", root / "home"
        self.programs = self.home / "bin"
        for directory in (self.project, self.programs):
            directory.mkdir(parents=True)

    def set_up(self, heading: str) -> None:
        example = EXAMPLES[heading]
        (config,) = re.findall(r"```json\n(.*?)```", example, re.DOTALL)
        self.write(".config/ferrule/config.json", config)
        for script in re.findall(r"```(?:sh|python3)\n(.*?)```", example, re.DOTALL):
            self.write(script.splitlines()[1].removeprefix("# ~/"), script).chmod(0o755)

    def write(self, name: str, text: str) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name: str, line: str) -> None:
        self.write(f"bin/{name}", f"#!/bin/sh\n{line}\n").chmod(0o755)

    def git(self, *words: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *words], cwd=self.project, check=True, capture_output=True)

    def session(self, *steps: Any, **options: Any) -> Watched:
        return Watched(self.project, *steps, hooks={}, **options)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.setenv("HOME", str(place.home))
    monkeypatch.setenv("PATH", f"{place.programs}:{Path(sys.executable).parent}:{os.environ['PATH']}")
    for name in ("DATA", "CONFIG", "STATE", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    return place


async def test_format_what_was_edited(place: Place) -> None:
    place.set_up("Format what was edited")
    steps = [ferrule.calling("write", file_path=name, content="x = { 'a':1 }\n") for name in ("a.py", "a.txt")]
    async with place.session(*steps, "Done.", mode="auto-edit") as watched:
        await watched.session.prompt("go")
        assert watched.results[0].endswith("-x = { 'a':1 }\n+x = {\"a\": 1}")
    assert (place.project / "a.py").read_text() == 'x = {"a": 1}\n'
    assert (place.project / "a.txt").read_text() == "x = { 'a':1 }\n"


async def test_keep_generated_files_as_they_are(place: Place) -> None:
    place.set_up("Keep generated files as they are")
    (place.project / "made.py").write_text("# generated, do not edit\nx = 1\n")
    (place.project / "own.py").write_text("x = 1\n")
    steps = [ferrule.calling("edit", file_path=name, old_string="1", new_string="2") for name in ("made.py", "own.py")]
    async with place.session(*steps, "Done.", mode="auto-edit") as watched:
        await watched.session.prompt("go")
        path = place.project / "made.py"
        denied = f"A hook denied it: {path} is generated: change its template and run make."
        assert watched.results[0] == denied
    assert (place.project / "own.py").read_text() == "x = 2\n"


async def test_no_end_before_the_tests_pass(place: Place) -> None:
    place.set_up("No end before the tests pass")
    (place.project / "test_it.py").write_text(
        "import unittest\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1, 2)\n"
    )
    mend = ferrule.calling("edit", file_path="test_it.py", old_string="1, 2", new_string="22, 22")
    async with place.session("Done.", mend, "Now it is.", mode="auto-edit") as watched:
        assert (await watched.session.prompt("go")).reason == "end_turn"
        assert "AssertionError: 1 != 2" in watched.said[2]
        assert watched.said[-1] == "Now it is."


async def test_say_when_you_are_waited_for(place: Place) -> None:
    place.set_up("Say when you are waited for")
    place.program("notify-send", 'echo "$2" >> ~/notes.txt')

    async def person(_asked: PermissionAsked) -> Answer:
        return Answer(verdict="no")

    async with place.session(ferrule.calling("bash", command="touch a"), "Well.", permission=person) as watched:
        await watched.session.prompt("go")
    assert sorted((place.home / "notes.txt").read_text().splitlines()) == ["It is done.", "It waits for you."]


async def test_answer_a_question_without_being_asked(place: Place) -> None:
    place.set_up("Answer a question without being asked")
    (place.project / "Makefile").write_text("test:\n\ttouch tested\nother:\n\ttouch other\n")
    calls = [ferrule.calling("bash", command=f"make {target}") for target in ("test", "other")]
    async with place.session(*calls, "Done.") as watched:
        await watched.session.prompt("go")
        assert watched.results[1].startswith("Denied: ")
    assert sorted(path.name for path in place.project.iterdir()) == ["Makefile", "tested"]


async def test_answer_while_nobody_is_there(place: Place) -> None:
    place.set_up("Answer while nobody is there")
    calls = [ferrule.calling("write", file_path="a", content="a"), ferrule.calling("bash", command="touch b")]
    async with place.session(*calls, "Done.") as watched:
        await watched.session.prompt("go")
    assert [path.name for path in place.project.iterdir()] == ["a"]


async def test_tell_the_model_what_it_should_know(place: Place) -> None:
    place.set_up("Tell the model what it should know")
    place.git("init", "-q")
    place.git("commit", "-q", "--allow-empty", "-m", "Begin")
    (place.project / "new.txt").touch()
    async with place.session("I see.") as watched:
        await watched.session.prompt("hello")
        first, *others = watched.said
        assert re.fullmatch(r"A hook says:\n[0-9a-f]+ Begin", first)
        assert others == ["hello", "A hook says:\n?? new.txt", "I see."]


async def test_help_after_a_failure(place: Place) -> None:
    place.set_up("Help after a failure")
    async with place.session(ferrule.calling("read", file_path="src/a.py"), "I see.") as watched:
        await watched.session.prompt("go")
        assert watched.results[0].endswith("\n\nA hook says:\nThe sources were moved to lib/ last week.")


async def test_keep_what_is_about_to_be_summed_up(place: Place) -> None:
    place.set_up("Keep what is about to be summed up, and a list of sessions")
    async with place.session(*["Well."] * 4) as watched:
        for request in ("one", "two", "three", "four"):
            await watched.session.prompt(request)
        with pytest.raises(FerruleError):  # the script of the model has no notes
            await watched.session.compact()
    assert read_log(place.home / "before-compaction.jsonl").header.id == watched.session.id
    assert (place.home / "sessions.txt").read_text().endswith(f" {watched.session.id}\n")


def test_the_tests_know_every_example() -> None:
    tested = Path(__file__).read_text("utf-8")
    headings = re.findall(r"^### (.*)", PAGE, re.MULTILINE)
    assert [heading for heading in headings if f'set_up("{heading}")' not in tested] == []
    listed = re.findall(r"^\| `(\w+)` \|", PAGE.partition("A matcher that")[0], re.MULTILINE)
    assert {*listed, "hooks"} == set(re.findall(r'"(\w+)": \[\{', PAGE))
