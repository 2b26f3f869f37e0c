"""A session as a page of Markdown that a person likes to read."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from ferrule.core.events import Appended, Compacted, Event, Notice, Redone, Rewound, RunEnded, ToolEnded, Undone
from ferrule.core.messages import Assistant, Image, Text, Thinking, ToolCall, ToolResult, User, text_of
from ferrule.front.export.harmless import harmless, moment, one_line
from ferrule.session.reading import LoadedLog
from ferrule.session.records import Totals
from ferrule.session.secrets import Mask

_UNFOLDED = 20
"""Lines of a block that are shown without being unfolded."""
_SHORT = 100
_LONGEST_TITLE = 80
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")


def to_markdown(loaded: LoadedLog, mask: Mask) -> str:
    """The session as Markdown: prompts, answers, calls with their results, and what it all took."""
    page = _Page()
    for event in loaded.events:
        page.take(event)
    page.settle()
    blocks = [*_opening(loaded), *page.blocks, *_closing(loaded.totals)]
    return harmless(mask("\n\n".join(blocks))) + "\n"


class _Page:
    """The conversation, block by block."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._open: dict[str, ToolCall] = {}
        self._speaker = ""

    def take(self, event: Event) -> None:
        """Take in an event; most of them say nothing that a reader misses."""
        match event:
            case Appended(message=User() as message):
                self.settle()
                self._user(message)
            case Appended(message=Assistant() as message):
                self.settle()
                self._assistant(message)
            case ToolEnded(result=result, seconds=seconds) if result.call_id in self._open:
                self.blocks += _call(self._open.pop(result.call_id), f" · {seconds:.1f} s")
                self.blocks += _result(result)
            case Compacted(before=before, after=after):
                self.blocks.append(f"*From here on the model is told less: {before:,} tokens became {after:,}.*")
            case Undone(step=step) | Redone(step=step):
                did = "undone" if isinstance(event, Undone) else "done again"
                self.blocks.append(f"*The changes of step {step} were {did}.*")
            case Rewound(messages=left):
                self.settle()
                self.blocks.append(f"*The conversation was rewound: it goes on after its message {left}.*")
            case Notice(text=text, level="warning" | "error" as level):
                self.blocks.append(_quoted(f"**{level.capitalize()}:** {text}"))
            case RunEnded(reason=reason, error=error) if reason != "end_turn":
                why = f": {error}" if error else "."
                self.blocks.append(_quoted(f"**The run ended with `{reason}`**{why}"))
            case _:
                pass

    def settle(self) -> None:
        """Show the calls that never had a result."""
        for call in self._open.values():
            self.blocks += [*_call(call), "*It was interrupted and has no result.*"]
        self._open = {}

    def _user(self, message: User) -> None:
        self._speak("Prompt" if message.by == "person" else "")
        words = text_of(message.content)
        if words:
            self.blocks.append(_quoted(words if message.by == "person" else f"**Ferrule to the model:** {words}"))
        self.blocks += _images(message.content)

    def _assistant(self, message: Assistant) -> None:
        self._speak("Answer")
        for part in message.content:
            match part:
                case Text(text=text):
                    self.blocks.append(_whole(text.strip()))
                case Thinking(text=text) if text.strip():
                    self.blocks.append(_folded("Thinking", _quoted(text.strip())))
                case ToolCall() as call:
                    self._open[call.id] = call
                case _:
                    pass

    def _speak(self, who: str) -> None:
        if who and (who == "Prompt" or who != self._speaker):
            self.blocks.append(f"## {who}")
        self._speaker = who or self._speaker


def _opening(loaded: LoadedLog) -> Iterator[str]:
    header = loaded.header
    prompts = (
        text_of(event.message.content)
        for event in loaded.events
        if isinstance(event, Appended) and isinstance(event.message, User)
    )
    yield f"# {one_line(loaded.name or next(prompts, '') or 'A session', _LONGEST_TITLE)}"
    facts = [f"Session {_code(header.id)}", _code(header.directory), header.model, moment(header.created)]
    if header.forked_from:
        facts.append(f"forked from {_code(header.forked_from)}")
    yield " · ".join(fact for fact in facts if fact)
    yield from (_quoted(f"**Warning:** {warning}") for warning in loaded.warnings)


def _closing(totals: Totals) -> Iterator[str]:
    usage = totals.usage
    cells = {
        "turns": f"{totals.turns:,}",
        "messages": f"{totals.messages:,}",
        "input": f"{usage.input:,}",
        "output": f"{usage.output:,}",
        "cache read": f"{usage.cache_read:,}",
        "cache write": f"{usage.cache_write:,}",
        "cost": "unknown" if totals.cost is None else f"${totals.cost:,.4f}",
    }
    yield "## Usage"
    rows = (cells, ["--:"] * len(cells), cells.values())
    yield "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _call(call: ToolCall, took: str = "") -> Iterator[str]:
    """A call: its short arguments beside its name, the long ones below it."""
    arguments: dict[str, Any] = call.input if call.malformed is None else {"arguments": call.malformed}
    texts = {key: value if isinstance(value, str) else _json(value) for key, value in arguments.items()}
    short = {key: text for key, text in texts.items() if len(text) <= _SHORT and "\n" not in text}
    named = "".join(f" · {one_line(key, _SHORT)}: {_code(text)}" for key, text in short.items())
    yield f"**{one_line(call.name, _SHORT)}**{named}{took}"
    for key, text in texts.items():
        if key not in short:
            yield _block(f"{one_line(key, _SHORT)}", text)


def _result(result: ToolResult) -> Iterator[str]:
    if result.text:
        yield _block("Error" if result.is_error else "Result", result.text)
    yield from _images(result.content)


def _images(content: tuple[Text | Image, ...]) -> Iterator[str]:
    for part in content:
        if isinstance(part, Image):
            yield f"*(an image, {one_line(part.media_type, _SHORT)}, {len(part.data) * 3 // 4:,} bytes)*"


def _block(title: str, text: str) -> str:
    """A text in a fence that nothing in it can close, folded where it is long."""
    runs = [len(run) for run in re.findall(r"`+", text)]
    fence = "`" * max(3, *(run + 1 for run in runs), 3)
    body = f"{fence}\n{text.rstrip()}\n{fence}"
    lines = text.rstrip().count("\n") + 1
    return f"{title}:\n\n{body}" if lines <= _UNFOLDED else _folded(f"{title}: {lines:,} lines", body)


def _folded(title: str, body: str) -> str:
    escaped = title.replace("&", "&amp;").replace("<", "&lt;")
    return f"<details><summary>{escaped}</summary>\n\n{body}\n\n</details>"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _code(text: str) -> str:
    """A piece of code inside a line, whatever backticks it has."""
    text = " ".join(text.split("\n"))
    if "`" not in text:
        return f"`{text}`" if text.strip() else ""
    ticks = "`" * (max(map(len, re.findall(r"`+", text))) + 1)
    return f"{ticks} {text} {ticks}"


def _whole(text: str) -> str:
    """Prose whose last fence is closed, so that it does not swallow what comes after it."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text


def _json(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, RecursionError):
        return str(type(value))
