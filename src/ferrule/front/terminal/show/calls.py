"""Tool calls: one line when they begin, a summary when they have ended, the last lines while they run."""

from collections.abc import Callable
from typing import Any

import msgspec

from ferrule.core.messages import Image, ToolCall, ToolResult
from ferrule.core.names import canonical
from ferrule.core.regex import lazy
from ferrule.front.terminal.show.diff import KEY, added, diff, folded, more, totals
from ferrule.front.terminal.show.fit import chopped, columns_of, cut, wrap
from ferrule.front.terminal.show.lines import Line, Span, line
from ferrule.front.terminal.show.safe import one_line, safe, safe_lines, seen_lines
from ferrule.front.terminal.show.words import count, duration, elapsed

LIVE = 5
_HEAD, _TAIL = 3, 5
"""Lines of a command's output that are shown, from its beginning and its end."""
_ERROR = 6
_LAST_OUTPUT = "Its last output:"
"""How the words on a command that was interrupted end, before what it printed."""
_SIDE: Line = (Span("  "),)
_BOXES = {"pending": ("☐ ", "dim"), "in_progress": ("◐ ", "accent"), "completed": ("☑ ", "good")}
_EXIT = lazy(r"^(?:Exit code: (\d+)|Killed by signal (\w+)|Timed out after )")
_NUMBERED = lazy(r"^ *\d+\t")
_FOUND = lazy(r"^\((?:the first [\d,]+; )?(?:in all )?(.*?)\)$")
_SUBJECTS = {
    "read": "file_path",
    "write": "file_path",
    "edit": "file_path",
    "ls": "path",
    "glob": "pattern",
    "grep": "pattern",
    "bash": "command",
    "web_fetch": "url",
    "web_search": "query",
    "task": "description",
}


def call_started(call: ToolCall, *, width: int) -> list[Line]:
    """A call in one line: `● read src/a.py`."""
    return [_headline(call, Span("● ", "busy"), width=width)]


def call_running(call: ToolCall, printed: str, *, seconds: float, width: int) -> list[Line]:
    """A call that runs: its line with the time, and the last lines of what it printed."""
    lines = [_headline(call, Span("● ", "busy"), note=elapsed(seconds), width=width)]
    last = safe_lines(printed[-LIVE * 1_000 :])[-LIVE:]
    return lines + [cut((*_SIDE, Span(text, "dim")), width) for text in last]


def call_ended(
    call: ToolCall,
    result: ToolResult,
    seconds: float,
    *,
    width: int,
    preview: str = "",
    whole: bool = False,
    key: str = KEY,
) -> list[Line]:
    """A call and what it came to; `preview` is the diff that a question about it showed, `whole` folds nothing.

    `key` shows what was folded.
    """
    tool = canonical(call.name)
    ended = _Ended(call, result, seconds, width=width, preview=preview, whole=whole, key=key)
    if result.is_error and not (tool == "bash" and _how(ended.lines)):
        return _failed(ended)
    return _SUMMARIES.get(tool, _other)(ended)


def todo_panel(call: ToolCall, *, width: int, most: int | None = None) -> list[Line]:
    """The list of steps that a call of `todo` sets; of more than `most` those around the first that is not done."""
    items = _items(call.input.get("todos"))
    lines: list[Line] = []
    for item in items if most is None else _nearest(items, most):
        box, style = _BOXES.get(str(item.get("status")), _BOXES["pending"])
        words = {"accent": "strong", "good": "dim"}.get(style, "")
        text = line(one_line(str(item.get("content", ""))), words)
        lines += wrap(text, width, first=(*_SIDE, Span(box, style)), rest=(Span("    "),))
    return lines


def _nearest(items: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """So many steps, beginning with the last that is done: what is being done, and what comes next."""
    done = next((n for n, item in enumerate(items) if item.get("status") != "completed"), len(items))
    first = max(0, min(done - 1, len(items) - most))
    return items[first : first + most]


class _Ended:
    """A call that has ended, and how to tell it."""

    def __init__(
        self, call: ToolCall, result: ToolResult, seconds: float, *, width: int, preview: str, whole: bool, key: str
    ) -> None:
        self.call, self.result, self.seconds = call, result, seconds
        self.width, self.preview, self.whole, self.key = width, preview, whole, key
        self.text = result.text
        self.lines = safe_lines(result.text)

    @property
    def fold(self) -> int | None:
        """After how many lines to fold."""
        return None if self.whole else 20

    def headline(self, note: str, *, good: bool = True) -> Line:
        """The call's own line, with what it came to."""
        took = duration(self.seconds) if self.seconds >= 1 else ""
        notes = " · ".join(filter(None, (note, took)))
        return _headline(self.call, Span("● ", "good" if good else "error"), note=notes, width=self.width)

    def body(self, text: str, style: str = "dim") -> list[Line]:
        """Output below the call's line."""
        rows = [line(one, style) for one in safe_lines(text)]
        return folded(rows, width=self.width, most=self.fold, first=_SIDE, key=self.key)


def _headline(call: ToolCall, dot: Span, *, width: int, note: str = "") -> Line:
    """What is called and with what; the note keeps its room, the rest is cut.

    Of a command that is too long only half is shown, if there are words on what it is for.
    """
    tail = cut(line(f" · {note}" if note else "", "dim"), width // 2)
    head: Line = (dot, Span(one_line(canonical(call.name), 60), "tool"), *_subject(call))
    room, purpose = width - columns_of(tail), call.input.get("description")
    if columns_of(head) > room and canonical(call.name) == "bash" and isinstance(purpose, str) and purpose.strip():
        head = (*cut(head, room // 2), Span(f" {one_line(purpose, 200)}", "dim"))
    return (*cut(head, room), *tail)


def _subject(call: ToolCall) -> Line:
    """What a call is about: its file, its command, or the first words among its arguments."""
    if call.malformed is not None:
        return (Span(f" {one_line(call.malformed)}", "dim"),)
    tool, given = canonical(call.name), call.input
    if tool == "todo":
        return ()
    if tool == "ask_user":
        return (Span(f" {one_line(str(given.get('question', '')))}"),)
    if tool == "bash" and given.get("job") is not None:
        return (Span(f" job {one_line(str(given['job']))}{' (stop)' * bool(given.get('stop'))}"),)
    value = given.get(_SUBJECTS.get(tool, ""), None)
    if not isinstance(value, str):
        return _arguments(given) if tool not in _SUBJECTS else ()
    where = one_line(str(given.get("path") or "")) if tool in {"grep", "glob"} else ""
    style = "path" if _SUBJECTS[tool] in {"file_path", "path"} else ""
    inside = (Span(" in ", "dim"), Span(where, "path")) if where not in {"", "."} else ()
    return (Span(f" {one_line(value)}", style), *inside)


def _arguments(input: dict[str, Any]) -> Line:
    """The arguments of a tool that is not known, as short as they can be told."""
    spans: list[Span] = []
    for name, value in input.items():
        spans += Span(f" {one_line(name, 60)}=", "dim"), Span(one_line(_shown(value), 200))
    return tuple(spans)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode("utf-8", "replace")
    except (ValueError, TypeError, RecursionError):
        return type(value).__name__


def _failed(ended: _Ended) -> list[Line]:
    """A call that could not be done: its line, and the first lines of why; of what it printed, the last ones."""
    lines = ended.lines or ["It failed and said nothing."]
    left = 0 if ended.whole or len(lines) <= _ERROR + 1 else len(lines) - _ERROR
    first = len(lines) if not left else 1 if lines[0].endswith(_LAST_OUTPUT) else _ERROR
    rest = [cut((*_SIDE, *more(left, ended.key)), ended.width)] if left else []
    before, after = (
        [part for text in some for part in wrap(line(text, "error"), ended.width, first=_SIDE)]
        for some in (lines[:first], lines[first + left :])
    )
    return [ended.headline("", good=False), *before, *rest, *after]


def _read(ended: _Ended) -> list[Line]:
    images = sum(isinstance(part, Image) for part in ended.result.content)
    lines = sum(bool(_NUMBERED.search(text)) for text in ended.text.split("\n"))
    note = count(images, "picture") if images else count(lines, "line") if lines else one_line(safe(ended.text), 80)
    return [ended.headline(note), *(ended.body(ended.text) if ended.whole else [])]


def _found(ended: _Ended) -> list[Line]:
    """What a search found: its own words for the total, or the number of its lines."""
    lines = [text for text in ended.lines if text.strip() and text != "--"]
    last = _FOUND.search(lines[-1]) if lines else None
    if len(lines) == 1 and lines[0].startswith(("No match", "No file", "The directory is empty")):
        note = one_line(lines[0].split(" for ")[0].split(" matches ")[0].rstrip("."), 60).lower()
    elif last:
        note = one_line(last[1], 60)
    else:
        note = count(len(lines), _found_kind(ended.call))
    return [ended.headline(note), *(ended.body(ended.text) if ended.whole else [])]


def _found_kind(call: ToolCall) -> str:
    """What the lines of a search are."""
    if canonical(call.name) == "ls":
        return "entry"
    if call.input.get("output_mode") != "content":
        return "file"
    return "line" if any(call.input.get(flag) for flag in ("-A", "-B", "-C")) else "match"


def _edited(ended: _Ended) -> list[Line]:
    words, _, change = ended.text.partition("\n")
    return [ended.headline(_balance(change)), *_remarks(words, ended), *_diff(change, ended)]


def _written(ended: _Ended) -> list[Line]:
    """A written file: the diff where one is known, else its text."""
    words = ended.text.partition("\n")[0]
    if "nothing was written" in words:
        return [ended.headline("unchanged")]
    if ended.preview.startswith("---"):
        return [ended.headline(_balance(ended.preview)), *_diff(ended.preview, ended)]
    content = str(ended.call.input.get("content", ""))
    note = count(len(seen_lines(content)), "line")
    kind = "new, " if words.startswith("Created") else ""
    rows = added(content, width=ended.width - 2, most=ended.fold, key=ended.key)
    return [ended.headline(kind + note), *((*_SIDE, *row) for row in rows)]


def _diff(change: str, ended: _Ended) -> list[Line]:
    rows = diff(change, width=ended.width - 2, most=ended.fold, key=ended.key)
    return [(*_SIDE, *row) for row in rows]


def _balance(change: str) -> str:
    plus, minus = totals(change)
    return f"+{plus} −{minus}"


def _remarks(words: str, ended: _Ended) -> list[Line]:
    """What an edit had to say beyond having been made."""
    _, _, remark = safe(words).partition("; ")
    return wrap(line(remark, "dim"), ended.width, first=_SIDE) if remark else []


def _how(lines: list[str]) -> tuple[int, str] | None:
    """How a command ended, and which of its lines says so."""
    for number in range(len(lines) - 1, -1, -1):
        if found := _EXIT.search(lines[number]):
            return number, f"exit {found[1]}" if found[1] else f"killed by {found[2]}" if found[2] else "timed out"
    return None


def _ran(ended: _Ended) -> list[Line]:
    """A command: how it ended, and the first and last lines of what it printed."""
    place, how = _how(ended.lines) or (-1, "")
    output = [text for number, text in enumerate(ended.lines) if number != place and text != "(no output)"]
    note = " · ".join(filter(None, (how, "" if output else "no output")))
    rows = [line(text, "" if ended.result.is_error else "dim") for text in output]
    left = len(rows) - _HEAD - _TAIL
    shown = rows if ended.whole or left <= 1 else [*rows[:_HEAD], more(left, ended.key), *rows[-_TAIL:]]
    headline = ended.headline(note, good=not ended.result.is_error)
    return [headline, *(part for row in shown for part in _fitted(row, ended))]


def _fitted(row: Line, ended: _Ended) -> list[Line]:
    """A row of output: cut in a summary, broken where all of it is wanted."""
    return chopped(row, ended.width, first=_SIDE) if ended.whole else [cut((*_SIDE, *row), ended.width)]


def _listed(ended: _Ended) -> list[Line]:
    items = _items(ended.call.input.get("todos"))
    done = sum(item.get("status") == "completed" for item in items)
    return [ended.headline(f"{done} of {len(items)} done"), *todo_panel(ended.call, width=ended.width)]


def _asked(ended: _Ended) -> list[Line]:
    answer = one_line(safe(ended.text).removeprefix("The person answered: "))
    rows = wrap(line(answer, "accent"), ended.width, first=(Span("  → ", "dim"),), rest=(Span("    "),))
    return [ended.headline(""), *rows]


def _other(ended: _Ended) -> list[Line]:
    """A tool that is not known: the first lines of what it said."""
    lines = ended.lines
    note = count(len(lines), "line") if len(lines) > 1 else one_line(safe(ended.text), 80)
    rows = [line(text, "dim") for text in lines] if len(lines) > 1 or ended.whole else []
    shown = folded(rows, width=ended.width, most=None if ended.whole else 4, first=_SIDE, key=ended.key)
    return [ended.headline(note), *shown]


def _items(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list | tuple) else []


_SUMMARIES: dict[str, Callable[[_Ended], list[Line]]] = {
    "read": _read,
    "recall": _read,
    "grep": _found,
    "glob": _found,
    "ls": _found,
    "edit": _edited,
    "write": _written,
    "bash": _ran,
    "todo": _listed,
    "ask_user": _asked,
}
