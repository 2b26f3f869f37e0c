"""The completions below the input box."""

import asyncio
from collections.abc import Awaitable, Callable

from ferrule.front.terminal.complete import Offer
from ferrule.front.terminal.show.fit import columns, cut
from ferrule.front.terminal.show.lines import Line, Span
from ferrule.front.terminal.show.safe import one_line

MOST_ROWS = 8
Look = Callable[[bool], Awaitable[Offer | None]]
"""Looks for what could stand at the cursor; whether it was asked for by a key."""


class Menu:
    """What the word at the cursor could become, and which of it is pointed at."""

    def __init__(self, look: Look, changed: Callable[[], None]) -> None:
        self._look, self._changed = look, changed
        self._offer: Offer | None = None
        self._is_current = False
        self._at = 0
        self._is_pointed = True
        self._task: asyncio.Task[None] | None = None

    @property
    def offer(self) -> Offer | None:
        """What is offered now; nothing while the text has changed and it is looked for again."""
        return self._offer if self._is_current else None

    @property
    def is_pointed(self) -> bool:
        """Whether Enter takes one of them; not where nothing of the word was typed and no arrow was used."""
        return self.offer is not None and self._is_pointed

    @property
    def chosen(self) -> str:
        """The one that is pointed at."""
        return self._offer.candidates[self._at].text if self._offer else ""

    def update(self, *, on_request: bool = False, if_one: Callable[[], None] = lambda: None) -> None:
        """Look again, since the text has changed; a key goes first. `if_one` is called where one thing alone fits."""
        if self._task:
            self._task.cancel()
        self._is_current = False
        self._task = asyncio.get_running_loop().create_task(self._update(if_one, on_request=on_request))

    def close(self) -> None:
        """Offer nothing."""
        if self._task:
            self._task.cancel()
        self._offer = None

    def move(self, by: int) -> None:
        """Point at another one."""
        if self._offer:
            step = by if self._is_pointed else min(by, 0)
            self._at, self._is_pointed = (self._at + step) % len(self._offer.candidates), True

    def rows(self, width: int, most: int) -> list[Line]:
        """What is offered, around the one that is pointed at."""
        if not self._offer:
            return []
        candidates = self._offer.candidates
        most = max(1, min(most, MOST_ROWS))
        first = max(0, min(self._at - most // 2, len(candidates) - most))
        shown = candidates[first : first + most]
        size = min(max(columns(one.text) for one in shown), width // 2)
        rows: list[Line] = []
        for number, one in enumerate(shown, first):
            note = (Span("  " + one_line(one.note), "dim"),) if one.note else ()
            text = one_line(one.text)
            text += " " * (size - columns(text) if one.note else 0)
            is_at = self._is_pointed and number == self._at
            rows.append(cut((Span("  "), Span(text, "chosen" if is_at else ""), *note), width))
        return rows

    async def _update(self, if_one: Callable[[], None], *, on_request: bool) -> None:
        offer = await self._look(on_request)
        self._is_current = True
        if offer != self._offer:
            self._offer, self._at = offer, 0
            self._is_pointed = offer is None or offer.word.kind != "argument" or bool(offer.word.text)
            self._changed()
        if offer and len(offer.candidates) == 1:
            if_one()
