"""What pasted output of tests says: which expressions must come to what, and which words are not as they should be."""

import ast
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping

from ferrule.small.names import is_literal

_STATEMENT = re.compile(
    r"(?:>\s*|\s+)((?:self\.assert\w+\(|assert\s|def test\w*\(|[a-z_]\w*\s*=[^=]|[a-z_][\w.]*\().*)"
)
_CARETS = re.compile(r"^\s*[~^]+\s*$")
_ELSEWHERE = re.compile(r'^\s*File "|^_{3,}|^={5,}')
_MOST_LINES = 12
"""Over how many lines one statement may go."""
_QUIET = (
    ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Call,
    ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.keyword, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
    ast.expr_context,
)  # fmt: skip
"""What an expression may be made of to be tried out of its place."""
PLAIN = frozenset(
    {
        "list", "range", "set", "tuple", "dict", "sorted", "str", "bytes", "frozenset", "len", "int", "float", "bool",
        "sum", "abs", "round", "min", "max", "type", "isinstance", "repr", "enumerate", "zip", "reversed",
    }
)  # fmt: skip
"""What every Python has and what harms nobody."""
_TEXT = r"(?:'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
_UNEQUAL = re.compile(
    rf"^\s*(?:E\s+)?(?:\w*(?:Error|Exception)(?: \[\w+\])?: )?(?:assert )?({_TEXT}) (?:!==?|==) ({_TEXT})\s*$",
    re.MULTILINE,
)
_FAILURE = re.compile(r"^(?:FAIL|ERROR): |^_{3,} .+ _{3,}$", re.MULTILINE)
_ALIKE = 0.6
_LEAST = 3
"""Letters of a text that is worth a correction."""

_Bound = dict[str, ast.expr]


def asserted(text: str) -> list[tuple[str, str]]:
    """The expressions that pasted tests assert something of, with what they should come to: both as Python."""
    found: list[tuple[str, str]] = []
    bound: _Bound = {}
    for node in _statements(text):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                bound[name] = _filled(value, bound)
            case ast.Assert(test=test):
                found += _of_assert(_filled(test, bound))
            case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=attr), args=args)):
                found += _of_method(attr, [_filled(one, bound) for one in args])
            case _:  # whatever it does, it may change what was bound
                bound.clear()
    return [(one, should) for one, should in found if "self" not in (names_in(one) or {"self"})]


def names_in(expression: str) -> set[str] | None:
    """The names that an expression uses; nothing where it is not one that may be tried out of its place."""
    try:
        tree = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = list(ast.walk(tree))
    if not all(isinstance(one, _QUIET) for one in nodes):
        return None
    if any(isinstance(one, ast.Attribute) and one.attr.startswith("_") for one in nodes):
        return None
    return {one.id for one in nodes if isinstance(one, ast.Name)}


def failures_in(text: str) -> int:
    """How many tests fail by an output."""
    return len(_FAILURE.findall(text))


def reworded(outputs: Iterable[str], pairs: Iterable[tuple[str, str]], code: str) -> dict[str, str]:
    """The texts in code that tests want in other words: each as it is there, and as it should be.

    `pairs` are values that are known to differ from what they should be, both as Python. A text counts only where it
    stands in the code once and what is wanted nowhere: else it is no matter of words.
    """
    texts = _texts_in(code)
    wanted: dict[str, set[str]] = {}
    for one, other in _unequal([*_UNEQUAL.findall("\n".join(outputs)), *pairs]):
        there, missing = (one, other) if texts.count(one) == 1 else (other, one)
        if texts.count(there) == 1 and missing not in code and len(there) >= _LEAST:
            wanted.setdefault(there, set()).add(missing)
    return {there: next(iter(missing)) for there, missing in wanted.items() if len(missing) == 1}


def is_alike(one: str, other: str) -> bool:
    """Whether two texts say the same in slightly other words."""
    return difflib.SequenceMatcher(None, one, other).ratio() >= _ALIKE


def with_words(code: str, words: Mapping[str, str]) -> str:
    """Code with texts in other words."""
    for match in reversed(list(re.finditer(_TEXT, code))):
        if (value := _evaluated(match[0])) is not None and value in words:
            code = code[: match.start()] + _spelled(words[value], match[0][0]) + code[match.end() :]
    return code


def _statements(text: str) -> Iterator[ast.stmt]:
    """The statements of tests in an output, and an empty one wherever another place begins."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if _ELSEWHERE.match(line):
            yield ast.Pass()
            continue
        if not (found := _STATEMENT.match(line)):
            continue
        source = found[1]
        if source.startswith("def "):
            yield ast.Pass()
            continue
        for more in ["", *lines[at + 1 : at + _MOST_LINES]]:
            source += "" if _CARETS.match(more) else f"\n{more.removeprefix('>')}"
            try:
                yield ast.parse(source.strip()).body[0]
                break
            except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError):
                continue


def _filled(node: ast.expr, bound: _Bound) -> ast.expr:
    """An expression with what its names were given before in their places."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return bound.get(name.id, name)

    return Fill().visit(node)  # type: ignore[no-any-return]


def _of_assert(test: ast.expr) -> list[tuple[str, str]]:
    match test:
        case ast.Compare(left=one, ops=[ast.Eq() | ast.Is()], comparators=[other]):
            return _equal(one, other)
        case ast.Compare():
            return [(ast.unparse(test), "True")]
        case _:
            return []


def _of_method(name: str, args: list[ast.expr]) -> list[tuple[str, str]]:
    """What a method of a test asserts."""
    match name, args:
        case "assertEqual" | "assertIs" | "assertListEqual" | "assertDictEqual", [one, other, *_]:
            return _equal(one, other)
        case "assertTrue" | "assertFalse", [one, *_]:
            return [(_unless_true(one), str(name == "assertTrue"))]
        case "assertIsNone", [one, *_]:
            return [(ast.unparse(one), "None")]
        case "assertIn" | "assertNotIn", [one, other, *_]:
            return [(f"{ast.unparse(one)} in {ast.unparse(other)}", str(name == "assertIn"))]
        case "assertAlmostEqual", [one, other]:
            return [(f"round({ast.unparse(one)} - {ast.unparse(other)}, 7) == 0", "True")]
        case _:
            return []


def _unless_true(node: ast.expr) -> str:
    return ast.unparse(node) if isinstance(node, ast.Call | ast.Compare) else f"bool({ast.unparse(node)})"


def _equal(one: ast.expr, other: ast.expr) -> list[tuple[str, str]]:
    if is_literal(one) and is_literal(other):
        return []
    if is_literal(one):
        one, other = other, one
    if is_literal(other):
        return [(ast.unparse(one), repr(ast.literal_eval(other)))]
    return [(f"{ast.unparse(one)} == {ast.unparse(other)}", "True")]


def _unequal(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for pair in pairs:
        one, other = map(_evaluated, pair)
        if one is not None and other is not None and " chars]" not in one + other:
            yield one, other


def _texts_in(code: str) -> list[str]:
    return [text for one in re.findall(_TEXT, code) if (text := _evaluated(one)) is not None]


def _evaluated(quoted: str) -> str | None:
    """What a quoted text says; nothing where it is no text."""
    try:
        value = ast.literal_eval(quoted)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, str) else None


def _spelled(text: str, quote: str) -> str:
    """A text between quotes, the given ones if it has none of them in itself."""
    if quote in text:
        return repr(text)
    body = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    return f"{quote}{body}{quote}"
