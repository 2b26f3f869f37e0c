"""Names in classes that are confused: functions called as methods, methods as functions, values named as methods."""

import ast
from collections.abc import Container, Iterator

from ferrule.small.code.names import out_of_reach, undefined
from ferrule.small.code.parsed import Function, every, tree_of

_OWN = "self."


def with_owned(text: str) -> str:
    """Python in which functions of the file are not called of `self`, and methods and values of the class are."""
    tree = tree_of(text)
    if tree is None or not any(isinstance(one, ast.ClassDef) for one in tree.body):
        return text
    lines = text.encode().split(b"\n")
    places = {*_misplaced(tree, _nobodys(text)), *_bare(tree, out_of_reach(text)), *_not_yet(tree)}
    for row, column, is_own in sorted(places, reverse=True):
        before, after = lines[row - 1][:column], lines[row - 1][column:]
        lines[row - 1] = before + (_OWN.encode() + after if is_own else after.removeprefix(_OWN.encode()))
    return b"\n".join(lines).decode()


def with_unhidden(text: str) -> str:
    """Python in which no object has a value that hides a method of the same name: the value's gets an underscore."""
    tree = tree_of(text)
    if tree is None:
        return text
    lines = text.encode().split(b"\n")
    places: set[tuple[int, int]] = set()
    for owner in every(ast.ClassDef, tree):
        methods = {one.name for one in owner.body if isinstance(one, Function) and not one.decorator_list}
        called = {one.func for one in every(ast.Call, owner)}
        mine = [one for one in every(ast.Attribute, owner) if _is_self(one.value)]
        hidden = {one.attr for one in mine if isinstance(one.ctx, ast.Store)} & methods
        values = [one for one in mine if one.attr in hidden and one not in called]
        places |= {(one.end_lineno or 0, (one.end_col_offset or 0) - len(one.attr.encode())) for one in values}
    for row, column in sorted(places, reverse=True):
        lines[row - 1] = lines[row - 1][:column] + b"_" + lines[row - 1][column:]
    return b"\n".join(lines).decode()


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _misplaced(tree: ast.Module, nobodys: set[str]) -> Iterator[tuple[int, int, bool]]:
    """Where calls are of something else than they say, and whether they are of a method."""
    functions = {one.name for one in tree.body if isinstance(one, Function)}
    for owner in (one for one in tree.body if isinstance(one, ast.ClassDef) and not one.bases):
        methods = {one.name for one in owner.body if isinstance(one, Function) and _takes_self(one)}
        theirs = {getattr(one, "name", "") for one in owner.body} | _set_in(owner)
        calls = (one for method in owner.body if _takes_self(method) for one in ast.walk(method))
        for call in (one.func for one in calls if isinstance(one, ast.Call)):
            match call:
                case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in functions - theirs:
                    yield call.lineno, call.col_offset, False
                case ast.Name(id=name) if name in methods & nobodys:
                    yield call.lineno, call.col_offset, True
                case _:
                    pass


def _bare(tree: ast.Module, unreached: Container[str]) -> Iterator[tuple[int, int, bool]]:
    """Where methods name a value of their class as if it were everybody's."""
    for owner in (one for one in tree.body if isinstance(one, ast.ClassDef)):
        targets = [target for one in owner.body if isinstance(one, ast.Assign) for target in one.targets]
        values = {one.id for one in targets if isinstance(one, ast.Name) and one.id in unreached}
        for one in (each for method in owner.body if _takes_self(method) for each in ast.walk(method)):
            if isinstance(one, ast.Name) and one.id in values:
                yield one.lineno, one.col_offset, True


def _not_yet(tree: ast.Module) -> Iterator[tuple[int, int, bool]]:
    """Where methods make a value of their own from one that only their object has by that name: `x = x.strip()`."""
    for owner in (one for one in tree.body if isinstance(one, ast.ClassDef)):
        mine = [one for one in every(ast.Attribute, owner) if _is_self(one.value)]
        kept = {one.attr for one in mine if isinstance(one.ctx, ast.Store)}
        for method in (one for one in owner.body if isinstance(one, Function) and _takes_self(one)):
            known = {one.arg for one in [*method.args.args, *method.args.kwonlyargs]}
            for statement in method.body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in kept - known:
                        uses = [one for one in every(ast.Name, value) if one.id == name]
                        yield from ((one.lineno, one.col_offset, True) for one in uses)
                    case _:
                        pass
                names = every(ast.Name, statement)
                known |= {one.id for one in names if isinstance(one.ctx, ast.Store)}


def _nobodys(text: str) -> set[str]:
    """The names that are used and that nothing has, but for methods."""
    tree = tree_of(text) or ast.Module([], [])
    for owner in every(ast.ClassDef, tree):
        for method in (one for one in owner.body if isinstance(one, Function)):
            method.name = ""
    return undefined(tree)


def _takes_self(node: ast.stmt) -> bool:
    return isinstance(node, Function) and [one.arg for one in node.args.args[:1]] == ["self"]


def _set_in(owner: ast.ClassDef) -> set[str]:
    """The names that a class gives values to, its own and those of its objects."""
    nodes = [one for one in ast.walk(owner) if isinstance(one, ast.Name | ast.Attribute)]
    return {one.id if isinstance(one, ast.Name) else one.attr for one in nodes if isinstance(one.ctx, ast.Store)}
