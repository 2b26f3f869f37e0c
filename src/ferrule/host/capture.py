"""Keeps what a command prints within bounds: both ends in memory, the whole in a private file if it is long."""

import codecs
import os
from collections.abc import Callable
from io import FileIO
from pathlib import Path

from ferrule.host.plain import Plain

MOST_BYTES = 48_000
MOST_LINES = 1_900
"""A little less than a result may be long: its last lines say how the command ended."""
MOST_ON_DISK = 64_000_000
_HEAD_BYTES, _HEAD_LINES = MOST_BYTES // 10, MOST_LINES // 10
_TAIL_BYTES, _TAIL_LINES = MOST_BYTES - _HEAD_BYTES, MOST_LINES - _HEAD_LINES
_RECENT_BYTES = 4_000


class Output:
    """The output of one command, as plain text. It is read in portions: `take` gives what came since the last."""

    def __init__(self, file: Path, *, most_on_disk: int = MOST_ON_DISK) -> None:
        self.listener: Callable[[str], None] | None = None
        """Told of the lines that each piece finished, which may be none."""
        self._plain = Plain()
        self._decoders = [codecs.getincrementaldecoder("utf-8")("replace") for _ in range(2)]
        self._file = _PrivateFile(file, most_on_disk)
        self._past = b""
        self._start_portion()

    @property
    def line(self) -> str:
        """The unfinished line, as it looks now."""
        return self._plain.line

    @property
    def last_line(self) -> str:
        """The last line that is not blank, finished or not."""
        recent = self._past + self._head[-500:] + self._tail[-500:]
        lines = (recent.decode(errors="replace") + self.line).splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    @property
    def recent(self) -> str:
        """The last of what was printed, whoever has taken it."""
        ends = self._past + self._head[-_RECENT_BYTES:] + self._tail[-_RECENT_BYTES:]
        return ends[-_RECENT_BYTES:].decode(errors="replace") + self.line

    @property
    def unseen(self) -> str:
        """The finished lines that were not taken yet, or the ends of them."""
        return (self._head + self._tail).decode(errors="replace")

    @property
    def is_flooded(self) -> bool:
        """Whether more was printed than anyone will read."""
        return self._file.room == 0

    def feed(self, data: bytes, *, source: int = 0) -> None:
        """Take in bytes from one of two sources; each has its own characters, which may come in halves."""
        self._keep(self._plain.feed(self._decoders[source].decode(data)))

    def take(self) -> str:
        """Give what came since the last time, the unfinished line included."""
        self._keep(self._plain.flush())
        text = self._shown()
        self._past = bytes(self._head[-500:] + self._tail[-500:]) or self._past
        self._start_portion()
        return text

    def close(self) -> None:
        """Nothing more will come."""
        for decoder in self._decoders:
            self._keep(self._plain.feed(decoder.decode(b"", final=True)))
        self._file.close()

    def _start_portion(self) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._bytes = self._lines = 0

    def _keep(self, text: str) -> None:
        if text:
            data = text.encode(errors="replace")
            self._bytes += len(data)
            self._lines += data.count(b"\n")
            self._spill(data)
            room = _HEAD_BYTES - len(self._head)
            self._head += data[:room]
            self._tail += data[room:]
            if len(self._tail) > 4 * _TAIL_BYTES:
                del self._tail[: -2 * _TAIL_BYTES]
        if self.listener:
            self.listener(text)

    @property
    def _is_long(self) -> bool:
        return self._bytes > MOST_BYTES or self._lines > MOST_LINES

    def _spill(self, data: bytes) -> None:
        """Write to the file, which begins with the portion that was the first to be too long."""
        if self._is_long and not self._file.is_begun:
            self._file.write(bytes(self._head + self._tail))
        if self._file.is_begun:
            self._file.write(data)

    def _shown(self) -> str:
        """The portion, or its two ends and a line about what was left out."""
        whole = bytes(self._head + self._tail)
        if not self._is_long:
            return whole.decode(errors="replace")
        head = _beginning(whole[:_HEAD_BYTES])
        tail = _ending(whole[len(head) :])
        lines = self._lines - head.count(b"\n") - tail.count(b"\n")
        size = self._bytes - len(head) - len(tail)
        notice = f"… {lines:,} lines ({_size(size)}) left out; {self._file.whereabouts} …"
        return "\n".join((head.decode(errors="replace").removesuffix("\n"), notice, tail.decode(errors="replace")))


class _PrivateFile:
    """A file that only its owner can read, made when there is something to write and bounded in length."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path, self.limit, self.room = path, limit, limit
        self.is_begun = False
        self._file: FileIO | None = None
        self._problem = ""

    def write(self, data: bytes) -> None:
        """Write what there is room for. A full disk costs the file, not the command."""
        try:
            if not self.is_begun:
                self.is_begun = True
                self._file = self._open()
            kept = memoryview(data)[: self.room]
            self.room -= len(kept)
            while self._file and kept:
                kept = kept[self._file.write(kept) :]
        except OSError as error:
            self._problem = error.strerror or str(error)
            self.close()

    @property
    def whereabouts(self) -> str:
        """Where the whole output is, in words for the model."""
        if self._problem:
            return f"that part is lost, since it could not be written to a file: {self._problem}"
        if self.room == 0:
            return f"the first {_size(self.limit)} are in {self.path}"
        return f"the whole output is in {self.path}"

    def close(self) -> None:
        """Write no more."""
        if self._file:
            self._file.close()
            self._file = None

    def _open(self) -> FileIO:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        return FileIO(os.open(self.path, flags, 0o600), "wb")


def _beginning(data: bytes) -> bytes:
    """The first lines; a line or a character that was cut is left out, unless it is nearly all there is."""
    end = _nth(data, b"\n", _HEAD_LINES)
    if end:
        return data[:end]
    at_line_end = data.rfind(b"\n") + 1
    return data[:at_line_end] if at_line_end > len(data) // 2 else data.decode(errors="ignore").encode()


def _ending(data: bytes) -> bytes:
    """The last lines, cut with the same care."""
    kept = data[-_TAIL_BYTES:]
    lines = kept.splitlines(keepends=True)
    if len(lines) > _TAIL_LINES:
        return b"".join(lines[-_TAIL_LINES:])
    if len(kept) == len(data):
        return kept
    at_line_start = kept.find(b"\n") + 1
    return kept[at_line_start:] if 0 < at_line_start <= len(kept) // 2 else kept.decode(errors="ignore").encode()


def _nth(data: bytes, mark: bytes, number: int) -> int:
    """Where the nth mark ends; 0 if there are fewer."""
    end = 0
    for _ in range(number):
        end = data.find(mark, end) + 1
        if not end:
            return 0
    return end


def _size(number: int) -> str:
    return f"{number / 1e6:,.1f} MB" if number >= 1_000_000 else f"{number / 1e3:,.1f} KB"
