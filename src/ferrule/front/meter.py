"""One line that shows how far a download is; where nobody watches a terminal, a plain line at every tenth."""

import os
import time
from collections import deque
from typing import TextIO

from ferrule.weights import Progress, amount

_REFRESH = 0.1
_WINDOW = 10.0
"""Seconds over which the rate is taken."""
_BAR = 20
_STEP = 10


class Meter:
    """Shows progress on a stream, mostly standard error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._marks = _marks(stream)
        self._seen: deque[tuple[float, int]] = deque()
        self._last: Progress | None = None
        self._drawn = 0.0
        self._shown = False
        self._tenth = 0

    def say(self, words: str) -> None:
        """Write a sentence above the line."""
        self._clear()
        self._stream.write(f"{words}\n")
        self._stream.flush()

    def moved(self, progress: Progress) -> None:
        """Take how far it is, and show it if it is time."""
        now = time.monotonic()
        last = self._last
        fresh = last is None or (last.source, last.phase) != (progress.source, progress.phase)
        if fresh or (last and progress.done < last.done):
            self._seen.clear()
            self._tenth = _tenth(progress)
        self._last = progress
        self._seen.append((now, progress.done))
        while len(self._seen) > 2 and now - self._seen[0][0] > _WINDOW:
            self._seen.popleft()
        if not self._live:
            self._step(progress)
        elif fresh or now - self._drawn >= _REFRESH:
            self._draw(progress, now)

    def end(self) -> None:
        """Take the line away."""
        self._clear()
        self._stream.flush()

    def _step(self, progress: Progress) -> None:
        if progress.phase == "fetch" and _tenth(progress) > self._tenth:
            self._tenth = _tenth(progress)
            words = f"{progress.name}: {self._tenth * _STEP} % of {amount(progress.total)}{self._speed(progress)}"
            self.say(f"{words}, from {progress.source}")

    def _draw(self, progress: Progress, now: float) -> None:
        self._drawn, self._shown = now, True
        full, empty = self._marks
        share = progress.done / max(progress.total, 1)
        bar = full * int(share * _BAR) + empty * (_BAR - int(share * _BAR))
        head, far, source = f"{progress.name} {share:4.0%}", "checking", ""
        if progress.phase == "fetch":
            far = f"{amount(progress.done)} of {amount(progress.total)}{self._speed(progress)}"
            source = f", from {progress.source}"
        room = _columns(self._stream) - 1
        lines = (f"{head} {bar} {far}{source}", f"{head} {far}{source}", f"{head} {far}", head[:room])
        line = next(one for one in lines if len(one) <= room)
        self._stream.write(f"\r{line}\x1b[K")
        self._stream.flush()

    def _speed(self, progress: Progress) -> str:
        """The rate of the last seconds, and how long the rest takes at it."""
        (start, before), (now, done) = self._seen[0], self._seen[-1]
        if now - start < 0.5 or done <= before:
            return ""
        rate = (done - before) / (now - start)
        minutes, seconds = divmod(round((progress.total - done) / rate), 60)
        hours, minutes = divmod(minutes, 60)
        left = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        return f", {rate / 1e6:.1f} MB/s, {left} left"

    def _clear(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._shown = False


def _tenth(progress: Progress) -> int:
    return progress.done * 100 // max(progress.total, 1) // _STEP


def _marks(stream: TextIO) -> tuple[str, str]:
    try:
        "█░".encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return "#", "."
    return "█", "░"


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80
