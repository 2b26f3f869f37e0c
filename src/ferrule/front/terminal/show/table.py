"""Tables: drawn where they fit, with cells wrapped where that is enough, stacked where they are too wide."""

from collections.abc import Sequence

from ferrule.core.regex import lazy
from ferrule.front.terminal.show.fit import columns_of, padded, wrap
from ferrule.front.terminal.show.inline import inline
from ferrule.front.terminal.show.lines import BLANK, Line, Span, restyled

LEAST_COLUMN = 8
"""Columns below which a wrapped cell can no longer be read."""
_DELIMITER = lazy(r"^ {0,3}\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?$|^ {0,3}\| *:?-+:? *$")
_BAR = lazy(r"(?<!\\)(?:\\\\)*\|")


def cells_of(row: str) -> list[str]:
    """The cells of a row."""
    row = row.strip().removeprefix("|")
    cells: list[str] = []
    start = 0
    for found in _BAR.finditer(row):
        cells.append(row[start : found.end() - 1])
        start = found.end()
    if row[start:].strip():
        cells.append(row[start:])
    return [cell.strip().replace("\\|", "|") for cell in cells]


def alignments(row: str, header: str) -> list[str] | None:
    """How the columns are aligned, if this is the line between a table's header and its rows."""
    if "|" not in header or "-" not in row or not _DELIMITER.search(row.rstrip()):
        return None
    cells = cells_of(row)
    if len(cells) != len(cells_of(header)):
        return None
    ends = ((cell.startswith(":"), cell.endswith(":")) for cell in cells)
    return [("centre" if left else "right") if right else "left" for left, right in ends]


def table(header: str, aligned: Sequence[str], rows: Sequence[str], width: int) -> list[Line]:
    """A table in so many columns."""
    number = len(aligned)
    head = [restyled(_cell(cell), "strong") for cell in cells_of(header)]
    body = [[_cell(cell) for cell in _filled(cells_of(row), number)] for row in rows]
    natural = [max(1, *(columns_of(row[place]) for row in (head, *body))) for place in range(number)]
    widths = _widths(natural, width - 3 * (number - 1))
    if widths is None:
        return _stacked(head, body, width)
    ruler = (Span("─┼─".join("─" * one for one in widths), "dim"),)
    lines = [*_row(head, widths, aligned), ruler]
    for row in body:
        lines += _row(row, widths, aligned)
    return lines


def _cell(text: str) -> Line:
    return inline(text.replace("<br>", " ").replace("<br/>", " "))[0] if text else BLANK


def _filled(cells: list[str], number: int) -> list[str]:
    return [*cells, *[""] * (number - len(cells))][:number]


def _widths(natural: list[int], room: int) -> list[int] | None:
    """The widths of the columns: the widest give way until all have room; None where too little would be left."""
    least = [min(one, LEAST_COLUMN) for one in natural]
    if sum(least) > room:
        return None
    low, high = LEAST_COLUMN, max(natural)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(min(one, middle) for one in natural) <= room else (low, middle - 1)
    widths = [min(one, low) for one in natural]
    spare = room - sum(widths)
    for place, one in enumerate(natural):
        more = min(spare, one - widths[place])
        widths[place] += more
        spare -= more
    return widths


def _row(cells: Sequence[Line], widths: Sequence[int], aligned: Sequence[str]) -> list[Line]:
    """A row, as high as its highest cell."""
    wrapped = [wrap(cell, size) for cell, size in zip(cells, widths, strict=True)]
    lines: list[Line] = []
    for number in range(max(map(len, wrapped))):
        line: list[Span] = []
        for place, cell in enumerate(wrapped):
            part = cell[number] if number < len(cell) else BLANK
            is_last = place == len(wrapped) - 1
            flush = is_last and aligned[place] == "left"
            line += part if flush else padded(part, widths[place], align=aligned[place])
            line += () if is_last else (Span(" │ ", "dim"),)
        lines.append(tuple(line))
    return lines


def _stacked(head: Sequence[Line], body: Sequence[Sequence[Line]], width: int) -> list[Line]:
    """Each row as lines of a column's name and its cell."""
    lines: list[Line] = []
    for row in body:
        if lines:
            lines.append((Span("─" * min(width, 12), "dim"),))
        for name, cell in zip(head, row, strict=True):
            if cell:
                lines += wrap((*name, Span(": ", "dim"), *cell), width, rest=(Span("  "),))
    return lines or wrap(tuple(span for name in head for span in (*name, Span(" "))), width)
