"""Keys from the terminal. A paste is taken whole, however long it is; all else is prompt_toolkit's to understand."""

import codecs
import os
from typing import TextIO

from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

_BEGIN, _END = "\x1b[200~", "\x1b[201~"
_AT_ONCE = 1 << 16


class KeyReader(Vt100Input):
    """Reads much at once, and finds the end of a paste without looking at its beginning again and again."""

    def __init__(self, stdin: TextIO, *, typed_before: int = 0) -> None:
        """Read from a terminal; in the first `typed_before` bytes a line end is Enter."""
        super().__init__(stdin)
        self._typed_before = typed_before
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pasted: list[str] | None = None
        self._tail = ""
        self._is_closed = False

    @property
    def closed(self) -> bool:
        """Whether nothing more will come."""
        return self._is_closed

    def read_keys(self) -> list[KeyPress]:
        """The keys that were pressed since the last time."""
        try:
            data = os.read(self.fileno(), _AT_ONCE)
        except BlockingIOError:
            return []
        except OSError:  # the terminal is gone
            data = b""
        self._is_closed = not data
        if self._typed_before:
            early, data = data[: self._typed_before], data[self._typed_before :]
            self._typed_before -= len(early)
            data = early.replace(b"\n", b"\r") + data
        self._feed(self._decoder.decode(data, final=not data))
        keys, self._buffer = self._buffer, []
        return keys

    def _feed(self, text: str) -> None:
        while text:
            if self._pasted is None:
                before, mark, text = text.partition(_BEGIN)
                self.vt100_parser.feed(before)
                if mark:
                    self._pasted, self._tail = [], ""
            else:
                text = self._paste(self._tail + text, self._pasted)

    def _paste(self, text: str, pasted: list[str]) -> str:
        """Take in a piece of a paste; gives what comes after its end. The end may be cut in two."""
        inside, mark, rest = text.partition(_END)
        if mark:
            self._buffer.append(KeyPress(Keys.BracketedPaste, "".join((*pasted, inside))))
            self._pasted, self._tail = None, ""
            return rest
        keep = next((size for size in range(len(_END) - 1, 0, -1) if inside.endswith(_END[:size])), 0)
        pasted.append(inside[: len(inside) - keep])
        self._tail = inside[len(inside) - keep :]
        return ""
