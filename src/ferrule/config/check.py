"""A file that was read becomes settings: each key known, each value fitting, each with its line."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec

from ferrule.config.jsonc import MOST_PROBLEMS, Document, Node
from ferrule.config.keys import KEYS, SECTIONS, Key, MisfitError, unknown
from ferrule.config.words import plain, shown

SCHEMA_KEY = "$schema"
"""Tells an editor which schema the file follows; means nothing to Ferrule."""
_OF_HOOKS = "hooks."


class Setting(msgspec.Struct, frozen=True):
    """A value that something gave to a key, and where."""

    key: Key
    value: Any
    origin: str
    items: tuple[str, ...] = ()
    """The origin of each item, where the value is a list in a file."""


class Remark(msgspec.Struct, frozen=True):
    """What a person should know of a file that is no error."""

    text: str


Finding = Setting | Remark | str


def findings_of(document: Document) -> Iterator[Finding]:
    """Everything that a file sets, and in words what is wrong with it, as far as a person wants to read."""
    problems = 0
    for finding in chain(document.problems, _root(document)):
        yield finding
        problems += isinstance(finding, str)
        if problems == MOST_PROBLEMS:
            yield f"{plain(document.name)}: There may be more; the first {MOST_PROBLEMS} are told."
            return


def _root(document: Document) -> Iterator[Finding]:
    if document.root is None:
        return
    if isinstance(document.root.value, dict):
        yield from _walk(document, document.root, "")
    else:
        words = f"A configuration is an object in braces, not {shown(document.root.plain)}."
        yield f"{document.place(document.root.start)}: {words}"


def _walk(document: Document, node: Node, prefix: str) -> Iterator[Finding]:
    for part, member in node.value.items():
        name = f"{prefix}{part}"
        if "." in part:
            outer, _, inner = part.rpartition(".")
            words = f"A key has no dots in a file: write {shown(outer)}: {{{shown(inner)}: …}}."
            yield f"{document.place(member.start)}: {words}"
        elif key := KEYS.get(name):
            yield _setting(document, key, member.node)
        elif name in SECTIONS and isinstance(member.node.value, dict):
            yield from _walk(document, member.node, f"{name}.")
        elif name in SECTIONS:
            words = f"{name} must be an object in braces, not {shown(member.node.plain)}."
            yield f"{document.place(member.node.start)}: {words}"
        elif prefix == _OF_HOOKS:  # other agents have more events, and their files are shared
            yield Remark(f"{document.place(member.start)}: {unknown(name)} It is ignored.")
        elif name != SCHEMA_KEY:
            yield f"{document.place(member.start)}: {unknown(name)}"


def _setting(document: Document, key: Key, node: Node) -> Setting | str:
    try:
        value = key.fit(node.plain)
    except MisfitError as misfit:
        at = node if misfit.index is None else node.value[misfit.index]
        return f"{document.place(at.start)}: {misfit}"
    name = plain(document.name)
    items = tuple(f"{name}:{line}" for line in _lines(document, node)) if key.item is not None else ()
    return Setting(key, value, f"{name}:{document.line(node.start)}", items)


def _lines(document: Document, node: Node) -> Iterator[int]:
    """The line of each item of a list, counted on from the item before it."""
    at, line = node.start, document.line(node.start)
    for item in node.value:
        line += document.text.count("\n", at, item.start)
        at = item.start
        yield line
