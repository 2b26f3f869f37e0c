"""The rows at the end of the terminal: whatever is painted, the terminal shows it, and what is above stays."""

import random

import pyte
import pytest

from ferrule.front.terminal.screen import Screen, common, fitted, reflows, without
from ferrule.front.terminal.show.ansi import ansi
from ferrule.front.terminal.show.lines import Line, Span, line, text_of

LETTERS = ["a", "b", "c", " ", "漢", "é"]


class Seen:
    """A screen, and the terminal that shows it."""

    def __init__(self, width: int, height: int) -> None:
        self.terminal = pyte.HistoryScreen(width, height, history=100_000, ratio=0.5)
        self._stream = pyte.Stream(self.terminal)
        self.written: list[str] = []
        self.screen = Screen(self._write, encode=coloured, size=(width, height))

    def _write(self, text: str) -> None:
        self.written.append(text)
        self._stream.feed(text)

    @property
    def lines(self) -> list[str]:
        width = self.terminal.columns
        above = ["".join(row[place].data for place in range(width)) for row in self.terminal.history.top]
        rows = [row.rstrip() for row in (*above, *self.terminal.display)]
        while rows and not rows[-1]:
            rows.pop()
        return rows


def coloured(row: Line) -> str:
    return ansi((row,), colour=True, width=10_000)[:-1]


def some_row(chance: random.Random, width: int) -> Line:
    def text() -> str:
        return "".join(chance.choice(LETTERS) for _ in range(chance.randrange(1, width // 2)))

    row = tuple(Span(text(), chance.choice(["", "add", "error"])) for _ in range(chance.randrange(3)))
    return fitted(row, width)[0]


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 10))])
def test_whatever_is_painted_is_seen(seed: int) -> None:
    chance = random.Random(seed)
    width, height = chance.choice([(20, 6), (40, 12), (80, 24)])
    seen, printed, live = Seen(width, height), list[Line](), list[Line]()
    for _ in range(40):
        kept = chance.randrange(3) if live else 0
        above = live[:kept] if chance.random() < 0.7 else [some_row(chance, width) for _ in range(2 * height)]
        fresh = [some_row(chance, width) for _ in range(chance.randrange(1, height))]
        live = fresh if chance.random() < 0.5 else [*live[kept:], *fresh[:2]]
        live = live[-(height - 1) :]
        printed += above
        seen.screen.paint(live, (chance.randrange(len(live)), 0), above=above)
        wanted = [text_of(row).rstrip() for row in (*printed, *live)]
        while wanted and not wanted[-1]:
            wanted.pop()
        assert seen.lines == wanted


def test_the_cursor_stands_where_it_should() -> None:
    seen = Seen(20, 6)
    seen.screen.paint([line("one"), line("two"), line("three")], (1, 2), above=[line("done")])
    assert (seen.terminal.cursor.y, seen.terminal.cursor.x) == (2, 2)


def test_what_does_not_change_is_not_written_again() -> None:
    seen = Seen(40, 12)
    below = [line("─" * 40, "dim"), line("status")]
    seen.screen.paint([line("some words"), *below], (0, 0))
    seen.written.clear()
    seen.screen.paint([line("some words and more"), *below], (0, 0))
    assert seen.written == ["\x1b[11G and more\r"]
    seen.written.clear()
    seen.screen.paint([line("next"), *below], (0, 0), above=[line("some words and more")])
    assert "─" not in seen.written[0]
    assert "some" not in seen.written[0]
    assert seen.lines == ["some words and more", "next", "─" * 40, "status"]


def test_more_rows_than_the_terminal_has_show_their_end() -> None:
    seen = Seen(20, 6)
    seen.screen.paint([line(str(number)) for number in range(10)], (9, 0))
    assert seen.lines == ["4", "5", "6", "7", "8", "9"]


def test_a_smaller_terminal_is_painted_anew_and_nothing_above_is_touched() -> None:
    seen = Seen(40, 12)
    seen.screen.paint([line("live " * 6), line("box")], (1, 0), above=[line("kept")])
    seen.terminal.resize(12, 20)
    seen.screen.resize((20, 12))
    seen.screen.paint([line("live"), line("box")], (1, 0))
    assert seen.lines == ["kept", "live", "box"]


@pytest.mark.parametrize(
    ("row", "old", "same", "rest"),
    [
        (line("abc"), line("abd"), line("ab"), line("c")),
        (line("abc"), line("abc"), line("abc"), ()),
        (line("abc", "add"), line("abc"), (), line("abc", "add")),
        ((Span("ab"), Span("cd", "add")), line("ab"), line("ab"), line("cd", "add")),
        (line("e\u0301x"), line("ex"), (), line("e\u0301x")),
    ],
)
def test_what_two_rows_share(row: Line, old: Line, same: Line, rest: Line) -> None:
    assert common(row, old) == same
    assert without(row, same) == rest


def test_which_terminals_wrap_anew() -> None:
    assert reflows({"TMUX": "/tmp/tmux-0/default,1,0"})
    assert reflows({"TERM": "foot"})
    assert not reflows({"TERM": "xterm-256color"})


def test_what_is_drawn_again_is_not_cleared_from_the_very_top() -> None:
    seen = Seen(20, 4)
    seen.screen.paint([line("a"), line("b")], (1, 0))
    seen.screen.resize((20, 6))
    seen.screen.paint([line("c")])
    assert seen.lines == ["c"]
    assert "\r\x1b[J" not in seen.written[-1]  # tmux would take that for "clear", and keep what was there


def test_a_row_that_moves_and_changes_a_little_is_not_written_again() -> None:
    seen = Seen(40, 8)
    busy, note = Span("-", "busy"), Span(" waiting for something", "dim")
    seen.screen.paint([line("one"), (busy, note)])
    seen.screen.paint([line("one"), line("two"), (Span("+", "busy"), note)])
    assert seen.lines == ["one", "two", "+ waiting for something"]
    assert "waiting" not in seen.written[-1]
