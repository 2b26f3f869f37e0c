"""Counts that are said to be one too many or one too few, where the code itself adds or takes away that one."""

import ast
import re

from ferrule.small.code.blocks import blocks_of, lines_of
from ferrule.small.code.parsed import tree_of

_TOO_MANY = re.compile(r"\bone\s+(?:\w+\s+)?too\s+(?:many|much|high|large|big|late|long)\b", re.IGNORECASE)
_TOO_FEW = re.compile(r"\bone\s+(?:\w+\s+)?too\s+(?:few|little|low|small|early|short)\b", re.IGNORECASE)
_COUNTED = (
    (_TOO_MANY, re.compile(r"(?<=[\w)\]])\s*\+\s*1(?![\w.])")),
    (_TOO_FEW, re.compile(r"(?<=[\w)\]])\s*-\s*1(?![\w.])")),
)


def counted(request: str, path: str, text: str) -> str:
    """A file without the one that a named function counts wrongly; as it was where that is not plain to see."""
    lines = lines_of(text)
    named = [one for one in _functions(path, text) if re.search(rf"\b{re.escape(one[0])}\b", request)]
    for said, extra in _COUNTED if len(named) == 1 else ():
        _, first, last = named[0]
        rows = [at for at in range(first - 1, last) if extra.search(lines[at])]
        if said.search(request) and len(rows) == 1 and len(extra.findall(lines[rows[0]])) == 1:
            lines[rows[0]] = extra.sub("", lines[rows[0]])
            return "\n".join(lines) + ("\n" if text.endswith("\n") else "")
    return text


def _functions(path: str, text: str) -> list[tuple[str, int, int]]:
    """The functions of a file, each with its first and its last line; in Python those of classes as well."""
    if tree := tree_of(text) if path.endswith(".py") else None:
        found = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
        return [(one.name, one.lineno, one.end_lineno or one.lineno) for one in found]
    return [(one.name, one.first, one.last) for one in blocks_of(path, text) if one.name]
