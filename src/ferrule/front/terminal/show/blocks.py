"""The blocks of a Markdown text, taken in line by line: what has ended is written, what has not is held."""

from copy import copy
from typing import NamedTuple, Self

from ferrule.core.regex import lazy
from ferrule.front.terminal.show.code import Highlighter
from ferrule.front.terminal.show.fit import chopped, wrap
from ferrule.front.terminal.show.inline import inline
from ferrule.front.terminal.show.lines import Line, Span, line
from ferrule.front.terminal.show.places import Place, Places
from ferrule.front.terminal.show.table import alignments, table

_FENCE = lazy(r"^( {0,3})(`{3,}(?=[^`]*$)|~{3,})\s*([^\s`{]*)")
_HEADING = lazy(r"^ {0,3}(#{1,6})(?:\s(.*))?$")
_RULE = lazy(r"^ {0,3}([-*_])(?: *\1){2,} *$")
_UNDERLINE = lazy(r"^ {0,3}(=+|--+) *$")
_HTML = lazy(r"^ {0,3}<(?:/?[a-zA-Z][\w-]*(?:\s|/?>|$)|!--)")
_MOST_ROWS = 20
"""How many of the lines that are held are shown before they are written."""
_MOST_HELD, _STEP = 2_000, 1_000
"""How much of such a line is shown, and by how much its beginning moves on: it stands still between."""
_WIDEST_RULE = 40
_CODE = Span("  ")


class _Fence(NamedTuple):
    """Code that is open."""

    marks: str
    indent: int
    highlighter: Highlighter

    def is_closed_by(self, text: str) -> bool:
        bare = text.strip()
        return bare.startswith(self.marks) and not bare.strip(self.marks[0])


class _Table(NamedTuple):
    """A table of which more rows may come."""

    header: str
    aligned: list[str]
    rows: list[str]


class Blocks:
    """What is open at the end of a text, and the lines of all that has ended since they were last taken."""

    def __init__(self, width: int) -> None:
        self.written: list[Line] = []
        self.places = Places(width)
        self.is_unfinished = False
        """Whether the text goes on, so that marks without a partner will probably get one."""
        self._width = width
        self._paragraph: list[str] = []
        self._fence: _Fence | None = None
        self._table: _Table | None = None
        self._is_html = False
        self._is_empty = True
        self._gap = False
        """Whether the text had a blank line since the last block."""
        self._stood_alone = False
        """Whether the last block wants a blank line behind it in any case."""

    def unfinished(self) -> Self:
        """What is held, or the end of it, as a text of its own that may be brought to an end."""
        twin = copy(self)
        twin.written = []
        twin.places = self.places.copy()
        twin.is_unfinished = True
        twin.hold_less()
        return twin

    def resize(self, width: int) -> None:
        """Write for another width from now on."""
        self._width = width
        self.places.resize(width)

    def take(self, text: str) -> None:
        """Take in a line."""
        if self._fence:
            code = self.places.code(text)
            if code is not None:
                self._code_line(code, self._fence)
                return
            self._fence = None  # the quote in which it stood has ended
        depth, rest = self.places.entered(text)
        is_new = False
        while begun := self._begun(rest, depth):
            place, rest = begun
            self._write_held()
            self._leave(depth)
            self.places.enter(place)
            depth, is_new = depth + 1, True
        if not rest.strip():
            self._blank(depth, is_new=is_new)
        elif depth < len(self.places.open) and self._paragraph and not _interrupts(rest):
            self._paragraph.append(rest.strip())  # a line that was too lazy to repeat its marks
        else:
            if depth < len(self.places.open):
                self._write_held()
                self._leave(depth)
            self.places.stand()
            self._block(rest)

    def end(self) -> None:
        """Write all that is held."""
        self._write_held()
        self._fence = None
        self._leave(0)

    def _begun(self, text: str, depth: int) -> tuple[Place, str] | None:
        """The quote or the list item that begins here, if one does, and the rest of the line."""
        in_table = self._table is not None and depth == len(self.places.open) and "|" in text
        if in_table or _RULE.search(text):
            return None
        return self.places.begun(text, depth, in_paragraph=bool(self._paragraph))

    def _blank(self, depth: int, *, is_new: bool) -> None:
        self._write_held()
        if not is_new:
            self._leave(depth)  # a blank line ends a quote, but no list
            self._gap = True

    def _block(self, text: str) -> None:
        """Take in a line that belongs to the innermost place."""
        if self._table and "|" in text:
            self._table.rows.append(text)
        elif self._is_html:
            self._text(line(text.rstrip()))
        elif self._paragraph and (marks := _UNDERLINE.search(text)):
            title, self._paragraph = " ".join(self._paragraph), []
            self._heading(title, 1 if marks[1][0] == "=" else 2)
        elif self._paragraph and (aligned := alignments(text, self._paragraph[-1])):
            header = self._paragraph.pop()
            self._write_held()
            self._begin(alone=not self.places.open)
            self._table = _Table(header, aligned, [])
        elif _interrupts(text):
            self._write_held()
            self._mark(text)
        elif self._paragraph or not self._literal(text):
            self._write_table()
            self._paragraph.append(text.strip())

    def _mark(self, text: str) -> None:
        """Take in a line that is a block of its own, or begins code."""
        if fence := _FENCE.search(text):
            self._begin(alone=not self.places.open)
            self._fence = _Fence(fence[2], len(fence[1]), Highlighter(fence[3]))
        elif heading := _HEADING.search(text):
            self._heading(_without_closing_marks(heading[2] or ""), len(heading[1]))
        else:
            self._begin(alone=True)
            room = max(1, min(_WIDEST_RULE, self._width - self.places.columns))
            self.written.append((*self.places.head(), Span("─" * room, "dim")))

    def _literal(self, text: str) -> bool:
        """Take in a line that is shown as it stands, if it is one: indented code, or HTML."""
        self._is_html = bool(_HTML.search(text))
        if not self._is_html and not text.startswith("    "):
            return False
        self._write_table()
        self._begin(alone=False)
        if self._is_html:
            self._text(line(text.rstrip()))
        else:
            self._code(line(text[4:].rstrip()))
        return True

    def _heading(self, title: str, level: int) -> None:
        self._begin(alone=not self.places.open)
        self._text(inline(title, "title" if level == 1 else "heading", unfinished=self.is_unfinished)[0])

    def _code_line(self, text: str, fence: _Fence) -> None:
        if fence.is_closed_by(text):
            self._fence = None
            return
        indent = min(fence.indent, len(text) - len(text.lstrip(" ")))
        self._code(fence.highlighter.line(text[indent:].rstrip()))

    def _code(self, coloured: Line) -> None:
        first, rest = self.places.head(), self.places.side()
        self.written += chopped(coloured, self._width, first=(*first, _CODE), rest=(*rest, _CODE))

    def _text(self, words: Line) -> None:
        self.written += wrap(words, self._width, first=self.places.head(), rest=self.places.side())

    def _write_held(self) -> None:
        """Write the paragraph or the table that has ended."""
        self._is_html = False
        self._write_table()
        if self._paragraph:
            text, self._paragraph = "\n".join(self._paragraph).replace("\\\n", "\n"), []
            self._begin(alone=False)
            for row in inline(text, self.places.style, unfinished=self.is_unfinished):
                self._text(row)

    def _write_table(self) -> None:
        if self._table:
            ended, self._table = self._table, None
            room = max(1, self._width - self.places.columns)
            for row in table(ended.header, ended.aligned, ended.rows, room):
                self.written.append((*self.places.head(), *row))

    def _begin(self, *, alone: bool) -> None:
        """Put a blank line before a block where one is due."""
        if not self._is_empty and (self._gap or alone or self._stood_alone):
            self.written.append(self.places.bar)
        self._is_empty, self._gap, self._stood_alone = False, False, alone

    def _leave(self, depth: int) -> None:
        """Close all places beyond a depth; one that held nothing is shown all the same."""
        if self.places.hide_something(depth):
            self._begin(alone=False)
            self.written.append(self.places.head())
        self.places.leave(depth)

    def hold_less(self) -> None:
        """Hold copies, and only the end of what is long."""
        self._paragraph = [end_of(one) for one in self._paragraph[-_MOST_ROWS:]]
        if self._fence:
            self._fence = self._fence._replace(highlighter=copy(self._fence.highlighter))
        if self._table:
            self._table = self._table._replace(rows=self._table.rows[-_MOST_ROWS:])


def _interrupts(text: str) -> bool:
    """Whether a line ends a paragraph by what it is."""
    return bool(_FENCE.search(text) or _HEADING.search(text) or _RULE.search(text))


def _without_closing_marks(title: str) -> str:
    title = title.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare.endswith(" ") else title


def end_of(text: str) -> str:
    """The end of a long line that still grows."""
    surplus = len(text) - _MOST_HELD
    return text if surplus <= 0 else text[-(-surplus // _STEP) * _STEP :]
