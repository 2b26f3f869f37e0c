"""Values that one function gives a name and another one uses: they belong to both."""

import ast
import textwrap
from collections.abc import Iterator

from ferrule.small.code.names import out_of_reach
from ferrule.small.code.parsed import Definition, Function, every, is_literal, start_of, tree_of


def with_shared(text: str) -> str:
    """Python in which a table that one function has and others name stands before all of them."""
    while found := _first(text):
        home, table, top = found
        lines = text.split("\n")
        cut = lines[table.lineno - 1 : table.end_lineno]
        alone = tree_of(textwrap.dedent("\n".join(cut)))
        if alone is None or len(alone.body) != 1 or home.body[-1] is table:
            return text
        inside = [*lines[: table.lineno - 1], *lines[table.end_lineno or 0 :]]
        text = "\n".join([*inside[: top - 1], textwrap.dedent("\n".join(cut)), "", "", *inside[top - 1 :]])
    return text


def _first(text: str) -> tuple[Function, ast.Assign, int] | None:
    """A table to be moved, the function that has it, and the line before which it should stand."""
    tree = tree_of(text)
    missing = out_of_reach(text)
    if tree is None or not missing:
        return None
    tops = [one for one in tree.body if isinstance(one, Definition)]
    for function in (one for one in ast.walk(tree) if isinstance(one, Function)):
        for table, name in _tables(function):
            if name in missing:
                return function, table, min(map(start_of, tops))
    return None


def _tables(function: Function) -> Iterator[tuple[ast.Assign, str]]:
    """What a function calls by a name once and for all; nothing that begins empty, for that will grow."""
    set_here = [one.id for one in every(ast.Name, function) if isinstance(one.ctx, ast.Store)]
    for one in function.body:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() | ast.List() | ast.Tuple() as value):
                if is_literal(value) and ast.literal_eval(value) and set_here.count(name) == 1:
                    yield one, name
            case _:
                pass
