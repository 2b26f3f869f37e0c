import re
from pathlib import Path

import pytest

from ferrule.front.terminal.show import ansi as ansi_module
from ferrule.front.terminal.show.ansi import ansi, encoded
from ferrule.front.terminal.show.lines import BLANK, Line, Span, line
from ferrule.front.terminal.show.theme import STYLES, THEMES, Look, Palette, depth_of, theme_of

LINE: Line = (Span("a "), Span("b", "add"), Span("c", "strong error"), Span(" d"))


def test_styles_become_codes_and_end_with_the_line() -> None:
    assert ansi([LINE, BLANK], colour=True, width=80) == ("a \x1b[38;5;114mb\x1b[;1;38;5;203mc\x1b[m d\n\n")
    assert encoded(line("x", "error"), Palette(depth="16")) == "\x1b[91mx\x1b[m"
    assert encoded(line("x", "error"), Palette("mono")) == "\x1b[1mx\x1b[m"


def test_without_colour_there_are_only_words() -> None:
    assert ansi([LINE], colour=False, width=80) == "a bc d\n"


def test_lines_are_cut_at_the_width() -> None:
    assert ansi([line("abcdef")], colour=False, width=4) == "abc…\n"


def test_whatever_is_in_a_span_steers_nothing() -> None:
    assert ansi([line("a\x1b[2Jb\nc\rd\x07")], colour=False, width=80) == "ab c d\\x07\n"


def test_a_style_that_nobody_knows_is_plain() -> None:
    assert ansi([line("a", "nonsense")], colour=True, width=80) == "a\n"


@pytest.mark.parametrize(
    ("environment", "wanted", "expected"),
    [
        ({"TERM": "xterm-256color"}, "auto", "256"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "auto", "256"),
        ({"TERM": "xterm"}, "auto", "16"),
        ({"TERM": "dumb"}, "auto", "none"),
        ({}, "auto", "none"),
        ({"TERM": "dumb"}, "always", "16"),
        ({"TERM": "xterm-256color"}, "never", "none"),
    ],
)
def test_the_environment_says_how_many_colours_there_are(
    environment: dict[str, str], wanted: str, expected: str
) -> None:
    assert depth_of(environment, wanted=wanted) == expected


@pytest.mark.parametrize(
    ("environment", "wanted", "colour", "expected"),
    [
        ({}, "light", "auto", "light"),
        ({"NO_COLOR": "1"}, "light", "auto", "mono"),
        ({"NO_COLOR": ""}, "light", "auto", "light"),
        ({"NO_COLOR": "1"}, "light", "always", "light"),
        ({}, "nonsense", "auto", "dark"),
    ],
)
def test_the_theme_is_the_one_that_is_wanted(
    environment: dict[str, str], wanted: str, colour: str, expected: str
) -> None:
    assert theme_of(environment, wanted=wanted, colour=colour) == expected


def test_the_mono_theme_has_no_colours_and_the_others_have_the_same_styles() -> None:
    assert [look for look in THEMES["mono"].values() if look.colour is not None] == []
    assert set(THEMES["dark"]) == set(THEMES["light"]) == STYLES
    assert set(THEMES["mono"]) <= STYLES


@pytest.mark.parametrize("style", sorted(STYLES))
def test_colours_can_be_read_on_their_ground(style: str) -> None:
    dark, light = THEMES["dark"][style], THEMES["light"][style]
    assert contrast(dark, (30, 30, 30)) >= 4.5
    assert contrast(light, (255, 255, 255)) >= 4.5


def test_every_style_that_is_used_is_known() -> None:
    used = set()
    for path in Path(ansi_module.__file__).parent.glob("*.py"):
        for words in re.findall(r'Span\([^()]*(?:\([^()]*\)[^()]*)*, "([a-z ]+)"\)', path.read_text("utf-8")):
            used |= set(words.split())
    assert used
    assert used - STYLES == set()


def contrast(look: Look, ground: tuple[int, int, int]) -> float:
    if look.colour is None:
        return 21
    high, low = sorted((luminance(rgb(look.colour)), luminance(ground)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def rgb(number: int) -> tuple[int, int, int]:
    if number >= 232:
        grey = 8 + 10 * (number - 232)
        return grey, grey, grey
    steps = [0, 95, 135, 175, 215, 255]
    number -= 16
    return steps[number // 36], steps[number // 6 % 6], steps[number % 6]


def luminance(colour: tuple[int, int, int]) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
