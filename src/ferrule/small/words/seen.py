"""What the tools showed, taken back out of their words: the files of a project, lines that matched, texts."""

import re
from collections.abc import Collection

from ferrule.core.messages import ToolResult, Value

_NUMBERED = re.compile(r" *\d+\t(.*)", re.DOTALL)
_GO_ON = re.compile(r"\(lines \d+-\d+ of .*; go on with offset (\d+)\)")
_CUT = re.compile(r"… \(line cut: it has [\d,]+ characters\)$")
_HIT = re.compile(r"(.+?):(\d+):(.*)", re.DOTALL)


class Hit(Value, frozen=True, kw_only=True):
    """A line that matched."""

    path: str
    number: int
    text: str


class Page(Value, frozen=True, kw_only=True):
    """Lines of a file."""

    text: str
    next: int = 0
    """The line to go on with; 0 where these were the last."""


def listed(result: ToolResult) -> list[str]:
    """The paths that `glob` listed; the last line says how many there are."""
    lines = result.text.split("\n")
    return lines[:-1] if not result.is_error and lines[-1].startswith("(") else []


def are_all(result: ToolResult) -> bool:
    """Whether `glob` listed all that there are."""
    return result.is_error or " shown, newest first)" not in result.text.rpartition("\n")[2]


def hits(result: ToolResult, paths: Collection[str] = ()) -> list[Hit]:
    """The lines that `grep` found; `paths` are known, and tell where a name ends that has colons in it."""
    found: list[Hit] = []
    for line in [] if result.is_error else result.text.split("\n"):
        if match := _HIT.fullmatch(line):
            path = _known(line, paths) or match[1]
            _, number, text = line[len(path) :].split(":", 2)
            found.append(Hit(path=path, number=int(number), text=text))
    return found


def _known(line: str, paths: Collection[str]) -> str:
    """The path that a line begins with, where it is a known one."""
    ends = (found.start() for found in re.finditer(r":\d+:", line))
    return next((line[:end] for end in ends if line[:end] in paths), "")


def page_read(result: ToolResult) -> Page | None:
    """What `read` showed of a file; nothing where it is no text, or a line of it was cut."""
    if result.is_error:
        return None
    if result.text.endswith(" is empty."):
        return Page(text="")
    lines = result.text.split("\n")
    more = _GO_ON.fullmatch(lines[-1])
    if more:
        lines.pop()
    found = [_NUMBERED.fullmatch(line) for line in lines]
    texts = [one[1] for one in found if one and not _CUT.search(one[1])]
    if len(texts) < len(lines):
        return None
    return Page(text="\n".join(texts) + "\n", next=int(more[1]) if more else 0)
