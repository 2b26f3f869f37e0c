import pytest

from ferrule.front.terminal.show.safe import exact, one_line, safe, safe_lines, seen, seen_lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a\tb", "a   b"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[H\x1b[?1049h", ""),
        ("\x1b]0;title\x07\x1b]8;;http://x\x1b\\link", "link"),
        ("\x1b]52;c;aGk=", "\\x1b]52;c;aGk="),
        ("\x1b\x1b\x1b[0m[2J[3J", "\\x1b\\x1b[2J[3J"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("rm\u200b -rf\ufeff", "rm\\u200b -rf\\ufeff"),
        ("a\U000e0041b", "a\\ue0041b"),
        ("half \ud800", "half \\ud800"),
        ("漢字 é 👩\u200d👧", "漢字 é 👩\u200d👧"),
        (r"a literal \x0d", r"a literal \x0d"),
    ],
)
def test_dangerous_text_is_written_out(text: str, expected: str) -> None:
    assert safe(text) == expected


def test_lines_and_words() -> None:
    assert safe_lines("a\n\n b \n\n") == ["a", "", " b"]
    assert safe_lines(" \n") == []
    assert one_line(" a\n\n  b\tc ") == "a b c"
    assert one_line("abcdef", 4) == "abc…"
    assert exact("a  b\nc") == "a  b\\nc"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\nc", "a   b\nc"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("make test \x1b]x' ; touch /tmp/p; ' \x07", "make test \\x1b]x' ; touch /tmp/p; ' \\x07"),
        ("a\x1bP;b\x1b\\c\x9dd\x9c", "a\\x1bP;b\\x1b\\c\\x9dd\\x9c"),
        ("a\r\nb\rc", "a\\x0d\nb\\x0dc"),
        ("漢字\u3000é 👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3", "漢字\u3000é 👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3"),
        ("a\ufe0fb\u200dc ❤\ufe0f\ufe0f", "a\\ufe0fb\\u200dc ❤\ufe0f\\ufe0f"),
        ("a\xa0b\xadc\U000e0100d", "a\\xa0b\\xadc\\ue0100d"),
    ],
)
def test_of_what_is_decided_upon_nothing_is_left_out(text: str, expected: str) -> None:
    assert seen(text) == expected
    assert exact(text) == expected.replace("\\x0d", "\\r").replace("\n", "\\n")


@pytest.mark.parametrize(
    "code",
    [
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
        *(0x2800, 0x034F, 0x180E, 0xFE0F, 0x3164, 0x115F, 0x1160, 0xFFA0, 0x061C, 0x17B4, 0xFE00, 0xFEFF),
    ],
)
def test_what_looks_like_nothing_is_written_out(code: int) -> None:
    assert seen_lines(f"a{chr(code)}b{chr(code)}") == [f"a\\u{code:04x}b\\u{code:04x}"]
    assert one_line(chr(code)) == f"\\u{code:04x}"
