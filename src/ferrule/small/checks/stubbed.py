"""Examples for a function that is still to be written: the request tells them, its file tells what it is called."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from ferrule.small.checks.mapped import BECOMES, NO_NUMBER, VALUE, python_of
from ferrule.small.code.parsed import literal, tree_of

_ITEM = r"^[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:e\.g\.|for (?:example|instance))?[:,]?[ \t]*"
"""How the line of an example begins."""
_ARROW = r"\s*(?:->|→|=>)\s+"
_END = r"(?=[ \t]*(?:[.,;!]?[ \t]*$|\())"
_FORMS = (
    re.compile(rf"{_ITEM}{VALUE}(?:{_ARROW}(?:{VALUE})(?={_ARROW})){{0,4}}{BECOMES}{VALUE}{_END}", re.MULTILINE),
    re.compile(
        rf"{_ITEM}{VALUE}[ \t][^\n]{{0,120}}?\bso the (?:result|answer|output) (?:would be|is|should be|must be) "
        rf"{VALUE}{_END}",
        re.MULTILINE,
    ),
)
_RESULT = re.compile(r"\b(?:outputs?|results?|returns?|expected|answer)\b", re.IGNORECASE)
_RULE = re.compile(r":?-+:?")
_WRITTEN = re.compile(r"[\"'`\[({]|-?\d+(?:\.\d+)?$|(?:True|False|None)$")
"""A cell of a table that is Python; all others are texts."""
_LONGEST = 20_000


def only_function(text: str) -> tuple[str, str] | None:
    """The one function of a Python file that is called from outside, and what it is given, if that is one thing."""
    tree = tree_of(text)
    nodes = [one for one in (tree.body if tree else ()) if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    match nodes:
        case [ast.FunctionDef(name=name, args=ast.arguments(posonlyargs=[], args=[one], kwonlyargs=[]))]:
            return name, one.arg
        case _:
            return None


def told_of(text: str, function: str, parameter: str) -> list[tuple[str, str]]:
    """The calls of a function that a request tells by what is given and what comes of it, each on a line of its own.

    They count only where what is given is always of one kind, and what comes of it, too: else they are of something
    else.
    """
    text = text[:_LONGEST]
    lines = [(python_of(one[0]), python_of(one[-1])) for form in _FORMS for one in form.findall(text)]
    pairs = dict([pair for pair in lines if all(pair)] or _tabled(text, parameter))
    kinds = [{type(literal(one)) for one in side} for side in (pairs, pairs.values())]
    if any(len(one) != 1 for one in kinds) or (NO_NUMBER.search(parameter) and kinds[0] != {str}):
        return []
    return [(f"{function}({given})", value) for given, value in pairs.items()]


def _tabled(text: str, parameter: str) -> Iterator[tuple[str, str]]:
    """The rows of tables of what goes in and what comes out."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines()]
    is_inside = False
    for above, row in pairwise(rows):
        match row:
            case [rule, other] if _RULE.fullmatch(rule) and _RULE.fullmatch(other):
                is_inside = len(above) == len(row) and bool(_RESULT.search(above[1]))
            case [given, value]:
                if is_inside and given and value:
                    yield _cell(given, is_text=bool(NO_NUMBER.search(parameter))), _cell(value)
            case _:
                is_inside = False


def _cell(cell: str, *, is_text: bool = False) -> str:
    is_python = _WRITTEN.match(cell) and not (is_text and cell[-1].isdigit())
    return python_of(cell) if is_python else repr(cell)
