"""What a program paints on a terminal becomes plain text: no colours, no control characters, each line as it ended."""

import re

_LONGEST_LINE = 64 * 1024
"""How much of an unfinished line is held back, in case that it is painted over."""
_C0 = "".join(map(chr, (0x1B, 0x0D, 0x08, *range(0x08), 0x0B, 0x0C, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F)))
_C1 = "".join(map(chr, range(0x80, 0xA0)))
_CONTROL = re.compile(f"[{re.escape(_C0 + _C1)}]+")
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colours, movements of the cursor
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # titles, links, pictures
    r"|\x1b[ -/]*[0-~]?"
)


def plain(text: str) -> str:
    """The text without control sequences, each line as the terminal would show it at last."""
    if not any(control in text for control in (_C0 if text.isascii() else _C0 + _C1)):
        return text
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n")
    if "\r" in text or "\b" in text:
        text = "\n".join(map(_last_state, text.split("\n")))
    return _CONTROL.sub("", text)


class Plain:
    """The same, piece by piece: a line is given out when it can no longer be painted over."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._size = 0

    @property
    def line(self) -> str:
        """The unfinished line, as it looks now."""
        return plain("".join(self._held))

    def feed(self, text: str) -> str:
        """Take in a piece and give out the lines that it finished."""
        end = text.rfind("\n") + 1
        finished = plain("".join((*self._held, text[:end]))) if end else ""
        if end:
            self._held, self._size = [], 0
        if end < len(text):
            self._held.append(text[end:])
            self._size += len(text) - end
        return finished + self._squeeze() if self._size > _LONGEST_LINE else finished

    def flush(self) -> str:
        """Give out the unfinished line as well."""
        line, self._held, self._size = self.line, [], 0
        return line

    def _squeeze(self) -> str:
        """Forget what was painted over in a very long line; if that does not help, it is given out in pieces."""
        rewound = self._held[-1].endswith("\r")
        line = self.flush()
        if len(line) > _LONGEST_LINE // 2:
            return line
        self._held = [line + "\r" if rewound else line]
        self._size = len(self._held[0])
        return ""


def _last_state(line: str) -> str:
    """What a line came to after it was painted over, by returns to its beginning and by backspaces."""
    if "\r" in line:
        line = next((state for state in reversed(line.split("\r")) if state), "").rstrip()
    if "\b" not in line:
        return line
    shown: list[str] = []
    for char in line:
        if char != "\b":
            shown.append(char)
        elif shown:
            shown.pop()
    return "".join(shown)
