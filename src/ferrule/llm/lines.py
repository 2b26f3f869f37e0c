"""Bytes in, whole records out: server-sent events and JSON lines, wherever the bytes are cut.

Both splitters yield the text of one JSON document at a time. Bytes that are no UTF-8 are replaced: one bad
byte in an answer is no reason to lose the answer.
"""

from typing import Protocol

from ferrule.core.errors import ProviderError

MOST_BYTES = 16 * 1024 * 1024
"""The longest record that is waited for; nobody sends one this long in good faith."""
_BOM = b"\xef\xbb\xbf"


class Splitter(Protocol):
    """What turns the chunks of a response into records."""

    def feed(self, chunk: bytes) -> list[str]:
        """Take in a chunk and give the records that it completes."""
        ...

    def end(self) -> list[str]:
        """Give what is left when nothing more comes."""
        ...


class Lines:
    r"""Splits bytes at `\n`, `\r\n` and `\r`, and drops a byte order mark at the very beginning."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._pieces: list[bytes] = []  # of the line that is not complete yet
        self._size = 0
        self._after_cr = False
        self._first = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take in a chunk and give the lines that it completes.

        Raises:
            ProviderError: a line grew beyond all bounds.
        """
        if self._after_cr and chunk:  # that line is out already; its `\n` may come only now
            chunk, self._after_cr = chunk.removeprefix(b"\n"), False
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = chunk.split(b"\n")
        if lines:
            lines[0] = self._complete(lines[0])
        if rest:
            self._hold(rest)
        return lines

    def end(self) -> list[bytes]:
        """Give the last line, where no line end follows it."""
        return [self._complete(b"")] if self._pieces else []

    def _hold(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > self._most:
            raise ProviderError(f"The model's server sent a line of more than {self._most:,} bytes.")

    def _complete(self, end: bytes) -> bytes:
        line = b"".join((*self._pieces, end))
        self._pieces, self._size = [], 0
        if self._first:
            self._first, line = False, line.removeprefix(_BOM)
        return line


class JsonLines:
    """One JSON document a line (Ollama)."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._lines = Lines(most)

    def feed(self, chunk: bytes) -> list[str]:
        """Take in a chunk and give the lines that it completes."""
        return _texts(self._lines.feed(chunk))

    def end(self) -> list[str]:
        """Give the last line, where no line end follows it."""
        return _texts(self._lines.end())


class ServerEvents:
    """Server-sent events; their `data` alone, since every document says itself what it is."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._lines = Lines(most)
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[str]:
        """Take in a chunk and give the data of the events that it completes."""
        events: list[str] = []
        for line in self._lines.feed(chunk):
            if line:
                self._take(line)
            elif self._data:
                events.append(self._event())
        return events

    def end(self) -> list[str]:
        """Give the last event, where no blank line follows it: many servers forget it."""
        for line in self._lines.end():
            self._take(line)
        return [self._event()] if self._data else []

    def _take(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        if field != b"data":  # a comment, or `event`, `id`, `retry`
            return
        self._data.append(value.removeprefix(b" "))
        self._size += len(value)
        if self._size > self._most:
            raise ProviderError(f"The model's server sent an event of more than {self._most:,} bytes.")

    def _event(self) -> str:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data, self._size = [], 0
        return data.decode("utf-8", "replace")


def _texts(lines: list[bytes]) -> list[str]:
    return [line.decode("utf-8", "replace") for line in lines if line.strip()]
