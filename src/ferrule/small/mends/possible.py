"""All that a few lines could say instead, if one small thing in them is wrong: what the other mends know, together."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from ferrule.small.code.blocks import Block, is_within, lines_of
from ferrule.small.code.parsed import around, defaults_of, every, tree_of
from ferrule.small.mends.misspelt import lonely, respelt
from ferrule.small.mends.returns import missing_returns
from ferrule.small.mends.slips import Trial, slips

_ENTRY = re.compile(r"^(\s*[\"']?\w+[\"']?:\s*)([A-Za-z_]\w*)(,?)$")
"""A line of a table: what is done under a name."""
_FUNCTION = re.compile(r"^(?:async )?(?:def|(?:export )?function) (\w+)", re.MULTILINE)
_CUT = re.compile(r"^(\s*)(\w+), (\w+) = (.+)\.split\(([^()]+?)(?:, (?:maxsplit=)?1)?\)$")
_TOO_FEW = "not enough values to unpack (expected 2"
_MOST_FUNCTIONS, _MOST_NAMES = 12, 40
_LONGEST = 40_000
"""Characters of a file in which more than slips are looked for."""
_CONSTANT = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")

_PER_CENT = re.compile(r"per ?cent|%|discount|\btax|\brate", re.IGNORECASE)
_MOST_CONVERTED = 24

_SHARED: dict[type[ast.expr], str] = {ast.List: "list", ast.Dict: "dict", ast.Set: "set"}
"""What all calls of a function share where it is a default, and what makes another of it."""


def possible(
    path: str, text: str, blocks: Sequence[Block] | None, outputs: Sequence[str], texts: Mapping[str, str]
) -> list[Trial]:
    """What the lines of some blocks could be instead; `outputs` say what fails, and `texts` are the project's files."""
    if len(text) > _LONGEST:
        return slips(text, blocks)
    found = [
        *(_converted(text) if path.endswith(".py") else ()),  # first: turned round, texts that are compared pass too
        *slips(text, blocks),
        *respelt(text, outputs, texts, most=_MOST_NAMES),
        *lonely(path, text, texts, most=_MOST_NAMES),
        *_entries(text),
        *(missing_returns(text) if path.endswith(".py") else ()),
        *_last_returns(text),
        *_copies(text),
        *_replaced(text, outputs),
        *(_turned_round(text) if path.endswith(".py") else ()),
        *(_in_two(text) if any(_TOO_FEW in one for one in outputs) else ()),
    ]
    return list(dict.fromkeys(one for one in found if is_within(blocks, one.at + 1)))


def _turned_round(text: str) -> Iterator[Trial]:
    """Lines that put something in order, with the order the other way round."""
    lines = lines_of(text)
    for call in every(ast.Call, tree_of(text)):
        match call.func:
            case ast.Name(id="sorted") | ast.Attribute(attr="sort") if call.lineno == call.end_lineno:
                before, after = around(lines[call.lineno - 1], call)
                kept = [one for one in call.keywords if one.arg != "reverse"]
                order = [] if len(kept) < len(call.keywords) else ["reverse=True"]
                given = ", ".join([*map(ast.unparse, [*call.args, *kept]), *order])
                yield Trial(call.lineno - 1, f"{before}{ast.unparse(call.func)}({given}){after}")
            case _:
                pass


def _in_two(text: str) -> Iterator[Trial]:
    """Lines of Python that cut a text in two, in a way that does so too where there is nothing to cut at."""
    for at, line in enumerate(lines_of(text)):
        if _CUT.match(line):
            yield Trial(at, _CUT.sub(r"\1\2, _, \3 = \4.partition(\5)", line))


def _entries(text: str) -> Iterator[Trial]:
    """Lines of tables with another of the file's functions."""
    functions = list(dict.fromkeys(_FUNCTION.findall(text)))[:_MOST_FUNCTIONS]
    for at, line in enumerate(lines_of(text)):
        entry = _ENTRY.match(line)
        if entry and entry[2] in functions:
            yield from (Trial(at, f"{entry[1]}{one}{entry[3]}") for one in functions if one != entry[2])


def _last_returns(text: str) -> Iterator[Trial]:
    """Functions of Python that may end without a value, with what they do last, or with a constant, given back."""
    tree, lines = tree_of(text), lines_of(text)
    constants = list(dict.fromkeys(_CONSTANT.findall(text)))[:_MOST_FUNCTIONS]
    functions = every(ast.FunctionDef, tree)
    for node in functions:
        last, gives = node.body[-1], any(isinstance(one, ast.Return) and one.value for one in ast.walk(node))
        end = (last.end_lineno or last.lineno) - 1
        if gives and isinstance(last, ast.Expr) and lines[last.lineno - 1][: last.col_offset].isspace():
            line = lines[last.lineno - 1]
            yield Trial(last.lineno - 1, f"{line[: last.col_offset]}return {line[last.col_offset :]}")
        elif gives and not isinstance(last, ast.Return | ast.Raise):
            yield from (Trial(end, f"{lines[end]}\n{' ' * last.col_offset}return {one}") for one in constants)


def _copies(text: str) -> Iterator[Trial]:
    """Functions of Python that all share what they are given by default, with a copy of it."""
    tree, lines = tree_of(text), lines_of(text)
    for function in every(ast.FunctionDef, tree):
        shared = [(one.arg, type(default)) for one, default in defaults_of(function)]
        kinds = {name: _SHARED[kind] for name, kind in shared if kind in _SHARED}
        for node in ast.walk(function) if kinds else ():
            match node:
                case ast.Assign(value=ast.Name(id=name)) if name in kinds and node.lineno == node.end_lineno:
                    before, _ = around(lines[node.lineno - 1], node.value)
                    yield Trial(node.lineno - 1, f"{before}{kinds[name]}({name})")
                case _:
                    pass
        first = function.body[0]
        if lines[first.lineno - 1][: first.col_offset].isspace():
            indent = " " * first.col_offset
            for name, kind in kinds.items():
                yield Trial(first.lineno - 1, f"{indent}{name} = {kind}({name})\n{lines[first.lineno - 1]}")


def _converted(text: str) -> list[Trial]:
    """Lines of Python that compute with something as it comes: with a hundredth of it, or with the number in a text."""
    tree, lines = tree_of(text), lines_of(text)
    found: list[Trial] = []
    for node in ast.walk(tree) if tree else ():
        parts: list[ast.expr] = []
        match node:
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
                parts = [node.left, node.right]
            case ast.Compare():
                parts = [node.left, *node.comparators]
            case ast.Lambda():
                parts = [node.body]
            case _:
                pass
        for one in parts:
            forms = _forms(one, is_per_cent=isinstance(node, ast.BinOp) and bool(_PER_CENT.search(text)))
            if forms and one.lineno == one.end_lineno:
                found += [Trial(one.lineno - 1, form.join(around(lines[one.lineno - 1], one))) for form in forms]
    return found[:_MOST_CONVERTED]


def _forms(value: ast.expr, *, is_per_cent: bool) -> list[str]:
    """What may be meant by a value: of a rate so many per cent, of an entry of a table the number that it is."""
    said = ast.unparse(value)
    rates = [f"{said} / 100"] if is_per_cent and isinstance(value, ast.Name | ast.Attribute | ast.Subscript) else []
    is_entry = isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant)
    return [*rates, *([f"int({said})", f"float({said})"] if is_entry else ())]


def _replaced(text: str, outputs: Sequence[str]) -> Iterator[Trial]:
    """Lines of Python with something else in the place of one expression, by what its kind may mean."""
    tree, lines = tree_of(text), lines_of(text)
    ways = [_sorted, _ordered, _whole, _swapped, *([_turned] if any("KeyError" in one for one in outputs) else [])]
    for other in ways:
        for node in every(ast.expr, tree):
            said = other(node) if node.lineno == node.end_lineno else ""
            before, after = around(lines[node.lineno - 1], node) if said else ("", "")
            if before.strip():
                yield Trial(node.lineno - 1, f"{before}{said}{after}")


def _sorted(node: ast.expr) -> str:
    """What `sort` has sorted, where it gives back nothing."""
    match node:
        case ast.Call(func=ast.Attribute(attr="sort", value=value)):
            return f"sorted({', '.join(ast.unparse(one) for one in [value, *node.keywords])})"
        case _:
            return ""


def _ordered(node: ast.expr) -> str:
    """An order by something that may be missing, with what has none at the end."""
    match node:
        case ast.Lambda(args=args, body=ast.BoolOp(op=ast.Or(), values=[first, _]) as body):
            return f"lambda {ast.unparse(args)}: (not {ast.unparse(first)}, {ast.unparse(body)})"
        case _:
            return ""


def _turned(node: ast.expr) -> str:
    """What stands in a table, looked up the other way round."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=key, ctx=ast.Load()):
            return f"{{value: key for key, value in {name}.items()}}[{ast.unparse(key)}]"
        case _:
            return ""


def _whole(node: ast.expr) -> str:
    """All of a text but what it is split at, and not one part of it."""
    match node:
        case ast.Subscript(
            value=ast.Call(func=ast.Attribute(attr="split" | "rsplit", value=value), args=[ast.Constant() as at, *_])
        ):
            return f"{ast.unparse(value)}.replace({ast.unparse(at)}, '')"
        case _:
            return ""


def _swapped(node: ast.expr) -> str:
    """A difference or a quotient the other way round, of whatever it is."""
    match node:
        case ast.BinOp(op=ast.Sub() | ast.Div() | ast.FloorDiv() | ast.Mod(), left=left, right=right):
            return "" if isinstance(right, ast.Constant) else ast.unparse(ast.BinOp(left=right, op=node.op, right=left))
        case _:
            return ""
