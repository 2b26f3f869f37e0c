"""Names that are not there: keys, attributes and variables that a failure names, and those that may be meant."""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence

from ferrule.small.code.blocks import lines_of
from ferrule.small.mends.slips import Trial

_KEY = re.compile(r"\bKeyError: (?:'([^'\n]+)'|\"([^\"\n]+)\")")
_ATTRIBUTE = re.compile(r"\bAttributeError: .* has no attribute '(\w+)'|\bTypeError: [\w.]+\.(\w+) is not a function")
_VARIABLE = re.compile(r"\bNameError: name '(\w+)' is not defined|\bReferenceError: (\w+) is not defined")
_TEXTS = re.compile(r"[\"']([\w .-]{1,40})[\"']")
_AFTER_DOT = re.compile(r"\.([A-Za-z_]\w*)|\bdef (\w+)|^[ \t]+(\w+)[ \t]*[:(]", re.MULTILINE)
_WORDS = re.compile(r"[A-Za-z_]\w*")
_DATA = (".csv", ".tsv")
_ALIKE, _MOST, _MOST_KNOWN = 0.55, 8, 5_000

_KINDS: tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...] = (
    (_KEY, _TEXTS, r"(?<=[\"']){}(?=[\"'])"),
    (_ATTRIBUTE, _AFTER_DOT, r"(?<=\.){}\b"),
    (_VARIABLE, _WORDS, r"(?<![\w.\"']){}\b"),
)
"""Of each kind: how a failure names what is not there, where those stand that may be meant, and where it stands."""


_USED = {
    ".py": re.compile(r"(?:\[|\.get\(\s*)[\"']([\w .-]{1,40})[\"'](?=\s*[\]),])"),
    ".js": re.compile(r"(?<=[\w)\]])\.([A-Za-z_]\w*)\b(?!\s*(?:\(|=[^=>]))"),
}
"""Keys and properties that are asked for."""
_MADE = re.compile(
    r"[\"']?\b([A-Za-z_][\w .-]{0,40})[\"']?\s*:|\.(\w+)\s*=[^=>]|\[[\"']([\w .-]{1,40})[\"']\]\s*=[^=]"
    r"|[{,]\s*(\w+)\s*(?=[,}])"
)
"""Keys and properties that something is given under."""
_NO_CODE = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|//.*|^\s*\*.*|\bprocess\.[\w.]+")
_ALWAYS_THERE = frozenset({"length", "size", "message", "name", "stack", "exports", "argv", "env", "prototype", "main"})


def missing_names(outputs: Sequence[str]) -> list[str]:
    """What failures say is not there."""
    return [name for kind, _, _ in _KINDS for name in _named(kind, outputs)]


def respelt(text: str, outputs: Sequence[str], texts: Mapping[str, str], *, most: int = _MOST) -> list[Trial]:
    """What lines could be instead that use a name which is not there: with each name that is much like it.

    Where there may be more than a few, also with those that are unlike it.
    """
    found: list[Trial] = []
    lines = lines_of(text)
    for kind, others, place in _KINDS:
        for name in _named(kind, outputs):
            where = re.compile(place.format(re.escape(name)))
            known = _known(others, name, texts, is_key=kind is _KEY, most=most)
            for other in known:
                changed = [(at, where.sub(_always(other), line)) for at, line in enumerate(lines)]
                found += [Trial(at, line) for at, line in changed if line != lines[at]]
    return list(dict.fromkeys(found))


def lonely(path: str, text: str, texts: Mapping[str, str], *, most: int = _MOST) -> list[Trial]:
    """What lines could be instead that ask for something under a name which nobody gives: with each that is given."""
    used = _USED.get(path[path.rfind(".") :])
    bare = [_bare(line) if path.endswith(".js") else line for line in lines_of(text)]
    names = dict.fromkeys(name for line in bare for name in used.findall(line)) if used else {}
    made = [name for one in texts.values() for found in _MADE.findall(one) for name in found if name]
    given = dict.fromkeys([*made, *_columns(texts)])
    given = {one: None for one in given if one.isidentifier()} if path.endswith(".js") else given
    found: list[Trial] = []
    for name in [one for one in names if one not in given and one not in _ALWAYS_THERE][:_MOST]:
        likest = sorted(given, key=lambda one: (one in names, -_likeness(name, one)))
        fellows = _fellows(name, text, texts)
        near = [one for one in likest if one in fellows]
        likest = list(dict.fromkeys([*likest[: most // 2], *near, *likest]))[:most]
        for at, line in enumerate(lines_of(text)):
            places = [one for one in used.finditer(bare[at]) if one[1] == name] if used else []
            changed = [line[: one.start(1)] + other + line[one.end(1) :] for other in likest for one in places]
            found += [Trial(at, one) for one in changed]
    return list(dict.fromkeys(found))


def _bare(line: str) -> str:
    """A line of JavaScript without its texts, comments and what the system gives, in the same length."""
    return _NO_CODE.sub(lambda found: "_" * len(found[0]), line)


def _fellows(name: str, text: str, texts: Mapping[str, str]) -> set[str]:
    """What else the things are asked for, anywhere, that are asked for a name: `item.count` beside `item.quantity`."""
    owners = set(re.findall(rf"\b(\w+)(?:\.|\[[\"']){re.escape(name)}\b", text))
    asked = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(owners)))})(?:\.|\[[\"'])(\w+)")
    return {found for one in texts.values() for found in asked.findall(one)} if owners else set()


def _columns(texts: Mapping[str, str]) -> list[str]:
    """How the columns of tables are called."""
    heads = [text.partition("\n")[0] for path, text in texts.items() if path.endswith(_DATA)]
    return [one.strip() for head in heads for one in re.split(r"[,;\t]", head)]


def _always(text: str) -> Callable[[re.Match[str]], str]:
    return lambda _: text


def _named(kind: re.Pattern[str], outputs: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(name for one in outputs for found in kind.findall(one) for name in found if name))


def _known(
    others: re.Pattern[str], name: str, texts: Mapping[str, str], *, is_key: bool, most: int = _MOST
) -> list[str]:
    """The names that are there and much like one that is not, the likest first."""
    known: set[str] = set()
    for text in texts.values():
        for found in others.findall(text):
            known.update([found] if isinstance(found, str) else found)
    known.update(_columns(texts) if is_key else ())
    alike = {one: _likeness(name, one) for one in sorted(known - {name, ""})[:_MOST_KNOWN]}
    least = _ALIKE if most <= _MOST else 0.0
    return sorted((one for one in alike if alike[one] >= least), key=lambda one: (-alike[one], one))[:most]


def _likeness(one: str, other: str) -> float:
    one, other = (re.sub(r"[\W_]", "", word).lower() for word in (one, other))
    if one == other:
        return 2.0
    is_part = min(len(one), len(other)) >= 3 and (one.startswith(other) or other.startswith(one))
    matcher = difflib.SequenceMatcher(None, one, other)
    may_be = matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE
    return max(matcher.ratio() if may_be else 0.0, 0.9 if is_part else 0.0)
