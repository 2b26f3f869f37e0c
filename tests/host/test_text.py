"""Bytes become text and come back the same."""

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ferrule.core.errors import ToolError
from ferrule.host.text import Decoded, Endings, count_lines, decode, encode, endings_of


@pytest.mark.parametrize(
    ("data", "decoded"),
    [
        (b"", Decoded("", "utf-8")),
        (b"plain\n", Decoded("plain\n", "utf-8")),
        ("é ☃ 😀".encode(), Decoded("é ☃ 😀", "utf-8")),
        (codecs.BOM_UTF8, Decoded("", "utf-8", codecs.BOM_UTF8)),
        (codecs.BOM_UTF8 + b"a\r\n", Decoded("a\r\n", "utf-8", codecs.BOM_UTF8)),
        (codecs.BOM_UTF16_LE + b"a\0", Decoded("a", "utf-16-le", codecs.BOM_UTF16_LE)),
        (codecs.BOM_UTF16_BE + b"\0a\xd8\x3d\xde\x00", Decoded("a😀", "utf-16-be", codecs.BOM_UTF16_BE)),
        (b"caf\xe9 au lait", Decoded("café au lait", "latin-1")),
        (b"\x93old quotes\x94 and \x80", Decoded("\x93old quotes\x94 and \x80", "latin-1")),
        (codecs.BOM_UTF8 + b"but then caf\xe9", Decoded("ï»¿but then café", "latin-1")),
        (b"\x1b[31mred\x1b[0m\x0c\x08", Decoded("\x1b[31mred\x1b[0m\x0c\x08", "utf-8")),
        (b"one control \x01 in UTF-8", Decoded("one control \x01 in UTF-8", "utf-8")),
    ],
)
def test_text(data: bytes, decoded: Decoded) -> None:
    assert decode(data) == decoded
    assert decoded.encode(decoded.text) == data


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\x89PNG\r\n\x1a\n",
        b"\x1f\x8b\x08\x01\x02\xff\xee",
        b"\xff\xd8\xff\xe0\x10JFIF\x01",
        bytes(range(1, 256)),
        b"\xf0\x9f\x98",
        codecs.BOM_UTF16_LE + b"a\0b",
        codecs.BOM_UTF16_LE + b"\x00\xd8",
        codecs.BOM_UTF32_LE + "wide".encode("utf-32-le"),
        "no mark".encode("utf-16-le"),
    ],
)
def test_no_text(data: bytes) -> None:
    assert decode(data) is None


@given(st.binary())
@example(b"\xff\xfe\xff\xfe")
@example(b"\xef\xbb\xbf\xff")
def test_every_byte_comes_back(data: bytes) -> None:
    decoded = decode(data)
    assert decoded is None or decoded.encode(decoded.text) == data


def test_character_that_the_encoding_lacks() -> None:
    with pytest.raises(ToolError, match=r"encoded as Latin-1, which has no character € \(U\+20AC\)"):
        Decoded("", "latin-1").encode("10 €")
    with pytest.raises(ToolError, match=r"U\+DC80 is half of a surrogate pair"):
        encode("a\udc80")
    with pytest.raises(ToolError, match=r"U\+D83D is half of a surrogate pair"):
        Decoded("", "utf-16-le", codecs.BOM_UTF16_LE).encode("\ud83d")


@pytest.mark.parametrize(
    ("text", "endings", "dominant", "mixed"),
    [
        ("", Endings(0, 0, 0), "", False),
        ("a", Endings(0, 0, 0), "", False),
        ("a\nb\n", Endings(2, 0, 0), "\n", False),
        ("a\r\nb\r\n", Endings(0, 2, 0), "\r\n", False),
        ("a\rb\r", Endings(0, 0, 2), "\r", False),
        ("a\r\nb\r\nc\n", Endings(1, 2, 0), "\r\n", True),
        ("a\nb\nc\r\n", Endings(2, 1, 0), "\n", True),
        ("a\r\nb\n", Endings(1, 1, 0), "\n", True),
        ("10%\r20%\n", Endings(1, 0, 0), "\n", False),
        ("a\r\r\n", Endings(0, 1, 0), "\r\n", False),
    ],
)
def test_endings(text: str, endings: Endings, dominant: str, mixed: bool) -> None:
    found = endings_of(text)
    assert (found, found.dominant, found.mixed) == (endings, dominant, mixed)


def test_lines_are_counted_as_people_do() -> None:
    assert [count_lines(data) for data in (b"", b"a", b"a\n", b"a\nb", b"\n\n")] == [0, 1, 1, 2, 2]
