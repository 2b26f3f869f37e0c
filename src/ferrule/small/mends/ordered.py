"""What is put in order the wrong way round: the least first instead of the most."""

import ast
import re
from collections.abc import Callable

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.parsed import around, every, tree_of

_LEAST = "least|smallest|lowest|oldest|fewest|worst|cheapest|shortest|earliest|slowest|first|ascending|a to z"
_MOST = "most|largest|biggest|highest|newest|best|dearest|longest|latest|fastest|last|descending|z to a"
_BETWEEN = r"\b[^.!?\n]{0,80}\b(?:not|instead of|rather than|but)\b[^.!?\n]{0,80}\b"
_WRONG_ORDER = re.compile(
    rf"\b(?:{_LEAST}){_BETWEEN}(?:{_MOST})\b|\b(?:{_MOST}){_BETWEEN}(?:{_LEAST})\b"
    r"|\b(?:wrong|opposite|revers\w+|other) (?:order|way (?:a?round|up))\b|\bin reverse\b|\bupside down\b",
    re.IGNORECASE,
)
_IN_ORDER = re.compile(r"\b(?:list|sort|order|rank|show|print|come|stand|top|put)\w*\b", re.IGNORECASE)
_NEW = re.compile(
    r"(?<![\w-])--?[a-z]|\b(?:options?|flags?|parameters?|arguments?|functions?|buttons?|add|create|write|new|when|if)\b",
    re.IGNORECASE,
)
_ORDER_BY = re.compile(r"(\bORDER\s+BY\s+[\w.]+)(\s+(?:ASC|DESC))?(?=\s*(?:;|\bLIMIT\b|\)|$))", re.IGNORECASE)
_SORTED = re.compile(r"(\.sort\(\(\s*)(\w+)(\s*,\s*)(\w+)(?=\s*\)\s*=>)")


def speaks_of_order(request: str) -> bool:
    """Whether a request says that something is put in order the wrong way round, and wants nothing new."""
    return bool(_WRONG_ORDER.search(request) and _IN_ORDER.search(request)) and not _NEW.search(request)


def turned_round(path: str, text: str) -> str:
    """A file that puts in order the other way round what it does in one place; as it was where there are several."""
    if path.endswith(".sql"):
        return _once(
            _ORDER_BY, text, lambda one: one[1] + ("" if (one[2] or "").strip().upper() == "DESC" else " DESC")
        )
    if path.endswith((".js", ".mjs")):
        return _once(_SORTED, text, lambda one: f"{one[1]}{one[4]}{one[3]}{one[2]}")
    return _of_python(text) if path.endswith(".py") else text


def _once(pattern: re.Pattern[str], text: str, instead: Callable[[re.Match[str]], str]) -> str:
    return pattern.sub(instead, text) if len(pattern.findall(text)) == 1 else text


def _of_python(text: str) -> str:
    calls = [one for one in every(ast.Call, tree_of(text)) if _orders(one)]
    if len(calls) != 1 or calls[0].lineno != calls[0].end_lineno:
        return text
    call, row = calls[0], calls[0].lineno - 1
    kept = [one for one in call.keywords if one.arg != "reverse"]
    is_reversed = len(kept) < len(call.keywords)
    given = [ast.unparse(one) for one in [*call.args, *kept]] + ([] if is_reversed else ["reverse=True"])
    lines = text.split("\n")
    before, after = around(lines_of(text)[row], call)
    lines[row] = f"{before}{ast.unparse(call.func)}({', '.join(given)}){after}"
    return "\n".join(lines)


def _orders(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id="sorted") | ast.Attribute(attr="sort"):
            return True
        case _:
            return False
