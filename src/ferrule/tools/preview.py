"""What a change would look like, for the person who is asked about it: the change rehearsed, nothing written."""

import asyncio
from pathlib import Path

import msgspec

from ferrule.core.errors import ArgumentError, ToolError
from ferrule.core.messages import ToolCall
from ferrule.core.names import canonical
from ferrule.core.tool import ToolContext
from ferrule.host.files import Files, resolve
from ferrule.host.machine import Host
from ferrule.host.text import decode
from ferrule.tools.diff import Change, unified
from ferrule.tools.display import shown
from ferrule.tools.edit import Edit
from ferrule.tools.write import Write, WriteParameters

MOST_LINES = 5_000
"""Lines of a file that the person can see before it is written; the model, which wrote it, is shown fewer."""


class Rehearsal(Files):
    """Files that are read, but never written."""

    def write(self, path: Path, data: bytes, *, expected: bytes | None = None) -> None:
        """Write nothing."""


async def preview(call: ToolCall, context: ToolContext[Host]) -> str:
    """The diff that an edit or a write would make, or why it would fail; nothing for other tools."""
    host = msgspec.structs.replace(context.host, files=Rehearsal())
    rehearsed = msgspec.structs.replace(context, host=host)
    try:
        match canonical(call.name):
            case "edit":
                output = await Edit().run(Edit().parse(call.input), rehearsed)
                return str(output.content).partition("\n")[2]
            case "write":
                return await asyncio.to_thread(_whole, Write().parse(call.input), rehearsed)
    except (ArgumentError, ToolError) as error:
        return str(error)
    return ""


def _whole(args: WriteParameters, context: ToolContext[Host]) -> str:
    """The diff between a file and what is to replace it."""
    path = resolve(context.directory, args.file_path)
    name, before = shown(path, context.directory), context.host.files.current(path) or b""
    decoded = decode(before)
    if decoded is None:
        return f"{name} is binary: {len(before):,} bytes would be replaced by {len(args.content):,} characters."
    return unified(name, decoded.text, [Change(0, len(decoded.text), args.content)], most=MOST_LINES)
