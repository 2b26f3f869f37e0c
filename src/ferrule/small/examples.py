"""Examples that a request gives ("median([4, 1, 3, 2]) gives 3, but it should be 2.5"), as a check that can be run."""

import ast
import keyword
import re
import shlex
from collections.abc import Mapping, Sequence

from ferrule.small.checks import Check
from ferrule.small.mapped import lengths, mapped
from ferrule.small.names import is_literal
from ferrule.small.pasted import PLAIN, asserted, literal, names_in, tree_of

_CALL = re.compile(r"\b([A-Za-z_]\w*)\(")
_SHOULD = re.compile(
    r"\s*+[`'\"]?\s*+(?:(?:in|from|of)\s+\S+\s+)?(?:should|must|has\s+to)\s+(?:be|give|return|yield)\s+"
)
_COMES_TO = re.compile(
    r"\s*+[`'\"]?\s*+(?:(?:in|from|of)\s+\S+\s+)?"
    r"(?:(?:currently\s+|now\s+|wrongly\s+)?(?:gives?|says?|returns?|is|yields?|shows?|prints?|becomes|raises|throws|(?:crashes|fails|breaks)\s+with)\s+|(?P<sign>->|→|=>|==|=)\s*)"
)
_BUT = re.compile(
    r"[`'\"]?[,;.:?]?\s*(?:(?:and|but|although|though|while|when|where|whereas)\s+)?(?:(?:it|that|this|the\s+result)\s+)?"
    r"(?:(?:should|must|ought\s+to|has\s+to|needs\s+to)\s+(?:be|give|return|have\s+been|have\s+given)"
    r"|(?:(?:i|we)(?:'d|\s+would)?\s+)?(?:want(?:ed)?|expect(?:ed)?|need(?:ed)?|like)(?:\s+(?:it|this|that)\s+to\s+(?:be|give|return))?"
    r"|instead\s+of|rather\s+than)\s*:?\s+",
    re.IGNORECASE,
)
"""What stands between what a call gives and what it should give."""
_OTHERWISE = re.compile(
    r"[`'\"]?[,;.]?\s*(?:(?:but|although|though|,\s*not|which\s+is\s+wrong"
    r"|(?:is|was|looks|seems)\s+(?:wrong|incorrect|a\s+bug|a\s+mistake|not\s+right|outdated)"
    r"|(?:please\s+)?(?:change|make|turn)\s+(?:it|that|this))\b|:-?\()",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"[`'\"]?\s*+(?:$|\n|[.;:!?)|](?!\.)|,(?!\s*`?[\"'\d\[({-]|\s*(?:True|False|None)\b)|//|#"
    r"|\((?!(?:rounded|approx|about|roughly|or|if|when|unless|only)\b)"
    r"|and\s+(?![`]?[\"'\d\[({])"
    r"|(?:but|while|whereas|although|though|instead|rather|not|because|since|so|as|now|currently|fails?)\b"
    r"|in\s+`?[\w./-]+\.\w)"
)
"""What may stand behind a value that is all that was said: "3 or more", "1 to 6" and "5 seconds" are something else."""
_BEGINS = re.compile(r"[\[({\d.+\-\"']|[rRbBuU]{1,2}[\"']|(?:True|False|None)\b|set\(\)")
"""How every literal begins."""
_CLOSED = {"[": "]", "(": ")", "{": "}", "'": "'", '"': '"'}
_PLAIN = re.compile(r"[\w.+-]+(?:\(\))?")
_MOST_CALLS, _ROOM = 600, 400
"""How many calls are looked at, and how many characters behind each."""
_SOMETHING = re.compile(r"\S[^.;\n]{0,60}?(?=[,;]|\s+(?:but|instead|rather|although|when|where|while|and\s+it)\b)")
_GIVEN = (
    r"\b{name}`?\s+(?:\w+\s+){{0,4}}?(?:for|given|with|on|to|from|of)\s+"
    r"(?:the\s+)?(?:(?:input|value|argument|number|string|list|text|word)s?\s+)?"
)
"""What a function is said to be given: "What does median return for [1, 2]?"."""
_IN_WORDS = re.compile(r"\s*(?:an |the )?empty (list|string|str|text|dict|tuple)", re.IGNORECASE)
_OF_FORM = r"\b(?:like|such as|as in|e\.g\.|for example)\s+(?:\"([^\"\n]{1,20})\"|'([^'\n]{1,20})')"
_GIVES = r"\b(?:[Rr]eturns?|[Gg]ives?|[Ff]ormats?|[Ss]hows?|[Tt]urns)\b"
_SHOWN = re.compile(
    r"(?P<given>(?<!\d)\d{1,30}(?:\.\d{1,30})?|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}')(?:\s+[a-z]+){0,2}?\s+(?:(?:is|are|gets?|comes?\s+out)\s+)?"
    r"(?:shown|printed|displayed|formatted|written|rendered|shows|becomes|comes\s+out|gives|returns|turned\s+into|is)"
    r"(?:\s+as)?\s+(?P<wrong>\S{1,30}?),?\s+"
    r"(?:instead\s+of|rather\s+than|(?:but\s+)?(?:(?:it|that)\s+)?(?:shoul?d|must|ought\s+to)\s+be)\s+(?P<right>\S{1,30}?)[.,;!]?(?=\s|$)"
)
_NAMES = re.compile(r"\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b(?!\.)")
_BROKEN = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "AttributeError", "RecursionError")
"""What nobody raises on purpose; a function that refuses what it is given raises something else."""
_ACTS = re.compile(r"delete|remove|clean|clear|write|save|send|post|kill|drop|main|run|start|wait|sleep|load|read|open")
_MOST_TRIED, _SECONDS = 100_000, 5
_MOST, _MOST_ASKED = 24, 2
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


def examples(text: str, *, is_wanted: bool = True) -> list[tuple[str, str]]:
    """The calls that a request gives, with what they should come to: both as Python.

    `is_wanted` says that what a call "gives" is what it should give, and not what it wrongly gives.
    """
    found: list[tuple[str, str]] = []
    for match in _calls(text):
        call = _balanced(text, match.start(), match.end() - 1)
        if call is None or not _is_literal_call(call):
            continue
        behind = match.start() + len(call)
        value = _promised(text[behind : behind + _ROOM], is_wanted=is_wanted)
        if value is not None:
            found.append((call, value))
    by_call: dict[str, tuple[str, str]] = {}
    for call, value in [*asserted(text), *found]:
        by_call.setdefault(_spelled(call), (call, value))
    return list(by_call.values())[:_MOST]


def _spelled(call: str) -> str:
    """A call in the one way in which Python would write it, so that two are known to be the same."""
    try:
        return ast.unparse(tree_of(call))
    except RecursionError:
        return call


def _calls(text: str) -> list[re.Match[str]]:
    """Where calls are; of very many those with which a text begins and ends, for between them is what was pasted."""
    every = list(_CALL.finditer(text))
    return every if len(every) <= _MOST_CALLS else [*every[: _MOST_CALLS // 2], *every[-_MOST_CALLS // 2 :]]


def _promised(behind: str, *, is_wanted: bool) -> str | None:
    """What a call should come to, by the words behind it; what it wrongly gives now is passed over."""
    if should := _SHOULD.match(behind):
        return _whole_value(behind[should.end() :])
    gives = _COMES_TO.match(behind)
    if not gives:
        return None
    rest = behind[gives.end() :]
    length = _value_length(rest)
    if not length:
        some = _SOMETHING.match(rest)
        length = some.end() if some else 0
        but = _BUT.match(rest[length:]) if some else None
        return _whole_value(rest[length + but.end() :]) if but else None
    after = rest[length:]
    if but := _BUT.match(after):
        return _whole_value(after[but.end() :])
    is_meant = is_wanted or gives["sign"]
    return _whole_value(rest) if is_meant and not _OTHERWISE.match(after) else None


def _whole_value(text: str) -> str | None:
    """The value that a text begins with, if that is all that is said of it."""
    length = _value_length(text)
    value = _value(text) if length and _ENDS.match(text[length:]) else None
    is_several = (
        bool(value)
        and str(value).startswith("(")
        and not text.lstrip(" `\n").lower().startswith(("(", "an", "the", "empty"))
    )
    return None if is_several else value


def example_check(text: str, homes: Mapping[str, str], *, is_wanted: bool = False) -> Check | None:
    """A check that runs the examples of a request; `homes` says in which file each function is.

    `is_wanted` says that what is told without a call is what should be, and not what wrongly is.
    """
    every = dict([*(mapped(text) if is_wanted else []), *examples(text, is_wanted=is_wanted), *lengths(text)])
    known = [(call, value) for call, value in every.items() if _homes_of(call, homes)]
    if not known:
        return None
    told = " and ".join(f"`{call}`" for call, _ in known)
    return Check(command=_printing([call for call, _ in known], homes), told=told, expects=tuple(known))


def shown_check(text: str, homes: Mapping[str, str]) -> Check | None:
    """A check of what a request says is shown wrongly: "185 seconds are shown as 3:5, it should be 3:05. Fix as_text".

    It counts only where the one function that is named gives just that wrong value now.
    """
    said = set(re.findall(r"\w+", text))
    names = [name for name in homes if name in said]
    found = _SHOWN.search(text)
    if not found or len(names) != 1 or not _is_module(homes[names[0]]):
        return None
    call = f"str({names[0]}({found['given']}))"
    wrong, right = (repr(found[one].strip("`'\"")) for one in ("wrong", "right"))
    expects = ((call, right),)
    told = f"`{names[0]}({found['given']})`"
    return Check(command=_printing([call], homes), told=told, expects=expects, now=(wrong,))


def asked_values(question: str, homes: Mapping[str, str]) -> dict[str, str]:
    """The calls that a question is about ("What does median([1, 2]) return?"), each with a command that prints it."""
    found: list[str] = []
    for match in _calls(question):
        call = _balanced(question, match.start(), match.end() - 1)
        if call is not None and _is_literal_call(call) and not call.endswith("()"):
            found.append(call)
    for name in homes:
        given = re.search(_GIVEN.format(name=re.escape(name)), question) if name in question else None
        if given and (values := _literals(question[given.end() : given.end() + _ROOM])):
            found.append(f"{name}({', '.join(values)})")
    calls = [call for call in dict.fromkeys(found) if _homes_of(call, homes)]
    return {call: _printing([call], homes) for call in calls[:_MOST_ASKED]}


def _homes_of(call: str, homes: Mapping[str, str]) -> dict[str, str]:
    """The modules that a call needs, by what it takes from each; none where it needs something else."""
    needed = (names_in(call) or set()) - PLAIN
    known = {name: homes[name] for name in sorted(needed) if _is_module(homes.get(name, ""))}
    return known if len(known) == len(needed) else {}


def _is_module(path: str) -> bool:
    """Whether a file can be imported by its path."""
    names = path.removesuffix(".py").split("/")
    return path.endswith(".py") and all(one.isidentifier() and not keyword.iskeyword(one) for one in names)


def _printing(calls: Sequence[str], homes: Mapping[str, str]) -> str:
    """The command that prints what calls come to, each in a line."""
    needed = {name: path for call in calls for name, path in _homes_of(call, homes).items()}
    imports: list[str] = []
    for name, path in needed.items():
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".").removeprefix("src.")
        imports.append(f"from {module} import {name}")
    if any(path.startswith("src/") for path in needed.values()):
        imports = ["import sys", "sys.path.insert(0, 'src')", *imports]
    script = "; ".join([*imports, *(f"print(repr({call}))" for call in calls)])
    return f"python3 -B -c {shlex.quote(script)}"


def smoke_check(text: str, path: str, signature: str) -> Check | None:
    """A check that a new function takes what the request names as its input: texts like "1h30m", "2h" or "45m"."""
    name, _, parameter = signature.removesuffix(")").partition("(")
    if not parameter.isidentifier() or not _is_module(path):
        return None
    match = re.search(rf"\b{parameter}s?{_SUCH_AS}", text, re.IGNORECASE)
    before = text[max(0, match.start() - _ROOM) : match.start()] if match else ""
    if not match or re.search(rf"{_GIVES}[^.;]*(?<!\bin)(?<!\bof)(?<!\bfrom) $", before):
        return None  # those are what it gives
    around = re.split(r"[.;\n]", before)[-1] + re.split(r"[.;\n]", text[match.end() : match.end() + _ROOM])[0]
    if _REFUSED.search(around):
        return None
    inputs = [one[0] or one[1] for one in _QUOTED.findall(match[0])][:_MOST]
    module = path.removesuffix(".py").replace("/", ".").removeprefix("src.")
    script = "; ".join([f"from {module} import {name}", *(f"{name}({one!r})" for one in inputs)])
    return Check(command=f"python3 -B -c {shlex.quote(script)}", told=f"what `{name}` gives")


def alive_check(text: str, path: str) -> Check | None:
    """A check that the functions which a request names for a new file do not fail whatever they are given.

    Only harmless arguments are tried, and not on what by its name does something to the world.
    """
    names = [name for name in dict.fromkeys(_NAMES.findall(text)) if not _ACTS.search(name)][:_MOST]
    if not names or not _is_module(path):
        return None
    module = path.removesuffix(".py").replace("/", ".").removeprefix("src.")
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
    return Check(command=f"python3 -B -c {shlex.quote(script)}", told=f"that {told} can be called", is_new=True)


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
    if not parameter.isidentifier() or not forms or not re.search(_GIVES, text) or not _is_module(path):
        return None
    module = path.removesuffix(".py").replace("/", ".").removeprefix("src.")
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
    return Check(command=f"python3 -B -c {shlex.quote(script)}", told=f"what `{name}` gives")


def _is_reached(form: str, parameter: str) -> bool:
    """Whether a value of a form comes of a number that can be tried: "1.5 MB" and "2024-01-31" come of none."""
    if _TIME.fullmatch(form):
        return int(form.partition(":")[0]) < _HOURS
    return parameter in _OF_A_NUMBER and bool(_NUMBERED.fullmatch(form))


def _balanced(text: str, start: int, opening: int) -> str | None:
    """The call that begins at a place, up to its closing parenthesis."""
    end, open_ones = opening, 1
    while (closing := text.find(")", end + 1, opening + 200)) >= 0:
        open_ones += text.count("(", end + 1, closing) - 1
        if not open_ones:
            return text[start : closing + 1]
        end = closing
    return None


def _is_literal_call(call: str) -> bool:
    """Whether a call has nothing but literals for arguments, so that it can be run as it stands."""
    match tree_of(call, "eval"):
        case ast.Expression(ast.Call(func=ast.Name(), args=args, keywords=named)):
            return all(_is_argument(one) for one in [*args, *(one.value for one in named)])
        case _:
            return False


def _is_argument(node: ast.expr) -> bool:
    """Whether an argument is a literal, or made of one by what every Python has: `list(range(10))`."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in PLAIN:
            return all(map(_is_argument, args))
        case _:
            return is_literal(node)


def _value_length(text: str) -> int:
    """How long the value is that a text begins with, with blanks and quotes before it; 0 where there is none."""
    if words := _IN_WORDS.match(text):
        return words.end()
    length = _length(text)
    return length and len(text) - len(text.lstrip(" `\n")) + length


def _value(text: str) -> str | None:
    """The value that a text begins with, as a literal or in words: `[]`, an empty list."""
    if words := _IN_WORDS.match(text):
        return {"list": "[]", "string": "''", "str": "''", "text": "''", "dict": "{}", "tuple": "()"}[words[1].lower()]
    return _literal(text)


def _literals(text: str) -> list[str]:
    """The literals that a text begins with: `2 and 3`, `'a', 'b'`."""
    found: list[str] = []
    while (value := _literal(text)) is not None:
        is_several = value.startswith("(") and not text.lstrip(" `\n").startswith("(")
        found += [repr(one) for one in literal(value)] if is_several else [value]
        behind = text.lstrip(" `\n")[_length(text) :]
        joint = re.match(r"`?(?:,\s*(?:and\s+)?|\s+and\s+)", behind)
        if not joint:
            break
        text = behind[joint.end() :]
    return found


def _literal(text: str) -> str | None:
    """The literal that a text begins with, as Python."""
    piece = text.lstrip(" `\n")[: _length(text)]
    return repr(literal(piece)) if piece else None


def _may_be_literal(piece: str) -> bool:
    """Whether a text that begins like a literal ends like one, too: it is told much sooner than by reading it."""
    opened = piece.lstrip("rRbBuU")[:1]
    return piece[-1] == _CLOSED[opened] if opened in _CLOSED else bool(_PLAIN.fullmatch(piece))


def _length(text: str) -> int:
    """How long the literal is that a text begins with, behind blanks; 0 where there is none."""
    text = text.lstrip(" `\n")
    if not _BEGINS.match(text):
        return 0
    for end in range(min(len(text), 120), 0, -1):
        piece = text[:end].rstrip(" .,;`")
        if piece and _may_be_literal(piece) and (end == len(text) or text[end] in " .,;`\n)!?"):
            try:
                value = literal(piece)
            except ValueError:
                continue
            return 0 if "Ellipsis" in repr(value) else len(piece)
    return 0
