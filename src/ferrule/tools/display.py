"""How paths and names are shown: short where they can be, and on one line whatever they hold."""

import os
from pathlib import Path


def escaped(name: str) -> str:
    """The name, with line ends, control characters and bytes that are no UTF-8 written as escapes."""
    if name.isprintable():
        return name
    return "".join(char if char.isprintable() else _escape(char) for char in name)


def shown(path: Path | str, directory: Path) -> str:
    """The path as seen from the directory, or whole where it lies elsewhere."""
    full, base = os.path.normpath(path), str(directory)
    if full == base:
        return "."
    return escaped(full.removeprefix(base.rstrip("/") + "/"))


def count(number: int, noun: str) -> str:
    """A number and its noun: `1 line`, `12,345 lines`, `2 matches`, `3 entries`."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else noun + ("es" if noun.endswith("ch") else "s")
    return f"{number:,} {plural}"


def size(number: int) -> str:
    """A number of bytes as people say it: `12 bytes`, `3.4 KB`, `120 MB`."""
    if number < 1_000:
        return count(number, "byte")
    amount, units = number / 1_000, ["KB", "MB", "GB", "TB"]
    while amount >= 999.5 and len(units) > 1:
        amount, units = amount / 1_000, units[1:]
    return f"{amount:.1f} {units[0]}" if amount < 9.95 else f"{amount:.0f} {units[0]}"


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte that it could not decode
        return f"\\x{code - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")
