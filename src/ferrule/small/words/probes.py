"""Calls like those that fail, with other values: what nobody complains of should stay as it is."""

import ast
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Any

from ferrule.small.code.names import is_literal
from ferrule.small.code.parsed import expression_of

_MOST, _LONGEST, _LARGEST = 24, 400, 1_000
_NONE = object()


def probes(calls: Sequence[str], texts: Sequence[str] = ()) -> list[str]:
    """Calls of the same functions, a few of each, with one value changed; `texts` are such as may be given, too."""
    each = [_like(call, texts) for call in dict.fromkeys(calls) if len(call) <= _LONGEST]
    in_turn = (one for row in zip_longest(*each) for one in row if one is not None)
    return list(islice((one for one in dict.fromkeys(in_turn) if one not in calls), _MOST))


def _like(call: str, texts: Sequence[str]) -> Iterator[str]:
    match expression_of(call):
        case ast.Expression(ast.Call(func=ast.Name(), args=args, keywords=named) as node) if all(map(is_literal, args)):
            pass
        case _:
            return
    values = [ast.literal_eval(one) for one in args]
    others = [_others(value, texts) for value in values]
    singly = [
        [*values[:at], other, *values[at + 1 :]]
        for row in zip_longest(*others, fillvalue=_NONE)
        for at, other in enumerate(row)
        if other is not _NONE
    ]
    together = [list(row) for row in zip(*others, strict=False)] if len(values) > 1 else []
    for given in filter(None, chain.from_iterable(zip_longest(together, singly))):
        written = [*map(repr, given), *map(ast.unparse, named)]
        yield f"{ast.unparse(node.func)}({', '.join(written)})"


def _others(value: Any, texts: Sequence[str]) -> list[Any]:
    """Values of the same kind."""
    like: list[Any] = []
    match value:
        case bool():
            like = [not value]
        case int():
            like = [one for one in (value + 10, value + 1, value - 1, 1, 0) if abs(one) <= _LARGEST]
        case float():
            like = [value + 1, value / 2]
        case str():
            said = [*texts, *map(str.upper, texts)]
            like = [value.lower(), value.upper(), *said, value[: len(value) // 2], value.strip(), value[::-1], ""]
        case list() | tuple():
            whole = type(value)(one for one in value if one)
            like = [whole, value[:-1], value[::-1], type(value)([*value, *value[:1]]), value[1:]]
        case _:
            pass
    return [one for one in like if one != value]
