"""Imports point downwards only, siblings on a floor do not know each other, and no import hides in a function."""

import ast
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "ferrule"
FLOORS = [
    {"version"},
    {"core"},
    {"config"},
    {"llm", "host", "policy", "context"},
    {"tools", "session", "extend", "small"},
    {"confine"},
    {"guard"},
    {"guarding"},
    {"assemble", "survey", "past", "lab", "weights", "bench", "probe"},
    {"commands"},
    {"front"},
    {"cli"},
]
LEVEL = {name: level for level, floor in enumerate(FLOORS) for name in floor}
DOORS = {"llm/connect.py", "cli/main.py", "__init__.py", "__main__.py"}
LATE_IMPORTS_ALLOWED = {*DOORS, "assemble.py", "guarding.py", "cli/request.py", "tools/documents.py"}
"""The doors choose at run time; request.py offers weights where they are missing; documents.py reads PDF and pictures
only where their packages are installed; what judges and confines calls, most of the program, is imported by guarding.py
with the first call that a model makes."""
FLOORS_OF_SESSIONS = {"assemble", "survey", "past", "lab", "weights"}
SEEN_BY_FRONTS = {"version", "core", "config", "session", "front", "cli", "commands", *FLOORS_OF_SESSIONS}
SEEN_BY_FRONTS |= {"bench", "probe"}
"""Fronts hold a session; what it is made of is not theirs to know."""
CORE_MAY_USE = {"msgspec", "ferrule"}

FILES = sorted(SOURCE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


ROOMS = sorted({room(path) for path in FILES})


def _names(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.ImportFrom):
        return [statement.module or ""]
    return [alias.name for alias in statement.names]


@cache
def found(path: Path) -> tuple[list[str], list[str]]:
    """What a file imports, and the places where a function hides an import."""
    names: list[str] = []
    hidden: list[str] = []

    def look(node: ast.AST, function: str) -> None:
        for child in ast.iter_child_nodes(node):
            match child:
                case ast.Import() | ast.ImportFrom():
                    names.extend(_names(child))
                    hidden.extend([f"{child.lineno} in {function}"] if function else [])
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    look(child, child.name)
                case ast.stmt() | ast.excepthandler() | ast.match_case():  # an expression imports nothing
                    look(child, function)

    look(ast.parse(path.read_text("utf-8")), "")
    return names, hidden


def imports(path: Path) -> list[str]:
    return found(path)[0]


@pytest.mark.parametrize("mine", ROOMS)
def test_imports_point_downwards(mine: str) -> None:
    for path in (path for path in FILES if room(path) == mine):
        name = str(path.relative_to(SOURCE))
        if name not in {"__init__.py", "__main__.py"}:
            assert mine in LEVEL, f"{mine} stands on no floor"
            for imported in imports(path):
                if not imported.startswith("ferrule."):
                    continue
                theirs = imported.split(".")[1]
                below = theirs == mine or LEVEL[theirs] < LEVEL[mine]
                assert below, f"{name} imports {imported}, which is not below it"
                assert mine not in {"front", "cli"} or theirs in SEEN_BY_FRONTS, f"{name} reaches down to {imported}"


@pytest.mark.parametrize("mine", ROOMS)
def test_no_function_hides_an_import(mine: str) -> None:
    files = {str(path.relative_to(SOURCE)): path for path in FILES if room(path) == mine}
    hidden = {name: found(path)[1] for name, path in files.items() if name not in LATE_IMPORTS_ALLOWED}
    assert hidden == {name: [] for name in hidden}


def test_the_core_needs_the_standard_library_and_msgspec_only() -> None:
    import sys

    for path in (SOURCE / "core").glob("*.py"):
        for imported in imports(path):
            top = imported.split(".")[0]
            assert top in CORE_MAY_USE or top in sys.stdlib_module_names, f"{path.name} imports {imported}"
            assert not imported.startswith("ferrule.") or imported.startswith("ferrule.core")


def test_there_is_no_circle() -> None:
    known = {".".join(("ferrule", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in FILES}
    edges = {name: [one for one in imports(path) if one in known] for name, path in known.items()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for one in edges[name]:
                visit(one, (*trail, name))
            done.add(name)

    for name in edges:
        visit(name, ())


def test_the_loop_stays_small() -> None:
    lines = (SOURCE / "core" / "loop.py").read_text("utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("class Run"))
    assert len(lines) < 150
    assert len(lines) - start < 100


ROOMS_OF_SMALL = ["code", "words", "checks", "mends"]


@pytest.mark.parametrize("path", sorted((SOURCE / "small").rglob("*.py")), ids=lambda path: path.stem)
def test_small_is_built_upwards(path: Path) -> None:
    """What is done to code knows no requests, what reads those checks nothing, what checks mends nothing."""
    rooms = [name.split(".")[2] for name in found(path)[0] if name.startswith("ferrule.small.")]
    place = path.relative_to(SOURCE / "small").parts[0]
    may_use = ROOMS_OF_SMALL[: ROOMS_OF_SMALL.index(place) + 1] if place in ROOMS_OF_SMALL else None
    assert may_use is None or set(rooms) <= set(may_use)
