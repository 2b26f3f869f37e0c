"""The conversation as the terminal holds it: what is said, what waits to be said, what runs."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from ferrule.assemble import Options, assemble
from ferrule.commands.desk import Ready
from ferrule.core.errors import FerruleError, describe
from ferrule.core.events import (
    Appended,
    Compacted,
    Event,
    PermissionAsked,
    Rewound,
    RunEnded,
    ToolPrinted,
    TurnEnded,
)
from ferrule.core.messages import Assistant, Message, Text, ToolCall, User
from ferrule.core.model import Delta
from ferrule.core.permission import Answer
from ferrule.front.terminal.ask import Questions
from ferrule.front.terminal.asking import permission
from ferrule.front.terminal.pictures import blocks_of
from ferrule.front.terminal.shell import as_told, run_line, shell_call
from ferrule.front.terminal.transcript import Transcript
from ferrule.session.session import Session

Given = TypeVar("Given")
MODES = ("plan", "normal", "auto-edit", "auto")
"""What Shift+Tab goes through."""


def is_command(text: str) -> bool:
    """Whether what was typed is a command: `/name`, and no path."""
    name = text.split(maxsplit=1)[0] if text.strip() else ""
    return name.startswith("/") and name[1:2].isalpha() and "/" not in name[1:]


class Talk:
    """One session after another, and the person's side of it."""

    def __init__(
        self,
        transcript: Transcript,
        questions: Questions,
        *,
        now: Callable[[], None],
        soon: Callable[[], None],
        worked: Callable[[], None] = lambda: None,
    ) -> None:
        """Talk through these; `worked` is told whenever something came to its end that may have changed files."""
        self.transcript, self.questions = transcript, questions
        self._now, self._soon, self._worked = now, soon, worked
        self.session: Session | None = None
        self.queue: list[str] = []
        self.tokens = 0
        self._spent = 0.0
        self._run_cost = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._run: asyncio.Task[None] | None = None
        self._own: dict[str, asyncio.Task[None]] = {}
        self._command: asyncio.Task[Any] | None = None
        self.command = ""
        """The command that is being carried out, where others have to wait for it."""
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._overheard: list[str] = []
        """What the person ran, for the model to hear with the next request."""
        self._began = 0.0

    @property
    def seconds(self) -> float:
        """For how long it has been running."""
        return asyncio.get_running_loop().time() - self._began

    @property
    def is_busy(self) -> bool:
        """Whether something runs that could be interrupted."""
        return bool(self._run or self._own or self.command)

    @property
    def doing(self) -> str:
        """What is going on."""
        return f"Running {self.command}" if self.command and not self._run else self.transcript.doing

    @property
    def cost(self) -> float | None:
        """US dollars; None where nothing is known to have cost any."""
        return self._spent + self._run_cost or None

    async def open(self, options: Options, ready: Ready = lambda _session: None) -> Session:
        """Begin or go on with a session, once it is made ready; the one before it is closed.

        Raises:
            FerruleError: it cannot be had; then the one before it goes on.
        """
        session = await asyncio.to_thread(assemble, options)
        await self.close()
        session.subscribe(self._hear)
        session.start()
        ready(session)
        self.session, self._spent, self._run_cost = session, 0.0, 0.0
        self.tokens = _length(session.history.messages)
        return session

    async def close(self) -> None:
        """Stop what runs, and close the session."""
        self.interrupt()
        for task in (self._run, *self._own.values(), *self._asked.values(), *self._tasks):
            if task and task is not asyncio.current_task():
                if task is not self._run:
                    task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        if self.session:
            session, self.session = self.session, None
            await session.close()

    def say(self, text: str) -> None:
        """Send a request, or keep it until there is a place for it."""
        if self._run or self.command:
            self.queue.append(text)
        elif self.session:
            self._run = self._start(self._carry_out(self.session, self._message(text)))
        self._now()

    async def attend(self, command: str, work: Coroutine[Any, Any, Given]) -> Given | None:
        """Carry out a command by itself: what is said meanwhile waits. None where it was interrupted."""
        self.command, self._began = command, asyncio.get_running_loop().time()
        self._command = task = asyncio.get_running_loop().create_task(work)
        try:
            return await task
        except asyncio.CancelledError:
            if not task.cancelled() or _is_cancelled():  # it was not the command alone that was to stop
                task.cancel()
                raise
            return None
        finally:
            self.command, self._command = "", None
            self._now()
            if not _is_cancelled():
                self.go_on()

    async def finish(self) -> None:
        """Wait until nothing runs and nothing waits."""
        while self._run or self._own:
            await asyncio.wait([task for task in (self._run, *self._own.values()) if task])

    def go_on(self) -> None:
        """Send what waits."""
        if self.queue and not self._run and not self.command:
            self.say(self.queue.pop(0))

    def take_in(self, text: str) -> bool:
        """Carry out what was typed: a shell line of the person's own, or a request; False where it is a command."""
        if text.startswith("!"):
            if command := text.lstrip("!").strip():
                self.run_own(command, tell_model=not text.startswith("!!"))
        elif is_command(text):
            return False
        else:
            self.say(text)
        return True

    def run_own(self, command: str, *, tell_model: bool) -> None:
        """Run a shell line of the person's own."""
        if self.session:
            call = shell_call(command)
            self._own[call.id] = self._start(self._shell(self.session, call, tell_model=tell_model))

    def interrupt(self) -> str:
        """Stop what runs; gives what had waited to be said."""
        for task in (*self._own.values(), self._command):
            if task and task is not asyncio.current_task():
                task.cancel()
        if self.session and self._run:
            self.session.interrupt()
        if not self._run and not self._command:
            return ""
        waiting, self.queue = "\n\n".join(self.queue), []
        return waiting

    def next_mode(self) -> None:
        """Go on to the next mode that can be had."""
        if self.session is None:
            return
        current = self.session.mode
        start = MODES.index(current) + 1 if current in MODES else 1
        for mode in (*MODES[start:], *MODES[:start]):
            with suppress(FerruleError):  # one that needs a sandbox, where there is none
                self.session.change_mode(mode)
                return

    async def _carry_out(self, session: Session, message: User) -> None:
        self._began = asyncio.get_running_loop().time()
        self._run_cost = 0.0
        try:
            await session.prompt(message)
        except FerruleError as error:
            self.transcript.complain(describe(error))
        finally:
            self._run = None
            self._spent, self._run_cost = self.cost or 0.0, 0.0
            self._now()
            self._worked()
            self.go_on()

    async def _shell(self, session: Session, call: ToolCall, *, tell_model: bool) -> None:
        self._began = self._began if self._run else asyncio.get_running_loop().time()
        try:
            result = await run_line(session, call, self._hear)
        finally:
            del self._own[call.id]
            self._now()
            self._worked()
        if tell_model:
            self._overheard.append(as_told(call, result))

    def _message(self, text: str) -> User:
        """A request with its pictures, and with what the person ran before it."""
        directory = self.session.directory if self.session else None
        content, problems = blocks_of(text, directory) if directory else ((Text(text),), [])
        for problem in problems:
            self.transcript.complain(problem)
        heard, self._overheard = self._overheard, []
        return User(content=(*(Text(f"{one}\n\n") for one in heard), *content))

    def _hear(self, event: Event) -> None:
        self.transcript.hear(event)
        match event:
            case PermissionAsked():
                self._permission(event)
            case Appended(message=message):
                self.tokens = _length([message]) or self.tokens
            case Compacted(after=after):
                self.tokens = after
            case Rewound(messages=kept) if self.session:
                self.tokens = _length(self.session.history.messages[:kept])
            case TurnEnded(cost=cost):
                self._run_cost = cost or 0.0
                self._deliver()
            case RunEnded(cost=cost):
                self._run_cost = cost or 0.0
            case _:
                pass
        if self._asked:
            asyncio.get_running_loop().call_soon(self._forget_settled)
        (self._soon if isinstance(event, Delta | ToolPrinted) else self._now)()

    def _deliver(self) -> None:
        """Say what waited, now that it is heard."""
        queue, self.queue = self.queue, []
        for text in queue:
            if self.session:
                self.session.steer(self._message(text))

    def _permission(self, asked: PermissionAsked) -> None:
        if asked.call.id in self._own and self.session:  # who typed the command has said yes to it
            self.session.answer(asked.id, Answer(verdict="once"))
        elif self.session:
            self._asked[asked.id] = self._start(self._put(self.session, asked))

    async def _put(self, session: Session, asked: PermissionAsked) -> None:
        try:
            answer = await permission(asked, self.questions)
            if asked.id in session.questions:
                session.answer(asked.id, answer)
        finally:
            self._asked.pop(asked.id, None)

    def _forget_settled(self) -> None:
        """Take questions away that wait no longer: nobody answered in time, or the run was interrupted."""
        waiting = self.session.questions if self.session else {}
        for key, task in tuple(self._asked.items()):
            if key not in waiting:
                task.cancel()

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _length(messages: Sequence[Message]) -> int:
    """How many tokens a conversation had by what the model said last; 0 where it said nothing."""
    used = (one.usage for one in reversed(messages) if isinstance(one, Assistant))
    lengths = (usage.input + usage.cache_read + usage.cache_write + usage.output for usage in used)
    return next(filter(None, lengths), 0)


def _is_cancelled() -> bool:
    """Whether whoever asks is to stop."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
