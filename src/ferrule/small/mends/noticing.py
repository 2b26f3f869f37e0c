"""New tests that would not notice a mistake: how that is found out, and what is added to them.

Half of the tests that a small model writes assert that something is there, or give a function what it leaves alone.
"""

import ast
import re
from collections.abc import Iterator

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.parsed import Function, every, is_literal, tree_of
from ferrule.small.mends.slips import Trial

_MOST_CALLS, _MOST_ALWAYS = 6, 2
_NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?:\.\d{1,4})?(?![\w.]*\w)")


def mistakes(text: str, name: str) -> list[Trial]:
    """A function with a mistake in it, each of which tests for it should notice.

    It gives nothing, what it got, or one of the values that it gives in some case always.
    """
    node = next((one for one in _functions(text) if one.name == name), None)
    if node is None:
        return []
    first = node.body[1] if len(node.body) > 1 and ast.get_docstring(node) is not None else node.body[0]
    line = lines_of(text)[first.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    given = [one.arg for one in node.args.args if one.arg not in {"self", "cls"}][:1]
    values = [one.value for one in every(ast.Return, node) if one.value]
    always = list(dict.fromkeys(ast.unparse(one) for one in values if is_literal(one)))[:_MOST_ALWAYS]
    instead = dict.fromkeys(["None", *given, *(always if len(values) > 1 else [])])
    return [Trial(first.lineno - 1, f"{indent}return {what}\n{line}") for what in instead]


def tried_calls(tests: str, name: str, request: str = "") -> list[str]:
    """Calls of a function that tests make with plain values, and the same with values that leave it more to do.

    Before them come those with a number of the request, where the function takes one.
    """
    tree = tree_of(tests)
    calls = every(ast.Call, tree)
    plain = [one for one in calls if isinstance(one.func, ast.Name) and one.func.id == name and one.args]
    plain = [one for one in plain if not one.keywords and all(map(is_literal, one.args))]
    takes_one = any(isinstance(one.func, ast.Name) and one.func.id == name and len(one.args) == 1 for one in calls)
    found = [f"{name}({one})" for one in _NUMBER.findall(request)][:_MOST_ALWAYS] if takes_one else []
    found += [ast.unparse(one) for one in plain]
    found += [f"{name}({', '.join(repr(_busier(ast.literal_eval(arg))) for arg in one.args)})" for one in plain]
    return list(dict.fromkeys(found))[:_MOST_CALLS]


def says_something(call: str, value: str) -> bool:
    """Whether what a call gives tells more than what it was given, or nothing."""
    tree = tree_of(call)
    match tree.body[0] if tree and tree.body else None:
        case ast.Expr(value=ast.Call(args=[first, *_])):
            return value != ast.unparse(first) and value not in {"None", "[]", "{}", "''", "0", "False"}
        case _:
            return False


def with_assertion(tests: str, name: str, call: str, value: str) -> tuple[str, str] | None:
    """A file of tests with one more, and what that asserts; nothing where it has no place for it."""
    tree = tree_of(tests)
    classes = [one for one in tree.body if isinstance(one, ast.ClassDef)] if tree else []
    lines = lines_of(tests)
    if classes:
        methods = [one for one in classes[-1].body if isinstance(one, Function) and one.name.startswith("test")]
        if not methods:
            return None
        indent = " " * methods[-1].col_offset
        said = f"self.assertEqual({call}, {value})"
        new = ["", f"{indent}def test_{name}_gives(self):", f"{indent}    {said}"]
        at = methods[-1].end_lineno or 0
    else:
        tests_there = [one for one in _functions(tests) if one.name.startswith("test")]
        if not tests_there:
            return None
        said = f"assert {call} == {value}"
        new, at = ["", "", f"def test_{name}_gives():", f"    {said}"], tests_there[-1].end_lineno or 0
    return "\n".join([*lines[:at], *new, *lines[at:]]) + "\n", said


def _functions(text: str) -> Iterator[Function]:
    tree = tree_of(text)
    yield from (one for one in tree.body if isinstance(one, Function)) if tree else ()


def _busier(value: object) -> object:
    """A value like another, in which a function finds more to do: blanks and capitals in texts."""
    match value:
        case str():
            return f" {value.title()} " if re.search(r"[a-z]", value) else f" {value} "
        case list():
            return [_busier(one) for one in value]
        case tuple():
            return tuple(_busier(one) for one in value)
        case dict():
            return {key: _busier(one) for key, one in value.items()}
        case _:
            return value
