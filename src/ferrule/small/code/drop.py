"""Tests that a small model wrote for code that is there: what they wrongly expect is left out, and said."""

import ast
import re

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.parsed import Function, around, every, is_literal, literal, start_of, tree_of

_GOT = re.compile(r"^(?:E\s+)?(?:AssertionError: )?(?:\w+ differ: |assert )?(.{1,200}?) (?:!=|==) .+$", re.MULTILINE)
_ASSERTS = ("assert", "self.assert", "self.fail")


def without_line(text: str, number: int) -> tuple[str, str] | None:
    """A file of tests without the assertion in a line, and that assertion; nothing where there is none to spare.

    A test is left with another assertion, so that no empty one passes for a test.
    """
    tree = tree_of(text)
    if tree is None:
        return None
    for function in ast.walk(tree):
        if not isinstance(function, Function):
            continue
        for node in function.body:
            last = node.end_lineno or node.lineno
            if node.lineno <= number <= last and _asserts(node):
                if sum(map(_asserts, function.body)) > 1:
                    return _without(text, node.lineno, last), ast.unparse(node)
                return _without_test(text, tree, function)
    return None


def corrected(text: str, number: int, said: str) -> tuple[str, str] | None:
    """A file of tests with the assertion in a line expecting what it really gets, and what that is; else nothing.

    `said` is the output of the failing tests: it names what was got, where that is a plain value.
    """
    found = _GOT.search(said, max(0, said.rfind(f"line {number},"), said.rfind(f":{number}:")))
    got = found[1] if found else ""
    try:
        value = repr(literal(got))
    except ValueError:
        return None
    tree = tree_of(text)
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Call(func=ast.Attribute(attr="assertEqual"), args=[ast.Call(), expected]):
                pass
            case ast.Assert(test=ast.Compare(left=ast.Call(), ops=[ast.Eq()], comparators=[expected])):
                pass
            case _:
                continue
        is_here = node.lineno <= number <= (node.end_lineno or node.lineno)
        if is_here and expected.lineno == expected.end_lineno and is_literal(expected):
            lines = lines_of(text)
            lines[expected.lineno - 1] = value.join(around(lines[expected.lineno - 1], expected))
            return "\n".join(lines) + "\n", lines[expected.lineno - 1].strip()
    return None


def _asserts(node: ast.stmt) -> bool:
    return ast.unparse(node).startswith(_ASSERTS)


def _without_test(text: str, tree: ast.Module, function: Function) -> tuple[str, str] | None:
    """The file without a whole test, where there are others."""
    tests = [one for one in every(ast.FunctionDef, tree) if one.name.startswith("test")]
    if len(tests) < 2:
        return None
    first = start_of(function)
    return _without(text, first, function.end_lineno or first), function.name


def _without(text: str, first: int, last: int) -> str:
    lines = lines_of(text)
    return "\n".join([*lines[: first - 1], *lines[last:]]) + "\n"
