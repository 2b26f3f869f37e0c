"""The line that shows how far a download is: at tenths on a plain stream, drawn over itself on a terminal."""

import io
import os
import termios

import pytest

from ferrule.front.meter import Meter
from ferrule.weights import Progress


def at(done: int, **more: str) -> Progress:
    return Progress(**{"name": "tiny", "source": "here", "phase": "fetch", **more}, done=done, total=1_000_000)  # type: ignore[arg-type]


def shown(*told: Progress | str) -> list[str]:
    stream = io.StringIO()
    meter = Meter(stream)
    for one in told:
        if isinstance(one, str):
            meter.say(one)
        else:
            meter.moved(one)
    meter.end()
    return stream.getvalue().splitlines()


def test_a_line_at_every_tenth() -> None:
    lines = shown(*(at(done) for done in range(0, 1_000_001, 25_000)))
    assert lines == [f"tiny: {percent} % of 1 MB, from here" for percent in range(10, 101, 10)]


def test_steps_that_were_jumped_over_are_one() -> None:
    assert shown(at(0), at(555_000), "A sentence.", at(559_000)) == ["tiny: 50 % of 1 MB, from here", "A sentence."]


def test_what_was_here_before_is_not_told_again() -> None:
    assert shown(at(430_000), at(499_999), at(500_000)) == ["tiny: 50 % of 1 MB, from here"]


def test_a_new_source_and_a_new_beginning_count_anew() -> None:
    lines = shown(at(0), at(300_000), at(100_000), at(200_000), at(0, source="there"), at(100_000, source="there"))
    assert lines == [
        f"tiny: {percent} % of 1 MB, from {source}" for percent, source in ((30, "here"), (20, "here"), (10, "there"))
    ]


def test_checking_is_quiet() -> None:
    assert shown(at(0, phase="check"), at(1_000_000, phase="check")) == []


FIRST_LINES = {
    100: "tiny  25% █████░░░░░░░░░░░░░░░ 250 kB of 1 MB, from here",
    50: "tiny  25% 250 kB of 1 MB, from here",
    30: "tiny  25% 250 kB of 1 MB",
    6: "tiny ",
}


@pytest.mark.parametrize("width", FIRST_LINES)
def test_on_a_terminal_a_line_that_fits_is_drawn_and_taken_away(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, width))
    with open(theirs, "w", encoding="utf-8") as terminal, open(ours, "rb", buffering=0) as screen:  # noqa: PTH123
        meter = Meter(terminal)
        meter.moved(at(250_000))
        meter.say("A sentence.")
        meter.end()
        drawn = b""
        while not drawn.endswith(b"\n"):
            drawn += screen.read(1000)
    assert drawn.decode() == f"\r{FIRST_LINES[width]}\x1b[K\r\x1b[KA sentence.\r\n"
