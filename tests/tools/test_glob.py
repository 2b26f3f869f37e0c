import os
from pathlib import Path
from typing import Any

import pytest

from ferrule.core.tool import Effect
from ferrule.tools.glob import Glob
from ferrule.tools.ripgrep import BUILT_IN, FindProgram, find_program
from tests.tools.calling import context_in, make_tree, refusal_of, words_of

OLD = 1_600_000_000
FINDERS = pytest.mark.parametrize("find", [find_program, lambda _: BUILT_IN], ids=["rg", "built-in"])


def project(root: Path) -> Path:
    """A tree in which every file is a second newer than the one before it."""
    names = ["Makefile", "src/a.py", "src/b.ts", "src/deep/c.py", "src/deep/Makefile", ".github/ci.yml", "web/x.js"]
    make_tree(root, {".gitignore": "*.log\nbuild/\n", "a.log": "", "build/out.py": "", ".git/HEAD": ""})
    make_tree(root, dict.fromkeys(names, ""))
    for age, name in enumerate([".gitignore", *names]):
        os.utime(root / name, (OLD + age, OLD + age))
    return root


CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({"pattern": "**/*.py"}, ["src/deep/c.py", "src/a.py"]),
    ({"pattern": "*.py"}, ["src/deep/c.py", "src/a.py"]),
    ({"pattern": "src/*.py"}, ["src/a.py"]),
    ({"pattern": "./src/*.py"}, ["src/a.py"]),
    ({"pattern": "src/**/*.py"}, ["src/deep/c.py", "src/a.py"]),
    ({"pattern": "*.{ts,js}"}, ["web/x.js", "src/b.ts"]),
    ({"pattern": "{src,web}/*.{ts,js}"}, ["web/x.js", "src/b.ts"]),
    ({"pattern": "Makefile"}, ["src/deep/Makefile", "Makefile"]),
    ({"pattern": "/Makefile"}, []),
    ({"pattern": "src"}, ["src/deep/Makefile", "src/deep/c.py", "src/b.ts", "src/a.py"]),
    ({"pattern": "src/deep/"}, ["src/deep/Makefile", "src/deep/c.py"]),
    ({"pattern": "*.py", "path": "src/deep"}, ["src/deep/c.py"]),
    ({"pattern": "../*.ts", "path": "src/deep"}, ["src/b.ts"]),
    ({"pattern": "*.yml"}, [".github/ci.yml"]),
    ({"pattern": "*.log"}, []),
    ({"pattern": "**/out.py"}, []),
    ({"pattern": "**/HEAD"}, []),
    ({"pattern": "build/*.py"}, ["build/out.py"]),
    ({"pattern": "nowhere/*.py"}, []),
    ({"pattern": "[ab].py"}, ["src/a.py"]),
]


@pytest.mark.parametrize(
    ("find", "cases"),
    [(find_program, CASES), (lambda _: BUILT_IN, CASES[::4])],
    ids=["rg", "built-in"],
)
async def test_patterns(tmp_path: Path, find: FindProgram, cases: list[tuple[dict[str, Any], list[str]]]) -> None:
    glob, context = Glob(find), context_in(project(tmp_path))
    for arguments, expected in cases:
        files = f"({len(expected)} file{'s' if len(expected) > 1 else ''})"
        words = "\n".join([*expected, files]) if expected else f"No file matches {arguments['pattern']}."
        assert (arguments, await words_of(glob, context, **arguments)) == (arguments, words)


@FINDERS
async def test_an_absolute_pattern_and_a_place_outside(tmp_path: Path, find: FindProgram) -> None:
    home, outside = project(tmp_path / "home"), project(tmp_path / "outside")
    glob, context = Glob(find), context_in(home)
    assert await words_of(glob, context, pattern=f"{home}/src/*.py") == "src/a.py\n(1 file)"
    assert await words_of(glob, context, pattern=f"{outside}/src/*.py") == f"{outside}/src/a.py\n(1 file)"
    assert await words_of(glob, context, pattern="../outside/src/*.ts") == f"{outside}/src/b.ts\n(1 file)"
    assert await words_of(glob, context, pattern="*.ts", path="../outside") == f"{outside}/src/b.ts\n(1 file)"


@FINDERS
async def test_a_hundred_are_shown_and_all_are_counted(tmp_path: Path, find: FindProgram) -> None:
    make_tree(tmp_path, {f"{number:04}.txt": "" for number in range(1_234)})
    for number in range(1_234):
        os.utime(tmp_path / f"{number:04}.txt", (OLD, OLD))
    os.utime(tmp_path / "0777.txt", (OLD + 1, OLD + 1))
    *lines, last = (await words_of(Glob(find), context_in(tmp_path), pattern="*.txt")).split("\n")
    assert lines == ["0777.txt", *(f"{number:04}.txt" for number in range(99))]
    assert last == "(100 of 1,234 files shown, newest first)"


@FINDERS
async def test_odd_names_are_shown_on_one_line(tmp_path: Path, find: FindProgram) -> None:
    make_tree(tmp_path, {"new\nline.py": "", "\x1b[1m.py": "", "-x.py": ""})
    (tmp_path / os.fsdecode(b"bad\xff.py")).touch()
    for path in tmp_path.iterdir():
        os.utime(path, (OLD, OLD))
    words = await words_of(Glob(find), context_in(tmp_path), pattern="*.py")
    assert words.split("\n") == ["\\x1b[1m.py", "-x.py", "bad\\xff.py", "new\\nline.py", "(4 files)"]


async def test_refusals(tmp_path: Path) -> None:
    context = context_in(tmp_path)
    assert await refusal_of(Glob(), context, pattern="*.py", path="nope") == "There is no directory nope."
    assert await refusal_of(Glob(), context, pattern="a[b") == "**/a[b is no glob pattern: a [ is not closed."
    assert "NUL" in await refusal_of(Glob(), context, pattern="a\0b")
    assert await words_of(Glob(), context, pattern="x" * 5_000 + "/*") == f"No file matches {'x' * 5_000}/*."


@pytest.mark.parametrize(
    ("input", "target"),
    [
        ({"pattern": "*.py"}, "."),
        ({"pattern": "*.py", "path": "src"}, "src"),
        ({"pattern": "/etc/*.conf"}, "/etc"),
        ({"pattern": "../../x/*.py", "path": "src"}, "src/../../x"),
        ({"pattern": "/etc/*.conf", "path": "src"}, "/etc"),
        ({"pattern": "~/.ssh/*"}, str(Path("~/.ssh").expanduser())),
    ],
)
def test_effects_name_the_place_that_is_searched(input: dict[str, Any], target: str) -> None:
    assert Glob().effects(Glob().parse(input)) == (Effect("read", target),)
