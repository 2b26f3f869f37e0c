"""What a file of weights says of itself: its head tells how much memory the model will take for each token."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ferrule.config.words import plain
from ferrule.core.errors import UsageError
from ferrule.core.messages import Value

MAGIC = b"GGUF"
LONGEST = 16_000_000
"""Bytes of a text, and entries of a list: what claims more is damaged."""
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_LAST = "tokenizer."
"""Where the vocabulary begins, which is long and tells nothing here; what matters stands before it."""


class Shape(Value, frozen=True, kw_only=True):
    """How a model is built, as far as memory goes."""

    size: int
    """Bytes of the file."""
    window: int
    """The context that it was trained with, in tokens."""
    token_bytes: int
    """What one token of context takes, with 16 bits a number."""


def shape_of(path: Path) -> Shape:
    """Read how the model in a file is built.

    Raises:
        UsageError: the file cannot be read, or holds no weights of this kind.
    """
    try:
        with path.open("rb") as file:
            facts = _facts(file)
            size = path.stat().st_size
    except OSError as error:
        raise UsageError(f"{plain(str(path))}: The weights cannot be read: {error.strerror}.") from None
    except (struct.error, ValueError, UnicodeDecodeError, MemoryError):
        raise UsageError(f"{plain(str(path))}: This is no GGUF file, or a damaged one.") from None
    of = _Facts(facts)
    heads, width = of.most("attention.head_count"), of.most("embedding_length")
    if not heads or not width or not of.most("block_count"):
        raise UsageError(f"{plain(str(path))}: This GGUF file holds no language model.")
    key = of.most("attention.key_length") or width // heads
    value = of.most("attention.value_length") or width // heads
    return Shape(
        size=size,
        window=of.most("context_length"),
        token_bytes=max(1, of.total("attention.head_count_kv", otherwise=heads) * (key + value) * 2),
    )


class _Facts:
    """The numbers in a head, each of which may be one for all layers or one for each."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts, self._prefix = facts, f"{facts.get('general.architecture', '')}."

    def most(self, name: str) -> int:
        """The largest of it; 0 where nothing is said."""
        return max(self._numbers(name), default=0)

    def total(self, name: str, *, otherwise: int) -> int:
        """All layers together."""
        numbers = self._numbers(name) or [otherwise]
        return sum(numbers) if len(numbers) > 1 else numbers[0] * self.most("block_count")

    def _numbers(self, name: str) -> list[int]:
        found = self._facts.get(self._prefix + name)
        entries = found if isinstance(found, list) else [found]
        return [entry for entry in entries if isinstance(entry, int) and entry >= 0]


def _facts(file: BinaryIO) -> dict[str, Any]:
    """Everything in the head that stands before the vocabulary."""
    if file.read(4) != MAGIC or _number(file, "I") not in {2, 3}:
        raise ValueError
    _number(file, "Q")  # how many tensors there are
    facts: dict[str, Any] = {}
    for _ in range(_number(file, "Q")):
        name = _text(file)
        if name.startswith(_LAST) and len(facts) > 1:
            break
        facts[name] = _value(file, _number(file, "I"))
    return facts


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind == _LIST:
        inner, count = _number(file, "I"), _number(file, "Q")
        return [_value(file, inner) for _ in range(_bounded(count))]
    if kind not in _NUMBERS:
        raise ValueError
    return _number(file, _NUMBERS[kind])


def _text(file: BinaryIO) -> str:
    length = _bounded(_number(file, "Q"))
    data = file.read(length)
    if len(data) < length:
        raise ValueError
    return data.decode("utf-8", "replace")


def _number(file: BinaryIO, form: str) -> Any:
    (number,) = struct.unpack(f"<{form}", file.read(struct.calcsize(f"<{form}")))
    return number


def _bounded(length: int) -> int:
    if length > LONGEST:
        raise ValueError
    return length
