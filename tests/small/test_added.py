"""Functions that are added, and what becomes of the others."""

from pathlib import Path

import pytest

from ferrule.small.mends.added import others_kept, with_exported
from ferrule.small.words.wish import understand
from tests.server import ModelServer
from tests.small.led import answer, asked, opened

SCRIPT = """\
// how bright it is
function brightness(hex) {
  return hex;
}

function readableOn(hex) {
  if (brightness(hex) >= 128) {
    return 'black';
  }
  return 'white';
}

module.exports = { brightness, readableOn };
"""
DARK = "function isDark(hex) {\n  return brightness(hex) < 128;\n}\n"
CALC = "def double(x):\n    return 2 * x\n\n\ndef half(x):\n    return x / 2\n"
TRIPLE = "\n\ndef triple(x):\n    return 3 * x\n"
WISH = understand("Add a function isDark(hex) that returns true if brightness(hex) is below 128, and export it too.")


def test_the_others_stay_as_they_are() -> None:
    worse = SCRIPT.replace(">= 128", "< 128").replace("module", f"{DARK}\nmodule")
    assert others_kept("a.js", SCRIPT, worse, WISH) == SCRIPT.replace("module", f"{DARK}\nmodule")
    worse = CALC.replace("2 * x", "3 * x") + TRIPLE
    assert others_kept("a.py", CALC, worse, understand("Add a function triple to a.py")) == CALC + TRIPLE


def test_a_class_gets_its_method() -> None:
    before = "class Cart:\n    def total(self):\n        return 1\n"
    after = f"{before}\n    def count(self):\n        return 2\n"
    assert others_kept("a.py", before, after, understand("Add a method count to Cart")) == after


@pytest.mark.parametrize(
    "request_",
    [
        "Add a function triple and use it in double",
        "Change double in a.py",
        "Add a parameter to double",
        "Write a function triple; double should call it",
    ],
)
def test_where_more_is_asked_for_more_changes(request_: str) -> None:
    changed = CALC.replace("2 * x", "3 * x") + TRIPLE
    assert others_kept("a.py", CALC, changed, understand(request_)) == changed


def test_what_cannot_be_read_stays() -> None:
    assert others_kept("a.py", CALC, "def f(:\n", WISH) == "def f(:\n"
    assert others_kept("a.js", SCRIPT, "", WISH) == ""


def test_a_new_function_is_exported_where_all_are() -> None:
    new = SCRIPT.replace("module", f"{DARK}\nmodule")
    assert with_exported(SCRIPT, new) == new.replace("readableOn }", "readableOn, isDark }")
    done = new.replace("readableOn }", "readableOn, isDark }")
    assert with_exported(SCRIPT, done) == done
    some = SCRIPT.replace("brightness, readableOn }", "readableOn }")
    assert with_exported(some, some + DARK) == some + DARK
    assert with_exported(DARK, DARK + "function b() {\n}\n") == DARK + "function b() {\n}\n"
    lines = SCRIPT.replace("{ brightness, readableOn }", "{\n  brightness,\n  readableOn,\n}")
    assert with_exported(lines, lines + DARK) == (lines + DARK).replace("  readableOn,\n", "  readableOn,\n  isDark,\n")


async def test_only_the_new_function_is_written_and_its_example_is_a_check(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    wrong, right = "   \n    return x - x\n```\n", "def invert(x):\n    return 255 - x\n"
    (project / "other.py").write_text("def shown(x):\n    return x.name\n\n\ndef far(y):\n    return y.name\n")
    async with opened(project, server, wrong, f"{CALC}\n\n{right}```\n") as session:
        await session.prompt("Add a function invert(x) to calc.py that gives 255 minus x, so invert(100) is 155.")
        assert answer(session) == "Changed calc.py. Checked: `invert(100)`."
    assert (project / "calc.py").read_text() == f"{CALC}\n\n{right}"
    assert len(server.requests) == 2
    assert "Write only the new function invert(x)." in asked(server, 0)
    assert server.requests[0].body["messages"][-1]["content"].rstrip().endswith("```python\ndef invert(x):")
    assert "A check fails" not in asked(server, 0)
    assert "def shown(x):" in asked(server, 0)
    assert "def far(y):" not in asked(server, 0)
    assert "def invert(x):\n    return x - x\n" in asked(server, 1)
    assert "invert(100)" in asked(server, 1)
