import pytest

from ferrule.core.events import PermissionAsked
from ferrule.core.messages import ToolCall
from ferrule.core.tool import Effect
from ferrule.front.terminal.show.fit import columns_of
from ferrule.front.terminal.show.lines import Span
from ferrule.front.terminal.show.question import question
from tests.front.terminal.show.bare import text_lines

DIFF = "--- a.py\n+++ a.py\n@@ -1,1 +1,30 @@\n-old\n" + "\n".join(f"+{number}" for number in range(1, 31))
COMMAND = PermissionAsked(
    id="q",
    call=ToolCall(id="1", name="bash", input={"command": "npm run build && rm -rf dist"}),
    effects=(Effect("execute", "npm run build && rm -rf dist"),),
    reason="In normal mode commands ask.",
    parts=("npm run build", "rm -rf dist"),
    always=("bash(npm run build)", "bash(rm -rf dist)"),
)
EDIT = PermissionAsked(
    id="q",
    call=ToolCall(id="1", name="edit", input={"file_path": "a.py", "old_string": "old", "new_string": "1"}),
    effects=(Effect("write", "a.py"),),
    reason="In normal mode edits ask.",
    preview=DIFF,
    always=("edit(*)",),
)


def test_a_command_is_shown_with_its_parts_and_what_always_adds() -> None:
    whole = question(COMMAND, width=80, whole=True)
    assert whole == [
        (Span("Allow bash?", "warning strong"),),
        (Span("  "), Span("npm run build && rm -rf dist", "code")),
        (Span("  "), Span("runs", "dim")),
        (Span("  • ", "dim"), Span("npm run build", "code")),
        (Span("  • ", "dim"), Span("rm -rf dist", "code")),
        (Span("  "), Span("why: ", "dim"), Span("In normal mode commands ask.")),
        (
            Span("  "),
            Span("always allows: ", "dim"),
            Span("bash(npm run build)", "code"),
            Span(", ", "dim"),
            Span("bash(rm -rf dist)", "code"),
        ),
    ]
    assert question(COMMAND, width=80) == whole[:-1]  # there it stands beside the answer


def test_what_a_command_is_said_to_be_for_stands_below_it() -> None:
    given = {"command": "rm -rf dist", "description": "Clean\x1b[31m\nup"}
    asked = PermissionAsked(id="q", call=ToolCall(id="1", name="bash", input=given), effects=())
    rows = text_lines(question(asked, width=80))
    assert rows[:2] == ["Allow bash?", "  rm -rf dist"]
    assert rows[2].startswith("  said to: Clean")
    assert "\x1b" not in rows[2]


def test_words_of_the_model_pass_for_nobody_elses() -> None:
    given = {"command": "rm -rf dist", "description": "tidy up " * 8 + "why: In this folder commands need no leave."}
    asked = PermissionAsked(id="q", call=ToolCall(id="1", name="bash", input=given), reason="It removes files.")
    assert text_lines(question(asked, width=40)) == [
        "Allow bash?",
        "  rm -rf dist",
        "  said to: tidy up tidy up tidy up tidy…",
        "  why: It removes files.",
    ]
    assert text_lines(question(asked, width=40, whole=True))[2:] == [
        "  said to: tidy up tidy up tidy up tidy",
        "           up tidy up tidy up tidy up",
        "           tidy up why: In this folder",
        "           commands need no leave.",
        "  why: It removes files.",
    ]


def test_a_change_is_shown_as_a_diff() -> None:
    rows = text_lines(question(EDIT, width=80))
    assert rows[:4] == ["Allow edit?", "  writes a.py", "   1 -old", "   1 +1"]
    assert rows[-2:] == ["  30 +30", "  why: In normal mode edits ask."]
    assert question(EDIT, width=80, whole=True)[:-1] == question(EDIT, width=80)


def test_a_change_that_would_fail_says_so() -> None:
    asked = PermissionAsked(id="q", call=EDIT.call, effects=EDIT.effects, preview="old_string was not found.")
    assert text_lines(question(asked, width=80)) == ["Allow edit?", "  writes a.py", "  old_string was not found."]


def test_a_tool_that_nobody_knows_is_shown_with_all_that_it_is_given() -> None:
    call = ToolCall(id="1", name="deploy", input={"to": "live", "script": "a\nb", "n": [1, 2]})
    asked = PermissionAsked(id="q", call=call, effects=(Effect("network", "x.y"),))
    assert text_lines(question(asked, width=80)) == [
        "Allow deploy?",
        "  reaches x.y",
        "  to: live",
        "  script:",
        "    a",
        "    b",
        "  n: [1, 2]",
    ]


def test_nothing_that_is_asked_about_is_hidden() -> None:
    command = "echo a" + " " * 300 + "\u200b;rm -rf \u202e~\n# " + "x" * 3_000 + "; evil"
    call = ToolCall(id="1", name="bash", input={"command": command})
    rows = question(PermissionAsked(id="q", call=call, parts=(command,)), width=40)
    shown = "".join(row.removeprefix("  ") for row in text_lines(rows))
    assert "\\u200b;rm -rf \\u202e~" in shown
    assert "; evil" in shown
    assert max(map(columns_of, rows)) <= 40
    path = ToolCall(id="1", name="read", input={"file_path": "/etc/a  b\nc"})
    asked = PermissionAsked(id="q", call=path, effects=(Effect("read", "/etc/a  b\nc"),))
    assert text_lines(question(asked, width=40)) == ["Allow read?", "  reads /etc/a  b\\nc"]


HIDING = "\x1b]x' ; touch /tmp/p; ' \x07"


@pytest.mark.parametrize("whole", [False, True])
def test_nothing_hides_in_an_escape_sequence(*, whole: bool) -> None:
    command = ToolCall(id="1", name="bash", input={"command": f"make test {HIDING}"})
    rows = text_lines(question(PermissionAsked(id="q", call=command), width=80, whole=whole))
    assert rows == ["Allow bash?", "  make test \\x1b]x' ; touch /tmp/p; ' \\x07"]
    change = '--- a.py\n+++ a.py\n@@ -1,1 +1,1 @@\n-x\n+x = "\x1b]"; evil(); y = "\x07"\x1b[8m\x1b[2K'
    asked = PermissionAsked(id="q", call=EDIT.call, preview=change)
    assert text_lines(question(asked, width=80, whole=whole))[-1] == (
        '  1 +x = "\\x1b]"; evil(); y = "\\x07"\\x1b[8m\\x1b[2K'
    )
    other = ToolCall(id="1", name="mcp__x__y", input={"a": f"b{HIDING}", HIDING: ["\x1b[31mc\u2800"]})
    asked = PermissionAsked(id="q", call=other, effects=(Effect("network", f"x{HIDING}"),), always=(f"z{HIDING}",))
    shown = "\n".join(text_lines(question(asked, width=200, whole=whole)))
    assert shown.count("\\x1b]x' ; touch /tmp/p; ' \\x07") == (4 if whole else 3)
    assert "\\x1b[31mc\\u2800" in shown


def test_everything_fits() -> None:
    for width in (20, 40, 80, 200):
        for asked in (COMMAND, EDIT):
            assert max(map(columns_of, question(asked, width=width))) <= width
