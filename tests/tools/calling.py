"""How the tests of the tools call one: arguments in, words out, on the real machine."""

from pathlib import Path
from typing import Any

import pytest

from ferrule.core.errors import ToolError
from ferrule.core.tool import Output, Tool, ToolContext
from ferrule.host.files import Files
from ferrule.host.machine import Host
from ferrule.host.process import Processes


def context_in(directory: Path, *, outputs: Path | None = None) -> ToolContext[Host]:
    private = directory.with_name(f"{directory.name}-private")
    host = Host(files=Files(), processes=Processes(directory, private), outputs=outputs or private / "outputs")
    return ToolContext(directory=directory, host=host, report=lambda _: None)


async def output_of(tool: Tool, context: ToolContext[Host], **input: Any) -> Output:
    return await tool.run(tool.parse(input), context)


async def words_of(tool: Tool, context: ToolContext[Host], **input: Any) -> str:
    output = await output_of(tool, context, **input)
    assert not output.is_error
    assert isinstance(output.content, str)
    return output.content


async def refusal_of(tool: Tool, context: ToolContext[Host], **input: Any) -> str:
    with pytest.raises(ToolError) as caught:
        await output_of(tool, context, **input)
    return str(caught.value)


def make_tree(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
