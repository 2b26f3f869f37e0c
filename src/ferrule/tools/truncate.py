"""Keeps every result short: one end or both of a long text, and the whole of it in a private file."""

import os
import unicodedata
from pathlib import Path
from typing import Any, Literal

from ferrule.core.errors import ToolError
from ferrule.core.messages import Image, Text
from ferrule.core.tool import Output, Tool, ToolContext
from ferrule.core.wrapped import Wrapped
from ferrule.host.machine import Host
from ferrule.tools.display import count, size

Keep = Literal["head", "tail", "both"]
MAX_BYTES = 50_000
MAX_LINES = 2_000
_SPARE = 8
"""For the line ends around the notice, and since a smaller number can take more letters (`9.9 KB`, `10 KB`)."""


def cap(text: str, *, keep: Keep, outputs: Path, max_bytes: int = MAX_BYTES, max_lines: int = MAX_LINES) -> str:
    """Give back the text if it is short enough, else its ends and the name of the file with all of it.

    A line says what was left out. It comes on top of the lines, so a text that is one line too long stays whole:
    cutting would not make it shorter. What cannot be written as UTF-8 is replaced in any case.
    """
    text = _encodable(text)
    length = len(text) if text.isascii() else len(text.encode())
    if length <= max_bytes and _lines_of(text) <= max_lines + 1:
        return text
    where = _where(text, outputs)
    about = len(_notice(text, length, where).encode()) + _SPARE
    head, tail = _ends(text, keep, max(max_bytes - about, max_bytes // 2), max_lines)
    left_out = text[len(head) : len(text) - len(tail)]
    notice = _notice(left_out, len(left_out.encode()), where)
    return "\n".join(part for part in (head.removesuffix("\n"), notice, tail) if part)


class Capped(Wrapped):
    """A tool whose results are kept short."""

    def __init__(self, tool: Tool, keep: Keep, *, max_bytes: int = MAX_BYTES, max_lines: int = MAX_LINES) -> None:
        super().__init__(tool)
        self._keep: Keep = keep
        self._max_bytes = max_bytes
        self._max_lines = max_lines

    async def run(self, args: Any, context: ToolContext[Host]) -> Output:
        """Do it, and keep what it says short; pictures pass as they are."""
        try:
            output = await self._tool.run(args, context)
        except ToolError as error:
            raise ToolError(self._cap(str(error), context)) from error
        if isinstance(output.content, str):
            return Output(self._cap(output.content, context), is_error=output.is_error)
        return Output(self._cap_blocks(output.content, context), is_error=output.is_error)

    def _cap(self, text: str, context: ToolContext[Host]) -> str:
        outputs = context.host.outputs
        return cap(text, keep=self._keep, outputs=outputs, max_bytes=self._max_bytes, max_lines=self._max_lines)

    def _cap_blocks(self, blocks: tuple[Text | Image, ...], context: ToolContext[Host]) -> tuple[Text | Image, ...]:
        """Cap all texts together: if they are too long they become one, in front of the pictures."""
        whole = "\n".join(block.text for block in blocks if isinstance(block, Text))
        capped = self._cap(whole, context)
        if capped == whole:
            return blocks
        return (Text(capped), *(block for block in blocks if isinstance(block, Image)))


def _ends(text: str, keep: Keep, room: int, lines: int) -> tuple[str, str]:
    match keep:
        case "head":
            return _head(text, room, lines), ""
        case "tail":
            return "", _tail(text, room, lines)
        case "both":
            head = _head(text, room // 2, lines // 2)
            return head, _tail(text[len(head) :], room // 2, lines - lines // 2)


def _head(text: str, room: int, lines: int) -> str:
    """The longest beginning that fits, up to the end of a line unless that would waste half of the room."""
    kept = text[:room].encode()[:room].decode(errors="ignore")
    end = _nth_line_end(kept, lines)
    if end < len(kept):
        return kept[:end]
    at_line_end = kept.rfind("\n") + 1
    if at_line_end > len(kept) // 2:
        return kept[:at_line_end]
    while kept and _joins_on(text, len(kept)):
        kept = kept[:-1]
    return kept


def _tail(text: str, room: int, lines: int) -> str:
    """The longest end that fits, from the beginning of a line unless that would waste half of the room."""
    kept = text[-room:].encode()[-room:].decode(errors="ignore") if room else ""
    begin = _nth_last_line(kept, lines)
    if begin > 0:
        return kept[begin:]
    at_line_start = kept.find("\n") + 1
    if 0 < at_line_start <= len(kept) // 2:
        return kept[at_line_start:]
    while kept and _joins_on(text, len(text) - len(kept)):
        kept = kept[1:]
    return kept


def _nth_line_end(text: str, lines: int) -> int:
    """Where so many lines end, or the length of the text where there are fewer."""
    end = 0
    for _ in range(lines):
        end = text.find("\n", end) + 1
        if not end:
            return len(text)
    return end


def _nth_last_line(text: str, lines: int) -> int:
    """Where the last so many lines begin, or 0 where there are fewer."""
    if not lines:
        return len(text)
    begin = len(text) - text.endswith("\n")
    for _ in range(lines):
        begin = text.rfind("\n", 0, begin)
        if begin < 0:
            return 0
    return begin + 1


def _joins_on(text: str, position: int) -> bool:
    """Whether the character there belongs to the one before it: an accent, a joiner, a skin tone."""
    if not 0 < position < len(text):
        return False
    here, before = text[position], text[position - 1]
    return bool(unicodedata.combining(here)) or here in _JOINING or before == _JOINER


_JOINER = "\u200d"
_JOINING = frozenset((_JOINER, "\ufe0e", "\ufe0f", *map(chr, range(0x1F3FB, 0x1F400))))


def _lines_of(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _notice(left_out: str, length: int, where: str) -> str:
    lines = (
        f"{count(_lines_of(left_out), 'line')} ({size(length)})" if "\n" in left_out else f"{size(length)} of a line"
    )
    return f"… {lines} left out; {where} …"


def _where(text: str, outputs: Path) -> str:
    try:
        return f"the whole output is in {_save(text, outputs)}"
    except OSError as error:
        return f"that part is lost, since it could not be written to a file: {error.strerror}"


def _save(text: str, outputs: Path) -> Path:
    """Write the text to a file that nobody else can read, guess or have put there."""
    outputs.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = outputs / f"{os.urandom(8).hex()}.txt"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return path


def _encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which no provider and no log could take."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text
