"""Parts of a Python file put into it: definitions take the place of those of the same name, new ones are added."""

import ast
import re
from collections import Counter

from ferrule.core.errors import FerruleError
from ferrule.small.code.blocks import lines_of
from ferrule.small.code.names import head_of
from ferrule.small.code.parsed import Definition, Function, every, start_of

WHOLE = "Write the whole {what}, every line of it, also those that stay as they are."
_LEFT_OUT = r"(?:rest|remaining|existing|other|previous|same|unchanged|omitted)\b"
_COMMENT = r"^\s*(?:#|//|--|;|/\*|<!--)"
_ELIDED = re.compile(
    rf"(?:{_COMMENT})?\s*(?:\.\.\.|…)\s*(?:\*/|-->)?\s*$"
    rf"|{_COMMENT}\s*(?:\.\.\.|…)\s*\(?(?:the |your )?{_LEFT_OUT}"
    rf"|{_COMMENT}\s*\(?(?:the |your )?{_LEFT_OUT}(?:\W*$|.*\b(?:code|contents?|files?|functions?|methods?|class(?:es)?"
    r"|imports?|lines?|definitions?|implementation|tests?|unchanged|same|before|above|remains?|stays?|goes)\b)",
    re.IGNORECASE,
)
_TOO_CLOSE = re.compile(r"^((?:import|from) [^\n]+)\n(?=(?:async )?def |class |@)", re.MULTILINE)
"""An import right above a definition."""
_Scope = ast.Module | ast.ClassDef


class UnusableError(FerruleError):
    """What the model wrote cannot become the file; the words are for the model."""


def is_elided(line: str, old: str) -> bool:
    """Whether a line stands for others that are not written."""
    return bool(_ELIDED.match(line)) and line.strip() not in (one.strip() for one in lines_of(old))


def names_of(tree: _Scope) -> set[str]:
    """What a file or a class defines, methods with the names of their classes."""
    found: set[str] = set()
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name):
                found.add(name)
                found |= {f"{name}.{one}" for one in names_of(node)}
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
                found.add("__name__")
            case _:
                pass
    return found


def has_gaps(old: str, new: str, before: ast.Module, tree: ast.Module) -> bool:
    """Whether something is left out though every name is there.

    A body or a comment may say so; imports may be gone that are used; or there are definitions alone, and nothing of
    what stands around them in the file.
    """
    if any(is_elided(line, old) for line in lines_of(new) if line.strip() != "..."):
        return True
    used = {node.id for node in every(ast.Name, tree)}
    if {name for name in _imported(before) if name in used} - _imported(tree):
        return True
    if any(_is_stub(node) and not _is_stub(same) for node in tree.body if (same := _called(before, node)) is not None):
        return True
    around = _around(old, before)
    return bool(around) and not around & set(lines_of(new)) and not _around(new, tree)


def others(tree: ast.Module) -> list[str]:
    """What a file does besides defining: statements that only a whole file can change."""
    named = (Definition, ast.Import, ast.ImportFrom, ast.AnnAssign)
    rest = [one for one in tree.body if not isinstance(one, named) and not names_of(ast.Module([one], type_ignores=[]))]
    return [ast.dump(one) for one in rest if not _is_docstring(one)]


def means_the_same(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two parts do the same: comments, layout and docstrings do nothing."""
    return _bare(one) == _bare(other)


def _heading(node: ast.ClassDef) -> list[str]:
    return [ast.dump(one) for one in (*node.bases, *node.keywords, *node.decorator_list)]


def _bare(node: ast.stmt) -> str:
    copy = ast.parse(ast.unparse(node))
    for one in ast.walk(copy):
        if isinstance(one, Definition) and one.body and _is_docstring(one.body[0]) and len(one.body) > 1:
            one.body = one.body[1:]
    return ast.dump(copy)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class Splicing:
    """A Python file into which parts are put; where they do what is there already, the file stays as it is."""

    def __init__(self, text: str, tree: ast.Module, *, words_count: bool = False) -> None:
        self._text, self._tree, self._words_count = text, tree, words_count
        self._lines = lines_of(text)
        self._changes: list[tuple[int, int, list[str]]] = []
        """Lines to take out (first counted from 0, and the one behind the last) and what to put there."""
        self._defined = _defined(tree)
        self._met: Counter[tuple[int, str, str]] = Counter()
        """How often a name was met in a scope: a property and its setter share one."""

    def with_parts(self, new: str, tree: ast.Module) -> str:
        """The file with the parts in their places.

        Raises:
            UnusableError: a part that would take the place of another leaves some of it out.
        """
        source = lines_of(new)
        self._defined |= _defined(tree)
        for node in tree.body:
            self._place(node, source, self._tree, indent="")
        in_order = sorted(enumerate(self._changes), key=lambda one: (one[1][0], one[1][1], one[0]), reverse=True)
        for _, (first, last, lines) in in_order:
            self._lines[first:last] = lines
        whole = "\n".join(self._lines) + "\n"
        return whole if _TOO_CLOSE.search(self._text) else _TOO_CLOSE.sub("\\1\n\n\n", whole)

    def _place(self, node: ast.stmt, source: list[str], inside: _Scope, *, indent: str) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._definition(node, source, inside, indent)
            case ast.ClassDef():
                self._class(node, source, inside, indent)
            case ast.Import() | ast.ImportFrom():
                self._import(node, source)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                self._assigned(node, name, source, inside, indent)
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
                for one in inside.body:
                    if isinstance(one, ast.If) and "__name__" in ast.unparse(one.test):
                        self._replace(one, _moved(node, source, indent))
            case _:
                pass  # an example of its use, or a remark

    def _import(self, node: ast.Import | ast.ImportFrom, source: list[str]) -> None:
        if all((alias.asname or alias.name).partition(".")[0] in {*_imported(self._tree), "*"} for alias in node.names):
            return
        at = head_of(self._text, self._tree)
        if not isinstance(node, ast.ImportFrom) or node.module != "__future__":
            for one in self._tree.body:
                if isinstance(one, Definition):
                    break
                if isinstance(one, ast.Import | ast.ImportFrom):
                    at = max(at, one.end_lineno or 0)
        self._changes.append((at, at, _moved(node, source, "")))

    def _definition(self, node: Function, source: list[str], inside: _Scope, indent: str) -> None:
        if (same := self._same(inside, node)) is not None:
            self._rewrite(node, same, source, indent)
            return
        classes = [one for one in self._tree.body if isinstance(one, ast.ClassDef)]
        homes = [method for one in classes if (method := _called(one, node)) is not None]
        is_method = bool(node.args.args) and node.args.args[0].arg in {"self", "cls"}
        if isinstance(inside, ast.Module) and homes and (is_method or len(homes) == 1):
            self._rewrite(node, homes[0], source, self._indent_of(homes[0]))
        elif isinstance(inside, ast.Module) and is_method and len(classes) == 1:
            self._append(_moved(node, source, self._indent_in(classes[0])), classes[0])
        else:
            self._append(_moved(node, source, indent), inside)

    def _rewrite(self, node: Function, same: Definition, source: list[str], indent: str) -> None:
        lines = _moved(node, source, indent)
        if self._is_as_it_was(node, same, lines) or (_is_stub(node) and not _is_stub(same)):
            return  # it was only named, so that it is clear where the others are
        if any(is_elided(line, self._text) for line in lines if line.strip() != "..."):
            raise UnusableError(WHOLE.format(what=f"function {node.name}"))
        self._replace(same, lines)

    def _class(self, node: ast.ClassDef, source: list[str], inside: _Scope, indent: str) -> None:
        same = self._same(inside, node)
        if not isinstance(same, ast.ClassDef):
            self._append(_moved(node, source, indent), inside)
            return
        lines = _moved(node, source, indent)
        if self._is_as_it_was(node, same, lines):
            return
        is_simple = _heading(node) == _heading(same) and all(
            isinstance(one, Definition) or _is_head(one) or names_of(ast.Module([one], type_ignores=[]))
            for one in node.body
        )
        is_elsewhere = any(is_elided(line, self._text) for line in lines)
        is_whole = not is_simple and names_of(same) <= names_of(node) and not is_elsewhere
        if is_whole and not any(
            _is_stub(one) and not _is_stub(was) for one in node.body if (was := _called(same, one))
        ):
            self._replace(same, lines)
            return
        for one in node.body:
            if isinstance(one, Definition) or not isinstance(one, ast.Expr | ast.Pass):
                self._place(one, source, same, indent=self._indent_in(same))
        if self._words_count and _is_docstring(node.body[0]):
            self._describe(same, _moved(node.body[0], source, self._indent_in(same)))

    def _describe(self, node: ast.ClassDef, lines: list[str]) -> None:
        """Give a class another docstring, or its first."""
        if _is_docstring(node.body[0]):
            self._replace(node.body[0], lines)
        elif node.body[0].lineno > node.lineno:
            at = start_of(node.body[0]) - 1
            self._changes.append((at, at, [*lines, ""]))

    def _is_as_it_was(self, node: ast.stmt, same: ast.stmt, lines: list[str]) -> bool:
        """Whether a part is what is there already; what is said in it counts where the words are what is to change."""
        if not self._words_count:
            return means_the_same(node, same)
        return lines == self._lines[start_of(same) - 1 : same.end_lineno]

    def _same(self, inside: _Scope, node: Definition) -> Definition | None:
        """The definition that another one takes the place of; of several alike, the first is for the first."""
        key = (id(inside), node.name, _marks(node))
        self._met[key] += 1
        alike = [one for one in inside.body if isinstance(one, Definition) and one.name == node.name]
        marked = [one for one in alike if _marks(one) == key[2]]
        if len(marked) >= self._met[key]:
            return marked[self._met[key] - 1]
        return alike[0] if len(alike) == 1 and not marked and not _marks(node).endswith("er") else None

    def _assigned(self, node: ast.stmt, name: str, source: list[str], inside: _Scope, indent: str) -> None:
        for one in inside.body:
            if isinstance(one, ast.Assign | ast.AnnAssign) and name in names_of(ast.Module([one], type_ignores=[])):
                if not means_the_same(node, one):
                    self._replace(one, _moved(node, source, indent))
                return
        if isinstance(inside, ast.ClassDef):
            heads = [one.end_lineno or 0 for one in inside.body if _is_head(one)]
            at = max(heads, default=inside.body[0].lineno - 1)
        elif self._defined & _used(node):  # it can only stand behind them
            self._append(_moved(node, source, indent), inside)
            return
        else:
            first = next((one for one in inside.body if isinstance(one, Definition)), None)
            heads = [
                one.end_lineno or 0
                for one in inside.body
                if _is_head(one) and (not first or one.lineno < start_of(first))
            ]
            at = max(heads, default=head_of(self._text, self._tree))
        self._changes.append((at, at, _moved(node, source, indent)))

    def _replace(self, node: ast.stmt, lines: list[str]) -> None:
        place = (start_of(node) - 1, node.end_lineno or node.lineno)
        self._changes = [one for one in self._changes if one[:2] != place]  # the last word counts
        self._changes.append((*place, lines))

    def _append(self, lines: list[str], inside: _Scope) -> None:
        body = [one for one in inside.body if not (isinstance(one, ast.If) and "__name__" in ast.unparse(one.test))]
        at = (body[-1].end_lineno or 0) if body else 0
        gap = [""] if isinstance(inside, ast.ClassDef) else ["", ""]
        self._changes.append((at, at, [*gap, *lines] if at else [*lines, *gap]))

    def _indent_of(self, node: ast.stmt) -> str:
        return _lead(self._lines[node.lineno - 1])

    def _indent_in(self, node: ast.ClassDef) -> str:
        """How far the body of a class is indented."""
        if node.body[0].lineno > node.lineno:
            return self._indent_of(node.body[0])
        return self._indent_of(node) + "    "


def _defined(tree: ast.Module) -> set[str]:
    return {one.name for one in tree.body if isinstance(one, Definition)}


def _used(node: ast.stmt) -> set[str]:
    return {one.id for one in every(ast.Name, node) if isinstance(one.ctx, ast.Load)}


def _imported(tree: ast.Module) -> set[str]:
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}


def _around(text: str, tree: ast.Module) -> set[str]:
    """The lines of a file that are neither definitions nor imports nor empty."""
    lines = lines_of(text)
    for node in tree.body:
        if isinstance(node, Definition | ast.Import | ast.ImportFrom):
            first, last = start_of(node) - 1, node.end_lineno or node.lineno
            lines[first:last] = [""] * (last - first)
    return {line for line in lines if line.strip()}


def _called(inside: _Scope, node: ast.stmt) -> Definition | None:
    """What has the same name in a scope."""
    if not isinstance(node, Definition):
        return None
    return next((one for one in inside.body if isinstance(one, Definition) and one.name == node.name), None)


def _marks(node: Definition) -> str:
    """The decorators that tell apart what has the same name."""
    marks = (ast.unparse(one).rpartition(".")[2] for one in node.decorator_list)
    return " ".join(one for one in marks if one in {"setter", "getter", "deleter", "overload"})


def _is_stub(node: ast.stmt) -> bool:
    """Whether a function has no more of a body than `...`."""
    if not isinstance(node, Function):
        return False
    last = node.body[-1]
    is_dots = isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is ...
    return is_dots and all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in node.body)


def _is_head(node: ast.stmt) -> bool:
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign)


def _lead(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _moved(node: ast.stmt, source: list[str], indent: str) -> list[str]:
    """The lines of a part, moved to where they belong; what lies inside of strings stays as it is."""
    first, last = start_of(node), node.end_lineno or node.lineno
    lines = source[first - 1 : last]
    lead = _lead(lines[0])
    if lead == indent:
        return lines
    inside = {
        number
        for one in ast.walk(node)
        if isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and isinstance(one.value, str | bytes))
        for number in range(one.lineno + 1, (one.end_lineno or one.lineno) + 1)
    }
    docstrings = {
        number
        for one in ast.walk(node)
        if isinstance(one, Definition) and _is_head(one.body[0]) and isinstance(one.body[0], ast.Expr)
        for number in range(one.body[0].lineno + 1, (one.body[0].end_lineno or 0) + 1)
    }
    kept = inside - docstrings
    return [
        line if number in kept else (indent + line.removeprefix(lead) if line.strip() else "")
        for number, line in enumerate(lines, first)
    ]
