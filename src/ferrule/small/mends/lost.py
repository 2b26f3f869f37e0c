"""Imports of modules that the project has not: a small model makes them up beside those that it saw."""

import ast
from collections.abc import Collection

from ferrule.small.code.parsed import tree_of
from ferrule.small.code.splice import UnusableError


def without_lost_imports(path: str, text: str, paths: Collection[str]) -> str:
    """A Python file without imports of modules that the project has not, where nothing that they give is used.

    Raises:
        UnusableError: something of it is used.
    """
    tree = tree_of(text)
    lost = [one for one in tree.body if isinstance(one, ast.ImportFrom) and _is_lost(one, path, paths)] if tree else []
    for node in reversed(lost):
        given = {one.asname or one.name for one in node.names}
        if not given.isdisjoint(_free_names(text, node)):
            raise UnusableError(f"There is no module {node.module}. Import from those that are there, or from none.")
        lines = text.split("\n")
        text = "\n".join([*lines[: node.lineno - 1], *lines[node.end_lineno :]]).lstrip("\n")
    return text


def _is_lost(node: ast.ImportFrom, path: str, paths: Collection[str]) -> bool:
    """Whether a module would have to be in the project by the first part of its name, and is not."""
    if node.level or not node.module:
        return False
    first, place = node.module.split(".")[0], node.module.replace(".", "/")
    folders = {"", "src/", f"{path.rpartition('/')[0]}/" if "/" in path else ""}
    is_ours = any(one.startswith(f"{folder}{first}/") for one in paths for folder in folders)
    there = [f"{folder}{place}{end}" for folder in folders for end in (".py", "/__init__.py")]
    is_folder = any(one.startswith(f"{folder}{place}/") for one in paths for folder in folders)
    return is_ours and not is_folder and not any(one in paths for one in there)


def _free_names(text: str, imported: ast.ImportFrom) -> set[str]:
    """The names that a file uses and that none of its functions makes for itself."""
    tree = tree_of(text)
    found: set[str] = set()
    for node in tree.body if tree else ():
        if node.lineno == imported.lineno:
            continue
        inside = list(ast.walk(node))
        own = {one.arg for one in inside if isinstance(one, ast.arg)}
        own |= {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        found |= {one.id for one in inside if isinstance(one, ast.Name)} - own
    return found
