"""A conversation line by line, for terminals that can only print: nothing steers them, nothing is drawn twice."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress

import msgspec

from ferrule.assemble import Options, Question
from ferrule.config.schema import Ui
from ferrule.front.terminal.ask import Asked, Questions
from ferrule.front.terminal.asking import distrusted, from_model, trusting
from ferrule.front.terminal.early import size
from ferrule.front.terminal.greeting import take_leave
from ferrule.front.terminal.show.ansi import ansi
from ferrule.front.terminal.show.lines import Line
from ferrule.front.terminal.show.status import Status, welcome
from ferrule.front.terminal.slash import Slash
from ferrule.front.terminal.talk import Talk
from ferrule.front.terminal.transcript import Transcript
from ferrule.version import __version__

PROMPT = "> "
_ALL = 10_000


class Plain:
    """The conversation, and the lines that are read and printed."""

    def __init__(self, options: Options, *, ui: Ui) -> None:
        self._options = msgspec.structs.replace(options, someone=True, ask_user=self._ask_user)
        self._transcript = Transcript(lambda: size()[0], is_live=False, ui=ui)
        self._questions = Questions(self._put)
        self._talk = Talk(self._transcript, self._questions, now=self._print, soon=self._print)
        self._slash = Slash(self._talk, self._options, open=self._talk.open, quit=self._have_enough)
        self._has_enough = False
        self._shown: Asked | None = None
        self._prompted = False
        self._main: asyncio.Task[int] | None = None
        self._code = 0

    async def run(self, prompt: str = "") -> int:
        """Talk until there is no more to read; gives the exit code.

        Raises:
            FerruleError: there is nothing to talk to.
        """
        loop = asyncio.get_running_loop()
        self._main = asyncio.current_task()
        loop.add_signal_handler(signal.SIGINT, self._break_off)
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            loop.add_signal_handler(number, self._quit, code)
        reading = loop.create_task(self._read())
        try:
            await self._open()
            if prompt:
                self._talk.say(prompt)
            self._print()
            await reading
            take_leave(self._talk.session, self._transcript)
            _write(_text(self._transcript.take()))
        except asyncio.CancelledError:
            if not self._code:
                raise
        finally:
            reading.cancel()
            await self._talk.close()
        return self._code

    async def _open(self) -> None:
        directory = self._options.directory
        if not self._options.trust and (seen := await asyncio.to_thread(distrusted, directory)):
            await trusting(directory, seen, self._questions)
        session = await self._talk.open(self._options)
        status = Status(model=session.model, mode=session.mode, sandbox=session.sandbox)
        self._transcript.say(welcome(version=__version__, directory=str(directory), status=status, width=size()[0]))
        for words in session.warnings:
            self._transcript.warn(words)
        for words in session.notes:
            self._transcript.remark(words)

    async def _read(self) -> None:
        async for text in _lines():
            self._prompted = False
            if self._questions.shown:
                self._answer(self._questions.shown, text)
            elif text.strip() and not self._talk.take_in(text):
                await self._slash.run(text)
                if self._has_enough:
                    return
            await asyncio.sleep(0)
            self._print()
        await self._talk.finish()

    def _answer(self, asked: Asked, text: str) -> None:
        """An answer by its key; an empty one is none, and nothing that was typed before is taken for one."""
        if asked.wants_words:
            asked.give(text)
            return
        asked.key(text.strip()[:1])
        if not asked.answer.done():
            _write("Answer with the letter before one of these.\n")

    def _put(self) -> None:
        """Print a question that came."""
        asked = self._questions.shown
        if asked and asked is not self._shown:
            self._print()
            _write(_text(asked.printed(size()[0])) + (f"{asked.hint}: " if asked.hint else PROMPT))
        self._shown = asked

    def _print(self) -> None:
        """Print what is finished, and ask for more when nothing runs."""
        if lines := self._transcript.take():
            _write(("\n" if self._prompted else "") + _text(lines))
            self._prompted = False
        if not self._talk.is_busy and self._talk.session and not self._questions.shown and not self._prompted:
            _write(PROMPT)
            self._prompted = True

    async def _ask_user(self, question: Question) -> str | None:
        return await from_model(question, self._questions)

    def _break_off(self) -> None:
        if self._questions.shown:
            self._questions.shown.give(None)
        elif self._talk.is_busy:
            self._talk.interrupt()
        else:
            self._quit(130)

    def _have_enough(self) -> None:
        self._has_enough = True

    def _quit(self, code: int) -> None:
        self._code = code
        if self._main:
            self._main.cancel()


async def plainly(options: Options, *, ui: Ui, prompt: str = "") -> int:
    """Talk line by line; gives the exit code.

    Raises:
        FerruleError: there is nothing to talk to.
    """
    return await Plain(options, ui=ui).run(prompt)


def _text(lines: list[Line]) -> str:
    return ansi(lines, colour=False, width=_ALL)


def _write(text: str) -> None:
    with suppress(OSError):  # perhaps nobody reads any more
        sys.stdout.write(text.encode("utf-8", "replace").decode())
        sys.stdout.flush()


async def _lines() -> AsyncIterator[str]:
    """The lines of standard input, as they come."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[bytes] = asyncio.Queue()
    loop.add_reader(0, lambda: pieces.put_nowait(_piece()))
    rest = b""
    try:
        while data := await pieces.get():
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                yield line.decode("utf-8", "replace")
        if rest:
            yield rest.decode("utf-8", "replace")
    finally:
        loop.remove_reader(0)


def _piece() -> bytes:
    try:
        return os.read(0, 1 << 16)
    except OSError:
        return b""
