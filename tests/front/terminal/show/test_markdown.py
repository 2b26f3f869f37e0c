"""Streamed Markdown: what is given out, when, and that it does not matter how the text was cut."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.front.terminal.show.fit import columns_of
from ferrule.front.terminal.show.lines import Line, Span
from ferrule.front.terminal.show.markdown import Markdown
from tests.front.terminal.show.bare import text_lines

ANSWER = """# Title of *it*
Some **bold**, `code` and ~~gone~~; [a link](http://x.y/z), <https://q.r>, snake_case_name, 2*3*4.
Second line.

- one
- two **x
  continued** more
  - nested
    1. deep
- [ ] todo
- [x] done

1. a
1. b

   para in b
   ```python
   def f(x):
       return 1  # why
   ```
1. c

> quote *a*
> > nested
lazy

| a | b |
|---|--:|
| 1 | `x` |
| long cell here | 22 |

## Next
<details>
<summary>x</summary>
</details>

***
```
open
  code"""


def rendered(text: str, width: int = 80, *, piece: int = 1_000_000) -> list[Line]:
    markdown = Markdown(width)
    lines = [line for start in range(0, len(text), piece) for line in markdown.feed(text[start : start + piece])]
    return lines + markdown.end()


def shown(text: str, width: int = 80) -> list[str]:
    return text_lines(rendered(text, width))


def test_an_answer_is_shown() -> None:
    assert shown(ANSWER, 60) == [
        "Title of it",
        "",
        "Some bold, code and gone; a link (http://x.y/z),",
        "https://q.r, snake_case_name, 2*3*4.",
        "Second line.",
        "",
        "• one",
        "• two x",
        "  continued more",
        "  ◦ nested",
        "    1. deep",
        "☐ todo",
        "☑ done",
        "",
        "1. a",
        "2. b",
        "",
        "   para in b",
        "     def f(x):",
        "         return 1  # why",
        "3. c",
        "",
        "│ quote a",
        "│ │ nested",
        "│ │ lazy",
        "",
        "a              │  b",
        "───────────────┼───",
        "1              │  x",
        "long cell here │ 22",
        "",
        "Next",
        "",
        "<details>",
        "<summary>x</summary>",
        "</details>",
        "",
        "────────────────────────────────────────",
        "",
        "  open",
        "    code",
    ]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("piece", [1, 2, 3, 7, 50])
def test_it_does_not_matter_how_the_text_was_cut(width: int, piece: int) -> None:
    assert rendered(ANSWER, width, piece=piece) == rendered(ANSWER, width)


MARKS = """
- |* |1. |  |    |> |# |```|```py|~~~| | word |**|*|_|`|``|~~|[x](http://a.b/c)|[|](|<div>|<!--|---|===|\t|\r|\x1b[31m
\x1b]0;t\x07|\u202e|漢字|e\u0301|👩\u200d👧|\\|&amp;|https://x.y/z_a*b |- [ ] |- [x] |\u200b|"
"""
PIECES = [*MARKS.strip("\n").replace("\n", "|").split("|"), "|", "|-|-|", "\n", "\n\n", "a", "x" * 50, '"""', "/*", "'"]


@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.sampled_from([9, 20, 40, 80]),
    st.integers(0, 2**32),
)
def test_any_text_in_any_pieces_gives_the_same_lines_and_they_fit(text: str, width: int, seed: int) -> None:
    whole, markdown, cuts = rendered(text, width), Markdown(width), random.Random(seed)
    lines: list[Line] = []
    while text:
        size = cuts.randint(1, 9)
        lines += markdown.feed(text[:size])
        tail = markdown.tail()
        assert all(columns_of(line) <= width for line in tail)
        text = text[size:]
    assert lines + markdown.end() == whole
    assert all(columns_of(line) <= width for line in whole)
    assert all(char.isprintable() or char == "\u200d" for text in text_lines(whole) for char in text)


def test_blocks_are_given_out_when_they_are_finished() -> None:
    markdown = Markdown(80)
    given_out = [
        text_lines(markdown.feed(piece)) for piece in ("One", " two\n", "three\n\n", "```py\n", "x = 1\n", "y")
    ]
    assert given_out == [[], [], ["One two", "three"], [""], ["  x = 1"], []]
    assert text_lines(markdown.tail()) == ["  y"]
    assert text_lines(markdown.end()) == ["  y"]


def test_a_table_is_held_until_it_is_complete() -> None:
    markdown = Markdown(80)
    assert markdown.feed("|a|b|\n|-|-|\n|1|2|\n|3|") == []
    assert text_lines(markdown.tail()) == ["a │ b", "──┼──", "1 │ 2", "3 │ "]
    assert text_lines(markdown.feed("4|\n\n")) == ["a │ b", "──┼──", "1 │ 2", "3 │ 4"]


def test_the_unfinished_rest_looks_as_it_will() -> None:
    markdown = Markdown(80)
    markdown.feed("This is **bold")
    assert markdown.tail() == [(Span("This is "), Span("bold", "strong"))]
    markdown.feed(" and** `code")
    assert markdown.tail() == [(Span("This is "), Span("bold and", "strong"), Span(" "), Span("code", "code"))]
    markdown.feed("`\n\n-")
    assert markdown.tail() == []  # a dash that will be a mark, or a rule
    markdown.feed(" item")
    assert text_lines(markdown.tail()) == ["", "• item"]


def test_looking_at_the_rest_changes_nothing() -> None:
    looked = Markdown(40)
    lines: list[Line] = []
    for char in ANSWER:
        lines += looked.feed(char)
        looked.tail()
        looked.tail()
    assert lines + looked.end() == rendered(ANSWER, 40)


def test_the_rest_of_a_long_line_stands_still() -> None:
    markdown = Markdown(80)
    markdown.feed("word " * 1_050)
    before = markdown.tail()
    markdown.feed("more ")
    assert len(before) < 40
    assert markdown.tail()[:-1] == before[:-1]


def test_another_width_holds_from_then_on() -> None:
    markdown = Markdown(80)
    first = markdown.feed("one two three\n\n")
    markdown.resize(9)
    assert text_lines(first + markdown.feed("one two three\n\n")) == ["one two three", "", "one two", "three"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a *b* c", [Span("a "), Span("b", "emphasis"), Span(" c")]),
        ("***a***", [Span("a", "emphasis strong")]),
        ("**a *b***", [Span("a ", "strong"), Span("b", "emphasis strong")]),
        ("__a__ _b_ c_d_e", [Span("a", "strong"), Span(" "), Span("b", "emphasis"), Span(" c_d_e")]),
        ("**漢字**漢", [Span("漢字", "strong"), Span("漢")]),
        ("a ** b * c", [Span("a ** b * c")]),
        ("~~a~~ ~5", [Span("a", "strike"), Span(" ~5")]),
        ("`` a`b `` `c`", [Span("a`b", "code"), Span(" "), Span("c", "code")]),
        ("`open", [Span("`open")]),
        ("**`a*`**", [Span("a*", "strong code")]),
        (r"\*a\* \_b", [Span("*a* _b")]),
        ("&lt;b&gt; &copy;", [Span("<b> &copy;")]),
        ("[**a**](u)", [Span("a", "strong link"), Span(" (u)", "dim")]),
        ("[http://a](http://a)", [Span("http://a", "link")]),
        ("![x](y.png)", [Span("image: ", "dim"), Span("x", "link"), Span(" (y.png)", "dim")]),
        ("[a] (b)", [Span("[a] (b)")]),
        ("(http://a.b/c_d_e).", [Span("("), Span("http://a.b/c_d_e", "link"), Span(").")]),
        ("<me@x.y> <b>x</b>", [Span("<me@x.y> <b>x</b>")]),
    ],
)
def test_marks_inside_a_line(text: str, expected: list[Span]) -> None:
    assert rendered(text) == [tuple(expected)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n===\nb\n---\nc", ["a", "", "b", "", "c"]),
        ("1. a\n  - b\n  - c\n2. d", ["1. a", "   • b", "   • c", "2. d"]),
        ("3) a\n4) b", ["3) a", "4) b"]),
        ("- a\n\n- b\n\n\n\nc", ["• a", "", "• b", "", "c"]),
        ("-\n- a", ["• ", "• a"]),
        ("- a\n  > b\n\n  c", ["• a", "  │ b", "", "  c"]),
        ("> a\n>\n> b\n\nc", ["│ a", "│", "│ b", "", "c"]),
        ("> ```\n> x\n> ```\ny", ["│   x", "y"]),
        ("> ```\n> x\ny", ["│   x", "y"]),
        ("- ```\n  x\nbadly indented\n  ```\n- b", ["•   x", "    badly indented", "• b"]),
        ("~~~\n```\n~~~~\na", ["  ```", "", "a"]),
        ("a\n\n    code\n    more", ["a", "", "  code", "  more"]),
        ("text\n1998. was a year\n- list", ["text", "1998. was a year", "• list"]),
        ("a  \nb\\\nc\\", ["a", "b", "c\\"]),
        ("#nohash\n####### seven", ["#nohash", "####### seven"]),
        ("# a #\n#\n## c#\n# #", ["a", "", "", "", "c#", "", ""]),
        ("| a |\n| - |\n| b |\ntext", ["a", "─", "b", "", "text"]),
        ("a | b\n--- | ---\n1 | 2 | 3\n4", ["a │ b", "──┼──", "1 │ 2", "", "4"]),
        ("a | b\n---\nc", ["a | b", "", "c"]),
        ("\r\na\r\n\r\nb\r\n", ["a", "", "b"]),
        ("", []),
        ("\n\n\n", []),
    ],
)
def test_blocks(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


WIDE = "| name | what it does | default |\n|:--|:-:|--:|\n| alpha | the first of all letters | 1 |\n| beta | | 22 |"


def test_a_table_is_drawn_wrapped_or_stacked() -> None:
    assert shown(WIDE, 80) == [
        "name  │       what it does       │ default",
        "──────┼──────────────────────────┼────────",
        "alpha │ the first of all letters │       1",
        "beta  │                          │      22",
    ]
    assert shown(WIDE, 34) == [
        "name  │   what it does   │ default",
        "──────┼──────────────────┼────────",
        "alpha │ the first of all │       1",
        "      │     letters      │        ",
        "beta  │                  │      22",
    ]
    assert shown(WIDE, 20) == [
        "name: alpha",
        "what it does: the",
        "  first of all",
        "  letters",
        "default: 1",
        "────────────",
        "name: beta",
        "default: 22",
    ]


def test_deep_nesting_leaves_room_for_words() -> None:
    text = "".join(f"{'  ' * depth}- level {depth}\n" for depth in range(30)) + ">" * 500 + " quoted"
    assert max(map(columns_of, rendered(text, 20))) <= 20
    assert "quoted" in " ".join(shown(text, 20))


def test_twenty_kilobytes_cost_little() -> None:
    assert cost((ANSWER + "\n```\n\n") * 25) < 0.5


@pytest.mark.parametrize(
    "text",
    [
        *("*a _b ", "` `` ``` ", "[a](", "- - a\n"),
        *(pytest.param(text, marks=pytest.mark.slow) for text in (" ", " #", "> > a\n", "|", "_a", "~~a ~~ b")),
    ],
)
def test_the_cost_grows_with_the_length_alone(text: str) -> None:
    """Ten times the text would take a hundred times as long, were anything looked at again and again."""
    short, long = (min(cost(text * (size // len(text))) for _ in range(2)) for size in (800, 8_000))
    assert long < 40 * max(short, 0.002)


def cost(text: str) -> float:
    start = time.process_time()
    markdown = Markdown(80)
    for position in range(0, len(text), 400):
        markdown.feed(text[position : position + 400])
    markdown.end()
    return time.process_time() - start
