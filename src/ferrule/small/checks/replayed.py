"""Tests that pasted output shows, run again: the project may have no file of them, but what failed can be seen."""

import ast
import builtins
import re
import textwrap
import unittest
from collections.abc import Iterator, Mapping, Sequence

from ferrule.small.checks.check import Check
from ferrule.small.checks.pasted import PLAIN, asserted, names_in
from ferrule.small.checks.raising import WAITS, Known, likely_call
from ferrule.small.code.names import USUAL, module_of
from ferrule.small.code.parsed import every, expression_of, is_literal, tree_of
from ferrule.small.code.scripted import python_command

_TEST = re.compile(r"^ +def (test\w*)\((?:self)?(?:, )?([\w, ]*)\)(?: -> None)?:$")
_FRAME = re.compile(r'^ +File "[^"\n]+", line \d+, in (test\w*)$')
_ENDS = re.compile(r"^E  |^[\w./-]+:\d+: |^_ _ _|^_{3,} |^={5,}")
"""What stands behind the lines of a test."""
_FAILED_AT, _CARETS = ">", re.compile(r"^\s*[~^]+\s*$")
_GIVEN = re.compile(r"^[a-z_]\w* = ")
_BEFORE = 4
"""So many lines before a test say what it was given."""
_MOST_READ = 200
_MOST, _LONGEST, _MOST_LINES, _TOLD = 40, 1_500, 40, 2
_LOUD = {"open", "exec", "eval", "compile", "input", "print", "breakpoint", "exit", "quit", "help", "globals", "vars"}
_BUILT_IN = frozenset(name for name in dir(builtins) if not name.startswith("_")) - _LOUD
_QUIET_MODULES = frozenset(
    {
        "math", "cmath", "datetime", "string", "fractions", "decimal", "collections", "itertools", "pytest", "random",
        "re", "json", "functools", "operator", "statistics", "copy", "textwrap",
    }
)  # fmt: skip
_NAME = "<string>"
_SECONDS = 10
"""After which it is told where tests wait for what never comes."""


def replayed_check(text: str, homes: Mapping[str, str], known: Known | None = None) -> Check | None:
    """A check that runs the tests which pasted output shows, as far as it shows them; `homes` says what is where.

    What is asserted of plain calls is left to the check that prints what they come to: it says more. `known` is what
    can be called, for tests that end where they wait for an error.
    """
    shown_tests = [*_errors(text, known or {}), *_tests(text, known or {})]
    found = {one.name: one for one in shown_tests if not _is_plain(one, homes)}
    imports = {name: needed_imports(one, homes) for name, one in found.items()}
    chosen = [name for name, needed in imports.items() if needed][:_MOST]
    if not chosen:
        return None
    shown = "\n\n".join(ast.unparse(found[name]) for name in chosen)
    told = " and ".join(f"`{name}`" for name in chosen[:_TOLD]) + (" and others" if len(chosen) > _TOLD else "")
    needed = dict.fromkeys(line for name in chosen for line in imports[name])
    return Check(command=_command(shown, list(needed)), told=told, source=shown)


def written_tests(text: str) -> str:
    """The tests in a file of them, as they are written."""
    tree = tree_of(text)
    found = every(ast.FunctionDef, tree)
    return "\n\n".join(ast.unparse(one) for one in found if one.name.startswith("test"))


def first_of(tests: str, most: int) -> str:
    """The first of some tests, as many as that number of characters holds; one of them at least."""
    first, *others = re.split(r"\n+(?=def )", tests)
    for one in others:
        if len(first) + len(one) > most:
            break
        first = f"{first}\n\n{one}"
    return first


def _tests(text: str, known: Known) -> list[ast.FunctionDef]:
    """The tests that pytest shows, each up to the statement that failed."""
    lines = text.splitlines()
    heads = [(at, head) for at, line in enumerate(lines) if (head := _TEST.match(line))]
    return [one for at, head in heads[:_MOST_READ] for one in _read(lines, at, head, known)]


def _errors(text: str, known: Known) -> Iterator[ast.FunctionDef]:
    """The lines in which tests did not get on, by the tracebacks that unittest shows: each as a test of its own."""
    lines = text.splitlines()
    heads = [(at, head) for at, line in enumerate(lines[:-1]) if (head := _FRAME.match(line))]
    for at, head in heads[:_MOST_READ]:
        yield from _function(head[1], _whole(head[1], [lines[at + 1].strip()], known, text))


def _read(lines: Sequence[str], at: int, head: re.Match[str], known: Known) -> Iterator[ast.FunctionDef]:
    given = _given(lines[max(0, at - _BEFORE) : at])
    parameters = [one.strip() for one in head[2].split(",") if one.strip()]
    body: list[str] = []
    for line in lines[at + 1 : at + _MOST_LINES]:
        if _ENDS.match(line):
            break
        if not _CARETS.match(line):
            body.append(f" {line[1:]}" if line.startswith(_FAILED_AT) else line)
    body = _whole(head[1], body, known, "\n".join(lines))
    if all(name in given for name in parameters):
        bound = [f"{name} = {given[name]}" for name in parameters]
        yield from _function(head[1], [*bound, textwrap.dedent("\n".join(body))])


def _whole(name: str, body: Sequence[str], known: Known, text: str) -> list[str]:
    """The lines of a test; where it ends as it waits for an error, with the call that is likely meant."""
    shown = "\n".join(body).rstrip().split("\n")
    waits = WAITS.match(shown[-1])
    return [*shown, f"{waits[1]}    {likely_call(name, chr(10).join(shown), known, text)}"] if waits else shown


def _function(name: str, body: Sequence[str]) -> Iterator[ast.FunctionDef]:
    source = f"def {name}(self):\n{textwrap.indent(chr(10).join(body), '    ')}"
    match tree_of(source) if len(source) <= _LONGEST else None:
        case ast.Module(body=[ast.FunctionDef() as function]):
            yield function
        case _:  # it goes on behind what is shown
            return


def _given(lines: Sequence[str]) -> dict[str, str]:
    """What a test was given by its table, as the lines before it say: `text = 'a', wanted = 3`."""
    told = ", ".join(line for line in lines if _GIVEN.match(line) and "= <" not in line)
    match expression_of(f"f({told})"):
        case ast.Expression(ast.Call(keywords=keywords)):
            return {one.arg: ast.unparse(one.value) for one in keywords if one.arg and is_literal(one.value)}
        case _:
            return {}


def needed_imports(test: ast.FunctionDef, homes: Mapping[str, str]) -> list[str]:
    """What a test has to import; nothing where it needs what is not shown, or does more than to look."""
    nodes = list(ast.walk(test))
    attributes = [one for one in nodes if isinstance(one, ast.Attribute)]
    own = {one.attr for one in attributes if isinstance(one.value, ast.Name) and one.value.id == "self"}
    is_plain = all(name.startswith("assert") and hasattr(unittest.TestCase, name) for name in own - {"subTest"})
    if not is_plain or any(one.attr.startswith("_") for one in attributes):
        return []
    if any(isinstance(one, ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal) for one in nodes):
        return []
    bound = {one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)} | {"self"}
    bound |= {one.arg for one in nodes if isinstance(one, ast.arg)}
    used = {one.id for one in nodes if isinstance(one, ast.Name)} - bound - _BUILT_IN
    modules = {path.removesuffix(".py") for path in homes.values() if path.endswith(".py")}
    lines = {name: _import(name, homes, modules, ast.unparse(test)) for name in sorted(used)}
    is_about_us = any(name in homes or name in modules for name in used)
    return list(lines.values()) if is_about_us and all(lines.values()) else []


def _import(name: str, homes: Mapping[str, str], modules: set[str], test: str) -> str:
    if homes.get(name, "").endswith(".py"):
        return f"from {module_of(homes[name])} import {name}"
    home = USUAL.get(name, "") if name not in modules else ""
    is_module = home == name and not re.search(rf"\b{name}(?:\(|\.(?!{'|'.join(USUAL)})\w)", test)
    if home in _QUIET_MODULES and not is_module:
        return f"from {home} import {name}"
    return f"import {name}" if name in modules or name in _QUIET_MODULES else ""


def _is_plain(test: ast.FunctionDef, homes: Mapping[str, str]) -> bool:
    """Whether a test only asserts something of calls that stand alone and need nothing else."""
    if not all(_is_simple(one) for one in test.body):
        return False
    calls = [call for call, _ in asserted("\n".join(textwrap.indent(ast.unparse(one), "    ") for one in test.body))]
    own = {one.id for one in every(ast.Name, test) if isinstance(one.ctx, ast.Store)}
    return bool(calls) and all((names_in(call) or {""}) <= {*homes, *PLAIN} - own for call in calls)


def _is_simple(node: ast.stmt) -> bool:
    match node:
        case ast.Assign() | ast.Assert() | ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id="self")))):
            return True
        case _:
            return False


def _command(shown: str, imports: Sequence[str]) -> str:
    """The command that runs tests which are in no file, so that their lines are told where they fail."""
    script = "\n".join(
        [
            "import faulthandler, linecache, sys, unittest",
            f"faulthandler.dump_traceback_later({_SECONDS}, exit=True, file=sys.__stderr__)",
            "lines = getattr(sys, 'orig_argv', [''])[-1].splitlines(True)",
            f"linecache.cache['{_NAME}'] = 1, None, lines, '{_NAME}'",
            "sys.path.insert(0, 'src')",
            *imports,
            "class Shown(unittest.TestCase):",
            textwrap.indent(shown, "    "),
            "unittest.main(argv=['shown'])",
        ]
    )
    return python_command(script)
