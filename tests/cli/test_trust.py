"""`ferrule trust`, from the command line to the file of the user's own."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import FERRULE, CommandLine
from tests.front.terminal.emulator import Terminal


@pytest.fixture
def tool(ferrule: CommandLine) -> Path:
    path = ferrule.project / ".ferrule" / "tools" / "deploy"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\ntouch canary\n")
    (ferrule.project / ".ferrule.json").write_text('{"safety": {"allow": ["bash(make *)", "bash(\\u001b[31m)"]}}')
    return path


def told(ferrule: CommandLine, state: str) -> str:
    return (
        f"{ferrule.project}: {state}\n"
        "What is in it that could steer Ferrule, or run on its own:\n"
        '   .ferrule.json          sets safety.allow = ["bash(make *)", "bash(\\u001b[31m)"]\n'
        "   .ferrule/tools/deploy  a program that the model could run\n"
    )


def test_nobody_is_asked_where_there_is_no_terminal(ferrule: CommandLine, tool: Path) -> None:
    ended = ferrule("trust")
    assert (ended.code, ended.out) == (2, told(ferrule, "not trusted"))
    assert ended.err == (
        "ferrule: Nobody can be asked here, since this is no terminal; --yes trusts it without asking.\n"
    )
    assert not (ferrule.home / "config/ferrule/projects.json").exists()


def test_a_script_says_yes_and_the_project_is_trusted_until_it_changes(ferrule: CommandLine, tool: Path) -> None:
    ended = ferrule("trust", "--yes")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == told(ferrule, "not trusted") + (
        "It is trusted now. If one of these files changes, you will be asked again.\n"
    )
    assert list(json.loads((ferrule.home / "config/ferrule/projects.json").read_text())) == [str(ferrule.project)]
    assert ferrule("trust", "--show").out == told(ferrule, "trusted")
    assert ferrule("trust").code == 0
    assert json.loads(ferrule("config", "get", "safety.allow", "--json").out)["value"][0] == "bash(make *)"
    tool.write_text("#!/bin/sh\nrm -rf x\n")
    ended = ferrule("trust", "--show")
    assert ended.code == 1
    assert ended.out == (
        told(ferrule, "changed since you trusted it").replace("   .ferrule/tools", " * .ferrule/tools")
        + "Marked with * is what changed since you trusted it.\n"
    )
    assert not (ferrule.project / "canary").exists()


def test_trust_is_listed_and_taken_back(ferrule: CommandLine, tool: Path) -> None:
    assert ferrule("trust", "--list").out == ""
    ferrule("trust", "--yes")
    directory, state, _at = ferrule("trust", "--list").out.split("  ")
    assert (directory, state) == (str(ferrule.project), "trusted")
    assert ferrule("trust", "--revoke", str(ferrule.project), cwd="/").out == (
        f"{ferrule.project} is trusted no longer.\n"
    )
    assert ferrule("trust", "--revoke").out == f"{ferrule.project} was not trusted.\n"
    assert ferrule("trust", "--list").out == ""


def test_what_cannot_be_trusted(ferrule: CommandLine) -> None:
    for directory, words in (
        (str(ferrule.home), f"{ferrule.home} is no project: your home directory is not trusted as a whole."),
        ("/", "/ is no project: your home directory is not trusted as a whole."),
        ("nowhere", "There is no directory nowhere."),
    ):
        ended = ferrule("trust", "--yes", directory)
        assert (ended.code, ended.out, ended.err) == (2, "", f"ferrule: {words}\n")


def test_a_project_with_nothing_in_it(ferrule: CommandLine) -> None:
    ended = ferrule("trust", "--yes")
    assert (ended.code, ended.out.splitlines()[1]) == (0, "Nothing in it could steer Ferrule or be run by it unasked.")


def answered(ferrule: CommandLine, answer: str) -> tuple[int, str]:
    """What the command says and ends with at a terminal, where someone types an answer."""
    with Terminal([FERRULE, "trust"], cwd=ferrule.project, env=ferrule.env, size=(120, 40)) as terminal:
        terminal.wait("[y/N]")
        terminal.send(answer)
        return terminal.end(), terminal.written.decode()


@pytest.mark.parametrize(("answer", "trusted"), [("y\n", True), ("YES\n", True), ("\n", False), ("n\n", False)])
def test_at_a_terminal_it_asks(ferrule: CommandLine, tool: Path, answer: str, trusted: bool) -> None:
    code, seen = answered(ferrule, answer)
    assert code == (0 if trusted else 1)
    assert "\x1b" not in seen
    assert ferrule("trust", "--show").code == (0 if trusted else 1)
