"""Tools that the configuration names: their programs are found, and those of a strange project are not."""

import os
from pathlib import Path
from typing import Any

import pytest

from ferrule.config.schema import OwnTool
from ferrule.extend.configured import given_of
from ferrule.extend.declared import Declared
from ferrule.extend.discover import Found, Given, discover_at_once
from ferrule.host.sandbox.none import Unconfined
from tests.extend.programs import ECHO, described, program, project, shell
from tests.extend.test_external_discover import NO_NAME
from tests.tools.calling import words_of


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, with a home and a search path beside it that begins in the project."""
    directory = tmp_path / "project"
    directory.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{directory}:bin:{tmp_path / 'bin'}:{os.environ['PATH']}")
    return directory


def found(here: Path, *tools: OwnTool, trusted: bool = False) -> Found:
    given = list(given_of(tools, directory=here, trusted=trusted))
    looked = discover_at_once(
        (),
        [one for one in given if isinstance(one, Given)],
        directory=here,
        outputs=here.parent / "outputs",
        sandbox=Unconfined(),
        cache=here.parent / "cache.json",
    )
    return Found(tools=looked.tools, problems=(*(one for one in given if isinstance(one, str)), *looked.problems))


async def test_a_tool_that_the_configuration_describes(here: Path, tmp_path: Path) -> None:
    path = program(tmp_path / "bin" / "again", '#!/bin/sh\necho "$1 $(cat)"\n')
    tool = OwnTool(
        command=("again", "--loud"), name="echo", description="Says it.", parameters=ECHO, effect="read", timeout=5
    )
    (one,) = found(here, tool).tools
    assert one.external.declared == Declared(
        name="echo", description="Says it.", parameters=ECHO, effect="read", timeout=5
    )
    assert one.external.argv == (str(path), "--loud")
    async with project(tmp_path) as context:
        assert await words_of(one, context, text="hi") == '--loud {"text":"hi"}'


async def test_a_tool_that_describes_itself(here: Path, tmp_path: Path) -> None:
    shell(tmp_path / "home" / "own" / "echo", "cat", schema=described(effect="read"))
    (one,) = found(here, OwnTool(command=("~/own/echo",))).tools
    assert (one.spec.name, one.external.declared.effect) == ("echo", "read")


async def test_what_takes_no_arguments_need_not_say_so(here: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "now", "#!/bin/sh\necho now\n")
    (one,) = found(here, OwnTool(command=("now",), name="now", description="Tells the time.")).tools
    assert one.spec.schema == {"type": "object", "properties": {}}


async def test_programs_of_a_project_count_once_it_is_trusted(here: Path, tmp_path: Path) -> None:
    shell(here / "scripts" / "lint", f"touch {tmp_path}/canary")
    program(here / "sneaky", "#!/bin/sh\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "link").symlink_to(here / "scripts" / "lint")
    tools = [OwnTool(command=(name,)) for name in ("./scripts/lint", "scripts/lint", "~/link", "sneaky")]
    why = "lies in the project, which is not trusted."
    assert found(here, *tools) == Found(
        problems=(
            f'tools.external "./scripts/lint" is left out: ./scripts/lint {why}',
            f'tools.external "scripts/lint" is left out: scripts/lint {why}',
            f'tools.external "~/link" is left out: ~/link {why}',
            'tools.external "sneaky": there is no program sneaky here, outside of the project.',
        )
    )
    (one,) = found(here, tools[0], trusted=True).tools
    assert one.spec.name == "lint"
    assert not (tmp_path / "canary").exists()


async def test_what_is_wrong_with_one_is_said_and_the_others_work(here: Path, tmp_path: Path) -> None:
    path = shell(tmp_path / "bin" / "echo1", "cat")
    plain = program(tmp_path / "bin" / "plain", "#!/bin/sh\n", mode=0o644)
    told: dict[str, Any] = {"description": "Does it."}
    looked = found(
        here,
        OwnTool(command=("no-such-program",), name="x", **told),
        OwnTool(command=(str(tmp_path / "gone"),), name="gone", **told),
        OwnTool(command=(str(plain),), name="plain", **told),
        OwnTool(command=(str(path),), name="half"),
        OwnTool(command=(str(path),), name="Big One", **told),
        OwnTool(command=(str(path),), name="odd", **told, parameters={"type": "string"}),
        OwnTool(command=(str(path),)),
        OwnTool(command=(str(path), "again"), name="echo1", **told),
    )
    assert [one.spec.name for one in looked.tools] == ["echo1"]
    assert looked.problems == (
        'tools.external "x": there is no program no-such-program here, outside of the project.',
        'tools.external "half" needs both a name and a description, or neither, and then is asked for them.',
        f'tools.external "gone": {tmp_path}/gone leads nowhere.',
        f'tools.external "plain": {plain} is not executable; if it is a tool, say chmod +x.',
        f'tools.external "Big One": {path} {NO_NAME}.',
        f'tools.external "odd": {path} is not understood: its parameters need "type": "object" at the top.',
        f'tools.external "echo1": {path} is left out: echo1 is the name of tools.external "{path}": {path} already.',
    )
