"""A conversation that goes on: the one object that every front door holds.

A front subscribes to the events and sends four verbs: prompt, steer, answer, interrupt. Between runs it may switch
the model or the mode, make room in the window, pin a message, undo what was done, or go back to an earlier place.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Self

import msgspec

from ferrule.context.budget import Breakdown, breakdown
from ferrule.context.compact import Compacting, Preview
from ferrule.context.project import edited_in
from ferrule.context.view import State
from ferrule.core.agent import Agent, Limits
from ferrule.core.errors import UsageError
from ferrule.core.events import Compacted, Emit, Event, PermissionAsked, RunEnded
from ferrule.core.history import History
from ferrule.core.loop import Run
from ferrule.core.messages import Image, Text, Usage, User, Value
from ferrule.core.model import Request
from ferrule.core.permission import Answer
from ferrule.core.tool import Tool
from ferrule.core.watch import Watched, watch
from ferrule.session.around import Guarding, Hooks
from ferrule.session.asking import Asking
from ferrule.session.changes import Changes, Restored

Prompt = str | User | tuple[Text | Image, ...]


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """The line to a model."""

    model: str
    ask: Compacting
    window: int
    """Tokens; 0 where nobody knows."""
    price: Callable[[str, Usage], float | None]


class Reloaded(Value, frozen=True, kw_only=True):
    """What looking for external tools anew came to, by their names."""

    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Those that describe themselves otherwise than before."""
    problems: tuple[str, ...] = ()
    """What is wrong with those that do not work."""


class Session:
    """A conversation of runs, saved as it goes."""

    def __init__(
        self,
        *,
        id: str,
        directory: Path,
        guarding: Guarding,
        asking: Asking,
        line: Line,
        switch: Callable[[str | None, str | None, State], Line],
        tools: Mapping[str, Tool],
        system: str,
        limits: Limits,
        history: History,
        changes: Callable[[Emit], Changes] | None,
        log: Emit,
        on_close: Callable[[], Awaitable[None]],
        other_records: Callable[[], frozenset[str]] = frozenset,
        rename: Callable[[str], str] | None = None,
        hooks: Hooks | None = None,
        retool: Callable[[], tuple[Mapping[str, Tool], tuple[str, ...]]] | None = None,
        notes: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.id = id
        self.directory = directory
        self.guarding = guarding
        self.history = history
        self.notes = notes
        """What was decided for the person, each in one line."""
        self.warnings = warnings
        """What the person should know before the first run: a damaged log, an ignored setting."""
        self._listeners: list[Emit] = []
        self._log = log
        self._changes = changes(self._record) if changes else None
        self._hooks = hooks
        self.leaving = "other"
        """Why the session will be closed, for hooks: `clear`, `prompt_input_exit` or `other`."""
        gate = self._changes.recording(guarding.gate, guarding.only_reads) if self._changes else guarding.gate
        if hooks:
            hooks.tell = self._record
            self._listeners.append(hooks.hear)
        self.agent = Agent(
            ask=line.ask,
            gate=hooks.gate(gate, lambda: self.agent.tools) if hooks else gate,
            context=guarding.context,
            tools=tools,
            side_by_side=guarding.side_by_side,
            system=system,
            limits=limits,
            price=line.price,
        )
        self.run: Run | None = None
        self._line = line
        self._switch = switch
        self._on_close = on_close
        self._rename = rename
        self._retool = retool
        self._other_records = other_records
        self._asking = asking
        asking.tell = self._record

    @property
    def model(self) -> str:
        """What the model is called."""
        return self._line.model

    @property
    def window(self) -> int:
        """How many tokens the model takes in; 0 where nobody knows."""
        return self._line.window

    @property
    def is_running(self) -> bool:
        """Whether a request is being carried out."""
        return self.run is not None and self.run.reason is None

    def subscribe(self, listener: Emit) -> Callable[[], None]:
        """Hear every event from now on; the function that is returned ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @property
    def mode(self) -> str:
        """What asks before it runs."""
        return self.guarding.mode

    @property
    def said_always(self) -> tuple[str, ...]:
        """The rules that the person has added in this session by "always"."""
        return self.guarding.said_always

    @property
    def sandbox(self) -> str:
        """What confines commands: bubblewrap, landlock, seatbelt, external, or off."""
        return self.guarding.sandbox

    def is_edited(self) -> bool:
        """Whether files of the project differ from what git has of them now; looking takes a moment."""
        return edited_in(self.directory) > 0

    @property
    def questions(self) -> Mapping[str, PermissionAsked]:
        """The calls that wait for a person's word, by the ids of the questions."""
        return self._asking.open

    def start(self) -> None:
        """Begin, where something waits for that; the first request does so by itself."""
        if self._hooks:
            self._hooks.start()

    async def prompt(self, prompt: Prompt) -> RunEnded:
        """Carry a request to its end."""
        ended = await self._begin(prompt).go()
        if self._changes:
            await self._changes.finish()
        return ended

    def watch(self, prompt: Prompt) -> Watched:
        """Carry a request to its end, to be iterated: `async with session.watch("…") as events`."""
        return watch(self._begin(prompt))

    def steer(self, prompt: Prompt) -> None:
        """Say something while a run goes on; it is heard at the next turn."""
        if self.run is None:
            raise UsageError("There is no run to steer; prompt instead.")
        (self._hooks.steer if self._hooks else self.run.inbox.append)(_message(prompt))

    def answer(self, id: str, answer: Answer) -> None:
        """Answer a question about a call, by the id of its `PermissionAsked`.

        Raises:
            UsageError: no such question waits.
        """
        self._asking.answer(id, answer)

    def interrupt(self) -> None:
        """End the current run, if there is one. The conversation stays whole."""
        if self.run and self.is_running:
            self.run.interrupt()

    def switch(self, provider: str | None = None, model: str | None = None) -> str:
        """Go on with another model; the history and the tools stay. Gives the words to say about it.

        Raises:
            UsageError: there is no such provider or model, or it needs something that is not set.
        """
        self._must_be_idle()
        line = self._switch(provider, model, self._line.ask.state)
        tokens = self._line.ask.estimate(self._request())
        self._line = line
        self.agent = msgspec.structs.replace(self.agent, ask=line.ask, price=line.price)
        if 0 < line.window < tokens:
            return f"Now {line.model}. Its window of {line.window:,} tokens is smaller than the conversation."
        return f"Now {line.model}."

    async def reload_tools(self) -> Reloaded:
        """Look for the external tools anew, and go on with those that there are.

        Raises:
            UsageError: a run goes on, or a tool that was named on the command line is no longer there.
            ConfigError: the configuration has errors; the tools stay as they are.
        """
        self._must_be_idle()
        if self._retool is None:
            return Reloaded()
        tools, problems = await asyncio.to_thread(self._retool)
        self._must_be_idle()
        before, self.agent = self.agent.tools, msgspec.structs.replace(self.agent, tools=tools)
        return Reloaded(
            came=tuple(name for name in tools if name not in before),
            went=tuple(name for name in before if name not in tools),
            changed=tuple(name for name in tools if name in before and tools[name].spec != before[name].spec),
            problems=problems,
        )

    def change_mode(self, mode: str) -> None:
        """Judge calls by another mode from now on.

        Raises:
            UsageError: commands would run unasked in it, and nothing confines them.
        """
        self.guarding.change_mode(mode)

    @property
    def is_kept(self) -> bool:
        """Whether it can be gone on with later."""
        return self._rename is not None

    def rename(self, name: str) -> str:
        """Give the session a name that no other of its project has; gives the name as it came to be.

        Raises:
            UsageError: nothing of this session is kept.
            SessionError: it is no name, or another session has it.
        """
        if self._rename is None:
            raise UsageError("This session is not kept, so it can have no name (session.auto_save).")
        return self._rename(name)

    async def compact(self, focus: str = "") -> Compacted | None:
        """Make room by hand; nothing if there is nothing to do.

        Raises:
            FerruleError: no notes could be made; nothing has changed.
        """
        self._must_be_idle()
        return await self._line.ask.now(self._request(), self._record, focus=focus)

    def preview_compaction(self) -> Preview | None:
        """What making room by hand would do."""
        return self._line.ask.preview(self._request())

    def pin(self, number: int) -> None:
        """Keep a message, counted from 1, word for word whatever is summarised.

        Raises:
            UsageError: there is no such message.
        """
        self._line.ask.pin(number - 1, self.history.messages, self._record)

    def usage_by_category(self) -> Breakdown:
        """What fills the window, as it would be sent now."""
        return breakdown(self._line.ask.told(self._request()))

    @property
    def changes(self) -> Changes:
        """What was done to the working tree, and the way back.

        Raises:
            UsageError: a run goes on, or nothing is recorded in this session.
        """
        self._must_be_idle()
        return self._recorded()

    async def diff(self) -> str:
        """All that this session changed and that still stands; of a run that goes on, what its last steps did.

        Raises:
            UsageError: nothing is recorded in this session.
            SessionError: a record is gone.
        """
        changes = self._recorded()
        return await (changes.diff_so_far() if self.is_running else changes.diff())

    async def rewind(self, to: int, *, files: bool = True, chat: bool = True) -> Restored:
        """Go back to a message, counted from 1: its files, the conversation, or both.

        Raises:
            UsageError: there is no such message, or a run goes on.
        """
        restored = await self.changes.rewind(to, files=files, chat=chat)
        if restored.messages is not None:
            self._line.ask.rewind(restored.messages)
        return restored

    async def close(self) -> None:
        """Stop what still runs and close the log."""
        self.interrupt()
        if self._changes:
            await self._changes.close(self._other_records)
        if self._hooks:
            await self._hooks.close(self.leaving)
        await self._on_close()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _begin(self, prompt: Prompt) -> Run:
        self._must_be_idle()
        waiting = self.run.inbox if self.run else ()  # what was said too late for the last run is not lost
        self.run = (self._hooks.run if self._hooks else Run)(self.agent, self.history, self._log)
        self.run.listeners.append(self._tell)
        self.run.inbox.extend([*waiting, _message(prompt)])
        return self.run

    def _recorded(self) -> Changes:
        if self._changes is None:
            raise UsageError("Changes are not recorded in this session (session.checkpoints, session.auto_save).")
        return self._changes

    def _must_be_idle(self) -> None:
        if self.is_running:
            raise UsageError("A run goes on already; wait for its end, steer it, or interrupt it first.")

    def _request(self) -> Request:
        """What the model would be asked now."""
        tools = tuple(tool.spec for tool in self.agent.tools.values())
        return Request(system=self.agent.system, tools=tools, messages=tuple(self.history.messages))

    def _record(self, event: Event) -> None:
        """Tell an event that belongs to no run."""
        self._log(event)
        self.history.apply(event)
        self._tell(event)

    def _tell(self, event: Event) -> None:
        if self._changes:
            self._changes.hear(event)
        for listener in tuple(self._listeners):
            listener(event)


def _message(prompt: Prompt) -> User:
    if isinstance(prompt, User):
        return prompt
    if isinstance(prompt, str):  # what a terminal or a file name may hold, and no provider takes
        prompt = (Text(prompt.encode("utf-8", "replace").decode()),)
    return User(content=prompt)
