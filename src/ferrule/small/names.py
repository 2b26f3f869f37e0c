"""Names that a Python file uses and nobody defines: a small model forgets imports, and they can mostly be told."""

import ast
import builtins
import sys
from collections.abc import Mapping

from ferrule.small.blocks import blocks_of

_USUAL: Mapping[str, str] = {
    **dict.fromkeys(("Path", "PurePath", "PurePosixPath"), "pathlib"),
    **dict.fromkeys(("defaultdict", "Counter", "OrderedDict", "deque", "namedtuple", "ChainMap"), "collections"),
    **dict.fromkeys(("dataclass", "field", "asdict", "astuple", "replace"), "dataclasses"),
    **dict.fromkeys(
        [
            "Any",
            "Callable",
            "Dict",
            "Generator",
            "Iterable",
            "Iterator",
            "List",
            "Literal",
            "Mapping",
            "NamedTuple",
            "Optional",
            "Protocol",
            "Sequence",
            "Set",
            "Tuple",
            "Type",
            "TypeVar",
            "Union",
            "cast",
        ],
        "typing",
    ),
    **dict.fromkeys(
        ("lru_cache", "cache", "partial", "reduce", "wraps", "total_ordering", "cached_property"), "functools"
    ),
    **dict.fromkeys(
        ("chain", "combinations", "permutations", "product", "groupby", "islice", "zip_longest"), "itertools"
    ),
    **dict.fromkeys(("datetime", "timedelta", "date", "timezone"), "datetime"),
    **dict.fromkeys(("Decimal", "ROUND_HALF_UP"), "decimal"),
    **dict.fromkeys(("Enum", "IntEnum", "auto"), "enum"),
    **dict.fromkeys(("ABC", "abstractmethod"), "abc"),
    **dict.fromkeys(("contextmanager", "suppress"), "contextlib"),
    **dict.fromkeys(("sqrt", "ceil", "floor", "gcd", "pi", "isclose"), "math"),
    "Fraction": "fractions",
    "deepcopy": "copy",
    "StringIO": "io",
}


def with_imports(path: str, text: str, project: Mapping[str, str]) -> str:
    """The file with imports for names that it uses and nobody defines, as far as one can tell where they come from.

    `project` holds the texts of other files of the project by their paths.
    """
    try:
        missing = undefined(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return text
    lines = [line for name in sorted(missing) if (line := _import_of(name, path, project))]
    return _with_lines(text, lines) if lines else text


def undefined(tree: ast.Module) -> set[str]:
    """The names that are used somewhere and defined nowhere; scopes are not told apart, so none is named wrongly."""
    used: set[str] = set()
    bound = {*dir(builtins), "__file__", "__name__", "__doc__", "__path__", "__package__", "__spec__", "__class__"}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.arg(arg=name):
                bound.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                if any(alias.name == "*" for alias in names):
                    return set()
                bound |= {(alias.asname or alias.name).partition(".")[0] for alias in names}
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
            case ast.MatchMapping(rest=str(name)):
                bound.add(name)
            case _:
                pass
    return used - bound


def _import_of(name: str, path: str, project: Mapping[str, str]) -> str:
    homes = [
        other
        for other, text in project.items()
        if other != path and other.endswith(".py") and any(block.name == name for block in blocks_of(other, text))
    ]
    if homes:
        module = homes[0].removesuffix(".py").removesuffix("/__init__").replace("/", ".").removeprefix("src.")
        return f"from {module} import {name}"
    if name in _USUAL:
        return f"from {_USUAL[name]} import {name}"
    return f"import {name}" if name in sys.stdlib_module_names else ""


def _with_lines(text: str, lines: list[str]) -> str:
    """Put lines where a file's imports are: behind its docstring and what must come first."""
    at = 0
    for node in ast.parse(text).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.lineno == 1
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_docstring and not is_future:
            break
        at = node.end_lineno or 0
    old = text.splitlines()
    gap = [] if at < len(old) and old[at].startswith(("import ", "from ")) else [""]
    head = [*old[:at], ""] if at else []
    return "\n".join([*head, *lines, *gap, *old[at:]]) + "\n"
