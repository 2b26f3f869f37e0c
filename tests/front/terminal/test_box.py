"""The input box: rows that fit, and the cursor where the next character will stand."""

import pytest

from ferrule.front.terminal.box import box, rule
from ferrule.front.terminal.show.fit import columns
from ferrule.front.terminal.show.lines import Line, text_of


def text_lines(lines: list[Line]) -> list[str]:
    return [text_of(one) for one in lines]


@pytest.mark.parametrize(
    ("text", "position", "rows", "cursor"),
    [
        ("", 0, ["❯ "], (0, 2)),
        ("ab", 1, ["❯ ab"], (0, 3)),
        ("ab\ncd", 3, ["❯ ab", "  cd"], (1, 2)),
        ("abcdefgh", 8, ["❯ abcdefgh", "  "], (1, 2)),
        ("abcdefghij", 8, ["❯ abcdefgh", "  ij"], (1, 2)),
        ("漢字漢字漢", 5, ["❯ 漢字漢字", "  漢"], (1, 4)),
        ("a\tb", 3, ["❯ a    b"], (0, 8)),
        ("\x1b[31m", 5, ["❯ \\x1b[31m", "  "], (1, 2)),
    ],
)
def test_rows_and_cursor(text: str, position: int, rows: list[str], cursor: tuple[int, int]) -> None:
    lines, where = box(text, position, width=10, most=10)
    assert (text_lines(lines), where) == (rows, cursor)


def test_a_long_text_shows_the_rows_around_the_cursor() -> None:
    text = "\n".join(str(number) for number in range(20))
    lines, where = box(text, text.index("10"), width=20, most=3)
    assert (text_lines(lines), where) == (["  8", "  9", "  10"], (2, 2))


def test_a_hint_stands_in_an_empty_box_alone() -> None:
    assert text_lines(box("", 0, width=20, most=3, hint="say it")[0]) == ["❯ say it"]
    assert text_lines(box("x", 1, width=20, most=3, hint="say it")[0]) == ["❯ x"]


@pytest.mark.parametrize("width", [4, 20, 80])
def test_a_rule_is_as_wide_as_the_terminal(width: int) -> None:
    assert columns(text_of(rule(width))) == width
    assert columns(text_of(rule(width, "label"))) == width
