"""Text from models and tools, made fit to be shown: it steers no terminal, hides nothing, and holds no tabs.

What commands print is `safe`: their colours and titles are left out. What a person decides upon is `seen`: nothing is
left out of it, since what a terminal would not show is run all the same.
"""

import re

from ferrule.core.regex import lazy
from ferrule.front.export.harmless import harmless

TAB = 4
_SEQUENCES = lazy(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and movements
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"  # titles, links, clipboards
)
_INVISIBLE = lazy(
    "[\u00ad\u115f\u1160\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""What takes no room or looks like a blank: with it a command could be other than it seems."""
_PICTURES = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff"
)
_NOT_PLAIN = lazy(
    rf"(?P<emoji>(?<=[{_PICTURES}])\ufe0f|(?<=[{_PICTURES}\ufe0f])\u200d(?=[{_PICTURES}])|(?<=[0-9#*])\ufe0f(?=\u20e3))"
    r"|[^\n\t -~]"
)
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""What counts as printable and cannot be seen."""
_WIDE_BLANK = "\u3000"
"""The blank of Chinese and Japanese texts, which is as wide as their other characters."""


def safe(text: str) -> str:
    """What was printed, perhaps several lines, without tabs; what is dangerous or invisible is written out."""
    if text.isascii() and text.isprintable():
        return text
    text = harmless(_SEQUENCES.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))
    if not text.isascii():
        text = _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.expandtabs(TAB)


def safe_lines(text: str) -> list[str]:
    """The lines of a text, made fit to be shown; none for an empty one."""
    return safe(text).rstrip().split("\n") if text.strip() else []


def seen(text: str) -> str:
    """The text, perhaps of several lines, with nothing left out: all that could not be seen is written out."""
    return text if text.isascii() and text.isprintable() else _NOT_PLAIN.sub(_visible, text).expandtabs(TAB)


def seen_lines(text: str) -> list[str]:
    """The lines of a text with nothing left out; none for an empty one."""
    text = seen(text).rstrip(" \n")
    return text.split("\n") if text else []


def exact(text: str) -> str:
    """The text on one line with nothing left out: line ends are written out too."""
    return seen(text.replace("\r", "\\r").replace("\n", "\\n"))


def one_line(text: str, longest: int = 500) -> str:
    """The text on one line, cut where it is absurdly long."""
    words = " ".join(seen(text[: 4 * longest]).split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def _visible(found: re.Match[str]) -> str:
    char = found[0]
    if found["emoji"] or char == _WIDE_BLANK or (char.isprintable() and char not in _BLANK):
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
