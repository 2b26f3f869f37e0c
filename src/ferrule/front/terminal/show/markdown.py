"""Markdown as it streams: the lines of what is finished, once and for all, and of what is not yet, for now.

Text is taken in line by line, so it does not matter how it was cut into pieces. A paragraph, a table or a heading
is given out when it has ended; code is given out line by line.
"""

from ferrule.core.regex import lazy
from ferrule.front.terminal.show.blocks import Blocks, end_of
from ferrule.front.terminal.show.lines import Line
from ferrule.front.terminal.show.safe import safe

_ONLY_MARKS = lazy(r"^[-*+#>|=`~_\s]*+(?:\d{1,9}[.)]?)?$")
"""A beginning of a line that will be something else as soon as more of it is there."""


class Markdown:
    """A text that streams in."""

    def __init__(self, width: int) -> None:
        self._blocks = Blocks(max(1, width))
        self._line: list[str] = []
        """The pieces of the line that is not yet whole."""

    def feed(self, text: str) -> list[Line]:
        """Take in a piece of text; gives the lines that are finished by it."""
        *ends, rest = text.split("\n")
        for end in ends:
            self._line.append(end)
            self._blocks.take(_shown("".join(self._line)))
            self._line = []
        if rest:
            self._line.append(rest)
        return _taken(self._blocks)

    def tail(self) -> list[Line]:
        """How the unfinished rest looks at the moment; of a long one only the end, so that it never costs much."""
        blocks = self._blocks.unfinished()
        text = end_of("".join(self._line))
        if not _ONLY_MARKS.search(text):
            blocks.take(_shown(text))
        blocks.end()
        return _taken(blocks)

    def end(self) -> list[Line]:
        """The lines of what was not yet finished; there is no more."""
        if self._line:
            self._blocks.take(_shown("".join(self._line)))
            self._line = []
        self._blocks.end()
        return _taken(self._blocks)

    def resize(self, width: int) -> None:
        """Make lines for another width from now on."""
        self._blocks.resize(max(1, width))


def _shown(line: str) -> str:
    return safe(line.removesuffix("\r")).replace("\n", " ")


def _taken(blocks: Blocks) -> list[Line]:
    lines, blocks.written = blocks.written, []
    return lines
