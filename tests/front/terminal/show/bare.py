"""Lines without their styles, to be compared."""

from collections.abc import Sequence

from ferrule.front.terminal.show.lines import Line, text_of


def text_lines(lines: Sequence[Line]) -> list[str]:
    return [text_of(one) for one in lines]
