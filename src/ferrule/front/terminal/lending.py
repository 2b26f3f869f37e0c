"""Leaves the terminal to other programs: a pager, an editor, the shell; and takes it back as it was."""

from collections.abc import Awaitable, Sequence
from typing import TypeVar

from ferrule.front.terminal import outside
from ferrule.front.terminal.display import Display
from ferrule.front.terminal.early import Ground
from ferrule.front.terminal.editor import Editor
from ferrule.front.terminal.show.lines import Line

Given = TypeVar("Given")


class Lending:
    """The terminal, to be lent. What happens meanwhile is printed when it is back."""

    def __init__(self, ground: Ground, display: Display, editor: Editor) -> None:
        self._ground, self._display, self._editor = ground, display, editor

    async def page(self, lines: Sequence[Line]) -> None:
        """Show lines in a pager."""
        text = "\n".join(map(self._display.coloured, lines))
        await self._lend(outside.page(text))

    async def edit(self, text: str) -> str | None:
        """Have a text changed in the user's editor; None where that failed."""
        return await self._lend(outside.edit(text))

    def suspend(self) -> None:
        """Go to the background, until the shell brings us back."""
        self._display.lend()
        self._ground.lend()
        outside.suspend()
        self._ground.take_back()
        self._display.take_back()

    async def _lend(self, program: Awaitable[Given]) -> Given:
        self._display.lend()
        self._ground.lend()
        try:
            with self._editor.app.input.detach():
                return await program
        finally:
            self._ground.take_back()
            self._display.take_back()
