"""`ferrule` at a terminal: keys in, lines out, and the conversation between them."""

import asyncio
import signal
import sys
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import msgspec

from ferrule.assemble import Options, Question
from ferrule.config.paths import state_home
from ferrule.config.schema import Ui
from ferrule.core.errors import FerruleError, describe
from ferrule.front.terminal.ask import Questions
from ferrule.front.terminal.asking import distrusted, from_model, going_back, trusting
from ferrule.front.terminal.branch import branch_of
from ferrule.front.terminal.complete import Offer, offer
from ferrule.front.terminal.display import Display
from ferrule.front.terminal.early import Ground, write
from ferrule.front.terminal.editor import Editor, Keyboard
from ferrule.front.terminal.entry import Entry
from ferrule.front.terminal.files import ProjectFiles
from ferrule.front.terminal.history import History
from ferrule.front.terminal.keys import bindings_of, goes_on
from ferrule.front.terminal.lending import Lending
from ferrule.front.terminal.menu import Menu
from ferrule.front.terminal.show.calls import call_ended
from ferrule.front.terminal.show.lines import BLANK
from ferrule.front.terminal.show.status import welcome
from ferrule.front.terminal.slash import Slash
from ferrule.front.terminal.talk import Talk
from ferrule.front.terminal.transcript import Transcript
from ferrule.session.session import Session
from ferrule.version import __version__

TWICE = 1.5
"""Seconds within which a second key counts as a double one."""
HASTE = 0.7
"""Seconds around the coming of a question in which what is typed was meant for the box."""
_RECALLED = 12
"""Messages of an earlier conversation that are shown again."""
_MOST_FAULTS = 20
_SIGNALS = {signal.SIGTERM: 143, signal.SIGHUP: 129}


class Terminal:
    """The whole of it. Most of its methods are what keys do."""

    def __init__(self, options: Options, ground: Ground, *, ui: Ui, vi: bool = False) -> None:
        self._options = msgspec.structs.replace(options, someone=True, ask_user=self._ask_user)
        self._questions = Questions(self._asked)
        self._transcript = Transcript(lambda: self._display.width)
        self._display = Display(self._write, ui=ui, transcript=self._transcript, questions=self._questions)
        self._talk = Talk(self._transcript, self._questions, now=self._display.soon, soon=self._display.soon)
        self._menu = Menu(self._look, self._display.now)
        self._editor = Editor(
            Keyboard(sys.stdin),
            bindings=bindings_of(self),
            vi=vi,
            paint=self._display.paint,
            resized=self._display.resized,
            changed=self._changed,
            pressed=self._pressed,
        )
        self._display.show(self._editor, self._talk, self._menu)
        self._lending = Lending(ground, self._display, self._editor)
        self._entry = Entry(self._editor, self._menu, History(state_home() / "history"), lambda: self._talk.queue)
        self._slash = Slash(self._talk, self._options, open=self._reopen, quit=self.quit, clear=self._display.clear)
        self._files = ProjectFiles(options.directory)
        self._too_early: list[str] = []
        """What was sent before there was a session."""
        self._escaped = self._broken_off = self._typed = self._asked_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._code = self._faults = 0
        self._failure: FerruleError | None = None

    async def run(self, prompt: str = "") -> int:
        """Talk until the person has enough; gives the exit code.

        Raises:
            FerruleError: there is nothing to talk to.
        """
        loop = asyncio.get_running_loop()
        for number, code in _SIGNALS.items():
            loop.add_signal_handler(number, self.quit, code)
        loop.add_signal_handler(signal.SIGINT, self.break_off)
        loop.set_exception_handler(self._fault)
        self._do(self._open(self._options, prompt))
        self._do(self._display.tick())
        try:
            await self._editor.run()
        except EOFError:
            self._code = 129
        finally:
            await self._end()
        if self._failure:
            raise self._failure
        return self._code

    def quit(self, code: int = 0) -> None:
        """Have enough."""
        self._code = code
        self._editor.stop()

    @property
    def is_asking(self) -> bool:
        """Whether a choice waits, so that keys answer it."""
        asked = self._questions.shown
        return asked is not None and not asked.wants_words

    @property
    def has_menu(self) -> bool:
        """Whether completions are shown."""
        return self._menu.offer is not None

    def answer(self, key: str) -> None:
        """Give a key to the choice that waits."""
        is_meant = self._typed < self._asked_at - HASTE or time.monotonic() > self._asked_at + HASTE
        if (asked := self._questions.shown) and is_meant:
            asked.key(key)

    def enter(self) -> None:
        """Send what was typed, or take the completion."""
        if self.has_menu:
            self._entry.complete()
            return
        asked = self._questions.shown
        if asked:
            asked.give(self._entry.take())
            self._typed = 0.0
        elif not goes_on(self._editor.buffer) and self._entry.text.strip():
            self._submit(self._entry.take())

    def paste(self, text: str) -> None:
        """Take in what was pasted."""
        self._entry.paste(text)

    def rub_out(self) -> bool:
        """Rub out a folded paste before the cursor; False where there is none."""
        return self._entry.rub_out()

    def up(self) -> None:
        """Go up: in the completions, in the text, or to what was typed before."""
        self._entry.up()

    def down(self) -> None:
        """Go down likewise."""
        self._entry.down()

    def tab(self) -> None:
        """Complete."""
        if self.has_menu:
            self._entry.complete()
        else:
            self._menu.update(on_request=True)

    def search(self) -> None:
        """Search in what was typed before."""
        if waiting := self._entry.search(self._questions):
            self._do(waiting)

    def escape(self) -> None:
        """Close, interrupt, or with a second one go back."""
        last, self._escaped = self._escaped, time.monotonic()
        if self.has_menu:
            self._menu.close()
        elif asked := self._questions.shown:
            asked.give(None)
        elif self._talk.is_busy:
            self._interrupt()
        elif self._escaped - last < TWICE and not self._editor.text:
            self._escaped = 0.0
            self._do(self._go_back())
        else:
            self._display.note = (
                "Esc again clears" if self._editor.text else "Esc again goes back to an earlier message"
            )
            if self._escaped - last < TWICE:
                self._entry.take()

    def escape_twice(self) -> None:
        """The same for two that come at once."""
        self.escape()
        self.escape()

    def break_off(self) -> None:
        """Interrupt, clear, or with a second one quit."""
        last, self._broken_off = self._broken_off, time.monotonic()
        if self._broken_off - last < TWICE:
            self.quit(130 if self._talk.is_busy else 0)
        elif asked := self._questions.shown:
            asked.give(None)
        elif self._talk.is_busy:
            self._interrupt()
        elif self._editor.text:
            self._entry.take()
        if not self._talk.is_busy:
            self._display.note = "Ctrl+C again quits"
        self._display.now()

    def end_of_input(self) -> None:
        """Quit, where nothing is typed."""
        self.quit()

    def next_mode(self) -> None:
        """Go on to the next mode."""
        self._talk.next_mode()
        self._display.now()

    def redraw(self) -> None:
        """Draw everything again."""
        self._display.redraw()

    def show_whole(self) -> None:
        """Show what was shortened, in a pager."""
        width = self._display.width
        asked = self._questions.shown
        if asked and not asked.wants_words:
            self._do(self._lending.page(asked.whole(width)))
        elif outputs := self._transcript.outputs:
            told = (call_ended(call, result, 0, width=width, whole=True) for call, result in reversed(outputs))
            lines = [row for rows in told for row in (*rows, BLANK)]
            self._do(self._lending.page(lines))
        else:
            self._display.note = "No tool has said anything yet"

    def edit_outside(self) -> None:
        """Write in the user's own editor."""
        self._do(self._edit())

    def suspend(self) -> None:
        """Go to the background."""
        self._lending.suspend()

    def _submit(self, text: str) -> None:
        self._typed = 0.0  # whoever has sent it is not in the middle of a word
        self._entry.remember(text)
        if self._talk.session is None:
            self._too_early.append(text)
            self._display.note = "It is sent as soon as the session is there"
        elif not self._talk.take_in(text):
            self._do(self._command(text))

    async def _command(self, text: str) -> None:
        reply = await self._slash.run(text)
        if reply.draft:
            self._entry.text = reply.draft
        self._display.now()

    async def _reopen(self, options: Options) -> Session:
        """Put another session in the place of this one."""
        session = await self._talk.open(options)
        self._greet(session)
        return session

    async def _open(self, options: Options, prompt: str = "") -> None:
        """Find the model, and begin."""
        try:
            if not options.trust and (seen := await asyncio.to_thread(distrusted, options.directory)):
                await trusting(options.directory, seen, self._questions)
            session = await self._talk.open(options)
        except FerruleError as error:
            self._failure = error
            self.quit(1)
            return
        self._greet(session)
        if prompt:
            self._talk.say(prompt)
        waiting, self._too_early = self._too_early, []
        for text in waiting:
            self._submit(text)
        await self._look_around(session)

    def _greet(self, session: Session) -> None:
        status, width = self._display.status, self._display.width
        self._transcript.say(welcome(version=__version__, directory=str(session.directory), status=status, width=width))
        for warning in session.warnings:
            self._transcript.complain(warning)
        for note in session.notes:
            self._transcript.remark(note)
        messages = session.history.messages
        if len(messages) > _RECALLED:
            self._transcript.remark(f"{len(messages) - _RECALLED} earlier messages are not shown")
        self._transcript.recall(messages[-_RECALLED:])
        self._display.now()

    async def _look_around(self, session: Session) -> None:
        """Learn what takes a while, now that the person can type."""
        self._display.branch = await asyncio.to_thread(branch_of, session.directory)
        self._files.refresh()
        with suppress(FerruleError):
            self._display.sandbox = await asyncio.to_thread(lambda: session.sandbox)
        self._display.now()

    async def _look(self, on_request: bool) -> Offer | None:  # noqa: FBT001
        if self._questions.shown:
            return None
        buffer = self._editor.buffer
        return await offer(
            buffer.text,
            buffer.cursor_position,
            commands=self._slash.complete,
            files=self._files.find,
            directory=self._options.directory,
            on_request=on_request,
        )

    async def _ask_user(self, question: Question) -> str | None:
        return await from_model(question, self._questions)

    async def _go_back(self) -> None:
        session = self._talk.session
        if session is None:
            return
        try:
            text = await going_back(session, self._questions)
        except FerruleError as error:
            self._transcript.complain(describe(error))
            return
        if text is not None:
            self._transcript.remark("Went back." if text else "The files are as they were.")
            self._entry.text = text
        self._display.now()

    async def _edit(self) -> None:
        text = await self._lending.edit(self._entry.text)
        if text is not None:
            self._entry.text = text

    def _interrupt(self) -> None:
        waiting = self._talk.interrupt()
        if waiting and not self._editor.text:
            self._entry.text = waiting

    def _asked(self) -> None:
        """A question came or went."""
        asked = self._questions.shown
        self._asked_at = time.monotonic()
        self._entry.make_room(for_words=asked is not None and asked.wants_words)
        self._display.now()

    def _pressed(self) -> None:
        """A key comes; what was noted below the box was read."""
        self._display.note = ""

    def _changed(self) -> None:
        """Something was typed."""
        self._typed = time.monotonic()
        self._menu.update()

    def _write(self, text: str) -> None:
        try:
            write(text)
        except OSError:  # the terminal is gone
            self.quit(129)

    def _do(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._transcript.complain(describe(error) if isinstance(error, Exception) else repr(error))
            self._display.now()

    def _fault(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What nobody foresaw is told, and the talk goes on."""
        error = context.get("exception")
        words = describe(error) if isinstance(error, Exception) else str(context.get("message", ""))
        self._faults += 1
        if self._faults > _MOST_FAULTS:  # perhaps the telling itself goes wrong
            self._failure = FerruleError(f"Too much went wrong inside; last: {words}")
            self.quit(1)
            return
        self._transcript.complain(f"Something went wrong inside: {words}")
        self._display.now()

    async def _end(self) -> None:
        self._display.end([])
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._files.close()
        await self._talk.close()


async def interactive(options: Options, ground: Ground, *, ui: Ui, prompt: str = "") -> int:
    """Talk at a terminal that is in raw mode already; gives the exit code.

    Raises:
        FerruleError: there is nothing to talk to.
    """
    return await Terminal(options, ground, ui=ui, vi=ui.keys == "vi").run(prompt)
