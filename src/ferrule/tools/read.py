"""The `read` tool: a file, or a part of one, with line numbers."""

import asyncio
import base64
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from ferrule.core.errors import ToolError
from ferrule.core.messages import Image, Text
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.files import LARGEST, resolve
from ferrule.host.guard import RefusedError
from ferrule.host.machine import Host
from ferrule.host.text import decode
from ferrule.tools.display import count, escaped, shown, size
from ferrule.tools.documents import (
    LARGEST_EDGE,
    LARGEST_PICTURE,
    LONGEST_EDGE,
    Picture,
    extract,
    notebook_text,
    picture_of,
)
from ferrule.tools.kinds import kind_of
from ferrule.tools.patterns import name_part
from ferrule.tools.ripgrep import FindProgram, files_below, find_program
from ferrule.tools.schema import Parameters, TypedTool
from ferrule.tools.truncate import MAX_BYTES, MAX_LINES

LINE_WIDTH = 2_000
_ROOM_FOR_NOTE = 200
_NAMED_ELSEWHERE = 3
_SECONDS_TO_LOOK = 2


class ReadParameters(Parameters, frozen=True, kw_only=True):
    """Which file, and which lines of it."""

    file_path: Annotated[str, msgspec.Meta(min_length=1)]
    offset: Annotated[int, msgspec.Meta(ge=1, description="first line")] = 1
    limit: Annotated[int, msgspec.Meta(ge=1, description="number of lines")] = MAX_LINES


class Read(TypedTool[ReadParameters]):
    """Reads a file."""

    name = "read"
    parameters = ReadParameters
    keep = "head"

    def __init__(self, *, images: bool = False, find: FindProgram = find_program) -> None:
        self._images = images
        self._find = find

    def effects(self, args: ReadParameters) -> tuple[Effect, ...]:
        """It reads the file."""
        return (Effect("read", args.file_path),)

    async def run(self, args: ReadParameters, context: ToolContext[Host]) -> Output:
        """Show the file, or say what it is."""
        path = resolve(context.directory, args.file_path)
        name = shown(path, context.directory)
        data = await self._bytes(path, name, context)
        if not data:
            return Output(f"{name} is empty.")
        if data.startswith(b"%PDF-"):
            return await _pdf(name, data, args)
        if picture := picture_of(data):
            return await self._picture(name, data, picture)
        decoded = decode(data)
        if decoded is None:
            return Output(f"{name} is not text: {kind_of(data)}, {size(len(data))}.")
        text = notebook_text(decoded.text) if path.suffix == ".ipynb" else None
        return Output(page(name, decoded.text if text is None else text, args))

    async def _bytes(self, path: Path, name: str, context: ToolContext[Host]) -> bytes:
        """Read the file in a thread, so that nobody is held up; where there is none, say where there is."""
        try:
            return await asyncio.to_thread(context.host.files.read, path)
        except RefusedError:
            raise
        except ToolError as error:
            there = _size(path)
            if there is not None and there > LARGEST:
                raise ToolError(
                    f"{name} is too large to be read: {size(there)}. "
                    "Search it with grep, or take a part of it with bash (head, sed -n)."
                ) from None
            places = [] if there is not None else await self._elsewhere(path.name, context)
            raise ToolError(f"{error} There is {', '.join(places)}." if places else str(error)) from None

    async def _elsewhere(self, name: str, context: ToolContext[Host]) -> list[str]:
        """Where in the project there are files of that name."""
        program, found, files = self._find(context.directory), list[str](), context.host.files
        with suppress(ToolError):  # a help, not what was asked for
            root = files.admit(context.directory, "list")
            every = await files_below(
                program, root, name=name_part(name), hidden=files.hidden(root), seconds=_SECONDS_TO_LOOK
            )
            found = files.visible(root, [path for path in every if path.rpartition("/")[2] == name], "list")
        return [escaped(path) for path in sorted(found)][:_NAMED_ELSEWHERE]

    async def _picture(self, name: str, data: bytes, picture: Picture) -> Output:
        what = f"{name} is a {picture.words}, {size(len(data))}."
        if not self._images:
            return Output(f"{what} This model is not shown pictures.")
        fits = len(data) <= LARGEST_PICTURE
        if fits and max(picture.width, picture.height) <= LONGEST_EDGE:
            return _seen(what, picture.media_type, data)
        smaller = await extract("picture", data)
        if not smaller.problem:
            return _seen(f"{what} It is shown smaller.", smaller.media_type, smaller.picture)
        if fits and max(picture.width, picture.height) <= LARGEST_EDGE:
            return _seen(what, picture.media_type, data)
        return Output(f"{what} It is too large to be shown, and could not be made smaller: {smaller.problem}.")


def page(name: str, text: str, args: ReadParameters, *, more: bool = False) -> str:
    """The lines that were asked for, numbered, and where to go on; `more` says that the text goes on as well.

    Raises:
        ToolError: the offset lies behind the last line.
    """
    end = "\n" if "\n" in text or "\r" not in text else "\r"
    total = text.count(end) + (not text.endswith(end))
    start = args.offset - 1
    if start >= total:
        raise ToolError(f"{name} has {count(total, 'line')}; offset {args.offset} lies behind the last.")
    stop = min(start + min(args.limit, MAX_LINES), total)
    numbered: list[str] = []
    room = MAX_BYTES - _ROOM_FOR_NOTE
    for number, line in enumerate(text.split(end, stop)[start:stop], args.offset):
        numbered_line = f"{number:6}\t{_fitting(line)}"
        room -= len(numbered_line.encode()) + 1
        if room < 0:
            break
        numbered.append(numbered_line)
    last = start + len(numbered)
    if last < total or more:
        of = f"{total:,}{' and more' if more else ''}"
        numbered.append(f"(lines {args.offset}-{last} of {of}; go on with offset {last + 1})")
    return "\n".join(numbered)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
    except OSError:
        return 0


def _fitting(line: str) -> str:
    line = line.removesuffix("\r")
    if len(line) <= LINE_WIDTH:
        return line
    return f"{line[:LINE_WIDTH]}… (line cut: it has {len(line):,} characters)"


async def _pdf(name: str, data: bytes, args: ReadParameters) -> Output:
    found = await extract("pdf", data, lines=args.offset - 1 + min(args.limit, MAX_LINES))
    if found.problem:
        return Output(f"{name} is a PDF of {size(len(data))}, and could not be read: {found.problem}.")
    return Output(page(name, found.text, args, more=found.pages_read < found.pages))


def _seen(words: str, media_type: str, data: bytes) -> Output:
    return Output((Text(words), Image(media_type=media_type, data=base64.b64encode(data).decode())))
