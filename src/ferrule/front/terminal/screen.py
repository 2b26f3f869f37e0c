"""The part of the terminal that is redrawn: a few rows at its end, below everything that was printed for good.

What is finished is printed once, above those rows, and never touched again: from then on it is the terminal's own.
Each painting compares the rows with those that stand there and writes only what differs, from the first cell that
does. A finished row that stood in the region already, where it stands now, costs nothing at all.
"""

from collections.abc import Callable, Mapping, Sequence

from ferrule.front.terminal.show.fit import chopped, columns, columns_of
from ferrule.front.terminal.show.lines import BLANK, Line, Span

SHOW_AT_ONCE, SHOWN = "\x1b[?2026h", "\x1b[?2026l"
"""Between these a terminal that knows them draws nothing, so that no half of a picture is seen."""
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
CLEAR_DOWN, CLEAR_ROW = "\x1b[J", "\x1b[K"
CLEAR_FOR_GOOD = "\x1b[2G\x1b[J\r\x1b[K"
"""Clears from a row on, but from its second cell first: tmux keeps in its memory what is cleared from the very top."""

_MANY = 4

Encode = Callable[[Line], str]
"""A line as text with its colours."""


class Screen:
    """The rows at the end of the terminal."""

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        encode: Encode,
        size: tuple[int, int],
        rows: Sequence[Line] = (),
        cursor: tuple[int, int] = (0, 0),
        reflows: bool = False,
    ) -> None:
        """Take over a terminal of so many columns and rows, where `rows` and the cursor stand already.

        Some terminals wrap anew what is too long for them when they get narrower (`reflows`).
        """
        self._write, self._encode = write, encode
        self.width, self.height = size
        self._rows: list[Line] = list(rows) or [BLANK]
        self._row, self._column = cursor
        self._reflows = reflows
        self._is_stale = False

    def paint(self, rows: Sequence[Line], cursor: tuple[int, int] = (0, 0), *, above: Sequence[Line] = ()) -> None:
        """Print `above` for good, and show `rows` below it, with the cursor in one of them."""
        live, (row, column) = self._cut(rows, cursor)
        done = [part for line in above for part in fitted(line, self.width)]
        frame = _Frame(self._encode, self._rows, (self._row, self._column), (self.width, self.height))
        if self._is_stale:
            frame.start_anew()
            self._is_stale = False
        frame.show([*done, *live])
        frame.move(len(done) + row, column)
        self._rows, self._row, self._column = live, row, column
        if text := frame.text():
            self._write(text)

    def resize(self, size: tuple[int, int]) -> None:
        """Learn that the terminal has another size; the next painting draws everything again."""
        width = size[0]
        if self._reflows and width < self.width:  # the rows above the cursor are more by now
            self._row = sum(max(1, -(-columns_of(row) // width)) for row in self._rows[: self._row])
            self._row += self._column // width
        self.width, self.height = size
        self._row = min(self._row, self.height - 1)
        self._is_stale = True

    def redraw(self) -> None:
        """Draw everything again with the next painting, whatever stands there."""
        self._is_stale = True

    def erase(self) -> None:
        """Take the rows away and leave the cursor where they began."""
        self.paint(())

    def clear(self) -> None:
        """Begin at the top of an empty screen; what was printed stays in the terminal's memory."""
        self._write("\r\n" * (self.height - 1) + "\x1b[H" + CLEAR_DOWN)
        self._rows, self._row, self._column = [BLANK], 0, 0

    def _cut(self, rows: Sequence[Line], cursor: tuple[int, int]) -> tuple[list[Line], tuple[int, int]]:
        """Make the rows fit: the last ones, where there are more than the terminal has."""
        parts = [fitted(line, self.width) for line in rows]
        live = [part for some in parts for part in some] or [BLANK]
        before = sum(len(some) for some in parts[: cursor[0]]) + cursor[1] // self.width
        surplus = max(0, len(live) - self.height)
        row = min(max(0, before - surplus), min(len(live), self.height) - 1)
        return live[surplus:], (row, cursor[1] % self.width)


class _Frame:
    """What is written in one go to get from some rows to others."""

    def __init__(self, encode: Encode, old: Sequence[Line], cursor: tuple[int, int], size: tuple[int, int]) -> None:
        self._encode, self._old = encode, list(old)
        self._row, self._column = cursor
        self._width, self._height = size
        self._parts: list[str] = []
        self._touched = 0

    def start_anew(self) -> None:
        """Forget the rows that stand there, and clear them away."""
        self.move(0, 0)
        self._put(CLEAR_FOR_GOOD)
        self._old, self._touched = [BLANK], 2

    def show(self, rows: Sequence[Line]) -> None:
        """Change what differs, add what is new, clear what is left over."""
        if len(rows) <= self._height:  # else what is to be shifted may be out of reach by then
            self._shift(rows)
        for number, row in enumerate(rows):
            if number >= len(self._old):
                self._add(number, row)
            elif row != self._old[number]:
                self._change(number, row, self._old[number])
        if len(rows) < len(self._old):
            self.move(len(rows), 0)
            self._put(CLEAR_DOWN)
            self._touched += 1

    def move(self, row: int, column: int) -> None:
        """Go to a cell of a row that is there."""
        if row != self._row:
            self._put(f"\x1b[{abs(row - self._row)}{'B' if row > self._row else 'A'}")
        if column == 0 and (row, column) != (self._row, self._column):
            self._put("\r")
        elif (row, column) != (self._row, self._column):
            self._put(f"\x1b[{column + 1}G")
        self._row, self._column = row, column

    def text(self) -> str:
        """All of it; more than one row is shown at once, and the cursor is not seen to run through many."""
        text = "".join(self._parts)
        if self._touched > _MANY:
            text = f"{HIDE_CURSOR}{text}{SHOW_CURSOR}"
        return f"{SHOW_AT_ONCE}{text}{SHOWN}" if self._touched > 1 else text

    def _shift(self, rows: Sequence[Line]) -> None:
        """Make room above rows that stay at the end, or close a gap there: they are not written again."""
        same, more = _same_at_the_end(rows, self._old), len(rows) - len(self._old)
        if not same or not more:
            return
        self._touched += 1
        if more > 0:
            self.move(len(self._old) - 1, 0)
            self._put("\r\n" * more)
            self._row += more
            self.move(len(self._old) - same, 0)
            self._put(f"\x1b[{more}L")
            self._old[-same:-same] = [BLANK] * more
        else:
            self.move(len(rows) - same, 0)
            self._put(f"\x1b[{-more}M")
            del self._old[len(rows) - same : len(self._old) - same]

    def _add(self, number: int, row: Line) -> None:
        self.move(number - 1, self._column if self._row == number - 1 else 0)
        self._put("\r\n")
        self._row, self._column = number, 0
        self._write_out(row)

    def _change(self, number: int, row: Line, old: Line) -> None:
        same = common(row, old)
        self.move(number, columns_of(same))
        rest, gone = without(row, same), without(old, same)
        if columns_of(rest) == columns_of(gone):
            self._write_out(_but_for_the_end(rest, gone))
            return
        self._write_out(rest)
        if columns_of(rest) < columns_of(gone):
            self._put(CLEAR_ROW)

    def _write_out(self, row: Line) -> None:
        self._put(self._encode(row))
        self._touched += 1
        self._column = min(self._column + columns_of(row), self._width)  # one that is full leaves the cursor at its end

    def _put(self, text: str) -> None:
        self._parts.append(text)


def _same_at_the_end(rows: Sequence[Line], old: Sequence[Line]) -> int:
    """How many rows at the end are the same, or end alike: those are changed where they differ."""
    same = 0
    while same < min(len(rows), len(old)) and _end_alike(rows[-1 - same], old[-1 - same]):
        same += 1
    return same


def _end_alike(row: Line, old: Line) -> bool:
    return row == old or (len(row) > 1 and len(old) > 1 and row[-1] == old[-1])


def common(row: Line, old: Line) -> Line:
    """The beginning that two rows share."""
    same: list[Span] = []
    for one, other in zip(row, old, strict=False):
        if one != other:
            text = _shared(one.text, other.text) if one.style == other.style else ""
            return (*same, Span(text, one.style)) if text else tuple(same)
        same.append(one)
    return tuple(same)


def without(row: Line, beginning: Line) -> Line:
    """A row without the beginning that it is known to have."""
    if not beginning:
        return row
    last = len(beginning) - 1
    text, style = row[last]
    left = text[len(beginning[last].text) :]
    return (*((Span(left, style),) if left else ()), *row[last + 1 :])


def _but_for_the_end(row: Line, old: Line) -> Line:
    """What of a row differs from another of the same width; pieces at the end that are the same stand there already."""
    end = 0
    while end < min(len(row), len(old)) and row[-1 - end] == old[-1 - end]:
        end += 1
    kept = row[: len(row) - end]
    return kept if columns_of(kept) == columns_of(old[: len(old) - end]) else row


def _shared(one: str, other: str) -> str:
    """The beginning that two texts share; a mark that joins onto a character is not cut from it."""
    pairs = zip(one, other, strict=False)
    length = next((place for place, (char, twin) in enumerate(pairs) if char != twin), min(len(one), len(other)))
    shared = one[:length]
    while shared and any(_joins(text[len(shared) :]) for text in (one, other)):
        shared = shared[:-1]
    return shared


def _joins(text: str) -> bool:
    return bool(text) and not text[0].isascii() and columns(text[0]) == 0


def fitted(line: Line, width: int) -> list[Line]:
    """A line as rows that fit; one that was made for the width is one."""
    return [line] if columns_of(line) <= width else chopped(line, width)


def reflows(environ: Mapping[str, str]) -> bool:
    """Whether the terminal is known to wrap its lines anew; with one that does not, more would be cleared than ours."""
    marks = ("TMUX", "VTE_VERSION", "KITTY_WINDOW_ID", "ALACRITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION")
    return any(environ.get(mark) for mark in (*marks, "TERM_PROGRAM")) or environ.get("TERM", "").startswith("foot")
