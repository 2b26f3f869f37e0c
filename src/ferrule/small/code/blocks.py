"""A file cut into the blocks that a reader would name: functions, methods, paragraphs."""

import ast
import re
from collections.abc import Sequence

from ferrule.core.messages import Value
from ferrule.small.code.parsed import Definition, Function, start_of, tree_of

_LONGEST = 24
_OPENS = re.compile(r"\S.*[{:]\s*$|\[.+\]\s*$|#+ ")


class Block(Value, frozen=True, kw_only=True):
    """Some lines of a file, counted from 1, the last one included."""

    first: int
    last: int
    name: str = ""


def lines_of(text: str) -> list[str]:
    """The lines of a text as a compiler counts them: a form feed or a Unicode separator ends none."""
    return text.removesuffix("\n").split("\n") if text else []


def blocks_of(path: str, text: str, *, longest: int = _LONGEST) -> list[Block]:
    """The blocks of a file, in order; together they are all of it. A class that is longer is cut into its methods."""
    total = len(lines_of(text))
    if not total:
        return []
    starts = _of_python(text, longest) if path.endswith(".py") else None
    return _between(starts if starts is not None else _of_text(text), total)


def is_within(blocks: Sequence[Block] | None, line: int) -> bool:
    """Whether a line, counted from 1, stands in one of some blocks; without any, it does."""
    return not blocks or any(one.first <= line <= one.last for one in blocks)


def is_stub(path: str, text: str) -> bool:
    """Whether a Python file has functions, and what most of them do is still to be written."""
    empty = _are_empty(path, text)
    return 2 * sum(empty) > len(empty)


def has_gaps(path: str, text: str) -> bool:
    """Whether a Python file has a function that is still to be written."""
    return any(_are_empty(path, text))


def _are_empty(path: str, text: str) -> list[bool]:
    """Of each function of a Python file whether it is still to be written."""
    tree = tree_of(text) if path.endswith(".py") else None
    nodes = ast.walk(tree) if tree else ()
    return [is_empty(node) for node in nodes if isinstance(node, Function)]


def changed_alone(path: str, was: str, now: str) -> dict[str, str]:
    """Where another text of a file changes several functions: by the name of each, the file with only that changed."""
    old, new = ({one.name: one for one in blocks_of(path, text) if one.name} for text in (was, now))
    lines, others = lines_of(was), lines_of(now)
    bodies = {name: others[one.first - 1 : one.last] for name, one in new.items()}
    changed = [one for name, one in old.items() if name in new and bodies[name] != lines[one.first - 1 : one.last]]
    if len(changed) <= 1 or old.keys() != new.keys():
        return {}
    return {
        one.name: "\n".join([*lines[: one.first - 1], *bodies[one.name], *lines[one.last :], ""]) for one in changed
    }


def silent_lines(path: str, text: str) -> set[int]:
    """The lines of a file, counted from 1, that do nothing: empty ones, comments, and in Python docstrings."""
    mark = "#" if path.endswith((".py", ".sh", ".toml", ".yaml", ".yml")) else "//"
    silent = {at for at, line in enumerate(lines_of(text), 1) if not line.strip() or line.lstrip().startswith(mark)}
    tree = tree_of(text) if path.endswith(".py") else None
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                silent.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            case _:
                pass
    return silent


def is_empty(function: Function) -> bool:
    """Whether what a function does is still to be written."""
    return all(map(_does_nothing, function.body))


def skeleton(text: str) -> str:
    """A Python file with the names that others know of it, and nothing of how it does what it does; else empty."""
    tree = tree_of(text)
    if tree is None:
        return ""
    kept = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom) and not _is_own(node)]
    for node in ast.walk(ast.Module(kept, [])):
        if isinstance(node, ast.ClassDef):
            node.body = [one for one in node.body if not _is_own(one)] or [ast.Pass()]
        elif isinstance(node, Function):
            node.body = [ast.Pass()]
    bare = [node for node in kept if isinstance(node, Definition)]
    return "\n\n\n".join(ast.unparse(node) for node in bare) + "\n" if bare else ""


def _is_own(node: ast.stmt) -> bool:
    """Whether nobody else is meant to know of a function."""
    name = getattr(node, "name", "")
    return name.startswith("_") and not name.startswith("__")


def _does_nothing(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
        case _:
            return False


def _of_python(text: str, longest: int) -> list[tuple[int, str]] | None:
    tree = tree_of(text)
    if tree is None:
        return None
    starts = [(1, "")]
    for node in tree.body:
        if isinstance(node, Definition):
            starts.append((start_of(node), node.name))
            if isinstance(node, ast.ClassDef) and (node.end_lineno or 0) - node.lineno > longest:
                functions = [one for one in node.body if isinstance(one, Function)]
                starts += [(start_of(one), f"{node.name}.{one.name}") for one in functions]
        elif starts[-1][1]:
            starts.append((start_of(node), ""))
    return starts


def _of_text(text: str) -> list[tuple[int, str]]:
    """A block begins at a line that stands at the margin behind an empty one, or that opens something."""
    starts, was_empty = [(1, "")], False
    for number, line in enumerate(lines_of(text), 1):
        begins = bool(line) and not line[0].isspace() and (was_empty or bool(_OPENS.match(line)))
        if number > 1 and begins and number - starts[-1][0] >= 4:
            starts.append((number, ""))
        was_empty = not line.strip()
    return starts


def _between(starts: list[tuple[int, str]], total: int) -> list[Block]:
    kept = dict(starts)  # of two that begin in the same line, the later has a name
    firsts = sorted(kept)
    ends = [*(one - 1 for one in firsts[1:]), total]
    return [
        Block(first=first, last=last, name=kept[first])
        for first, last in zip(firsts, ends, strict=True)
        if last >= first
    ]
