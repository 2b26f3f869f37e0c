"""Characters that a person does not see but a model reads: shown by their numbers, and counted."""

import re

_CONTROL = "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"
_FORMAT = (  # all of Unicode's category Cf but the joiner, which emoji need
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200c\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2028\u2029\u3164\uffa0\ufe00-\ufe0d"
"""Letters and marks that are drawn as nothing."""
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"

_HIDDEN = (
    f"[{_CONTROL}{_FORMAT}{_BLANK}]+"
    f"|(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])"
    "|(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]+"
)
_SHOWN_OF_A_RUN = 8


def reveal(text: str) -> tuple[str, int]:
    """Show hidden characters as `<U+202E>`, and say how many there were. Tabs and line ends pass."""
    if text.isascii() and all(line.isprintable() for line in text.replace("\t", " ").split("\n")):
        return text, 0  # the usual case, for which the pattern need not be compiled
    found = 0

    def show(match: re.Match[str]) -> str:
        nonlocal found
        found += len(match[0])
        shown = "".join(f"<U+{ord(character):04X}>" for character in match[0][:_SHOWN_OF_A_RUN])
        more = len(match[0]) - _SHOWN_OF_A_RUN
        return shown if more <= 0 else f"{shown}<and {more:,} more hidden characters>"

    return re.sub(_HIDDEN, show, text), found
