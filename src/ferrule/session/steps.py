"""Which step is taken back next, and which is done again: a fold over what happened, without files."""

import msgspec

from ferrule.core.errors import UsageError
from ferrule.core.messages import Value


class Step(Value, frozen=True, kw_only=True):
    """What one turn did to the files: the records before and after it, and the message that it followed."""

    number: int
    before: str
    after: str
    message: int


class Steps:
    """The steps of a session, rebuilt from its events in their order."""

    def __init__(self) -> None:
        self._steps: dict[int, Step] = {}
        self._done: list[int] = []
        self._undone: list[int] = []
        """The one taken back last is at the end, and is the first to be done again."""
        self.open: tuple[str, int] | None = None
        """The record before a step, and the length of the conversation, where its end was never told: a killed run."""

    @property
    def done(self) -> tuple[Step, ...]:
        """The steps that stand, in the order in which they were done."""
        return tuple(self._steps[number] for number in self._done)

    @property
    def next_number(self) -> int:
        """The number for the next step."""
        return max(self._steps, default=0) + 1

    def stepped(self, number: int, before: str, after: str, message: int) -> None:
        """A step was done. What had been taken back before it cannot be done again; one without changes is none."""
        self.open = None
        if before == after:
            return
        self._steps[number] = Step(number=number, before=before, after=after, message=message)
        self._done = [*(one for one in self._done if one != number), number]
        self._undone.clear()

    def begun(self, before: str, message: int) -> None:
        """A step began; what it does is known when it ends."""
        self.open = (before, message)

    def rewound(self, left: int) -> None:
        """Of the conversation only so many messages are left: what followed them now came right behind them."""
        for number, step in self._steps.items():
            if step.message > left:
                self._steps[number] = msgspec.structs.replace(step, message=left)

    def undone(self, number: int) -> None:
        """A step was taken back."""
        if number in self._done:
            self._done.remove(number)
            self._undone.append(number)

    def redone(self, number: int) -> None:
        """A step was done again."""
        if number in self._undone:
            self._undone.remove(number)
            self._done.append(number)

    def next_undo(self, count: int = 1) -> tuple[Step, ...]:
        """The last steps that stand, the latest first: the order in which they are taken back.

        Raises:
            UsageError: there are not so many.
        """
        if not self._done:
            raise UsageError("There is no step to undo.")
        if not 1 <= count <= len(self._done):
            raise UsageError(f"{count} steps cannot be undone; there {_are(len(self._done))}.")
        return self.done[::-1][:count]

    def next_redo(self, count: int = 1) -> tuple[Step, ...]:
        """The steps that are done again next, in their order.

        Raises:
            UsageError: there are not so many.
        """
        if not self._undone:
            raise UsageError("There is no step to redo.")
        if not 1 <= count <= len(self._undone):
            raise UsageError(f"{count} steps cannot be redone; there {_are(len(self._undone))}.")
        return tuple(self._steps[number] for number in self._undone[::-1][:count])

    def since(self, message: int) -> tuple[Step, ...]:
        """The steps that stand and were begun at this message or later, the latest first."""
        return tuple(step for step in self.done[::-1] if step.message >= message)

    def records(self) -> frozenset[str]:
        """All records that may be needed."""
        open_ = [self.open[0]] if self.open else []
        return frozenset([*open_, *(id_ for step in self._steps.values() for id_ in (step.before, step.after))])


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"
