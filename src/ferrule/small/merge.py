"""What a model wrote becomes the new content of a file: all of it, or the functions that it wrote anew.

A small model that is asked for a whole file may leave out what did not change, and one that is asked for a function
may send the file. Both are understood by what is in the text: definitions take the place of those of the same name,
new ones are added, what is not mentioned stays.
"""

import ast
import difflib
import json
import re
import textwrap
import tomllib

from ferrule.core.errors import FerruleError

_ELIDED = re.compile(
    r"^\s*(?:#|//|--|;|/\*|<!--)?\s*(?:\.\.\.|…)\s*(?:\*/|-->)?\s*$"
    r"|^\s*(?:#|//|--|;|/\*|<!--)\s*(?:\.\.\.|…)?\s*(?:the )?"
    r"(?:rest|remaining|existing|other|previous|same|unchanged|omitted)\b.*",
    re.IGNORECASE,
)
_MOST_KEPT = 0.6
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class UnusableError(FerruleError):
    """What the model wrote cannot become the file; the words are for the model."""


def merged(path: str, old: str | None, new: str) -> str:
    """The new content of a file.

    Raises:
        UnusableError: the text is no such file, and no part of it either.
    """
    new = new if new.endswith("\n") else new + "\n"
    if path.endswith(".py"):
        result = _python(path, old, textwrap.dedent(new))
    elif not old or not _leaves_out(old, new):
        result = new
    else:
        result = _spliced(path, old, new)
    _must_be_sound(path, result)
    return result


def _must_be_sound(path: str, text: str) -> None:
    try:
        if path.endswith(".py"):
            ast.parse(text)
        elif path.endswith(".json"):
            json.loads(text)
        elif path.endswith(".toml"):
            tomllib.loads(text)
    except SyntaxError as error:
        line = f": `{error.text.strip()}`" if error.text else ""
        raise UnusableError(f"{path} would not be valid Python: line {error.lineno}, {error.msg}{line}.") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnusableError(f"{path} would not be valid: {error}.") from None


def _leaves_out(old: str, new: str) -> bool:
    """Whether a text is only a part of what the file is to be."""
    lines = new.splitlines()
    if any(_ELIDED.match(line) and line not in old for line in lines):
        return True
    before = [line.strip() for line in old.splitlines() if line.strip()]
    after = {line.strip() for line in lines}
    if len(lines) >= len(before):
        return False
    kept = sum(line in after for line in before)
    return kept < _MOST_KEPT * len(before) and len(lines) < _MOST_KEPT * len(before)


def _spliced(path: str, old: str, new: str) -> str:
    """Put a fragment in the place of the lines that it stands for: those between its first and its last."""
    fragment = [line for line in new.splitlines() if not _ELIDED.match(line)]
    while fragment and not fragment[0].strip():
        fragment.pop(0)
    while fragment and not fragment[-1].strip():
        fragment.pop()
    lines = old.splitlines()
    if fragment:
        matcher = difflib.SequenceMatcher(
            None, [line.strip() for line in lines], [line.strip() for line in fragment], autojunk=False
        )
        same = [block for block in matcher.get_matching_blocks() if block.size]
        if same and sum(block.size for block in same) >= len(fragment) / 2:
            first, last = same[0], same[-1]
            start, end = first.a - first.b, last.a + last.size + (len(fragment) - last.b - last.size)
            if start >= 0 and end <= len(lines) and end - start <= 2 * len(fragment):
                return "\n".join([*lines[:start], *fragment, *lines[end:]]) + "\n"
    raise UnusableError(f"Write the whole content of {path}, every line of it, also those that stay as they are.")


def _python(path: str, old: str | None, new: str) -> str:
    try:
        tree = ast.parse(new)
    except SyntaxError:
        if old and _leaves_out(old, new):
            return _spliced(path, old, new)
        return new  # what is wrong with it is said below
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnusableError(f"{path} would not be valid Python: {error}.") from None
    if not old:
        return new
    try:
        before = ast.parse(old)
    except (SyntaxError, ValueError, RecursionError):
        return new if not _leaves_out(old, new) else _spliced(path, old, new)
    if _names(before) <= _names(tree) and not _has_gaps(new, tree, before):
        return new
    return _Splicing(old, before).with_parts(new, tree)


def _names(tree: ast.Module | ast.ClassDef) -> set[str]:
    found: set[str] = set()
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name):
                found.add(name)
                found |= {f"{name}.{one}" for one in _names(node)}
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
                found.add("__name__")
            case _:
                pass
    return found


def _has_gaps(new: str, tree: ast.Module, before: ast.Module) -> bool:
    """Whether something is left out though every name is there: a body that says so, or imports that are gone."""
    if any(_ELIDED.match(line) for line in new.splitlines() if line.strip() != "..."):
        return True
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return bool({name for name in _imported(before) if name in used} - _imported(tree))


def _imported(tree: ast.Module) -> set[str]:
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}


class _Splicing:
    """A Python file into which parts are put."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self._lines = text.splitlines()
        self._tree = tree
        self._changes: list[tuple[int, int, list[str]]] = []
        """Lines to take out (first counted from 0, and the one behind the last) and what to put there."""

    def with_parts(self, new: str, tree: ast.Module) -> str:
        """The file with the parts in their places."""
        source = new.splitlines()
        for node in tree.body:
            self._place(node, source, self._tree, indent="")
        for first, last, lines in sorted(self._changes, key=lambda one: (one[0], one[1]), reverse=True):
            self._lines[first:last] = lines
        return "\n".join(self._lines) + "\n"

    def _place(self, node: ast.stmt, source: list[str], inside: ast.Module | ast.ClassDef, *, indent: str) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._definition(node, source, inside, indent)
            case ast.ClassDef():
                self._class(node, source, inside, indent)
            case ast.Import() | ast.ImportFrom():
                if self._is_missing(node):
                    end = max((one.end_lineno or 0 for one in self._tree.body if _is_head(one)), default=0)
                    self._changes.append((end, end, _lines_of(node, source, indent)))
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                self._assigned(node, name, source, inside, indent)
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
                for one in inside.body:
                    if isinstance(one, ast.If) and "__name__" in ast.unparse(one.test):
                        self._replace(one, _lines_of(node, source, indent))
            case _:
                pass  # an example of its use, or a remark

    def _is_missing(self, node: ast.Import | ast.ImportFrom) -> bool:
        return any((alias.asname or alias.name).partition(".")[0] not in _imported(self._tree) for alias in node.names)

    def _definition(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        source: list[str],
        inside: ast.Module | ast.ClassDef,
        indent: str,
    ) -> None:
        lines = _lines_of(node, source, indent)
        if (same := _called(inside, node.name)) is not None:
            self._replace(same, lines)
            return
        classes = [one for one in self._tree.body if isinstance(one, ast.ClassDef)]
        homes = [method for one in classes if (method := _called(one, node.name)) is not None]
        is_method = bool(node.args.args) and node.args.args[0].arg in {"self", "cls"}
        if isinstance(inside, ast.Module) and homes and (is_method or len(homes) == 1):
            method = homes[0]
            self._replace(method, _lines_of(node, source, " " * method.col_offset))
        elif isinstance(inside, ast.Module) and is_method and len(classes) == 1:
            self._append(lines=_lines_of(node, source, " " * classes[0].body[0].col_offset), inside=classes[0])
        else:
            self._append(lines=lines, inside=inside)

    def _class(self, node: ast.ClassDef, source: list[str], inside: ast.Module | ast.ClassDef, indent: str) -> None:
        same = _called(inside, node.name)
        if not isinstance(same, ast.ClassDef):
            self._append(lines=_lines_of(node, source, indent), inside=inside)
        elif _names(same) <= _names(node):
            self._replace(same, _lines_of(node, source, indent))
        else:
            for one in node.body:
                if isinstance(one, _Definition) or not isinstance(one, ast.Expr | ast.Pass):
                    self._place(one, source, same, indent=" " * same.body[0].col_offset)

    def _assigned(
        self, node: ast.stmt, name: str, source: list[str], inside: ast.Module | ast.ClassDef, indent: str
    ) -> None:
        for one in inside.body:
            if name in _names(ast.Module(body=[one], type_ignores=[])) and isinstance(one, ast.Assign | ast.AnnAssign):
                self._replace(one, _lines_of(node, source, indent))
                return
        heads = [
            one.end_lineno or 0 for one in inside.body if _is_head(one) or isinstance(one, ast.Assign | ast.AnnAssign)
        ]
        at = max(heads, default=inside.lineno if isinstance(inside, ast.ClassDef) else 0)
        self._changes.append((at, at, _lines_of(node, source, indent)))

    def _replace(self, node: ast.stmt, lines: list[str]) -> None:
        self._changes.append((_start(node) - 1, node.end_lineno or node.lineno, lines))

    def _append(self, *, lines: list[str], inside: ast.Module | ast.ClassDef) -> None:
        body = [one for one in inside.body if not (isinstance(one, ast.If) and "__name__" in ast.unparse(one.test))]
        at = (body[-1].end_lineno or 0) if body else 0
        gap = [""] if isinstance(inside, ast.ClassDef) else ["", ""]
        self._changes.append((at, at, [*gap, *lines] if at else [*lines, *gap]))


def _called(inside: ast.Module | ast.ClassDef, name: str) -> _Definition | None:
    return next((one for one in inside.body if isinstance(one, _Definition) and one.name == name), None)


def _is_head(node: ast.stmt) -> bool:
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Import | ast.ImportFrom) or (is_docstring and node.lineno == 1)


def _start(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _lines_of(node: ast.stmt, source: list[str], indent: str) -> list[str]:
    """The lines of a part, moved to where they belong."""
    lines = source[_start(node) - 1 : node.end_lineno]
    text = textwrap.dedent("\n".join(lines))
    return textwrap.indent(text, indent).splitlines()
