"""Functions that compute something and give nothing back: the slip that `None` in a failure speaks of."""

import ast
import re
from collections.abc import Iterator, Sequence

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.parsed import Function, every, tree_of
from ferrule.small.mends.slips import Trial

_NOTHING = re.compile(
    r"'NoneType'|\bNone (?:!=|==|is not)|(?:!=|==) None\b|(?:got|returned|returns|gives|gave|is) None\b"
)
_DOES = ast.Call | ast.Await | ast.Yield | ast.YieldFrom
_ONLY_COMPUTE = frozenset(
    ["abs", "all", "any", "bool", "divmod", "float", "int", "len", "list", "max", "min", "pow", "range", "repr",
     "reversed", "round", "set", "sorted", "str", "sum", "tuple"]
)  # fmt: skip
_MOST = 12


def speaks_of_nothing(outputs: Sequence[str]) -> bool:
    """Whether failures are about a value that is not there."""
    return any(_NOTHING.search(one) for one in outputs)


def missing_returns(text: str) -> list[Trial]:
    """What the last lines of functions could be instead that give nothing back; those that end with a value first."""
    tree, lines = tree_of(text), lines_of(text)
    functions = [one for one in ast.walk(tree) if isinstance(one, Function)] if tree else []
    found = [trial for one in functions for trial in _idle(one, lines)]
    found += [trial for one in functions if not _gives(one) for trial in _given(one, lines)]
    return sorted(dict.fromkeys(found), key=lambda one: "\n" in one.line)[:_MOST]


def _idle(function: Function, lines: Sequence[str]) -> Iterator[Trial]:
    """Values that stand alone in a function, wherever that is: nobody gets them."""
    alone = [one for one in every(ast.Expr, function) if one is not function.body[0]]
    for node in alone:
        line = lines[node.lineno - 1]
        if _is_value(node.value) and not line[: node.col_offset].strip():
            yield Trial(node.lineno - 1, f"{line[: node.col_offset]}return {line[node.col_offset :]}")


def _is_value(node: ast.expr) -> bool:
    """Whether an expression does nothing but to compute something."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in _ONLY_COMPUTE
        case _:
            return not isinstance(node, _DOES)


def _gives(function: Function) -> bool:
    """Whether it gives something back, or is not there for that."""
    inside = list(ast.walk(function))
    is_setter = any(isinstance(one, ast.Attribute) for one in function.decorator_list)
    is_generator = any(isinstance(one, ast.Yield | ast.YieldFrom) for one in inside)
    is_for_that = function.name != "__init__" and not is_setter and not is_generator
    is_dropped = isinstance(function.body[-1], ast.Assign | ast.AugAssign)  # what it computed last, nobody gets
    return not is_for_that or (not is_dropped and any(isinstance(one, ast.Return) and one.value for one in inside))


def _given(function: Function, lines: Sequence[str]) -> Iterator[Trial]:
    last = function.body[-1]
    end = (last.end_lineno or last.lineno) - 1
    indent = " " * last.col_offset
    match last:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Expr() if lines[last.lineno - 1].startswith(indent):
            yield Trial(last.lineno - 1, f"{indent}return {lines[last.lineno - 1][last.col_offset :]}")
        case _:
            pass
    if isinstance(last, ast.If):
        yield from (Trial(end, f"{lines[end]}\n{indent}return {name}") for name in sorted(_made_in_each(last)))
    made = [one for one in function.body if isinstance(one, ast.Assign | ast.AnnAssign)]
    for node in reversed(made):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name):
                yield Trial(end, f"{lines[end]}\n{indent}return {target.id}")


def _made_in_each(node: ast.If) -> set[str]:
    """The names that get a value in every branch of an `if`."""
    match node.orelse:
        case []:
            return set()
        case [ast.If() as other]:
            others = _made_in_each(other)
        case other:
            others = _made(other)
    return _made(node.body) & others


def _made(body: Sequence[ast.stmt]) -> set[str]:
    targets = [one for node in body if isinstance(node, ast.Assign) for one in node.targets]
    return {one.id for one in targets if isinstance(one, ast.Name)}
