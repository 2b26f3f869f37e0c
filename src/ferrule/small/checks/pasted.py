"""What pasted output of tests says: which expressions must come to what, and which words are not as they should be."""

import ast
import difflib
import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from ferrule.small.code.parsed import expression_of, is_literal, literal, tree_of

_STATEMENT = re.compile(
    r"(?:>\s*|\s+)((?:self\.assert\w+\(|assert\s|def test\w*\(|[A-Za-z_]\w*\s*=[^=]|[A-Za-z_][\w.]*\().*)"
)
_CARETS = re.compile(r"^\s*[~^]+\s*$")
_ELSEWHERE = re.compile(r'^\s*File "|^_{3,}|^={5,}')
_MOST_LINES = 12
"""Over how many lines one statement may go."""
_LONGEST_STATEMENT, _LARGEST = 2_000, 500
"""Characters of a statement, and parts of an expression, that are still worth trying."""
_MOST_PARSED = 2_000
"""How often an output is tried as Python: a huge one holds thousands of lines that only look like it."""
_QUIET = (
    ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Call,
    ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.keyword, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
    ast.expr_context, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
)  # fmt: skip
"""What an expression may be made of to be tried out of its place."""
PLAIN = frozenset(
    {
        "list", "range", "set", "tuple", "dict", "sorted", "str", "bytes", "frozenset", "len", "int", "float", "bool",
        "sum", "abs", "round", "min", "max", "type", "isinstance", "repr", "enumerate", "zip", "reversed",
    }
)  # fmt: skip
"""What every Python has and what harms nobody."""
_EQUALS = frozenset(
    {"assertEqual", "assertEquals", "assertIs"}
    | {f"assert{kind}Equal" for kind in ("List", "Dict", "Tuple", "Set", "Sequence", "MultiLine")}
)
_COMPARES = {
    "assertNotEqual": "!=", "assertIsNot": "is not", "assertGreater": ">", "assertGreaterEqual": ">=",
    "assertLess": "<", "assertLessEqual": "<=",
}  # fmt: skip
_TEXT = r"(?<!\\)(?:'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
_AS_IT_STANDS = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"")
_UNEQUAL = re.compile(
    rf"^[ \t]*(?:E[ \t]+)?(?:\w*(?:Error|Exception)(?: \[\w+\])?: )?(?:assert )?({_TEXT}) (?:!==?|==) ({_TEXT})[ \t]*$",
    re.MULTILINE,
)
_FAILURE = re.compile(r"^(?:FAIL|ERROR): (\w+)|^_{3,} (.+) _{3,}$", re.MULTILINE)
_SAID = re.compile(
    r"^[ \t]*(?:E[ \t]+)?(?:AssertionError: (.{1,200})|(\w*(?:Error|Exception): .{1,200}))$", re.MULTILINE
)
_ALIKE = 0.6
_LEAST = 3
"""Letters of a text that is worth a correction."""
_LONGEST_ALIKE = 500

_Bound = dict[str, ast.expr]


def as_json(value: Any) -> str:
    """A value as JSON that can be passed on: halves of a character, which no encoding takes, are spelled out."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub(r"[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def asserted(text: str) -> list[tuple[str, str]]:
    """The expressions that pasted tests assert something of, with what they should come to: both as Python."""
    found: list[tuple[str, str]] = []
    bound: _Bound = {}
    for node in _statements(text):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                filled = _filled([value], bound)
                bound.pop(name, None)
                bound.update((name, one) for one in filled)
            case ast.Assert(test=test):
                found += _asserted("assert", _filled([test], bound))
            case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=attr), args=args)):
                found += _asserted(attr, _filled(args, bound))
            case _:  # whatever it does, it may change what was bound
                bound.clear()
    return [(one, should) for one, should in found if "self" not in (names_in(one) or {"self"})]


def without_helpers(call: str, should: str, known: Container[str]) -> tuple[str, str]:
    """What a test asserts, without a helper of its own that both sides go through and that nobody else has.

    `sorted_points(found(a)) == sorted_points([b])` says that `found(a)` is `[b]`, in any order.
    """
    match expression_of(call):
        case ast.Expression(
            ast.Compare(
                left=ast.Call(func=ast.Name(id=helper), args=[one], keywords=[]),
                ops=[ast.Eq()],
                comparators=[ast.Call(func=ast.Name(id=other), args=[wanted], keywords=[])],
            )
        ) if helper == other and should == "True" and helper not in known and helper not in PLAIN:
            if "sort" not in helper:
                return next(iter(_asserted("assertEqual", [one, wanted])), (call, should))
            return _in_any_order(one, wanted)
        case _:
            return call, should


def names_in(expression: str) -> set[str] | None:
    """The names that an expression uses; nothing where it is not one that may be tried out of its place."""
    tree = expression_of(expression)
    if tree is None:
        return None
    nodes = list(ast.walk(tree.body))
    if not all(isinstance(one, _QUIET) for one in nodes):
        return None
    if any(isinstance(one, ast.Attribute) and one.attr.startswith("_") for one in nodes):
        return None
    names = [one for one in nodes if isinstance(one, ast.Name)]
    return {one.id for one in names} - {one.id for one in names if isinstance(one.ctx, ast.Store)}


def failures_in(text: str) -> int:
    """How many tests fail by an output."""
    return len(_FAILURE.findall(text))


def untold(text: str) -> list[str]:
    """The tests that fail by an output which does not show what they assert: their names, and what was said.

    Of a statement over several lines, most outputs show the first one.
    """
    heads = list(_FAILURE.finditer(text))
    starts = [*(head.start() for head in heads), len(text)]
    found: list[str] = []
    for head, end in zip(heads, starts[1:], strict=True):
        section = text[head.end() : end]
        said = _SAID.search(section)
        if said and "def test" not in section and not asserted(section):
            found.append(f"{head[1] or head[2]}: {said[1] or said[2]}")
    return found


def reworded(outputs: Iterable[str], pairs: Iterable[tuple[str, str]], code: str) -> dict[str, str]:
    """The texts in code that tests want in other words: each as it is there, and as it should be.

    `pairs` are values that are known to differ from what they should be, both as Python. A text counts only where it
    stands in the code once and what is wanted nowhere: else it is no matter of words.
    """
    texts = Counter(_texts_in(code))
    wanted: dict[str, set[str]] = {}
    for one, other in _unequal(dict.fromkeys([*_UNEQUAL.findall("\n".join(outputs)), *pairs])):
        there, missing = (one, other) if texts[one] == 1 else (other, one)
        if texts[there] == 1 and missing not in code and len(there) >= _LEAST:
            wanted.setdefault(there, set()).add(missing)
    return {there: next(iter(missing)) for there, missing in wanted.items() if len(missing) == 1}


def differing(outputs: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of texts that tests found to differ."""
    return list(_unequal(dict.fromkeys(_UNEQUAL.findall("\n".join(outputs)))))


def is_alike(one: str, other: str) -> bool:
    """Whether two texts say the same in slightly other words."""
    return difflib.SequenceMatcher(None, one[:_LONGEST_ALIKE], other[:_LONGEST_ALIKE]).ratio() >= _ALIKE


def times_in(code: str, text: str) -> int:
    """How often a text stands in code, alone between quotes."""
    return _texts_in(code).count(text)


def with_words(code: str, words: Mapping[str, str]) -> str:
    """Code with texts in other words."""
    for match in reversed(list(re.finditer(_TEXT, code))):
        if (value := _evaluated(match[0])) is not None and value in words:
            code = code[: match.start()] + _spelled(words[value], match[0][0]) + code[match.end() :]
    return code


def _statements(text: str) -> Iterator[ast.stmt]:
    """The statements of tests in an output, and an empty one wherever another place begins."""
    lines, parsed, behind = text.splitlines(), 0, 0
    for at, line in enumerate(lines):
        if parsed > _MOST_PARSED:
            break
        if at < behind:
            continue
        if _ELSEWHERE.match(line):
            yield ast.Pass()
            continue
        if not (found := _STATEMENT.match(line)):
            continue
        source = found[1]
        if source.startswith("def "):
            yield ast.Pass()
            continue
        for number, more in enumerate(["", *lines[at + 1 : at + _MOST_LINES]], 1):
            source += "" if _CARETS.match(more) else f"\n{more.removeprefix('>')}"
            if len(source) > _LONGEST_STATEMENT:
                break
            parsed += 1
            if (tree := tree_of(source.strip())) and tree.body:
                behind = at + number
                yield tree.body[0]
                break


def _filled(nodes: list[ast.expr], bound: _Bound) -> list[ast.expr]:
    """Expressions with what their names were given before in their places; none where that gets out of hand."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return bound.get(name.id, name)

    try:
        filled = [Fill().visit(node) for node in nodes]
    except RecursionError:
        return []
    is_large = any(sum(1 for _ in islice(ast.walk(one), _LARGEST)) == _LARGEST for one in filled)
    return [] if is_large else filled


def _asserted(name: str, args: list[ast.expr]) -> list[tuple[str, str]]:
    """What a statement or a method of a test asserts; nothing where it is nested too deeply to be written down."""
    try:
        return _of_method(name, args)
    except (RecursionError, ValueError):
        return []


def _of_assert(test: ast.expr) -> list[tuple[str, str]]:
    match test:
        case ast.Compare(left=one, ops=[ast.Eq() | ast.Is()], comparators=[other]):
            return _equal(one, other)
        case ast.Compare():
            return [(ast.unparse(test), "True")]
        case _:
            return []


def _of_method(name: str, args: list[ast.expr]) -> list[tuple[str, str]]:
    """What `assert`, or a method of a test, asserts."""
    match name, args:
        case "assert", [test]:
            return _of_assert(test)
        case _, [one, other, *_] if name in _EQUALS:
            return _equal(one, other)
        case "assertCountEqual", [one, other, *_]:
            return [_in_any_order(one, other)]
        case _, [one, other, *_] if name in _COMPARES:
            return [(f"{ast.unparse(one)} {_COMPARES[name]} {ast.unparse(other)}", "True")]
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
    one, other = _joined(one), _joined(other)
    if is_literal(one) and is_literal(other):
        return []
    if is_literal(one):
        one, other = other, one
    if is_literal(other):
        return [(ast.unparse(one), repr(ast.literal_eval(other)))]
    return [(f"{ast.unparse(one)} == {ast.unparse(other)}", "True")]


def _in_any_order(one: ast.expr, other: ast.expr) -> tuple[str, str]:
    one_way, other_way = (f"sorted({ast.unparse(each)}, key=repr)" for each in (one, other))
    value = ast.literal_eval(other) if is_literal(other) else None
    if isinstance(value, list):
        return one_way, repr(sorted(value, key=repr))
    return f"{one_way} == {other_way}", "True"


def _joined(node: ast.expr) -> ast.expr:
    """A text that is put together of others, whole: they are told in lines."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(between)), attr="join"), args=[parts], keywords=[]
        ) if is_literal(parts):
            texts = ast.literal_eval(parts)
            is_plain = isinstance(texts, list | tuple) and all(isinstance(one, str) for one in texts)
            return ast.Constant(between.join(texts)) if is_plain else node
        case _:
            return node


def _unequal(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for pair in pairs:
        one, other = map(_evaluated, pair)
        if one is not None and other is not None and " chars]" not in one + other:
            yield one, other


def _texts_in(code: str) -> list[str]:
    return [text for one in re.findall(_TEXT, code) if (text := _evaluated(one)) is not None]


def _evaluated(quoted: str) -> str | None:
    """What a quoted text says; nothing where it is no text."""
    if _AS_IT_STANDS.fullmatch(quoted) and quoted.isprintable():
        return quoted[1:-1]
    try:
        value = literal(quoted)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _spelled(text: str, quote: str) -> str:
    """A text between quotes, the given ones if it has none of them in itself."""
    if quote in text:
        return repr(text)
    body = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    return f"{quote}{body}{quote}"
