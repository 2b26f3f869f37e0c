"""Tables with wrong values: the request said them, or a test that asks for one key tells what should stand there."""

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ferrule.small.code.parsed import around, every, expression_of, is_literal, literal, tree_of

_LEAST, _SHARE = 3, 0.6
"""So many keys of a table, and so large a part of them, must be said for it to be that table."""


def with_told_values(text: str, wrong: Sequence[tuple[str, str, str]]) -> str:
    """Python whose tables have what calls for one key should come to, where what came is what they have there.

    `wrong` are calls, each with what it should come to and what came: all as Python.
    """
    told = {repr(key): (should, came) for call in wrong for key, should, came in _asked(*call)}
    places: list[tuple[ast.expr, Any]] = []
    for key, value in (row for table in (_tables(text) if told else ()) for row in table):
        should, came = told.get(repr(ast.literal_eval(key)), (None, None))
        if came is not None and ast.literal_eval(value) == came and type(should) is type(came):
            places.append((value, should))
    return _with(text, places)


def with_said_values(text: str, base: str, said: Sequence[Mapping[str, str]]) -> str:
    """Python whose new tables have what a request says that they have: a small model does not copy well."""
    known = {tuple(ast.unparse(value) for _, value in table) for table in _tables(base)} if said else set()
    places: list[tuple[ast.expr, Any]] = []
    for table in _tables(text) if said else ():
        keys = [str(ast.literal_eval(key)).lower() for key, _ in table]
        spoken = [{key.lower(): value for key, value in one.items()} for one in said]
        fitting = [one for one in spoken if sum(key in one for key in keys) >= max(_LEAST, _SHARE * len(keys))]
        if not fitting or tuple(ast.unparse(value) for _, value in table) in known:
            continue
        for key, (_, value) in zip(keys, table, strict=True):
            now, should = ast.literal_eval(value), _like(ast.literal_eval(value), fitting[0].get(key, ""))
            if should is not None and str(now).lower() != str(should).lower():
                places.append((value, should))
    return _with(text, places)


def _tables(text: str) -> list[list[tuple[ast.expr, ast.expr]]]:
    """The rows of the tables in code, as far as they are plain values."""
    tree = tree_of(text)
    tables = every(ast.Dict, tree)
    rows = [zip(one.keys, one.values, strict=True) for one in tables]
    return [[(key, value) for key, value in table if key and _is_plain(key) and _is_plain(value)] for table in rows]


def _is_plain(node: ast.expr) -> bool:
    return is_literal(node) and node.lineno == node.end_lineno


def _like(now: Any, said: str) -> Any:
    """What was said as a value of the kind that is there; none where it is of another."""
    with suppress(ValueError):
        match now:
            case bool():
                return None
            case int() | float():
                return type(now)(said)
            case str():
                return said or None
            case _:
                return None
    return None


def _with(text: str, places: Sequence[tuple[ast.expr, Any]]) -> str:
    """Python with other values in some places."""
    lines = text.split("\n")
    for node, should in sorted(places, key=lambda one: (one[0].lineno, one[0].col_offset), reverse=True):
        lines[node.lineno - 1] = repr(should).join(around(lines[node.lineno - 1], node))
    return "\n".join(lines)


def _asked(call: str, should: str, came: str) -> list[tuple[Any, Any, Any]]:
    """The key that a call asks for, what should have come, and what came; nothing where it is another kind of call."""
    match expression_of(call):
        case ast.Expression(ast.Call(func=ast.Name(), args=[key], keywords=[])) if is_literal(key):
            with suppress(ValueError):
                return [(ast.literal_eval(key), literal(should), literal(came))]
        case _:
            pass
    return []
