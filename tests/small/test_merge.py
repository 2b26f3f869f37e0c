"""What a model wrote becomes a file: parts take their places, and nothing that was not mentioned is lost."""

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.merge import merged
from ferrule.small.code.splice import UnusableError

FILE = '''\
#!/usr/bin/env python3
"""Counts things."""

import os
import sys

LIMIT = 10  # at most


class Counter:
    """Counts."""

    step = 1

    def __init__(self):
        self.count = 0

    @property
    def value(self):
        return self.count

    @value.setter
    def value(self, new):
        self.count = new

    async def wait(self):
        return self.count

    class Inner:
        def deep(self):
            return 1


def path():
    return os.sep


# About the next one.
@staticmethod
def stop():
    sys.exit(LIMIT)


if __name__ == "__main__":
    stop()
'''


def test_a_whole_file_takes_the_place_of_another() -> None:
    new = "import os\n\n\ndef f():\n    return os.sep\n"
    assert merged("a.py", None, new) == new
    assert merged("a.py", "", new) == new
    assert merged("a.txt", "one\n", "one\ntwo") == "one\ntwo\n"


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("def path():\n    return os.altsep\n", "return os.sep", "return os.altsep"),
        ("    def path():\n        return os.altsep\n", "return os.sep", "return os.altsep"),
        ("async def path():\n    return os.sep\n", "def path", "async def path"),
        ("LIMIT = 20\n", "LIMIT = 10  # at most", "LIMIT = 20"),
        ("def __init__(self):\n    self.count = 5\n", "self.count = 0", "self.count = 5"),
        ("class Counter:\n    def __init__(self):\n        self.count = 5\n", "self.count = 0", "self.count = 5"),
        ("class Counter:\n    step = 2\n", "step = 1", "step = 2"),
        (
            "async def wait(self):\n    return 7\n",
            "wait(self):\n        return self.count",
            "wait(self):\n        return 7",
        ),
        (
            "class Counter:\n    class Inner:\n        def deep(self):\n            return 2\n",
            "return 1\n",
            "return 2\n",
        ),
        ("@staticmethod\ndef stop():\n    sys.exit(1)\n", "sys.exit(LIMIT)", "sys.exit(1)"),
        (
            "def stop():\n    sys.exit(1)\n",
            "@staticmethod\ndef stop():\n    sys.exit(LIMIT)",
            "def stop():\n    sys.exit(1)",
        ),
        ('if __name__ == "__main__":\n    path()\n', "    stop()\n", "    path()\n"),
        (
            "class Counter:\n    @value.setter\n    def value(self, new):\n        self.count = -new\n",
            "self.count = new",
            "self.count = -new",
        ),
        ("import json\nimport os\n", "import sys\n", "import sys\nimport json\n"),
        ("import json\n\n\ndef path():\n    return json\n", "", ""),
        (
            "# ... existing code\n\ndef path():\n    return 1\n\n# the rest stays the same\n",
            "return os.sep",
            "return 1",
        ),
        (
            "class Counter:\n    def wait(self):\n        ...\n\n\ndef path():\n    return 1\n",
            "return os.sep",
            "return 1",
        ),
    ],
)
def test_a_part_takes_the_place_of_its_like(part: str, old: str, new: str) -> None:
    result = merged("a.py", FILE, part)
    if old:
        assert result == FILE.replace(old, new)
    assert set(names(FILE)) <= set(names(result))


def names(text: str) -> list[str]:
    return [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
    ]


def test_what_is_new_is_added_where_it_belongs() -> None:
    added = "\n\ndef first():\n    return json\n\n\ndef second():\n    return TWICE\n"
    result = merged("a.py", FILE, f"import json\n\nSIZE = 1\nTWICE = SIZE * 2\n{added}")
    expected = FILE.replace("import sys\n", "import sys\nimport json\n")
    expected = expected.replace("# at most\n", "# at most\nSIZE = 1\nTWICE = SIZE * 2\n")
    tail = "    sys.exit(LIMIT)\n"
    assert result == expected.replace(tail, tail + added)


def test_a_method_alone_goes_to_the_only_class() -> None:
    result = merged("a.py", FILE, "def more(self):\n    return self.count + 1\n")
    inner = "        def deep(self):\n            return 1\n"
    assert result == FILE.replace(inner, inner + "\n    def more(self):\n        return self.count + 1\n")


@pytest.mark.parametrize(
    "part",
    [
        "def path():\n    # ... existing code\n    return 1\n",
        "class Counter:\n    def wait(self):\n        # rest of the method stays the same\n        return 1\n",
        "",
        "\n\n",
        "def path(:\n    return 1\n",
        "The function is fine.\n",
        "def \0():\n",
        "(" * 500,
    ],
)
def test_what_leaves_lines_out_or_is_no_python_is_refused(part: str) -> None:
    with pytest.raises(UnusableError):
        merged("a.py", FILE, part)


@pytest.mark.parametrize("stub", ["def path():\n    ...\n", 'def path():\n    """Gives a path."""\n    ...\n'])
def test_a_stub_is_no_new_body(stub: str) -> None:
    assert merged("a.py", FILE, stub) == FILE


def test_a_file_of_one_function_keeps_what_stands_around_it() -> None:
    old = "#!/usr/bin/env python3\n# Ours.\n\nimport this  # noqa\n\n\ndef f():\n    return 1\n\n\nprint(f())\n"
    assert merged("a.py", old, "def f():\n    return 2\n") == old.replace("return 1", "return 2")


def test_lines_inside_of_strings_are_not_moved() -> None:
    old = "class A:\n    def text(self):\n        return 1\n\n    def other(self):\n        return 2\n"
    part = "def text(self):\n    return '''\nno\n  blanks\n'''\n"
    expected = old.replace("        return 1\n", "        return '''\nno\n  blanks\n'''\n")
    assert merged("a.py", old, part) == expected


def test_tabs_stay_tabs_and_form_feeds_stay() -> None:
    old = "class A:\n\tdef one(self):\n\t\treturn 1\n\f\n\tdef two(self):\n\t\treturn 2\n"
    part = "class A:\n    def one(self):\n        return 3\n"
    assert merged("a.py", old, part) == old.replace("return 1", "return 3")


def test_a_file_that_is_no_python_yet_is_replaced_or_mended() -> None:
    old = "def f(:\n    return 1\n\n\ndef g():\n    return 2\n"
    assert merged("a.py", old, old.replace("(:", "():")) == old.replace("(:", "():")


@pytest.mark.parametrize(
    ("path", "old", "part", "expected"),
    [
        (
            "app.js",
            "".join(f"const a{n} = {n};\n" for n in range(20)),
            "const a4 = 4;\nconst a5 = 55;\nconst a6 = 6;\n",
            "".join(f"const a{n} = {55 if n == 5 else n};\n" for n in range(20)),
        ),
        (
            "app.js",
            "".join(f"const a{n} = {n};\n" for n in range(20)),
            "// ... existing code\nconst a4 = 4;\nconst a5 = 55;\n// ...\nconst a15 = 15;\nconst a16 = 66;\n// rest",
            "".join(f"const a{n} = { {5: 55, 16: 66}.get(n, n) };\n" for n in range(20)),
        ),
        (
            "notes.md",
            "# Notes\n\none\n",
            "# Notes\n\none\n\n# Other projects\n\ntwo\n",
            "# Notes\n\none\n\n# Other projects\n\ntwo\n",
        ),
    ],
)
def test_fragments_of_other_files(path: str, old: str, part: str, expected: str) -> None:
    assert merged(path, old, part) == expected


def test_a_fragment_without_a_place_is_refused() -> None:
    old = "".join(f"line {n}\n" for n in range(40))
    with pytest.raises(UnusableError, match="Write the whole content of"):
        merged("a.txt", old, "something else\n")


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.json", '{"a": 1,}\n'), ("a.json", "[" * 100_000), ("a.toml", "a = \n"), ("a.json", "Here it is\n")],
)
def test_settings_must_be_sound(path: str, text: str) -> None:
    with pytest.raises(UnusableError, match="would not be valid"):
        merged(path, "{}\n" if path.endswith("json") else "a = 1\n", text)


def test_settings_with_comments_may_stay_so() -> None:
    old, new = '{\n  // ours\n  "a": 1\n}\n', '{\n  // ours\n  "a": 2\n}\n'
    assert merged("tsconfig.json", old, new) == new
    assert json.loads(merged("a.json", '{"a": 1}\n', '{"a": 2}')) == {"a": 2}


NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta", "omega"])
BODIES = st.sampled_from(
    [
        "return 1",
        "return [\n        1,\n    ]",
        "x = '''\ntext\n'''\n    return x",
        "yield 1  # so",
        "pass",
        '"""Does."""\n    return 2',
    ]
)
GAPS = st.sampled_from(["", "# a remark\n", "VALUE = 1\n\n\n", "print('hello')\n\n\n", "\n\n"])


@st.composite
def files(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """A file of functions, and each of them by its name."""
    text, functions = draw(st.sampled_from(["", '"""Doc."""\n\n', "#!/bin/sh\n", "import os\n\nos.sep\n\n\n"])), {}
    for name in draw(st.lists(NAMES, unique=True, min_size=2)):
        mark = draw(st.sampled_from(["", "@staticmethod\n", "async "]))
        functions[name] = f"{mark}def {name}():\n    {draw(BODIES)}\n"
        text += draw(GAPS) + functions[name] + "\n\n"
    return text.rstrip("\n") + "\n", functions


@given(files(), st.data())
def test_a_function_that_was_not_touched_changes_nothing(made: tuple[str, dict[str, str]], data: st.DataObject) -> None:
    text, functions = made
    name = data.draw(st.sampled_from(sorted(functions)))
    assert merged("a.py", text, functions[name]) == text


@given(files(), st.data())
def test_nothing_is_lost_that_was_not_mentioned(made: tuple[str, dict[str, str]], data: st.DataObject) -> None:
    text, functions = made
    name = data.draw(st.sampled_from(sorted(functions)))
    new = f"def {name}():\n    return 'new'\n"
    assert merged("a.py", text, new) == text.replace(functions[name], new)


@given(st.text(), st.text())
def test_any_two_texts_are_merged_or_refused(old: str, new: str) -> None:
    for path in ("a.py", "a.json", "a.txt"):
        try:
            result = merged(path, old, new)
        except UnusableError:
            continue
        assert result.endswith("\n")
        assert lines_of(result)


def test_words_count_where_they_are_what_is_to_change() -> None:
    old = "def f(x):\n    return x\n\n\nclass A:\n    def g(self):\n        return 1\n"
    new = 'def f(x):\n    """Says x."""\n    return x\n'
    assert merged("a.py", old, new) == old
    assert merged("a.py", old, new, words_count=True) == old.replace("def f(x):\n", 'def f(x):\n    """Says x."""\n')
    described = 'class A:\n    """An A."""\n\n    def g(self):\n        return 1\n'
    assert '    """An A."""\n\n    def g(self):\n' in merged("a.py", old, described, words_count=True)


def test_nobody_asked_for_every_name_of_a_module() -> None:
    old = "def f(x):\n    return x\n"
    assert merged("a.py", old, "from typing import *\n\ndef f(x: int) -> int:\n    return x\n") == old.replace(
        "f(x)", "f(x: int) -> int"
    )


def test_what_uses_a_definition_stands_behind_it() -> None:
    old = "class Garden:\n    def __init__(self):\n        pass\n"
    new = old.replace("pass", "self.x = 1") + "\n\ndef made():\n    return 1\n\n\nFIRST = Garden()\nSECOND = made()\n"
    result = merged("a.py", old, new)
    assert result.index("class Garden") < result.index("FIRST = Garden()")
    assert result.index("def made") < result.index("SECOND = made()")


def test_a_first_import_keeps_its_distance() -> None:
    base = "class A:\n    def f(self):\n        pass\n"
    new = "import os\nfrom threading import Lock\nclass A:\n    def f(self):\n        return Lock(), os\n"
    assert merged("a.py", base, new) == new.replace("Lock\n", "Lock\n\n\n", 1)
    close = "import os\n" + base
    assert merged("a.py", close, new) == new, "who likes it close keeps it so"
