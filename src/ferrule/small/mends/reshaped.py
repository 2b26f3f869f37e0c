"""Lines of Python as they could be where more than a slip is wrong, for tests to judge.

A case that nobody thought of, a condition that is half the truth, a text that belongs to another case, a number that
is nothing, texts that should be numbers: what a small model leaves out, however often it is asked.
"""

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, islice

from ferrule.small.code.blocks import Block, is_within, lines_of
from ferrule.small.code.parsed import around, every, expression_of, is_literal, tree_of
from ferrule.small.mends.slips import Trial

_BY_NOTHING = re.compile(r"\bZeroDivisionError\b|must not be zero")
_NUMBER_AS_TEXT = re.compile(r"(['\"])-?\d+\1")
_LOOP = re.compile(r"^(\s*)for ([A-Za-z_]\w*) in .*:\s*$")
_WITHIN = re.compile(r"\bfor ([A-Za-z_]\w*) in [A-Za-z_][\w.]*(?=[)\]])")
_SPLIT = re.compile(r"\b[A-Za-z_][\w.]*(?:\[\w+\])?(?:\.strip\(\))?\.split\([^()]*\)")
_RANGE = ("start", "stop", "step")
_OPPOSITE: dict[type[ast.cmpop], str] = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<"}
_BRANCH = re.compile(r"^(\s*)(if|elif) (.+):\s*$")
_MOST_CONDITIONS, _MOST_VALUES, _MOST = 6, 4, 400
_MOST_MESSAGES = 8
_LONGEST_CONDITION, _LONGEST_VALUE, _LONGEST = 80, 40, 40_000


def with_guards_apart(text: str) -> str:
    """Python in which each reason to raise an error stands alone, so that each can have words of its own."""
    tree, lines = tree_of(text), lines_of(text)
    guards = [one for one in every(ast.If, tree) if _is_guard(one, lines)]
    if not guards:
        return text
    for guard in sorted(guards, key=lambda one: -one.lineno):
        reasons = _reasons(guard.test)
        indent, error = lines[guard.lineno - 1][: guard.col_offset], lines[guard.body[0].lineno - 1]
        lines[guard.lineno - 1 : guard.body[0].lineno] = [
            line for reason in reasons for line in (f"{indent}if {reason}:", error)
        ]
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def _is_guard(node: ast.If, lines: Sequence[str]) -> bool:
    """Whether an error is raised for one of several reasons, in two lines."""
    raised = node.body[0]
    return (
        len(_reasons(node.test)) > 1
        and isinstance(raised, ast.Raise)
        and len(node.body) == 1
        and not node.orelse
        and raised.lineno == raised.end_lineno == node.lineno + 1
        and lines[node.lineno - 1].lstrip().startswith("if ")
    )


def _reasons(test: ast.expr) -> list[str]:
    """The conditions of which one is enough for another one."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return [one for value in values for one in _reasons(value)]
        case ast.UnaryOp(op=ast.Not(), operand=ast.BoolOp(op=ast.And(), values=values)):
            return [one for value in values for one in _reasons(ast.UnaryOp(ast.Not(), value))]
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(left=left, ops=ops, comparators=[*_, _] as others)) if all(
            type(one) in _OPPOSITE for one in ops
        ):
            pairs = zip([left, *others], ops, others, strict=False)
            return [f"{ast.unparse(one)} {_OPPOSITE[type(op)]} {ast.unparse(other)}" for one, op, other in pairs]
        case ast.Compare(left=left, ops=[ast.NotIn()], comparators=[ast.Call(func=ast.Name(id="range"), args=args)]):
            value, bounds = ast.unparse(left), ["0", *map(ast.unparse, args)][-2:]
            is_plain = len(args) < len(_RANGE)
            return [f"{value} < {bounds[0]}", f"{value} >= {bounds[1]}"] if is_plain else [ast.unparse(test)]
        case _:
            return [ast.unparse(test)]


def reshaped(
    text: str,
    blocks: Sequence[Block] | None,
    outputs: Sequence[str],
    wanted: Collection[str] = (),
    messages: Collection[str] = (),
) -> list[Trial]:
    """What the lines of some blocks could be; `outputs` say how checks fail.

    `wanted` is what calls should come to, and `messages` what errors may have to say, both as Python.
    """
    tree = tree_of(text) if len(text) <= _LONGEST else None
    if tree is None:
        return []
    lines = lines_of(text)
    said = "\n".join(outputs)
    found = [
        *(_skipping(lines) if _BY_NOTHING.search(said) else ()),
        *(_as_numbers(lines) if _NUMBER_AS_TEXT.search(said) else ()),
        *(_other_keys(tree, lines) if "KeyError" in said else ()),
        *_sooner(tree, lines),
    ]
    for function in every(ast.FunctionDef, tree):
        fitting = wanted if _names_cases(function) else ()
        found += [
            *_unlike(function, lines),
            *_other_messages(function, lines, messages),
            *_other_values(function, lines, fitting),
            *_other_cases(function, lines, fitting),
        ]
    inside = (one for one in dict.fromkeys(found) if is_within(blocks, one.at + 1))
    return list(islice(inside, _MOST))


def for_nothing(text: str, wrong: Sequence[tuple[str, str, str]]) -> list[Trial]:
    """What functions give back at once where they are given nothing, by such calls that come to something else.

    `wrong` are calls, each with what it should come to and what came: all as Python.
    """
    tree, lines = tree_of(text), lines_of(text)
    functions = {one.name: one for one in every(ast.FunctionDef, tree)}
    found: list[Trial] = []
    for call, should, _ in wrong:
        match expression_of(call):
            case ast.Expression(ast.Call(func=ast.Name(id=name), args=args)) if (
                name in functions and len(should) <= _LONGEST_VALUE
            ):
                first = functions[name].body[0]
                line = lines[first.lineno - 1]
                indent = line[: first.col_offset]
                pairs = zip(functions[name].args.args, args, strict=False) if not indent.strip() else ()
                nothing = [one.arg for one, given in pairs if is_literal(given) and not ast.literal_eval(given)]
                guards = [f"{indent}if not {one}:\n{indent}    return {should}" for one in nothing]
                found += [Trial(first.lineno - 1, f"{one}\n{line}") for one in guards]
            case _:
                pass
    return found


def _names_cases(function: ast.FunctionDef) -> bool:
    """Whether a function gives one of several texts back: to one that computes them, a wanted one is no case."""
    given = [one.value for one in every(ast.Return, function)]
    return len({one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)}) > 1


def _skipping(lines: Sequence[str]) -> Iterator[Trial]:
    """Loops that leave out what is nothing."""
    for at, line in enumerate(lines):
        if loop := _LOOP.match(line):
            inner = f"{loop[1]}    "
            yield Trial(at, f"{line}\n{inner}if not {loop[2]}:\n{inner}    continue")
        for within in _WITHIN.finditer(line):
            yield Trial(at, f"{line[: within.end()]} if {within[1]}{line[within.end() :]}")


def _sooner(tree: ast.Module, lines: Sequence[str]) -> Iterator[Trial]:
    """Steps that make something else of a value, before those that leave nothing of it for them to do."""
    for function in every(ast.FunctionDef, tree):
        steps = [one for one in function.body if _changed_in(one)]
        for first, later in combinations(steps, 2):
            if _changed_in(first) == _changed_in(later):
                at = first.lineno - 1
                yield Trial(at, f"{lines[later.lineno - 1]}\n{lines[at]}")


def _changed_in(node: ast.stmt) -> str:
    """The name that a line gives another value, by the one that it has; empty where it does something else."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if node.lineno == node.end_lineno:
            return name if any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value)) else ""
        case _:
            return ""


def _unlike(function: ast.FunctionDef, lines: Sequence[str]) -> Iterator[Trial]:
    """Two things that are alike and yet not the same, or that are alike but for capital letters."""
    for node in ast.walk(function):
        match node:
            case ast.Compare(left=one, ops=[ast.Eq()], comparators=[other]) if node.lineno == node.end_lineno:
                names = [[each.id for each in every(ast.Name, side)] for side in (one, other)]
                own = [(a, b) for a, b in zip(*names, strict=False) if a != b]
                if len(own) != 1 or ast.dump(one).replace(repr(own[0][0]), repr(own[0][1])) != ast.dump(other):
                    continue
                a, b = own[0]
                before, after = around(lines[node.lineno - 1], node)
                alike = f"{ast.unparse(one)} == {ast.unparse(other)}"
                small = f"{a}.lower() != {b}.lower()"
                lowered = re.sub(rf"\b({a}|{b})\b(?!\.)", r"\1.lower()", alike)
                for condition in (f"{alike} and {a} != {b}", f"{alike} and {small}", lowered, f"{lowered} and {small}"):
                    if condition != alike:
                        yield Trial(node.lineno - 1, f"{before}{condition}{after}")
            case _:
                pass


def _other_keys(tree: ast.Module, lines: Sequence[str]) -> Iterator[Trial]:
    """What is looked up: in capital or small letters, as text or number, with something for what is not there."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=table, slice=ast.Name(id=key), ctx=ast.Load()) if node.lineno == node.end_lineno:
                before, after = around(lines[node.lineno - 1], node)
                held = ast.unparse(table)
                others = [
                    f"{held}[{one}]" for one in (f"{key}.upper()", f"{key}.lower()", f"str({key})", f"int({key})")
                ]
                for one in (*others, f"{held}.get({key}, 0)", f"{held}.get({key}, '')", f"{held}.get({key})"):
                    yield Trial(node.lineno - 1, before + one + after)
            case _:
                pass


def _as_numbers(lines: Sequence[str]) -> Iterator[Trial]:
    """Texts that are split, each part as a number."""
    for at, line in enumerate(lines):
        for split in _SPLIT.finditer(line):
            yield Trial(at, f"{line[: split.start()]}[int(one) for one in {split[0]}]{line[split.end() :]}")


def _other_messages(function: ast.FunctionDef, lines: Sequence[str], messages: Collection[str]) -> Iterator[Trial]:
    """Errors with other words."""
    for node in ast.walk(function):
        match node:
            case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str()) as words, *_])) if (
                words.lineno == words.end_lineno
            ):
                before, after = around(lines[words.lineno - 1], words)
                others = [one for one in messages if one != repr(words.value)]
                yield from (Trial(words.lineno - 1, before + one + after) for one in others[:_MOST_MESSAGES])
            case _:
                pass


def _other_values(function: ast.FunctionDef, lines: Sequence[str], wanted: Collection[str]) -> Iterator[Trial]:
    """What a function gives back, as what it gives in another case, or as what is wanted and never given."""
    given = [one.value for one in every(ast.Return, function) if one.value]
    plain = [one for one in given if is_literal(one) or isinstance(one, ast.Name)]
    values = list(dict.fromkeys([*(ast.unparse(one) for one in plain), *wanted]))[: 2 * _MOST_VALUES]
    for node in plain:
        if node.lineno == node.end_lineno:
            line = lines[node.lineno - 1]
            before, after = around(line, node)
            yield from (Trial(node.lineno - 1, before + one + after) for one in values if one != ast.unparse(node))


def _other_cases(function: ast.FunctionDef, lines: Sequence[str], wanted: Collection[str]) -> Iterator[Trial]:
    """Branches of a function with another of its conditions joined to theirs, and cases that it does not have."""
    tests = [one.test for one in ast.walk(function) if isinstance(one, ast.If | ast.While | ast.IfExp)]
    conditions = [one for one in dict.fromkeys(map(ast.unparse, tests)) if len(one) <= _LONGEST_CONDITION]
    missing = [one for one in dict.fromkeys(wanted) if not _gives(function, one)][:_MOST_VALUES]
    branches = [
        (one.lineno - 1, found, ast.unparse(one.test))
        for one in ast.walk(function)
        if isinstance(one, ast.If) and (found := _BRANCH.match(lines[one.lineno - 1]))
    ]
    for at, (indent, word, _), condition in ((at, found.groups(), condition) for at, found, condition in branches):
        others = [one for one in conditions if one != condition][:_MOST_CONDITIONS]
        both = [f"{_within(condition)} and {_within(one)}" for one in others]
        both += [f"{_within(condition)} and not {_within(one, negated=True)}" for one in others]
        behind = re.sub(rf"^{indent}if\b", f"{indent}elif", lines[at])
        for case in both:
            yield from (Trial(at, f"{indent}{word} {case}:\n{indent}    return {one}\n{behind}") for one in missing)
        yield from (Trial(at, f"{indent}{word} {case}:") for case in both)
        yield from (Trial(at, f"{indent}{word} {condition} or {other}:") for other in others)


def _gives(function: ast.FunctionDef, value: str) -> bool:
    return any(ast.unparse(one) == value for one in every(ast.expr, function))


def _within(condition: str, *, negated: bool = False) -> str:
    """A condition as a part of another."""
    is_joined = re.search(r" or |^not | if |\blambda\b", condition) or (
        negated and re.search(r"[<>=]| in | and ", condition)
    )
    return f"({condition})" if is_joined else condition
