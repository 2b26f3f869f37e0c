"""`ferrule init`: three questions, or none; a first AGENTS.md."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine


def config(ferrule: CommandLine) -> Path:
    return ferrule.home / "config" / "ferrule" / "config.json"


class Asked:
    """`ferrule init` at a terminal of its own."""

    def __init__(self, terminal: int, process: "subprocess.Popen[bytes]") -> None:
        self._terminal, self._process = terminal, process
        self.text = ""
        self._seen = 0

    def until(self, words: str) -> None:
        """Read until some words have come, behind those that were waited for before."""
        deadline = time.monotonic() + 30
        while (found := self.text.find(words, self._seen)) < 0:
            ready, _, _ = select.select([self._terminal], [], [], max(deadline - time.monotonic(), 0))
            assert ready, self.text
            self.text += os.read(self._terminal, 65_536).decode()
        self._seen = found + len(words)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def end(self) -> int:
        return self._process.wait(timeout=30)


@contextmanager
def asked_in(ferrule: CommandLine, **env: str) -> Iterator[Asked]:
    ours, theirs = pty.openpty()
    try:
        with ferrule.start(["init"], env=ferrule.env | env, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            try:
                yield Asked(ours, process)
            finally:
                process.kill()
    finally:
        os.close(ours)
        os.close(theirs)


def test_three_questions_become_a_configuration(ferrule: CommandLine) -> None:
    with asked_in(ferrule, OPENAI_API_KEY="sk-test", GROQ_API_KEY="test") as asked:
        asked.until("Which model is to answer?")
        asked.until("  1. openai/")
        asked.until("  2. groq/openai/gpt-oss-120b")
        asked.until("[1] ")
        asked.type("nine\n")
        asked.until("A number from 1 to 3, or just Enter.")
        asked.type("2\n")
        asked.until("What may it do without asking?")
        asked.until("[2] ")
        asked.type("3\n")
        asked.until("[Y/n] ")
        asked.type("n\n")
        asked.until("is written")
        assert asked.end() == 0
    assert config(ferrule).stat().st_mode & 0o777 == 0o600
    assert config(ferrule).read_text() == WRITTEN
    assert ferrule("config", "get", "llm.provider").out == "groq\n"


WRITTEN = """\
{
  "llm": {
    // Where the model is reached; null looks for one.
    "provider": "groq",
    // The model's name; null takes the provider's usual one.
    "model": "openai/gpt-oss-120b"
  },
  "safety": {
    // What asks before it runs.
    "mode": "auto-edit"
  },
  "session": {
    // Whether sessions are written to disk.
    "auto_save": false
  }
}
"""


def test_who_leaves_the_questions_leaves_nothing_behind(ferrule: CommandLine) -> None:
    with asked_in(ferrule) as asked:
        asked.until("No model is ready yet.")
        asked.until("[2] ")
        asked.type("\x04")
        asked.until("Nothing was written.")
        assert asked.end() == 1
    assert not config(ferrule).exists()


def test_without_questions_what_is_usual_is_written(ferrule: CommandLine) -> None:
    ended = ferrule("init", "--yes")
    assert (ended.code, ended.err) == (0, "")
    assert ferrule("config", "get", "session.auto_save").out == "true\n"
    assert '"mode": "normal"' in config(ferrule).read_text()
    assert "llm" not in config(ferrule).read_text()
    before = config(ferrule).read_bytes()
    again = ferrule("init", "--yes")
    assert again.code == 2
    assert "is there already" in again.err
    assert config(ferrule).read_bytes() == before


def test_nobody_is_asked_without_a_terminal(ferrule: CommandLine) -> None:
    ended = ferrule("init")
    assert ended.code == 2
    assert "--yes takes what is usual" in ended.err
    assert not config(ferrule).exists()


def test_a_projects_instructions_are_begun(ferrule: CommandLine) -> None:
    project = ferrule.project
    (project / "Makefile").write_text(
        "CC := gcc\n.PHONY: test\ntest: build ## run the tests\n\tpytest\nbuild:\n\ttrue\n"
    )
    (project / "package.json").write_text('{"scripts": {"lint": "eslint .", "$(rm)": "x"}}')
    (project / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n[tool.pytest.ini_options]\n")
    for name in ("src", "tests", ".git", "node|`x`"):
        (project / name).mkdir()
    ended = ferrule("init", "--project")
    assert (ended.code, ended.err) == (0, "")
    text = (project / "AGENTS.md").read_text()
    assert text.startswith(
        "# project\n\nA project in Python, JavaScript.\n\n## Commands\n\n"
        "- `make test`: run the tests\n- `make build`\n- `npm run lint`: eslint .\n- `pytest`\n- `ruff check`\n\n"
        "## Layout\n\n- ``node|`x`/``\n- `src/`: the code\n- `tests/`: its tests\n\n## Conventions\n"
    )
    again = ferrule("init", "--project")
    assert again.code == 2
    assert "is there already; nothing was written" in again.err
    assert (project / "AGENTS.md").read_text() == text


def test_a_project_without_directories_is_laid_out_by_its_files(ferrule: CommandLine) -> None:
    for name in ("basket.py", "check.py", ".hidden", "__pycache__/check.cpython-311.pyc", "shop.egg-info/PKG-INFO"):
        (ferrule.project / name).parent.mkdir(exist_ok=True)
        (ferrule.project / name).write_text("")
    assert ferrule("init", "--project").code == 0
    text = (ferrule.project / "AGENTS.md").read_text()
    assert "## Layout\n\n- `basket.py`\n- `check.py`\n\n## Conventions\n" in text


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md"])
def test_instructions_that_are_there_stay(ferrule: CommandLine, name: str) -> None:
    (ferrule.project / name).symlink_to("/nowhere")
    assert ferrule("init", "--project", "--yes").code == 2
    assert [path.name for path in ferrule.project.iterdir()] == [name]


def test_files_that_make_no_sense_say_nothing(ferrule: CommandLine) -> None:
    (ferrule.project / "package.json").write_text("[" * 100_000)
    (ferrule.project / "pyproject.toml").write_bytes(b"\xff\xfe = ")
    os.mkfifo(ferrule.project / "Makefile")
    assert ferrule("init", "--project").code == 0
    assert "<!-- How to build" in (ferrule.project / "AGENTS.md").read_text()
