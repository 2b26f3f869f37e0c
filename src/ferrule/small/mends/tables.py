"""Tables with wrong values: a test that asks for one key tells what should stand there."""

import ast
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ferrule.small.code.names import is_literal
from ferrule.small.code.parsed import expression_of, tree_of
from ferrule.small.words.pasted import literal


def with_told_values(text: str, wrong: Sequence[tuple[str, str, str]]) -> str:
    """Python whose tables have what calls for one key should come to, where what came is what they have there.

    `wrong` are calls, each with what it should come to and what came: all as Python.
    """
    told = {repr(key): (should, came) for call in wrong for key, should, came in _asked(*call)}
    tree = tree_of(text)
    tables = [one for one in ast.walk(tree) if isinstance(one, ast.Dict)] if tree and told else []
    places: list[tuple[ast.expr, Any]] = []
    for key, value in ((key, value) for one in tables for key, value in zip(one.keys, one.values, strict=True)):
        if key is None or not is_literal(key) or not is_literal(value) or value.lineno != value.end_lineno:
            continue
        should, came = told.get(repr(ast.literal_eval(key)), (None, None))
        if came is not None and ast.literal_eval(value) == came and type(should) is type(came):
            places.append((value, should))
    lines = [line.encode() for line in text.split("\n")]
    for node, should in sorted(places, key=lambda one: (one[0].lineno, one[0].col_offset), reverse=True):
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + repr(should).encode() + line[node.end_col_offset :]
    return b"\n".join(lines).decode()


def _asked(call: str, should: str, came: str) -> list[tuple[Any, Any, Any]]:
    """The key that a call asks for, what should have come, and what came; nothing where it is another kind of call."""
    match expression_of(call):
        case ast.Expression(ast.Call(func=ast.Name(), args=[key], keywords=[])) if is_literal(key):
            with suppress(ValueError):
                return [(ast.literal_eval(key), literal(should), literal(came))]
        case _:
            pass
    return []
