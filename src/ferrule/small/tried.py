"""What a question is about is tried, where that does nothing: a small model is no interpreter."""

import re
import shlex
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from ferrule.small.checks.check import outcome, printed
from ferrule.small.checks.examples import asked_values
from ferrule.small.checks.scripts import asked_of_scripts, functions_of
from ferrule.small.code.blocks import blocks_of, lines_of
from ferrule.small.moves import Move, use
from ferrule.small.work import Work

_MODULES = "child_process|subprocess|socket|urllib|requests|httpx|sqlite3|shelve|dbm|smtplib|ftplib"
_FUNCTIONS = "writeFile|appendFile|createWriteStream|unlink|rmtree|rmdir|mkdir|makedirs|serve_forever|createServer"
ACTS = (
    rf"\bopen\([^)\n]*[\"'](?:[wax]|r\+)|\.write_(?:text|bytes)\(|\b(?:{_MODULES}|{_FUNCTIONS})"
    r"|\bos\.(?:remove|rename|replace|system|popen|exec|kill|spawn)|\b(?:json|pickle)\.dump\(|\bfetch\(|\binput\("
    r"|\bsys\.stdin\b|process\.stdin|\.(?:rm|remove)Sync\(|\.(?:rename|truncate|listen)(?:Sync)?\("
)
"""Code that does something to the world, or that waits for somebody; it is searched for in the project."""
_NAMES = re.compile(r"delete|remove|clean|clear|write|save|send|post|kill|drop|wait|sleep", re.IGNORECASE)
_COMMAND = r"(?:python3?|node) [^`;&|<>$()\\\x00-\x1f\x7f]{1,120}"
_PRINTS = r"(?:print|output|show|display|write|say|give|return|do)\b"
_ASKED = (
    re.compile(rf"\b(?:does|would|will|do)\s+`\s*({_COMMAND}?)\s*`\s+(?:\w+\s+)?{_PRINTS}", re.IGNORECASE),
    re.compile(rf"\b(?:does|would|will)\s+({_COMMAND}?)\s+{_PRINTS}", re.IGNORECASE),
    re.compile(rf"\b(?:output|result)\s+of\s+`\s*({_COMMAND}?)\s*`", re.IGNORECASE),
    re.compile(
        rf"\b(?:what|which)\b[^.!?`]{{0,60}}\b(?:printed|shown|output|happens|see|get)\b[^.!?`]{{0,40}}`\s*"
        rf"({_COMMAND}?)\s*`",
        re.IGNORECASE,
    ),
)
_ONLY = re.compile(
    r"what\s+(?:(?:does|would|will)\s+(?:`[^`]+`|\w[\w. ]*(?:\([^?\n]*\))?)\s+(?:print|output|show|display|return|give)"
    r"(?:\s+(?:out|exactly))?(?:\s+(?:for|given|when called with|when given)\s+[^?\n]+)?"
    r"|is\s+(?:the\s+(?:result|value|output)\s+of\s+)?(?:`[^`]+`|\w+\([^?\n]*\)))\s*\?",
    re.IGNORECASE,
)
"""A question for nothing but what comes of something."""
_WHY = re.compile(r"\b(?:why|how|where|which|explain)\b", re.IGNORECASE)
_EXPORTS = re.compile(r"^(?:module\.)?exports\b|^export\s", re.MULTILINE)
_UNITS = "second|minute|hour|day|week|month|year"
_IN_UNITS = re.compile(rf"\d\s+({_UNITS})s?\b", re.IGNORECASE)
_SECONDS = 20
_MOST_OUTPUT = 600


def tried(work: Work) -> Generator[Move, Any, list[str]]:
    """What the calls come to, and what the command prints, that a question is about."""
    question = work.wish.text
    homes = {block.name: path for path, text in work.texts.items() for block in blocks_of(path, text) if block.name}
    quiet = {name: path for name, path in homes.items() if not acts(name, work.texts[path], path)}
    calls = asked_values(question, _fitting(work, quiet)) | asked_of_scripts(question, _fitting(work, _exported(work)))
    command = asked_command(work.wish.text, work.paths)
    if command and (yield from _is_quiet(work)):
        (result,) = yield from use(_call(re.sub(r"^python3? ", "python3 -B ", command), command))
        if told := printed(result.text):
            return [f"It was tried: `{command}` {told[:_MOST_OUTPUT]}"]
    if not calls:
        return []
    results = yield from use(*(_call(command, call) for call, command in calls.items()))
    came = [(call, outcome(result.text)) for call, result in zip(calls, results, strict=True)]
    return [f"It was tried: {call} {what}." for call, what in came if what and " object at 0x" not in what]


def _exported(work: Work) -> dict[str, str]:
    """The functions in JavaScript that others can have, of files that do nothing else when they are loaded."""
    files = [path for path, text in work.texts.items() if _EXPORTS.search(text) and not re.search(ACTS, text)]
    found = [(name, path) for path in files for name in functions_of(work.texts[path])]
    return {name: path for name, path in found if not _NAMES.search(name)}


def _fitting(work: Work, homes: Mapping[str, str]) -> dict[str, str]:
    """The functions without those that are given other units than the question has: seconds for minutes."""
    said = {unit.lower() for unit in _IN_UNITS.findall(work.wish.text)}
    fitting = dict(homes)
    for name, path in homes.items() if said else ():
        head = re.search(rf"\b{re.escape(name.rpartition('.')[2])}\s*=?\s*\(([^()]*)\)", work.texts[path])
        taken = set(re.findall(_UNITS, head[1].lower())) if head else set()
        if taken and not taken & said:
            del fitting[name]
    return fitting


def asks_only_that(question: str) -> bool:
    """Whether a question is answered by what came of the one thing that was tried."""
    return bool(_ONLY.fullmatch(question.strip())) and not _WHY.search(question)


def asked_command(question: str, paths: Sequence[str]) -> str:
    """The command whose output a question asks for, where it runs a file of the project; else empty."""
    found = next((match[1].strip() for one in _ASKED if (match := one.search(question))), "")
    try:
        words = shlex.split(found)
    except ValueError:
        return ""
    match words:
        case ["python" | "python3", "-m", module, *_]:
            files = [f"{module.replace('.', '/')}{end}" for end in (".py", "/__main__.py")]
        case [_, file, *_]:
            files = [file.removeprefix("./")]
        case _:
            files = []
    return found if any(one in paths for one in files) else ""


def _call(command: str, what: str) -> tuple[str, dict[str, Any]]:
    return "bash", {"command": command, "description": f"Try what {what} comes to", "timeout": _SECONDS}


def acts(name: str, text: str, path: str) -> bool:
    """Whether a function does something besides computing, by its name or by what stands in it."""
    lines = lines_of(text)
    bodies = ["\n".join(lines[one.first - 1 : one.last]) for one in blocks_of(path, text) if one.name == name]
    return bool(_NAMES.search(name)) or any(re.search(ACTS, body) for body in bodies)


def _is_quiet(work: Work) -> Generator[Move, Any, bool]:
    """Whether no code of the project does anything but compute and print."""
    (result,) = yield from use(("grep", {"pattern": ACTS, "head_limit": 0}))
    return not result.is_error and not any(path in work.paths for path in result.text.splitlines())
