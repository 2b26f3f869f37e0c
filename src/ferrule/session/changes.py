"""What a session did to the working tree, step by step, and the way back.

A step is a turn that changes something. The tree is recorded before its first change and after its last, so that
what the step itself did is known apart from what the person did in between, and can be taken back alone.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from ferrule.core.agent import Allow, Deny, Gate
from ferrule.core.errors import FerruleError, UsageError, describe
from ferrule.core.events import (
    Emit,
    Event,
    Notice,
    Redone,
    Rewound,
    RunEnded,
    RunStarted,
    Stepped,
    Stepping,
    ToolStarted,
    TurnEnded,
    Undone,
)
from ferrule.core.history import History
from ferrule.core.messages import Assistant, ToolCall, User, Value, text_of
from ferrule.core.tool import Effect
from ferrule.session.steps import Step, Steps

if TYPE_CHECKING:  # git's part of it is imported with the first record
    from ferrule.host.versions import Edited
    from ferrule.session.checkpoints import Applied, Change, Checkpoints, Conflict

Commit = Callable[[str, "tuple[Edited, ...]"], Awaitable[Notice | None]]
"""Keeps what a run did to the files beyond the session, given the request; gives what is to be said about it."""


class Restored(Value, frozen=True, kw_only=True):
    """What taking steps back, or making them again, came to."""

    steps: tuple[int, ...] = ()
    changed: "tuple[Change, ...]" = ()
    merged: tuple[str, ...] = ()
    """Files that someone else changed too, elsewhere in them; both changes are in."""
    conflicts: "tuple[Conflict, ...]" = ()
    """Files that someone else changed in the same place, so that they were left as they are."""
    left_out: "tuple[Conflict, ...]" = ()
    """What was changed but is in no record, such as large files."""
    messages: int | None = None
    """How many messages the conversation has left, where it was rewound."""


class Changes:
    """The steps of one session, recorded as they happen."""

    def __init__(
        self,
        checkpoints: "Callable[[], Checkpoints]",
        history: History,
        events: Iterable[Event],
        tell: Emit,
        *,
        commit: Commit | None = None,
    ) -> None:
        """Go on from the events of the session so far; `tell` keeps what happens from now on.

        `commit` is called at the end of every run that changed something.
        """
        self._make = checkpoints
        self._made: Checkpoints | None = None
        self._history = history
        self._tell = tell
        self._steps = steps_of(events)
        self._begun: tuple[str, int] | None = None
        """The tree as it was, and the length of the conversation, before the step that goes on now."""
        self._ending: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._problem = ""
        self._commit = commit
        self._run_from = 0
        """The length of the conversation before the run that goes on."""
        self._first_step: int | None = None
        """The first step of that run, once it takes one."""

    def recording(self, gate: Gate, only_reads: Callable[[ToolCall, tuple[Effect, ...]], bool]) -> Gate:
        """The same gate, behind which nothing is changed before the tree was recorded."""

        async def recorded(call: ToolCall, effects: tuple[Effect, ...]) -> Allow | Deny:
            verdict = await gate(call, effects)
            if isinstance(verdict, Allow) and not only_reads(call, effects):
                await self.begin()
            return verdict

        return recorded

    async def begin(self) -> None:
        """Record the tree before the first change of a turn. Work goes on without where that fails, which is said."""
        if self._begun:
            return
        await self.settle()
        self._first_step = self._first_step or self._steps.next_number
        try:
            before, messages = await self._checkpoints.record(), self._before_the_answer()
            self._keep(Stepping(before=before, messages=messages))
            self._begun = (before, messages)
        except FerruleError as error:
            self._complain(f"What is done now cannot be undone: {describe(error)}")

    def hear(self, event: Event) -> None:
        """Record the tree again at the end of a turn, while the model is asked what to do next.

        With the first call that a model makes it is looked at beforehand: in a large project that takes a while.
        """
        if isinstance(event, RunStarted):
            self._run_from, self._first_step = len(self._history.messages), None
        if isinstance(event, ToolStarted) and self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._look())
        if isinstance(event, TurnEnded | RunEnded) and self._begun:
            begun, self._begun = self._begun, None
            self._ending = asyncio.get_running_loop().create_task(self._end(*begun))
        if isinstance(event, RunEnded) and self._commit and self._first_step:
            committing = self._commit_after(self._ending, self._commit, self._run_from, self._first_step)
            self._ending = asyncio.get_running_loop().create_task(committing)

    @property
    def _checkpoints(self) -> "Checkpoints":
        """The records of the project, opened when they are first needed."""
        if self._made is None:
            self._made = self._make()
        return self._made

    async def close(self, others: Callable[[], frozenset[str]] | None = None) -> None:
        """Record what is left to be, and let go of the records.

        `others` gives the records that other sessions of the project need; then, once in a while, the rest go.
        """
        if self._looking and not self._looking.done():
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        self._looking = None
        await self.settle()
        if self._made:
            with suppress(FerruleError):
                if others and self._made.is_untidy:
                    await self._made.forget(self._steps.records() | await asyncio.to_thread(others))
                await self._made.close()

    async def finish(self) -> None:
        """Wait until the tree is recorded as the last step left it: whatever changes from then on is someone else's."""
        if self._ending:
            await asyncio.shield(self._ending)

    async def settle(self) -> None:
        """Wait until the last step is recorded."""
        for task in (self._looking, self._ending):
            if task:
                await asyncio.shield(task)
        self._ending = None
        if self._steps.open and not self._begun:  # a run that was killed could not say what it had done
            await self._end(*self._steps.open)

    async def undo(self, steps: int = 1) -> Restored:
        """Take the last steps back.

        Raises:
            UsageError: there are not so many.
            SessionError: a record is gone, or the disk failed.
        """
        await self.settle()
        return await self._back(self._steps.next_undo(steps))

    async def redo(self, steps: int = 1) -> Restored:
        """Make the steps again that were undone last.

        Raises:
            UsageError: there is nothing to redo.
            SessionError: a record is gone, or the disk failed.
        """
        await self.settle()
        restored = Restored()
        for step in self._steps.next_redo(steps):
            applied = await self._checkpoints.apply(frm=step.before, to=step.after)
            self._keep(Redone(step=step.number, kept=_paths(applied)))
            restored = _joined(restored, applied, step)
        return restored

    async def rewind(self, to: int, *, files: bool = True, chat: bool = True) -> Restored:
        """Go back to a message, counted from 1: what came after it is taken back, or forgotten, or both.

        Raises:
            UsageError: there is no such message.
            SessionError: a record is gone, or the disk failed.
        """
        await self.settle()
        self._must_have(to)
        left = self._history.sound_end(to)
        restored = await self._back(self._steps.since(left)) if files else Restored()
        if not chat:
            return restored
        self._keep(Rewound(messages=left))
        return msgspec.structs.replace(restored, messages=left)

    async def preview(self, to: int) -> Restored:
        """What rewinding to a message would do to the files, and how much of the conversation would be left.

        Raises:
            UsageError: there is no such message.
            SessionError: a record is gone.
        """
        await self.settle()
        self._must_have(to)
        left = self._history.sound_end(to)
        steps = self._steps.since(left)
        applied = await self._checkpoints.preview([(step.after, step.before) for step in steps])
        return _joined(Restored(messages=left), applied, *steps)

    async def diff(self) -> str:
        """All that the steps of this session changed and that was not undone, as a diff.

        Raises:
            SessionError: a record is gone.
        """
        await self.settle()
        return await self._checkpoints.combined([(step.before, step.after) for step in self._steps.done])

    async def diff_so_far(self) -> str:
        """The same while a run goes on: what its steps changed that have ended.

        Raises:
            SessionError: a record is gone.
        """
        await self.finish()
        return await self._checkpoints.combined([(step.before, step.after) for step in self._steps.done])

    def _must_have(self, to: int) -> None:
        total = len(self._history.messages)
        if not 0 <= to <= total:
            raise UsageError(f"There is no message {to}; there are 1 to {total}." if total else "There is no message.")

    async def _back(self, steps: Sequence[Step]) -> Restored:
        restored = Restored()
        for step in steps:
            applied = await self._checkpoints.apply(frm=step.after, to=step.before)
            self._keep(Undone(step=step.number, kept=_paths(applied)))
            restored = _joined(restored, applied, step)
        return restored

    async def _end(self, before: str, messages: int) -> None:
        try:
            after = await self._checkpoints.record()
        except FerruleError as error:
            self._complain(f"The last step cannot be undone: {describe(error)}")
            return
        self._keep(Stepped(number=self._steps.next_number, before=before, after=after, messages=messages))

    async def _commit_after(self, ending: asyncio.Task[None] | None, commit: Commit, message: int, first: int) -> None:
        """Have the steps of a run committed, once the last of them is recorded."""
        if ending:
            await ending
        steps = [(step.before, step.after) for step in self._steps.done if step.number >= first]
        if not steps:
            return
        said = next((one for one in self._history.messages[message:] if isinstance(one, User)), None)
        try:
            notice = await commit(text_of(said.content) if said else "", await self._checkpoints.edits(steps))
        except FerruleError as error:
            notice = Notice(text=f"Nothing was committed: {describe(error)}")
        if notice:
            self._tell(notice)

    async def _look(self) -> None:
        with suppress(FerruleError):  # it will be said where it matters
            await self._checkpoints.record()

    def _complain(self, problem: str) -> None:
        """Say what is wrong, once."""
        if problem != self._problem:
            self._problem = problem
            self._tell(Notice(text=problem))

    def _before_the_answer(self) -> int:
        """The length of the conversation before the answer whose calls are being carried out."""
        messages = self._history.messages
        places = (place for place in reversed(range(len(messages))) if isinstance(messages[place], Assistant))
        return next(places, len(messages))

    def _keep(self, event: Event) -> None:
        self._tell(event)
        fold(self._steps, event)


def steps_of(events: Iterable[Event]) -> Steps:
    """The steps that events tell of."""
    steps = Steps()
    for event in events:
        fold(steps, event)
    return steps


def fold(steps: Steps, event: Event) -> None:
    """Take in an event; most change nothing here."""
    match event:
        case Stepped():
            steps.stepped(event.number, event.before, event.after, event.messages)
        case Stepping():
            steps.begun(event.before, event.messages)
        case Rewound(messages=left):
            steps.rewound(left)
        case Undone(step=step):
            steps.undone(step)
        case Redone(step=step):
            steps.redone(step)
        case _:
            pass


def _joined(so_far: Restored, applied: "Applied", *steps: Step) -> Restored:
    return msgspec.structs.replace(
        so_far,
        steps=(*so_far.steps, *(step.number for step in steps)),
        changed=tuple(dict.fromkeys((*so_far.changed, *applied.changed))),
        merged=tuple(dict.fromkeys((*so_far.merged, *applied.merged))),
        conflicts=tuple(dict.fromkeys((*so_far.conflicts, *applied.conflicts))),
        left_out=tuple(dict.fromkeys((*so_far.left_out, *applied.left_out))),
    )


def _paths(applied: "Applied") -> tuple[str, ...]:
    return tuple(conflict.path for conflict in applied.conflicts)
