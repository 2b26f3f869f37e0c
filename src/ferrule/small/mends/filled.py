"""Files of names that were filled in: each function keeps its place and its parameters, for others rely on them."""

import ast
import textwrap

from ferrule.small.code.blocks import is_empty
from ferrule.small.code.parsed import Function, tree_of


def with_lifted(base: str, text: str) -> str:
    """Python with the functions that a file of names has and that a model wrote as methods only."""
    names, tree = _functions(base), tree_of(text)
    classes = [one for one in tree.body if isinstance(one, ast.ClassDef)] if tree else []
    methods = {one.name: one for owner in classes for one in owner.body if isinstance(one, Function)}
    there = _functions(text)
    lines, added = text.split("\n"), []
    rows = {name: one.lineno for name, one in there.items()}
    for name in sorted(names, key=lambda one: rows.get(one, 0), reverse=True):  # those above keep their places
        method, old = methods.get(name), there.get(name)
        if method and _takes(method, names[name]) and (old is None or is_empty(old)):
            lifted = _as_function(method)
            if old is None:
                added.append(lifted)
            else:
                lines[old.lineno - 1 : old.end_lineno] = lifted.split("\n")
    kept = "\n".join(lines)
    return "\n\n\n".join([kept.rstrip(), *added]) + "\n" if added else kept


def misfit(base: str, text: str) -> str:
    """What is wrong with the parameters of functions, in words for the model; empty where they are what they were."""
    there = _functions(text)
    for name, function in _functions(base).items():
        now = there.get(name)
        if now is None:
            continue
        given, required, most = len(_given(function)), len(_given(now)) - len(now.args.defaults), len(_given(now))
        is_method = _given(now)[:1] == ["self"] != _given(function)[:1]
        is_open = bool(now.args.vararg or function.args.vararg)
        if is_method or (not is_open and not required <= given <= most):
            return f"The function {name}({ast.unparse(function.args)}) must keep its parameters, outside of any class."
    return _lost(base, text)


def _lost(base: str, text: str) -> str:
    """Which method is not there any more, in words for the model; a class that is all another is its own matter."""
    now = {name: one for name, one in _classes(text).items() if not one.bases}
    for name, owner in _classes(base).items():
        missing = [one for one in _methods(owner) if name in now and one not in _methods(now[name])]
        if missing:
            arguments = ast.unparse(_methods(owner)[missing[0]].args)
            return f"The class {name} must have the method {missing[0]}({arguments})."
    return ""


def _classes(text: str) -> dict[str, ast.ClassDef]:
    tree = tree_of(text)
    return {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)} if tree else {}


def _methods(owner: ast.ClassDef) -> dict[str, Function]:
    """The methods of a class that others call by their names."""
    return {one.name: one for one in owner.body if isinstance(one, Function) and not one.name.startswith("_")}


def _functions(text: str) -> dict[str, Function]:
    tree = tree_of(text)
    return {one.name: one for one in tree.body if isinstance(one, Function)} if tree else {}


def _given(function: Function) -> list[str]:
    return [one.arg for one in [*function.args.posonlyargs, *function.args.args]]


def _takes(method: Function, function: Function) -> bool:
    """Whether a method needs nothing of its object, and otherwise takes what a function takes."""
    own, *others = _given(method) or [""]
    inside = [one for part in method.body for one in ast.walk(part)]
    uses_own = any(isinstance(one, ast.Name) and one.id == own for one in inside)
    return own == "self" and len(others) == len(_given(function)) and not uses_own and not is_empty(method)


def _as_function(method: Function) -> str:
    method.args.args = [one for one in method.args.args if one.arg != "self"]
    return textwrap.dedent(ast.unparse(method))
