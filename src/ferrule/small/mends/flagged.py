"""Options of shell scripts come before what else they are given: a small model looks for them anywhere."""

import re

from ferrule.small.words.wish import Wish

_SHELL = (".sh", ".bash")
_COMPARED = re.compile(
    r"\[{1,2} +(?P<quote>\"?)\$(?:[1-9@*]|\{[1-9@*](?::?-)?\})(?P=quote)"
    r" +==? +([\"']?)(?P<flag>--?[a-z][\w-]*)\2 +\]{1,2}"
)
"""Whether one of the things that a script is given is an option."""
_TAKES = re.compile(r"\b(?:shift|getopts)\b|\bcase\s+\"?\$[1@*]")
_BEGINS = re.compile(r"(?:#.*|set\s+[-+].*|\s*)")
"""A line before anything is done."""


def with_flag(path: str, base: str, text: str, wish: Wish) -> str:
    """A shell script that takes an option which was asked for away first, and then does with the rest what it did."""
    if not path.endswith(_SHELL) or _TAKES.search(text):
        return text
    flags = {found["flag"] for found in _COMPARED.finditer(text)} - {
        found["flag"] for found in _COMPARED.finditer(base)
    }
    flag = flags.pop() if len(flags) == 1 else ""
    if not flag or not re.search(rf"(?<![\w-]){flag}(?![\w-])", wish.text):
        return text
    name = flag.strip("-").replace("-", "_")
    name = f"with_{name}" if re.search(rf"\b{name}\b", text.replace(flag, "")) or len(name) == 1 else name
    lines = _COMPARED.sub(f'[ "${name}" = yes ]', text).split("\n")
    at = next((at for at, line in enumerate(lines) if not _BEGINS.fullmatch(line)), len(lines))
    taken = [f"{name}=no", f'if [ "${{1:-}}" = "{flag}" ]; then', f"    {name}=yes", "    shift", "fi", ""]
    return "\n".join([*lines[:at], *taken, *lines[at:]])
