"""What a function gives back, made into what is wanted: in order, in numbers, in groups, without blanks.

A small model gets the hard part right and forgets the last step, which the values tell: what came, and what should.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from ferrule.core.messages import Value
from ferrule.small.code.blocks import Block, is_within, lines_of
from ferrule.small.code.parsed import around, every, tree_of
from ferrule.small.mends.slips import Trial

_WHOLE = (ast.Name, ast.Call, ast.Subscript, ast.Attribute, ast.List, ast.ListComp, ast.Dict, ast.Set)
"""What needs no parentheses."""
_MOST, _LONGEST, _LARGEST = 200, 40_000, 2_000
_POWERS = ("{1} ** {0}", "{1} ** ({0} - 1)", "{0} ** {1}", "{1} ** ({0} + 1)")
_SHORT = 20
"""Characters of a value that stands for nothing."""

Pairs = Mapping[str, Sequence[tuple[Any, Any]]]
"""By the names of functions: what came, and what should have come."""


class _Step(Value, frozen=True):
    """A last step: how it is written, and what it does."""

    written: str
    does: Callable[[Any], Any]


def _steps() -> Iterator[_Step]:
    yield _Step("sorted({})", sorted)
    yield _Step("[int(one) for one in {}]", lambda value: [int(one) for one in value])
    yield _Step("[str(one) for one in {}]", lambda value: [str(one) for one in value])
    yield _Step("list({})", list)
    yield _Step("tuple({})", tuple)
    yield _Step("set({})", set)
    yield _Step("list(dict.fromkeys({}))", lambda value: list(dict.fromkeys(value)))
    yield _Step("{}[::-1]", lambda value: value[::-1])
    yield _Step("int({})", int)
    yield _Step("float({})", float)
    yield _Step("str({})", str)
    yield _Step("bool({})", bool)
    yield _Step("abs({})", abs)
    yield _Step("-{}", lambda value: -value)
    yield _Step("not {}", lambda value: not value)
    yield _Step("round({})", round)
    yield _Step("round({}, 1)", lambda value: round(value, 1))
    yield _Step("round({}, 2)", lambda value: round(value, 2))
    yield _Step("{}.strip()", lambda value: value.strip())
    yield _Step("{}.lower()", lambda value: value.lower())
    yield _Step("{}.upper()", lambda value: value.upper())
    yield _Step("{}.capitalize()", lambda value: value.capitalize())
    yield _Step("{}.title()", lambda value: value.title())
    yield _Step("{}.split()", lambda value: value.split())
    yield _Step("{}.splitlines()", lambda value: value.splitlines())
    yield _Step("{}.replace(' ', '')", lambda value: value.replace(" ", ""))
    for joint in ("", " ", ", ", "\n"):
        yield _Step(f"{joint!r}.join({{}})", joint.join)
    for size in range(2, 7):
        yield _Step(
            f"' '.join({{0}}[at:at + {size}] for at in range(0, len({{0}}), {size}))", partial(_in_groups, size)
        )


def _in_groups(size: int, value: str) -> str:
    return " ".join(value[at : at + size] for at in range(0, len(value), size))


_STEPS = tuple(_steps())
_BY_CHANCE = ("{}.capitalize()", "{}.title()")
"""Steps that make one text right of which something else is wrong: a capital that was lost."""


def afterwards(text: str, blocks: Sequence[Block] | None, pairs: Pairs) -> list[Trial]:
    """The lines of some blocks that give something back, each with a last step or two.

    Where `pairs` tell what came and what should have come, only such steps as lead from one to the other.
    """
    tree = tree_of(text) if len(text) <= _LONGEST else None
    lines = lines_of(text)
    functions = every(ast.FunctionDef, tree)
    found = (
        Trial(node.lineno - 1, line)
        for function in functions
        for steps in (_fitting(pairs[function.name]) if function.name in pairs else [(one,) for one in _STEPS])
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and is_within(blocks, node.lineno)
        for line in _with(node, steps, lines[node.lineno - 1])
    )
    return list(islice(dict.fromkeys(found), _MOST))


def powers(text: str, blocks: Sequence[Block] | None, pairs: Pairs) -> list[Trial]:
    """Products of some blocks as powers, where several values are told: twice a number, or doubled that many times."""
    tree = tree_of(text) if len(text) <= _LONGEST else None
    lines = lines_of(text)
    told = {name for name, each in pairs.items() if len(each) > 1 and all(type(should) is int for _, should in each)}
    functions = every(ast.FunctionDef, tree)
    found: list[Trial] = []
    for node in (inner for one in functions if one.name in told for inner in ast.walk(one)):
        match node:
            case (
                ast.BinOp(left=ast.Name() as base, op=ast.Mult(), right=ast.Constant(value=int()) as factor)
                | ast.BinOp(left=ast.Constant(value=int()) as factor, op=ast.Mult(), right=ast.Name() as base)
            ) if node.lineno == node.end_lineno and is_within(blocks, node.lineno):
                before, after = around(lines[node.lineno - 1], node)
                written = [one.format(base.id, factor.value) for one in _POWERS]
                found += [Trial(node.lineno - 1, before + one + after) for one in written]
            case _:
                pass
    return found


def _fitting(pairs: Sequence[tuple[Any, Any]]) -> list[tuple[_Step, ...]]:
    """The steps, one or two, that lead from all that came to what should have come, or one that does from most."""
    small = [(came, should) for came, should in pairs if len(repr(came)) <= _LARGEST]
    if not small:
        return []
    once = {one: [_done(one, came) for came, _ in small] for one in _STEPS}
    wanted = [should for _, should in small]
    single = [(one,) for one, values in once.items() if _are_same(values, wanted)]
    if len(small) == 1:
        single = [steps for steps in single if steps[0].written not in _BY_CHANCE]
    if instead := _instead_of_nothing(small):
        single.append((instead,))
    if single or len(small) == 1:  # two steps lead from almost anything to one value
        return list(single)
    for one, values in once.items():
        fitting = sum(_are_same([value], [should]) for value, should in zip(values, wanted, strict=True))
        single += [(one,)] if fitting > 1 and 2 * fitting > len(small) else []
    return single + [
        (first, second)
        for first, values in once.items()
        for second in _STEPS
        if _are_same([_done(second, value) for value in values], wanted)
    ]


def _instead_of_nothing(pairs: Sequence[tuple[Any, Any]]) -> _Step | None:
    """The step that gives one value wherever nothing came: `[0]` for an empty list."""
    values = {repr(should) for _, should in pairs}
    is_plain = all(not came and type(came) is type(should) and not isinstance(came, bool) for came, should in pairs)
    value = next(iter(values))
    if not is_plain or len(values) > 1 or len(value) > _SHORT:
        return None
    return _Step("{} or " + value.replace("{", "{{").replace("}", "}}"), lambda came: came)


def _done(step: _Step, value: Any) -> Any:
    try:
        return step.does(value)
    except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError):
        return None


def _are_same(values: Sequence[Any], wanted: Sequence[Any]) -> bool:
    return all(type(one) is type(other) and one == other for one, other in zip(values, wanted, strict=True))


def _with(node: ast.Return, steps: Sequence[_Step], line: str) -> Iterator[str]:
    """A line that gives something back, with last steps, where all of it stands there."""
    if node.value is None or node.lineno != node.end_lineno or line[: node.col_offset].strip():
        return
    indent, value, before = line[: node.col_offset], ast.unparse(node.value), list[str]()
    is_whole = isinstance(node.value, _WHOLE)
    for step in steps:
        if step.written.count("{0}") > 1 and not value.isidentifier():
            before.append(f"{indent}result = {value}")
            value = "result"
        elif not is_whole and not step.written.endswith("({})"):
            value = f"({value})"
        value, is_whole = step.written.format(value), not step.written.endswith(" {}")
    yield "\n".join([*before, f"{indent}return {value}"])
