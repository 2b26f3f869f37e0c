"""Python as a command: one quoted word that a person can read, and that no shell takes apart."""

import re
import shlex
import tokenize

from ferrule.small.code.parsed import tokens_of

_PLAIN = re.compile(r"([rbuRBU]{0,2})'([^'\"\\\n]*)'")


def python_command(script: str) -> str:
    """The command that runs a script, with as few single quotes in it as can be: each is four signs to a shell."""
    return f"python3 -B -c {shlex.quote(in_double_quotes(script))}"


def in_double_quotes(script: str) -> str:
    """The same Python with its texts in double quotes, where that says the same."""
    lines = script.split("\n")
    for token in reversed(tokens_of(script)):
        plain = _PLAIN.fullmatch(token.string) if token.type == tokenize.STRING else None
        if plain:
            row, (start, end) = token.start[0] - 1, (token.start[1], token.end[1])
            lines[row] = f'{lines[row][:start]}{plain[1]}"{plain[2]}"{lines[row][end:]}'
    return "\n".join(lines)
