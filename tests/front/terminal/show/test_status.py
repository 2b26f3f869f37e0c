import pytest

from ferrule.front.terminal.show.fit import columns_of
from ferrule.front.terminal.show.lines import Span, text_of
from ferrule.front.terminal.show.status import Status, queue, spinner, status_line, welcome
from ferrule.front.terminal.show.words import amount, count, dollars, duration, elapsed
from tests.front.terminal.show.bare import text_lines

STATUS = Status(
    model="anthropic/claude-sonnet-4-5",
    mode="auto-edit",
    sandbox="bubblewrap",
    used=61_000,
    window=200_000,
    cost=0.123,
    branch="main",
    changed=True,
    jobs=2,
)


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            200,
            "anthropic/claude-sonnet-4-5 · auto-edit · sandbox bubblewrap · 30 % used · $0.123 · main* · 2 jobs",
        ),
        (90, "claude-sonnet-4-5 · auto-edit · sandbox bubblewrap · 30 % used · $0.123 · main* · 2 jobs"),
        (80, "claude-sonnet-4-5 · auto-edit · sandbox · 30 % used · $0.123 · main* · 2 jobs"),
        (60, "claude-sonnet-4-5 · auto-edit · 30 % used · $0.123 · 2 jobs"),
        (40, "claude-sonnet-4-5 · auto-edit"),
        (20, "claude-… · auto-edit"),
        (12, "auto-edit"),
        (5, "auto…"),
    ],
)
def test_the_status_drops_what_matters_least(width: int, expected: str) -> None:
    assert text_of(status_line(STATUS, width=width)) == expected


def test_the_status_warns_by_colour() -> None:
    status = Status(model="m", mode="yolo", sandbox="off", used=95, window=100)
    assert status_line(status, width=80) == (
        Span("m", "strong"),
        Span(" · ", "dim"),
        Span("yolo", "error"),
        Span(" · ", "dim"),
        Span("no sandbox", "warning"),
        Span(" · ", "dim"),
        Span("95 % used", "error"),
    )


def test_what_is_not_known_is_not_told() -> None:
    assert text_of(status_line(Status(), width=80)) == "normal"
    assert text_of(status_line(Status(model="m", used=1_234), width=80)) == "m · normal · 1,234 tokens"


def test_the_spinner_says_what_is_awaited_and_for_how_long() -> None:
    assert text_of(spinner("the model", 3.25, width=80)) == "⠸ the model 3 s · Esc interrupts"
    assert text_of(spinner("the model", 3.25, width=20)) == "⠸ the model 3 s"
    assert text_of(spinner("the model", 3.25, width=10)) == "⠸ the mod…"
    assert len({text_of(spinner("x", quarter / 4, width=9, hint=""))[0] for quarter in range(10)}) == 10


def test_the_welcome_takes_four_lines() -> None:
    assert text_lines(welcome(version="1.2.3", directory="~/src/x", status=STATUS, width=80)) == [
        "Ferrule 1.2.3  anthropic/claude-sonnet-4-5",
        "~/src/x",
        "auto-edit mode · sandbox bubblewrap",
        "/help shows what there is; @ names a file, ! runs a command",
    ]
    assert max(map(columns_of, welcome(version="1", directory="/" * 99, status=STATUS, width=20))) <= 20


def test_the_queue_shows_what_waits() -> None:
    assert text_lines(queue(["one\ntwo", "three"], width=40)) == ["↳ one two", "↳ three", "  Up edits what waits"]
    assert queue([], width=40) == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (count(1, "line"), "1 line"),
        (count(12_345, "match"), "12,345 matches"),
        (count(0, "entry"), "0 entries"),
        (duration(0.04), "0.0 s"),
        (duration(9.94), "9.9 s"),
        (duration(9.96), "10 s"),
        (duration(59.6), "1 min"),
        (duration(3_599.9), "1 h"),
        (duration(8_040), "2 h 14 min"),
        (elapsed(0.9), "0 s"),
        (elapsed(9.9), "9 s"),
        (elapsed(75.9), "1 min 15 s"),
        (amount(999), "999"),
        (amount(12_340), "12.3k"),
        (amount(123_400), "123k"),
        (amount(1_250_000), "1.2M"),
        (dollars(0), "$0.000"),
        (dollars(0.0001), "<$0.001"),
        (dollars(0.0421), "$0.042"),
        (dollars(1_234.5), "$1,234.50"),
    ],
)
def test_numbers_are_said_as_people_say_them(said: str, expected: str) -> None:
    assert said == expected
