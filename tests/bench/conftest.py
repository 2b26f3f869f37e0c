"""A directory of little tasks, and the command line that runs them."""

import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.conftest import CommandLine, Ended

GREET = "def greet(name):\n    return 'Hello ' + name\n"
CHECK_ANSWER = """\
import os, pathlib, sys
answer = pathlib.Path(os.environ["FERRULE_ANSWER"]).read_text()
if "greeting.py" not in answer:
    sys.exit("The answer does not name greeting.py.")
"""
CHECK_CODE = """\
import pathlib, sys
sys.path.insert(0, str(pathlib.Path.cwd()))
from greeting import greet
if greet("Ada") != "Hello, Ada!":
    print("greet('Ada') is " + repr(greet("Ada")))
    sys.exit(1)
"""


class Bench(CommandLine):
    """Runs `ferrule bench` on two tasks: one to be answered, one to be done."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.tasks = root / "tasks"
        self.results = root / "results.jsonl"
        self.task("greet-where", CHECK_ANSWER, kind="find", request="Where is greet() defined?", tags=["held"])
        self.task("greet-comma", CHECK_CODE, kind="fix", request="greet() lacks its comma.", tags=["tune", "hard"])

    def task(self, name: str, check: str, **said: Any) -> Path:
        place = self.tasks / name
        (place / "repo").mkdir(parents=True)
        (place / "repo" / "greeting.py").write_text(GREET)
        (place / "repo" / "other.txt").write_text("nothing\n")
        lines = (f"{key} = {msgspec.json.encode(value).decode()}\n" for key, value in {"name": name, **said}.items())
        (place / "task.toml").write_text("".join(lines))
        (place / "check.py").write_text(check)
        return place

    def bench(self, *words: str) -> Ended:
        return self("bench", "run", "--tasks", str(self.tasks), *words)

    def program(self, text: str) -> str:
        """A stand-in for another agent, as a command template."""
        path = self.home / "rival.py"
        path.write_text(text)
        return f"other={sys.executable} {path} --message {{prompt}}"

    @property
    def records(self) -> list[dict[str, Any]]:
        """The results that were kept, without how long it took."""
        records = [msgspec.json.decode(line) for line in self.results.read_bytes().splitlines()]
        assert all(record.pop("seconds") >= 0 for record in records)
        return records


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
