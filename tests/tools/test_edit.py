"""The `edit` tool: the right bytes or the right error, and after an error the file is as it was."""

import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ferrule.core.errors import ArgumentError, ToolError
from ferrule.core.tool import Effect, ToolContext
from ferrule.host.files import Files
from ferrule.host.machine import Host
from ferrule.host.process import Processes
from ferrule.host.text import decode
from ferrule.tools.diff import splice
from ferrule.tools.edit import Edit, _changes, _edit
from ferrule.tools.match import Page, locate

BOM8, LE, BE = b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"


class Case(NamedTuple):
    """A file, an edit of it, and what must come of it: bytes, or words of an error."""

    name: str
    before: bytes
    old: str
    new: str
    after: bytes | str
    all: bool = False
    says: str = ""
    """What the answer must say of how it was done."""


EXACT = [
    Case("a word", b"one two three\n", "two", "2", b"one 2 three\n"),
    Case("a line", b"a\nb\nc\n", "b\n", "B\n", b"a\nB\nc\n"),
    Case("several lines", b"a\nb\nc\n", "a\nb", "x\ny\nz", b"x\ny\nz\nc\n"),
    Case("the whole file", b"a\nb\n", "a\nb\n", "c\n", b"c\n"),
    Case("deletion", b"a\nb\nc\n", "b\n", "", b"a\nc\n"),
    Case("deletion of everything", b"abc", "abc", "", b""),
    Case("start of the file", b"abc\n", "a", "x", b"xbc\n"),
    Case("end without a line feed", b"a\nb", "b", "c", b"a\nc"),
    Case("line feed added at the end", b"a\nb", "b", "b\n", b"a\nb\n"),
    Case("line feed taken from the end", b"a\nb\n", "b\n", "b", b"a\nb"),
    Case("dollar", b"price\n", "price", "$1 $& $$ ${x}", b"$1 $& $$ ${x}\n"),
    Case("group reference", b"(a) x\n", "x", r"\1 \g<0> \n \\", rb"(a) \1 \g<0> \n \\" + b"\n"),
    Case("pattern characters in old", b"f(x.*)+[a-z]$\n", "(x.*)+[a-z]$", "y", b"fy\n"),
    Case("percent and braces", b"x\n", "x", "%s {0} {name}", b"%s {0} {name}\n"),
    Case("backslash at the end", b"path\n", "path", "C:\\dir\\", b"C:\\dir\\\n"),
    Case("tabs kept", b"\tif x:\n\t\ty\n", "\t\ty", "\t\tz", b"\tif x:\n\t\tz\n"),
    Case("trailing blanks elsewhere kept", b"a  \nb \nc\t\n", "b ", "B", b"a  \nB\nc\t\n"),
    Case("trailing blanks added", b"a\nb\n", "a\n", "a  \n", b"a  \nb\n"),
    Case("unicode", "naïve ☃ 𝒳\n".encode(), "☃", "☀", "naïve ☀ 𝒳\n".encode()),
    Case("control characters", b"a\x0cb\x1bc\n", "\x0cb", "\x0cB", b"a\x0cB\x1bc\n"),
    Case("line separators are no line ends", "a\u2028b\x85c\n".encode(), "b", "B", "a\u2028B\x85c\n".encode()),
    Case("new contains old", b"x = 1\n", "x", "xx", b"xx = 1\n"),
    Case("a prefix of another word", b"foobar foo\n", " foo\n", " baz\n", b"foobar baz\n"),
    Case("exact wins over tolerant", b"a \nb\na\nb\n", "a\nb", "X", b"a \nb\nX\n"),
    Case("carriage return alone is a character", b"10%\r20%\n", "20%", "30%", b"10%\r30%\n"),
    Case("line numbers in the file itself", b"1\tone\n2\ttwo\n", "2\ttwo", "2\t2", b"1\tone\n2\t2\n"),
    Case("surrogate pair whole", "a😀b\n".encode(), "😀", "🎉", "a🎉b\n".encode()),
]
MANY = [
    Case("all", b"a b a b\n", "a", "c", b"c b c b\n", all=True, says="in 2 places"),
    Case("all where there is one", b"a b\n", "a", "c", b"c b\n", all=True),
    Case("all, overlapping, left to right", b"aaaaa\n", "aa", "b", b"bba\n", all=True),
    Case("all, new contains old", b"x x\n", "x", "xx", b"xx xx\n", all=True),
    Case("all, across lines", b"a\nb\na\nb\n", "a\nb\n", "c\n", b"c\nc\n", all=True),
    Case("all, deletion", b"a,b,c\n", ",", "", b"abc\n", all=True),
    Case("all, only line endings differ", b"a\r\nb\r\na\r\nb\r\n", "a\nb\n", "c\n", b"c\r\nc\r\n", all=True),
    Case("all line feeds of CRLF", b"a\r\nb\r\n", "\n", "\n\n", b"a\r\n\r\nb\r\n\r\n", all=True),
    Case("all, none", b"a\n", "zebra", "c", "not found", all=True),
    Case("all, tolerant in two places", b"a \nb\nx\na\t\nb\n", "a\nb", "c", r"2 places \(lines 1, 4\)", all=True),
    Case("all, tolerant in one place", b"a \nb\nx\n", "a\nb", "c", b"c\nx\n", all=True),
    Case("twice", b"a\nb\na\n", "a", "c", r"occurs 2 times in f\.txt \(lines 1, 3\).*replace_all"),
    Case("overlapping twice", b"aaa\n", "aa", "b", "occurs 2 times"),
    Case("overlapping lines", b"x\nx\nx\n", "x\nx", "y", r"occurs 2 times .*\(lines 1, 2\)"),
    Case("very often", b"a\n" * 2000, "a", "b", r"occurs 1,000 or more times .*, 20, …\)"),
    Case("often after ignoring blanks", b"a \nb\n" * 2000, "a\nb", "c", "fits 100 or more places"),
    Case("all, often, CRLF", b"a\r\nb\r\n" * 200, "a\nb\n", "c\n", b"c\r\n" * 200, all=True),
    Case("a whole line among many parts", b"xx\n" * 2000 + b"\tx\n" * 2, "  x", "y", r"2 places \(lines 2001, 2002\)"),
    Case("a whole line among many parts, once", b"xx\n" * 2000 + b"\tx\n", "  x", "  y", b"xx\n" * 2000 + b"\ty\n"),
    Case("twice after ignoring blanks", b"a \nb\na  \nb\n", "a\nb", "c", "ignoring trailing blanks it fits 2 places"),
    Case("twice after ignoring indentation", b"  a\nx\n\ta\n", "    a", "b", "ignoring indentation it fits 2 places"),
]
ENDINGS = [
    Case("CRLF, one line", b"a\r\nb\r\n", "b", "c", b"a\r\nc\r\n"),
    Case("CRLF, LF in both", b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n", says="line endings"),
    Case("CRLF, CRLF in both", b"a\r\nb\r\nc\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\nc\r\n"),
    Case("CRLF, LF in new", b"a\r\nb\r\n", "a", "x\ny", b"x\r\ny\r\nb\r\n"),
    Case("CRLF, both kinds in new", b"a\r\nb\r\n", "a", "x\ny\r\nz", b"x\r\ny\r\nz\r\nb\r\n"),
    Case("CRLF, CRLF in old and LF in new", b"a\r\nb\r\n", "a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
    Case("CRLF, LF in old and CRLF in new", b"a\r\nb\r\n", "a\nb\n", "x\r\ny\r\n", b"x\r\ny\r\n"),
    Case("CRLF, old begins with LF", b"a\r\nb\r\n", "\nb", "\nc", b"a\r\nc\r\n"),
    Case("mixed, old ends inside an ending", b"a\r\nb\r\nc\n", "a\r", "x\ny\r", b"x\r\ny\r\nb\r\nc\n"),
    Case("CRLF, deleted line", b"a\r\nb\r\nc\r\n", "b\n", "", b"a\r\nc\r\n"),
    Case("CRLF, no final line ending", b"a\r\nb", "a\nb", "a\nc", b"a\r\nc"),
    Case("CRLF, tabs and blanks", b"\tx \r\n\ty\r\n", "\tx\n\ty", "\tz\n\ty", b"\tz\r\n\ty\r\n"),
    Case("CRLF, twice", b"a\r\nb\r\na\r\nb\r\n", "a\nb", "c", r"2 places \(lines 1, 3\)"),
    Case("CRLF alone cannot be changed", b"a\r\nb\r\n", "a\r\nb", "a\nb", "line endings"),
    Case("LF, CRLF in both", b"a\nb\nc\n", "a\r\nb", "x\r\ny", b"x\ny\nc\n", says="line endings"),
    Case("LF, CRLF in new", b"a\nb\n", "a", "x\r\ny", b"x\ny\nb\n"),
    Case("CR", b"a\rb\rc\r", "a\nb", "x\ny\nz", b"x\ry\rz\rc\r"),
    Case("CR, exact", b"a\rb\rc\r", "b", "x\ny", b"a\rx\ry\rc\r"),
    Case("mixed, as in the region", b"a\r\nb\r\nc\nd\n", "a\nb\n", "x\ny\nz\n", b"x\r\ny\r\nz\r\nc\nd\n"),
    Case("mixed, LF region", b"a\r\nb\r\nc\nd\n", "c\nd\n", "x\ny\nz\n", b"a\r\nb\r\nx\ny\nz\n"),
    Case("mixed, no ending in the region", b"a\r\nb\r\nc\nd\r\n", "c", "x\ny", b"a\r\nb\r\nx\r\ny\nd\r\n"),
    Case("mixed, each line keeps its own", b"a\r\nb\nc\r\nd\n", "a\nb\nc", "a\nB\nC", b"a\r\nB\nC\r\nd\n"),
    Case("mixed, exact with both", b"a\r\nb\nc\r\n", "a\r\nb\nc", "a\r\nB\nc", b"a\r\nB\nc\r\n"),
    Case("no ending in the file", b"abc", "b", "\r\n", b"a\r\nc"),
    Case("doubled CR stays", b"a\r\r\nb\r\n", "b", "c\nd", b"a\r\r\nc\r\nd\r\n"),
]
ENCODINGS = [
    Case("UTF-8 BOM", BOM8 + b"a\nb\n", "a", "x", BOM8 + b"x\nb\n"),
    Case("UTF-8 BOM and CRLF", BOM8 + b"a\r\nb\r\n", "a\nb", "x\ny", BOM8 + b"x\r\ny\r\n"),
    Case("BOM copied with the text", BOM8 + b"a\nb\n", "\ufeffa", "\ufeffx", BOM8 + b"x\nb\n"),
    Case("BOM alone", BOM8 + b"a\nb\n", "\ufeff", "x", "old_string is empty"),
    Case("UTF-16 LE", LE + "a é\nb\n".encode("utf-16-le"), "é", "€😀", LE + "a €😀\nb\n".encode("utf-16-le")),
    Case("UTF-16 BE", BE + "a\r\nb\r\n".encode("utf-16-be"), "a\nb", "c\nd", BE + "c\r\nd\r\n".encode("utf-16-be")),
    Case("Latin-1", b"caf\xe9 1\n", "café 1", "café à 2", b"caf\xe9 \xe0 2\n"),
    Case("Latin-1, ASCII part", b"\xe9\xe8 text here\n", "text", "words", b"\xe9\xe8 words here\n"),
    Case("Latin-1, C1 bytes kept", b"\x93quoted\x94 text here\n", "text", "words", b"\x93quoted\x94 words here\n"),
    Case("Latin-1, no such character", b"caf\xe9\n", "caf", "€", r"Latin-1, which has no character € \(U\+20AC\)"),
    Case("half a surrogate pair", b"a\n", "a", "\ud800", r"U\+D800 is half"),
    Case("half a surrogate pair in old", b"a\n", "\udc80", "b", "not found"),
    Case("NFD file, NFC string", "e\u0301t 1\n".encode(), "\u00e9t 1", "\u00e9t 2", "e\u0301t 2\n".encode()),
    Case("NFC file, NFD string", "\u00e9t 1\n".encode(), "e\u0301t 1", "e\u0301t 2", "\u00e9t 2\n".encode()),
    Case("binary, NUL", b"a\0b\n", "a", "b", "binary"),
    Case("binary, controls", b"\xff\xfe\x01\x02\x03\x04\x80", "a", "b", "binary"),
    Case("binary, high bytes", b"\x80\x81\xfe\xff\x90\x91", "a", "b", "binary"),
    Case("binary, UTF-16 cut short", LE + b"a\0b", "a", "b", "binary"),
]
TOLERANT = [
    Case("blanks in the file", b"a  \nb\nc\n", "a\nb\n", "x\ny\n", b"x\ny\nc\n", says="trailing blanks"),
    Case("blanks in the string", b"a\nb\nc\n", "a  \nb\t\n", "x\ny\n", b"x\ny\nc\n", says="trailing blanks"),
    Case("blanks at the end of the string", b"return x\nreturn\n", "return  ", "yield", b"return x\nyield\n"),
    Case("no part of a longer word", b"returns\n", "return  ", "yield", "not found"),
    Case("blanks of an unchanged line stay", b"a  \nb\n", "a\nb", "a\nB", b"a  \nB\n"),
    Case("blanks of neither are added", b"a\nb\n", "a \nb", "x \nb", b"x\nb\n"),
    Case("blank line with blanks", b"a\n    \nb\n", "a\n\nb", "a\n\nc", b"a\n    \nc\n"),
    Case("curly quotes", "say(“hi”)\n".encode(), 'say("hi")', 'say("bye")', "say(“bye”)\n".encode(), says="typography"),
    Case("apostrophe", "it’s on\n".encode(), "it's on", "it's off", "it’s off\n".encode()),
    Case("straight in the file", b'say("hi")\n', "say(“hi”)", "say(“bye”)", b'say("bye")\n'),
    Case("dash", "pages 1–9\n".encode(), "pages 1-9", "pages 1-8", "pages 1–8\n".encode()),
    Case("no-break space", "10\u00a0km far\n".encode(), "10 km far", "10 km near", "10\u00a0km near\n".encode()),
    Case("a dash alone is no word", b"a - b\n", "–", "+", "not found"),
    Case("shifted right", b"if x:\n    a()\n    b()\n", "a()\nb()\n", "c()\nb()\n", b"if x:\n    c()\n    b()\n"),
    Case(
        "deeper in the file",
        b"class A:\n    def f(self):\n        return 1\n",
        "def f(self):\n    return 1\n",
        "def f(self):\n    if x:\n        return 2\n    return 1\n",
        b"class A:\n    def f(self):\n        if x:\n            return 2\n        return 1\n",
        says="indented by 4 spaces more",
    ),
    Case(
        "less deep in the file",
        b"def f():\n  return 1\n",
        "    def f():\n      return 1",
        "    def f():\n      x = 1\n\n      return x",
        b"def f():\n  x = 1\n\n  return x\n",
        says="indented by 4 spaces less",
    ),
    Case(
        "tabs in the file",
        b"if x:\n\tif y:\n\t\ta()\n\t\tb()\n",
        "    if y:\n        a()\n",
        "    if y:\n        if z:\n            a()\n",
        b"if x:\n\tif y:\n\t\tif z:\n\t\t\ta()\n\t\tb()\n",
        says="tabs for 4 spaces",
    ),
    Case(
        "tabs in the string",
        b"if x:\n  if y:\n    a()\n",
        "\tif y:\n\t\ta()",
        "\tif y:\n\t\tif z:\n\t\t\ta()",
        b"if x:\n  if y:\n    if z:\n      a()\n",
        says="2 spaces for a tab",
    ),
    Case(
        "tabs, and a level deeper",
        b"a:\n\tb:\n\t\tc\n\t\t\td\n",
        "    c\n        d\n",
        "    c\n        e\n",
        b"a:\n\tb:\n\t\tc\n\t\t\te\n",
    ),
    Case("indentation that is not uniform", b"a:\n  b\n      c\n", "b\n  c", "d", r"nearest text.*\n     2\t  b"),
    Case("too little to move", b"a\n  b\n", "    a\n      b", "    a\nc", "indented too little"),
    Case("indentation and blanks", b"\tx  \n\ty\n", "x\ny\n", "x\nz\n", b"\tx  \n\tz\n", says="and trailing blanks"),
    Case("indentation and CRLF", b"  x\r\n  y\r\n", "x\ny\n", "x\nz\n", b"  x\r\n  z\r\n"),
    Case("indentation and quotes", "  p(‘a’)\n  q\n".encode(), "p('a')\nq", "p('b')\nq", "  p(‘b’)\n  q\n".encode()),
    Case("blanks, quotes and CRLF", "p(‘a’) \r\nq\r\n".encode(), "p('a')\nq", "p('a')\nr", "p(‘a’) \r\nr\r\n".encode()),
    Case("no final line feed in the file", b"a\nb", "b\n", "c\n", b"a\nc", says="blank lines around"),
    Case("no final line feed, CRLF", b"a\r\nb", "a\r\nb\r\n", "a\r\nc\r\n", b"a\r\nc"),
    Case("blank line before", b"a\nb\n", "\na\n", "\nc\n", b"c\nb\n", says="blank lines around"),
    Case("blank lines around", b"a\nb\nc\n", "\n\nb\n\n", "\n\nd\n\n", b"a\nd\nc\n"),
    Case("blank lines around, line deleted", b"a\nb\nc\n", "b\n\n", "", b"a\nc\n"),
    Case("blank lines around are whole lines", b"ab\nc\n", "\nb\n", "\nd\n", "not found"),
    Case(
        "line numbers",
        b"a\nb\nc\n",
        "     2\tb\n     3\tc\n",
        "     2\tB\n     3\tC\n",
        b"a\nB\nC\n",
        says="line numbers",
    ),
    Case("line numbers in old alone", b"a\n  b\n", "2\t  b", "  c", b"a\n  c\n"),
    Case("line numbers in some lines of new", b"a\nb\n", "2\tb", "2\tb\nc", "not found"),
    Case("line numbers and tabs", b"a\n\tb\n", "     2\t\tb", "     2\t\tc", b"a\n\tc\n"),
    Case("blanks rather than indentation", b"a \nb\n  a\n  b\n", "a\nb\n", "x\n", b"x\n  a\n  b\n"),
]
ERRORS = [
    Case("nothing like it", b"a\nb\n", "zebra", "x", "not found in f.txt.*Nothing in the file is like it"),
    Case(
        "nearest text",
        b"import os\n\ndef get_user(id):\n    return db[id]\n",
        "def get_usr(id):\n    return db[ident]\n",
        "x",
        r"nearest text in the file is:\n     3\tdef get_user\(id\):\n     4\t    return db\[id\]$",
    ),
    Case("there already", b"total = 2\n", "total = 1\n", "total = 2\n", "new_string is there already, at line 1"),
    Case("case matters", b"Hello world\n", "hello world", "x", r"nearest.*\n     1\tHello world"),
    Case("inner spaces matter", b"a = 1\n", "a  =  1", "x", "not found"),
    Case("blank lines inside matter", b"aa\n\nbb\n", "aa\nbb", "x", "not found"),
    Case("blanks only", b"a\nb\n", "   ", "x", "not found"),
    Case("empty old", b"a\n", "", "x", "old_string is empty.*use write"),
    Case("identical", b"a\n", "a", "a", "identical"),
    Case("empty file", b"", "a", "b", "is empty.*Use write"),
    Case("only quotes differ", "it’s\n".encode(), "it's", "it’s", "would stay as it is"),
]
CASES = EXACT + MANY + ENDINGS + ENCODINGS + TOLERANT + ERRORS


@pytest.fixture
def context(tmp_path: Path) -> ToolContext[Host]:
    host = Host(files=Files(), processes=Processes(tmp_path, tmp_path / "private"), outputs=tmp_path / "outputs")
    return ToolContext(directory=tmp_path, host=host, report=lambda _: None)


async def edit(context: ToolContext[Host], **arguments: Any) -> str:
    tool = Edit()
    output = await tool.run(tool.parse(arguments), context)
    assert not output.is_error
    assert isinstance(output.content, str)
    return output.content


def footprint(path: Path) -> tuple[bytes, int, int, int]:
    info = path.stat()
    return path.read_bytes(), info.st_mtime_ns, info.st_ino, info.st_mode


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_case(case: Case, context: ToolContext[Host]) -> None:
    path = context.directory / "f.txt"
    path.write_bytes(case.before)
    was = footprint(path)
    arguments = {"file_path": "f.txt", "old_string": case.old, "new_string": case.new, "replace_all": case.all}
    if isinstance(case.after, str):
        with pytest.raises(ToolError) as caught:
            await edit(context, **arguments)
        assert re.search(case.after, str(caught.value), re.DOTALL), str(caught.value)
        assert footprint(path) == was
    else:
        answer = await edit(context, **arguments)
        assert path.read_bytes() == case.after
        assert case.says in answer.splitlines()[0]
        if case in EXACT or case in TOLERANT:
            assert ("ignoring" in answer.splitlines()[0]) == (case in TOLERANT)
    assert [entry.name for entry in context.directory.iterdir()] == ["f.txt"]


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 90
    assert len({case.name for case in CASES}) == len(CASES)


async def test_answers_with_a_unified_diff(context: ToolContext[Host]) -> None:
    (context.directory / "src").mkdir()
    lines = [f"line {number}\n" for number in range(1, 31)]
    (context.directory / "src" / "a.py").write_text("".join(lines))
    answer = await edit(context, file_path="src/a.py", old_string="line 15\nline 16\n", new_string="x\nline 16\ny\n")
    assert answer == (
        "Edited src/a.py.\n--- src/a.py\n+++ src/a.py\n@@ -12,8 +12,9 @@\n line 12\n line 13\n line 14\n"
        "-line 15\n+x\n line 16\n+y\n line 17\n line 18\n line 19"
    )


async def test_diff_of_a_last_line_without_line_feed(context: ToolContext[Host]) -> None:
    (context.directory / "a").write_bytes(b"a\r\nb")
    answer = await edit(context, file_path="a", old_string="b", new_string="b\n")
    assert answer == "Edited a.\n--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b"


async def test_diff_of_a_huge_edit_is_short(context: ToolContext[Host]) -> None:
    (context.directory / "a").write_text("some words\n" * 20_000)
    answer = await edit(context, file_path="a", old_string="some", new_string="no", replace_all=True)
    assert answer.startswith("Edited a in 20,000 places.\n")
    assert len(answer) < 20_000
    assert "more" in answer.splitlines()[-1]
    assert (context.directory / "a").read_text() == "no words\n" * 20_000


async def test_diff_of_a_long_line_is_short(context: ToolContext[Host]) -> None:
    (context.directory / "a").write_text("x" * 1_000_000 + "END")
    assert len(await edit(context, file_path="a", old_string="END", new_string="end")) < 1_000


async def test_file_that_changed_is_refused_until_read_again(context: ToolContext[Host]) -> None:
    path = context.directory / "a"
    path.write_text("one\ntwo\n")
    context.host.files.read(path)
    path.write_text("one\ntwo\nthree\n")
    was = footprint(path)
    with pytest.raises(ToolError, match=r"a has changed on disk since it was last read.*Read it again"):
        await edit(context, file_path="a", old_string="two", new_string="2")
    assert footprint(path) == was
    context.host.files.read(path)
    await edit(context, file_path="a", old_string="two", new_string="2")
    assert path.read_text() == "one\n2\nthree\n"


async def test_edits_follow_each_other_without_reading(context: ToolContext[Host]) -> None:
    path = context.directory / "a"
    path.write_text("one two\n")
    await edit(context, file_path="a", old_string="one", new_string="1")
    await edit(context, file_path="a", old_string="two", new_string="2")
    assert path.read_text() == "1 2\n"
    path.write_text("1 2 changed\n")
    with pytest.raises(ToolError, match="has changed on disk"):
        await edit(context, file_path="a", old_string="2", new_string="two")


async def test_file_that_was_only_touched_is_not_stale(context: ToolContext[Host]) -> None:
    path = context.directory / "a"
    path.write_text("one\n")
    context.host.files.read(path)
    os.utime(path, (1, 1))
    await edit(context, file_path="a", old_string="one", new_string="1")
    assert path.read_text() == "1\n"


async def test_file_deleted_after_reading(context: ToolContext[Host]) -> None:
    path = context.directory / "a"
    path.write_text("one\n")
    context.host.files.read(path)
    path.unlink()
    with pytest.raises(ToolError, match="a was deleted after it was last read"):
        await edit(context, file_path="a", old_string="one", new_string="1")
    assert not path.exists()


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o444, 0o640, 0o4755, 0o2750])
async def test_mode_is_kept(mode: int, context: ToolContext[Host]) -> None:
    path = context.directory / "a"
    path.write_text("one\n")
    path.chmod(mode)
    if not os.access(path, os.W_OK):
        pytest.skip("only root writes read-only files")
    await edit(context, file_path="a", old_string="one", new_string="1")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "1\n"


@pytest.mark.parametrize("target", ["real/file.txt", "../{name}/real/file.txt", "{directory}/real/file.txt", "other"])
async def test_symlinks_stay(target: str, context: ToolContext[Host]) -> None:
    directory = context.directory
    (directory / "real").mkdir()
    real = directory / "real" / "file.txt"
    real.write_text("one\n")
    (directory / "other").symlink_to("real/file.txt")
    link = directory / "link"
    link.symlink_to(target.format(name=directory.name, directory=directory))
    leads_to = link.readlink()
    await edit(context, file_path="link", old_string="one", new_string="1")
    assert (link.is_symlink(), link.readlink(), real.is_symlink(), real.read_text()) == (True, leads_to, False, "1\n")


async def test_hard_links_stay(context: ToolContext[Host]) -> None:
    path, other = context.directory / "a", context.directory / "b"
    path.write_text("one and more\n")
    other.hardlink_to(path)
    await edit(context, file_path="a", old_string="one and more", new_string="1")
    assert (path.read_text(), other.read_text(), path.samefile(other)) == ("1\n", "1\n", True)
    assert {entry.name for entry in context.directory.iterdir()} == {"a", "b"}


async def test_missing_file_names_what_is_near(context: ToolContext[Host]) -> None:
    (context.directory / "settings.py").write_text("x\n")
    with pytest.raises(ToolError, match=r"There is no file .*/setings\.py\. Beside it there is settings\.py\."):
        await edit(context, file_path="setings.py", old_string="x", new_string="y")
    with pytest.raises(ToolError, match="its directory does not exist"):
        await edit(context, file_path="nowhere/settings.py", old_string="x", new_string="y")


async def test_what_is_no_file(context: ToolContext[Host]) -> None:
    os.mkfifo(context.directory / "pipe")
    (context.directory / "loop").symlink_to("loop")
    for name, words in [
        (".", "is a directory"),
        ("", "is a directory"),
        ("pipe", "is a named pipe"),
        ("/dev/null", "is a device"),
        ("loop", "symbolic links lead in a circle"),
        ("a\0b", "NUL"),
        ("x" * 300, "the name is too long"),
        ("\ud800", "half of a surrogate pair"),
    ]:
        with pytest.raises(ToolError, match=words):
            await edit(context, file_path=name, old_string="x", new_string="y")


def test_arguments_and_effects() -> None:
    tool = Edit()
    args = tool.parse({"file_path": "~/a b", "old_string": "x", "new_string": "y"})
    assert tool.effects(args) == (Effect("write", "~/a b"),)
    assert args.replace_all is False
    assert sorted(tool.spec.schema["required"]) == ["file_path", "new_string", "old_string"]
    assert len(tool.spec.description) < 400
    with pytest.raises(ArgumentError):
        tool.parse({"file_path": "a", "old_string": "x"})


LINES = st.lists(st.sampled_from(["", "a", "b  ", "\tc", "    d", "'e'", "“f”", "a", "x = 1", "é"]), max_size=12)


@given(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])), st.data())
def test_a_unique_piece_is_replaced_exactly(text: str, data: st.DataObject) -> None:
    assume(text)
    start = data.draw(st.integers(0, len(text) - 1))
    old = text[start : data.draw(st.integers(start + 1, len(text)))]
    new = data.draw(st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])))
    assume(old != new and sum(text.startswith(old, place) for place in range(len(text))) == 1)
    page = Page(text)
    match = locate(page, old, new, every=False)
    assert match is not None
    assert splice(text, _changes(page, match)) == text.replace(old, new, 1)


def _readings_of(text: str) -> str:
    """What is left of a text when all that may be ignored is taken out of it."""
    for typographic, plain in zip("’“”\u00a0", '\'"" ', strict=True):
        text = text.replace(typographic, plain)
    return "\n".join(line.strip() for line in re.split("\r?\n", text))


@given(LINES, LINES, LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_tolerance_leaves_every_other_byte_alone(
    head: list[str], copied: list[str], tail: list[str], new: list[str], ending: str
) -> None:
    """Whatever is tolerated, what stands outside of the place stays, and inside it stands what was asked for."""
    text = "".join(line + ending for line in (*head, *copied, *tail))
    old = "\n".join(line.strip().replace("“", '"').replace("”", '"') for line in copied)
    page = Page(text)
    match = locate(page, old, "\n".join(new), every=False) if old else None
    assume(match is not None and len(match.places) == 1)
    assert match is not None
    try:
        (change,) = _changes(page, match)
    except ToolError:
        return
    after = splice(text, [change])
    assert after.startswith(text[: change.start])
    assert after.endswith(text[change.end :])
    assert _readings_of(change.text) == _readings_of(match.reading.new)
    assert _readings_of(text[change.start : change.end]) == _readings_of(match.reading.old)
    if ending == "\r\n":
        assert after.count("\n") == after.count("\r\n")
        assert "\r\r" not in after


def _big() -> Iterator[str]:
    for number in range(50_000):
        yield f"    value_{number} = f({number})\n"


def test_failing_is_quick_in_a_big_file(context: ToolContext[Host]) -> None:
    """The budget is 100 ms on a free machine; ten times that says that nothing is quadratic."""
    path = context.directory / "big"
    path.write_text("".join(_big()))
    args = Edit().parse({"file_path": "big", "old_string": "value_777 = g(1)\nvalue_778 = g(2)", "new_string": "x"})
    began = time.process_time()
    with pytest.raises(ToolError, match=r"   778\t    value_777 = f\(777\)\n   779\t    value_778"):
        _edit(args, context)
    assert time.process_time() - began < 1


def test_decoding_gives_the_bytes_back() -> None:
    for case in CASES:
        decoded = decode(case.before)
        assert decoded is None or decoded.encode(decoded.text) == case.before
