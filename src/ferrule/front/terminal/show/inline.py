"""Markdown inside a line: code, emphasis, links. What is no markup stays as it is, HTML too."""

import re
from typing import NamedTuple

from ferrule.core.regex import lazy
from ferrule.front.terminal.show.lines import Line, Span

_TOKENS = lazy(
    r"""
    (?P<escape> \\[!-/:-@\[-`{-~] )
    | (?P<ticks> `+ )
    | <(?P<auto> (?:https?://|mailto:) [^\s<>]* )>
    | (?P<url> https?:// [^\s<>`|]* [^\s<>`|*_~.,;:!?'")\]] )
    | (?P<image> ! )? \[ (?P<label> (?: [^\[\]\\] | \\. | \[ [^\[\]]*+ \] )*+ ) \]
      \( \s*+ (?P<to> < [^<>\n]*+ > | [^\s()]*+ (?: \( [^\s()]*+ \) [^\s()]*+ )*+ )
      (?: \s++ (?: "[^"]*+" | '[^']*+' ) )? \s*+ \)
    | (?P<run> \*+ | _+ | ~~ )
    | & (?P<entity> amp | lt | gt | quot | nbsp | \#39 ) ;
    """,
    re.VERBOSE | re.DOTALL,
)
_TICKS = lazy(r"`+")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "nbsp": " ", "#39": "'"}
_LONGEST_RUN = 3
_STYLES = {("*", 1): "emphasis", ("_", 1): "emphasis", ("*", 2): "strong", ("_", 2): "strong", ("~", 2): "strike"}


class _Open(NamedTuple):
    """A run of marks that may begin something: where it stands among the pieces, and of what it is made."""

    place: int
    mark: str


def inline(text: str, style: str = "", *, unfinished: bool = False) -> list[Line]:
    """The lines of a paragraph; of an unfinished one, what is still open goes on to its end."""
    parser = _Inline(text, unfinished=unfinished)
    return _lines(parser.pieces(), style)


class _Inline:
    """One pass over a text. Every step is taken at most a few times, so the cost is linear whatever comes."""

    def __init__(self, text: str, *, unfinished: bool) -> None:
        self._text = text
        self._unfinished = unfinished
        self._pieces: list[tuple[str, str]] = []
        self._styles: list[tuple[int, int, str]] = []
        self._stack: list[_Open] = []
        self._open: dict[str, int] = {"*": 0, "_": 0, "~": 0}
        self._ticks = _ticks_by_length(text)

    def pieces(self) -> list[tuple[str, str]]:
        """The pieces of the text with their styles."""
        position = 0
        while found := _TOKENS.search(self._text, position):
            self._add(self._text[position : found.start()])
            position = self._take(found)
        self._add(self._text[position:])
        if self._unfinished:
            for one in self._stack:
                self._style(one, len(self._pieces), len(self._pieces[one.place][0]))
        return self._styled()

    def _take(self, found: re.Match[str]) -> int:
        """Take in what was found; gives where to go on."""
        if found["ticks"]:
            return self._code(found.start(), found.end())
        if found["run"]:
            self._run(found["run"], found.start(), found.end())
        elif found["escape"]:
            self._add(found["escape"][1])
        elif found["entity"]:
            self._add(_ENTITIES[found["entity"]])
        elif found["to"] is not None:
            self._link(found["label"] or "", found["to"].strip("<>"), is_image=bool(found["image"]))
        else:
            self._add((found["auto"] or found["url"]).removeprefix("mailto:"), "link")
        return found.end()

    def _add(self, text: str, style: str = "") -> None:
        if text:
            self._pieces.append((text, style))

    def _code(self, start: int, end: int) -> int:
        """Code up to as many ticks as began it; where there are none, the ticks are ticks."""
        length = end - start
        places = self._ticks.get(length, [])
        while places and places[-1] < end:
            places.pop()
        if not places and not self._unfinished:
            self._add(self._text[start:end])
            return end
        close = places[-1] if places else len(self._text)
        code = self._text[end:close].replace("\n", " ")
        if code.startswith(" ") and code.endswith(" ") and code.strip():
            code = code[1:-1]
        self._add(code, "code")
        return min(len(self._text), close + length)

    def _link(self, label: str, address: str, *, is_image: bool) -> None:
        """The words of a link, and where it leads unless the words say so already."""
        words = _Inline(label, unfinished=False).pieces() if label.strip() else [(address, "")]
        if is_image:
            self._add("image: ", "dim")
        for text, style in words:
            self._add(text, style if style.endswith("link") else f"{style} link".strip())
        bare = "".join(text for text, _ in words)
        if address and address.removeprefix("mailto:") != bare:
            self._add(f" ({address})", "dim")

    def _run(self, run: str, start: int, end: int) -> None:
        """A run of marks ends what it can end, and begins something where text follows it."""
        if len(run) > _LONGEST_RUN:
            self._add(run)
            return
        opens, closes = self._flanks(run[0], start, end)
        left = len(run)
        if closes:
            while left and self._open[run[0]]:
                while self._stack[-1].mark != run[0]:
                    self._open[self._stack.pop().mark] -= 1
                left -= self._close(left)
        if left:
            self._pieces.append((run[:left], ""))
            if opens:
                self._stack.append(_Open(len(self._pieces) - 1, run[0]))
                self._open[run[0]] += 1

    def _close(self, left: int) -> int:
        """End what the topmost run began; gives how many marks that took."""
        one = self._stack[-1]
        marks = self._pieces[one.place][0]
        taken = min(2, left, len(marks)) if one.mark != "~" else 2
        self._style(one, len(self._pieces), taken)
        if taken == len(marks):
            self._stack.pop()
            self._open[one.mark] -= 1
        return taken

    def _style(self, one: _Open, end: int, taken: int) -> None:
        """Give a style to all from a run to an end, for so many of the run's marks."""
        self._pieces[one.place] = (self._pieces[one.place][0][taken:], "")
        for size in (2, 1) if taken == 3 else (taken,):
            self._styles.append((one.place, end, _STYLES[one.mark, size]))

    def _flanks(self, mark: str, start: int, end: int) -> tuple[bool, bool]:
        """Whether marks there can begin and can end something."""
        before = self._text[start - 1] if start else " "
        after = self._text[end] if end < len(self._text) else " "
        opens = not after.isspace() and (after.isalnum() or before.isspace() or _is_punctuation(before))
        closes = not before.isspace() and (before.isalnum() or after.isspace() or _is_punctuation(after))
        if mark == "_" or (end - start == 1 and before.isascii() and after.isascii()):  # 2*3*4 is a product
            return opens and not before.isalnum(), closes and not after.isalnum()
        return opens, closes

    def _styled(self) -> list[tuple[str, str]]:
        """The pieces, each with the names of all that stretches over it."""
        starts: dict[int, list[str]] = {}
        ends: dict[int, list[str]] = {}
        for begin, end, style in self._styles:
            starts.setdefault(begin, []).append(style)
            ends.setdefault(end, []).append(style)
        depth: dict[str, int] = {}
        out: list[tuple[str, str]] = []
        for number, (text, own) in enumerate(self._pieces):
            for style in ends.get(number, ()):
                depth[style] -= 1
            for style in starts.get(number, ()):
                depth[style] = depth.get(style, 0) + 1
            if text:
                out.append((text, " ".join([*(style for style in sorted(depth) if depth[style]), *own.split()])))
        return out


def _ticks_by_length(text: str) -> dict[int, list[int]]:
    """Where runs of ticks stand, by how long they are, the last first."""
    places: dict[int, list[int]] = {}
    for found in _TICKS.finditer(text) if "`" in text else ():
        places.setdefault(len(found[0]), []).append(found.start())
    return {length: some[::-1] for length, some in places.items()}


def _is_punctuation(char: str) -> bool:
    return not char.isalnum() and not char.isspace()


def _lines(pieces: list[tuple[str, str]], style: str) -> list[Line]:
    """The pieces as lines, broken where the text has line ends; neighbours of one style are joined."""
    lines: list[list[tuple[list[str], str]]] = [[]]
    for text, own in pieces:
        name = f"{style} {own}".strip()
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
            row = lines[-1]
            if row and row[-1][1] == name:
                row[-1][0].append(part)
            elif part:
                row.append(([part], name))
    return [tuple(Span("".join(parts), name) for parts, name in row) for row in lines]
