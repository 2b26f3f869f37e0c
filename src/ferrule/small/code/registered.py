"""Functions that a file keeps in a table: a new one that is to be found there has to be entered, too."""

import ast

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.parsed import start_of, tree_of

_LEAST = 2
"""Entries of a table that is one."""


def with_registered(base: str, text: str) -> str:
    """A Python file whose new functions stand in its table of functions, where all the others do.

    What such a table looks like: `FILTERS = {"upper": upper, "trim": trim}`, a line for each.
    """
    before, after = tree_of(base), tree_of(text)
    if before is None or after is None:
        return text
    there = [one for one in before.body if isinstance(one, ast.FunctionDef)]
    known = {one.name for one in there}
    made = [one for one in after.body if isinstance(one, ast.FunctionDef) and one.name not in known]
    table = next((one for one in after.body if _entries(one)), None)
    if table is None or not made or not _holds_all(table, there):
        return text
    missing = [one for one in made if one.name not in _entries(table) and not one.name.startswith("_")]
    return _entered(text, table, missing) if missing else text


def _entries(node: ast.stmt) -> list[str]:
    """The functions of a table, if a statement makes one with a line for each."""
    match node:
        case (
            ast.Assign(value=ast.Dict(keys=keys, values=values))
            | ast.AnnAssign(value=ast.Dict(keys=keys, values=values))
        ) if len(keys) >= _LEAST:
            pairs = list(zip(keys, values, strict=True))
        case _:
            return []
    names = [
        value.id
        for key, value in pairs
        if isinstance(key, ast.Constant) and isinstance(value, ast.Name) and key.value == value.id
    ]
    rows = {value.lineno for _, value in pairs}
    is_one_each = len(rows) == len(pairs) and (node.end_lineno or 0) > max(rows)
    return names if len(names) == len(pairs) and is_one_each else []


def _holds_all(table: ast.stmt, functions: list[ast.FunctionDef]) -> bool:
    """Whether a table has all the functions that a file has for others, but for those that use the table."""
    targets = table.targets if isinstance(table, ast.Assign) else [getattr(table, "target", None)]
    names = {one.id for one in targets if isinstance(one, ast.Name)}
    using = [one for one in functions if any(isinstance(it, ast.Name) and it.id in names for it in ast.walk(one))]
    public = {one.name for one in functions if not one.name.startswith("_") and one not in using}
    return set(_entries(table)) == public


def _entered(text: str, table: ast.stmt, functions: list[ast.FunctionDef]) -> str:
    """A file with functions in a table, and before it."""
    lines = lines_of(text)
    last = (table.end_lineno or table.lineno) - 2
    if not lines[last].rstrip().endswith(","):
        lines[last] += ","
    blank = lines[last][: len(lines[last]) - len(lines[last].lstrip())]
    quote = "'" if "'" in lines[last] else '"'
    entries = [f"{blank}{quote}{one.name}{quote}: {one.name}," for one in functions]
    late = [one for one in functions if one.lineno > table.lineno]
    spans = [(start_of(one) - 1, one.end_lineno or one.lineno) for one in late]
    moved = [line for first, end in spans for line in [*lines[first:end], "", ""]]
    kept = [line for at, line in enumerate(lines) if not any(first <= at < end for first, end in spans)]
    head, rest = kept[: table.lineno - 1], kept[table.lineno - 1 :]
    inside = last + 1 - (table.lineno - 1)
    rest = [*rest[:inside], *entries, *rest[inside:]]
    return "\n".join([*head, *moved, *rest]).rstrip() + "\n"
