"""Markdown as HTML: the same Markdown that the terminal shows, line by line and in one pass.

HTML inside it stays the text that it is. A link leads somewhere only where its address is one of the web or of
mail; of any other the address is shown. No picture is fetched: it is a link.
"""

from collections.abc import Iterable
from html import escape

from ferrule.core.regex import lazy
from ferrule.front.export.markup import Pen, styled
from ferrule.front.terminal.show.code import Highlighter
from ferrule.front.terminal.show.inline import inline
from ferrule.front.terminal.show.lines import Line, Span, text_of
from ferrule.front.terminal.show.places import Item, Place, Places
from ferrule.front.terminal.show.safe import TAB
from ferrule.front.terminal.show.table import alignments, cells_of

_FENCE = lazy(r"^( {0,3})(`{3,}(?=[^`]*$)|~{3,})\s*([^\s`{]*)")
_HEADING = lazy(r"^ {0,3}(#{1,6})(?:\s(.*))?$")
_CLOSING_MARKS = lazy(r"(?:^|\s)#+\s*$")
_RULE = lazy(r"^ {0,3}([-*_])(?: *\1){2,} *$")
_UNDERLINE = lazy(r"^ {0,3}(=+|--+) *$")
_ADDRESS = lazy(r"(?i)^(?:https?://|mailto:)[^\s<>\"]+$")
_MAIL = lazy(r"^[\w.+-]+@[\w.-]+$")
_ANY_WIDTH = 1_000_000
_HEADINGS_BELOW = 2
"""The page has headings of its own, above those of an answer."""
_LONGEST_LANGUAGE = 20


def prose(text: str, pen: Pen) -> str:
    """A Markdown text as HTML."""
    page = _Prose(pen)
    for line in pen.clean(text).split("\n"):
        page.take(line)
    return page.end()


def code(lines: Iterable[str], language: str, pen: Pen) -> str:
    """Lines of clean text as code, coloured where the language is known."""
    highlighter = Highlighter(language)
    coloured = ("".join(map(styled, highlighter.line(line))) for line in lines)
    rows = "\n".join(coloured if language else map(escape, lines))
    label = f' data-language="{pen.short(language, _LONGEST_LANGUAGE)}"' if language else ""
    return f'<pre tabindex="0"{label}><code>{rows}\n</code></pre>'


class _Prose:
    """A text that is taken in line by line."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._html: list[str] = []
        self._places = Places(_ANY_WIDTH)
        self._lists: dict[int, str] = {}
        """The lists that are open: what closes each, by the depth of its items."""
        self._kinds: dict[int, str] = {}
        self._paragraph: list[str] = []
        self._table: tuple[str, list[str], list[str]] | None = None
        self._fence: tuple[str, int, str] | None = None
        self._code: list[str] = []

    def take(self, raw: str) -> None:
        """Take in a line."""
        if self._fence:
            code_line = self._places.code(raw)
            if code_line is not None:
                self._code_line(code_line, self._fence)
                return
            self._write_held()  # the quote in which it stood has ended
        text = raw.expandtabs(TAB)
        depth, rest = self._places.entered(text)
        while begun := self._begun(rest, depth):
            place, rest = begun
            self._write_held()
            self._leave(depth)
            self._enter(place)
            depth += 1
        is_inside = depth == len(self._places.open)
        if not rest.strip():
            self._blank(depth)
        elif not is_inside and self._paragraph and not _interrupts(rest):
            self._paragraph.append(rest.strip())  # a line that was too lazy to repeat its marks
        else:
            if not is_inside:
                self._write_held()
                self._leave(depth)
            self._places.stand()
            self._block(rest)

    def end(self) -> str:
        """All of it; there is no more."""
        self._write_held()
        self._leave(0)
        self._close_list(0)
        return "".join(self._html)

    def _begun(self, text: str, depth: int) -> tuple[Place, str] | None:
        """The quote or the list item that begins here, if one does, and the rest of the line."""
        in_table = self._table is not None and depth == len(self._places.open) and "|" in text
        if in_table or _RULE.search(text):
            return None
        return self._places.begun(text, depth, in_paragraph=bool(self._paragraph))

    def _enter(self, place: Place) -> None:
        depth = len(self._places.open)
        self._places.enter(place)
        if not isinstance(place, Item):
            self._close_list(depth)
            self._html.append("<blockquote>")
            return
        if self._kinds.get(depth) != place.kind:
            self._close_list(depth)
            self._kinds[depth] = place.kind
            tag = "ul" if place.kind in "-*+" else "ol"
            self._lists[depth] = f"</{tag}>"
            self._html.append(f"<{tag}>")
        mark = place.mark[0].text.strip()
        is_task = mark in {"☐", "☑"}
        number = f' value="{place.number}"' if self._lists[depth] == "</ol>" else ""
        self._html.append(f'<li class="task"><span class="box">{mark}</span> ' if is_task else f"<li{number}>")

    def _leave(self, depth: int) -> None:
        """Close all places beyond a depth. The list of the outermost stays open for another item."""
        for level in range(len(self._places.open) - 1, depth - 1, -1):
            self._close_list(level + 1)
            self._html.append("</li>" if isinstance(self._places.open[level], Item) else "</blockquote>")
        self._places.leave(depth)

    def _close_list(self, depth: int) -> None:
        self._kinds.pop(depth, None)
        if depth in self._lists:
            self._html.append(self._lists.pop(depth))

    def _blank(self, depth: int) -> None:
        if self._code and depth == len(self._places.open):
            self._code.append("")
        else:
            self._write_held()
            self._leave(depth)  # a blank line ends a quote, but no list

    def _block(self, text: str) -> None:
        """Take in a line that belongs to the innermost place."""
        if self._table and "|" in text:
            self._table[2].append(text)
        elif self._paragraph and (marks := _UNDERLINE.search(text)):
            title, self._paragraph = "\n".join(self._paragraph), []
            self._heading(title, 1 if marks[1][0] == "=" else 2)
        elif self._paragraph and (aligned := alignments(text, self._paragraph[-1])):
            header = self._paragraph.pop()
            self._write_held()
            self._table = (header, aligned, [])
        elif _interrupts(text):
            self._write_held()
            self._mark(text)
        elif text.startswith("    ") and not self._paragraph:
            self._write_table()
            self._code.append(text[4:])
        else:
            if not self._paragraph:
                self._write_held()
            self._paragraph.append(text.strip())

    def _mark(self, text: str) -> None:
        """Take in a line that is a block of its own, or begins code."""
        if fence := _FENCE.search(text):
            self._fence = (fence[2], len(fence[1]), fence[3])
        elif heading := _HEADING.search(text):
            self._heading(_CLOSING_MARKS.sub("", heading[2] or ""), len(heading[1]))
        else:
            self._add("<hr>")

    def _heading(self, title: str, level: int) -> None:
        tag = f"h{min(6, level + _HEADINGS_BELOW)}"
        self._add(f'<{tag} dir="auto">{self._inline(title)}</{tag}>')

    def _code_line(self, text: str, fence: tuple[str, int, str]) -> None:
        marks, indent, _ = fence
        bare = text.strip()
        if bare.startswith(marks) and not bare.strip(marks[0]):
            self._write_held()
        else:
            self._code.append(text[min(indent, len(text) - len(text.lstrip(" "))) :])

    def _write_held(self) -> None:
        """Write what has ended: a paragraph, a table or code."""
        self._write_table()
        if self._fence or self._code:
            language = self._fence[2] if self._fence else ""
            lines, self._code = self._code, []
            while not self._fence and lines and not lines[-1].strip():
                lines.pop()
            self._fence = None
            self._add(code(lines, language, self._pen))
        if self._paragraph:
            text, self._paragraph = "\n".join(self._paragraph).replace("\\\n", "\n"), []
            self._add(f'<p dir="auto">{self._inline(text)}</p>')

    def _write_table(self) -> None:
        if self._table:
            (header, aligned, rows), self._table = self._table, None
            head = self._row("th", header, aligned)
            body = "".join(self._row("td", row, aligned) for row in rows)
            table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
            self._add(f'<div class="scroll" tabindex="0">{table}</div>')

    def _row(self, tag: str, row: str, aligned: list[str]) -> str:
        cells = [*cells_of(row), *[""] * len(aligned)][: len(aligned)]
        shown = (cell.replace("<br>", "\n").replace("<br/>", "\n") for cell in cells)
        written = (
            f'<{tag} class="{side}">{self._inline(cell)}</{tag}>' for side, cell in zip(aligned, shown, strict=True)
        )
        return f"<tr>{''.join(written)}</tr>"

    def _add(self, block: str) -> None:
        self._close_list(len(self._places.open))
        self._html.append(block)

    def _inline(self, text: str) -> str:
        return "<br>".join(self._words(line) for line in inline(text))

    def _words(self, line: Line) -> str:
        """A line with its links. Behind the words of a link its address stands in dim brackets, if it says more."""
        html: list[str] = []
        link: list[Span] = []
        for span in line:
            names = span.style.split()
            if "link" in names:
                link.append(span)
                continue
            address, rest = text_of(tuple(link)), span.text
            if link and "dim" in names and rest.startswith(" (") and ")" in rest:
                end = rest.rindex(")")
                address, rest = rest[2:end], rest[end + 1 :]
                html.append(self._link(link, address, shown=f" ({address})"))
            elif link:
                html.append(self._link(link, address))
            link = []
            html.append(self._pen.span(Span(rest, span.style)) if rest else "")
        html.append(self._link(link, text_of(tuple(link))) if link else "")
        return "".join(html)

    def _link(self, words: list[Span], address: str, *, shown: str = "") -> str:
        """The words of a link, which leads somewhere only where that is harmless; else its address is shown."""
        label = "".join(self._pen.span(Span(one.text, _without_link(one.style))) for one in words)
        if _MAIL.search(address):
            address = f"mailto:{address}"
        if not _ADDRESS.search(address):
            return f"{label}{self._pen.text(shown)}"
        named = ' class="named"' if shown else ""  # on paper its address has to be written out
        return f'<a{named} href="{self._pen.text(address)}" rel="noopener noreferrer">{label}</a>'


def _interrupts(text: str) -> bool:
    """Whether a line ends a paragraph by what it is."""
    return bool(_FENCE.search(text) or _HEADING.search(text) or _RULE.search(text))


def _without_link(style: str) -> str:
    return " ".join(name for name in style.split() if name != "link")
