"""Questions in the place of the input box: a choice by key or by arrow, or a few words."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from ferrule.front.terminal.show.fit import columns, cut, wrap
from ferrule.front.terminal.show.lines import Line, Span, line
from ferrule.front.terminal.show.words import count

_BRIEF = " … Ctrl+O"
_ROWS = 2
"""Rows that one answer may take."""
_END = 3
"""Rows of its end that are shown of what is too long."""
_ROOM_FOR_MORE = 4
"""Rows that must be left for the question itself."""
Head = Callable[[int], list[Line]]
"""What is asked, at a width."""


class Choice(NamedTuple):
    """One of the answers: the key that gives it, and its words."""

    key: str
    label: str
    note: str = ""


class Asked:
    """A question that waits for its answer; None is no answer."""

    def __init__(self, head: Head, *, hint: str = "", whole: Head | None = None) -> None:
        self._head, self.whole, self.hint = head, whole or head, hint
        self.answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

    @property
    def wants_words(self) -> bool:
        """Whether keys go into the input box, as words."""
        return True

    def rows(self, width: int, most: int) -> list[Line]:
        """What to show, in at most so many rows."""
        return self._shortened(width, most)

    def printed(self, width: int) -> list[Line]:
        """All of it, for a terminal that can only print: no key could show the rest."""
        return self.whole(width)

    def key(self, key: str) -> None:
        """Take a key; one that gives no answer changes nothing."""

    def give(self, answer: str | None) -> None:
        """Answer it, once."""
        if not self.answer.done():
            self.answer.set_result(answer)

    def _shortened(self, width: int, most: int) -> list[Line]:
        """What is asked; where there is too little room its beginning and its end, and how much of it is not shown."""
        lines = self._head(width)
        if len(lines) <= most:
            return lines
        if most == 1:  # its title at least
            return [cut((*cut(lines[0], width - len(_BRIEF)), Span(_BRIEF, "dim")), width)]
        end = min(_END, max(0, most - 1) // 3)  # why it is asked, and what it is for
        kept = lines[: max(0, most - 1 - end)]
        left = max(len(lines), len(self.whole(width))) - len(kept) - end
        words = f"… {count(left, 'more line')}, Ctrl+O shows all"
        words = words if columns(words) <= width else f"… {left:,} more, Ctrl+O"
        return [*kept, cut(line(words, "dim"), width), *lines[len(lines) - end :]][:most]


class Choosing(Asked):
    """A choice among a few answers, or among many: then only those around the one that is pointed at are shown."""

    def __init__(
        self, head: Head, choices: Sequence[Choice], *, at: int = 0, escape: str = "", whole: Head | None = None
    ) -> None:
        super().__init__(head, whole=whole)
        self._choices, self._at, self._escape = choices, at, escape

    @property
    def wants_words(self) -> bool:
        """Whether keys go into the input box, as words."""
        return False

    def rows(self, width: int, most: int) -> list[Line]:
        """What is asked, and the answers; the first is shortened before the second are."""
        answers = self._answers(width, max(3, most - 3))[:most]
        if most >= len(answers) + _ROOM_FOR_MORE:
            answers += self._way_out("Esc", width)
        return [*self._shortened(width, max(0, most - len(answers))), *answers]

    def printed(self, width: int) -> list[Line]:
        """All of what is asked, and all the answers."""
        return [*self.whole(width), *self._answers(width, len(self._choices)), *self._way_out("Ctrl+C", width)]

    def key(self, key: str) -> None:
        """Choose by a key, or go through the answers and take one."""
        if key in {"up", "down", "tab"}:
            self._at = (self._at + (-1 if key == "up" else 1)) % len(self._choices)
        elif key == "enter":
            self.give(self._choices[self._at].key)
        elif any(key.lower() == choice.key for choice in self._choices):
            self.give(key.lower())

    def _way_out(self, key: str, width: int) -> list[Line]:
        """What the key does that gives no answer."""
        return [cut(line(f"  {key} {self._escape}", "dim"), width)] if self._escape else []

    def _answers(self, width: int, most: int) -> list[Line]:
        first = max(0, min(self._at - most // 2, len(self._choices) - most))
        lines: list[Line] = []
        for number, choice in list(enumerate(self._choices))[first : first + most]:
            is_at = number == self._at
            key = (Span(f"{choice.key}  ", "accent"),) if len(choice.key) == 1 else ()
            note = (Span(f"  {choice.note}", "dim"),) if choice.note else ()
            words = (*key, Span(choice.label, "strong" if is_at else ""), *note)
            rows = wrap(words, width, first=(Span("❯ " if is_at else "  ", "accent"),), rest=(Span("     "),))
            lines += rows if len(rows) <= _ROWS else [rows[0], cut((*rows[1], Span(" …", "dim")), width)]
        return lines


class Questions:
    """The questions that wait; the first of them is shown."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._waiting: list[Asked] = []
        self._changed = changed

    @property
    def shown(self) -> Asked | None:
        """The one that is shown."""
        return self._waiting[0] if self._waiting else None

    def choose(
        self,
        head: Head,
        choices: Sequence[Choice],
        *,
        at: int = 0,
        escape: str = "",
        whole: Head | None = None,
        next_up: bool = False,
    ) -> Awaitable[str | None]:
        """Put a choice; gives the key of its answer, to be awaited.

        `escape` says what leaving it does, `whole` tells all of what `head` may shorten. A choice that follows from
        another is `next_up`.
        """
        return self._put(Choosing(head, choices, at=at, escape=escape, whole=whole), next_up=next_up)

    def words(self, head: Head, *, hint: str, next_up: bool = False) -> Awaitable[str | None]:
        """Ask for words; gives them, to be awaited."""
        return self._put(Asked(head, hint=hint), next_up=next_up)

    def _put(self, asked: Asked, *, next_up: bool) -> Awaitable[str | None]:
        """Show it at once: the next key may be its answer."""
        self._waiting.insert(0 if next_up else len(self._waiting), asked)
        self._changed()
        return self._answered(asked)

    async def _answered(self, asked: Asked) -> str | None:
        try:
            return await asked.answer
        finally:
            self._waiting.remove(asked)
            self._changed()
