"""Python as a command: one quoted word that a person can read, and that no shell takes apart."""

import ast
import re
import shlex
import tokenize

from ferrule.small.code.parsed import tokens_of, tree_of

_PLAIN = re.compile(r"([rbuRBU]{0,2})'([^'\"\\\n]*)'")


def python_command(script: str) -> str:
    """The command that runs a script, with as few single quotes in it as can be: each is four signs to a shell."""
    return f"python3 -B -c {shlex.quote(in_double_quotes(script))}"


def in_double_quotes(script: str) -> str:
    """The same Python with its texts in double quotes; a script that Python does not take stays as it is."""
    changed = _with_double_quotes(script)
    return changed if _are_the_same(script, changed) else script


def _are_the_same(script: str, changed: str) -> bool:
    """Whether Python takes both for the same program; one that is nested too deeply to tell is none."""
    before, after = tree_of(script), tree_of(changed)
    try:
        return before is not None and after is not None and ast.dump(before) == ast.dump(after)
    except RecursionError:
        return False


def _with_double_quotes(script: str) -> str:
    lines = script.split("\n")
    for token in reversed(tokens_of(script)):
        plain = _PLAIN.fullmatch(token.string) if token.type == tokenize.STRING else None
        if plain:
            row, (start, end) = token.start[0] - 1, (token.start[1], token.end[1])
            lines[row] = f'{lines[row][:start]}{plain[1]}"{plain[2]}"{lines[row][end:]}'
    return "\n".join(lines)
