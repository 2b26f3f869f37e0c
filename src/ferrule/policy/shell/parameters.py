"""What the operators of `${x…}` make of a value, as in `${x:-y}`, `${x%.*}`, `${x:0:1}` or `${x^^}`."""

from fnmatch import fnmatchcase

from ferrule.core.regex import lazy
from ferrule.policy.shell.scope import UNKNOWN, Held

NUMBERS = frozenset(
    {"RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "EPOCHSECONDS", "SHLVL", "#", "?", "$", "!"}
)
"""Variables that the shell itself keeps, and keeps as numbers."""
_LONGEST = 500
_SLICE = lazy(r"\s*(-?\d{1,6})\s*(?::\s*(-?\d{1,6})\s*)?")
_PATTERN = lazy(r"[*?\[\\]")


def applied(operator: str, held: Held, argument: Held) -> Held:
    """The value after the operator; UNKNOWN where that cannot be said."""
    if operator in {":-", "-", ":=", "=", ":?", "?"}:
        return _default(operator, held, argument)
    if held.text is None or argument.text is None or held.glob or len(held.text) > _LONGEST:
        return UNKNOWN
    match operator:
        case ":+" | "+":
            return argument if held.text or operator == "+" else Held(text="")
        case "#" | "##" | "%" | "%%":
            return Held(text=_cut(operator, held.text, argument.text))
        case "^^" | ",," | "^" | ",":
            return _case(operator, held.text, argument.text)
        case "/" | "//":
            return _exchanged(operator, held.text, argument.text)
        case ":":
            return _slice(held.text, argument.text)
    return UNKNOWN


def _default(operator: str, held: Held, argument: Held) -> Held:
    if held.text is None:
        return held if held.number else UNKNOWN
    if held.text or not operator.startswith(":"):
        return held
    return argument if operator in {":-", "-"} else UNKNOWN


def _cut(operator: str, text: str, pattern: str) -> str:
    """Take away the shortest or the longest beginning or end that fits the pattern."""
    ends = range(len(text) + 1)
    cuts = ends if operator in {"#", "%%"} else reversed(ends)
    for cut in cuts:
        if operator.startswith("#") and fnmatchcase(text[:cut], pattern):
            return text[cut:]
        if operator.startswith("%") and fnmatchcase(text[cut:], pattern):
            return text[:cut]
    return text


def _case(operator: str, text: str, pattern: str) -> Held:
    if pattern:
        return UNKNOWN
    changed = str.upper if operator.startswith("^") else str.lower
    return Held(text=changed(text) if len(operator) == 2 else changed(text[:1]) + text[1:])


def _exchanged(operator: str, text: str, argument: str) -> Held:
    old, _, new = argument.partition("/")
    if not old or _PATTERN.search(old) or "&" in new:
        return UNKNOWN
    return Held(text=text.replace(old, new, -1 if operator == "//" else 1))


def _slice(text: str, argument: str) -> Held:
    found = _SLICE.fullmatch(argument)
    if found is None:
        return UNKNOWN
    start = int(found[1])
    start = len(text) + start if start < 0 else start
    if start < 0 or found[2] is None:
        return Held(text=text[start:] if start >= 0 else "")
    length = int(found[2])
    return Held(text=text[start : start + length] if length >= 0 else text[start:length])
