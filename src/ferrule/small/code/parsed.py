"""Python as a tree, whoever wrote it: what is none is no reason to fail, nor to warn anybody."""

import ast
import warnings


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
