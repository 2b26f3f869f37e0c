"""`git.auto_commit` through the command line: after a run its changes are a commit, and off means off."""

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.conftest import CommandLine

ON = {"FERRULE_GIT_AUTO_COMMIT": "true"}


def call(tool: str, **input: Any) -> dict[str, Any]:
    return {"calls": [{"name": tool, "input": input}]}


def git(ferrule: CommandLine, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ferrule.project, env=ferrule.env, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@pytest.fixture
def repository(ferrule: CommandLine) -> CommandLine:
    """A project in a repository, with a change of the user's that is not committed."""
    (ferrule.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    git(ferrule, "init", "-q", "-b", "main")
    (ferrule.project / "a.txt").write_text("one\ntwo\nthree\nfour\nfive\nsix\n")
    git(ferrule, "add", "-A")
    git(ferrule, "commit", "-q", "-m", "first")
    (ferrule.project / "a.txt").write_text("one\ntwo\nthree\nfour\nfive\nmine\n")
    return ferrule


def go(ferrule: CommandLine, *more: str, **env: str) -> str:
    """A run that edits a file and makes another by a command; gives what is said on standard error."""
    options = ferrule.script(
        call("edit", file_path="a.txt", old_string="one\n", new_string="ONE\n"),
        call("bash", command="mkdir sub; echo x > sub/y"),
        "Done.",
    )
    ended = ferrule(*options, *more, "--mode", "auto", "-p", "Make it large", env={**ferrule.env, **env})
    assert (ended.code, ended.out) == (0, "Done.\n")
    return ended.err


def test_off_by_default(repository: CommandLine) -> None:
    assert go(repository) == ""
    assert git(repository, "log", "--format=%s") == "first\n"


def test_a_run_is_one_commit_and_undo_gives_the_files_back(repository: CommandLine) -> None:
    said = go(repository, **ON, FERRULE_GIT_COMMIT_MESSAGE_PREFIX="agent: ")
    head = git(repository, "rev-parse", "HEAD")[:8]
    assert said == f"ferrule: Committed 2 files as {head}: agent: Make it large.\n"
    assert git(repository, "log", "--format=%s").splitlines() == ["agent: Make it large", "first"]
    assert git(repository, "show", "HEAD:a.txt") == "ONE\ntwo\nthree\nfour\nfive\nsix\n"
    assert git(repository, "status", "--porcelain") == " M a.txt\n"

    assert repository("undo", "--steps", "2").code == 0
    assert (repository.project / "a.txt").read_text() == "one\ntwo\nthree\nfour\nfive\nmine\n"
    assert git(repository, "log", "--format=%s").splitlines() == ["agent: Make it large", "first"]
    git(repository, "commit", "-q", "-m", "mine", "-a")
    assert git(repository, "show", "HEAD:a.txt") == "one\ntwo\nthree\nfour\nfive\nmine\n"


def test_each_run_of_a_session_is_a_commit_of_its_own(repository: CommandLine) -> None:
    go(repository, **ON)
    options = repository.script(call("write", file_path="b.txt", content="b\n"), "Done.")
    words = ("--continue", "--mode", "auto-edit", "-p", "And b")
    assert repository(*options, *words, env={**repository.env, **ON}).code == 0
    assert git(repository, "log", "--format=%s").splitlines() == ["And b", "Make it large", "first"]
    assert git(repository, "show", "--format=", "--name-only") == "b.txt\n"


def test_a_run_that_changes_nothing_commits_nothing(repository: CommandLine) -> None:
    options = repository.script(call("read", file_path="a.txt"), call("bash", command="true; ls"), "Done.")
    ended = repository(*options, "--mode", "auto", "-p", "look", env={**repository.env, **ON})
    assert (ended.out, ended.err) == ("Done.\n", "")
    assert git(repository, "log", "--format=%s") == "first\n"


def test_it_belongs_to_the_user_or_a_trusted_project(repository: CommandLine) -> None:
    (repository.project / ".ferrule.json").write_bytes(msgspec.json.encode({"git": {"auto_commit": True}}))
    assert "git.auto_commit is ignored until you trust the project" in go(repository)
    assert git(repository, "log", "--format=%s") == "first\n"
    assert repository("trust", "--yes").code == 0
    options = repository.script(call("write", file_path="b.txt", content="b\n"), "Done.")
    assert "Committed 1 file as " in repository(*options, "--mode", "auto-edit", "-p", "And b").err


def test_without_records_it_says_that_it_cannot(repository: CommandLine) -> None:
    said = go(repository, **ON, FERRULE_SESSION_CHECKPOINTS="false")
    assert said == (
        "ferrule: Nothing will be committed: git.auto_commit needs session.checkpoints and session.auto_save.\n"
    )
    assert git(repository, "log", "--format=%s") == "first\n"


def test_a_session_without_it_loads_nothing_of_it(repository: CommandLine, tmp_path: Path) -> None:
    options = repository.script(call("write", file_path="b.txt", content="b\n"), "Done.")
    env = {**repository.env, "PYTHONPROFILEIMPORTTIME": "1"}
    loaded = repository(*options, "--mode", "auto-edit", "-p", "And b", env=env).err
    assert "ferrule.session.checkpoints" in loaded
    assert "ferrule.extend" not in loaded
