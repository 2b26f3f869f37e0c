import time

import pytest

from ferrule.tools.patterns import compile_glob, expand, name_part, split_root


@pytest.mark.parametrize(
    ("pattern", "fits", "not_"),
    [
        ("*.py", ["a.py", ".py", ".hidden.py", "new\nline.py"], ["a.pyc", "src/a.py", "py"]),
        ("**/*.py", ["a.py", "src/a.py", "a/b/c/d.py"], ["a.js", "src/py"]),
        ("src/*.ts", ["src/a.ts"], ["src/x/a.ts", "a.ts", "lib/src/a.ts"]),
        ("src/**/*.ts", ["src/a.ts", "src/x/a.ts", "src/x/y/a.ts"], ["a.ts", "xsrc/a.ts"]),
        ("src/**", ["src/a", "src/a/b"], ["src", "lib/a"]),
        ("**", ["a", "a/b", ""], []),
        ("**/**/**/a", ["a", "x/a", "x/y/z/w/a"], ["b"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("a**b", ["ab", "axxb"], ["a/b"]),
        ("?.txt", ["a.txt", "é.txt"], ["ab.txt", "/.txt"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "-x"]),
        ("[!a-c]x", ["dx"], ["ax", "/x"]),
        ("[^a]x", ["bx"], ["ax"]),
        ("[]]x", ["]x"], ["ax"]),
        ("[[]x", ["[x"], ["]x"]),
        (r"[\]", ["\\"], ["]"]),
        ("*.{js,ts}", ["a.js", "b.ts"], ["a.jsx", "a.{js,ts}"]),
        ("{a,b/{c,d}}.x", ["a.x", "b/c.x", "b/d.x"], ["b.x", "c.x"]),
        ("a{,.min}.js", ["a.js", "a.min.js"], ["amin.js"]),
        ("{a}", ["a"], ["{a}"]),
        (r"\*\{x\}", ["*{x}"], ["ax"]),
        ("a.b+c(d)|e", ["a.b+c(d)|e"], ["axb+c(d)|e"]),
        ("*a*b*c", ["abc", "xaxbxc", "aabbcc"], ["acb", "ab/c"]),
        ("*ab*", ["ab", "aab", "xaabx"], ["a", "ba"]),
        ("}", ["}"], [""]),
    ],
)
def test_globs(pattern: str, fits: list[str], not_: list[str]) -> None:
    regex = compile_glob(pattern)
    assert [path for path in fits if not regex.fullmatch(path)] == []
    assert [path for path in not_ if regex.fullmatch(path)] == []


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("a[b", "a [ is not closed"),
        ("{a,b", "a { is not closed"),
        ("[z-a]", "bad character range z-a"),
        ("{a,b}" * 11, "more than 1,000 alternatives"),
    ],
)
def test_what_is_no_glob_is_said(pattern: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"is no glob pattern|alternatives") as caught:
        compile_glob(pattern)
    assert words in str(caught.value)


def test_no_pattern_makes_the_search_explode() -> None:
    regex = compile_glob("**/" + "*a" * 30 + "*b/" + "**/x" * 4)
    began = time.process_time()
    assert not regex.fullmatch("/".join(["a" * 250] * 15))
    assert time.process_time() - began < 10


def test_alternatives_are_written_out() -> None:
    assert expand("{a,b}{1,2}") == ["a1", "a2", "b1", "b2"]
    assert expand("plain") == ["plain"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.py", ("", "*.py")),
        ("src/app/*.py", ("src/app", "*.py")),
        ("src/**/x/*.py", ("src", "**/x/*.py")),
        ("../other/*.py", ("../other", "*.py")),
        ("/abs/dir/**", ("/abs/dir", "**")),
        ("/*.py", ("/", "*.py")),
        ("src/a.py", ("src", "a.py")),
        ("{a,b}/c", ("", "{a,b}/c")),
    ],
)
def test_the_plain_directories_in_front_are_split_off(pattern: str, expected: tuple[str, str]) -> None:
    assert split_root(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src/**/*.{ts,tsx}", "*.{ts,tsx}"),
        ("Makefile", "Makefile"),
        ("src/**", "*"),
        ("{a/x,b/y}", "*"),
        ("a:b", "*"),
        ("[ab].py", "*"),
        ("{a,{b,c}}", "*"),
        ("a,b", "*"),
        ("src/", "*"),
    ],
)
def test_the_part_that_concerns_the_name_alone(pattern: str, expected: str) -> None:
    assert name_part(pattern) == expected
