"""What was typed before, across sessions: one JSON string a line in a file that only the user reads."""

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

MOST = 2_000
LONGEST = 20_000
"""Characters of an entry that is kept; a paste of a book is not typed again."""
_LARGEST = 8_000_000
_SLACK = 500
"""How many entries the file may have too many before it is written anew."""


class History:
    """The lines that were typed, the oldest first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: list[str] | None = None

    @property
    def entries(self) -> list[str]:
        """All of them, read when they are first needed."""
        if self._entries is None:
            self._entries = _without_repeats(self._read())
        return self._entries

    def add(self, text: str) -> None:
        """Keep a line. Where that fails there is no history, and nothing else is amiss."""
        entries = self.entries
        if not text.strip() or len(text) > LONGEST:
            return
        if text in entries:
            entries.remove(text)
        entries.append(text)
        with suppress(OSError):
            self._append(text)

    def search(self, words: str, before: int) -> int | None:
        """The place of the last entry before a place that contains the words."""
        wanted = words.casefold()
        found = (place for place in reversed(range(min(before, len(self.entries)))))
        return next((place for place in found if wanted in self.entries[place].casefold()), None)

    def _read(self) -> list[str]:
        try:
            with self._path.open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _LARGEST))
                lines = file.read().splitlines()
        except OSError:
            return []
        return [text for line in lines if (text := _decoded(line))]

    def _append(self, text: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(self._path, flags, 0o600), "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(msgspec.json.encode(text.encode("utf-8", "replace").decode()) + b"\n")
        self._shorten()

    def _shorten(self) -> None:
        """Write the file anew, where it has grown too long."""
        lines = self._read()
        if len(lines) <= MOST + _SLACK:
            return
        other = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with os.fdopen(os.open(other, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.writelines(msgspec.json.encode(line) + b"\n" for line in _without_repeats(lines)[-MOST:])
        other.replace(self._path)


def _decoded(line: bytes) -> str:
    try:
        return msgspec.json.decode(line, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def _without_repeats(lines: Iterable[str]) -> list[str]:
    """Each once, where it was typed last."""
    return list(dict.fromkeys(reversed(list(lines))))[::-1][-MOST:]
