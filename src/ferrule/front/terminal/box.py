"""The input box: what is being typed, as rows, and where the cursor stands in them."""

from ferrule.front.terminal.early import PROMPT
from ferrule.front.terminal.show.fit import columns
from ferrule.front.terminal.show.lines import Line, Span
from ferrule.front.terminal.show.safe import safe

_INDENT = len(PROMPT)
_TAB = "    "
Cursor = tuple[int, int]


def rule(width: int, label: str = "") -> Line:
    """The line above or below the box."""
    said = f" {label} " if label and width > columns(label) + 6 else ""
    left = max(0, width - columns(said) - 2) if said else width
    return tuple(
        span for span in (Span("─" * left, "dim"), Span(said, "dim"), Span("──" if said else "", "dim")) if span.text
    )


def box(
    text: str, position: int, *, width: int, most: int, prompt: str = PROMPT, hint: str = ""
) -> tuple[list[Line], Cursor]:
    """The rows of the box, at most so many around the cursor, and the cursor's row and column."""
    room = max(2, width - _INDENT)
    rows: list[str] = []
    cursor = (0, 0)
    place = 0
    for paragraph in text.split("\n"):
        pieces = _pieces(paragraph, room)
        if place <= position <= place + len(paragraph):
            row, column = _find(pieces, position - place, room)
            cursor = (len(rows) + row, column)
            pieces = [*pieces, ""] if row == len(pieces) else pieces
        rows += pieces
        place += len(paragraph) + 1
    first = max(0, min(cursor[0] - most + 1, len(rows) - most), cursor[0] - most + 1)
    shown = rows[first : first + most]
    heads = [prompt if number + first == 0 else " " * _INDENT for number in range(len(shown))]
    lines: list[Line] = [(Span(head, "accent"), Span(_visible(row))) for head, row in zip(heads, shown, strict=True)]
    if not text and hint:
        lines = [(Span(prompt, "accent"), Span(hint, "dim"))]
    return lines, (cursor[0] - first, cursor[1] + _INDENT)


def _pieces(paragraph: str, room: int) -> list[str]:
    """A paragraph in pieces that fit, each as the characters that were typed."""
    if columns(_visible(paragraph)) <= room and "\t" not in paragraph:
        return [paragraph]
    pieces, piece, used = [], "", 0
    for char in paragraph:
        size = columns(_visible(char))
        if used + size > room and piece:
            pieces.append(piece)
            piece, used = "", 0
        piece += char
        used += size
    return [*pieces, piece]


def _find(pieces: list[str], position: int, room: int) -> Cursor:
    """The row and column of a place in a paragraph; behind a full row it is the beginning of the next."""
    for row, piece in enumerate(pieces):
        last = row == len(pieces) - 1
        if position < len(piece) or (last and position <= len(piece)):
            column = sum(columns(_visible(char)) for char in piece[:position])
            return (row, column) if column < room else (row + 1, 0)
        position -= len(piece)
    return len(pieces), 0


def _visible(text: str) -> str:
    """What stands on the screen for what was typed: control characters are written out, a tab has one width."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _TAB if char == "\t" else safe(char) for char in text)
