"""Parameters that tests give and a function does not take, or does not take as optional."""

import ast
import re
from collections.abc import Iterable, Sequence

from ferrule.small.code.parsed import Function, tree_of
from ferrule.small.words.rank import is_test

_SAID = re.compile(
    r"TypeError: (?:(?P<owner>\w+)\.)?(?P<name>\w+)\(\) "
    r"(?:missing \d+ required [a-z-]+ arguments?: |got an unexpected keyword argument )(?P<given>.+)$"
)
_CALLER = re.compile(r'^\s*File "([^"]+)", line \d+, in \w+|^([\w./-]+\.py):\d+:')


def with_parameters(text: str, outputs: Sequence[str]) -> str:
    """Python whose functions can be called as tests call them; what they do with that is not said here."""
    optional = _optional(line for output in outputs for line in output.splitlines())
    tree = tree_of(text) if optional else None
    lines = text.split("\n")
    for function, owner in reversed(_functions(tree) if tree else []):
        names = list(optional.get((owner, function.name), ()))
        if names and function.args.kwarg is None and _is_on_one_line(function, lines):
            lines[function.lineno - 1] = _head(function, names, lines[function.lineno - 1])
    return "\n".join(lines)


def _optional(lines: Iterable[str]) -> dict[tuple[str, str], dict[str, None]]:
    """What tests give or leave out, by class and function, each name once."""
    optional: dict[tuple[str, str], dict[str, None]] = {}
    is_by_test = False
    for line in lines:
        if caller := _CALLER.match(line):
            is_by_test = is_test(caller[1] or caller[2])
        elif is_by_test and "TypeError: " in line and (said := _SAID.search(line)):
            names = re.findall(r"'(\w+)'", said["given"])
            optional.setdefault((said["owner"] or "", said["name"]), {}).update(dict.fromkeys(names))
    return optional


def _functions(tree: ast.Module) -> list[tuple[Function, str]]:
    """The functions of a module, and the methods with the names of their classes."""
    classes = [one for one in tree.body if isinstance(one, ast.ClassDef)]
    methods = [(one, owner.name) for owner in classes for one in owner.body if isinstance(one, Function)]
    found = [*((one, "") for one in tree.body if isinstance(one, Function)), *methods]
    return sorted(found, key=lambda one: one[0].lineno)


def _is_on_one_line(function: Function, lines: Sequence[str]) -> bool:
    return function.body[0].lineno > function.lineno and lines[function.lineno - 1].rstrip().endswith(":")


def _head(function: Function, names: Sequence[str], line: str) -> str:
    """The first line of a function with parameters that need not be given."""
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    plain = positional[: len(positional) - len(args.defaults)]
    first = min((at for at, one in enumerate(plain) if one.arg in names), default=len(plain))
    args.defaults = [*(ast.Constant(None) for _ in plain[first:]), *args.defaults]
    known = {one.arg for one in [*positional, *args.kwonlyargs]}
    added = [ast.arg(name) for name in names if name not in known]
    if args.vararg or args.kwonlyargs:
        args.kwonlyargs += added
        args.kw_defaults += [None for _ in added]
    else:
        args.args += added
        args.defaults += [ast.Constant(None) for _ in added]
    args.kw_defaults = [
        given or (ast.Constant(None) if one.arg in names else None)
        for one, given in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    written = ast.unparse(function).split("\n")[len(function.decorator_list)]
    return line[: len(line) - len(line.lstrip())] + written
