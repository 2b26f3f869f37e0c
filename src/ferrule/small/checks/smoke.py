"""Checks where no example judges: what is new loads, takes what it should and gives its form; what crashed does not."""

import re
import shlex
from collections.abc import Mapping, Sequence

from ferrule.small.checks.check import Check
from ferrule.small.checks.examples import homes_of, is_module, printing, whole_calls
from ferrule.small.code.names import module_of
from ferrule.small.code.scripted import python_command
from ferrule.small.words.rank import is_test

_OF_FORM = r"\b(?:like|such as|as in|e\.g\.|for example)\s+(?:\"([^\"\n]{1,20})\"|'([^'\n]{1,20})')"
_GIVES = r"\b(?:[Rr]eturns?|[Gg]ives?|[Ff]ormats?|[Ss]hows?|[Tt]urns)\b"
_NAMES = re.compile(r"\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b(?!\.)")
_BROKEN = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "AttributeError", "RecursionError")
"""What nobody raises on purpose; a function that refuses what it is given raises something else."""
_ACTS = re.compile(r"delete|remove|clean|clear|write|save|send|post|kill|drop|main|run|start|wait|sleep|load|read|open")
_GIVEN = re.compile(
    r"\b(?:arguments?|argv|options?|flags?|command[- ]line|stdin|input|asks?|prompts?|files?|folder|director\w+"
    r"|delet\w+|remov\w+|writ(?:es|ten)|sav\w+|send\w*|download\w*|upload\w*|cop(?:y|ies)|mov\w+|renam\w+|serv\w+"
    r"|forever|every|wait\w*|watch\w*|loop\w*|url|https?|database|network)\b",
    re.IGNORECASE,
)
"""Said of scripts that need something, or that do more than print."""
_DATA = (".json", ".csv", ".tsv", ".txt", ".ini", ".toml", ".log", ".xml", ".md", ".yaml", ".yml")
_FILE = re.compile(r"\b(?:in|of|from) (?:the|that|this) file\b", re.IGNORECASE)
_LOADED = re.compile(r'(?:^|File ")([\w./-]+\.py)(?:", line \d+|:\d+:) ?,? ?in <module>', re.MULTILINE)
"""A file that something happened in while it was loaded."""
_CRASHES = re.compile(
    r"\s*+[`'\"]?\s*+(?:(?:in|from|of)\s+\S+\s+)?(?:(?:also|always|just|still|now|currently)\s+)?"
    r"(?:crash(?:es|ed)?\b|blows\s+up\b|dies\b|fails\b(?!\s+to)|throws\b|breaks\b"
    r"|(?:raises|gives(?:\s+me)?|ends\s+in|leads\s+to)\s+(?:an?\s+)?[`'\"]?(?:\w*Error|[Ee]xception|[Tt]raceback)\b)"
)
_SHOULD_RAISE = re.compile(
    r"\b(?:should|must)\s+(?:raise|throw|fail)|\b(?:instead\s+of|not)\s+an?\s+\w*Error", re.IGNORECASE
)
"""Said where an error is wanted, or another one."""
_MOST_TRIED, _SECONDS = 100_000, 5
_QUOTED = re.compile(r"\"([^\"\n]{1,60})\"|'([^'\n]{1,60})'")
_REFUSED = re.compile(
    r"\b(?:rais\w+|reject\w*|refus\w+|fail\w*|invalid|errors?|\w+Error|throw\w*|malformed|bad|wrong|not|never|except)\b",
    re.IGNORECASE,
)
"""Said of what a function should not take."""
_HOURS = 24
_TIME = re.compile(r"\d{1,2}:[0-5]\d(?::[0-5]\d)?")
_NUMBERED = re.compile(r"\D*\d{1,4}(?!\s*[kKMGTPm]?i?[bB]\b)\D*")
_OF_A_NUMBER = frozenset({"n", "i", "x", "number", "num", "index", "position", "rank", "place", "year"})
_SUCH_AS = r" (?:like|such as) (?:[\"'][^\"'\n]{1,60}[\"'](?:, | or | and |, or |, and )?)+"
_MOST, _ROOM = 24, 400


def smoke_check(text: str, path: str, signature: str) -> Check | None:
    """A check that a new function takes what the request names as its input: texts like "1h30m", "2h" or "45m"."""
    name, _, parameter = signature.removesuffix(")").partition("(")
    if not parameter.isidentifier() or not is_module(path):
        return None
    match = re.search(rf"\b{parameter}s?{_SUCH_AS}", text, re.IGNORECASE)
    before = text[max(0, match.start() - _ROOM) : match.start()] if match else ""
    if not match or re.search(rf"{_GIVES}[^.;]*(?<!\bin)(?<!\bof)(?<!\bfrom) $", before):
        return None  # those are what it gives
    around = re.split(r"[.;\n]", before)[-1] + re.split(r"[.;\n]", text[match.end() : match.end() + _ROOM])[0]
    if _REFUSED.search(around):
        return None
    inputs = [one[0] or one[1] for one in _QUOTED.findall(match[0])][:_MOST]
    module = module_of(path)
    script = "; ".join([f"from {module} import {name}", *(f"{name}({one!r})" for one in inputs)])
    return Check(command=python_command(script), told=f"what `{name}` gives")


def alive_check(text: str, path: str, known: Sequence[str] = ()) -> Check | None:
    """A check that the functions which a request names for a new file do not fail whatever they are given.

    Only harmless arguments are tried, and not on what by its name does something to the world. `known` are functions
    that the file is known to have.
    """
    found = dict.fromkeys([*known, *_NAMES.findall(text)])
    names = [name for name in found if not _ACTS.search(name)][:_MOST]
    if not names or not is_module(path):
        return None
    module = module_of(path)
    script = (
        f"import {module} as new\n"
        f"ours = {_BROKEN!r}\n"
        "def call(f, one):\n"
        "    try: f(one)\n"
        "    except Exception as error: return type(error).__name__ + ': ' + str(error)\n"
        f"for name in {names!r}:\n"
        "    f = getattr(new, name, None)\n"
        "    if not callable(f): continue\n"
        "    said = [call(f, one) for one in (20, 2.5, 'a', [1, 2])]\n"
        "    if len(set(said)) == 1 and said[0] and said[0].startswith(ours) and name + '()' not in said[0]:\n"
        "        raise SystemExit(f'Error: {name}(20) raises {said[0]}')\n"
    )
    told = " and ".join(f"`{name}`" for name in names)
    return Check(command=python_command(script), told=f"that {told} can be called", is_new=True)


def runs_check(text: str, path: str, paths: Sequence[str] = ()) -> Check | None:
    """A check that a new script ends well which only prints something, and which is given nothing.

    What it reads must be a file that is there: `paths` are those of the project.
    """
    is_plain = re.fullmatch(r"[\w-]+\.py", path) and re.search(r"\bscript\b|\bprogram\b", text, re.IGNORECASE)
    if not is_plain or not re.search(r"\bprints?\b", text, re.IGNORECASE) or _GIVEN.search(_without_known(text, paths)):
        return None
    return Check(command=f"python3 -B {path}", told=f"that {path} runs", is_new=True)


def _without_known(text: str, paths: Sequence[str]) -> str:
    """A request without its words for the file that it names and that is there, where it names one."""
    known = [path for path in paths if path in text and path.endswith(_DATA)]
    return _FILE.sub("", re.sub("|".join(map(re.escape, known)), "", text)) if len(known) == 1 else text


def loads_again_check(text: str, paths: Sequence[str]) -> Check | None:
    """A check that a module can be imported, where pasted output of tests says that it could not."""
    found = _LOADED.findall(text)
    files = [path for one in found for path in paths if path == one or one.endswith(f"/{path}")]
    ours = [path for path in files if not is_test(path) and is_module(path)]
    if not ours or not any(is_test(one) for one in found):
        return None
    return Check(command=f"python3 -B -c 'import {module_of(ours[-1])}'", told=f"that {ours[-1]} loads")


def loads_check(text: str, path: str) -> Check | None:
    """A check that a new module of JavaScript can be loaded, where it is said to have something for others."""
    if not re.fullmatch(r"(?:[\w-]+/)*[\w-]+\.js", path) or not re.search(r"\b(?:export|function|module)", text):
        return None
    script = f"import('./{path}').catch(error => {{ console.error(String(error)); process.exit(1) }})"
    return Check(command=f"node -e {shlex.quote(script)}", told=f"that {path} loads", is_new=True)


def form_check(text: str, path: str, signature: str) -> Check | None:
    """A check that a new function of a number gives values of the form that the request shows: times like "3:07"."""
    name, _, parameter = signature.removesuffix(")").partition("(")
    shown = [one for found in re.findall(_OF_FORM, text) for one in found if any(map(str.isdigit, one))]
    forms = [one for one in shown if _is_reached(one, parameter)][:_MOST]
    if not parameter.isidentifier() or not forms or not re.search(_GIVES, text) or not is_module(path):
        return None
    module = module_of(path)
    script = (
        f"import time\nfrom {module} import {name} as f\n"
        f"given, end = set(), time.monotonic() + {_SECONDS}\n"
        "try:\n"
        f"    for n in range({_MOST_TRIED}):\n"
        "        given.add(str(f(n)))\n"
        "        if time.monotonic() > end: raise SystemExit\n"
        "except (TypeError, ValueError, AttributeError): raise SystemExit\n"
        f"never = [form for form in {forms!r} if form not in given]\n"
        f"if never: raise SystemExit(f'Error: {name} should give values like {{never}}, but no number does. '\n"
        f"    f'{name}(5) gives {{f(5)!r}}, {name}(187) gives {{f(187)!r}}, {name}(3765) gives {{f(3765)!r}}')\n"
    )
    return Check(command=python_command(script), told=f"what `{name}` gives")


def _is_reached(form: str, parameter: str) -> bool:
    """Whether a value of a form comes of a number that can be tried: "1.5 MB" and "2024-01-31" come of none."""
    if _TIME.fullmatch(form):
        return int(form.partition(":")[0]) < _HOURS
    return parameter in _OF_A_NUMBER and bool(_NUMBERED.fullmatch(form))


def crash_check(text: str, homes: Mapping[str, str]) -> Check | None:
    """A check that makes the call again which is said to end in an error, where none is wanted."""
    for call, behind in whole_calls(text):
        is_said = _CRASHES.match(behind) and not _SHOULD_RAISE.search(text)
        if is_said and homes_of(call, homes) and not _ACTS.search(call.partition("(")[0]):
            return Check(command=printing([call], homes), told=f"`{call}`")
    return None
