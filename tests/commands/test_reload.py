"""`/reload-tools`: external tools come, go, change and break while a session goes on."""

from pathlib import Path

import pytest

from ferrule.config.paths import config_home
from ferrule.core.messages import ToolResult
from ferrule.llm.script import calling
from tests.commands.conftest import Front
from tests.extend.programs import described, program, shell

COST = "The model reads its tools before all else, so the next request finds nothing in its cache and costs the whole."


@pytest.fixture
def tools(front: Front) -> Path:
    return config_home() / "tools"


async def test_tools_come_change_break_and_go(front: Front, tools: Path) -> None:
    session = await front.begin([calling("echo", text="hi"), "Done."])
    assert (await front.say("/reload-tools")).text == "The tools are the same as before."

    shell(tools / "echo", "cat", schema=described(effect="read"))
    assert (await front.say("/reload-tools")).text == f"- came: `echo`\n\n{COST}"
    await session.prompt("say it")
    (result,) = [one for one in session.history.messages if isinstance(one, ToolResult)]
    assert (result.text, result.is_error) == ('{"text":"hi"}', False)

    shell(tools / "echo", "cat", schema=described(effect="read", description="Louder."))
    assert (await front.say("/reload-tools")).text == f"- changed: `echo`\n\n{COST}"

    shell(tools / "echo", "exit 1", schema="nonsense")
    reply = await front.say("/reload-tools")
    flaw = f"{tools}/echo describes itself in something that is not JSON: JSON is malformed: invalid character (byte 4)"
    assert reply.text == f"- went: `echo`\n- {flaw}.\n\n{COST}"
    assert "echo" not in session.agent.tools
    assert (await front.say("/reload-tools")).text == f"The tools are the same as before.\n\n- {flaw}."


async def test_the_configuration_is_read_again(front: Front, tmp_path: Path) -> None:
    session = await front.begin()
    path = program(tmp_path / "again", "#!/bin/sh\ncat\n")
    tool = f'{{"command": ["{path}"], "name": "again", "description": "Says it."}}'
    await front.say(f"/config tools.external [{tool}]")
    assert (await front.say("/reload-tools")).text == f"- came: `again`\n\n{COST}"
    assert session.agent.tools["again"].spec.description == "Says it."

    (config_home() / "config.json").write_text('{"tools": {"external": 3}}')
    assert "tools.external must be a list, not 3." in await front.refused("/reload-tools")
    assert "again" in session.agent.tools, "nothing is lost"
    assert await front.refused("/reload-tools now") == "It takes no words, and was given 'now'."


async def test_a_tool_that_was_named_must_stay(front: Front, tools: Path) -> None:
    path = shell(tools / "echo", "cat")
    session = await front.begin(allowed=["echo"])
    path.unlink()
    assert "There is no tool named echo;" in await front.refused("/reload-tools")
    assert "echo" in session.agent.tools
