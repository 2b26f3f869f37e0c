"""Tool calls as HTML: one line that opens into what was asked, who allowed it, and what came of it."""

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

import msgspec

from ferrule.core.events import PermissionAsked, PermissionDecided
from ferrule.core.messages import Image, Text, ToolCall, ToolResult
from ferrule.core.names import canonical
from ferrule.core.regex import lazy
from ferrule.front.export.markup import Pen
from ferrule.front.export.prose import code
from ferrule.front.terminal.show.calls import call_ended, call_started
from ferrule.front.terminal.show.diff import diff
from ferrule.front.terminal.show.lines import Line, text_of

_WIDTH = 240
_ANY_WIDTH = 1_000_000
_OPEN = 20
"""Lines of a change that are shown without being unfolded."""
_OPEN_ERROR = 8
_SHORT = 80
_BASE64 = lazy(r"[A-Za-z0-9+/]+={0,2}")
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BOXES = {"pending": "☐", "in_progress": "◐", "completed": "☑"}
_SAID_BY_THE_HEADLINE = {"bash": "command", "write": "content"}
"""Arguments that have a place of their own."""


class Ended(msgspec.Struct, kw_only=True):
    """A call, and what is known of it by now."""

    call: ToolCall
    result: ToolResult | None = None
    """None where it was interrupted."""
    seconds: float = 0.0
    question: PermissionAsked | None = None
    decision: PermissionDecided | None = None

    @property
    def tool(self) -> str:
        """Our own name of the tool."""
        return canonical(self.call.name)

    @property
    def text(self) -> str:
        """The words of the result."""
        return self.result.text if self.result else ""

    @property
    def failed(self) -> bool:
        """Whether it has a result, which is an error."""
        return self.result is not None and self.result.is_error


def call_block(ended: Ended, pen: Pen) -> Iterator[str]:
    """A call, folded unless it is short and of interest."""
    change = _change(ended)
    opened = " open" if _is_open(ended, change) else ""
    yield f'<details class="call"{opened}><summary>{pen.line(_headline(ended))}{_badge(ended)}</summary>'
    yield from _decision(ended, pen)
    yield from _input(ended, pen, change=change)
    yield from _output(ended, pen, change=change)
    yield "</details>"


def pictures(content: Iterable[object], pen: Pen) -> Iterator[str]:
    """The images of a message. One that no browser should be given is only named."""
    for part in content:
        if not isinstance(part, Image):
            continue
        kind = part.media_type.lower()
        size = f"{len(part.data) * 3 // 4 - part.data[-2:].count('='):,} bytes"
        if kind in _PICTURES and _BASE64.fullmatch(part.data):
            yield f'<img loading="lazy" alt="an image of {size}" src="data:{kind};base64,{part.data}">'
        else:
            yield f'<p class="mark">An image ({pen.short(part.media_type, _SHORT)}, {size}) is not shown.</p>'


def block(text: str, pen: Pen, *, language: str = "") -> str:
    """A text as it stands, in a frame that scrolls."""
    return code(pen.clean(text).rstrip().split("\n"), language, pen)


def _headline(ended: Ended) -> Line:
    """The line that the terminal shows for it."""
    if ended.result is None:
        return call_started(ended.call, width=_WIDTH)[0]
    preview = ended.question.preview if ended.question else ""
    return call_ended(ended.call, ended.result, ended.seconds, width=_WIDTH, preview=preview)[0]


def _badge(ended: Ended) -> str:
    """What a reader who unfolds nothing should know."""
    if ended.decision:
        word, style = ("allowed", "good") if ended.decision.allowed else ("denied", "error")
    elif ended.result is None:
        word, style = "interrupted", "warning"
    elif ended.failed:
        word, style = "failed", "error"
    else:
        return ""
    return f' <span class="badge {style}">{word}</span>'


def _is_open(ended: Ended, change: list[Line]) -> bool:
    if ended.failed:
        return ended.text.count("\n") < _OPEN_ERROR
    return ended.tool in {"todo", "ask_user"} or 0 < len(change) <= _OPEN


def _change(ended: Ended) -> list[Line]:
    """The rows of the diff that a call made, where one is known."""
    if ended.result is None or ended.failed:
        return []
    if ended.tool == "edit":
        return diff(ended.text.partition("\n")[2], width=_ANY_WIDTH, most=None)
    if ended.tool == "write" and ended.question and ended.question.preview.startswith("---"):
        return diff(ended.question.preview, width=_ANY_WIDTH, most=None)
    return []


def _decision(ended: Ended, pen: Pen) -> Iterator[str]:
    if not ended.decision:
        return
    word = "Allowed" if ended.decision.allowed else "Denied"
    asked = ended.question.reason if ended.question else ""
    yield f'<p class="decision"><b>{word}.</b> {pen.text(ended.decision.reason)}'
    yield f' <span class="dim">It was asked since: {pen.text(asked)}</span></p>' if asked else "</p>"


def _input(ended: Ended, pen: Pen, *, change: list[Line]) -> Iterator[str]:
    """What was asked of the tool; what the outcome shows as well is not said twice."""
    given, tool = ended.call.input, ended.tool
    if ended.call.malformed is not None:
        yield block(ended.call.malformed, pen)
    elif tool == "todo":
        yield _todos(given.get("todos"), pen)
    elif tool == "ask_user":
        yield _options(given, pen)
    elif not (tool == "edit" and change):
        yield _arguments({key: value for key, value in given.items() if key != _SAID_BY_THE_HEADLINE.get(tool)}, pen)
    if tool == "bash" and isinstance(command := given.get("command"), str):
        yield block(command, pen, language="bash")
    if tool == "write" and not change and isinstance(content := given.get("content"), str):
        yield block(content, pen, language=PurePath(str(given.get("file_path"))).suffix.lstrip("."))


def _todos(value: Any, pen: Pen) -> str:
    items = [item for item in value if isinstance(item, dict)] if isinstance(value, list | tuple) else []
    return f'<ul class="todo">{"".join(_todo(item, pen) for item in items)}</ul>'


def _todo(item: dict[str, Any], pen: Pen) -> str:
    said = str(item.get("status"))
    state = said if said in _BOXES else "pending"
    words = pen.text(str(item.get("content", "")))
    return f'<li class="task {state}"><span class="box">{_BOXES[state]}</span> {words}</li>'


def _options(given: dict[str, Any], pen: Pen) -> str:
    """A question to the person, and the answers to choose from."""
    options = given.get("options")
    rows = (
        f"<li><b>{pen.text(str(one.get('label', '')))}</b> {pen.text(str(one.get('description', '')))}</li>"
        for one in (options if isinstance(options, list | tuple) else ())
        if isinstance(one, dict)
    )
    return f"<p>{pen.text(str(given.get('question', '')))}</p><ul>{''.join(rows)}</ul>"


def _arguments(given: dict[str, Any], pen: Pen) -> str:
    """Arguments by name: short ones beside it, long ones below it."""
    rows: list[str] = []
    for name, value in given.items():
        text = value if isinstance(value, str) else _json(value)
        is_short = len(text) <= _SHORT and "\n" not in text
        shown = f"<code>{pen.text(text)}</code>" if is_short else block(text, pen)
        rows.append(f"<dt>{pen.short(name, _SHORT)}</dt><dd>{shown}</dd>")
    return f"<dl>{''.join(rows)}</dl>" if rows else ""


def _output(ended: Ended, pen: Pen, *, change: list[Line]) -> Iterator[str]:
    """What came of it."""
    if ended.result is None:
        yield '<p class="mark">It was interrupted and has no result.</p>'
        return
    words = ended.text
    if change:
        yield _diff(change, pen)
        remark = words.partition("\n")[0].partition("; ")[2]  # what there was to say beyond having been made
        yield f'<p class="dim">{pen.text(remark)}</p>' if remark else ""
    elif ended.tool == "ask_user" and not ended.failed:
        yield f'<p class="words">→ <b>{pen.text(words.removeprefix("The person answered: "))}</b></p>'
    elif words.strip() and not (ended.tool == "todo" and not ended.failed):
        style = "output error" if ended.failed else "output"
        language = "diff" if words.startswith("diff --git ") else ""
        yield f'<div class="{style}">{block(words, pen, language=language)}</div>'
    yield from pictures((part for part in ended.result.content if not isinstance(part, Text)), pen)


def _diff(rows: list[Line], pen: Pen) -> str:
    """A change: its lines in colours, with their numbers."""
    shown: list[str] = []
    for row in rows:
        number, rest = (row[0], row[1:]) if row[0].style == "dim" and len(row) > 1 else (None, row)
        style = next((span.style for span in rest if span.style in {"add", "remove", "path"}), "")
        digits = f'<span class="number">{number.text.strip() if number else ""}</span>'
        shown.append(f'<span class="row {style}">{digits}{pen.text(text_of(rest))}\n</span>')
    return f'<pre class="diff" tabindex="0"><code>{"".join(shown)}</code></pre>'


def _json(value: object) -> str:
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode("utf-8", "replace")
    except (ValueError, TypeError, RecursionError):
        return type(value).__name__
