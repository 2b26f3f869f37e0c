"""Remembers the last look at a project between two runs, so that not every file is read again."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from ferrule.session.files import open_private
from ferrule.session.shadow.glance import Saved
from ferrule.session.shadow.scan import Folder

_VERSION = 1


class Look(msgspec.Struct, array_like=True):
    """The last look, and which rules it went by."""

    version: int
    root: str
    rules: tuple[int, ...]
    index: Saved
    top: Folder


def load(path: Path, root: Path, rules: tuple[int, ...]) -> Look | None:
    """The last look at a project, if there is one that fits."""
    with suppress(OSError, msgspec.DecodeError, RecursionError):
        with open(open_private(path, os.O_RDONLY), "rb") as file:  # noqa: PTH123 - it is open already
            look = msgspec.msgpack.decode(file.read(), type=Look)
        if (look.version, look.root, look.rules) == (_VERSION, os.fspath(root), rules):
            return look
    return None


def save(path: Path, root: Path, rules: tuple[int, ...], index: Saved, top: Folder) -> None:
    """Remember a look. If that fails, the next run has a little more to do."""
    staged = path.with_name(f"{path.name}-{os.urandom(8).hex()}.new")
    with suppress(OSError, UnicodeEncodeError, RecursionError):
        try:
            data = msgspec.msgpack.encode(Look(_VERSION, os.fspath(root), rules, index, top))
            with open(open_private(staged, os.O_RDWR | os.O_CREAT | os.O_EXCL), "wb") as file:  # noqa: PTH123
                file.write(data)
            staged.replace(path)
        finally:
            staged.unlink(missing_ok=True)
