"""What is said and done, as lines: the finished ones to be printed once, the unfinished ones as they are now."""

import time
from collections import deque
from collections.abc import Callable, Sequence

from ferrule.config.schema import Ui
from ferrule.core.events import (
    Appended,
    Compacted,
    Event,
    Notice,
    PermissionAsked,
    Retrying,
    RunEnded,
    RunStarted,
    ToolEnded,
    ToolPrinted,
    ToolStarted,
    TurnStarted,
    Waiting,
)
from ferrule.core.messages import Assistant, Message, ToolCall, ToolResult, User
from ferrule.core.model import Delta
from ferrule.core.names import canonical
from ferrule.front.terminal.shell import is_own, without_told
from ferrule.front.terminal.show.calls import call_ended, call_running, todo_panel
from ferrule.front.terminal.show.diff import KEY
from ferrule.front.terminal.show.lines import BLANK, Line
from ferrule.front.terminal.show.markdown import Markdown
from ferrule.front.terminal.show.notices import (
    compacted,
    notice,
    problem,
    prompted,
    retrying,
    run_ended,
    thinking,
    thought,
)

_MOST_KEPT = 20_000
"""Characters of a running command that are kept to be shown."""
_MOST_STEPS = 8
_USUAL = Ui()
Whole = Callable[[int], list[Line]]
"""All of something, at a width."""


class _Running:
    """A call that runs."""

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self.began = time.monotonic()
        self.printed = ""


class Transcript:
    """Turns events into lines."""

    def __init__(self, width: Callable[[], int], *, is_live: bool = True, ui: Ui = _USUAL) -> None:
        """Make lines of a width that may change.

        Where it is not live, what the person says is theirs to see, steps are printed with each change, and no key
        shows what was folded.
        """
        self._width, self._is_live, self._ui = width, is_live, ui
        self._key = KEY if is_live else ""
        self._done: list[Line] = []
        self._markdown: Markdown | None = None
        self._put_off: list[Line] = []
        """What came while an answer streams in, and is printed when that has ended."""
        self._held = ""
        """An answer that is to be shown once it is complete."""
        self._thinking = ""
        self._thinks_since = 0.0
        self._running: dict[str, _Running] = {}
        self._calls: dict[str, ToolCall] = {}
        self._previews: dict[str, str] = {}
        self._retrying: tuple[float, Retrying] | None = None
        self._began = 0.0
        self._has_gap = True
        self._todo: ToolCall | None = None
        self._writes_call = ""
        self._is_asked = False
        self._waits = ""
        self.shows_thoughts = False
        """Whether thoughts are printed whole once they are finished."""
        self.whole: deque[Whole] = deque(maxlen=20)
        """The last that was shortened, whole."""

    @property
    def doing(self) -> str:
        """What is going on, and so what is awaited."""
        if self._retrying:
            return "Waiting to try again"
        if self._running:
            names = [one.call.name for one in self._running.values()]
            return f"Running {names[0]}" if len(names) == 1 else f"Running {len(names)} calls"
        if self._is_asked:
            return "Waiting for your answer"
        if self._writes_call:
            return f"Preparing {self._writes_call}"
        if self._markdown or self._held:
            return "Writing"
        return "Thinking" if self._thinking else self._waits or "Waiting for the model"

    def take(self) -> list[Line]:
        """The lines that are finished since the last time."""
        done, self._done = self._done, []
        return done

    def live(self) -> list[Line]:
        """The lines that are not finished."""
        width, now = self._width(), time.monotonic()
        lines = thinking(self._thinking, width=width) if self._thinking and self._ui.stream_responses else []
        if self._markdown:
            lines += self._markdown.tail()
        if self._put_off:
            lines += [BLANK, *self._put_off]
        for one in (one for one in self._running.values() if self._shows(one.call)):
            lines += call_running(one.call, one.printed, seconds=now - one.began, width=width)
        if self._retrying:
            until, event = self._retrying
            lines += retrying(event, until - now, width=width)
        needs_gap = lines and not self._has_gap and not self._markdown
        return [BLANK, *lines] if needs_gap else lines

    def resized(self) -> None:
        """Go on with another width."""
        if self._markdown:
            self._markdown.resize(self._width())

    def todo(self) -> list[Line]:
        """The steps of the task that is carried out, while some are left."""
        items = self._todo.input.get("todos") if self._todo else None
        is_done = not isinstance(items, list) or all(_is_completed(item) for item in items)
        return [] if self._todo is None or is_done else todo_panel(self._todo, width=self._width(), most=_MOST_STEPS)

    def say(self, lines: Sequence[Line]) -> None:
        """Print lines for good, with a blank one before them; while an answer streams in, behind it."""
        if not self._markdown:
            self._print(lines)
        elif lines:
            self._put_off += [BLANK, *lines] if self._put_off and self._put_off[-1] else lines

    def break_off(self) -> None:
        """Print what has come of an answer, and what was put off: there is no more."""
        if self._markdown:
            self._print(self._markdown.end(), gap=False)
        self._markdown = None
        self._print_put_off()

    def _print(self, lines: Sequence[Line], *, gap: bool = True) -> None:
        if not lines:
            return
        if gap and not self._has_gap:
            self._done.append(BLANK)
        self._done += lines
        self._has_gap = not lines[-1]

    def _print_put_off(self) -> None:
        lines, self._put_off = self._put_off, []
        self._print(lines)

    def remark(self, text: str) -> None:
        """Print what the person should know."""
        self.say(notice(Notice(text=text, level="info"), width=self._width()))

    def warn(self, text: str) -> None:
        """Print what the person should take care of."""
        self.say(notice(Notice(text=text, level="warning"), width=self._width()))

    def complain(self, text: str) -> None:
        """Print what went wrong."""
        self.say(problem(text, width=self._width()))

    def markdown(self, text: str) -> None:
        """Print a text that is there already."""
        told = Markdown(self._width())
        self.say([*told.feed(text), *told.end()])

    def echo(self, text: str) -> None:
        """Print a command that the person gave."""
        if self._is_live:
            self.say(prompted(text, width=self._width()))

    def recall(self, messages: Sequence[Message]) -> None:
        """Print a conversation that took place before; what comes now goes on from it."""
        self._todo = None
        for message in messages:
            match message:
                case User(by="person"):
                    self._said(message)
                case Assistant():
                    if message.text:
                        self.markdown(message.text)
                    self._calls |= {call.id: call for call in message.calls}
                case ToolResult():
                    self._ended(message)
                case _:
                    pass

    def hear(self, event: Event) -> None:
        """Take in what happened."""
        match event:
            case RunStarted():
                self._began, self._todo = time.monotonic(), None
            case TurnStarted():
                self._retrying, self._is_asked, self._waits = None, False, ""
            case Delta(kind="text" | "thinking"):
                self._piece(event)
            case Delta(kind="call", text=name):
                self._writes_call = name
            case Appended(message=User(by="person") as message) if self._is_live:
                self._said(message)
            case Appended(message=Assistant() as message):
                self._answered(message)
            case PermissionAsked(call=call, preview=preview):
                self._previews[call.id] = preview
                self._is_asked = True
            case ToolStarted(call=call):
                self._running[call.id] = _Running(call)
                self._is_asked = False
            case ToolPrinted(call_id=id, text=text) if id in self._running:
                running = self._running[id]
                running.printed = (running.printed + text)[-_MOST_KEPT:]
            case ToolEnded(result=result):
                self._ended(result)
            case Retrying():
                self._drop()
                self._retrying = (time.monotonic() + event.delay, event)
            case Waiting(text=text):
                self._retrying, self._waits = None, text.partition(" … ")[0]  # how long stands beside it
            case Notice():
                self.say(notice(event, width=self._width()))
            case Compacted():
                self.say(compacted(event, width=self._width()))
            case RunEnded():
                self._run_ended(event)
            case _:
                pass

    def _said(self, message: User) -> None:
        self.say(prompted(without_told(message), width=self._width()))

    def _piece(self, delta: Delta) -> None:
        self._retrying, self._waits = None, ""
        if delta.kind == "thinking":
            self._thinking += delta.text
            self._thinks_since = self._thinks_since or time.monotonic()
            return
        self._end_thinking()
        if self._ui.stream_responses:
            self._write(delta.text)
        else:
            self._held += delta.text

    def _write(self, text: str) -> None:
        """Go on with an answer, or begin it with its first word."""
        if self._markdown is None:
            if not text.strip():
                return
            self._print([] if self._has_gap else [BLANK], gap=False)
            self._markdown = Markdown(self._width())
        self._print(self._markdown.feed(text), gap=False)

    def _end_thinking(self) -> None:
        if self._thinking:
            seconds, text = time.monotonic() - self._thinks_since, self._thinking
            self._thinking, self._thinks_since = "", 0.0
            self.whole.append(lambda width: thought(text, seconds, width=width, whole=True))
            self._print(thought(text, seconds, width=self._width(), whole=self.shows_thoughts, key=self._key))

    def _answered(self, message: Assistant) -> None:
        self._end_thinking()
        if self._held:
            self._write(self._held)
        self.break_off()
        self._held, self._writes_call = "", ""
        self._calls = {call.id: call for call in message.calls}

    def _ended(self, result: ToolResult) -> None:
        running = self._running.pop(result.call_id, None)
        known = self._calls.get(result.call_id) or ToolCall(id=result.call_id, name=result.tool, input={})
        call = running.call if running else known
        seconds = time.monotonic() - running.began if running else 0.0  # without the time that a question took
        preview = self._previews.pop(call.id, "")
        self.whole.append(lambda width: call_ended(call, result, seconds, width=width, preview=preview, whole=True))
        lines = call_ended(call, result, seconds, width=self._width(), preview=preview, key=self._key)
        self._is_asked = False
        if canonical(call.name) == "todo" and not result.is_error:
            self._todo = call
            lines = lines[:1] if self._is_live else lines  # the steps are in the panel
        self.say(lines if self._shows(call) else [])

    def _shows(self, call: ToolCall) -> bool:
        """Whether a call is shown; those that the person makes or answers always are."""
        return self._ui.show_tool_calls or is_own(call) or canonical(call.name) == "ask_user"

    def _drop(self) -> None:
        """What had streamed is void; what was printed of it cannot be taken back."""
        self._markdown, self._held, self._thinking, self._thinks_since, self._writes_call = None, "", "", 0.0, ""
        self._print_put_off()

    def _run_ended(self, event: RunEnded) -> None:
        self._drop()
        self._running.clear()
        self._previews.clear()
        self._retrying, self._is_asked = None, False
        if self._is_live:
            self.say(self.todo())
        seconds = time.monotonic() - self._began if self._began else 0.0  # it may end before it began
        self._began = 0.0
        self.say(run_ended(event, seconds, width=self._width(), tokens=self._ui.show_token_usage))


def _is_completed(item: object) -> bool:
    return isinstance(item, dict) and item.get("status") == "completed"
