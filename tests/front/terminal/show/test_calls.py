"""Tool calls: their line, their summary, and what is seen while they run."""

from typing import Any

import pytest

from ferrule.core.messages import Image, Text, ToolCall, ToolResult
from ferrule.front.terminal.show.calls import call_ended, call_running, call_started, todo_panel
from ferrule.front.terminal.show.fit import columns_of
from ferrule.front.terminal.show.lines import Line, Span
from tests.front.terminal.show.bare import text_lines

DIFF = "--- src/a.py\n+++ src/a.py\n@@ -8,3 +8,4 @@\n a\n-old\n+new\n+newer\n b"


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id="1", name=name, input=arguments)


def ended(
    one: ToolCall, text: str, seconds: float = 0.1, *, width: int = 60, is_error: bool = False, **options: Any
) -> list[Line]:
    result = ToolResult(call_id="1", tool=one.name, content=(Text(text),), is_error=is_error)
    return call_ended(one, result, seconds, width=width, **options)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (call("read", file_path="src/a.py"), "● read src/a.py"),
        (call("Bash", command="npm\n  test", description="x"), "● bash npm test"),
        (call("bash", job=3, stop=True), "● bash job 3 (stop)"),
        (call("grep", pattern="a b", path="src"), "● grep a b in src"),
        (call("glob", pattern="**/*.py", path="."), "● glob **/*.py"),
        (call("ls"), "● ls"),
        (call("todo", todos=[]), "● todo"),
        (call("ask_user", question="Which?"), "● ask_user Which?"),
        (call("web_fetch", url="https://x.y"), "● web_fetch https://x.y"),
        (call("mcp__x__y", a="b c", n=3, deep={"k": [1]}), '● mcp__x__y a=b c n=3 deep={"k":[1]}'),
        (call("read", file_path=3), "● read"),
        (ToolCall(id="1", name="edit", input={}, malformed='{"file_pa'), '● edit {"file_pa'),
        (call("bash", command="x" * 80), f"● bash {'x' * 52}…"),
        (call("bash", command="x" * 80, description="Count\nall"), f"● bash {'x' * 22}… Count all"),
        (call("bash", command="x" * 80, description=" "), f"● bash {'x' * 52}…"),
        (call("bash", command="x" * 80, description="y" * 80), f"● bash {'x' * 22}… {'y' * 28}…"),
    ],
)
def test_a_call_begins_with_a_line(one: ToolCall, expected: str) -> None:
    assert text_lines(call_started(one, width=60)) == [expected]


@pytest.mark.parametrize(
    ("one", "text", "expected"),
    [
        (call("read", file_path="a"), "     1\tx\n     2\ty\n(lines 1-2 of 9; go on with offset 3)", "2 lines"),
        (call("read", file_path="a"), "a is empty.", "a is empty."),
        (call("grep", pattern="a"), "x.py\ny.py", "2 files"),
        (call("grep", pattern="a", output_mode="content"), "x.py:1:a", "1 match"),
        (call("grep", pattern="a", output_mode="content", **{"-C": 1}), "x.py:1:a\nx.py-2-b\n--\ny:3:a", "3 lines"),
        (call("grep", pattern="a"), "x.py\n(the first 1; in all 1,234 files)", "1,234 files"),
        (call("grep", pattern="a", output_mode="count"), "x.py:3\n(in all 3 matches in 1 file)", "3 matches in 1 file"),
        (call("grep", pattern="a"), "No match for a.", "no match"),
        (call("glob", pattern="a"), "x\ny\n(2 files)", "2 files"),
        (call("glob", pattern="a"), "No file matches a.", "no file"),
        (call("ls", path="a"), "x\ny/", "2 entries"),
        (call("bash", command="a"), "(no output)\nExit code: 0", "exit 0 · no output"),
        (
            call("write", file_path="a", content="x"),
            "a holds exactly this already (1 line); nothing was written.",
            "unchanged",
        ),
    ],
)
def test_a_call_that_only_tells_a_number_stays_one_line(one: ToolCall, text: str, expected: str) -> None:
    [started] = text_lines(call_started(one, width=80))
    assert text_lines(ended(one, text, width=80)) == [f"{started} · {expected}"]


def test_a_picture_is_counted() -> None:
    content = (Text("a.png is a PNG."), Image(media_type="image/png", data="AAAA"))
    result = ToolResult(call_id="1", tool="read", content=content)
    assert text_lines(call_ended(call("read", file_path="a.png"), result, 2.0, width=60)) == [
        "● read a.png · 1 picture · 2.0 s"
    ]


def test_an_edit_shows_its_diff() -> None:
    text = f"Edited src/a.py; old_string matched after ignoring quotes.\n{DIFF}"
    assert ended(call("edit", file_path="src/a.py"), text) == [
        (Span("● ", "good"), Span("edit", "tool"), Span(" src/a.py", "path"), Span(" · +2 −1", "dim")),
        (Span("  "), Span("old_string matched after ignoring quotes.", "dim")),
        (Span("  "), Span(" 8 ", "dim"), Span(" a")),
        (Span("  "), Span(" 9 ", "dim"), Span("-old", "remove")),
        (Span("  "), Span(" 9 ", "dim"), Span("+new", "add")),
        (Span("  "), Span("10 ", "dim"), Span("+newer", "add")),
        (Span("  "), Span("11 ", "dim"), Span(" b")),
    ]


def test_a_new_file_shows_its_beginning() -> None:
    content = "".join(f"line {number}\n" for number in range(1, 55))
    one = call("write", file_path="b.py", content=content)
    rows = text_lines(ended(one, "Created b.py: 54 lines, 400 bytes."))
    assert (rows[0], rows[1], rows[20:]) == (
        "● write b.py · new, 54 lines",
        "   1 +line 1",
        ["  20 +line 20", "  … 34 more lines, Ctrl+O"],
    )
    assert len(ended(one, "Created b.py: 54 lines, 400 bytes.", whole=True)) == 55


def test_a_written_file_shows_the_diff_that_was_asked_about() -> None:
    one = call("write", file_path="src/a.py", content="whatever")
    assert text_lines(ended(one, "Overwrote src/a.py: 4 lines, 9 bytes.", preview=DIFF)) == [
        "● write src/a.py · +2 −1",
        "   8  a",
        "   9 -old",
        "   9 +new",
        "  10 +newer",
        "  11  b",
    ]


def test_a_command_shows_its_first_and_last_lines() -> None:
    text = "\n".join(f"test {number}" for number in range(1, 21)) + "\nExit code: 0\n(now in src/)"
    assert text_lines(ended(call("bash", command="npm test"), text, 83)) == [
        "● bash npm test · exit 0 · 1 min 23 s",
        "  test 1",
        "  test 2",
        "  test 3",
        "  … 13 more lines, Ctrl+O",
        "  test 17",
        "  test 18",
        "  test 19",
        "  test 20",
        "  (now in src/)",
    ]
    assert len(ended(call("bash", command="npm test"), text, whole=True)) == 22


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Exit code: 0\nboom\nExit code: 2", [" · exit 2", "  Exit code: 0", "  boom"]),
        ("x\nKilled by signal SIGKILL (exit code 137)", [" · killed by SIGKILL", "  x"]),
        ("x\nTimed out after 2 s: all were killed.", [" · timed out", "  x"]),
        ("Denied: the person said no.", ["", "  Denied: the person said no."]),
    ],
)
def test_a_command_that_failed_says_how(text: str, expected: list[str]) -> None:
    rows = ended(call("bash", command="make"), text, is_error=True)
    assert text_lines(rows) == [f"● bash make{expected[0]}", *expected[1:]]
    assert rows[0][0] == Span("● ", "error")


def test_an_error_shows_its_first_lines() -> None:
    text = "\n".join(f"reason {number}" for number in range(1, 11))
    rows = ended(call("edit", file_path="a"), text, is_error=True)
    assert text_lines(rows) == [
        "● edit a",
        *(f"  reason {number}" for number in range(1, 7)),
        "  … 4 more lines, Ctrl+O",
    ]
    assert rows[1] == (Span("  "), Span("reason 1", "error"))
    assert text_lines(ended(call("x"), " ", is_error=True)) == ["● x", "  It failed and said nothing."]


def test_the_list_of_steps_is_a_panel() -> None:
    steps = [
        {"content": "read", "status": "completed"},
        {"content": "write a lot", "status": "in_progress"},
        {"content": "rest", "status": "pending"},
    ]
    assert ended(call("todo", todos=steps), "…", width=12)[1:] == todo_panel(call("todo", todos=steps), width=12)
    assert ended(call("TodoWrite", todos=steps), "…") == [
        (Span("● ", "good"), Span("todo", "tool"), Span(" · 1 of 3 done", "dim")),
        (Span("  "), Span("☑ ", "good"), Span("read", "dim")),
        (Span("  "), Span("◐ ", "accent"), Span("write a lot", "strong")),
        (Span("  "), Span("☐ ", "dim"), Span("rest")),
    ]
    assert todo_panel(call("todo", todos=["x", {}, {"status": 3}]), width=20) == [(Span("  "), Span("☐ ", "dim"))] * 2


def test_an_answer_of_the_person_is_shown() -> None:
    rows = ended(call("ask_user", question="Which?"), "The person answered: Blue", 12)
    assert text_lines(rows) == ["● ask_user Which? · 12 s", "  → Blue"]


def test_a_tool_that_nobody_knows_shows_its_first_lines() -> None:
    assert text_lines(ended(call("weather", place="Bern"), "sunny")) == ["● weather place=Bern · sunny"]
    assert text_lines(ended(call("weather"), "a\nb\nc\nd\ne\nf")) == [
        "● weather · 6 lines",
        "  a",
        "  b",
        "  c",
        "  d",
        "  … 2 more lines, Ctrl+O",
    ]


def test_a_command_that_was_interrupted_shows_its_last_lines() -> None:
    said = "Interrupted by the user while it ran. Its last output:\n" + "\n".join(map(str, range(1, 31)))
    rows = text_lines(ended(call("bash", command="make"), said, is_error=True))
    assert rows[1:] == [
        "  Interrupted by the user while it ran. Its last output:",
        "  … 25 more lines, Ctrl+O",
        *(f"  {number}" for number in range(26, 31)),
    ]
    assert len(ended(call("bash", command="make"), said, is_error=True, whole=True)) == 32


def test_a_running_command_shows_its_last_lines() -> None:
    printed = "".join(f"line {number}\n" for number in range(1, 9))
    assert text_lines(call_running(call("bash", command="make"), printed, seconds=75.4, width=60)) == [
        "● bash make · 1 min 15 s",
        *(f"  line {number}" for number in range(4, 9)),
    ]
    assert text_lines(call_running(call("bash", command="make"), "", seconds=0.4, width=60)) == ["● bash make · 0 s"]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_everything_fits(width: int) -> None:
    long = " ".join(["漢字wörd"] * 100)
    calls = [
        call("read", file_path=long),
        call("bash", command=long),
        call("edit", file_path=long),
        call("write", file_path="a", content=long),
        call("todo", todos=[{"content": long, "status": "pending"}]),
        call("ask_user", question=long),
        call("other", **{long: long}),
    ]
    for one in calls:
        for is_error in (False, True):
            for whole in (False, True):
                rows = ended(one, f"{long}\n{DIFF}\n{long}", 1e6, width=width, is_error=is_error, whole=whole)
                assert max(map(columns_of, rows)) <= width
        assert max(map(columns_of, call_running(one, long, seconds=1e9, width=width))) <= width
