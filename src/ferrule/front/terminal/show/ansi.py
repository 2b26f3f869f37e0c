"""Lines as text for a terminal: colours by SGR codes, and nothing else that could steer it."""

from collections.abc import Iterable

from ferrule.front.terminal.show.fit import cut
from ferrule.front.terminal.show.lines import Line
from ferrule.front.terminal.show.safe import safe
from ferrule.front.terminal.show.theme import Palette

DARK, BARE = Palette(), Palette(depth="none")


def ansi(lines: Iterable[Line], *, colour: bool, width: int, palette: Palette = DARK) -> str:
    """The lines, each cut at the width and ended by a line feed; with codes for its styles where colour is wanted."""
    used = palette if colour else BARE
    return "".join(f"{encoded(cut(line, width), used)}\n" for line in lines)


def encoded(line: Line, palette: Palette) -> str:
    """A line with the codes for its styles, which ends as it began: without any."""
    out: list[str] = []
    current = ""
    for span in line:
        code = palette.sgr(span.style)
        if code != current:
            out.append(f"\x1b[;{code}m" if current and code else f"\x1b[{code}m")
            current = code
        out.append(safe(span.text).replace("\n", " "))
    return "".join(out) + ("\x1b[m" if current else "")
