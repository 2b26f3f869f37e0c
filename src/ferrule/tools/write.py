"""Create a file, or replace all of it."""

import asyncio

from ferrule.core.errors import ToolError
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.files import digest, resolve
from ferrule.host.machine import Host
from ferrule.host.text import count_lines, encode
from ferrule.tools.display import count, shown
from ferrule.tools.schema import Parameters, TypedTool


class WriteParameters(Parameters, frozen=True, kw_only=True):
    """What to write, and where."""

    file_path: str
    content: str


class Write(TypedTool[WriteParameters]):
    """The `write` tool."""

    name = "write"
    parameters = WriteParameters

    def effects(self, args: WriteParameters) -> tuple[Effect, ...]:
        """It writes the file."""
        return (Effect("write", args.file_path),)

    async def run(self, args: WriteParameters, context: ToolContext[Host]) -> Output:
        """Write the file, off the event loop: disks can be slow."""
        return Output(await asyncio.to_thread(_write, args, context))


def _write(args: WriteParameters, context: ToolContext[Host]) -> str:
    files, path = context.host.files, resolve(context.directory, args.file_path)
    name, data = shown(path, context.directory), encode(args.content)
    if args.file_path.endswith("/"):
        raise ToolError(f"{args.file_path} names a directory. Give the name of a file.")
    known, before = files.seen(path), files.current(path)
    size = f"{count(count_lines(data), 'line')}, {count(len(data), 'byte')}"
    if data == before:
        files.know(path, data)
        return f"{name} holds exactly this already ({size}); nothing was written."
    files.write(path, data, expected=digest(before))
    if before is None:
        return f"Created {name}: {size}."
    had = count(count_lines(before), "line")
    if known:
        return f"Overwrote {name}: {size} (it had {had})."
    return f"Overwrote {name}: {size}. It existed ({had}) and had not been read in this session."
