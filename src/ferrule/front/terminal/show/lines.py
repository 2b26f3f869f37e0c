"""A line as it is to be shown: pieces of text, each with the names of its styles."""

from typing import NamedTuple


class Span(NamedTuple):
    """A piece of a line; `style` names what it is ("add", "strong link"), and a theme says how that looks."""

    text: str
    style: str = ""


Line = tuple[Span, ...]
BLANK: Line = ()


def line(text: str, style: str = "") -> Line:
    """A line of one piece."""
    return (Span(text, style),) if text else BLANK


def text_of(line: Line) -> str:
    """The bare words of a line."""
    return "".join(span.text for span in line)


def restyled(line: Line, style: str) -> Line:
    """The line with one more style on every piece of it."""
    return tuple(Span(span.text, f"{style} {span.style}".strip()) for span in line)
