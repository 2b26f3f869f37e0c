"""Shows output while it comes, at a pace that a person can follow and a screen can bear."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from ferrule.host.capture import Output

INTERVAL = 0.05
MOST = 8_000


class Live:
    """Reports what is printed inside a `with` block: a few kilobytes at a time, the middle of a flood left out."""

    def __init__(self, output: Output, report: Callable[[str], None]) -> None:
        self._output, self._report = output, report
        self._text = ""
        self._shown = ""  # how much of the unfinished line was reported
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        self._output.listener = self._add
        self._add(self._output.unseen)  # some of it may have come before we did
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._output.listener = None
        if self._timer:
            self._timer.cancel()
            self._flush()

    def _add(self, finished: str) -> None:
        if finished and self._shown:  # what is known of this line already is not told twice
            finished = finished[len(self._shown) :] if finished.startswith(self._shown) else "\n" + finished
            self._shown = ""
        self._text += finished
        if len(self._text) > 2 * MOST:
            self._text = f"{self._text[: MOST // 2]}\n…\n{self._text[-MOST // 2 :]}"
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(INTERVAL, self._flush)

    def _flush(self) -> None:
        self._timer = None
        line = self._output.line
        if line.startswith(self._shown):
            text, self._shown = self._text + line[len(self._shown) :], line
        else:  # it is being painted over: wait until it stands
            text = self._text
        self._text = ""
        if text:
            self._report(text if len(text) <= MOST else f"{text[: MOST // 2]}\n…\n{text[-MOST // 2 :]}")
