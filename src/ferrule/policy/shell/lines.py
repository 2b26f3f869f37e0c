"""Goes through a text line by line: blanks, comments, continued lines and here-documents."""

import re

from msgspec.structs import force_setattr

from ferrule.core.regex import lazy
from ferrule.policy.shell.syntax import Piece, Plain, Quoted, Redirection, Written

_DEEPEST = 60
_MOST = 2500
_BLANK = lazy(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_BEGINS_BLANK = frozenset(" \t\\#")
_IN_DOCUMENT = lazy(r"[^\\$`]+")


class NotUnderstoodError(Exception):
    """A line cannot be taken apart, and why."""


class LineReader:
    """The part of the reader that knows where it is."""

    def __init__(self, text: str, *, depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self.steps = 0
        self._documents: list[tuple[Written, str, str]] = []
        """Here-documents whose text comes with the next line: where it goes, the operator, the last line."""
        self._closed_lines = False
        """Whether a line may not end here, since a here-document that began further out would be cut in two."""

    def next_word(self) -> Written | None:
        """Read the next word; the reader of words does it."""
        raise NotImplementedError

    def expanded(self, run: re.Pattern[str], *, escapes: str) -> list[Piece]:
        """Read text that is expanded; the reader of words does it."""
        raise NotImplementedError

    def near(self, what: str) -> NotUnderstoodError:
        """Say what cannot be understood, and where."""
        place = self.text[self.at : self.at + 20].split("\n")[0]
        return NotUnderstoodError(f"{what} near `{place}`" if place else f"{what} at the end of a line")

    def deeper(self) -> None:
        """Go one level down, if there is one."""
        self.step()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotUnderstoodError("it is nested too deeply")

    def step(self) -> None:
        """Count what is read: a line that nobody could read is not worth the time."""
        self.steps += 1
        if self.steps > _MOST:
            raise NotUnderstoodError("it has too many parts")

    def blanks(self) -> None:
        """Go past blanks, continued lines and a comment."""
        if self.text[self.at : self.at + 1] in _BEGINS_BLANK:
            self.at = self._end_of(_BLANK)

    def blank_lines(self) -> None:
        """Go past blanks, comments and ends of lines."""
        self.blanks()
        while self.text.startswith("\n", self.at):
            self.newline()
            self.blanks()

    def operator(self, operator: str) -> None:
        """Go past an operator."""
        self.at += len(operator)
        self.unbroken()

    def unbroken(self) -> None:
        """Refuse an operator that goes on in the next line: bash joins the lines before it looks."""
        if self.text.startswith("\\\n", self.at) and self.text[self.at + 2 : self.at + 3] in set("&|<>;()\\"):
            raise self.near("an operator that is broken in two")

    def finish(self) -> None:
        """See that nothing is missing at the end of the text."""
        if self._documents:
            raise NotUnderstoodError("a here-document without its text")

    def here_document(self, operator: str) -> Redirection:
        """Read the word that ends a here-document; its text comes with the next line."""
        word = self.next_word()
        if word is None or any(not isinstance(piece, Plain | Quoted) for piece in word.pieces):
            raise self.near("a here-document without a clear end")
        end = "".join(piece.text for piece in word.pieces if isinstance(piece, Plain | Quoted))
        quoted = any(isinstance(piece, Quoted) for piece in word.pieces)
        target = Written(word.raw, ())
        self._documents.append((target, operator if quoted else operator + "$", end))
        return Redirection(operator, target)

    def newline(self) -> None:
        """Go past the end of a line, and past the here-documents that begin there."""
        if self._closed_lines:
            raise self.near("a here-document that begins inside brackets")
        self.at += 1
        documents, self._documents = self._documents, []
        for target, operator, end in documents:
            text = self._document(end, tabs="-" in operator, joined="$" in operator)
            pieces: tuple[Piece, ...] = (Quoted(text),)
            if "$" in operator:
                inner = type(self)(text, depth=self.depth)
                pieces = tuple(inner.expanded(_IN_DOCUMENT, escapes="$`\\"))
            force_setattr(target, "pieces", pieces)  # it was handed out before its text was reached

    def _document(self, end: str, *, tabs: bool, joined: bool) -> str:
        """Take the lines of a here-document; bash looks for its end in lines that are already joined."""
        lines: list[str] = []
        logical = ""
        while self.at < len(self.text):
            line = self._line()
            line = line.lstrip("\t") if tabs else line
            logical += line
            if logical == end:
                return "".join(one + "\n" for one in lines)
            lines.append(line)
            continued = joined and (len(line) - len(line.rstrip("\\"))) % 2 == 1
            logical = logical[:-1] if continued else ""
        raise NotUnderstoodError("a here-document without its end")

    def _line(self) -> str:
        start, end = self.at, self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end + 1
        return self.text[start : self.at].removesuffix("\n")

    def _end_of(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        return found.end() if found else self.at

    def _holds_no_line_end(self, text: str) -> None:
        """Refuse a line that ends inside quotes while a here-document waits for the next line."""
        if (self._documents or self._closed_lines) and "\n" in text:
            raise NotUnderstoodError("a here-document that begins before quotes of several lines")
