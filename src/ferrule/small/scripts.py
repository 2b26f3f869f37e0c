"""Examples for functions in JavaScript, and for what a command prints, as checks that can be run."""

import ast
import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from ferrule.small.checks import Check
from ferrule.small.examples import examples
from ferrule.small.mapped import mapped

_DEFINED = re.compile(
    r"^(?:export\s+(?:default\s+)?)?(?:async\s+)?function\s*\*?\s*([A-Za-z_$][\w$]*)"
    r"|^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function\b|\(|[A-Za-z_$][\w$]*\s*=>)"
    r"|^(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=",
    re.MULTILINE,
)
_MODULE = re.compile(r"(?:[\w-]+/)*[\w.-]+\.m?js")
_WORDS = {"true": "True", "false": "False", "null": "None"}
_PRINTED = re.compile(
    r"`\s*((?:python3?|node|sh|bash|\./)\s?[^`\n;&|<>$]{1,120}?)\s*`\s*(?:(?:should|must|then|has\s+to)\s+)?"
    r"(?:prints?|outputs?|gives?|shows?|writes?|says?|answers?)\s+(?:just\s+|only\s+|exactly\s+)?"
    r"(?:`([^`\n]{1,120})`|\"([^\"\n]{1,120})\")"
)


def functions_of(text: str) -> list[str]:
    """The functions that a file of JavaScript defines at its margin."""
    return [one for match in _DEFINED.finditer(text) for one in match.groups() if one]


def script_check(text: str, homes: Mapping[str, str], *, is_wanted: bool) -> Check | None:
    """A check that runs the examples of a request for functions in JavaScript; `homes` says where each is.

    `is_wanted` says that what is told without a call is what should be, and not what wrongly is.
    """
    plain = re.sub(r"\b(?:true|false|null)\b", lambda match: _WORDS[match[0]], text)
    told = [*examples(plain), *(mapped(plain) if is_wanted else [])]
    calls = [
        (one, value) for call, value in told if (one := _called(call)) and _MODULE.fullmatch(homes.get(one[0], ""))
    ]
    if not calls:
        return None
    lines = [f"{_found(name, homes[name])}({arguments})" for (name, arguments), _ in calls]
    script = f"(async () => {{ {' '.join(f'console.log(JSON.stringify({line}));' for line in lines)} }})()"
    script += ".catch(error => { console.error(String(error)); process.exit(1) })"
    expects = tuple((f"{name}({arguments})", _json(ast.literal_eval(value))) for (name, arguments), value in calls)
    shown = " and ".join(f"`{call}`" for call, _ in expects)
    return Check(command=f"node -e {shlex.quote(script)}", told=shown, expects=expects)


def printed_check(text: str) -> Check | None:
    """A check of what a request says that a command should print: `python3 greet.py Ada` prints "Hello, Ada!"."""
    found = _PRINTED.search(text)
    if not found:
        return None
    command = re.sub(r"^python3? ", "python3 -B ", found[1])
    return Check(command=command, told=f"`{found[1]}`", expects=((f"`{found[1]}`", found[2] or found[3]),))


def _found(name: str, path: str) -> str:
    """The function in its module, whichever kind of module that is."""
    module = f"(await import('./{path}'))"
    return f"({module}.{name} ?? {module}.default?.{name} ?? {module}.default)"


def _called(call: str) -> tuple[str, str] | None:
    """The name of a function and its arguments, as JavaScript."""
    match ast.parse(call, mode="eval").body:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            try:
                return name, ", ".join(_json(ast.literal_eval(one)) for one in args)
            except (ValueError, TypeError, RecursionError):
                return None
        case _:
            return None


def _json(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
