"""Reads the words of a line: quotes, escapes, expansions and here-documents, as bash takes them apart."""

import re

from ferrule.core.regex import lazy
from ferrule.policy.shell.ansi import unescaped
from ferrule.policy.shell.lines import LineReader
from ferrule.policy.shell.syntax import (
    Arithmetic,
    Array,
    Parameter,
    Piece,
    Plain,
    Process,
    Quoted,
    Sequence,
    Substitution,
    Written,
    merged,
)

_PLAIN = lazy(r"[^\s;&|<>()$`\"'\\]+")
_IN_QUOTES = lazy(r"[^\"\\$`]+")
_IN_BRACES = lazy(r"[^}{\"'\\$`<>]+")
_IN_SUBSCRIPT = lazy(r"[^\[\]\"'\\$`\n;&|<>(){}]+")
_IN_NUMBERS = lazy(r"[^()\"'\\$`;]+")
_IN_BACKQUOTES = lazy(r"(?s)(?:[^`\\]|\\.)*")
_IN_ANSI = lazy(r"(?s)(?:[^'\\]|\\.)*")
_IN_REGEX = lazy(r"[^\s()$`\"'\\]+")
_PARAMETER = lazy(r"[A-Za-z_]\w*|[0-9@*#?$!_-]")
_BRACED = lazy(r"(!?)(#?)([A-Za-z_]\w*|[0-9]+|[@*#?$!_-])")
_OPERATOR = lazy(r":[-=?+]|##|%%|//|/#|/%|\^\^|,,|[-=?+:#%/^,@]")
_SPACE = lazy(r"\s*")
_BETWEEN = lazy(r"&&|\|\||[()<>]")
_ESCAPED_IN_BACKQUOTES = lazy(r"\\([\\$`])")
_ESCAPED_IN_BOTH = lazy(r"\\([\\$`\"])")


LONE = Plain("$")
"""A dollar that begins nothing."""


class WordReader(LineReader):
    """The part of the reader that knows what is inside a word."""

    def sequence(self, ends: frozenset[str]) -> Sequence:
        """Read commands; the reader of commands does it."""
        raise NotImplementedError

    def script(self, text: str, depth: int) -> Sequence:
        """Read a script of its own; the reader of commands does it."""
        raise NotImplementedError

    def array(self) -> Array:
        """Read `(a b c)`; the reader of commands does it."""
        raise NotImplementedError

    def next_word(self, *, array: bool = False) -> Written | None:
        """Read the next word, if there is one; `array` if `x=(…)` may be one."""
        self.blanks()
        return self.word_here(array=array)

    def word_here(self, *, array: bool = False) -> Written | None:
        """Read the word, or the rest of one, that begins at this very character."""
        start = self.at
        pieces: list[Piece] = []
        while self.piece(pieces):
            if array and self.text.startswith("(", self.at) and _assigns(pieces[-1]):
                pieces.append(self.array())
        if self.at == start:
            return None
        if self.text.startswith("(", self.at):
            raise self.near("a bracket that does not belong there")
        if LONE in pieces and any(isinstance(one, Parameter | Substitution) and not one.quoted for one in pieces):
            raise self.near("a lone dollar, which changes how a word is split")
        return Written(self.text[start : self.at], merged(pieces))

    def piece(self, pieces: list[Piece]) -> bool:
        """Read the next piece of a word outside quotes; False where the word ends."""
        self.step()
        found = _PLAIN.match(self.text, self.at)
        if found:
            self.at = found.end()
            pieces.append(Plain(found[0]))
            return True
        match self.text[self.at : self.at + 1]:
            case "\\":
                pieces.append(self.escape())
            case "'":
                pieces.append(self.single())
            case '"':
                pieces.extend(self.double())
            case "$":
                self.dollar(pieces, quoted=False)
            case "`":
                pieces.append(self.backquotes(quoted=False))
            case "<" | ">" if self.text.startswith("(", self.at + 1):
                operator = self.text[self.at]
                self.at += 1
                pieces.append(Process(self.substituted(), operator))
            case _:
                return False
        return True

    def escape(self) -> Piece:
        """Read a backslash and what it quotes; with the end of a line it is nothing."""
        character = self.text[self.at + 1 : self.at + 2]
        self.at += 1 + len(character)
        return Plain("") if character == "\n" else Quoted(character or "\\")

    def single(self) -> Quoted:
        """Read text in single quotes."""
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise self.near("a quote that is not closed")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        self._holds_no_line_end(text)
        return Quoted(text)

    def double(self) -> list[Piece]:
        """Read text in double quotes."""
        start = self.at
        self.at += 1
        pieces = self.expanded(_IN_QUOTES, escapes='$`"\\')
        if not self.text.startswith('"', self.at):
            self.at = start
            raise self.near("a quote that is not closed")
        self.at += 1
        self._holds_no_line_end(self.text[start : self.at])
        if len(pieces) > 1 and all(_is_all(piece) for piece in pieces[1:]):
            return pieces[1:]  # "$@" without arguments is no word, not an empty one
        return pieces

    def expanded(self, run: re.Pattern[str], *, escapes: str) -> list[Piece]:
        """Read text in which only `$`, backquotes and backslashes mean something."""
        pieces: list[Piece] = [Quoted("")]
        while True:
            self.step()
            found = run.match(self.text, self.at)
            if found:
                self.at = found.end()
                pieces.append(Quoted(found[0]))
            match self.text[self.at : self.at + 1]:
                case "\\":
                    pieces.append(self.escape_in_quotes(escapes))
                case "$":
                    self.dollar(pieces, quoted=True)
                case "`":
                    pieces.append(self.backquotes(quoted=True))
                case _:
                    return pieces

    def escape_in_quotes(self, escapes: str) -> Quoted:
        """Read a backslash between quotes, where it quotes only a few characters."""
        character = self.text[self.at + 1 : self.at + 2]
        self.at += 1 + len(character)
        if character == "\n":
            return Quoted("")
        return Quoted(character if character and character in escapes else "\\" + character)

    def dollar(self, pieces: list[Piece], *, quoted: bool) -> None:
        """Read what begins with a dollar."""
        after = self.text[self.at + 1 : self.at + 3]
        if after.startswith("\\\n"):
            raise self.near("a dollar at the end of a line")
        if after.startswith("["):
            raise self.near("an old form of arithmetic")
        self.deeper()
        if after == "((":
            self.at += 1
            pieces.append(Arithmetic(self.calculation()))
        elif after.startswith("("):
            self.at += 1
            pieces.append(Substitution(self.substituted(), quoted))
        elif after.startswith("{"):
            pieces.append(self.braced(quoted=quoted))
        elif after.startswith("'") and not quoted:
            pieces.append(self.ansi())
        elif after.startswith('"') and not quoted:
            self.at += 1
            pieces.extend(self.double())
        elif found := _PARAMETER.match(self.text, self.at + 1):
            self.at = found.end()
            pieces.append(Parameter(name=found[0], quoted=quoted))
        else:
            self.at += 1
            pieces.append(Quoted("$") if quoted else LONE)
        self.depth -= 1

    def ansi(self) -> Quoted:
        """Read `$'…'`."""
        found = _IN_ANSI.match(self.text, self.at + 2)
        end = found.end() if found else self.at
        if not self.text.startswith("'", end) or found is None:
            raise self.near("a quote that is not closed")
        self.at = end + 1
        self._holds_no_line_end(found[0])
        return Quoted(unescaped(found[0]))

    def substituted(self) -> Sequence:
        """Read the script between brackets, of which the first stands here."""
        self.at += 1
        outside, closed = self._documents, self._closed_lines
        self._documents, self._closed_lines = [], closed or bool(outside)
        script = self.sequence(frozenset())
        self.blanks()
        if not self.text.startswith(")", self.at):
            raise self.near("a bracket that is not closed")
        self.finish()
        self.at += 1
        self._documents, self._closed_lines = outside, closed
        return script

    def backquotes(self, *, quoted: bool) -> Substitution:
        """Read a script between backquotes."""
        found = _IN_BACKQUOTES.match(self.text, self.at + 1)
        end = found.end() if found else self.at
        if not self.text.startswith("`", end) or found is None:
            raise self.near("a backquote that is not closed")
        self._holds_no_line_end(found[0])
        self.deeper()
        escaped = _ESCAPED_IN_BOTH if quoted else _ESCAPED_IN_BACKQUOTES
        script = self.script(escaped.sub(r"\1", found[0]), self.depth)
        self.depth -= 1
        self.at = end + 1
        return Substitution(script, quoted)

    def braced(self, *, quoted: bool) -> Parameter:
        """Read `${…}`."""
        start = self.at
        found = _BRACED.match(self.text, self.at + 2)
        if found is None:
            raise self.near("an expansion that is not known")
        self.at = found.end()
        subscript = None
        if self.text.startswith("[", self.at):
            self.at += 1
            subscript = self.subscript()
        operator = ""
        argument: tuple[Piece, ...] = ()
        if not self.text.startswith("}", self.at):
            sign = _OPERATOR.match(self.text, self.at)
            operator = sign[0] if sign else ""
            self.at += len(operator)
            argument = self.argument(quoted=quoted) if operator else ()
        if not self.text.startswith("}", self.at):
            self.at = start
            raise self.near("an expansion that is not known")
        self.at += 1
        return Parameter(
            name=found[3],
            quoted=quoted,
            braced=True,
            operator=operator,
            argument=argument,
            subscript=subscript,
            indirect=bool(found[1]),
            length=bool(found[2]),
        )

    def argument(self, *, quoted: bool) -> tuple[Piece, ...]:
        """Read what stands behind the operator in `${x:-…}`, up to the closing brace."""
        pieces: list[Piece] = []
        while not self.text.startswith("}", self.at):
            if found := _IN_BRACES.match(self.text, self.at):
                self.at = found.end()
                self._holds_no_line_end(found[0])
                pieces.append(Quoted(found[0]) if quoted else Plain(found[0]))
                continue
            character = self.text[self.at : self.at + 1]
            if character in {"", "{", "<", ">"} or (character == "'" and quoted) or not self.piece(pieces):
                raise self.near("an expansion that is not known")
        return merged(pieces)

    def subscript(self) -> tuple[Piece, ...]:
        """Read the index of an array up to its closing bracket, the first of which is behind us."""
        pieces: list[Piece] = []
        while not self.text.startswith("]", self.at):
            if found := _IN_SUBSCRIPT.match(self.text, self.at):
                self.at = found.end()
                pieces.append(Plain(found[0]))
                continue
            if self.text[self.at : self.at + 1] not in {'"', "$", "`"} or not self.piece(pieces):
                raise self.near("an index that is not known")
        self.at += 1
        return tuple(pieces)

    def calculation(self) -> tuple[Piece, ...]:
        """Read `((…))`, of which the first two brackets stand here."""
        start, level, pieces = self.at, 0, list[Piece]()
        self.at += 2
        while True:
            if found := _IN_NUMBERS.match(self.text, self.at):
                self.at = found.end()
                pieces.append(Plain(found[0]))
                continue
            character = self.text[self.at : self.at + 1]
            if character == ")" and level == 0:
                break
            if character and character in "();":
                self.step()
                level += {"(": 1, ")": -1, ";": 0}[character]
                self.at += 1
                pieces.append(Plain(character))
            elif character not in {'"', "$", "`"} or not self.piece(pieces):
                raise self.near("arithmetic that is not known")
        if not self.text.startswith("))", self.at):
            self.at = start
            raise self.near("brackets that could mean two things")
        self.at += 2
        self._holds_no_line_end(self.text[start : self.at])
        return merged(pieces)

    def test_word(self) -> Written:
        """Read a word or an operator inside `[[ … ]]`."""
        self._between()
        if self.text.startswith("#", self.at):
            raise self.near("a comment in a test")
        if (found := _BETWEEN.match(self.text, self.at)) and not self.text.startswith(("<(", ">("), self.at):
            self.at = found.end()
            return Written(found[0], (Plain(found[0]),))
        if (word := self.next_word()) is None:
            raise self.near("a test that is not known")
        return word

    def pattern_word(self) -> Written:
        """Read the pattern behind `==` or `=~`, in which brackets belong to the word."""
        self._between()
        start, level, pieces = self.at, 0, list[Piece]()
        while True:
            if found := _IN_REGEX.match(self.text, self.at):
                self.at = found.end()
                pieces.append(Plain(found[0]))
                continue
            character = self.text[self.at : self.at + 1]
            if character and character in "()" and (level or character == "("):
                self.step()
                level += 1 if character == "(" else -1
                self.at += 1
                pieces.append(Plain(character))
            elif character in {"", ")"} or character.isspace():
                break
            else:
                self.piece(pieces)
        if level or self.at == start:
            raise self.near("a pattern that is not known")
        return Written(self.text[start : self.at], merged(pieces))

    def _between(self) -> None:
        """Go past blanks and ends of lines inside a test."""
        start = self.at
        self.at = self._end_of(_SPACE)
        self._holds_no_line_end(self.text[start : self.at])


def _assigns(piece: Piece) -> bool:
    return isinstance(piece, Plain) and piece.text.endswith("=")


def _is_all(piece: Piece) -> bool:
    """Whether it stands for all arguments, or all fields of an array."""
    if not isinstance(piece, Parameter):
        return False
    return piece.name == "@" or (piece.subscript is not None and Written("", piece.subscript).plain == "@")
