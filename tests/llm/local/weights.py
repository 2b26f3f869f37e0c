"""Files of weights with a real head and nothing behind it."""

import struct
from collections.abc import Mapping
from pathlib import Path

SMALL: Mapping[str, str | int] = {
    "general.architecture": "small",
    "small.block_count": 2,
    "small.context_length": 32_768,
    "small.embedding_length": 64,
    "small.attention.head_count": 4,
    "small.attention.head_count_kv": 2,
}


def write_weights(path: Path, facts: Mapping[str, str | int | list[int]] = SMALL, *, size: int = 0) -> Path:
    """Write a head that says these things, and make the file as large as it should seem."""
    entries = b"".join(_text(name) + _value(value) for name, value in facts.items())
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(facts)) + entries)
    if size:
        with path.open("r+b") as file:
            file.truncate(size)
    return path


def _value(value: str | int | list[int]) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, list):
        return struct.pack("<IIQ", 9, 4, len(value)) + struct.pack(f"<{len(value)}I", *value)
    return struct.pack("<II", 4, value)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()
