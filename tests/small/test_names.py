"""Imports that a model forgot, and functions that a request describes."""

import ast

import pytest

from ferrule.small.code.names import (
    defines,
    imports_in_vain,
    promised,
    signatures,
    undefined,
    used_too_early,
    with_imports,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("print(json.dumps(1))\n", "import json\n\nprint(json.dumps(1))\n"),
        ("def f():\n    return Path()\n", "from pathlib import Path\n\n\ndef f():\n    return Path()\n"),
        ('"""Doc."""\n\nimport os\n\nos.x(re)\n', '"""Doc."""\n\nimport re\nimport os\n\nos.x(re)\n'),
        ("#!/bin/python\n# Ours.\nre.x()\n", "#!/bin/python\n# Ours.\n\nimport re\n\nre.x()\n"),
        (
            '#!/bin/python\n"""Doc."""\nfrom __future__ import annotations\n\nre.x()\n',
            '#!/bin/python\n"""Doc."""\nfrom __future__ import annotations\n\nimport re\n\nre.x()\n',
        ),
        ("helper()\n", "from lib.tools import helper\n\nhelper()\n"),
        ("unheard_of()\n", "unheard_of()\n"),
        ("import json\njson.x()\n", "import json\njson.x()\n"),
        ("from x import *\njson.x()\n", "from x import *\njson.x()\n"),
        ("def f(re):\n    return re\n", "def f(re):\n    return re\n"),
        ("def (:\n", "def (:\n"),
    ],
)
def test_what_is_missing_is_imported(text: str, expected: str) -> None:
    project = {"src/lib/tools.py": "def helper():\n    return 1\n", "a.py": text}
    assert with_imports("a.py", text, project) == expected
    assert with_imports("a.py", expected, project) == expected


def test_names_that_are_bound_anywhere_are_not_missing() -> None:
    text = (
        "import a.b as c\nfor i in c: pass\nwith c as w: pass\ntry: pass\nexcept E as e: pass\n"
        "match c:\n    case {'x': x, **rest}: pass\n    case [y, *z]: pass\n"
        "[j for j in (k := w)]\nlambda m: m\nclass D: __name__\nprint(i, w, e, x, rest, y, z, k, D, missing)\n"
    )
    assert undefined(ast.parse(text)) == {"E", "missing"}


def test_functions_that_a_request_describes() -> None:
    text = "Write slugify(text, sep='-') and use known(a); print(x) as well; not Upper(x)"
    assert signatures(text, {"known"}) == {"slugify": "slugify(text, sep='-')"}


def test_a_long_word_in_parentheses_takes_no_time() -> None:
    assert signatures("parse(" + "customer_invoice_number" * 40 + ": int)", set()) == {}


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("def f(): pass\n", True),
        ("  async def f(): pass\n", True),
        ("f = 1\n", True),
        ("f()\n", False),
        ("def ff(): pass\n", False),
    ],
)
def test_whether_a_file_defines_a_name(text: str, is_there: bool) -> None:
    assert defines(text, "f") == is_there


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Create temps.py with functions c_to_f and f_to_c", ["c_to_f", "f_to_c"]),
        ("with the functions `add_tax()`, net_of and plain", ["add_tax", "net_of"]),
        ("a function called to_roman", ["to_roman"]),
        ("Write half(x) and a function to_roman", ["half", "to_roman"]),
        ("use the function known_one for it", []),
        ("Write a function that adds two numbers", []),
        ("function " + "a" * 50_000, []),
    ],
)
def test_functions_that_a_request_wants_by_name(text: str, names: list[str]) -> None:
    assert promised(text, {"known_one"}) == names


def test_what_is_used_before_it_is_defined() -> None:
    text = "import a\nx = made(1)\nlater = lambda: other()\ny = abs(1)\n\n\n"
    text += "def made(n):\n    return other()\n\n\ndef other(): ...\nz = other()\n"
    assert used_too_early(text) == {"made"}
    assert used_too_early("no python (") == set()


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("import os\nimport tomllib\n\n\ndef f():\n    return json.dumps(1)\n", True),
        ("import json\nimport os\n\n\ndef f():\n    return json.dumps(1)\n", False),
        ("import os\nimport json\n\n\ndef f():\n    return json.dumps(2)\n", False),
        ("import os\n\n\ndef f(:\n", False),
    ],
)
def test_what_is_imported_in_vain(text: str, *, is_so: bool) -> None:
    assert imports_in_vain("import os\n\n\ndef f():\n    return json.dumps(1)\n", text) is is_so
