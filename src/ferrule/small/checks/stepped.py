"""Tests that do one thing after the other, run with other values: what nobody complains of should stay as it is."""

import ast
import copy
from collections.abc import Iterator, Mapping
from itertools import chain, islice, zip_longest
from typing import Any

from ferrule.small.checks.replayed import needed_imports
from ferrule.small.code.parsed import every, tree_of
from ferrule.small.code.scripted import python_command

_MOST, _MOST_OF_ONE = 24, 6
_SCALES = ((1, 9, 20, 40, 80), (10, 99, 120, 150, 200))
_RUN = """\
def run(steps):
    seen = []
    def look(call):
        try: shown = repr(call())
        except Exception as error: shown = type(error).__name__
        if " at 0x" not in shown: seen.append(shown)
    try: steps(look)
    except Exception as error: seen.append(type(error).__name__)
    print(*seen)"""
"""What prints all that a test looks at in one line."""


def stepping(tests: str, homes: Mapping[str, str]) -> str:
    """The command that prints what such tests look at, each time with one value that is another; empty without any."""
    tree = tree_of(tests)
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)] if tree else []
    imports = {one.name: needed_imports(one, homes) for one in functions}
    rows = [_variants(one) for one in functions if imports[one.name]]
    in_turn = (one for one in chain.from_iterable(zip_longest(*rows)) if one is not None)
    chosen = list(islice(in_turn, _MOST))
    if not chosen:
        return ""
    lines = dict.fromkeys(line for one in functions for line in imports[one.name])
    steps = [f"{ast.unparse(one)}\nrun({one.name})" for one in chosen]
    script = "\n".join(["import unittest", "self = unittest.TestCase()", *lines, _RUN, *steps])
    return python_command(script)


def _variants(test: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    """A test that looks where it asserted, with another value in one place, a few times."""
    looking = copy.deepcopy(test)
    looking.args.args = [ast.arg("look")]
    caught = {item.optional_vars.id for item in _items(test) if isinstance(item.optional_vars, ast.Name)}
    looking.body = [new for one in test.body for new in _looking(one, caught)]
    places = [at for at, one in enumerate(ast.walk(looking)) if _other(one) is not None]
    singly = [{at: _other(one)} for at, one in enumerate(ast.walk(looking)) if at in places]
    for others in islice(chain(_in_order(looking), singly), _MOST_OF_ONE):
        variant = copy.deepcopy(looking)
        for at, constant in enumerate(ast.walk(variant)):
            if at in others:
                assert isinstance(constant, ast.Constant)
                constant.value = others[at]
        yield ast.fix_missing_locations(variant)


def _in_order(test: ast.FunctionDef) -> Iterator[dict[int, Any]]:
    """All numbers of a test as other ones in the same order: small ones often show what goes on."""
    numbers = {
        at: one.value
        for at, one in enumerate(ast.walk(test))
        if isinstance(one, ast.Constant) and type(one.value) is int
    }
    known = sorted(set(numbers.values()))
    for scale in _SCALES if 1 < len(known) <= len(_SCALES[0]) else ():
        yield {at: scale[known.index(value)] for at, value in numbers.items()}


def _items(test: ast.FunctionDef) -> list[ast.withitem]:
    return [item for one in ast.walk(test) if isinstance(one, ast.With) for item in one.items]


def _looking(node: ast.stmt, caught: set[str]) -> Iterator[ast.stmt]:
    """A statement of a test as one that shows what it would assert something of."""
    if any(isinstance(one, ast.Name) and one.id in caught for one in ast.walk(node)) and not isinstance(node, ast.With):
        return
    match node:
        case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id="self")), args=[first, *others])):
            looked_at = next((one for one in (first, *others) if not isinstance(one, ast.Constant)), first)
            yield _shown(looked_at)
        case ast.Assert(test=ast.Compare(left=left)):
            yield _shown(left)
        case ast.With(body=[*before, ast.Expr(value=last)]):
            yield from before
            yield _shown(last)
        case ast.Assign(targets=[target], value=ast.Call()):
            yield node
            if names := [one.id for one in every(ast.Name, target)]:
                yield _shown(ast.Tuple([ast.Name(one, ast.Load()) for one in names], ast.Load()))
        case _:
            yield node


def _shown(value: ast.expr) -> ast.stmt:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Expr(ast.Call(ast.Name("look", ast.Load()), [ast.Lambda(nothing, value)], []))


def _other(node: ast.AST) -> bool | int | str | None:
    """Another value of the same kind; none where it is no plain one."""
    match node:
        case ast.Constant(value=bool(value)):
            return not value
        case ast.Constant(value=int(value)):
            return value + 1
        case ast.Constant(value=str(value)):
            return f"{value}a"
        case _:
            return None
