"""What is put right in the text of a file before it goes to its place: what a small model keeps forgetting."""

import ast
import re
import textwrap
from collections.abc import Iterable

from ferrule.small.code.parsed import every, tree_of
from ferrule.small.mends.faults import uses_exports
from ferrule.small.words.rank import is_prose
from ferrule.small.words.wish import Wish

_EXPORTED = re.compile(r"^export\s+(?:default\s+)?(?:async\s+)?(?:function|const|let|class)\s+(\w+)", re.MULTILINE)
_EXPORTS = re.compile(r"^(?:module\.)?exports\b|^export\b|\brequire\.main\b|\bprocess\.argv\b", re.MULTILINE)
_FUNCTIONS = re.compile(r"^(?:async )?function (\w+)", re.MULTILINE)
_TRIALS = re.compile(
    r"^# *(?:an? )?(?:examples?|usage|tests?|testing|sample|demo|try|check)\b.*$", re.MULTILINE | re.IGNORECASE
)
_RUNS = re.compile(r"\b(?:script|program|command)\b", re.IGNORECASE)
_SHARED = re.compile(
    r"^([ \t]+\w+[ \t]*:[^=\n]+=[ \t]*)(\[\]|\{\}|list\(\)|dict\(\)|set\(\))(?=[ \t]*(?:#.*)?$)",
    re.MULTILINE,
)
_FORMATTED = re.compile(r"\b[fF](\"[^\"\n]*\"|'[^'\n]*')")
_PLAIN_TEXT = re.compile(r"(?<![\w\"'])(?:\"[^\"\n]*\"|'[^'\n]*')(?!\.format)")
_GENERATOR = re.compile(
    r"\b(\w+)\(((?:[^()]|\([^()]*\))+ for \w+(?:, \w+)* in (?:[^(),]|\([^()]*\))+), (\w+=[^()=]+)\)"
)
_PATH_IMPORTED = re.compile(r"^([ \t]*(?:from|import) )(\w+(?:/\w+)+(?:\.py)?)(?= import |$)", re.MULTILINE)
_LONGEST_LINE = 300
_BRACES = re.compile(r"\{[^{}\n]+\}")
_LISTED = re.compile(
    r"(?<![\w./-])(?:\.(?:[a-z]|DS_)[\w.-]*\w|\*\.\w+|__\w+__|[\w-]+\.(?:json|log|db|sqlite|csv|env|txt|tmp))/?(?!\.*\w)"
)
"""What a list of files has in it: .venv, *.log, __pycache__, budget.json."""
_FOLDER = re.compile(
    r"\b(?:folder|directory)\s+[`'\"]?(?!(?:of|in|for|that|where|with|to|is|should|must|and|or|which|are)\b)([\w.-]*\w)"
    r"|\b(?:the|my|our)\s+[`'\"]?(?!(?:whole|same|current|project|root|new|entire|virtual)\b)([\w-]+)[`'\"]?\s+"
    r"(?:folder|directory)\b",
    re.IGNORECASE,
)
"""The same for folders: the folder backups, the build directory."""


def with_listed(path: str, text: str, wish: Wish) -> str:
    """A file that says what is to be ignored, with all that the request names for it."""
    name = path.rpartition("/")[2]
    if not (name.startswith(".") and name.endswith("ignore")):
        return text
    folders = [f"{one or other}/" for one, other in _FOLDER.findall(wish.text)]
    named = [one for one in dict.fromkeys([*_LISTED.findall(wish.text), *folders]) if one.strip("/") != name]
    wanted = [one for one in named if one.endswith(".log") or "*" in one or not is_prose(one)]
    lines = text.splitlines()
    there = {line.strip().strip("/") for line in lines}
    return "\n".join([*lines, *(one for one in wanted if one.strip("/") not in there)]) + "\n"


def without_trials(path: str, text: str, wish: Wish, base: str = "") -> str:
    """A Python module without the calls at its end that try it out: they would run wherever it is imported."""
    found = _TRIALS.search(text) if path.endswith(".py") and not _RUNS.search(wish.text) else None
    if (
        not found
        or found[0] in base.split("\n")
        or not re.search(r"^(?:def|class|async def) ", text[: found.start()], re.MULTILINE)
    ):
        return text
    behind = text[found.start() :]
    made = re.findall(r"^(?:async )?(?:def|class) (\w+)", behind, re.MULTILINE)
    if "__name__" in behind or not {*re.findall(r"\w+", wish.text)}.isdisjoint(made):
        return text
    return text[: found.start()].rstrip() + "\n"


def with_factories(text: str) -> str:
    """Python with dataclasses whose lists and dicts are made for each: an empty one as a default is an error there."""
    tree = tree_of(text) if "@dataclass" in text else None
    kinds = {"[": "list", "{": "dict", "l": "list", "d": "dict", "s": "set"}
    lines = text.split("\n")
    for row in _fields(tree) if tree else ():
        lines[row] = _SHARED.sub(lambda found: f"{found[1]}field(default_factory={kinds[found[2][0]]})", lines[row])
    return "\n".join(lines)


def _fields(tree: ast.Module) -> list[int]:
    """The lines, counted from 0, of the fields of dataclasses; what is said to be of the class itself is none."""
    classes = [one for one in every(ast.ClassDef, tree) if "dataclass" in _marks(one)]
    said = [one for node in classes for one in node.body if isinstance(one, ast.AnnAssign)]
    return [one.lineno - 1 for one in said if "ClassVar" not in _words(one.annotation)]


def _marks(node: ast.ClassDef) -> set[str]:
    return {word for one in node.decorator_list for word in _words(one)}


def _words(node: ast.expr) -> set[str]:
    """The names in an expression."""
    inside = list(ast.walk(node))
    names = {one.id for one in inside if isinstance(one, ast.Name)}
    return names | {one.attr for one in inside if isinstance(one, ast.Attribute)}


def with_tabs(path: str, text: str) -> str:
    """A Makefile with the tabs that it needs before its commands: a small model writes blanks."""
    if path.rpartition("/")[2] not in {"Makefile", "makefile", "GNUmakefile"}:
        return text
    lines, is_inside = text.split("\n"), False
    for at, line in enumerate(lines):
        if is_inside and re.match(r" +\S", line):
            lines[at] = "\t" + line.lstrip(" ")
        elif line.strip() and not line.startswith(("\t", "#")):
            is_inside = bool(re.match(r"[^\s=#][^=#]*:(?!=)", line))
    return "\n".join(lines)


def with_dots(text: str) -> str:
    """Python that imports modules, not paths: a small model writes `from shop/cart import total`."""
    return _PATH_IMPORTED.sub(lambda found: found[1] + found[2].removesuffix(".py").replace("/", "."), text)


def with_parentheses(text: str) -> str:
    """Python with generators in parentheses where they are not the only argument: a small model leaves them out."""
    if "parenthesized" not in _wrong_syntax(text):
        return text
    lines = text.split("\n")
    for at, line in enumerate(lines):
        changed = _GENERATOR.sub(r"\1((\2), \3)", line) if len(line) <= _LONGEST_LINE else line
        if changed != line and "parenthesized" in _wrong_syntax(line.strip().removeprefix("return ").strip()):
            lines[at] = changed
    return "\n".join(lines)


def _wrong_syntax(text: str) -> str:
    try:
        compile(textwrap.dedent(text), "text", "exec", ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        return str(error.msg)
    except (ValueError, RecursionError, MemoryError):
        return ""
    return ""


def with_formatted(base: str, text: str) -> str:
    """A Python file in which texts compute what those computed whose place they take: a small model loses the `f`."""
    computed = {inner for quoted in _FORMATTED.findall(base) for inner in _BRACES.findall(quoted)}
    known = set(base.split("\n"))

    def formatted(found: re.Match[str]) -> str:
        return f"f{found[0]}" if any(one in computed for one in _BRACES.findall(found[0])) else found[0]

    lines = text.split("\n")
    return "\n".join(line if line in known else _PLAIN_TEXT.sub(formatted, line) for line in lines)


def without_blanks(base: str, text: str) -> str:
    """A Python file without blanks at the ends of new lines."""
    known = set(base.split("\n"))
    return "\n".join(line if line in known else line.rstrip(" \t") for line in text.split("\n"))


def with_exports(path: str, text: str, others: Iterable[str]) -> str:
    """A new JavaScript file that exports as the files beside it do, where that is plainly put otherwise."""
    others = list(others)
    if path.endswith(".js") and any(re.search(r"^module\.exports = \{", one, re.MULTILINE) for one in others):
        text = re.sub(r"^module\.exports = (\w+);?$", r"module.exports = { \1 };", text, flags=re.MULTILINE)
        text = re.sub(r"^module\.exports = ((?:async )?function \w+\()", r"\1", text, flags=re.MULTILINE)
    names = [one for one in _EXPORTED.findall(text) if one]
    if path.endswith(".js") and not _EXPORTS.search(text):  # it gives nothing to others yet
        names = _FUNCTIONS.findall(text)
    if not path.endswith(".js") or not names or not uses_exports(others):
        return text
    text = re.sub(
        r"^export\s+(?:default\s+)?(?=(?:async\s+)?(?:function|const|let|class)\b)", "", text, flags=re.MULTILINE
    )
    text = re.sub(
        r"^import\s+(\{[^{}]*\}|\w+)\s+from\s+([\"'][^\"']+[\"']);?",
        r"const \1 = require(\2);",
        text,
        flags=re.MULTILINE,
    )
    return f"{text.rstrip()}\n\nmodule.exports = {{ {', '.join(dict.fromkeys(names))} }};\n"
