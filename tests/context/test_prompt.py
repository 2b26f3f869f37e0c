"""The system prompt: what it says, that it stays the same, and what it costs."""

import importlib
import time
from pathlib import Path

import ferrule.tools
from ferrule.context.budget import tokens_of, tool_tokens
from ferrule.context.project import Project
from ferrule.context.prompt import INSTRUCTIONS, RULES, system_prompt
from ferrule.core.model import ToolSpec
from ferrule.tools.schema import TypedTool, schema_of

PROJECT = Project(
    root="/home/someone/projects/example",
    git="branch feature/something-long, a rebase under way",
    kind="TypeScript, Python (uv, pnpm); scripts: build test lint format typecheck; make: all test check install",
)


def specs() -> list[ToolSpec]:
    """The built-in tools as a model sees them: each has its description beside it."""
    found = []
    for file in sorted(Path(ferrule.tools.__file__).parent.glob("*.md")):
        module = importlib.import_module(f"ferrule.tools.{file.stem}")
        (tool,) = [
            one
            for one in vars(module).values()
            if isinstance(one, type) and issubclass(one, TypedTool) and one.__module__ == module.__name__
        ]
        text = file.read_text("utf-8").strip()
        found.append(ToolSpec(name=tool.name, description=text, schema=schema_of(tool.parameters)))
    return found


def test_the_parts_stand_in_order() -> None:
    prompt = system_prompt(Path("/work"), project=PROJECT, instructions="## AGENTS.md\nBe kind.\n", extra="More.")
    rules, where, more, own, files = prompt.removeprefix(RULES).split("\n\n")
    assert rules == ""
    lines = dict(line.split(": ", 1) for line in where.splitlines())
    assert list(lines) == ["Directory", "Repository", "Git", "Project", "System", "Shell", "Date"]
    assert lines["Directory"] == "/work"
    assert lines["Repository"] == PROJECT.root
    assert lines["Date"] == time.strftime("%Y-%m-%d")
    assert (more, own, files) == ("More.", INSTRUCTIONS, "## AGENTS.md\nBe kind.")


def test_what_there_is_not_takes_no_room() -> None:
    prompt = system_prompt(Path("/work"))
    assert "Git: none" in prompt
    assert "Project:" not in prompt
    assert "Repository:" not in prompt
    assert INSTRUCTIONS not in prompt
    assert "Git:" not in system_prompt(Path("/work"), project=Project(root="/work"))


def test_it_is_the_same_each_time() -> None:
    assert system_prompt(Path("/work"), project=PROJECT) == system_prompt(Path("/work"), project=PROJECT)


def test_the_prompt_and_all_tools_fit_the_budget() -> None:
    prompt = tokens_of(system_prompt(Path("/home/someone/projects/example/packages/core"), project=PROJECT))
    assert prompt <= 700
    assert prompt + sum(map(tool_tokens, specs())) <= 2_500


def test_the_rules_name_no_tool_that_there_is_not() -> None:
    names = {spec.name for spec in specs()}
    assert {"grep", "glob", "edit"} <= names
