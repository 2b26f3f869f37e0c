"""Which key does what. Moving and editing are prompt_toolkit's own, after emacs or vi."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, Filter, vi_insert_mode, vi_mode
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys


class Actions(Protocol):
    """What keys can do, apart from editing."""

    @property
    def is_asking(self) -> bool:
        """Whether a choice waits, so that keys answer it."""

    @property
    def has_menu(self) -> bool:
        """Whether completions are shown."""

    @property
    def only_works(self) -> bool:
        """Whether something runs and nothing is typed, so that Esc has one meaning."""

    def answer(self, key: str) -> None:
        """Give a key to the choice that waits."""

    def enter(self) -> None:
        """Send what was typed, or take the completion."""

    def paste(self, text: str) -> None:
        """Take in what was pasted."""

    def rub_out(self) -> bool:
        """Rub out a folded paste before the cursor; False where there is none."""

    def up(self) -> None:
        """Go up: in the completions, in the text, or to what was typed before."""

    def down(self) -> None:
        """Go down likewise."""

    def tab(self) -> None:
        """Complete."""

    def escape(self) -> None:
        """Close, interrupt, or with a second one go back."""

    def escape_twice(self) -> None:
        """The same for two that come at once."""

    def break_off(self) -> None:
        """Interrupt, clear, or with a second one quit."""

    def end_of_input(self) -> None:
        """Quit, where nothing is typed."""

    def next_mode(self) -> None:
        """Go on to the next mode."""

    def show_whole(self) -> None:
        """Show what was shortened, in a pager."""

    def fold_thoughts(self) -> None:
        """Show thoughts whole from now on, or fold them again."""

    def redraw(self) -> None:
        """Draw everything again."""

    def search(self) -> None:
        """Search in what was typed before."""

    def edit_outside(self) -> None:
        """Write in the user's own editor."""

    def suspend(self) -> None:
        """Go to the background."""


def bindings_of(actions: Actions) -> KeyBindings:
    """The keys."""
    keys = KeyBindings()
    asking = Condition(lambda: actions.is_asking)
    typing = ~asking
    at_any_time = {
        "c-c": actions.break_off,
        "s-tab": actions.next_mode,
        "c-o": actions.show_whole,
        "c-l": actions.redraw,
        "c-t": actions.fold_thoughts,
        "c-z": actions.suspend,
    }
    while_typing = {
        "enter": actions.enter,
        "up": actions.up,
        "down": actions.down,
        "tab": actions.tab,
        "c-r": actions.search,
        "c-g": actions.edit_outside,
    }
    for name, action in (at_any_time | while_typing).items():
        _bind(keys, (name,), action, typing)
    _bind(keys, ("c-x", "c-e"), actions.edit_outside, typing)
    _bind(keys, ("escape", "escape"), actions.escape_twice, typing)
    interrupting = Condition(lambda: actions.only_works)
    _bind(keys, ("escape",), actions.escape, typing & (~vi_insert_mode | interrupting))
    _bind(keys, ("c-d",), actions.end_of_input, Condition(lambda: not get_app().current_buffer.text))
    _writing(keys, actions, typing)
    _answering(keys, actions, asking)
    for name, action in at_any_time.items():
        _bind(keys, (name,), action, asking, eager=True)
    return keys


def _bind(
    keys: KeyBindings, sequence: tuple[str, ...], action: Callable[[], object], when: Filter, *, eager: bool = False
) -> None:
    @keys.add(*sequence, filter=when, eager=eager)
    def _(_event: KeyPressEvent) -> None:
        action()


def _answering(keys: KeyBindings, actions: Actions, asking: Filter) -> None:
    """While a choice waits no key edits; eager, since vi's own keys would come first."""

    @keys.add(Keys.Any, filter=asking, eager=True)
    def _(event: KeyPressEvent) -> None:
        if len(event.data) == 1 and event.data.isprintable():
            actions.answer(event.data)

    for name in ("up", "down", "tab", "enter"):
        _bind(keys, (name,), partial(actions.answer, name), asking, eager=True)
    _bind(keys, ("escape",), actions.escape, asking, eager=True)


def _writing(keys: KeyBindings, actions: Actions, typing: Filter) -> None:
    @keys.add("escape", "enter", filter=typing)
    @keys.add("c-j", filter=typing)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    @keys.add(Keys.BracketedPaste, filter=typing)
    def _(event: KeyPressEvent) -> None:
        actions.paste(event.data)

    @keys.add("backspace", filter=typing & (~vi_mode | vi_insert_mode))
    def _(event: KeyPressEvent) -> None:
        if not actions.rub_out():
            event.current_buffer.delete_before_cursor(count=event.arg)


def goes_on(buffer: Buffer) -> bool:
    """Whether the line ends in a backslash, so that Enter goes on with it; the backslash makes way."""
    if buffer.document.is_cursor_at_the_end and buffer.text.endswith("\\"):
        buffer.delete_before_cursor()
        buffer.newline(copy_margin=False)
        return True
    return False
