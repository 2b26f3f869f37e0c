import os
import subprocess
import tempfile
from contextlib import chdir
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.tools.ripgrep import find_program
from ferrule.tools.scan import TYPES, main
from tests.tools.calling import make_tree

LINES = st.lists(st.sampled_from(["a", "ab", "b a", "", "aa\r", "é", "A"]), max_size=6).map(
    lambda lines: "\n".join(lines).removesuffix("\r")
)
PATTERNS = st.sampled_from(["a", "^a", "a$", "b|é", "a*", r"\bb", "[^a]b", r"(?i)a", r"(?<x>b) a", r"^$"])
MULTILINE = st.sampled_from(["a", r"a\sa", r"a.*?b", r"b\n", r"\n\n", r"(?s)^a.b$"])


def ours(*options: str) -> tuple[int, list[bytes]]:
    out = BytesIO()
    code = main([*options, "--null", "-H", "./"], out)
    return code, by_file(out.getvalue())


def ripgreps(*options: str) -> tuple[int, list[bytes]]:
    argv = [*find_program(Path.cwd()), "--no-require-git", *options, "--null", "-H", "./"]
    done = subprocess.run(argv, capture_output=True, check=False)
    return done.returncode, by_file(done.stdout)


def by_file(printed: bytes) -> list[bytes]:
    """What was printed, sorted by file: neither search promises an order of files."""
    if b"\n" not in printed:
        return sorted(printed.split(b"\0"))
    lines = [line.rstrip(b"\r") for line in printed.split(b"\n")]
    return sorted(lines, key=lambda line: line.partition(b"\0")[0])


SEARCHES = {
    "files": st.dictionaries(st.sampled_from(["x.py", "a/x.py", "a/b/y.js", "z"]), LINES, min_size=1),
    "search": st.one_of(
        st.tuples(PATTERNS.map(lambda pattern: [f"--regexp={pattern}"]), st.sampled_from(["-l", "--count", "-n"])),
        st.tuples(
            MULTILINE.map(lambda pattern: [f"--regexp={pattern}", "-U", "--multiline-dotall"]),
            st.sampled_from(["-l", "-n"]),
        ),
    ),
    "options": st.sets(st.sampled_from(["-i", "-A1", "-B2", "--type=py", "--max-depth=2"])),
}


def prints_as_ripgrep_does(files: dict[str, str], search: tuple[list[str], str], options: set[str]) -> None:
    (pattern, mode) = search
    with tempfile.TemporaryDirectory() as directory, chdir(directory):
        make_tree(Path(directory), dict(files))
        arguments = [*pattern, mode, "--no-heading", "--crlf", *sorted(options)]
        assert ours(*arguments) == ripgreps(*arguments)


@settings(deadline=None, max_examples=15)
@given(**SEARCHES)
def test_made_up_searches(files: Any, search: Any, options: Any) -> None:
    prints_as_ripgrep_does(files, search, options)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(deadline=None, max_examples=1_000)
@given(**SEARCHES)
def test_many_made_up_searches(files: Any, search: Any, options: Any) -> None:
    prints_as_ripgrep_does(files, search, options)


def test_the_types_are_ripgreps(tmp_path: Path) -> None:
    """Of each type that we know, ripgrep takes every file that we take."""
    names = {"Makefile", "makefile", "GNUmakefile", "Gemfile", "Rakefile"}
    for glob in TYPES.values():
        for extension in glob.replace("{", " ").replace("}", " ").replace(",", " ").split():
            names.add("x" + extension.removeprefix("*") if extension.startswith("*.") else f"x.{extension}")
    make_tree(tmp_path, dict.fromkeys(names, ""))
    with chdir(tmp_path):
        for type_ in TYPES:
            printed = ours("--files", f"--type={type_}")[1]
            assert len(printed) > 1, type_
            assert set(printed) <= set(ripgreps("--files", f"--type={type_}")[1]), type_


@pytest.mark.parametrize("pattern", ["(", "*a", "[z-a]", "a{2,1}", r"(?P<n>a)(?P<n>b)", "(" * 500])
def test_a_pattern_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], pattern: str) -> None:
    with chdir(tmp_path):
        assert ours(f"--regexp={pattern}", "-n") == (2, [b""])
    assert capsys.readouterr().err.startswith(f"regex parse error:\n    {pattern}\nerror: ")


def test_unreadable_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")
    make_tree(tmp_path, {"a": "x\n"})
    out = BytesIO()
    with chdir(tmp_path):
        assert main(["-l", "--null", "--regexp=x", "./dangling", "./a"], out) == 0
    assert out.getvalue() == b"./a\0"


def test_names_and_text_that_are_no_utf8_pass_through(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff")).write_bytes(b"caf\xe9\n")
    with chdir(tmp_path):
        assert ours("--regexp=caf", "-n") == (0, [b"", b"./bad\xff\x001:caf\xe9"])
