"""Simple commands from a line of text, for tests: quotes, globs and unknown `$x` words, and no more of the shell."""

import re
from collections.abc import Iterator

from ferrule.policy.command import LEVELS, Knowledge, Level, Nested, Redirect, Simple, Word, beginning
from ferrule.policy.programs import know

HOME = "/home/kim"
PROJECT = "/home/kim/project"

_PIECE = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)""", re.DOTALL)
_WORD = re.compile(r"""(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+""", re.DOTALL)


def word(raw: str) -> Word:
    text, unknown, many, glob = "", None, False, False
    for piece in _PIECE.finditer(raw):
        single, double, escaped, plain = piece.groups()
        part = single if single is not None else double if double is not None else escaped or plain
        if "$" in part and single is None and escaped is None and unknown is None:
            unknown = text + part.partition("$")[0]
            many = plain is not None
        glob = glob or (plain is not None and any(mark in plain for mark in "*?["))
        text += part
    if raw == "~" or raw.startswith("~/"):
        text = HOME + text[1:]
    if unknown is not None:
        return Word(raw, prefix=unknown, many=many)
    return Word(raw, text, glob=glob)


def simple(
    line: str, *, directory: str | None = PROJECT, piped: bool = False, redirects: tuple[Redirect, ...] = ()
) -> Simple:
    words = tuple(word(raw) for raw in _WORD.findall(line))
    return Simple(words=words, raw=line, directory=directory, piped=piped, redirects=redirects)


def ask(line: str, *, directory: str | None = PROJECT, piped: bool = False) -> Knowledge:
    return know(simple(line, directory=directory, piped=piped), home=HOME)


def level(line: str, *, directory: str | None = PROJECT, piped: bool = False) -> Level:
    """The worst level of the command and of all that it runs, as far as plain words tell."""
    return worst(simple(line, directory=directory, piped=piped))


def worst(command: Simple, depth: int = 8) -> Level:
    found = know(command, home=HOME)
    levels: list[Level] = [found.level]
    for nested in found.runs:
        if depth == 0:
            return "danger"
        levels.extend(worst(inner, depth - 1) for inner in _inside(nested, command))
    return max(levels, key=LEVELS.index)


def _inside(nested: Nested, outer: Simple) -> Iterator[Simple]:
    words = nested.words
    if nested.script is not None:
        if nested.script.text is None:
            yield Simple(words=(Word(nested.script.raw),), raw=nested.script.raw)
        words = tuple(word(raw) for raw in _WORD.findall(beginning(nested.script)))
    if nested.more:
        words = (*words, Word("…", many=True))
    if words:
        yield Simple(words=words, raw="", directory=outer.directory)
