"""Pictures that a request names with `@`: they are sent along."""

import base64
import os
from pathlib import Path

from ferrule.core.messages import Image, Text
from ferrule.core.regex import lazy

LARGEST = 5_000_000
"""Bytes; providers take no larger ones."""
_KINDS = {
    ".png": ("image/png", b"\x89PNG"),
    ".jpg": ("image/jpeg", b"\xff\xd8"),
    ".jpeg": ("image/jpeg", b"\xff\xd8"),
    ".gif": ("image/gif", b"GIF8"),
    ".webp": ("image/webp", b"RIFF"),
}
_NAMED = lazy(r"(?:(?<=\s)|^)@(\"[^\"\n]+\"|\S+)")


def blocks_of(text: str, directory: Path) -> tuple[tuple[Text | Image, ...], list[str]]:
    """A request as blocks, with the pictures that it names behind its words; and what is wrong with some."""
    pictures: list[Image] = []
    problems: list[str] = []
    for found in _NAMED.finditer(text):
        name = found[1].strip('"').rstrip(",;:.?)")
        if Path(name).suffix.lower() in _KINDS:
            picture, problem = _picture(Path(directory, os.path.expanduser(name)))  # noqa: PTH111
            pictures += [picture] if picture else []
            problems += [f"{name}: {problem}"] if problem else []
    return (Text(text), *pictures), problems


def is_picture(name: str) -> bool:
    """Whether a path that was pasted is that of a picture."""
    return "\n" not in name and Path(name).suffix.lower() in _KINDS and os.path.isfile(name)  # noqa: PTH113


def _picture(path: Path) -> tuple[Image | None, str]:
    kind, beginning = _KINDS[path.suffix.lower()]
    try:
        if path.stat().st_size > LARGEST:
            return None, f"it is larger than {LARGEST / 1e6:g} MB, so it was not sent along"
        data = path.read_bytes()
    except OSError as error:
        return None, f"it was not sent along: {error.strerror}"
    if not data.startswith(beginning):
        return None, "it is no picture, so it was not sent along"
    return Image(media_type=kind, data=base64.b64encode(data).decode()), ""
