"""What a change would look like: all of it, and nothing is written."""

from pathlib import Path

from ferrule.core.messages import ToolCall
from ferrule.tools.preview import MOST_LINES, preview
from tests.tools.calling import context_in

LINES = [f"line {number}" for number in range(1, 301)]


def writing(name: str, content: str) -> ToolCall:
    return ToolCall(id="1", name="write", input={"file_path": name, "content": content})


async def test_a_new_file_is_shown_line_by_line(tmp_path: Path) -> None:
    shown = await preview(writing("new.txt", "\n".join([*LINES, ""])), context_in(tmp_path))
    assert shown.split("\n") == ["--- new.txt", "+++ new.txt", "@@ -0,0 +1,300 @@", *(f"+{one}" for one in LINES)]
    assert list(tmp_path.iterdir()) == []


async def test_a_line_without_an_end_becomes_several(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    shown = await preview(writing("a.txt", "one\ntwo\n"), context_in(tmp_path))
    expected = ["@@ -1,1 +1,2 @@", "-one", "\\ No newline at end of file", "+one", "+two"]
    assert shown.split("\n")[2:] == expected
    (tmp_path / "old.txt").write_bytes(b"one\rtwo\r")
    shown = await preview(writing("old.txt", "one\r2\r"), context_in(tmp_path))
    assert shown.split("\n")[2:] == ["@@ -1,2 +1,2 @@", " one", "-two", "+2"]


async def test_what_no_one_would_read_is_cut(tmp_path: Path) -> None:
    shown = await preview(writing("new.txt", "x\n" * 2 * MOST_LINES), context_in(tmp_path))
    assert shown.split("\n")[MOST_LINES:] == [f"… and {MOST_LINES + 3} more lines of this diff"]
