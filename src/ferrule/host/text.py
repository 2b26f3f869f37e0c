"""Bytes become text and come back the same: encodings, byte order marks, line endings."""

import codecs
from typing import Literal, NamedTuple

import msgspec

from ferrule.core.errors import ToolError

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be", "latin-1"]

_MARKS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAMES: dict[Encoding, str] = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "latin-1": "Latin-1",
}
_CONTROLS = bytes({*range(32), 127} - {*b"\a\b\t\n\v\f\r\x1b"})
_HIGH = bytes(range(128, 256))
_MOST_CONTROLS = 0.01
_MOST_HIGH = 0.8
"""Text in an old 8-bit encoding has almost no control characters, and spaces between its words."""


class Decoded(msgspec.Struct, frozen=True):
    """The text of a file, and how it was written down."""

    text: str
    encoding: Encoding
    bom: bytes = b""

    def encode(self, text: str) -> bytes:
        """Write another text down in the same way.

        Raises:
            ToolError: the encoding has no bytes for one of its characters.
        """
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise ToolError(_cannot_write(text[error.start], self.encoding)) from None


def decode(data: bytes) -> Decoded | None:
    """Read bytes as text that `encode` turns back into the same bytes; `None` where they are no text."""
    for bom, encoding in _MARKS:
        if data.startswith(bom) and (decoded := _strictly(data[len(bom) :], encoding, bom)):
            return decoded
    if b"\0" in data:
        return None
    return _strictly(data, "utf-8") or (_strictly(data, "latin-1") if _looks_like_text(data) else None)


def encode(text: str) -> bytes:
    """Write a text down as UTF-8.

    Raises:
        ToolError: it holds half of a surrogate pair.
    """
    return Decoded(text, "utf-8").encode(text)


class Endings(NamedTuple):
    """How many lines of a text end in which way.

    A carriage return on its own ends a line only where there is no line feed at all (files of the old
    Macintosh); beside line feeds it is a character like any other.
    """

    lf: int
    crlf: int
    cr: int

    @property
    def mixed(self) -> bool:
        """Whether lines end in more than one way."""
        return self.lf > 0 and self.crlf > 0

    @property
    def dominant(self) -> str:
        """The ending of most lines, or nothing where no line ends."""
        if not any(self):
            return ""
        if self.cr:
            return "\r"
        return "\r\n" if self.crlf > self.lf else "\n"


def endings_of(text: str) -> Endings:
    """Count the line endings of a text."""
    feeds, pairs = text.count("\n"), text.count("\r\n")
    return Endings(lf=feeds - pairs, crlf=pairs, cr=0 if feeds else text.count("\r"))


def count_lines(data: bytes) -> int:
    """How many lines a file has; a last one without its line feed counts as well."""
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def _strictly(data: bytes, encoding: Encoding, bom: bytes = b"") -> Decoded | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else Decoded(text, encoding, bom)


def _looks_like_text(data: bytes) -> bool:
    return _share(data, _CONTROLS) <= _MOST_CONTROLS and _share(data, _HIGH) <= _MOST_HIGH


def _share(data: bytes, members: bytes) -> float:
    return 1 - len(data.translate(None, members)) / len(data)


def _cannot_write(character: str, encoding: Encoding) -> str:
    point = f"U+{ord(character):04X}"
    if "\ud800" <= character <= "\udfff":
        return f"{point} is half of a surrogate pair and cannot be written. Nothing was changed."
    return (
        f"The file is encoded as {_NAMES[encoding]}, which has no character {character} ({point}). "
        "Nothing was changed. Use other characters, or convert the file to UTF-8 first."
    )
