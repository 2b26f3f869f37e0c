"""Markdown made of values: whatever stands in them is shown, and means nothing."""

from collections.abc import Iterable, Sequence

from ferrule.config.words import plain
from ferrule.core.regex import lazy

_MARKS = lazy(
    r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~|&(?=#?\w{1,31};)"
    r"|^(?:[-+#>=]|\d{1,9}[.)])"  # at the beginning of a line these make a block
)
_TICKS = lazy(r"`+")


def words(text: str, most: int = 0) -> str:
    """A text as words on one line, cut where it is too long."""
    line = plain(" ".join(text.split()))
    line = line[: most - 1].rstrip() + "…" if 0 < most < len(line) else line
    return _MARKS.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", line)


def code(text: str) -> str:
    """A text as code on one line."""
    line = plain(text)
    if "\\|" in line:  # no table can hold that in code
        return words(line)
    ticks = "`" * (_longest_run(line) + 1)
    blank = " " if line.startswith(("`", " ")) or line.endswith(("`", " ")) or not line else ""
    return f"{ticks}{blank}{line}{blank}{ticks}"


def fenced(text: str, language: str = "") -> str:
    """A text as a block of code."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def bullets(items: Iterable[str]) -> str:
    """A list of things that are Markdown already."""
    return "\n".join(f"- {item}" for item in items)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """A table of cells that are Markdown already, padded so that it can be read as it stands."""
    cells = [list(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    widths = [max(3, *map(len, column)) for column in zip(*cells, strict=True)]
    ruler = [f"{'-' * (width - 1)}:" if place in right else "-" * width for place, width in enumerate(widths)]
    lines = [_row(row, widths, right) for row in cells]
    return "\n".join([lines[0], _row(ruler, widths, ()), *lines[1:]])


def bar(part: float, *, width: int = 20) -> str:
    """A part of a whole as a bar; what is there at all can be seen."""
    eighths = max(round(part * width * 8), 1 if part > 0 else 0)
    full, rest = divmod(min(eighths, width * 8), 8)
    return "█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    padded = [
        cell.rjust(width) if place in right else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def _longest_run(text: str) -> int:
    return max((len(found) for found in _TICKS.findall(text)), default=0)
