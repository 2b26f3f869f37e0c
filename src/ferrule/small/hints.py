"""What a question is told besides the lines that matter: where its words stand, what is called, what constants are.

A small model misreads what is a few lines away from where it looks; so it is put side by side.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ferrule.small.code.blocks import blocks_of, lines_of, silent_lines
from ferrule.small.words.naming import DEFINES, asks_line
from ferrule.small.words.rank import is_prose, is_test, odd_signs
from ferrule.small.words.seen import Hit
from ferrule.small.words.wish import stems

_DEFINED = re.compile(DEFINES + r"([A-Za-z_]\w*)\s*\(", re.MULTILINE)
_MADE = re.compile(DEFINES + r"([A-Za-z_]\w*)\s*(?:\(|:|=[^=])", re.MULTILINE)
_CALLED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\(")
_CONSTANT = re.compile(r"\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)\b(?<=\w\w)")
_SET = re.compile(r"\s*(?:(?:export|const|let|var|static|final)\s+)*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)\s*(?::[^=]+)?=")
_PLAIN = re.compile(r"[^=]*=\s*(-?\d[\w.]*)\s*;?\s*(?:#.*|//.*)?")
"""A constant that is a number."""
_QUIET = re.compile(
    r"\s*(?:#|//|\*|import\b|from\b|\"\"\"|(?:export |const |let |var |static |final )*[A-Z_0-9]+\s*[:=])"
)
_COMMENT = {"py": "#", "sh": "#", "rb": "#"} | dict.fromkeys(("js", "mjs", "ts", "go", "rs", "c", "cpp", "java"), "//")
_LITERAL = re.compile(r"\"([^\"\n]{4,80})\"|'([^'\n]{4,80})'")
_NUMBER = re.compile(r"(?<![\w.(,-])(?<!line )\d{3,6}(?![\w(]|[.,:]\d)")
_LONGEST = 120
_MOST_CALLED = 6
_MOST_PLACES = 2
_IMPORTS = re.compile(r"\s*(?:import|from|const \{)\b")
_ABOUT_ORDER = re.compile(r"\b(?:order(?:ed)?|sort(?:ed|s)?|(?:come|stand|listed|shown)s? first)\b", re.IGNORECASE)
_ORDERS = re.compile(r"\bsorted\(|\.sort\(|\bORDER BY\b|\bsort\s+-|\.reverse\(\)|\breversed\(", re.IGNORECASE)
_DOWN = re.compile(r"\breverse=True\b|\bDESC\b|\bsort\s+-\w*r|\breverse\b|\breversed\(", re.IGNORECASE)
_LEAST = 4
"""Letters of a word that tells something where it stands."""


def called(shown: Iterable[str], defined: Iterable[Hit]) -> dict[str, str]:
    """The functions that the shown lines only call, and the file of each: what is used is mostly done elsewhere."""
    homes: dict[str, set[str]] = {}
    for hit in defined:
        if found := _DEFINED.match(hit.text):
            homes.setdefault(found[1], set()).add(hit.path)
    text = "\n".join(shown)
    names = [name for name in dict.fromkeys(_CALLED.findall(text)) if len(homes.get(name, ())) == 1]
    here = set(_DEFINED.findall(text))
    away = [name for name in names if name not in here]
    return {name: next(iter(homes[name])) for name in away[:_MOST_CALLED]}


def told_called(homes: Mapping[str, str]) -> str:
    """Where functions are, in a line."""
    return f"Called there: {'; '.join(f'{name} is in {path}' for name, path in homes.items())}." if homes else ""


def constants(shown: Iterable[str], defined: Iterable[Hit]) -> str:
    """What the constants are that the shown lines use, and that are set somewhere else."""
    text = "\n".join(shown)
    used = dict.fromkeys(_CONSTANT.findall(text))
    told: list[str] = []
    by_name: dict[str, list[Hit]] = {}
    for hit in defined:
        if found := _SET.match(hit.text):
            by_name.setdefault(found[1], []).append(hit)
    for name in used:
        homes = by_name.get(name, [])
        if len(homes) == 1 and homes[0].text.strip() not in text:
            told.append(f"{homes[0].path}: {homes[0].text.strip()[:_LONGEST]}")
    return "\n".join(["Set elsewhere:", *told[:_MOST_CALLED]]) if told else ""


def with_constants(shown: str, defined: Iterable[Hit]) -> str:
    """A file as it is shown, with the numbers that its constants are behind the lines that use them."""
    path = shown.partition("\n")[0]
    mark = _COMMENT.get(path.rpartition(".")[2])
    values: dict[str, set[str]] = {}
    for hit in defined:
        if (found := _SET.match(hit.text)) and (value := _PLAIN.fullmatch(hit.text)):
            values.setdefault(found[1], set()).add(value[1])
    lines = shown.split("\n")
    for at, line in enumerate(lines[2:-1] if mark and values else [], 2):
        used = [name for name in dict.fromkeys(_CONSTANT.findall(line)) if len(values.get(name, ())) == 1]
        if used and not _QUIET.match(line):
            lines[at] = f"{line}  {mark} {', '.join(f'{name} = {min(values[name])}' for name in used)}"
    return "\n".join(lines)


def stands(question: str, symbols: Iterable[str], texts: Mapping[str, str], by_name: Collection[str]) -> str:
    """Where texts and numbers of a question stand in code: file, line and function, for what stands in one place.

    Numbers are looked for in the files that the question names, if it names any.
    """
    code = {path: text for path, text in texts.items() if not is_test(path) and not is_prose(path)}
    told, symbols = list[str](), list(symbols)
    for one in dict.fromkeys([*(one for one in symbols if " " in one.strip()), *_said(question, code.values())]):
        found = [path for path, text in code.items() if text.count(one) == 1]
        if len(found) == 1:
            told.append(_told(f'"{one}"', found[0], code[found[0]], code[found[0]].index(one)))
    for one in odd_signs(question):
        found = [path for path, text in code.items() if one in text]
        if len(found) == 1:
            told.append(_told(f'"{one}"', found[0], code[found[0]], code[found[0]].index(one)))
    if asks_line(question):
        there = {path: code[path] for path in by_name if path in code}
        told += [*_set([*symbols, *_meant(question, (there or code).values())], code), *_only(question, there)]
    for one in dict.fromkeys(_NUMBER.findall(question)):
        whole = re.compile(rf"(?<![\w.]){one}(?![\w.])")
        files = [path for path in code if not by_name or path in by_name]
        spots = [(path, match.start()) for path in files for match in whole.finditer(code[path])]
        if len(spots) == 1:
            told.append(_told(one, spots[0][0], code[spots[0][0]], spots[0][1]))
    return "\n".join(list(dict.fromkeys(told))[:_MOST_PLACES])


def _meant(question: str, texts: Iterable[str]) -> Iterator[str]:
    """The names in code of which each word is one of a question: SEPARATOR where that is about the separator."""
    words = {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z]+", question)}
    for text in texts:
        for name in _MADE.findall(text):
            parts = [one.lower().rstrip("s") for one in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]
            if words.issuperset(parts) and len(name) >= _LEAST:
                yield name


def _set(symbols: Iterable[str], code: Mapping[str, str]) -> Iterator[str]:
    """Where names are defined that a question has in it, each where that is one place."""
    for name in symbols:
        made = re.compile(rf"{DEFINES}{re.escape(name)}\b\s*(?:[(:{{]|=[^=])", re.MULTILINE)
        spots = [(path, match) for path, text in code.items() for match in made.finditer(text)]
        if name.isidentifier() and len(spots) == 1:
            path, match = spots[0]
            yield _told(name, path, code[path], match.end() - 1)


def _only(question: str, code: Mapping[str, str]) -> Iterator[str]:
    """Where words of a question stand that the one file which it names has in a single line, of those that act."""
    for path, text in code.items() if len(code) == 1 else ():
        silent, lines = silent_lines(path, text), lines_of(text)
        words = [stem for word in re.findall(r"[A-Za-z]+", question.replace(path, "")) for stem in stems(word)]
        for word in dict.fromkeys(words):
            rows = [at for at, line in enumerate(lines) if at + 1 not in silent and word in line.lower()]
            if len(rows) == 1 and len(word) >= _LEAST and not _IMPORTS.match(lines[rows[0]]):
                found = re.search(rf"\w*{word}\w*", lines[rows[0]], re.IGNORECASE)
                yield _told(found[0] if found else word, path, text, len("\n".join([*lines[: rows[0]], ""])))


def _said(question: str, texts: Iterable[str]) -> Iterator[str]:
    """The texts in code of several words that a question has in it without quoting them."""
    words = " ".join(re.findall(r"\w+", question.lower()))
    for text in texts:
        for found in _LITERAL.findall(text):
            one = found[0] or found[1]
            parts = re.findall(r"\w+", one.lower())
            if len(parts) > 1 and f" {' '.join(parts)} " in f" {words} ":
                yield one


def _told(what: str, path: str, text: str, place: int) -> str:
    """Where something stands, with its line and what that line depends on."""
    lines = lines_of(text)
    at = text[:place].count("\n")
    names = [block.name for block in blocks_of(path, text) if block.first <= at + 1 <= block.last and block.name]
    where = f"{what} stands in {path}, line {at + 1}{f', in {names[0]}' if names else ''}:"
    return "\n".join([where, "```", *_above(lines, at), lines[at][:_LONGEST], "```"])


def _above(lines: Sequence[str], at: int) -> list[str]:
    """The line that a line depends on, if any: the nearest before it that is less indented."""
    depth = _depth(lines[at])
    above = next((one for one in reversed(lines[:at]) if one.strip() and _depth(one) < depth), "")
    return [above[:_LONGEST]] if depth and above else []


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def orders(question: str, texts: Mapping[str, str]) -> str:
    """How code puts things in order, line by line, where a question is about that."""
    if not _ABOUT_ORDER.search(question):
        return ""
    told = [
        f"{path}: {line.strip()[:_LONGEST]}{_way(line)}"
        for path, text in texts.items()
        if not is_test(path) and not is_prose(path)
        for line in lines_of(text)
        if _ORDERS.search(line)
    ]
    return "\n".join(["Put in order here:", *told[:_MOST_CALLED]]) if told else ""


def _way(line: str) -> str:
    """Which way round a line puts things in order, in words."""
    is_down = bool(_DOWN.search(line))
    return f"  ({'the largest, latest or last' if is_down else 'the smallest, earliest or first'} comes first)"
