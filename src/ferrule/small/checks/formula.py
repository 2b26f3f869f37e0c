"""Formulas that a request gives for a function ("returns points / darts * 3"), as examples of what it comes to."""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from ferrule.small.code.parsed import expression_of

_TOLD = re.compile(
    r"\b([a-z_]\w*)\(([a-z_]\w*(?:,\s*[a-z_]\w*){0,3})\)[`'\"]?,?\s++(?:(?:that|which|and)\s++)?(?:(?:should|must)\s++)?"
    r"(?:returns?|gives?|computes?|calculates?|is)\s++`?((?:[\w+*/%().-] ?){3,80}?)`?"
    r"(?=\s?(?:[,;:]|\.(?:\s|$)|$|\b(?:and|if|or|rounded)\b))"
)
_IF = re.compile(
    r"\b(?:if|when)\s+`?(\w+)`?\s+is\s+(?:0|zero)\b[^.\n\d]{0,30}?\b(?:returns?|gives?|is|be)\s+`?(-?\d+(?:\.\d+)?)\b",
    re.IGNORECASE,
)
_ROUNDED = re.compile(r"\b(?:round|whole|integer|cents|ceil|floor|truncat)", re.IGNORECASE)
_BOUNDED = re.compile(
    r"\b(?:at least|at most|never|more than|less than|minim|maxim|capped|limit|unless)", re.IGNORECASE
)
"""What makes something else of a formula."""
_VALUES = ((12, 4, 2, 8), (40, 8, 4, 2))
"""What is given to a function: what is divided by the others comes out even."""
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def formulas(text: str) -> list[tuple[str, str]]:
    """Calls of functions whose formula a request gives, each with what it should come to: both as Python."""
    found: list[tuple[str, str]] = []
    for name, given, formula in () if _BOUNDED.search(text) else _TOLD.findall(text):
        parameters = re.split(r",\s*", given)
        tree = expression_of(formula.strip())
        if not isinstance(tree, ast.Expression) or not isinstance(tree.body, ast.BinOp):
            continue
        for values in _VALUES:
            known = dict(zip(parameters, values, strict=False))
            value = _value(tree.body, known)
            if value is not None and value == round(value, 0 if _ROUNDED.search(text) else 2):
                found.append((_call(name, known), repr(value)))
        for parameter, should in _IF.findall(text):
            if found and parameter in parameters:
                known = {one: 0 if one == parameter else 12 for one in parameters}
                found.append((_call(name, known), should))
    return found


def _call(name: str, known: Mapping[str, int]) -> str:
    return f"{name}({', '.join(map(str, known.values()))})"


def _value(node: ast.expr, known: Mapping[str, int]) -> float | None:
    """What a formula comes to; nothing where it holds more than numbers, names that are known, and signs."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return known.get(name)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            values = _value(left, known), _value(right, known)
            try:
                return None if None in values else float(_OPERATORS[type(sign)](*values))
            except (ArithmeticError, ValueError):
                return None
        case _:
            return None
