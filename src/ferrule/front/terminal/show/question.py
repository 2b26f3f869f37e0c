"""The question whether a call may run: what will happen, why it is asked, and whole: what "always" would allow."""

from ferrule.core.events import PermissionAsked
from ferrule.core.names import canonical
from ferrule.front.terminal.show.diff import diff
from ferrule.front.terminal.show.fit import chopped, columns_of, cut, wrap
from ferrule.front.terminal.show.lines import Line, Span, line
from ferrule.front.terminal.show.safe import exact, one_line, seen_lines

_SIDE: Line = (Span("  "),)
_INNER: Line = (Span("    "),)
"""Before what could pass for a line of the question itself."""
_TOLD_BY_EFFECTS = {"read", "ls", "glob", "grep"}
_VERBS = {"read": "reads", "write": "writes", "execute": "runs", "network": "uses the network:", "interactive": "asks"}


def question(asked: PermissionAsked, *, width: int, whole: bool = False) -> list[Line]:
    """What will happen and why it is asked about; whoever shows it knows how much room there is, and shortens it.

    `whole` says at full length what it is said to be for and what "always" would add, which stands beside that answer.
    """
    tool = canonical(asked.call.name)
    title = line(f"Allow {one_line(tool, 60)}?", "warning strong")
    return [
        *wrap(title, width),
        *_what(asked, tool, width=width),
        *_purpose(asked, tool, width=width, whole=whole),
        *_parts(asked, width=width),
        *_why(asked, width=width),
        *(_always(asked, width=width) if whole else ()),
    ]


def _what(asked: PermissionAsked, tool: str, *, width: int) -> list[Line]:
    """The command, the diff, or all that the call would touch and is given."""
    command = asked.call.input.get("command") if tool == "bash" else None
    if isinstance(command, str):
        return _text(command, "code", width=width)
    lines: list[Line] = []
    for effect in asked.effects:
        verb = "reaches" if effect.is_address else _VERBS[effect.kind]
        words = (Span(f"{verb} ", "dim"), Span(exact(effect.target), "path"))
        lines += wrap(words, width, first=_SIDE, rest=(Span("    "),))
    if asked.preview.startswith("---"):
        rows = diff(asked.preview, width=width - 2, most=None)
        return [*lines, *((*_SIDE, *row) for row in rows)]
    if asked.preview:
        return [*lines, *_text(asked.preview, "warning", width=width)]
    return lines if tool in _TOLD_BY_EFFECTS and lines else [*lines, *_arguments(asked, width=width)]


def _purpose(asked: PermissionAsked, tool: str, *, width: int, whole: bool) -> list[Line]:
    """What the model says that a command is for: its own words, which prove nothing and look like nobody else's."""
    said = asked.call.input.get("description") if tool == "bash" else None
    words = one_line(said, 200) if isinstance(said, str) else ""
    if not words:
        return []
    label = (*_SIDE, Span("said to: ", "dim"))
    if not whole:
        return [cut((*label, Span(words, "dim")), width)]
    return wrap(line(words, "dim"), width, first=label, rest=(Span(" " * columns_of(label)),))


def _arguments(asked: PermissionAsked, *, width: int) -> list[Line]:
    lines: list[Line] = []
    for name, value in asked.call.input.items():
        text = value if isinstance(value, str) else exact(str(value))
        if "\n" in text.strip(" \n"):
            lines += [
                *wrap(line(f"{exact(name)}:", "dim"), width, first=_SIDE),
                *_text(text, "", width=width, side=_INNER),
            ]
        else:
            words = (Span(f"{exact(name)}: ", "dim"), Span(exact(text.strip(" \n"))))
            lines += wrap(words, width, first=_SIDE, rest=(Span("    "),))
    return lines


def _text(text: str, style: str, *, width: int, side: Line = _SIDE) -> list[Line]:
    """All of a text: what is asked about is never cut."""
    return [part for one in seen_lines(text) for part in chopped(line(one, style), width, first=side)]


def _parts(asked: PermissionAsked, *, width: int) -> list[Line]:
    """The commands that a shell line really runs, where that is not what it looks like at once."""
    command = str(asked.call.input.get("command", ""))
    if not asked.parts or (len(asked.parts) == 1 and asked.parts[0].strip() == command.strip()):
        return []
    lines: list[Line] = [(*_SIDE, Span("runs", "dim"))]
    for part in asked.parts:
        lines += wrap(line(exact(part), "code"), width, first=(Span("  • ", "dim"),), rest=(Span("    "),))
    return lines


def _why(asked: PermissionAsked, *, width: int) -> list[Line]:
    words = one_line(asked.reason, 1_000)
    return wrap((Span("why: ", "dim"), Span(words)), width, first=_SIDE, rest=(Span("    "),)) if words else []


def _always(asked: PermissionAsked, *, width: int) -> list[Line]:
    if not asked.always:
        return []
    spans = [span for rule in asked.always for span in (Span(exact(rule), "code"), Span(", ", "dim"))][:-1]
    return wrap((Span("always allows: ", "dim"), *spans), width, first=_SIDE, rest=(Span("    "),))
