"""Files cut into blocks: together they are all of it, and each is what a reader would name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.small.code.blocks import Block, blocks_of, is_stub, lines_of, silent_lines


def test_python_is_cut_at_its_definitions() -> None:
    text = (
        "import os\n\n\n@mark\ndef one():\n    pass\n\n\nclass Two:\n    x = 1\n\n\n"
        "async def three():\n    pass\n\n\nend = 1\n"
    )
    assert blocks_of("a.py", text) == [
        Block(first=1, last=3),
        Block(first=4, last=8, name="one"),
        Block(first=9, last=12, name="Two"),
        Block(first=13, last=16, name="three"),
        Block(first=17, last=17),
    ]


def test_a_long_class_is_cut_at_its_methods() -> None:
    methods = "".join(f"    def m{n}(self):\n        return {n}\n\n" for n in range(10))
    found = blocks_of("a.py", f"class Long:\n{methods}")
    assert [one.name for one in found] == ["Long", *(f"Long.m{n}" for n in range(10))]


def test_other_files_are_cut_at_paragraphs_and_headings() -> None:
    text = "# One\n\na\nb\nc\n\n# Two\n\nd\n"
    assert blocks_of("a.md", text) == [Block(first=1, last=6), Block(first=7, last=9)]
    assert blocks_of("a.py", "def f(:\n") == [Block(first=1, last=1)]
    assert blocks_of("a.py", "") == []


def test_lines_are_counted_as_a_compiler_counts_them() -> None:
    assert lines_of("a\fb\u2028c\nd\n") == ["a\fb\u2028c", "d"]
    text = "x = '\u2028'\n\f\n\ndef f():\n    pass\n"
    assert blocks_of("a.py", text) == [Block(first=1, last=3), Block(first=4, last=5, name="f")]


@given(st.text(alphabet="ab:{}[]# \n\t\f\u2028", max_size=80), st.sampled_from(["a.py", "a.md", "a.toml"]))
def test_blocks_are_all_of_a_file(text: str, path: str) -> None:
    covered = [number for one in blocks_of(path, text) for number in range(one.first, one.last + 1)]
    assert covered == list(range(1, len(lines_of(text)) + 1))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("def f(x):\n    pass\n", True),
        ('class A:\n    def f(self):\n        """Does it."""\n        raise NotImplementedError("later")\n', True),
        ("def f(x):\n    ...\n\n\ndef g(x):\n    return x\n", False),
        ("X = 1\n", False),
        ("def f(", False),
        ("def f():\n    return 1\n\n\ndef g():\n    pass\n\n\ndef h():\n    pass\n", True),
        ("def f():\n    return 1\n\n\ndef g():\n    pass\n", False),
    ],
)
def test_files_that_are_to_be_filled_in(text: str, is_one: bool) -> None:
    assert is_stub("a.py", text) is is_one
    assert not is_stub("a.js", text)


def test_lines_that_do_nothing() -> None:
    text = '"""Says\nmuch."""\n\nx = "a"\n# a comment\ndef f():\n    """Words."""\n    return """long\nvalue"""\n'
    assert silent_lines("a.py", text) == {1, 2, 3, 5, 7}
    assert silent_lines("a.js", "// x\nlet y = 1;\n\n") >= {1}
