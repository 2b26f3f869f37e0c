from ferrule.front.terminal.show.diff import added, diff, totals
from ferrule.front.terminal.show.lines import Span
from tests.front.terminal.show.bare import text_lines

DIFF = """--- a.py
+++ a.py
@@ -8,4 +8,4 @@
 one
--- two
+++ 2
 three
\\ No newline at end of file
@@ -20,1 +20,2 @@
-x
+y
+z"""


def test_a_diff_has_numbers_and_colours() -> None:
    assert diff(DIFF, width=80) == [
        (Span(" 8 ", "dim"), Span(" one")),
        (Span(" 9 ", "dim"), Span("--- two", "remove")),
        (Span(" 9 ", "dim"), Span("+++ 2", "add")),
        (Span("10 ", "dim"), Span(" three")),
        (Span("   ", "dim"), Span("\\ No newline at end of file", "dim")),
        (Span("   ", "dim"), Span("⋮", "dim")),
        (Span("20 ", "dim"), Span("-x", "remove")),
        (Span("20 ", "dim"), Span("+y", "add")),
        (Span("21 ", "dim"), Span("+z", "add")),
    ]
    assert totals(DIFF) == (3, 2)


def test_several_files_are_told_apart() -> None:
    text = (
        "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git a/y b/y\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+c\n"
    )
    assert text_lines(diff(text, width=80)) == ["x", "1 -a", "1 +b", "y", "  new file mode 100644", "1 +c"]


def test_a_long_diff_is_folded() -> None:
    text = "@@ -0,0 +1,54 @@\n" + "\n".join(f"+{number}" for number in range(54))
    rows = text_lines(diff(text, width=80))
    assert (len(rows), rows[19:]) == (21, ["20 +19", "… 34 more lines, Ctrl+O"])
    assert len(diff(text, width=80, most=None)) == 54
    assert len(diff(text, width=80, most=53)) == 54


def test_wide_lines_are_broken() -> None:
    assert text_lines(added("abcdefghijklm\n", width=12)) == ["1 +abcdefghi", "  jklm"]
