"""Text on a page of HTML: whatever it holds, it is shown as text, with nothing hidden in it and no secrets."""

from html import escape

from ferrule.core.events import Event, Notice
from ferrule.front.terminal.show.lines import Line, Span
from ferrule.front.terminal.show.safe import safe
from ferrule.session.records import Header, Record, SessionEnded, SessionNamed, decode, encode
from ferrule.session.secrets import Mask

_TAGS = {"strong": "strong", "emphasis": "em", "strike": "s", "code": "code"}
"""Styles that HTML has its own words for; the others are classes."""

_NOT_TOLD = Notice(text="Something was left out here, since it cannot be told without a secret.")


class Pen:
    """Writes text into a page."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask

    def clean(self, text: str) -> str:
        """The text with what is dangerous or invisible written out; tabs stay, since code is copied from a page.

        It is masked here once more: without its escape sequences a text may hold a secret that it did not before.
        """
        return self._mask("\t".join(map(safe, text.split("\t"))))

    def text(self, text: str) -> str:
        """The text as it stands on the page, fit for an attribute too."""
        return escape(self.clean(text))

    def short(self, text: str, longest: int) -> str:
        """The beginning of a text, on one line."""
        words = " ".join(self.clean(text[: 4 * longest]).split())
        return escape(words if len(words) <= longest else f"{words[: longest - 1].rstrip()}…")

    def line(self, line: Line) -> str:
        """A line in its styles."""
        return "".join(map(self.span, line))

    def span(self, span: Span) -> str:
        """A piece of a line in its styles."""
        return styled(Span(self.clean(span.text), span.style))


def styled(span: Span) -> str:
    """A piece of a text that is clean already, in its styles."""
    words = escape(span.text)
    for name in reversed(span.style.split()):
        tag = _TAGS.get(name)
        words = f"<{tag}>{words}</{tag}>" if tag else f'<span class="{name}">{words}</span>'
    return words


def masked(event: Event, mask: Mask) -> Event:
    """The event without secrets, masked before anything in it is cut: half a secret is not known for one."""
    line = encode(Record(0, 0.0, event))
    hidden = mask.line(line)
    if hidden is line:
        return event
    try:
        told = decode(hidden).event
    except (ValueError, RecursionError):  # the secret is also a word of the format
        told = _NOT_TOLD
    return _NOT_TOLD if isinstance(told, Header | SessionNamed | SessionEnded) else told
