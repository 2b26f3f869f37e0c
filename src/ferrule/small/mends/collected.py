"""What a loop collects: texts strung together where a list is wanted, and things that nobody wants in it."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ferrule.small.code.blocks import Block, is_within, lines_of
from ferrule.small.code.parsed import every, tree_of
from ferrule.small.mends.afterwards import Pairs
from ferrule.small.mends.slips import Trial

_MOST_UNWANTED, _MOST, _LONGEST = 3, 60, 40_000


def with_lists(text: str, pairs: Pairs) -> str:
    """Python in which functions that should give a list back, and string texts together, make a list of them."""
    tree, lines = tree_of(text) if pairs else None, lines_of(text)
    if tree is None:
        return text
    for function in every(ast.FunctionDef, tree):
        told = pairs.get(function.name, ())
        if told and all(isinstance(came, str) and isinstance(should, list) for came, should in told):
            for line in _as_list(function, lines):
                lines[line.at] = line.line
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def _as_list(function: ast.FunctionDef, lines: Sequence[str]) -> list[Trial]:
    """The lines of a function in which a text grows, as those in which a list does; none where it is used otherwise."""
    given = {one.value.id for one in every(ast.Return, function) if isinstance(one.value, ast.Name)}
    if len(given) != 1:
        return []
    (name,) = given
    uses = [one for one in every(ast.Name, function) if one.id == name]
    changed: list[Trial] = []
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Constant(value="")) if target == name:
                new = f"{name} = []"
            case ast.AugAssign(target=ast.Name(id=target), op=ast.Add(), value=value) if target == name:
                new = f"{name}.append({ast.unparse(value)})"
            case ast.Return(value=ast.Name(id=target)) if target == name:
                new = f"return {name}"
            case _:
                continue
        line = lines[node.lineno - 1]
        if node.lineno != node.end_lineno or line[: node.col_offset].strip():
            return []
        changed.append(Trial(node.lineno - 1, line[: node.col_offset] + new))
    return changed if len(changed) == len(uses) else []


def unwanted(text: str, blocks: Sequence[Block] | None, pairs: Pairs) -> list[Trial]:
    """Lines that collect something, each with a way past a value that came and should never have come."""
    tree = tree_of(text) if len(text) <= _LONGEST else None
    lines = lines_of(text)
    found: list[Trial] = []
    for function in every(ast.FunctionDef, tree):
        values = _never_wanted(function, pairs.get(function.name, ()))
        for node, collected in _collecting(function):
            line = lines[node.lineno - 1]
            is_alone = node.lineno == node.end_lineno and not line[: node.col_offset].strip()
            if is_alone and is_within(blocks, node.lineno):
                indent = line[: node.col_offset]
                found += [
                    Trial(node.lineno - 1, f"{indent}if {collected} == {value!r}:\n{indent}    {way}\n{line}")
                    for value in values
                    for way in ("break", "continue")
                ]
    return found[:_MOST]


def _never_wanted(function: ast.FunctionDef, pairs: Sequence[tuple[Any, Any]]) -> list[str]:
    """The texts that a function names, that came, and that are in nothing that should have come."""
    named = [one.value for one in every(ast.Constant, function) if isinstance(one.value, str)]
    came, should = (repr([pair[side] for pair in pairs]) for side in (0, 1))
    return [one for one in dict.fromkeys(named) if one and one in came and one not in should][:_MOST_UNWANTED]


def _collecting(function: ast.FunctionDef) -> Iterator[tuple[ast.stmt, str]]:
    """The statements in loops that add something to what is collected, each with that."""
    loops = [one for one in ast.walk(function) if isinstance(one, ast.For | ast.While)]
    for node in dict.fromkeys(inner for loop in loops for inner in ast.walk(loop)):
        match node:
            case ast.Expr(ast.Call(func=ast.Attribute(attr="append"), args=[value])):
                yield node, ast.unparse(value)
            case ast.AugAssign(op=ast.Add(), value=value):
                yield node, ast.unparse(value)
            case _:
                pass
