"""What all calls of a function share by mistake: a list or a dictionary that is made once, as a default."""

import ast
import re

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.parsed import around, defaults_of, every, tree_of

_SHARED = re.compile(
    r"\b(?:shows? up|appears?|ends? up|comes? back|remember\w*|keeps?|still|carr(?:y|ies) over|accumulat\w*|grows?)"
    r"\b[^.\n]{0,60}\b(?:other|another|previous|earlier|first|last|second|next|new|every|each|between|calls?)\b"
    r"|\bshar(?:e|es|ed|ing) [^.\n]{0,40}\b(?:between|by|across|among)\b|\bshares? (?:the|one|its)\b"
    r"|\b(?:every|each)\b[^.\n]{0,60}\b(?:its|their|his|her|an?) own\b"
    r"|\b(?:is|are|'s|was|has|have|gets?|got|see|sees)\b[^.\n]{0,40}\b(?:the|all)\s+(?:other|second|next|rest)s?\b"
    r"[^.\n]{0,20}\b(?:as well|too|also)\b"
    r"|\bleak(?:s|ed|ing)? (?:between|into|from|across)\b|\bcalled (?:twice|again|a second time)\b",
    re.IGNORECASE,
)
_EMPTY = {"list", "dict", "set"}


def speaks_of_sharing(text: str) -> bool:
    """Whether a request says that one call, or one object, sees what belongs to another."""
    return bool(_SHARED.search(text))


def with_own_defaults(text: str) -> str:
    """Python whose functions make a list or a dictionary for each call that is given none."""
    tree, lines = tree_of(text), lines_of(text)
    functions = every(ast.FunctionDef, tree)
    for function in sorted(functions, key=lambda one: -one.lineno):
        shared = [(one.arg, default) for one, default in defaults_of(function) if _is_made_once(default)]
        first = _first_step(function)
        if not shared or first is None or not lines[first.lineno - 1][: first.col_offset].isspace():
            continue
        indent = lines[first.lineno - 1][: first.col_offset]
        guards = [f"{indent}if {name} is None:\n{indent}    {name} = {ast.unparse(it)}" for name, it in shared]
        lines.insert(first.lineno - 1, "\n".join(guards))
        for _, default in sorted(shared, key=lambda one: (one[1].lineno, one[1].col_offset), reverse=True):
            lines[default.lineno - 1] = "None".join(around(lines[default.lineno - 1], default))
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "") if functions else text


def _first_step(function: ast.FunctionDef) -> ast.stmt | None:
    """What a function does first, behind the words about it."""
    match function.body:
        case [ast.Expr(value=ast.Constant(value=str())), first, *_] | [first, *_]:
            return first if first.lineno > function.lineno else None
        case _:
            return None


def _is_made_once(default: ast.expr) -> bool:
    match default:
        case ast.List() | ast.Dict() | ast.Set():
            return default.lineno == default.end_lineno
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name in _EMPTY
        case _:
            return False
