"""Examples for functions in JavaScript, and for what a command prints, as checks that can be run."""

import ast
import re
import shlex
from collections.abc import Mapping, Sequence

from ferrule.small.checks.check import Check
from ferrule.small.checks.examples import MOST_ASKED, asked_calls, examples
from ferrule.small.checks.mapped import mapped
from ferrule.small.checks.pasted import as_json
from ferrule.small.code.parsed import expression_of, literal
from ferrule.small.words.wish import understand

_DEFINED = re.compile(
    r"^(?:export\s+(?:default\s+)?)?(?:async\s+)?function\s*\*?\s*([A-Za-z_$][\w$]*)"
    r"|^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function\b|\(|[A-Za-z_$][\w$]*\s*=>)"
    r"|^(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=",
    re.MULTILINE,
)
_MODULE = re.compile(r"(?:[\w-]+/)*[\w.-]+\.m?js")
_WORDS = {"true": "True", "false": "False", "null": "None"}
_GET = (
    "const get = async (path, name) => { const it = await import(path); "
    "return it[name] ?? it.default?.[name] ?? it.default; };"
)
"""A function in its module, whichever kind of module that is."""
_CAUGHT = ".catch(error => { console.error(String(error)); process.exit(1); });"
_PRINTED = re.compile(
    r"`[ \t]*((?:(?:python3?|node|sh|bash)[ ]|\./)[^`;&|<>$\x00-\x1f\x7f]{1,120}?)[ \t]*`\s*"
    r"((?:should|must|then|has\s+to)\s+)?"
    r"(?:prints?|outputs?|gives?|shows?|writes?|says?|answers?)\s+(?:just\s+|only\s+|exactly\s+)?"
    r"(?:`([^`\n]{1,120})`|\"([^\"\n]{1,120})\")"
    r"(?=\s*(?:[.;:!?](?:\s|$)|\)|\n|$)|,?\s+and\s+`)"
)
"""A command with all that it prints: "a" is not all in `prints "a" and "b"`."""
_OPEN = re.compile(r"[<{…]|\.\.\.|%[sd]|[:?>]\s*$|\b(?:listening|running|serving|waiting|port)\b", re.IGNORECASE)
"""What stands for something else in what is printed, or what is printed by a program that goes on or asks."""
_WANTED = re.compile(
    r"\b(?:so that|such that|until|make sure|ensure|wants?|needs?|expects?|when i run|should|must)\b[^.!?\n]*$",
    re.IGNORECASE,
)
_ROOM = 200


def functions_of(text: str) -> list[str]:
    """The functions that a file of JavaScript defines at its margin."""
    return [one for match in _DEFINED.finditer(text) for one in match.groups() if one]


def script_check(text: str, homes: Mapping[str, str], *, is_wanted: bool) -> Check | None:
    """A check that runs the examples of a request for functions in JavaScript; `homes` says where each is.

    `is_wanted` says that what is told without a call is what should be, and not what wrongly is.
    """
    plain = re.sub(r"\b(?:true|false|null)\b", lambda match: _WORDS[match[0]], text)
    told = [*examples(plain, is_wanted=is_wanted), *(mapped(plain) if is_wanted else [])]
    calls = [
        (one, should)
        for call, value in told
        if (one := _called(call)) and (should := _script(value)) and _MODULE.fullmatch(homes.get(one[0], ""))
    ]
    if not calls:
        return None
    expects = tuple((f"{name}({arguments})", should) for (name, arguments), should in calls)
    shown = " and ".join(f"`{call}`" for call, _ in expects)
    return Check(command=_printing([call for call, _ in calls], homes), told=shown, expects=expects)


def asked_of_scripts(question: str, homes: Mapping[str, str]) -> dict[str, str]:
    """The calls of functions in JavaScript that a question is about, each with a command that prints it."""
    found = [one for call in asked_calls(question, homes) if (one := _called(call))]
    known = [one for one in found if _MODULE.fullmatch(homes.get(one[0], ""))][:MOST_ASKED]
    return {f"{name}({arguments})": _printing([(name, arguments)], homes) for name, arguments in known}


def _printing(calls: Sequence[tuple[str, str]], homes: Mapping[str, str]) -> str:
    """The command that prints what calls come to, each in a line."""
    names = dict.fromkeys(name for name, _ in calls)
    lines = [f'const {name} = await get("./{homes[name]}", "{name}");' for name in names]
    lines += [f"console.log(JSON.stringify({name}({arguments})));" for name, arguments in calls]
    script = f"{_GET} (async () => {{ {' '.join(lines)} }})(){_CAUGHT}"
    return f"node -e {shlex.quote(script)}"


def printed_check(text: str) -> Check | None:
    """A check of what a request says that a command should print: `python3 greet.py Ada` prints "Hello, Ada!".

    Where something does not work, what it prints may be just what is wrong, unless it is said to be wanted.
    """
    found = _PRINTED.search(text)
    printed = (found[3] or found[4]) if found else ""
    if not found or _OPEN.search(printed):
        return None
    is_wanted = found[2] or _WANTED.search(text[max(0, found.start() - _ROOM) : found.start()])
    if not is_wanted and understand(text).trouble:
        return None
    command = re.sub(r"^python3? ", "python3 -B ", found[1])
    return Check(command=command, told=f"`{found[1]}`", expects=((f"`{found[1]}`", printed),))


def _called(call: str) -> tuple[str, str] | None:
    """The name of a function and its arguments, as JavaScript."""
    match expression_of(call):
        case ast.Expression(ast.Call(func=ast.Name(id=name), args=args, keywords=[])):
            given = [_script(ast.unparse(one)) for one in args]
            return (name, ", ".join(given)) if all(given) else None
        case _:
            return None


def _script(value: str) -> str:
    """A literal of Python as JavaScript; empty where it has no such value."""
    try:
        found = literal(value)
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        return as_json(found)
    except (ValueError, TypeError, RecursionError):
        return ""
