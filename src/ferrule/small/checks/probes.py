"""Calls like those that fail, with other values: what nobody complains of should stay as it is."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Any

from ferrule.small.code.parsed import around, expression_of, is_literal

_MOST, _LONGEST, _LARGEST = 24, 400, 1_000
_NONE = object()


def probes(calls: Sequence[str], texts: Sequence[str] = ()) -> list[str]:
    """Calls of the same functions, a few of each, with one value changed; `texts` are such as may be given, too."""
    each = [_like(call, texts) for call in dict.fromkeys(calls) if len(call) <= _LONGEST]
    in_turn = (one for row in zip_longest(*each) for one in row if one is not None)
    return list(islice((one for one in dict.fromkeys(in_turn) if one not in calls), _MOST))


def _like(call: str, texts: Sequence[str]) -> Iterator[str]:
    tree = expression_of(call)
    places = list(islice(_given(tree.body), _MOST)) if tree and not is_literal(tree.body) else []
    others = [_others(ast.literal_eval(one), texts) for one in places]
    singly = [
        {at: other}
        for row in zip_longest(*others, fillvalue=_NONE)
        for at, other in enumerate(row)
        if other is not _NONE
    ]
    together = [dict(enumerate(row)) for row in zip(*others, strict=False)] if len(places) > 1 else []
    for given in filter(None, chain.from_iterable(zip_longest(together, singly))):
        yield _with(call, places, given)


def _given(node: ast.expr) -> Iterator[ast.expr]:
    """The values that a call is given, and the calls in it, in the order in which they stand there."""
    match node:
        case ast.Call(func=func, args=args):
            for one in (func, *args):
                yield from _given(one)
        case ast.Attribute(value=value):
            yield from _given(value)
        case ast.Compare(left=ast.Call() as left, comparators=[ast.Call() as right]):
            for one in (left, right):
                yield from _given(one)
        case _ if is_literal(node):
            yield node
        case _:
            pass


def _with(call: str, places: Sequence[ast.expr], given: Mapping[int, Any]) -> str:
    """A call with other values in some places."""
    for at in sorted(given, reverse=True):
        call = repr(given[at]).join(around(call, places[at]))
    return call


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
            like = [
                value.lower(),
                value.upper(),
                f"{value}a",
                *said,
                value[: len(value) // 2],
                value.strip(),
                value[::-1],
                "",
            ]
        case list() | tuple():
            whole = type(value)(one for one in value if one)
            like = [whole, value[:-1], value[::-1], type(value)([*value, *value[:1]]), value[1:]]
        case _:
            pass
    return [one for one in like if one != value]
