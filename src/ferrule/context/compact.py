"""Makes a conversation fit the model's window: a wrapper around `ask` that the loop does not know.

Before each request the tokens are estimated. At the threshold old outputs are told as one line each; if that is
not enough, older messages are told as notes that the model itself writes; if even that is not enough, what is left
is cut in the middle (`plan.py`). The history is never changed: only what is told of it, by a `State` (`view.py`).

A provider that says the conversation is too long knows better than an estimate: then room is made in the window
that it names, and it is asked again, a few times at most.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

import msgspec

from ferrule.context.budget import Meter, counted, message_tokens, tokens_of
from ferrule.context.limits import Room, stated
from ferrule.context.plan import Rung, fitting, ladder, notes_size, tail_start
from ferrule.context.render import ref
from ferrule.context.summary import Summariser, SummaryError, left_out
from ferrule.context.view import State, Telling, rewound, state_of, view
from ferrule.core.accumulate import Draft
from ferrule.core.agent import Ask
from ferrule.core.errors import ProviderError, UsageError
from ferrule.core.events import Compacted, Emit, Notice, Pinned, Retrying
from ferrule.core.messages import Assistant, Message, Value
from ferrule.core.model import Request

MOST_OVERFLOWS = 3
"""How often a request that was too long is made shorter and sent again."""
SHRINK = 0.8
"""What is left of the room where a provider says that it was too little, but not how much there is."""
DENSEST = 4.0
"""A token has at least a character."""
BELIEVED = 0.4
"""A count of less than this part of the estimate leaves something out, such as what the provider had cached."""
LOOK_BACK = 64
"""How many messages ago a count is still worth looking for."""
PART_FOR_READING = 0.6
"""How much of the room a request for notes takes."""


Before = Callable[[Literal["manual", "auto"], str], Awaitable[None]]
"""Hears that messages are about to be summed up, by whose wish, and with what focus; what it raises ends it by hand."""


class Preview(Value, frozen=True, kw_only=True):
    """What making room by hand would do."""

    before: int
    after: int
    """Tokens, estimated with notes of their full length."""
    first: int
    upto: int
    """Messages from the one number to before the other would be told as notes."""


class Compacting:
    """An `Ask` whose requests fit the window.

    Usage that was counted for one view says nothing about another, so the count starts anew with each state.
    """

    def __init__(
        self,
        ask: Ask,
        *,
        window: int,
        reserve: int = 0,
        threshold: float = 0.95,
        state: State | None = None,
        notes: Ask | None = None,
        spent: Callable[[Draft], None] = lambda _: None,
        before: Before | None = None,
    ) -> None:
        """Wrap an `ask`.

        `window` is the model's, 0 where nobody knows; `reserve` is what its answer may take of it; `state` comes
        from `state_of(events)`. `notes` is asked for the notes, where that is to be another. What they take is put
        on the bill of the answer that needed the room, or told to `spent` where room was made by hand. `before` is
        told before messages become notes.
        """
        self._ask = ask
        self._summariser = Summariser(notes or ask, spent=self._spend)
        self._spent, self._before = spent, before
        self._needed_by: Draft | None = None
        self._reserve = reserve
        self._room = Room.in_window(window, reserve=reserve, threshold=threshold)
        self._state = fitting(state or State(), self._room.usable)
        self._since = None if self._state.upto or self._state.pruned else 0
        """Answers before this number were counted for another view; None: before whatever there is now."""
        self._density = 1.0
        """How many of the provider's tokens one estimated token is."""
        self._meter, self._telling = Meter(), Telling()
        self._doubtful: tuple[State, Compacted] | None = None
        """The state to go back to, and what to tell once an answer has come, where messages went without notes."""

    async def __call__(self, request: Request, draft: Draft, emit: Emit) -> None:
        """Get an answer into the draft, in a request that fits.

        Raises:
            ProviderError: the model could not be reached, or nothing could be made short enough.
        """
        self._needed_by = draft
        try:
            if self.estimate(request) > self._room.limit > 0:
                await self._make_room(request, emit)
            await self._ask_until_it_fits(request, draft, emit)
        except BaseException:
            if self._doubtful:  # the notes may still be had another time
                self._change(self._doubtful[0])
                self._doubtful = None
            raise
        finally:
            self._needed_by = None
        if self._doubtful:
            emit(self._doubtful[1])
            self._doubtful = None

    def _spend(self, notes: Draft) -> None:
        if self._needed_by is None:
            self._spent(notes)
        elif notes.finish:
            self._needed_by.aside.append(notes.finish)

    @property
    def state(self) -> State:
        """How much of the conversation is told."""
        return self._state

    @property
    def usable(self) -> int:
        """How many tokens a request may have; 0 where nobody knows."""
        return self._room.usable

    def told(self, request: Request) -> Request:
        """The request as it is sent."""
        messages = self._telling(request.messages, self.state)
        return request if messages is request.messages else msgspec.structs.replace(request, messages=messages)

    def estimate(self, request: Request) -> int:
        """How many tokens the request takes as it is sent."""
        if self.state.upto > len(request.messages):  # from the log of another conversation, or a damaged one
            self._change(State(verbatim=self.state.verbatim))
        messages, told = request.messages, self._telling(request.messages, self.state)
        fixed, sums = self._meter.fixed(request), self._meter.sums(told)
        now = fixed + sums[-1]
        number, tokens = self._last_count(messages)
        then = fixed + sums[len(told) - (len(messages) - number)]
        if tokens < BELIEVED * then:
            return int(self._density * now)
        self._density = min(max(tokens / then, 1.0), DENSEST)
        return tokens + int(self._density * (now - then))

    async def now(self, request: Request, emit: Emit, *, focus: str = "") -> Compacted | None:
        """Make room by hand: all but the last two turns become notes. None if there is nothing to do.

        Raises:
            SummaryError: no notes could be made; nothing has changed.
        """
        rung = self._by_hand(request.messages)
        if rung is None:
            return None
        if self._before:
            await self._before("manual", focus)
        before = self.estimate(request)
        notes = await self._notes(request.messages, rung.state.upto, rung.notes, emit, focus=focus)
        event = self._adopt(rung.state, notes, request, before)
        emit(event)
        return event

    def preview(self, request: Request) -> Preview | None:
        """Say what `now` would do. None if there is nothing to do."""
        rung = self._by_hand(request.messages)
        if rung is None:
            return None
        before, after = self.estimate(request), self._size(request, rung)
        return Preview(before=before, after=after, first=self.state.upto, upto=rung.state.upto)

    def pin(self, number: int, messages: Sequence[Message], emit: Emit) -> None:
        """Keep a message in full from now on, whatever is summed up around it.

        Raises:
            UsageError: there is no such message.
        """
        if not 0 <= number < len(messages):
            there = f"there are #1 to {ref(len(messages) - 1)}" if messages else "there is none yet"
            raise UsageError(f"There is no message {ref(number)}; {there}.")
        event = Pinned(number=number)
        self._change(self.state, pins=state_of([event], self.state).pins)
        emit(event)

    def rewind(self, left: int) -> None:
        """Go on with a conversation of which only so many messages are left."""
        state = rewound(self.state, left)
        self._change(state, pins=state.pins)
        self._since = None if state.upto or state.pruned else 0

    def _last_count(self, messages: Sequence[Message]) -> tuple[int, int]:
        """The last answer whose request was counted in the present view, and that count; 0 where there is none."""
        end = len(messages)
        self._since = end if self._since is None else self._since
        for number in range(end - 1, max(self._since, end - LOOK_BACK) - 1, -1):
            message = messages[number]
            if isinstance(message, Assistant) and (tokens := counted(message.usage)):
                return number, tokens
        return end, 0

    async def _ask_until_it_fits(self, request: Request, draft: Draft, emit: Emit) -> None:
        for attempt in range(1, MOST_OVERFLOWS + 1):
            try:
                await self._ask(self.told(request), draft, emit)
            except ProviderError as error:
                if error.fault != "context_overflow":
                    raise
                if draft.message():
                    emit(Retrying(attempt=attempt, delay=0.0, reason=str(error)))
                self._learn(error, request, attempt)
                if not await self._make_room(request, emit):
                    raise
            else:
                return
        await self._ask(self.told(request), draft, emit)

    async def _make_room(self, request: Request, emit: Emit) -> bool:
        """Take the mildest way that is enough; say whether anything changed."""
        before, rung = self.estimate(request), self._choose(request)
        target = rung.state
        if target == self.state:
            return False
        notes, has_notes = self.state.summary, True
        if target.upto > self.state.upto:
            notes, has_notes = await self._notes_or_none(request.messages, target.upto, rung.notes, emit)
        old, in_doubt = self.state, self._doubtful
        event = self._adopt(target, notes, request, before)
        if has_notes and not in_doubt:
            emit(event)
        else:
            self._doubtful = (in_doubt[0] if in_doubt else old, event)
        return True

    def _choose(self, request: Request) -> Rung:
        rung, room = Rung(self.state, 0), self._room
        for rung in ladder(request.messages, self.state, self._estimated(room.usable)):
            if self._size(request, rung) <= (room.usable if rung.full is None else rung.full * room.limit):
                break
        return rung

    def _size(self, request: Request, rung: Rung) -> int:
        """What a request would take in another state, with notes of full length."""
        size = self._meter.fixed(request) + sum(map(message_tokens, view(request.messages, rung.state)))
        if rung.state.upto > self.state.upto:
            size += max(rung.notes - tokens_of(self.state.summary), 0)
        return int(self._density * size)

    def _change(self, state: State, *, pins: tuple[int, ...] | None = None) -> None:
        """Tell the conversation in another way; what was pinned meanwhile stays pinned."""
        self._state = msgspec.structs.replace(state, pins=self._state.pins if pins is None else pins)
        self._meter = Meter()

    def _adopt(self, target: State, notes: str, request: Request, before: int) -> Compacted:
        self._change(msgspec.structs.replace(target, summary=notes))
        self._since = len(request.messages)
        after = self.estimate(request)
        return Compacted(before=before, after=after, pruned=target.pruned, upto=target.upto, summary=notes)

    async def _notes_or_none(self, messages: Sequence[Message], upto: int, most: int, emit: Emit) -> tuple[str, bool]:
        """Notes of the messages before a number; or, where there are none, word that they are left out."""
        first = self.state.upto
        if not self._doubtful:  # one attempt a request
            if self._before:
                await self._before("auto", "")
            try:
                return await self._notes(messages, upto, most, emit), True
            except SummaryError as failure:
                emit(Notice(text=f"{failure} Messages up to {ref(upto - 1)} are left out; recall shows them."))
        return left_out(self.state.summary, first, upto), False

    async def _notes(self, messages: Sequence[Message], upto: int, most: int, emit: Emit, *, focus: str = "") -> str:
        emit(Notice(text=f"Summing up the conversation before {ref(upto)} to make room.", level="info"))
        usable = self._estimated(self._room.usable) or max(sum(map(message_tokens, messages)), 10_000)
        return await self._summariser.notes(
            messages,
            range(self.state.upto, upto),
            earlier=self.state.summary,
            room=int(PART_FOR_READING * usable),
            most=most,
            focus=focus,
            emit=emit,
        )

    def _by_hand(self, messages: Sequence[Message]) -> Rung | None:
        start = tail_start(messages, most=0, turns=2)
        if start <= self.state.upto:
            return None
        state = msgspec.structs.replace(self.state, upto=start, pruned=max(start, self.state.pruned))
        return Rung(state, notes_size(self._estimated(self._room.usable)))

    def _learn(self, error: ProviderError, request: Request, attempt: int) -> None:
        """Take the provider's word: the window that it names, how much it says was sent, or else that it was less."""
        thought = self.estimate(request)
        estimated = max(self._meter.fixed(request) + self._meter.sums(self.told(request).messages)[-1], 1)
        window, sent = stated(str(error))
        if window is None:
            self._room = self._room.narrowed(int(SHRINK**attempt * thought))
        else:
            room = Room.in_window(window, reserve=self._reserve, threshold=self._room.threshold)
            self._room = self._room.narrowed(room.usable)
            if sent is None and thought <= window:  # it should have fitted, so it was more than we thought
                sent = int(window / SHRINK)
            if sent is not None:
                self._density = min(max(sent / estimated, 1.0), DENSEST)
        self._since = len(request.messages)

    def _estimated(self, tokens: int) -> int:
        """The provider's tokens as so many of ours."""
        return int(tokens / self._density)
