"""Text from models and tools, made fit to be shown: it steers no terminal, hides nothing, and holds no tabs."""

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


def safe(text: str) -> str:
    """The text, perhaps of several lines, without tabs; what is dangerous or invisible is written out."""
    if text.isascii() and text.isprintable():
        return text
    text = harmless(_SEQUENCES.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))
    if not text.isascii():
        text = _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.expandtabs(TAB)


def safe_lines(text: str) -> list[str]:
    """The lines of a text, made fit to be shown; none for an empty one."""
    return safe(text).rstrip().split("\n") if text.strip() else []


def exact(text: str) -> str:
    """The text on one line with nothing left out: line ends are written out too."""
    return safe(text.replace("\r", "\\r").replace("\n", "\\n"))


def one_line(text: str, longest: int = 500) -> str:
    """The text on one line, cut where it is absurdly long."""
    words = " ".join(safe(text[: 4 * longest]).split())
    return words if len(words) <= longest else words[: longest - 1] + "…"
