"""Changing one value of a configuration file, and leaving every other byte of it as the person wrote it."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from ferrule.config import paths
from ferrule.config.check import findings_of
from ferrule.config.files import locked, read, replace
from ferrule.config.jsonc import Document, Node, parse, skip
from ferrule.config.keys import KEYS
from ferrule.config.trust import PROJECT_FILES
from ferrule.config.words import in_json
from ferrule.core.errors import ConfigError
from ferrule.core.regex import lazy


def user_file(environ: paths.Environ = os.environ) -> Path:
    """The file of the user's own to write to: of those that exist the one that counts last."""
    last = paths.home(environ) / ".ferrule.json"
    return last if os.path.lexists(last) else paths.config_home(environ) / "config.json"


def project_file(directory: Path) -> Path:
    """The project's file to write to: of those that exist the one that counts last."""
    candidates = [directory.absolute() / name for name in PROJECT_FILES]
    return next((path for path in reversed(candidates) if os.path.lexists(path)), candidates[-1])


def store(path: Path, name: str, value: Any, *, within: Path | None = None) -> int:
    """Set a key in a file, which is made if need be; gives the line where it now stands.

    The value must have been checked. Links that lead out of `within` are not followed.

    Raises:
        ConfigError: the file has errors of its own, or cannot be read or written; it was not touched.
    """
    changed = _change(path, lambda document: with_value(document, name, value), within)
    return changed.line(_find(changed, name.split("."))[0].start)


def add_for_user(name: str, items: Iterable[str], environ: paths.Environ = os.environ) -> Path:
    """Add items to a list in the user's own file, comments and order kept; gives the file.

    Raises:
        ConfigError: the list does not take them, or the file cannot be changed; it was not touched.
    """
    path, fitting = user_file(environ), KEYS[name].fit(list(items))
    _change(path, lambda document: with_items(document, name, fitting), None)
    return path


def with_value(document: Document, name: str, value: Any) -> str:
    """The text of a file with one key set."""
    text, parts = document.text, name.split(".")
    style = _Style(document)
    if document.root is None:
        before = text + style.newline if text and not text.endswith(("\n", "\r")) else text
        return before + style.object(parts, value, indent="") + style.newline
    node, missing = _find(document, parts)
    if not missing:
        return text[: node.start] + in_json(value) + text[node.end :]
    if not node.value:
        return _into_empty(text, node, missing, value, style)
    last = list(node.value.values())[-1]
    return _behind_the_last(text, node, (last.start, last.node.end), style, partial(style.member, missing, value))


def with_items(document: Document, name: str, items: Iterable[str]) -> str:
    """The text of a file with items added to a list; those that it has already are not added."""
    text, style = document.text, _Style(document)
    node, missing = _find(document, name.split(".")) if document.root else (None, [name])
    if node is None or missing:
        return with_value(document, name, list(dict.fromkeys(items)))
    new = [item for item in dict.fromkeys(items) if item not in node.plain]
    if not new:
        return text
    if not node.value:
        close = node.end - 1
        return text[:close] + style.items(new, None) + text[close:]
    last = node.value[-1]
    return _behind_the_last(text, node, (last.start, last.end), style, partial(style.items, new))


def _change(path: Path, change: Callable[[Document], str], within: Path | None) -> Document:
    """Change a file's text, if it has no errors of its own; gives what it says now."""
    with locked(path.parent):
        document = parse(read(path, within=within) or b"", str(path))
        if problems := [finding for finding in findings_of(document) if isinstance(finding, str)]:
            raise ConfigError("\n".join(["The file has errors and was not changed:", *problems]))
        data = change(document).encode()
        replace(path, data, within=within)
    return parse(data, str(path))


class _Style:
    """How a file is written: what ends its lines, and by how much they are indented."""

    def __init__(self, document: Document) -> None:
        found = _NEWLINE.search(document.text)
        self.newline = found[0] if found else "\n"
        members = list(document.root.value.values()) if document.root else []
        self.unit = (_indent(document.text, members[0].start) if members else "") or "  "

    def member(self, parts: list[str], value: Any, indent: str | None) -> str:
        """A member as text, with the objects that its name needs; one line where there is no indent."""
        rest = in_json(value) if len(parts) == 1 else self.object(parts[1:], value, indent)
        return f"{in_json(parts[0])}: {rest}"

    def items(self, items: list[str], indent: str | None) -> str:
        """Items of a list as text: each on a line of its own, or all on one."""
        return (", " if indent is None else f",{self.newline}{indent}").join(map(in_json, items))

    def object(self, parts: list[str], value: Any, indent: str | None) -> str:
        """An object with one member."""
        if indent is None:
            return f"{{{self.member(parts, value, None)}}}"
        inner = indent + self.unit
        return f"{{{self.newline}{inner}{self.member(parts, value, inner)}{self.newline}{indent}}}"


def _find(document: Document, parts: list[str]) -> tuple[Node, list[str]]:
    """The node of a key as far as it exists, and the parts of its name that do not."""
    node = document.root
    assert node is not None
    while parts and parts[0] in node.value:
        node, parts = node.value[parts[0]].node, parts[1:]
    return node, parts


def _into_empty(text: str, node: Node, parts: list[str], value: Any, style: _Style) -> str:
    outer, tail, close = _indent(text, node.start), _tail(text, node), node.end - 1
    inner = outer + style.unit
    member = style.member(parts, value, inner)
    gap = text[tail:close] if _NEWLINE.search(text, tail, close) else style.newline + outer
    return f"{text[:tail]}{style.newline}{inner}{member}{gap}{text[close:]}"


def _behind_the_last(
    text: str, node: Node, last: tuple[int, int], style: _Style, written: Callable[[str | None], str]
) -> str:
    """Add something at the end of an object or a list, in the way in which the last of it is written."""
    start, after = last
    tail = _tail(text, node)
    if _NEWLINE.search(text, node.start, node.end):
        indent = _indent(text, start)
        added = style.newline + indent + written(indent)
    else:
        added = " " + written(None)
    if text.startswith(",", skip(text, after)):
        return f"{text[:tail]}{added},{text[tail:]}"
    return f"{text[:after]},{text[after:tail]}{added}{text[tail:]}"


def _tail(text: str, node: Node) -> int:
    """Where the inside of an object ends, its last comment included."""
    return len(text[: node.end - 1].rstrip(" \t\r\n"))


def _indent(text: str, offset: int) -> str:
    """The blanks at the beginning of a line."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


_NEWLINE = lazy(r"\r\n|\n|\r")
