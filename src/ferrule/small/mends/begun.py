"""Sums that nobody begins: a small model begins `words_text` and adds to `word_text`."""

import ast
import difflib
import re
from itertools import islice

from ferrule.small.code.parsed import Function, every, tree_of

_ALIKE, _MOST = 0.8, 20


def with_begun(text: str) -> str:
    """Python in which what is added to has a value before, where it is plain which name is meant."""
    tree = tree_of(text) if "=" in text else None
    found = (
        (one, *both) for one in every(ast.stmt, tree) if isinstance(one, Function) for both in never_begun(one).items()
    )
    for function, name, known in islice(found, _MOST):
        meant = difflib.get_close_matches(name, known, 1, _ALIKE)
        if meant and not re.search(rf"\b{name}\b", text.replace(_source(text, function), "")):
            text = re.sub(rf"\b{name}\b", meant[0], text)
    return text


def never_begun(function: Function) -> dict[str, set[str]]:
    """The names that a function only ever adds to, each with those that it gives values to."""
    added = [one.target for one in every(ast.AugAssign, function) if isinstance(one.target, ast.Name)]
    names = [one for one in every(ast.Name, function) if isinstance(one.ctx, ast.Store) and one not in added]
    known = {one.id for one in names} | {one.arg for one in every(ast.arg, function)}
    others = {one for node in every(ast.Global, function) for one in node.names}
    others |= {one for node in every(ast.Nonlocal, function) for one in node.names}
    others |= {it.asname or it.name for node in every(ast.ImportFrom, function) for it in node.names}
    return {one.id: {it.id for it in names} for one in added if one.id not in known | others}


def _source(text: str, function: Function) -> str:
    return "\n".join(text.split("\n")[function.lineno - 1 : function.end_lineno])
