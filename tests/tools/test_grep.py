import os
from pathlib import Path
from typing import Any

import pytest

from ferrule.core.errors import ToolError
from ferrule.core.tool import Effect
from ferrule.tools.grep import Grep
from ferrule.tools.ripgrep import BUILT_IN, FindProgram, find_program, run
from tests.tools.calling import context_in, make_tree, refusal_of, words_of

FINDERS = pytest.mark.parametrize("find", [find_program, lambda _: BUILT_IN], ids=["rg", "built-in"])
CORPUS: dict[str, str | bytes] = {
    ".gitignore": "*.log\nbuild/\n",
    ".github/ci.yml": "run: make test\n",
    "a.log": "def ignored\n",
    "build/x.py": "def ignored\n",
    "README.md": "# Title\n\nUse def wisely.\nNo final line end",
    "src/a.py": "import os\n\ndef alpha():\n    return 1\n\n\ndef beta():\n    return 2\n",
    "src/b.ts": "export function alpha() {}\n-dash\n",
    "src/deep/c.py": "def gamma():\n    pass\nDEF = 1\n",
    "dos.txt": b"def one\r\ntwo\r\nend def\r\n",
    "latin.txt": b"def caf\xe9\n",
    "utf16.txt": "def wide\n".encode("utf-16"),
    "bom.txt": "\ufeffdef marked\n",
    "binary.bin": b"def \0 hidden\n",
    "blank.txt": "",
}


def corpus(root: Path) -> Path:
    make_tree(root, CORPUS)
    return root


CASES: dict[str, tuple[dict[str, Any], str]] = {
    "files": (
        {"pattern": "def "},
        "README.md\nbom.txt\ndos.txt\nlatin.txt\nsrc/a.py\nsrc/deep/c.py\nutf16.txt",
    ),
    "count": (
        {"pattern": "def ", "output_mode": "count", "type": "py"},
        "src/a.py:2\nsrc/deep/c.py:1\n(in all 3 matches in 2 files)",
    ),
    "content": (
        {"pattern": r"def \w+\(", "output_mode": "content"},
        "src/a.py:3:def alpha():\nsrc/a.py:7:def beta():\nsrc/deep/c.py:1:def gamma():",
    ),
    "context": (
        {"pattern": "beta|gamma", "output_mode": "content", "-B": 1, "-A": 1},
        """src/a.py-6-
src/a.py:7:def beta():
src/a.py-8-    return 2
--
src/deep/c.py:1:def gamma():
src/deep/c.py-2-    pass""",
    ),
    "context on both sides": (
        {"pattern": "alpha|beta", "output_mode": "content", "-C": 1, "path": "src/a.py", "-n": True},
        """src/a.py-2-
src/a.py:3:def alpha():
src/a.py-4-    return 1
--
src/a.py-6-
src/a.py:7:def beta():
src/a.py-8-    return 2""",
    ),
    "ignore case": ({"pattern": "^def", "-i": True, "path": "src", "glob": "*.py"}, "src/a.py\nsrc/deep/c.py"),
    "a directory": ({"pattern": "def", "path": "src/deep"}, "src/deep/c.py"),
    "a file": ({"pattern": "def", "path": "src/a.py"}, "src/a.py"),
    "an ignored file by name": ({"pattern": "def", "path": "a.log"}, "a.log"),
    "hidden files": ({"pattern": "make test"}, ".github/ci.yml"),
    "glob": ({"pattern": "alpha", "glob": "*.{ts,tsx}"}, "src/b.ts"),
    "glob from the project": ({"pattern": "def", "glob": "src/**/*.py", "path": "src"}, "src/a.py\nsrc/deep/c.py"),
    "glob from the path": ({"pattern": "def", "glob": "deep/*.py", "path": "src"}, "src/deep/c.py"),
    "glob of a directory": ({"pattern": "def", "glob": "deep/"}, "src/deep/c.py"),
    "glob of a directory, anchored": ({"pattern": "def", "glob": "/src/deep/**"}, "src/deep/c.py"),
    "glob with a comma is one name": ({"pattern": "def", "glob": "*.py,*.ts"}, "No match for def."),
    "glob of a file at the top": ({"pattern": "def", "glob": "/README.md"}, "README.md"),
    "glob that excludes": ({"pattern": "alpha", "glob": "!*.ts"}, "src/a.py"),
    "glob that excludes a directory": ({"pattern": "def", "glob": "!deep", "type": "py"}, "src/a.py"),
    "glob of what is ignored": ({"pattern": "def", "glob": "*.log"}, "No match for def."),
    "glob of everything": ({"pattern": "ignored", "glob": "**/*"}, "No match for ignored."),
    "glob and type": ({"pattern": "alpha", "glob": "src/*", "type": "ts"}, "src/b.ts"),
    "type": ({"pattern": "Title", "type": "md"}, "README.md"),
    "multiline": (
        {"pattern": r"alpha.*?return 1", "multiline": True, "output_mode": "content"},
        "src/a.py:3:def alpha():\nsrc/a.py:4:    return 1",
    ),
    "multiline count": (
        {"pattern": r"def.*?return", "multiline": True, "output_mode": "count"},
        "src/a.py:2\n(in all 2 matches in 1 file)",
    ),
    "one line at a time": ({"pattern": r"alpha.*return"}, "No match for alpha.*return."),
    "end of a line, whatever ends it": (
        {"pattern": "def$", "output_mode": "content", "path": "dos.txt"},
        "dos.txt:3:end def",
    ),
    "bytes that are no UTF-8": (
        {"pattern": "caf", "output_mode": "content"},
        "latin.txt:1:def caf\ufffd",
    ),
    "byte order marks": (
        {"pattern": "^def (wide|marked)", "output_mode": "content"},
        "bom.txt:1:def marked\nutf16.txt:1:def wide",
    ),
    "a pattern that begins with a dash": ({"pattern": "-dash", "output_mode": "content"}, "src/b.ts:2:-dash"),
    "look-ahead": ({"pattern": r"def (?=beta)", "output_mode": "content"}, "src/a.py:7:def beta():"),
    "look-behind, ignoring case": (
        {"pattern": r"(?<=def )GAMMA", "-i": True, "output_mode": "count"},
        "src/deep/c.py:1\n(in all 1 match in 1 file)",
    ),
    "back-reference": ({"pattern": r"(t)wo|(s)\2", "path": "dos.txt"}, "dos.txt"),
    "nothing": ({"pattern": "no such thing"}, "No match for no such thing."),
    "a binary file by name": (
        {"pattern": "def", "path": "binary.bin", "output_mode": "content"},
        "binary.bin: a binary file",
    ),
    "a blank file": ({"pattern": "x*", "path": "blank.txt"}, "No match for x*."),
    "the empty match": (
        {"pattern": "x*", "path": "src/b.ts", "output_mode": "count"},
        "src/b.ts:2\n(in all 2 matches in 1 file)",
    ),
    "the head of the files": (
        {"pattern": "def ", "head_limit": 2},
        "README.md\nbom.txt\n(the first 2; in all 7 files)",
    ),
    "the head of the counts": (
        {"pattern": "def ", "head_limit": 1, "output_mode": "count", "type": "py"},
        "src/a.py:2\n(the first 1; in all 3 matches in 2 files)",
    ),
    "the head of the lines": (
        {"pattern": "def ", "head_limit": 1, "output_mode": "content", "type": "py"},
        "src/a.py:3:def alpha():\n(the first 1; in all 3 matches in 2 files)",
    ),
    "a head that ends with a file": (
        {"pattern": "def ", "head_limit": 2, "output_mode": "content", "type": "py"},
        "src/a.py:3:def alpha():\nsrc/a.py:7:def beta():\n(the first 2; in all 3 matches in 2 files)",
    ),
    "no limit": ({"pattern": "gamma", "head_limit": 0}, "src/deep/c.py"),
}


@pytest.mark.parametrize(("input", "expected"), CASES.values(), ids=CASES)
async def test_cases(tmp_path: Path, input: dict[str, Any], expected: str) -> None:
    assert await words_of(Grep(), context_in(corpus(tmp_path)), **input) == expected


TELLING = ["files", "count", "context", "glob that excludes", "glob and type", "multiline", "the head of the lines"]


@pytest.mark.parametrize(
    ("input", "expected"),
    [pytest.param(*case, id=name, marks=[] if name in TELLING else pytest.mark.slow) for name, case in CASES.items()],
)
async def test_cases_without_ripgrep(tmp_path: Path, input: dict[str, Any], expected: str) -> None:
    assert await words_of(Grep(lambda _: BUILT_IN), context_in(corpus(tmp_path)), **input) == expected


@FINDERS
async def test_long_lines_are_cut(tmp_path: Path, find: FindProgram) -> None:
    make_tree(tmp_path, {"min.js": "é" * 3_000 + "needle" + "y" * 100_000 + "\nneedle\n"})
    words = await words_of(Grep(find), context_in(tmp_path), pattern="needle", output_mode="content")
    assert words == f"min.js:1:{'é' * 2_000}… (line cut)\nmin.js:2:needle"


@FINDERS
async def test_many_matches(tmp_path: Path, find: FindProgram) -> None:
    make_tree(tmp_path, {f"{number:03}.txt": "hit\nmiss\n" * 5 for number in range(300)})
    grep, context = Grep(find), context_in(tmp_path)
    *lines, last = (await words_of(grep, context, pattern="hit", output_mode="content")).split("\n")
    assert lines == [f"{number:03}.txt:{line}:hit" for number in range(50) for line in (1, 3, 5, 7, 9)]
    assert last == "(the first 250; in all 1,500 matches in 300 files)"
    everything = await words_of(grep, context, pattern="hit", output_mode="content", head_limit=10**9)
    assert len(everything.split("\n")) == 1_500


@FINDERS
async def test_odd_names_are_shown_on_one_line(tmp_path: Path, find: FindProgram) -> None:
    make_tree(tmp_path, {"new\nline": "x\n", "\x1b[1m": "x\n", "-x": "x\n", "a:1:b": "x\n"})
    (tmp_path / os.fsdecode(b"bad\xff")).write_text("x\n")
    words = await words_of(Grep(find), context_in(tmp_path), pattern="x", output_mode="content", **{"-C": 1})
    assert words == "\\x1b[1m:1:x\n--\n-x:1:x\n--\na:1:b:1:x\n--\nbad\\xff:1:x\n--\nnew\\nline:1:x"


@FINDERS
async def test_a_place_outside_the_project(tmp_path: Path, find: FindProgram) -> None:
    make_tree(tmp_path, {"home/a": "", "other/b.txt": "x\n"})
    words = await words_of(Grep(find), context_in(tmp_path / "home"), pattern="x", path="../other")
    assert words == f"{tmp_path}/other/b.txt"


@FINDERS
async def test_refusals(tmp_path: Path, find: FindProgram) -> None:
    grep, context = Grep(find), context_in(corpus(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    assert (await refusal_of(grep, context, pattern="a(")).startswith("regex parse error:")
    assert "unrecognized file type: nope" in await refusal_of(grep, context, pattern="a", type="nope")
    assert "There is no file" in await refusal_of(grep, context, pattern="a", path="nope")
    assert "a [ is not closed" in await refusal_of(grep, context, pattern="def", glob="a[b")
    assert "neither a file nor a directory" in await refusal_of(grep, context, pattern="a", path="pipe")
    assert "null byte" in await refusal_of(grep, context, pattern="a\0b")
    assert "could not be started" in await refusal_of(grep, context, pattern="a\ud83d")
    assert "There is no file" in await refusal_of(grep, context, pattern="a", path="x" * 5_000)
    assert "`int` >= 0 for `-A`" in await refusal_of(grep, context, pattern="a", **{"-A": -1})
    assert "expected one of content, count, files_with_matches" in await refusal_of(
        grep, context, pattern="a", output_mode="lines"
    )


async def test_ripgreps_own_words_about_a_pattern(tmp_path: Path) -> None:
    assert await refusal_of(Grep(), context_in(tmp_path), pattern="a(") == (
        "regex parse error:\n    (?:a()\n    ^\nerror: unclosed group"
    )


async def test_a_search_that_would_never_end_is_ended(tmp_path: Path) -> None:
    """A pattern that explodes holds up neither the loop nor, in the end, the search."""
    make_tree(tmp_path, {"a.txt": "a" * 40 + "\n"})
    with pytest.raises(ToolError, match=r"did not finish within 1 s"):
        await run(BUILT_IN, ["-l", "--null", "--regexp=(a+)+$x", "./"], root=tmp_path, seconds=1)


def test_effects() -> None:
    grep = Grep()
    assert grep.effects(grep.parse({"pattern": "x"})) == (Effect("read", "."),)
    assert grep.effects(grep.parse({"pattern": "x", "path": "/etc"})) == (Effect("read", "/etc"),)
