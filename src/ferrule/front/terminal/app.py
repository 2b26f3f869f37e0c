"""`ferrule` at a terminal: keys in, lines out, and the conversation between them."""

import asyncio
import signal
import sys
import time
from typing import Any

import msgspec

from ferrule.assemble import Options, Question
from ferrule.commands.desk import Ready
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
from ferrule.front.terminal.errands import Errands
from ferrule.front.terminal.files import ProjectFiles
from ferrule.front.terminal.greeting import greet, take_leave
from ferrule.front.terminal.history import History
from ferrule.front.terminal.keys import bindings_of, goes_on
from ferrule.front.terminal.lending import Lending
from ferrule.front.terminal.menu import Menu
from ferrule.front.terminal.show.lines import BLANK
from ferrule.front.terminal.slash import Slash
from ferrule.front.terminal.talk import Talk
from ferrule.front.terminal.transcript import Transcript
from ferrule.session.session import Session

TWICE = 1.5
"""Seconds within which a second key counts as a double one."""
HASTE = 0.7
"""Seconds around the coming of a question in which what is typed was meant for the box."""
_MOST_FAULTS = 20
_LEFT_BY_A_PERSON = (0, 130)
_SIGNALS = {signal.SIGTERM: 143, signal.SIGHUP: 129}


class Terminal:
    """The whole of it. Most of its methods are what keys do."""

    def __init__(self, options: Options, ground: Ground, *, ui: Ui, vi: bool = False) -> None:
        self._options = msgspec.structs.replace(options, someone=True, ask_user=self._ask_user)
        self._questions = Questions(self._asked)
        self._transcript = Transcript(lambda: self._display.width, ui=ui)
        self._display = Display(self._write, ui=ui, transcript=self._transcript, questions=self._questions)
        soon = self._display.soon
        self._talk = Talk(self._transcript, self._questions, now=soon, soon=soon, worked=self._worked)
        self._menu = Menu(self._look, self._display.now)
        self._editor = Editor(
            Keyboard(sys.stdin, typed_before=ground.typed_before),
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
        self._errands = Errands(self._complain)
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
        self._errands.do(self._open(self._options, prompt))
        self._errands.do(self._display.tick())
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
        if self._menu.is_pointed:
            self._entry.complete()
            if Slash.takes_no_words(self._entry.text):
                self._submit(self._entry.take().strip())
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
            self._menu.update(on_request=True, if_one=self._entry.complete)

    def search(self) -> None:
        """Search in what was typed before."""
        if waiting := self._entry.search(self._questions):
            self._errands.do(waiting)

    @property
    def only_works(self) -> bool:
        """Whether something runs and nothing is typed, so that Esc has one meaning."""
        return self._talk.is_busy and not self._editor.text

    def escape(self) -> None:
        """Close, interrupt, or with a second one clear or go back; what was closed is not the first of two."""
        is_second, self._escaped = time.monotonic() - self._escaped < TWICE, 0.0
        if self.has_menu:
            self._menu.close()
        elif asked := self._questions.shown:
            asked.give(None)
        elif self._talk.is_busy:
            self._interrupt()
        elif not is_second:
            self._escaped = time.monotonic()
            clears = "" if self._editor.is_vi else "Esc again clears; Up brings it back"
            self._display.note = clears if self._editor.text else "Esc again goes back to an earlier message"
        elif not self._editor.text:
            self._errands.do(self._go_back())
        elif not self._editor.is_vi:
            self._entry.put_by()

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
            self._entry.put_by()
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
            self._errands.do(self._lending.page(asked.whole(width)))
        elif told := self._transcript.whole:
            lines = [row for one in reversed(told) for row in (*one(width), BLANK)]
            self._errands.do(self._lending.page(lines))
        else:
            self._display.note = "Nothing was shortened yet"

    def fold_thoughts(self) -> None:
        """Show thoughts whole from now on, or fold them again."""
        self._transcript.shows_thoughts = shows = not self._transcript.shows_thoughts
        self._display.note = f"Thoughts are {'shown whole' if shows else 'folded to a line'} from now on"
        self._display.now()

    def edit_outside(self) -> None:
        """Write in the user's own editor."""
        self._errands.do(self._edit())

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
            self._errands.do(self._command(text))

    async def _command(self, text: str) -> None:
        reply = await self._slash.run(text)
        if reply.draft:
            self._entry.text = reply.draft
        self._display.now()

    async def _reopen(self, options: Options, ready: Ready) -> Session:
        """Put another session in the place of this one."""
        session = await self._talk.open(options, ready)
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
        if waiting:
            self._display.note = ""
        for text in waiting:
            self._submit(text)
        await self._look_around(session)

    def _greet(self, session: Session) -> None:
        greet(session, self._transcript, status=self._display.status, width=self._display.width)
        self._display.now()

    async def _look_around(self, session: Session) -> None:
        """Learn what takes a while, now that the person can type."""
        await self._look_at_branch(session)
        self._files.refresh()
        try:
            self._display.sandbox = await asyncio.to_thread(lambda: session.sandbox)
        except FerruleError as error:
            self._transcript.warn(describe(error))
        self._display.now()

    async def _look_at_branch(self, session: Session) -> None:
        self._display.branch = await asyncio.to_thread(branch_of, session.directory)
        self._display.is_edited = await asyncio.to_thread(session.is_edited)
        self._display.now()

    def _worked(self) -> None:
        """Something was done that may have changed the branch, or ended in a plan."""
        if session := self._talk.session:
            self._errands.do(self._look_at_branch(session))
            if session.mode == "plan" and not self._talk.queue:
                self._display.note = "To carry out a plan, leave plan mode with Shift+Tab and say so"

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

    def _complain(self, words: str) -> None:
        self._transcript.complain(words)
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
        self._complain(f"Something went wrong inside: {words}")

    async def _end(self) -> None:
        self._transcript.break_off()
        if self._code in _LEFT_BY_A_PERSON:
            take_leave(self._talk.session, self._transcript)
        self._display.end([])
        await self._errands.end()
        await self._files.close()
        await self._talk.close()


async def interactive(options: Options, ground: Ground, *, ui: Ui, prompt: str = "") -> int:
    """Talk at a terminal that is in raw mode already; gives the exit code.

    Raises:
        FerruleError: there is nothing to talk to.
    """
    return await Terminal(options, ground, ui=ui, vi=ui.keys == "vi").run(prompt)
