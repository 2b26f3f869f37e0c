"""Python as a tree, as tokens and as values: what is none is no reason to fail, nor to warn anybody."""

import ast
import io
import tokenize
import warnings
from typing import Any, TypeVar

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Node = TypeVar("_Node", bound=ast.AST)


def tree_of(source: str) -> ast.Module | None:
    """The tree of a text that is Python; nothing where it is none."""
    tree = _parsed(source, "exec")
    return tree if isinstance(tree, ast.Module) else None


def expression_of(source: str) -> ast.Expression | None:
    """The tree of a text that is one expression; nothing where it is none."""
    tree = _parsed(source, "eval")
    return tree if isinstance(tree, ast.Expression) else None


def _parsed(source: str, mode: str) -> ast.AST | None:
    """What Python would warn of in it does not belong in anybody's terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source, mode=mode)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def every(kind: type[_Node], tree: ast.AST | None) -> list[_Node]:
    """All that is of a kind in a tree, at whatever depth."""
    return [one for one in ast.walk(tree) if isinstance(one, kind)] if tree else []


def start_of(node: ast.stmt) -> int:
    """The line in which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def defaults_of(function: Function) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters of a function that need not be given, each with what it is where it is not."""
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    given = zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True)
    return [*given, *((one, it) for one, it in zip(args.kwonlyargs, args.kw_defaults, strict=True) if it)]


def around(line: str, node: ast.expr) -> tuple[str, str]:
    """A line before and behind an expression, which Python counts in bytes."""
    spelled = line.encode()
    return spelled[: node.col_offset].decode(), spelled[node.end_col_offset :].decode()


def tokens_of(source: str) -> list[tokenize.TokenInfo]:
    """The tokens of a text that is Python; none where it is not."""
    try:
        return list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return []


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a plain value, written out."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return False
    return True


def literal(source: str) -> Any:
    """The value of a literal.

    Raises:
        ValueError: it is none, or too large to be shown.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = ast.literal_eval(source)
            repr(value)
        except (SyntaxError, TypeError, RecursionError, MemoryError) as error:
            raise ValueError(str(error)) from None
    return value
