"""Calls like those that fail, with other values: what nobody complains of should stay as it is."""

import ast
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Any

from ferrule.small.code.names import is_literal
from ferrule.small.code.parsed import expression_of

_MOST, _LONGEST, _LARGEST = 24, 400, 1_000


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
    in_turn = chain.from_iterable(zip_longest(*[[(at, one) for one in several] for at, several in enumerate(others)]))
    for place in in_turn:
        if place is not None:
            given = [repr(place[1] if at == place[0] else value) for at, value in enumerate(values)]
            given += [ast.unparse(one) for one in named]
            yield f"{ast.unparse(node.func)}({', '.join(given)})"


def _others(value: Any, texts: Sequence[str]) -> list[Any]:
    """Values of the same kind."""
    like: list[Any] = []
    match value:
        case bool():
            like = [not value]
        case int():
            like = [one for one in (value + 1, value - 1, 1, 0, value + 10) if abs(one) <= _LARGEST]
        case float():
            like = [value + 1, value / 2]
        case str():
            said = [*texts, *map(str.upper, texts)]
            like = [value.lower(), value.upper(), *said, value[: len(value) // 2], value.strip(), value[::-1], ""]
        case list() | tuple():
            like = [value[:-1], value[::-1], type(value)([*value, *value[:1]]), value[1:]]
        case _:
            pass
    return [one for one in like if one != value]
