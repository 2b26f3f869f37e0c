"""What the objects of a project's own classes can do: a small model makes methods up, or takes objects for lists."""

import ast
import re
from collections.abc import Iterable

from ferrule.small.code.parsed import Function, around, every, tree_of

_CONTAINS, _GIVES_EACH = {"__contains__", "__iter__", "__getitem__"}, {"__iter__", "__getitem__"}
_OPEN = {"__getattr__", "__getattribute__", "__slots__"}
"""Members of classes whose objects may have others."""
_MOST = 8


def made_up(base: str, text: str, project: Iterable[str]) -> str:
    """What a new text of a file wants of an object that its class does not know, in words; empty where there is none.

    An object is told by its name: `store` is a `Store` where all that the file did with it before is what a `Store` can
    do. `project` are the texts of other files.
    """
    old, new = tree_of(base), tree_of(text)
    classes = _classes([base, *project]) if old and new else {}
    names = {name: members for name, members in classes.items() if members & _wanted(old, spelled(name))}
    for name, members in names.items():
        known, wanted = _wanted(old, spelled(name)), _wanted(new, spelled(name))
        strange = sorted(wanted - known - members)
        if known <= members and strange and not _made_again(new, spelled(name)):
            can = ", ".join(one for one in sorted(members) if not one.startswith("_"))
            return f"A {name} has no {_told(strange[0])}. It has these: {can}."
    return ""


def with_gets(base: str, text: str, project: Iterable[str]) -> str:
    """A new text of a file that asks an object for what it has, where that knows no `in`: it may know a `get`."""
    tree, lines = tree_of(text), text.split("\n")
    if "has no `in`" not in made_up(base, text, project := list(project)):
        return text
    objects = {spelled(name) for name, members in _classes([base, *project]).items() if "get" in members}
    for node in every(ast.Compare, tree):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn() as how], comparators=[ast.Name(id=name)]) if name in objects:
                if node.lineno == node.end_lineno:
                    before, after = around(lines[node.lineno - 1], node)
                    found = f"{name}.get({ast.unparse(node.left)}) is {'not ' if isinstance(how, ast.In) else ''}None"
                    lines[node.lineno - 1] = f"{before}{found}{after}"
            case _:
                pass
    return "\n".join(lines)


def spelled(name: str) -> str:
    """What an object of a class is mostly called: a `NoteStore` is a `note_store`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _told(member: str) -> str:
    return {"__contains__": "`in`", "__iter__": "`for`", "__getitem__": "`[]`", "__len__": "`len`"}.get(member, member)


def _classes(texts: Iterable[str]) -> dict[str, set[str]]:
    """What the objects of each class can do, where that can be told: it inherits nothing, and there is one such."""
    found: dict[str, set[str]] = {}
    twice: set[str] = set()
    for text in dict.fromkeys(texts):
        for node in every(ast.ClassDef, tree_of(text) if "class " in text else None):
            members = _members(node)
            twice |= {node.name} & found.keys()
            if not node.bases and not node.keywords and not members & _OPEN:
                found[node.name] = members
            else:
                twice.add(node.name)
    plain = {name: members for name, members in found.items() if name not in twice}
    return dict(list(plain.items())[:_MOST])


def _members(node: ast.ClassDef) -> set[str]:
    """The methods and values of a class, and what they allow besides."""
    members = {one.name for one in node.body if isinstance(one, Function | ast.ClassDef)}
    members |= {one.attr for one in every(ast.Attribute, node) if isinstance(one.ctx, ast.Store)}
    members |= {one.id for one in every(ast.Name, node) if isinstance(one.ctx, ast.Store)}
    members |= {"__contains__"} if members & _CONTAINS else set()
    return members | ({"__iter__"} if members & _GIVES_EACH else set())


def _wanted(tree: ast.Module | None, name: str) -> set[str]:
    """What a file wants of the object with a name."""
    wanted: set[str] = set()
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Attribute(value=ast.Name(id=given), attr=attr) if given == name:
                wanted.add(attr)
            case ast.Subscript(value=ast.Name(id=given)) if given == name:
                wanted.add("__getitem__")
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=given)]) if given == name:
                wanted.add("__len__")
            case ast.For(iter=ast.Name(id=given)) | ast.comprehension(iter=ast.Name(id=given)) if given == name:
                wanted.add("__iter__")
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=given)]) if given == name:
                wanted.add("__contains__")
            case _:
                pass
    return wanted


def _made_again(tree: ast.Module | None, name: str) -> bool:
    """Whether a name is given to something else, too."""
    stored = [one for one in every(ast.Name, tree) if isinstance(one.ctx, ast.Store) and one.id == name]
    return bool(stored)
