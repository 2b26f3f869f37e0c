"""Texts that are put together a little wrongly: what is too much in what came, what is missing, what stands between."""

import ast
import difflib
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ferrule.small.code.blocks import Block, is_within, lines_of
from ferrule.small.code.parsed import tokens_of, tree_of
from ferrule.small.mends.afterwards import Pairs
from ferrule.small.mends.slips import Trial

_MOST, _MOST_PAIRS, _MOST_CHANGES, _LONGEST, _LONGEST_CHANGE = 120, 12, 6, 300, 20
_LONGEST_CODE = 40_000
_TABLE = 10
"""Characters of a text that has none twice: letters that are looked up, and no words."""


def other_words(text: str, blocks: Sequence[Block] | None, pairs: Pairs) -> list[Trial]:
    """The lines of some blocks with texts as values tell that they should be: shorter, longer, or with one between."""
    if tree_of(text) is None or len(text) > _LONGEST_CODE:
        return []
    changes = _changes([pair for each in pairs.values() for pair in each])
    if not changes:
        return []
    lines = lines_of(text)
    found: list[Trial] = []
    for at, start, end, quoted in _texts(text):
        if is_within(blocks, at):
            line = lines[at - 1]
            found += [Trial(at - 1, line[:start] + one + line[end:]) for one in _reworded(quoted, changes)]
    for at, column in _pluses(text):
        if is_within(blocks, at):
            line = lines[at - 1]
            between = [new for old, new in changes if not old]
            found += [Trial(at - 1, f"{line[:column]}+ {one!r} {line[column:]}") for one in between]
    return list(dict.fromkeys(found))[:_MOST]


def _changes(pairs: Sequence[tuple[Any, Any]]) -> list[tuple[str, str]]:
    """What has to be another in texts that came, the most frequent first: what is there, and what should be."""
    counted: Counter[tuple[str, str]] = Counter()
    both = [(came, should) for came, should in pairs if isinstance(came, str) and isinstance(should, str)]
    for came, should in [one for one in both if max(map(len, one)) <= _LONGEST][:_MOST_PAIRS]:
        for kind, first, last, start, end in difflib.SequenceMatcher(None, came, should, autojunk=False).get_opcodes():
            if kind != "equal" and max(last - first, end - start) <= _LONGEST_CHANGE:
                counted[came[first:last], should[start:end]] += 1
    return [one for one, _ in counted.most_common(_MOST_CHANGES)]


def _reworded(quoted: str, changes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A text of the code, quotes and all, with what should be another in it."""
    value = ast.literal_eval(quoted)
    if len(value) == len(set(value)) >= _TABLE:
        return
    for old, new in changes:
        others = [value.replace(old, new)] if old and old in value else []
        others += [] if old or not value else [value + new, new + value]
        yield from (repr(one) for one in others if one != value)


def _texts(text: str) -> Iterator[tuple[int, int, int, str]]:
    """The plain texts in code: their lines, where in them they begin and end, and how they are written."""
    for token in tokens_of(text):
        is_plain = token.type == tokenize.STRING and token.string[:1] in "'\"" and token.start[0] == token.end[0]
        if is_plain and not token.string.startswith(('"""', "'''")):
            yield token.start[0], token.start[1], token.end[1], token.string


def _pluses(text: str) -> Iterator[tuple[int, int]]:
    for token in tokens_of(text):
        if token.type == tokenize.OP and token.string == "+":
            yield token.start
