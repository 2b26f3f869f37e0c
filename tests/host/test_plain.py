"""Terminal output becomes plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.host.plain import Plain, plain


@pytest.mark.parametrize(
    ("painted", "shown"),
    [
        ("hello\nworld\n", "hello\nworld\n"),
        ("\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m\n", "red and blue\n"),
        ("\x1b]0;a title\x07text \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "text link\n"),
        ("\x1b(B\x1b=\x1b7kept\x1b8\n", "kept\n"),
        ("\x9b31mC1\x9b0m\n", "C1\n"),
        ("dos\r\nlines\r\n", "dos\nlines\n"),
        ("10 %\r20 %\r100 %\n", "100 %\n"),
        ("10 %\r20 %\r", "20 %"),
        ("Downloading 10 %\rDone\n", "Done\n"),
        ("working\r       \r\n", "\n"),
        ("N\bNA\bAM\bM\n", "NAM\n"),
        ("|\b/\b-\b\\\bdone\n", "done\n"),
        ("\b\bkept\n", "kept\n"),
        ("NUL\x00 bell\x07 form\x0c del\x7f\n", "NUL bell form del\n"),
        ("tab\tstays\n", "tab\tstays\n"),
        ("cut in a colour \x1b[3", "cut in a colour "),
        ("héllo ✓ 日本\x1b[0m\n", "héllo ✓ 日本\n"),
    ],
)
def test_what_is_painted_is_shown_as_it_ended(painted: str, shown: str) -> None:
    assert plain(painted) == shown


@given(st.lists(st.text(alphabet="ab\n\r\b\x1b[m]0;\x07\x9b é\x00", max_size=8), max_size=8))
def test_pieces_come_to_the_same_as_the_whole(pieces: list[str]) -> None:
    lines = Plain()

    assert "".join(map(lines.feed, pieces)) + lines.flush() == plain("".join(pieces))


def test_an_unfinished_line_is_held_back_until_it_stands() -> None:
    lines = Plain()

    assert [lines.feed("10 %"), lines.line, lines.feed("\r50"), lines.line] == ["", "10 %", "", "50"]
    assert [lines.feed(" %\nnext"), lines.line, lines.flush(), lines.line] == ["50 %\n", "next", "next", ""]


def test_an_endless_line_is_given_out_in_pieces() -> None:
    lines = Plain()

    given_out = [lines.feed("x" * 10_000) for _ in range(20)]

    assert sum(map(len, given_out)) + len(lines.line) == 200_000
    assert len(lines.line) < 70_000


def test_an_endless_progress_bar_takes_no_room() -> None:
    lines = Plain()

    assert {lines.feed(f"{number} of 100000\r") for number in range(100_000)} == {""}
    assert lines._size < 70_000
    assert lines.flush() == "99999 of 100000"
