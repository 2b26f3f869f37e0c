"""Lines fitted into a width: measured in columns of the terminal, wrapped between words, or cut."""

from collections.abc import Iterable, Iterator

from wcwidth import wcwidth

from ferrule.core.regex import lazy
from ferrule.front.terminal.show.lines import Line, Span

LEAST_ROOM = 8
"""Columns that text keeps however deep it is indented."""
_WIDE = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\U00020000-\U0003fffd"
)
_CLOSING = "、。，．！？：；」』）】》…"
_ATOMS = lazy(rf" +|[{_WIDE}][\u0300-\u036f\u3099\u309a\ufe0f{_CLOSING}]*|[^ {_WIDE}]+")
"""Blanks; a character of a script that breaks anywhere, with the marks that may not begin a line; or a word."""


def columns(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_column, text))


def columns_of(line: Line) -> int:
    """How many columns a line takes."""
    return sum(columns(span.text) for span in line)


def cut(line: Line, width: int, *, mark: str = "…") -> Line:
    """The line, ending in a mark where it is too wide."""
    if columns_of(line) <= width:
        return line
    if width <= 0:
        return ()
    kept: list[Span] = []
    room = width - columns(mark)
    for span in line:
        head = _head(span.text, room)
        room -= columns(head)
        if head:
            kept.append(Span(head, span.style))
        if len(head) < len(span.text):
            return (*kept, *((Span(mark, span.style),) if mark else ()))
    return tuple(kept)


def padded(line: Line, width: int, *, align: str = "left") -> Line:
    """The line, filled with blanks to a width."""
    missing = max(0, width - columns_of(line))
    before = {"left": 0, "right": missing, "centre": missing // 2}[align]
    return tuple(span for span in (Span(" " * before), *line, Span(" " * (missing - before))) if span.text)


def wrap(line: Line, width: int, *, first: Line = (), rest: Line | None = None) -> list[Line]:
    """The line broken between words, behind a beginning for the first row and one for the others."""
    rest = first if rest is None else rest
    first, rest = beginning(first, width), beginning(rest, width)
    room, later = max(1, width - columns_of(first)), max(1, width - columns_of(rest))
    if columns_of(line) <= room:
        return [(*first, *line)]
    rows = _filled(_words(line), room, later)
    return [(*(rest if number else first), *row) for number, row in enumerate(rows)]


def chopped(line: Line, width: int, *, first: Line = (), rest: Line | None = None) -> list[Line]:
    """The line broken wherever it is full, as code is: no blank of it is lost."""
    rest = first if rest is None else rest
    first, rest = beginning(first, width), beginning(rest, width)
    room, later = max(1, width - columns_of(first)), max(1, width - columns_of(rest))
    row: list[Span] = []
    rows, left = [row], room
    for span in line:
        text = span.text
        while text:
            head = _head(text, left)
            if not head and row:
                row, left = [], later
                rows.append(row)
                continue
            head = head or text[0]
            row.append(Span(head, span.style))
            left -= columns(head)
            text = text[len(head) :]
    return [(*(rest if number else first), *row) for number, row in enumerate(rows)]


def beginning(line: Line, width: int) -> Line:
    """What stands before a text, cut where it would leave too little room."""
    return cut(line, width - LEAST_ROOM, mark="")


def _column(char: str) -> int:
    return max(0, wcwidth(char))


def _head(text: str, room: int) -> str:
    """As much of a text as has room; marks stay with the character that they belong to."""
    if text.isascii():
        return text[: max(0, room)]
    for position, char in enumerate(text):
        room -= _column(char)
        if room < 0:
            return text[:position]
    return text


def _words(line: Line) -> Iterator[tuple[list[Span], int]]:
    """The words of a line with their widths, blanks among them; a word may change its style in the middle."""
    word: list[Span] = []
    size = 0
    for span in line:
        for found in _ATOMS.finditer(span.text):
            atom = found[0]
            if word and (atom[0] == " " or word[-1].text[0] == " " or _breaks(atom) or _breaks(word[-1].text)):
                yield word, size
                word, size = [], 0
            word.append(Span(atom, span.style))
            size += columns(atom)
    if word:
        yield word, size


def _breaks(atom: str) -> bool:
    return not atom[0].isascii() and columns(atom[0]) == 2


def _filled(words: Iterable[tuple[list[Span], int]], room: int, later: int) -> list[Line]:
    """Rows as full as words allow; a word wider than a row is broken."""
    rows: list[list[Span]] = [[]]
    left = room
    for word, size in words:
        is_blank = word[0].text[0] == " "
        if size <= left:
            if not is_blank or rows[-1] or len(rows) == 1:
                rows[-1] += word
                left -= size
            continue
        if is_blank:
            rows.append([])
            left = later
            continue
        if size <= later:
            rows.append(list(word))
            left = later - size
            continue
        pieces = chopped(tuple(word), later)
        if rows[-1]:
            rows.append([])
        rows[-1] += pieces[0]
        rows += [list(piece) for piece in pieces[1:]]
        left = later - columns_of(pieces[-1])
    return [_trimmed(row) for row in rows if row] or [()]


def _trimmed(row: list[Span]) -> Line:
    while row and not row[-1].text.strip():
        row.pop()
    return _joined(row)


def _joined(row: Iterable[Span]) -> Line:
    """Neighbours of one style as one piece."""
    out: list[Span] = []
    for span in row:
        if out and out[-1].style == span.style:
            out[-1] = Span(out[-1].text + span.text, span.style)
        else:
            out.append(span)
    return tuple(out)
