import asyncio
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.tools.ripgrep import files_below, find_program
from ferrule.tools.walk import parse_rules, walk
from tests.tools.calling import make_tree


def by_ripgrep(root: Path) -> list[str]:
    return sorted(asyncio.run(files_below(find_program(root), root)))


def walked(root: Path) -> list[str]:
    return sorted(walk(str(root)))


def tree(root: Path, ignores: dict[str, str], *names: str) -> Path:
    make_tree(root, {**ignores, **dict.fromkeys(names, "x\n")})
    return root


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        ("*.log", [".hidden", "a.py", "build/x.o", "src/build", "src/deep/b.py"]),
        ("build", [".hidden", "a.log", "a.py", "src/deep/b.py", "src/deep/c.log"]),
        ("build/", [".hidden", "a.log", "a.py", "src/build", "src/deep/b.py", "src/deep/c.log"]),
        ("/build", [".hidden", "a.log", "a.py", "src/build", "src/deep/b.py", "src/deep/c.log"]),
        ("src/*", [".hidden", "a.log", "a.py", "build/x.o"]),
        ("src/**/*.py", [".hidden", "a.log", "a.py", "build/x.o", "src/build", "src/deep/c.log"]),
        ("*.log\n!a.log", [".hidden", "a.log", "a.py", "build/x.o", "src/build", "src/deep/b.py"]),
        ("*\n!*/\n!*.py", ["a.py", "src/deep/b.py"]),
        ("# a comment\n\n   \n*.py  \n", [".hidden", "a.log", "build/x.o", "src/build", "src/deep/c.log"]),
        ("\ufeff*.py\r\n*.log\r\n", [".hidden", "build/x.o", "src/build"]),
        ("[\n{a\n*.{py,log}", [".hidden", "build/x.o", "src/build"]),
        ("!\n/\n!/", [".hidden", "a.log", "a.py", "build/x.o", "src/build", "src/deep/b.py", "src/deep/c.log"]),
    ],
)
def test_a_gitignore_is_honoured_as_ripgrep_does(tmp_path: Path, rules: str, left: list[str]) -> None:
    names = [".hidden", "a.py", "a.log", "build/x.o", "src/build", "src/deep/b.py", "src/deep/c.log"]
    tree(tmp_path, {".gitignore": rules}, *names)
    assert [path for path in walked(tmp_path) if path != ".gitignore"] == left
    assert walked(tmp_path) == by_ripgrep(tmp_path)


def test_rules_of_nested_and_outer_directories(tmp_path: Path) -> None:
    ignores = {".gitignore": "*.a\n*.b\n", "sub/.gitignore": "!x.a\n/top.c\n", "sub/.ignore": "*.d\n!y.b\n"}
    tree(tmp_path, ignores, "x.a", "sub/x.a", "sub/z.a", "sub/y.b", "sub/top.c", "sub/deep/top.c", "sub/q.d", "q.d")
    inside = ["deep/top.c", "x.a", "y.b"]
    assert walked(tmp_path / "sub") == sorted([*inside, ".gitignore", ".ignore"]) == by_ripgrep(tmp_path / "sub")
    assert walked(tmp_path) == by_ripgrep(tmp_path)
    assert [path for path in walked(tmp_path) if "gitignore" not in path] == [
        "q.d",
        "sub/.ignore",
        "sub/deep/top.c",
        "sub/x.a",
        "sub/y.b",
    ]


def test_the_rules_above_a_repository_do_not_reach_into_it(tmp_path: Path) -> None:
    tree(tmp_path, {".gitignore": "*.py\n", ".ignore": "*.js\n"}, "repo/a.py", "repo/a.js", "repo/.git/config")
    tree(tmp_path, {"repo/.git/info/exclude": "*.o\n", "repo/.rgignore": "*.z\n"}, "repo/a.o", "repo/a.z")
    assert walked(tmp_path / "repo") == [".rgignore", "a.py"] == by_ripgrep(tmp_path / "repo")
    assert walked(tmp_path) == by_ripgrep(tmp_path)


def test_links_pipes_and_git_itself_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, {}, "a/file", ".git/HEAD", "a/.git")
    (tmp_path / "link").symlink_to("a/file")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe")
    assert walked(tmp_path) == ["a/file"] == by_ripgrep(tmp_path)


def test_odd_names(tmp_path: Path) -> None:
    tree(tmp_path, {".gitignore": "hidden*\n"}, "new\nline", "-dash", "[x]", "sp ace", "hidden\nx", "\x1b[1m")
    (tmp_path / os.fsdecode(b"bad\xff")).touch()
    assert walked(tmp_path) == by_ripgrep(tmp_path)
    assert len(walked(tmp_path)) == 7


def test_a_pipe_named_gitignore_holds_nobody_up(tmp_path: Path) -> None:
    tree(tmp_path, {}, "a")
    os.mkfifo(tmp_path / ".gitignore")
    assert walked(tmp_path) == ["a"]


def test_a_very_deep_tree(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(400):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "file").touch()
    assert walked(tmp_path) == ["d/" * 400 + "file"]


def test_an_escaped_blank_at_the_end_belongs_to_the_name() -> None:
    (rule,) = parse_rules("a\\ \n")
    assert rule.regex.fullmatch("a ")


NAMES = st.sampled_from(["a", "b", "ab", "a.py", "b.py", ".a", "a b", ".git"])
RULES = st.builds(
    "".join,
    st.lists(st.sampled_from(["!", "/", "a", "b", "*", "**/", "/**", ".py", "?", "[ab]", ".", " "]), max_size=5),
).filter(lambda rule: "//" not in rule and (not rule or set(rule) & set("ab*?")))
"""Without a name, or with an empty part, a rule means nothing to git and something odd to ripgrep."""


TREES = {
    "files": st.lists(st.lists(NAMES, min_size=1, max_size=4), min_size=1, max_size=8),
    "ignores": st.dictionaries(
        st.sampled_from([".gitignore", "a/.gitignore", ".ignore", "a/b/.gitignore", "b/.ignore"]),
        st.lists(RULES, max_size=4),
        max_size=3,
    ),
    "is_repository": st.booleans(),
}


def walks_as_ripgrep_does(files: list[list[str]], ignores: dict[str, list[str]], is_repository: bool) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        if is_repository:
            (root / ".git").mkdir()
        for path in [*map("/".join, files), *ignores]:
            try:
                make_tree(root, {path: "\n".join(ignores.get(path, []))})
            except (FileExistsError, NotADirectoryError, IsADirectoryError):
                continue
        assert walked(root) == by_ripgrep(root)


@settings(deadline=None, max_examples=15)
@given(**TREES)
def test_made_up_trees(files: Any, ignores: Any, is_repository: Any) -> None:
    walks_as_ripgrep_does(files, ignores, is_repository)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(deadline=None, max_examples=1_000)
@given(**TREES)
def test_many_made_up_trees(files: Any, ignores: Any, is_repository: Any) -> None:
    walks_as_ripgrep_does(files, ignores, is_repository)
