"""Names that a Python file uses and nobody defines: a small model forgets imports, and they can mostly be told."""

import ast
import builtins
import re
import symtable
import sys
from collections.abc import Collection, Mapping

from ferrule.small.code.blocks import blocks_of, lines_of
from ferrule.small.code.parsed import Definition, every, tree_of

_ALWAYS = ("__file__", "__name__", "__doc__", "__path__", "__package__", "__spec__", "__class__")
USUAL: Mapping[str, str] = {
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
"""Names that come from a module of Python's own more often than not."""


_PARAMETER = r"[a-z_]\w*(?:=[^,()\n]+)?"
_SIGNATURE = re.compile(rf"\b([a-z_][a-z0-9_]*)\({_PARAMETER}(?:, ?{_PARAMETER})*,?\)")


_FUNCTIONS = re.compile(
    r"\bfunctions?[,:]?\s+(?:called\s+|named\s+)?((?:[`'\"]?[A-Za-z_]\w*(?:\(\))?[`'\"]?(?:,?\s+and\s+|,\s*)?)+)",
    re.IGNORECASE,
)


_CLASSES = re.compile(r"\b(?:data)?class (?:called |named )?[`'\"]?([A-Z]\w*)")


def with_imports(path: str, text: str, project: Mapping[str, str]) -> str:
    """The file with imports for names that it uses and nobody defines, as far as one can tell where they come from.

    `project` holds the texts of other files of the project by their paths.
    """
    tree = tree_of(text)
    if tree is None:
        return text
    missing = undefined(tree)
    lines = [line for name in sorted(missing) if (line := _import_of(name, path, project))]
    return _with_lines(text, tree, lines) if lines else text


def signatures(text: str, known: Collection[str]) -> dict[str, str]:
    """The functions that a request describes by how they are called, and that are not there yet."""
    found = {match[1]: match[0] for match in _SIGNATURE.finditer(text)}
    return {name: one for name, one in found.items() if name not in known and not hasattr(builtins, name)}


def promised(text: str, known: Collection[str]) -> list[str]:
    """The functions that a request wants by their names, with or without parameters, and that are not there yet."""
    found = list(signatures(text, known))
    for several in _FUNCTIONS.findall(text):
        found += [name for name in re.findall(r"[A-Za-z_]\w*", several) if "_" in name.strip("_")]
    found += _CLASSES.findall(text)
    return [name for name in dict.fromkeys(found) if name not in known]


def imports_in_vain(base: str, text: str) -> bool:
    """Whether nothing of a Python file is new but what it imports, and it uses nothing of that."""
    old, new = tree_of(base), tree_of(text)
    if old is None or new is None or _without_imports(old) != _without_imports(new):
        return False
    used = {one.id for one in every(ast.Name, new)}
    return used.isdisjoint(_imported(new) - _imported(old))


def _without_imports(tree: ast.Module) -> list[str]:
    return [ast.dump(one) for one in tree.body if not isinstance(one, ast.Import | ast.ImportFrom)]


def _imported(tree: ast.Module) -> set[str]:
    found = [one.names for one in every(ast.Import, tree)] + [one.names for one in every(ast.ImportFrom, tree)]
    return {(it.asname or it.name).partition(".")[0] for names in found for it in names}


def made_anew(base: str, text: str) -> tuple[str, str]:
    """What a file imports, by module and name, and what its new text defines besides; empty if there is no such thing.

    Who writes that means to change what is imported, and does not see where that is.
    """
    old, new = tree_of(base), tree_of(text)
    made = {one.name for one in new.body if isinstance(one, Definition)} if new else set()
    before, now = (
        {(one.module or "", it.name) for one in every(ast.ImportFrom, tree) for it in one.names if not it.asname}
        for tree in (old, new)
    )
    return next(((module, name) for module, name in sorted(before & now) if name in made), ("", ""))


def defines(text: str, name: str) -> bool:
    """Whether a file defines a name, at whatever depth."""
    made = rf"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:def|class|function|const|let)\s+{name}\b|^{name}\s*[:=]"
    return bool(re.search(made, text, re.MULTILINE))


def unknown_names(text: str) -> set[str]:
    """The names that a text uses and does not define; none where it is not Python."""
    tree = tree_of(text)
    return undefined(tree) if tree else set()


def undefined(tree: ast.Module) -> set[str]:
    """The names that are used somewhere and defined nowhere; scopes are not told apart, so none is named wrongly."""
    used: set[str] = set()
    bound = {*dir(builtins), *_ALWAYS}
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


def out_of_reach(text: str) -> dict[str, str]:
    """The names that a function uses and that only others have for themselves, each with the name of that function."""
    tree = tree_of(text)
    if tree is None or undefined(tree):
        return {}
    try:
        top = symtable.symtable(text, "", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return {}
    tables = [top]
    for table in tables:
        tables += table.get_children()
    made = [one for one in top.get_symbols() if one.is_assigned() or one.is_imported() or one.is_namespace()]
    known = {*dir(builtins), *_ALWAYS, *(one.get_name() for one in made)}
    inside = [(table.get_name(), one) for table in tables[1:] for one in table.get_symbols()]
    known |= {one.get_name() for _, one in inside if one.is_declared_global()}
    is_all_in = any(isinstance(one, ast.ImportFrom) and one.names[0].name == "*" for one in ast.walk(tree))
    missing = {one.get_name(): name for name, one in inside if one.is_global() and one.get_name() not in known}
    return {} if is_all_in else missing


def _is_made_in(name: str, path: str, text: str) -> bool:
    """Whether a file defines a name at its margin: a function, a class, a constant."""
    is_set = re.search(rf"^{re.escape(name)}\s*(?::[^=\n]+)?=[^=]", text, re.MULTILINE)
    return bool(is_set) or any(block.name == name for block in blocks_of(path, text))


def _import_of(name: str, path: str, project: Mapping[str, str]) -> str:
    homes = [
        other
        for other, text in project.items()
        if other != path and other.endswith(".py") and _is_made_in(name, other, text)
    ]
    if homes:
        module = module_of(homes[0])
        return f"from {module} import {name}"
    if name in USUAL:
        return f"from {USUAL[name]} import {name}"
    return f"import {name}" if name in sys.stdlib_module_names else ""


def used_too_early(text: str) -> set[str]:
    """The functions and classes of a module that it uses, while it is loaded, above the place where it defines them."""
    tree = tree_of(text)
    body = tree.body if tree else []
    places = {one.name: at for at, one in enumerate(body) if isinstance(one, Definition)}
    found: set[str] = set()
    for at, node in enumerate(body):
        inside = list(ast.walk(node))
        if not any(isinstance(one, Definition | ast.Lambda) for one in inside):
            used = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
            found |= {name for name in used if places.get(name, at) > at}
    return found


def module_of(path: str) -> str:
    """The name under which a file is imported."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".").removeprefix("src.")


def head_of(text: str, tree: ast.Module) -> int:
    """How many lines of a file must stay before its imports: the comments on top, its docstring, `__future__`."""
    at = next((at for at, line in enumerate(lines_of(text)) if not line.startswith("#")), 0)
    for place, node in enumerate(tree.body):
        is_docstring = place == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_docstring and not is_future:
            break
        at = node.end_lineno or 0
    return at


def _with_lines(text: str, tree: ast.Module, lines: list[str]) -> str:
    """Put lines where a file's imports are: behind its docstring and what must come first."""
    at, old = head_of(text, tree), lines_of(text)
    head, rest = old[:at], old[at:]
    while rest and not rest[0].strip():
        rest.pop(0)
    if rest and not rest[0].startswith(("import ", "from ")):
        lines = [*lines, "", ""] if re.match(r"def |async def |class |@", rest[0]) else [*lines, ""]
    return "\n".join([*head, *([""] if head else []), *lines, *rest]) + "\n"
