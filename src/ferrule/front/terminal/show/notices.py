"""What is said beside the answer: thoughts, notices, waits, prompts, and how a run ended."""

from ferrule.core.events import Compacted, Notice, Retrying, RunEnded
from ferrule.core.messages import Usage
from ferrule.front.outcome import WORDS
from ferrule.front.terminal.show.diff import KEY
from ferrule.front.terminal.show.fit import columns, cut, wrap
from ferrule.front.terminal.show.lines import Line, Span, line
from ferrule.front.terminal.show.safe import one_line, safe_lines
from ferrule.front.terminal.show.words import amount, count, dollars, duration, elapsed

_MARKS = {"info": ("· ", "dim"), "warning": ("⚠ ", "warning"), "error": ("✗ ", "error")}
_MOST_THOUGHT = 4_000
_LEAST_SECONDS = 0.5
_MOST_PROMPT = 4_000
"""Characters of what the person said that are looked at from each end."""
_HEAD, _TAIL = 10, 4
"""Rows of it that are shown, from its beginning and its end."""


def notice(event: Notice, *, width: int) -> list[Line]:
    """Something that the person should know."""
    mark, style = _MARKS[event.level]
    return _marked(event.text, mark, style, width=width)


def problem(text: str, *, width: int) -> list[Line]:
    """Something that went wrong."""
    return _marked(text, *_MARKS["error"], width=width)


def thinking(text: str, *, width: int, most: int = 5) -> list[Line]:
    """Thoughts while they come: their last lines."""
    rows = [part for one in safe_lines(text[-_MOST_THOUGHT:]) for part in wrap(line(one, "dim emphasis"), width)]
    return rows[-most:]


def thought(text: str, seconds: float, *, width: int, whole: bool = False, key: str = KEY) -> list[Line]:
    """Thoughts that are finished: folded to a line with the key that shows them, or all of them below it."""
    took = f"thought for {duration(seconds)}" if seconds >= _LEAST_SECONDS else "thought"
    if not whole:
        return [cut(line(f"✻ {took} · {key} shows it" if key else f"✻ {took}", "dim"), width)]
    rows = [part for one in safe_lines(text) for part in wrap(line(one, "dim emphasis"), width, first=(Span("  "),))]
    return [cut(line(f"✻ {took}", "dim"), width), *rows]


def retrying(event: Retrying, left: float, *, width: int) -> list[Line]:
    """A failure, and how long it is until the next attempt."""
    wait = f"Trying again in {elapsed(left + 1)}" if left > 0 else "Trying again"
    reason = one_line(event.reason).rstrip(" .")
    return _marked(f"{reason}. {wait} (attempt {event.attempt}).", "↻ ", "warning", width=width)


def prompted(text: str, *, width: int) -> list[Line]:
    """What the person said; of what is long, its beginning and its end."""
    is_huge = len(text) > 2 * _MOST_PROMPT
    rows = _said(text[:_MOST_PROMPT] if is_huge else text, width)
    if is_huge or len(rows) > _HEAD + _TAIL + 1:
        end = _said(text[-_MOST_PROMPT:], width) if is_huge else rows
        left = text.strip().count("\n") + 1 - _HEAD - _TAIL
        words = count(left, "more line") if left > 0 else f"{len(text):,} characters in all"
        rows = [*rows[:_HEAD], cut(line(f"… {words}", "dim"), width - 2), *end[-_TAIL:]]
    return [(Span("  ") if number else Span("❯ ", "accent"), *row) for number, row in enumerate(rows)]


def _said(text: str, width: int) -> list[Line]:
    return [row for one in safe_lines(text) for row in wrap(line(one, "strong"), width - 2)]


def compacted(event: Compacted, *, width: int) -> list[Line]:
    """That the model is told less from here on."""
    words = f"Made room: {amount(event.before)} tokens became {amount(event.after)}."
    return _marked(words, *_MARKS["info"], width=width)


def run_ended(event: RunEnded, seconds: float, *, width: int, tokens: bool = True) -> list[Line]:
    """How a run ended, where that was not as wished, and what it took, perhaps in tokens too."""
    words = event.error or WORDS.get(event.reason, "").replace("--continue", "/continue")
    style = "warning" if event.reason in {"interrupted", "aborted"} else "error"
    why = _marked(words, "✗ ", style, width=width) if words else []
    parts = [count(event.turns, "turn"), *(_tokens(event.usage) if tokens else [])]
    parts += [*([dollars(event.cost)] if event.cost else []), duration(seconds)]
    return [*why, *_joined(parts, width)]


def _joined(parts: list[str], width: int) -> list[Line]:
    """The parts in as few rows as hold them, none of them broken where it need not be."""
    rows = [parts[0]]
    for part in parts[1:]:
        together = f"{rows[-1]} · {part}"
        rows = [*rows[:-1], together] if columns(together) <= width else [*rows, part]
    return [row for one in rows for row in wrap(line(one, "dim"), width)]


def _tokens(usage: Usage) -> list[str]:
    taken = usage.input + usage.cache_read + usage.cache_write
    if not taken and not usage.output:
        return []
    cached = f" ({usage.cache_read * 100 // taken} % cached)" if usage.cache_read else ""
    return [f"{amount(taken)} in{cached}", f"{amount(usage.output)} out"]


def _marked(text: str, mark: str, style: str, *, width: int) -> list[Line]:
    lines: list[Line] = []
    for number, one in enumerate(safe_lines(text)):
        first = Span(mark if number == 0 else "  ", style)
        lines += wrap(line(one, style), width, first=(first,), rest=(Span("  "),))
    return lines
