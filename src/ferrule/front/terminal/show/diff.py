"""Changes as coloured lines, folded where they are long."""

from collections.abc import Sequence
from typing import NamedTuple

from ferrule.core.regex import lazy
from ferrule.front.terminal.show.fit import chopped, cut
from ferrule.front.terminal.show.lines import Line, Span, line
from ferrule.front.terminal.show.safe import seen_lines
from ferrule.front.terminal.show.words import count

FOLD = 20
KEY = "Ctrl+O"
"""What shows what was folded; where no keys are read, nothing does."""
_HUNK = lazy(r"^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


class _Row(NamedTuple):
    """A line of a diff, with its number in the file."""

    number: str
    text: str
    style: str


def diff(text: str, *, width: int, most: int | None = FOLD, key: str = KEY) -> list[Line]:
    """A unified diff with the numbers of its lines, folded after so many rows; None folds nothing."""
    rows = _rows(text)
    size = max((len(row.number) for row in rows), default=0)
    return folded([_line(row, size) for row in rows], width=width, most=most, key=key)


def added(text: str, *, width: int, most: int | None = FOLD, key: str = KEY) -> list[Line]:
    """A new text, as the lines that it adds."""
    lines = seen_lines(text)
    size = len(str(len(lines)))
    rows = [_line(_Row(str(number), f"+{one}", "add"), size) for number, one in enumerate(lines, 1)]
    return folded(rows, width=width, most=most, key=key)


def folded(rows: Sequence[Line], *, width: int, most: int | None, first: Line = (), key: str = KEY) -> list[Line]:
    """The rows, broken where they are too wide; of more than `most` the first, and how many more there are."""
    kept = rows if most is None or len(rows) <= most + 1 else rows[:most]  # a line that says "1 more" saves nothing
    lines = [part for row in kept for part in chopped(row, width, first=first, rest=(*first, Span("  ")))]
    left = len(rows) - len(kept)
    return [*lines, cut((*first, *more(left, key)), width)] if left else lines


def more(number: int, key: str = KEY) -> Line:
    """Says how much is not shown, and what shows it."""
    return line(", ".join(filter(None, (f"… {count(number, 'more line')}", key))), "dim")


def totals(text: str) -> tuple[int, int]:
    """How many lines a unified diff adds and removes."""
    styles = [row.style for row in _rows(text)]
    return styles.count("add"), styles.count("remove")


def _rows(text: str) -> list[_Row]:
    """The lines of a diff. How long a hunk is stands in its head, so nothing in it is taken for something else."""
    rows: list[_Row] = []
    goes_on = False  # whether a hunk of this file came before
    old = new = old_left = new_left = 0
    for one in seen_lines(text):
        if (old_left > 0 or new_left > 0) and one[:1] in _MARKS:
            style, gone, come = _MARKS[one[:1]]
            rows.append(_Row(str(new if come else old), one, style))
            old, new, old_left, new_left = old + gone, new + come, old_left - gone, new_left - come
        elif found := _HUNK.search(one):
            old, new = int(found[1]), int(found[3])
            old_left, new_left = int(found[2] or 1), int(found[4] or 1)
            if goes_on:
                rows.append(_Row("", "⋮", "dim"))
            goes_on = True
        elif head := _head(one):
            rows.append(head)
            goes_on = goes_on and head.style != "path"
    return rows


def _head(text: str) -> _Row | None:
    """What is to be seen of a line outside of all hunks: the name of another file, or a remark."""
    if text.startswith("diff --git "):
        return _Row("", text.rpartition(" b/")[2], "path")
    return None if text.startswith(("--- ", "+++ ", "index ")) else _Row("", text, "dim")


def _line(row: _Row, size: int) -> Line:
    if row.style == "path":
        return line(row.text, "path")
    return tuple(span for span in (Span(f"{row.number:>{size}} ", "dim"), Span(row.text, row.style)) if span.text)


_MARKS = {" ": ("", 1, 1), "": ("", 1, 1), "-": ("remove", 1, 0), "+": ("add", 0, 1)}
"""What the first character of a line in a hunk says: its style, and the lines that it takes of the old and the new."""
