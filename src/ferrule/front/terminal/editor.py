"""The line editor: prompt_toolkit's buffer and keys; what it looks like is ours to paint."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.layout import BufferControl, Layout, Window
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.renderer import Renderer
from prompt_toolkit.styles import DummyStyle

from ferrule.front.terminal.reader import KeyReader

_ESCAPE_ALONE = 0.05
"""Seconds after which an Esc is no beginning of another key."""
_NO_CHORD = 0.12
"""Seconds after which it is no beginning of a chord either."""


class Keyboard(KeyReader):
    """The keyboard of a terminal that is in raw mode already."""

    def raw_mode(self) -> AbstractContextManager[None]:
        """Leave the terminal as it is."""
        return nullcontext()

    def cooked_mode(self) -> AbstractContextManager[None]:
        """Leave the terminal as it is."""
        return nullcontext()


class _Painter(Renderer):
    """Stands in for prompt_toolkit's renderer: asks us to paint, and tells us when the terminal changes its size."""

    def __init__(self, paint: Callable[[], None], resized: Callable[[], None]) -> None:
        self._paint, self._resized = paint, resized
        super().__init__(DummyStyle(), DummyOutput())

    def render(self, app: "Application[None]", layout: Layout, is_done: bool = False) -> None:  # noqa: FBT001, FBT002
        """Paint; what comes at the end is not prompt_toolkit's to decide."""
        if not is_done:
            self._paint()

    def erase(self, leave_alternate_screen: bool = True) -> None:  # noqa: FBT001, FBT002
        """It is called for one reason here: the terminal has another size."""
        self._resized()

    def request_absolute_cursor_position(self) -> None:
        """Nobody needs to know."""


class Editor:
    """What is typed, until it is sent."""

    def __init__(
        self,
        keyboard: Keyboard,
        *,
        bindings: KeyBindings,
        vi: bool,
        paint: Callable[[], None],
        resized: Callable[[], None],
        changed: Callable[[], None],
        pressed: Callable[[], None],
    ) -> None:
        self.buffer = Buffer(multiline=True)
        self.buffer.on_text_changed += lambda _: changed()
        self.buffer.on_cursor_position_changed += lambda _: changed()
        self.app: Application[None] = Application(
            layout=Layout(Window(BufferControl(self.buffer))),
            key_bindings=bindings,
            editing_mode=EditingMode.VI if vi else EditingMode.EMACS,
            include_default_pygments_style=False,
            max_render_postpone_time=None,
            terminal_size_polling_interval=None,
            input=keyboard,
            output=DummyOutput(),
        )
        self.app.key_processor.before_key_press += lambda _: pressed()
        self.app.renderer = _Painter(paint, resized)
        self.app.ttimeoutlen, self.app.timeoutlen = _ESCAPE_ALONE, _NO_CHORD

    @property
    def text(self) -> str:
        """What stands in the box."""
        return self.buffer.text

    @property
    def is_vi(self) -> bool:
        """Whether the keys are vi's, where Esc is a key like any other."""
        return self.app.editing_mode == EditingMode.VI

    @property
    def vi_mode(self) -> str:
        """What vi's keys do when they are not for typing; nothing when they are."""
        if not self.is_vi or self.app.vi_state.input_mode == InputMode.INSERT:
            return ""
        return str(self.app.vi_state.input_mode.value).removeprefix("vi-")

    def put(self, text: str) -> None:
        """Put another text into the box, with the cursor at its end."""
        self.buffer.reset()
        self.buffer.insert_text(text)

    async def run(self) -> None:
        """Read keys until `stop`, or until the keyboard is gone.

        Raises:
            EOFError: the keyboard is gone.
        """
        await self.app.run_async(set_exception_handler=False, handle_sigint=False)

    def stop(self) -> None:
        """Read no more keys."""
        if self.app.is_running and not self.app.is_done:
            self.app.exit()

    def refresh(self) -> None:
        """Paint as soon as possible."""
        self.app.invalidate()
