"""Changing one value of a configuration file, and leaving every other byte of it as the person wrote it."""

import os
from pathlib import Path
from typing import Any

from ferrule.config import paths
from ferrule.config.check import findings_of
from ferrule.config.files import locked, read, replace
from ferrule.config.jsonc import Document, Node, parse, skip
from ferrule.config.layers import PROJECT_FILES
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
    with locked(path.parent):
        document = parse(read(path, within=within) or b"", str(path))
        if problems := [finding for finding in findings_of(document) if isinstance(finding, str)]:
            raise ConfigError("\n".join(["The file has errors and was not changed:", *problems]))
        data = with_value(document, name, value).encode()
        replace(path, data, within=within)
    changed = parse(data, str(path))
    return changed.line(_find(changed, name.split("."))[0].start)


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
    return _behind_the_last(text, node, missing, value, style)


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


def _behind_the_last(text: str, node: Node, parts: list[str], value: Any, style: _Style) -> str:
    """Add a member at the end of an object, in the way in which the last one is written."""
    last = list(node.value.values())[-1]
    after, tail = last.node.end, _tail(text, node)
    if _NEWLINE.search(text, node.start, node.end):
        indent = _indent(text, last.start)
        member = style.newline + indent + style.member(parts, value, indent)
    else:
        member = " " + style.member(parts, value, None)
    if text.startswith(",", skip(text, after)):
        return f"{text[:tail]}{member},{text[tail:]}"
    return f"{text[:after]},{text[after:tail]}{member}{text[tail:]}"


def _tail(text: str, node: Node) -> int:
    """Where the inside of an object ends, its last comment included."""
    return len(text[: node.end - 1].rstrip(" \t\r\n"))


def _indent(text: str, offset: int) -> str:
    """The blanks at the beginning of a line."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


_NEWLINE = lazy(r"\r\n|\n|\r")
