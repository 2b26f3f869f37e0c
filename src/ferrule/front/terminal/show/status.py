"""The lines around the input: the welcome, the status, and what is awaited."""

import msgspec

from ferrule.front.terminal.show.fit import columns, cut, wrap
from ferrule.front.terminal.show.lines import Line, Span, line, text_of
from ferrule.front.terminal.show.safe import one_line
from ferrule.front.terminal.show.words import dollars, elapsed

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAMES_PER_SECOND = 4
_ALWAYS = 2
"""The model and the mode are told as long as there is room for anything."""
_LEAST_MODEL = 5
_MODES = {"plan": "name", "normal": "", "auto-edit": "good", "auto": "warning", "yolo": "error"}


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """What the status line tells."""

    model: str = ""
    mode: str = "normal"
    sandbox: str = ""
    used: int = 0
    """Tokens of the conversation."""
    window: int = 0
    """Tokens that the model takes; 0 where nobody knows."""
    cost: float | None = None
    branch: str = ""
    changed: bool = False
    """Whether the working tree differs from the branch."""
    jobs: int = 0


def status_line(status: Status, *, width: int) -> Line:
    """The status in one line; where there is too little room, the least important things go first."""
    parts = _parts(status)
    if _width(parts) > width:
        status = msgspec.structs.replace(status, model=status.model.rpartition("/")[2])
        parts = _parts(status)
    if _width(parts) > width and status.sandbox not in {"", "off"}:
        parts = _parts(msgspec.structs.replace(status, sandbox="on"))
    while _width(parts) > width and len(parts) > _ALWAYS:
        parts.remove(min(parts, key=lambda part: part[0]))
    if _width(parts) > width and len(parts) == _ALWAYS:
        (rank, model), mode = parts
        room = width - _width([mode]) - 3
        parts = [(rank, Span(text_of(cut((model,), room)), model.style)), mode] if room >= _LEAST_MODEL else [mode]
    spans: list[Span] = []
    for _, span in parts:
        spans += (Span(" · ", "dim"), span) if spans else (span,)
    return cut(tuple(spans), width)


def spinner(waiting_for: str, seconds: float, *, width: int, hint: str = "Esc interrupts") -> Line:
    """What is awaited, and for how long."""
    frame = FRAMES[int(max(0.0, seconds) * FRAMES_PER_SECOND) % len(FRAMES)]
    words = (Span(f"{frame} ", "busy"), Span(one_line(waiting_for), "busy"), Span(f" {elapsed(seconds)}", "dim"))
    note = Span(f" · {hint}", "dim")
    room = width - sum(columns(span.text) for span in words)
    return (*words, note) if hint and columns(note.text) <= room else cut(words, width)


def welcome(*, version: str, directory: str, status: Status, width: int) -> list[Line]:
    """The first lines: what this is, where, with which model, and what may run unasked."""
    title = (Span("Ferrule ", "accent"), Span(version, "dim"), Span("  "), Span(one_line(status.model), "strong"))
    mode: Line = (Span(f"{one_line(status.mode)} mode", _MODES.get(status.mode, "")),)
    if status.sandbox:
        mode = (*mode, Span(" · ", "dim"), _sandbox(status))
    return [
        cut(title, width),
        cut(line(one_line(directory), "path"), width),
        cut(mode, width),
        cut(line("/help shows what there is; @ names a file, ! runs a command", "dim"), width),
    ]


def queue(waiting: list[str], *, width: int) -> list[Line]:
    """What was said while a run goes on, and will be heard later."""
    lines = [cut((Span("↳ ", "dim"), Span(one_line(text), "dim")), width) for text in waiting]
    return [*lines, *wrap(line("Up edits what waits", "dim"), width, first=(Span("  "),))] if lines else []


def _width(parts: list[tuple[int, Span]]) -> int:
    return sum(columns(span.text) + 3 for _, span in parts) - 3


def _parts(status: Status) -> list[tuple[int, Span]]:
    """What there is to tell, in order, each with how important it is."""
    parts = [
        (9, Span(one_line(status.model, 60), "strong")),
        (10, Span(one_line(status.mode, 60), _MODES.get(status.mode, ""))),
    ]
    if status.sandbox:
        parts.append((5 if status.sandbox != "off" else 7, _sandbox(status)))
    if status.used:
        parts.append((8, _context(status)))
    if status.cost is not None:
        parts.append((6, Span(dollars(status.cost), "dim")))
    if status.branch:
        parts.append((3, Span(one_line(status.branch, 60) + "*" * status.changed, "path")))
    if status.jobs:
        parts.append((7, Span(f"{status.jobs} job{'s' * (status.jobs > 1)}", "busy")))
    return [part for part in parts if part[1].text]


def _sandbox(status: Status) -> Span:
    if status.sandbox == "off":
        return Span("no sandbox", "warning")
    if status.sandbox == "on":
        return Span("sandbox", "dim")
    return Span(f"sandbox {one_line(status.sandbox, 20)}", "dim")


def _context(status: Status) -> Span:
    if not status.window:
        return Span(f"{status.used:,} tokens", "dim")
    share = round(100 * status.used / status.window)
    return Span(f"{share} % used", "error" if share >= 90 else "warning" if share >= 70 else "dim")
