"""What a function does in which case, read from its code: it raises this if that, and gives this where there is none.

A small model sees `if` and `raise` side by side and still tells it the wrong way round; the code can tell it itself.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from ferrule.small.code.blocks import Block, lines_of
from ferrule.small.code.parsed import Definition, Function, every, tree_of

_LONGEST, _LONGEST_PURPOSE = 240, 160
_MOST = 300
"""Functions of a script: who has more of them generated it."""
_FUNCTION = re.compile(
    r"(?P<indent>\s*)(?:export\s+(?:default\s+)?)?(?:"
    r"(?:async\s+)?function\s*\*?\s*(?P<name>[A-Za-z_$][\w$]*)|(?:const|let|var)\s+(?P<made>[A-Za-z_$][\w$]*)\s*=\s*"
    r"(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)|(?P<shell>[A-Za-z_]\w*)\s*\(\)\s*\{)"
)
_COMMENT = re.compile(r"\s*(?:#(?!!)|//|/\*\*?|\*(?!/))\s?(.*?)(?:\*/)?\s*$")
_IF = re.compile(r"\s*(?:\}\s*)?(?:else\s+)?(?:el)?if\s*(\(.*\)|.*;\s*then)\s*\{?\s*$")
_SHORT_IF = re.compile(r"\s*if\s*(\(.*\))\s+((?:return|throw|continue)\b.*)$")
_ELSE = re.compile(r"\s*(?:\}\s*)?else\s*\{?\s*$")
_CLOSES = re.compile(r"\s*(?:\}|fi\b)")
_DOES = (
    (re.compile(r"(?:throw (?:new )?)(.+?);?$"), "throws {}"),
    (re.compile(r"return;?$"), "returns at once"),
    (re.compile(r"return (.+?);?$"), "returns {}"),
    (re.compile(r"continue;?$"), "skips it (leaves it out)"),
    (re.compile(r"(?:console\.(?:log|error)\((.+)\);?|(?:echo|printf) (.+?)(?: >&2)?)$"), "prints {}"),
    (re.compile(r"(?:process\.exit\((.*)\);?|exit (.+))$"), "exits with {}"),
)
"""What lines of JavaScript and of shells do, in words."""


def functions_in(path: str, text: str) -> list[Block]:
    """The functions of a file, methods under the names of their classes; a script of a shell is one itself."""
    if path.endswith(".py"):
        tree = tree_of(text)
        named = _named(tree.body, "") if tree else ()
        return [Block(first=node.lineno, last=node.end_lineno or node.lineno, name=name) for name, node in named]
    found = list(_of_scripts(lines_of(text)))
    if path.endswith((".sh", ".bash")):  # it does something itself
        found.append(Block(first=1, last=len(lines_of(text)), name=path.rpartition("/")[2]))
    return found


def purpose(path: str, text: str, block: Block) -> str:
    """What a function says of itself first, in its own words or right above it."""
    node = _node(path, text, block)
    said = (ast.get_docstring(node) or "").partition("\n\n")[0] if node else ""
    if not said:
        lines, above = lines_of(text), list[str]()
        for line in reversed(lines[: block.first - 1]):
            if not (comment := _COMMENT.match(line)):
                break
            above.insert(0, comment[1])
        said = " ".join(above)
    said = " ".join(said.split())
    return said if len(said) <= _LONGEST_PURPOSE else f"{said[:_LONGEST_PURPOSE]}…"


def outcomes(path: str, text: str, block: Block) -> list[str]:
    """The cases of a function, each as a few words: `raises ValueError if count < 0`."""
    node = _node(path, text, block)
    if node is not None:
        found = [one for inner in _inside(node) for one in _cases(inner)] + _last(node.body) + list(_instead(node))
    elif path.endswith((".js", ".mjs", ".ts", ".sh", ".bash")):
        found = list(_read(lines_of(text)[block.first - 1 : block.last]))
    else:
        found = []
    return [one for one in dict.fromkeys(found) if len(one) <= _LONGEST]


def defaults(path: str, text: str, block: Block) -> dict[str, str]:
    """What a function takes for those of its parameters that are not given, by their names, in words."""
    node = _node(path, text, block)
    if node is None:
        return {}
    by_place, given = [*node.args.posonlyargs, *node.args.args], node.args.defaults
    pairs = [*zip(by_place[len(by_place) - len(given) :], given, strict=True)]
    pairs += [(one, value) for one, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if value]
    told = {one.arg: ast.unparse(value) for one, value in pairs}
    return {name: f"takes {value} where no `{name}` is given" for name, value in told.items() if value != "None"}


def _named(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield f"{prefix}{name}", node
            case ast.ClassDef(name=name, body=inner):
                yield from _named(inner, f"{prefix}{name}.")
            case _:
                pass


def _of_scripts(lines: Sequence[str]) -> Iterator[Block]:
    """The functions of JavaScript and of shells, each up to the brace that closes it at its own depth."""
    heads = [(at, found) for at, line in enumerate(lines) if (found := _FUNCTION.match(line))]
    for at, found in heads[:_MOST]:
        name = found["name"] or found["made"] or found["shell"]
        closing = f"{found['indent']}}}"
        is_short = lines[at].rstrip().endswith(("}", ";")) and lines[at].count("{") == lines[at].count("}")
        ends = (row for row in range(at + 1, len(lines)) if lines[row].startswith(closing))
        yield Block(first=at + 1, last=(at if is_short else next(ends, len(lines) - 1)) + 1, name=name)


def _node(path: str, text: str, block: Block) -> Function | None:
    tree = tree_of(text) if path.endswith(".py") else None
    return next((node for _, node in _named(tree.body, "") if node.lineno == block.first), None) if tree else None


def _inside(function: Function) -> Iterator[ast.AST]:
    """What stands in a function, in its order, without the functions in it."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Definition | ast.Lambda):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _cases(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            if does := _ends(body):
                yield f"{does} if `{ast.unparse(test)}`"
            if (other := _ends(orelse)) and not isinstance(orelse[0], ast.If):
                yield f"{other} unless `{ast.unparse(test)}`"
        case ast.Return(value=ast.IfExp(test=test, body=value, orelse=other)):
            yield f"returns {ast.unparse(value)} if `{ast.unparse(test)}`, otherwise {ast.unparse(other)}"
        case ast.Try(handlers=handlers):
            for one in handlers:
                if does := _ends(one.body):
                    yield f"{does} on {ast.unparse(one.type) if one.type else 'any error'}"
        case _:
            pass


def _instead(function: Function) -> Iterator[str]:
    """What a function takes for something that is not there, also where that is done in a function of its own."""
    for node in every(ast.expr, function):
        match node:
            case ast.Call(func=ast.Attribute(value=where, attr="get"), args=[key, default]):
                yield f"takes {ast.unparse(default)} where `{ast.unparse(where)}` has no `{ast.unparse(key)}`"
            case ast.BoolOp(op=ast.Or(), values=[one, ast.Constant() | ast.Name() as default]):
                if isinstance(one, ast.Name | ast.Attribute) and (
                    not isinstance(default, ast.Name) or default.id.isupper()
                ):
                    yield f"takes {ast.unparse(default)} where `{ast.unparse(one)}` is empty"
            case _:
                pass


def _last(body: Sequence[ast.stmt]) -> list[str]:
    """What a function gives where its last condition does not hold."""
    match body:
        case [*_, ast.If(test=test, body=[*_, ast.Return()], orelse=[]), ast.Return(value=value)] if value is not None:
            return (
                [] if isinstance(value, ast.IfExp) else [f"returns {ast.unparse(value)} unless `{ast.unparse(test)}`"]
            )
        case _:
            return []


def _ends(body: Sequence[ast.stmt]) -> str:
    """What a branch comes to, in a few words; empty where it just goes on."""
    printed = [one for one in map(_printed, body) if one]
    match body[-1] if body else None:
        case ast.Raise(exc=ast.Call(func=ast.Name(id="SystemExit"), args=[code])):
            does = f"stops the program with {ast.unparse(code)}"
        case ast.Raise(exc=error) if error is not None:
            does = f"raises {ast.unparse(error)}"
        case ast.Return(value=None):
            does = "does nothing more"
        case ast.Return(value=value) if value is not None:
            does = f"returns {ast.unparse(value)}"
        case ast.Continue():
            does = "skips it (leaves it out)"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="sys"), attr="exit"), args=args)):
            does = f"stops the program with {', '.join(map(ast.unparse, args)) or '0'}"
        case _:
            does = ""
    return " and ".join([*printed, *([does] if does else [])])


def _printed(node: ast.stmt) -> str:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[what, *_])):
            return f"prints {ast.unparse(what)}"
        case _:
            return ""


def _read(lines: Sequence[str]) -> Iterator[str]:
    """The cases that lines of JavaScript or of a shell have, as far as each stands in lines of its own."""
    condition, word, does, before = "", "", list[str](), ""
    for line in [*lines, "}"]:
        short, opens = _SHORT_IF.match(line), _IF.match(line)
        told = _in_words(line.strip())
        if before and told.startswith("returns "):  # nothing but what is left over comes here
            yield f"{told} unless `{before}`"
        before = before if not line.strip() else ""
        if condition and (_CLOSES.match(line) or _ELSE.match(line) or opens):
            if does:
                yield f"{' and '.join(does)} {word} `{condition}`"
            is_left = word == "if" and not opens and bool(does) and does[-1].startswith("returns")
            before = condition if is_left and not _ELSE.match(line) else ""
            does = []
            word = "unless" if _ELSE.match(line) else ""
            condition = condition if word else ""
        if short:
            yield f"{_in_words(short[2])} if `{short[1][1:-1]}`"
            before = short[1][1:-1] if short[2].startswith("return") else ""
        elif opens:
            condition, word, does = _bare(opens[1]), "if", []
        elif condition and told:
            does.append(told)


def _bare(condition: str) -> str:
    return condition[1:-1] if condition.startswith("(") else condition.removesuffix("then").strip().removesuffix(";")


def _in_words(line: str) -> str:
    for pattern, words in _DOES:
        if found := pattern.match(line):
            return words.format(next((one for one in found.groups() if one), ""))
    return ""
