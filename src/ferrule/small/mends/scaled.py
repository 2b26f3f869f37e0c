"""Values that are all too large or too small by the same factor: days for seconds, pounds for pence."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.parsed import around, tree_of
from ferrule.small.mends.afterwards import Pairs
from ferrule.small.mends.slips import Trial

_UNITS = (
    2, 7, 10, 12, 24, 30, 52, 60, 100, 365, 365.25, 1000, 1024, 1440, 3600, 10_000, 86_400, 604_800, 1_000_000,
    31_536_000, 31_557_600,
)  # fmt: skip
"""What one unit has of another: of time, money, length, memory."""
_LEAST, _CLOSE = 2, 0.02
"""So many values must tell a factor, and so closely: most are rounded."""
_MOST, _LONGEST = 60, 40_000


def scaled(text: str, pairs: Pairs) -> list[Trial]:
    """Lines that assign or give back a value, with the factor that all the values of a function tell."""
    factors = list(dict.fromkeys(factor for each in pairs.values() for factor in _factors(each)))
    tree = tree_of(text) if factors and len(text) <= _LONGEST else None
    lines = lines_of(text)
    found = [
        Trial(place.lineno - 1, line)
        for node in (ast.walk(tree) if tree else ())
        if (place := _place(node)) and place.lineno == place.end_lineno
        for line in _with(lines[place.lineno - 1], place, factors, is_given=isinstance(node, ast.Return))
    ]
    return list(dict.fromkeys(found))[:_MOST]


def _factors(pairs: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    """How what came is made into what should have come: `/ 60`, `* 100`."""
    known = [(came, should) for came, should in pairs if all(type(one) in {int, float} for one in (came, should))]
    ratios = [should / came for came, should in known if came and abs(should) <= _LONGEST * abs(came) * _UNITS[-1]]
    if len(set(known)) < _LEAST or len(ratios) < len(pairs) or 0 in ratios:
        return
    is_whole = all(type(should) is int for _, should in known)
    for unit in _UNITS:
        if all(abs(one * unit - 1) <= _CLOSE for one in ratios):
            yield f"{'//' if is_whole else '/'} {unit}"
        if all(abs(one / unit - 1) <= _CLOSE for one in ratios):
            yield f"* {unit}"


def _place(node: ast.AST) -> ast.expr | None:
    """The value that a statement assigns or gives back; of one that is rounded, what is rounded."""
    match node:
        case ast.Return(value=ast.Call(func=ast.Name(id="round" | "int"), args=[value, *_])):
            return value
        case ast.Return(value=ast.expr() as value):
            return value
        case ast.Assign(value=(ast.Name() | ast.Attribute() | ast.Constant(value=int() | float())) as value):
            return value
        case _:
            return None


def _with(line: str, place: ast.expr, factors: Sequence[str], *, is_given: bool) -> Iterator[str]:
    before, after = around(line, place)
    value = line[len(before) : len(line) - len(after)]
    whole = value if isinstance(place, ast.Name | ast.Attribute | ast.Constant | ast.Call) else f"({value})"
    for factor in factors:
        yield f"{before}{whole} {factor}{after}"
        if not is_given:  # what is divided by it, if anything
            other = factor.replace("//", "/")
            yield f"{before}{whole} {other.translate(str.maketrans('*/', '/*'))}{after}"
