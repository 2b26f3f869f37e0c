from ferrule.core.events import Compacted, Notice, Retrying, RunEnded
from ferrule.core.messages import Usage
from ferrule.front.terminal.show.fit import columns_of
from ferrule.front.terminal.show.lines import Line, Span
from ferrule.front.terminal.show.notices import (
    compacted,
    notice,
    problem,
    prompted,
    retrying,
    run_ended,
    thinking,
    thought,
)
from tests.front.terminal.show.bare import text_lines

RETRY = Retrying(attempt=2, delay=8, reason="The server is overloaded (529).")
ENDED = RunEnded(reason="end_turn", turns=3, usage=Usage(input=1_200, output=3_400, cache_read=98_800), cost=0.0421)


def test_notices_have_marks_by_their_level() -> None:
    assert notice(Notice(text="Done.", level="info"), width=40) == [(Span("· ", "dim"), Span("Done.", "dim"))]
    assert notice(Notice(text="Take care of this,\nand of that."), width=14) == [
        (Span("⚠ ", "warning"), Span("Take care of", "warning")),
        (Span("  "), Span("this,", "warning")),
        (Span("  ", "warning"), Span("and of that.", "warning")),
    ]
    assert text_lines(problem("It broke.", width=40)) == ["✗ It broke."]


def test_thoughts_are_dim_and_fold_to_a_line() -> None:
    assert thinking("a\nb\nc", width=40, most=2) == [(Span("b", "dim emphasis"),), (Span("c", "dim emphasis"),)]
    assert thought("a\nb", 12.3, width=40) == [(Span("✻ thought for 12 s · Ctrl+O shows it", "dim"),)]
    assert text_lines(thought("a\nb", 0.1, width=40)) == ["✻ thought · Ctrl+O shows it"]
    assert thought("a\nb", 12.3, width=40, whole=True) == [
        (Span("✻ thought for 12 s", "dim"),),
        (Span("  "), Span("a", "dim emphasis")),
        (Span("  "), Span("b", "dim emphasis")),
    ]


def test_a_retry_counts_down() -> None:
    assert [text_lines(retrying(RETRY, left, width=80)) for left in (7.2, 0.1, 0)] == [
        ["↻ The server is overloaded (529). Trying again in 8 s (attempt 2)."],
        ["↻ The server is overloaded (529). Trying again in 1 s (attempt 2)."],
        ["↻ The server is overloaded (529). Trying again (attempt 2)."],
    ]
    assert text_lines(retrying(Retrying(attempt=1, delay=1, reason="Too many requests"), 0, width=80)) == [
        "↻ Too many requests. Trying again (attempt 1)."
    ]


def test_a_prompt_is_shown_as_it_was_typed() -> None:
    assert text_lines(prompted("do  this\n  and that", width=40)) == ["❯ do  this", "    and that"]


def test_of_a_long_prompt_both_ends_are_shown() -> None:
    pasted = "\n".join(f"line {number}" for number in range(1, 5_001)) + "\nwhat is it?"
    assert text_lines(prompted(pasted, width=40)) == [
        "❯ line 1",
        *(f"  line {number}" for number in range(2, 11)),
        "  … 4,987 more lines",
        "  line 4998",
        "  line 4999",
        "  line 5000",
        "  what is it?",
    ]
    assert text_lines(prompted("word " * 1_000, width=40))[10] == "  … 5,000 characters in all"
    assert len(prompted("\n".join("abc" for _ in range(15)), width=40)) == 15


def test_making_room_is_said() -> None:
    assert text_lines(compacted(Compacted(before=152_000, after=9_600), width=60)) == [
        "· Made room: 152k tokens became 9.6k."
    ]


def test_a_run_ends_with_what_it_took() -> None:
    assert text_lines(run_ended(ENDED, 75, width=80)) == [
        "3 turns · 100k in (98 % cached) · 3.4k out · $0.042 · 1 min 15 s"
    ]
    assert text_lines(run_ended(ENDED, 75, width=40)) == [
        "3 turns · 100k in (98 % cached)",
        "3.4k out · $0.042 · 1 min 15 s",
    ]
    assert text_lines(run_ended(RunEnded(reason="max_turns", turns=1), 5, width=80)) == [
        "✗ The limit of turns was reached; /continue goes on.",
        "1 turn · 5.0 s",
    ]
    assert run_ended(RunEnded(reason="error", turns=0, error="No model."), 0, width=80)[0] == (
        Span("✗ ", "error"),
        Span("No model.", "error"),
    )


def test_everything_fits() -> None:
    long = "wörd 漢字 " * 50 + "x" * 300
    for width in (20, 40, 80, 200):
        rows: list[Line] = [
            *notice(Notice(text=long), width=width),
            *thinking(long, width=width),
            *thought(long, 1e9, width=width),
            *thought(long, 1, width=width, whole=True),
            *retrying(Retrying(attempt=1, delay=1, reason=long), 1, width=width),
            *prompted(long, width=width),
            *run_ended(ENDED, 1e6, width=width),
        ]
        assert max(map(columns_of, rows)) <= width
