"""Markdown made of values shows them as they are, whatever stands in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.commands.markdown import bar, code, fenced, table, words
from ferrule.config.words import plain
from ferrule.front.terminal.show.inline import inline
from ferrule.front.terminal.show.markdown import Markdown
from ferrule.front.terminal.show.table import cells_of

TEXTS = st.text(alphabet="ab1.+=~; `|\\*_[]<>&#~!:/()-\n\t\x1b\u202e", max_size=30)


def read(markdown: str) -> str:
    return "".join(span.text for line in inline(markdown) for span in line)


@given(TEXTS)
def test_words_mean_nothing(text: str) -> None:
    assert read(words(text)) == plain(" ".join(text.split()))


@given(TEXTS)
def test_words_begin_no_block(text: str) -> None:
    page = Markdown(1_000)
    lines = [*page.feed(words(text)), *page.end()]
    assert "".join(span.text for line in lines for span in line) == plain(" ".join(text.split()))


@given(TEXTS)
def test_code_is_shown_as_it_is(text: str) -> None:
    assert read(code(text)).strip() == plain(text).strip() or "\\|" in text


@given(TEXTS, TEXTS)
def test_a_table_keeps_its_cells_apart(first: str, second: str) -> None:
    row = table(("one", "two"), [(code(first), words(f"x{second}"))]).splitlines()[2]
    cells = [read(cell) for cell in cells_of(row)]
    assert len(cells) == 2
    assert " ".join(cells[0].split()) == " ".join(plain(first).split()) or "\\|" in first
    assert cells[1] == plain(" ".join(f"x{second}".split()))


@given(TEXTS)
def test_a_block_ends_where_it_should(text: str) -> None:
    first, *inside, last = fenced(text).split("\n")
    assert first == last
    assert "\n".join(inside) == text.rstrip()
    assert last not in inside


def test_long_words_are_cut() -> None:
    assert words("some words\nthat go on", 12) == "some words…"


@pytest.mark.parametrize(("part", "drawn"), [(0, ""), (0.0001, "▏"), (0.5, "██████████"), (1, "█" * 20), (3, "█" * 20)])
def test_bars(part: float, drawn: str) -> None:
    assert bar(part) == drawn
