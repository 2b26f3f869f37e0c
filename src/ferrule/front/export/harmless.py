"""Text from models and commands, made harmless: it may be shown, but it moves no cursor and hides nothing."""

import re
import time

_COLOUR = re.compile(r"\x1b\[[\d;:]*m")
_DANGEROUS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for the tab and the end of a line
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # these change the direction of writing
    "\u2028\u2029\ud800-\udfff]"
)


def harmless(text: str) -> str:
    """The text with every dangerous character written out by its number; colours are left out."""
    return _DANGEROUS.sub(_written_out, _COLOUR.sub("", text.replace("\r\n", "\n")))


def harmless_json(json: str) -> str:
    """The same JSON value, with every dangerous character in it written out as JSON does."""
    return _DANGEROUS.sub(lambda found: f"\\u{ord(found[0]):04x}", json)


def one_line(text: str, longest: int) -> str:
    """The text on one line, cut where it is too long."""
    line = " ".join(harmless(text).split())
    return line if len(line) <= longest else line[: max(0, longest - 1)].rstrip() + "…"


def moment(seconds: float, form: str = "%Y-%m-%d %H:%M") -> str:
    """A time as the clock on the wall shows it; a damaged one is not known."""
    try:
        return time.strftime(form, time.localtime(seconds)) if seconds > 0 else "unknown"
    except (OverflowError, ValueError, OSError):
        return "unknown"


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
