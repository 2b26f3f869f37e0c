"""Tests that wait for an error in vain: what they call is not shown, but their names and what they made tell it."""

import ast
import re
from collections.abc import Mapping

from ferrule.small.code.parsed import tree_of
from ferrule.small.words.wish import stems

Known = Mapping[str, Mapping[str, int]]
"""By the names of classes: their methods, and how many values each must be given. The functions are those of ""."""

WAITS = re.compile(r"^(\s*)with (?:self\.assertRaises(?:Regex)?|pytest\.raises)\(.*\)(?: as \w+)?:\s*$")
_MADE = re.compile(r"^\s*(\w+) = (\w+)\(", re.MULTILINE)
_TELLING = {"zero": "0", "negative": "-1", "empty": "''", "none": "None", "null": "None"}


def callables(texts: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """What Python files have that can be called by its name."""
    known: dict[str, dict[str, int]] = {"": {}}
    for tree in (tree_of(text) for path, text in texts.items() if path.endswith(".py")):
        for node in tree.body if tree else ():
            match node:
                case ast.FunctionDef(name=name):
                    known[""][name] = _required(node)
                case ast.ClassDef(name=name, body=body):
                    methods = [one for one in body if isinstance(one, ast.FunctionDef) and not one.decorator_list]
                    known[name] = {one.name: _required(one) - 1 for one in methods if not one.name.startswith("_")}
                case _:
                    pass
    return known


def _required(function: ast.FunctionDef) -> int:
    arguments = function.args
    return len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)


def likely_call(name: str, made: str, known: Known, text: str) -> str:
    """The call from which a test expects an error, by its name and what it did before; empty where that is not plain.

    `text` is all that was pasted: other calls in it tell what kind of value a function takes.
    """
    words = [word for word in name.lower().split("_") if word != "test"]
    value = next((_TELLING[word] for word in words if word in _TELLING), "")
    objects = [(target, known[kind]) for target, kind in _MADE.findall(made) if kind in known]
    for target, methods in objects:
        if method := _named(words, methods):
            return f"{target}.{method}({value or '1'})" if methods[method] else f"{target}.{method}()"
    functions = known.get("", {})
    one = _named(words, functions) or (next(iter(functions)) if len(functions) == 1 else "")
    if objects or not value or functions.get(one) != 1:
        return ""
    takes_list = value == "''" and re.search(rf"\b{one}\(\[", text)
    return f"{one}({'[]' if takes_list else value})"


def _named(words: list[str], functions: Mapping[str, int]) -> str:
    """The function that the first of some words names."""
    by_stem = {stem: name for name, count in functions.items() if count <= 1 for stem in stems(name) or [name]}
    return next((by_stem[stem] for word in words for stem in stems(word) or [word] if stem in by_stem), "")
