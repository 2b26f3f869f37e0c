"""Complaints go to where they were asked for: a small model prints them as if they were results."""

import re

from ferrule.small.words.wish import Wish

_ASKED = re.compile(r"\bstd ?err\b|\bstandard error\b|\berror (?:output|stream)\b", re.IGNORECASE)
_DONE = re.compile(r">\s*&2|\bstderr\b|\bconsole\.error\b|/dev/stderr")
"""How a script shows that it knows of that."""
_SHELL = (
    re.compile(
        r"(?P<said>(?:.*(?:\{|\|\||&&|;|\bthen)[ \t])?[ \t]*(?:echo|printf)[ \t][^|;&<>\n]*?)"
        r"(?P<end>[ \t]*(?:(?:;|&&)[ \t]*(?:exit|return)\b.*)?)"
    ),
    r"\g<said> >&2\g<end>",
    re.compile(r"\b(?:exit|return)[ \t]+[1-9]"),
)
_PYTHON = (
    re.compile(r"(?P<said>[ \t]*print\((?!.*\bfile=).*)(?P<end>\)[ \t]*)"),
    r"\g<said>, file=sys.stderr\g<end>",
    re.compile(r"\b(?:(?:sys\.)?exit\([ \t]*[1-9]|raise SystemExit\([ \t]*[1-9]|return[ \t]+[1-9])"),
)
_SCRIPT = (
    re.compile(r"(?P<said>[ \t]*console\.)log(?P<end>\(.*)"),
    r"\g<said>error\g<end>",
    re.compile(r"\bprocess\.(?:exit\([ \t]*[1-9]|exitCode[ \t]*=[ \t]*[1-9])"),
)
_WAYS = {"sh": _SHELL, "bash": _SHELL, "py": _PYTHON, "js": _SCRIPT, "mjs": _SCRIPT, "ts": _SCRIPT}
"""By the ending of a file: a line that says something, the same to the right place, and a line that ends badly."""
_LONGEST = 300


def with_complaints(path: str, text: str, wish: Wish) -> str:
    """A script that says to stderr why it ends badly, where that is asked for and it says nothing there."""
    ways = _WAYS.get(path.rpartition(".")[2])
    if ways is None or not _ASKED.search(wish.text) or _DONE.search(text):
        return text
    says, there, ends = ways
    lines = text.split("\n")
    for at, line in enumerate(lines):
        found = says.fullmatch(line) if len(line) <= _LONGEST else None
        if found and ends.search("\n".join([found["end"], *lines[at + 1 : at + 2]])):
            lines[at] = found.expand(there)
    return "\n".join(lines)
