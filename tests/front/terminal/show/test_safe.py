import pytest

from ferrule.front.terminal.show.safe import exact, one_line, safe, safe_lines


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
