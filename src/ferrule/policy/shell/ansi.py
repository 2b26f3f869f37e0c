"""Decodes the escapes of `$'…'`, and of `echo -e` and `printf`."""

import re

from ferrule.core.regex import lazy

_ESCAPE = lazy(
    r"(?s)\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(0?[0-7]{1,3})|c(.)|(.))|\\\Z|[^\\]+"
)
_LETTERS = {
    "a": 7,
    "b": 8,
    "e": 27,
    "E": 27,
    "f": 12,
    "n": 10,
    "r": 13,
    "t": 9,
    "v": 11,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
}


def unescaped(text: str) -> str:
    """Decode the text as bash does: by bytes, and only up to a NUL."""
    decoded = b"".join(_bytes(found) for found in _ESCAPE.finditer(text))
    return decoded.partition(b"\0")[0].decode(errors="surrogateescape")


def _bytes(found: re.Match[str]) -> bytes:
    byte, short, long, octal, control, letter = found.groups()
    if byte or octal:
        return bytes((int(byte, 16) if byte else int(octal, 8) & 0xFF,))
    if short or long:
        return _character(int(short or long, 16))
    if control:
        return bytes((ord(control) & 0x1F,))
    if letter in _LETTERS:
        return bytes((_LETTERS[letter],))
    return found[0].encode(errors="surrogateescape")


def _character(number: int) -> bytes:
    return chr(number).encode(errors="surrogatepass") if number <= 0x10FFFF else b""
