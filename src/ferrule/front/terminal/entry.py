"""What is being typed: pastes folded, what was typed before, completions taken."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ferrule.front.terminal.ask import Questions
from ferrule.front.terminal.editor import Editor
from ferrule.front.terminal.history import History
from ferrule.front.terminal.menu import Menu
from ferrule.front.terminal.paste import Pastes
from ferrule.front.terminal.pictures import is_picture
from ferrule.front.terminal.show.fit import wrap
from ferrule.front.terminal.show.lines import Line, Span
from ferrule.front.terminal.show.safe import one_line


class Entry:
    """The box and what belongs to it."""

    def __init__(self, editor: Editor, menu: Menu, history: History, waiting: Callable[[], list[str]]) -> None:
        self._editor, self._menu, self._history, self._waiting = editor, menu, history, waiting
        self._pastes = Pastes()
        self._place: int | None = None
        """Where in the history the box stands; None for what is being typed."""
        self._draft = ""
        self._aside: str | None = None
        """What was being typed when a question came that wants words."""
        self._searched: int | None = None

    @property
    def text(self) -> str:
        """What stands in the box, pastes and all."""
        return self._pastes.unfold(self._editor.text)

    @text.setter
    def text(self, text: str) -> None:
        self._editor.put(text)
        self._menu.close()

    def take(self) -> str:
        """What stands in the box; the box is empty then."""
        text = self.text
        self.text = ""
        self._place = None
        self._pastes.forget()
        return text

    def put_by(self) -> None:
        """Clear the box; what stood in it can be found again."""
        if text := self.take():
            self.remember(text)

    def remember(self, text: str) -> None:
        """Keep what was sent, to be found again."""
        self._history.add(text)

    def make_room(self, *, for_words: bool) -> None:
        """Put aside what is being typed while a question wants words, and bring it back afterwards."""
        if for_words and self._aside is None:
            self._aside = self._editor.text
            self.text = ""
        elif not for_words and self._aside is not None:
            self.text, self._aside = self._aside, None

    def paste(self, text: str) -> None:
        """Take in what was pasted: folded where it is long, named where it is the path of a picture."""
        path = text.strip().strip("'\"")
        word = f"@{path} " if is_picture(path) else self._pastes.fold(text)
        self._editor.buffer.insert_text(word)

    def rub_out(self) -> bool:
        """Rub out a folded paste before the cursor as one; False where there is none."""
        word = self._pastes.word_before(self._editor.buffer.document.text_before_cursor)
        if word:
            self._editor.buffer.delete_before_cursor(len(word))
        return bool(word)

    def complete(self) -> None:
        """Put in the completion that is pointed at."""
        offer, chosen = self._menu.offer, self._menu.chosen
        if offer:
            buffer = self._editor.buffer
            buffer.delete_before_cursor(buffer.cursor_position - offer.word.start)
            goes_on = chosen.endswith("/") or offer.word.kind == "path"
            buffer.insert_text(chosen if goes_on else f"{chosen} ")
            self._menu.close()
            if chosen.endswith("/") or offer.word.kind == "command":
                self._menu.update(on_request=True)

    def up(self) -> None:
        """Go up: in the completions, in the text, to what waits, or to what was typed before."""
        buffer = self._editor.buffer
        if self._menu.offer:
            self._menu.move(-1)
        elif not buffer.document.on_first_line:
            buffer.cursor_up()
        elif not buffer.text and (waiting := self._waiting()):
            self.text = waiting.pop()
        else:
            self._recall(-1)

    def down(self) -> None:
        """Go down likewise."""
        buffer = self._editor.buffer
        if self._menu.offer:
            self._menu.move(1)
        elif not buffer.document.on_last_line:
            buffer.cursor_down()
        else:
            self._recall(1)

    def search(self, questions: Questions) -> Coroutine[Any, Any, None] | None:
        """Search in what was typed before; each Ctrl+R goes on to an older one. What is given waits for the end."""
        if self._searched is not None:
            self._searched = self._found(self._searched)
            return None
        self._searched = len(self._history.entries)
        return self._search(questions.words(self._told, hint="Search in what was typed before"))

    async def _search(self, words: Awaitable[str | None]) -> None:
        searched: str | None = None
        try:
            searched = await words
        finally:
            found, self._searched = self._found((self._searched or 0) + 1, searched or ""), None
        if searched is not None and found < len(self._history.entries):
            self.text = self._history.entries[found]

    def _found(self, before: int, words: str | None = None) -> int:
        place = self._history.search(self._editor.text if words is None else words, before)
        return place if place is not None else min(before, len(self._history.entries))

    def _told(self, width: int) -> list[Line]:
        place = self._found((self._searched or 0) + 1)
        entries = self._history.entries
        words = one_line(entries[place], width * 2) if place < len(entries) else "nothing"
        return wrap((Span("found: ", "dim"), Span(words, "strong")), width)[:2]

    def _recall(self, by: int) -> None:
        """Go to another entry of the history; behind the last stands what was being typed."""
        entries = self._history.entries
        if self._place is None:
            self._draft = self._editor.text
        place = (len(entries) if self._place is None else self._place) + by
        if 0 <= place <= len(entries):
            self._place = place if place < len(entries) else None
            self.text = self._draft if self._place is None else entries[place]
