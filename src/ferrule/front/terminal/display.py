"""Puts the picture together: what runs, what waits, the box, the status; and paints it as often as is good."""

import asyncio
import os
from collections.abc import Callable

from ferrule.config.schema import Ui
from ferrule.front.terminal.ask import Asked, Questions
from ferrule.front.terminal.box import Cursor, box, rule
from ferrule.front.terminal.early import PROMPT, size
from ferrule.front.terminal.editor import Editor
from ferrule.front.terminal.menu import Menu
from ferrule.front.terminal.screen import Screen, reflows
from ferrule.front.terminal.show.ansi import ansi
from ferrule.front.terminal.show.fit import cut
from ferrule.front.terminal.show.lines import BLANK, Line, line
from ferrule.front.terminal.show.status import Status, queue, spinner, status_line
from ferrule.front.terminal.show.theme import Palette, depth_of, theme_of
from ferrule.front.terminal.talk import Talk
from ferrule.front.terminal.transcript import Transcript

FRAME = 1 / 15
"""Seconds between two paintings of what streams; keys do not wait for it."""
TICK = 0.25
"""Seconds between two pictures of what moves by itself."""
_BRIEF = 0.3
"""Seconds before which a command is not said to run."""
_LOW = 9
"""A terminal with fewer rows has none to spare for ornament."""


class Display:
    """Everything that is seen."""

    def __init__(self, write: Callable[[str], None], *, ui: Ui, transcript: Transcript, questions: Questions) -> None:
        theme = theme_of(os.environ, wanted=ui.theme, colour=ui.color)
        self._palette = Palette(theme, depth=depth_of(os.environ, wanted=ui.color))
        self._screen = Screen(
            write, encode=self.coloured, size=size(), rows=[line(PROMPT)], cursor=(0, 2), reflows=reflows(os.environ)
        )
        self._transcript, self._questions = transcript, questions
        self._editor: Editor | None = None
        self._talk: Talk | None = None
        self._menu: Menu | None = None
        self._later: asyncio.TimerHandle | None = None
        self._is_lent = False
        self._jobs_told = 0
        self._shows_tokens = ui.show_token_usage
        self.branch = self.sandbox = ""
        self.is_edited = False
        """Whether files differ from what git has of them."""
        self.note = ""
        """A word below the box, until the next key."""

    def show(self, editor: Editor, talk: Talk, menu: Menu) -> None:
        """Show these from now on."""
        self._editor, self._talk, self._menu = editor, talk, menu

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return self._screen.width

    @property
    def status(self) -> Status:
        """What the status line tells."""
        session = self._talk.session if self._talk else None
        if session is None or self._talk is None:
            return Status(mode="")
        return Status(
            model=session.model,
            mode=session.mode,
            sandbox=self.sandbox,
            used=self._talk.tokens if self._shows_tokens else 0,
            window=session.window,
            cost=self._talk.cost,
            branch=self.branch,
            changed=self.is_edited,
            jobs=self._jobs(),
        )

    def coloured(self, row: Line) -> str:
        """A line as text with its colours."""
        return ansi((row,), colour=True, width=100_000, palette=self._palette)[:-1]

    def now(self) -> None:
        """Paint as soon as nothing else is to be done."""
        if self._editor:
            self._editor.refresh()

    def soon(self) -> None:
        """Paint with the next frame."""
        if self._later is None:
            self._later = asyncio.get_running_loop().call_later(FRAME, self.paint)

    async def tick(self) -> None:
        """Keep moving what moves by itself."""
        while True:
            await asyncio.sleep(TICK)
            if self._talk and (self._talk.is_busy or self._jobs() != self._jobs_told):
                self.soon()

    def _jobs(self) -> int:
        """How many commands run behind the conversation."""
        session = self._talk.session if self._talk else None
        return sum(one.is_running for one in session.guarding.jobs) if session else 0

    def resized(self) -> None:
        """The terminal has another size, or may have."""
        self._screen.resize(size())
        self._transcript.resized()

    def redraw(self) -> None:
        """Draw everything again."""
        self._screen.redraw()
        self.now()

    def clear(self) -> None:
        """Begin at the top of an empty screen."""
        self._screen.clear()
        self.now()

    def lend(self) -> None:
        """Paint nothing until `take_back`; the rows are taken away."""
        self._screen.erase()
        self._is_lent = True

    def take_back(self) -> None:
        """Paint again."""
        self._is_lent = False
        self.resized()
        self.now()

    def paint(self) -> None:
        """Print what is finished, and show the rest as it is."""
        if self._later:
            self._later.cancel()
            self._later = None
        if self._is_lent or not self._editor:
            return
        done = self._transcript.take()
        rows, cursor = self._picture(self._editor)
        self._screen.paint(rows, cursor, above=done)

    def end(self, last: list[Line]) -> None:
        """Print what is left, and take the rows away."""
        if not self._is_lent:
            self._screen.paint((), above=[*self._transcript.take(), *last])
        self._is_lent = True

    def _picture(self, editor: Editor) -> tuple[list[Line], Cursor]:
        width, height = self._screen.width, self._screen.height
        asked = self._questions.shown
        below = self._below(height)
        room = height - len(below) - (2 if height >= _LOW else 0)
        middle, cursor = self._middle(asked, editor, room)
        above = self._above(height - len(middle) - len(below) - 2)
        top, bottom = ([rule(width)], [rule(width, editor.vi_mode)]) if height >= _LOW else ([], [])
        rows = [*above, *top, *middle, *bottom, *below]
        return rows, (len(above) + len(top) + cursor[0], cursor[1])

    def _above(self, most: int) -> list[Line]:
        """What runs and what waits; of what is long, its end."""
        talk, width = self._talk, self._screen.width
        if not talk or most <= 0:
            return []
        last: list[Line] = []
        is_brief = bool(talk.command) and talk.seconds < _BRIEF
        if talk.is_busy and self._questions.shown is None and not is_brief:
            last = [BLANK, spinner(talk.doing, talk.seconds, width=width)]
        last += queue(talk.queue, width=width)
        steps = self._transcript.todo() if talk.is_busy else []
        steps = [BLANK, *steps] if steps else []
        live = self._transcript.live()
        left = most - len(last) - len(steps)
        return [*live[max(0, len(live) - left) :], *steps, *last][-most:] if left > 0 else last[-most:]

    def _middle(self, asked: Asked | None, editor: Editor, room: int) -> tuple[list[Line], Cursor]:
        """The question that waits, or the box."""
        width = self._screen.width
        if asked and not asked.wants_words:
            rows = asked.rows(width, room)
            return rows, (len(rows) - 1, 0)
        head = asked.rows(width, max(1, room // 2)) if asked else []
        most = max(1, min(room - len(head), max(3, self._screen.height // 2)))
        hint = asked.hint if asked else ""
        rows, (row, column) = box(editor.text, editor.buffer.cursor_position, width=width, most=most, hint=hint)
        return [*head, *rows], (len(head) + row, column)

    def _below(self, height: int) -> list[Line]:
        width = self._screen.width
        rows = self._menu.rows(width, height // 2 - 2) if self._menu else []
        if not rows and self.note:
            rows = [cut(line(f"  {self.note}", "dim"), width)]
        status = self.status
        self._jobs_told = status.jobs
        return [*rows, status_line(status, width=width)]
