import pytest

from ferrule.front.terminal.show.fit import chopped, columns, columns_of, cut, padded, wrap
from ferrule.front.terminal.show.lines import Line, Span, line
from tests.front.terminal.show.bare import text_lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("abc", 3), ("漢字", 4), ("e\u0301", 1), ("한글", 4), ("👍", 2), ("é…", 2), ("a\u200db", 2)],
)
def test_columns_are_counted_as_a_terminal_counts_them(text: str, expected: int) -> None:
    assert columns(text) == expected


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("abcdef", 1, "…"),
        ("abcdef", 0, ""),
        ("漢字漢字", 6, "漢字…"),
        ("漢字漢字", 5, "漢字…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
    ],
)
def test_a_line_is_cut_at_a_width(text: str, width: int, expected: str) -> None:
    assert text_lines([cut(line(text), width)]) == [expected]


def test_a_cut_keeps_the_styles() -> None:
    assert cut((Span("ab", "add"), Span("cdef", "remove")), 4) == (
        Span("ab", "add"),
        Span("c", "remove"),
        Span("…", "remove"),
    )


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("one two three", 80, ["one two three"]),
        ("one two three", 8, ["one two", "three"]),
        ("one  two", 4, ["one", "two"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("ab abcdefghij k", 4, ["ab", "abcd", "efgh", "ij k"]),
        ("漢字漢字漢字", 5, ["漢字", "漢字", "漢字"]),
        ("漢字。漢字", 5, ["漢", "字。", "漢字"]),
        ("", 10, [""]),
    ],
)
def test_a_line_is_wrapped_between_words(text: str, width: int, expected: list[str]) -> None:
    assert text_lines(wrap(line(text), width)) == expected


def test_a_word_that_changes_its_style_is_not_broken() -> None:
    words: Line = (Span("see "), Span("fold", "strong"), Span("ed here"))
    assert wrap(words, 8) == [(Span("see"),), (Span("fold", "strong"), Span("ed")), (Span("here"),)]


def test_wrapped_rows_have_their_beginnings() -> None:
    rows = wrap(line("one two three four"), 14, first=line("• "), rest=line("  "))
    assert text_lines(rows) == ["• one two", "  three four"]


def test_a_deep_beginning_leaves_room_for_words() -> None:
    rows = wrap(line("one two three"), 20, first=line(" " * 30))
    assert [columns_of(row) <= 20 for row in rows] == [True] * len(rows)
    assert [row.strip() for row in text_lines(rows)] == ["one two", "three"]


def test_code_is_broken_anywhere_and_loses_nothing() -> None:
    assert text_lines(chopped(line("a  b  c"), 3)) == ["a  ", "b  ", "c"]
    assert text_lines(chopped(line("漢字x"), 3)) == ["漢", "字x"]
    assert text_lines(chopped(line(""), 3)) == [""]


def test_a_line_is_filled_to_a_width() -> None:
    ends = [padded(line("ab"), 5, align=align) for align in ("left", "right", "centre")]
    assert text_lines(ends) == ["ab   ", "   ab", " ab  "]
