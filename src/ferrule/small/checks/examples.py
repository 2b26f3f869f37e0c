"""Examples that a request gives ("median([4, 1, 3, 2]) gives 3, but it should be 2.5"), as a check that can be run."""

import ast
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ferrule.small.checks.check import Check
from ferrule.small.checks.interactive import shown_calls
from ferrule.small.checks.mapped import mapped
from ferrule.small.checks.pasted import PLAIN, asserted, names_in, without_helpers
from ferrule.small.code.names import module_of
from ferrule.small.code.parsed import expression_of, is_literal, literal, tree_of
from ferrule.small.code.scripted import python_command

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
    r"|(?:there\s+|it\s+|that\s+)?(?:should|must)(?:n't|\s+not|\s+never)?\s+[^:.;\n\"'`]{1,60}:(?=\s)"
    r"|there\s+(?:is|was|are)\s+(?:one|an?\s+\w+)\s+(?:at|of|for|in)|instead\s+of|rather\s+than)\s*:?\s+",
    re.IGNORECASE,
)
"""What stands between what a call gives and what it should give."""
_LATER = re.compile(
    r"[`'\"]?,?\s*(?:but|although|though|while|with|and|which)\b[^.;\n]{0,120}?\b(?:it|that|this)\s+(?:should|must)\s+"
    r"(?:be|give|return)\s+",
    re.IGNORECASE,
)
"""The same with a reason between them: "returns 3, but nothing is above 2, so it should be 2"."""
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
    r"\b{name}`?\s+(?:(?:[\w./`]+\s+){{0,6}}?(?:for|given|with|on|to|from|of)\s+(?:the\s+|an?\s+)?(?:\w+\s+)?"
    r"|[^.!?\n]{{0,80}}?\b(?:for example|for instance|such as|e\.g\.),?\s+)"
    r"(?=[`\"'\[\d({{-])"
)
"""What a function is said to be given: "What does median return for [1, 2]?"."""
_IN_WORDS = re.compile(r"\s*(?:an |the )?empty (list|string|str|text|dict|tuple)", re.IGNORECASE)
_BARE = re.compile(r"(?=[^\s,;!]{0,30}\d)(?=[^\s,;!]{0,30}[:%€$])([^\s,;!\"'`\[({]{2,30}?)[.,;!]?(?=\s|$)")
_NUMBER = re.compile(r"(?<![\w.-])\d{1,12}(?:\.\d{1,12})?(?![\w.]*\w)")
_MOST, MOST_ASKED, _MOST_TOLD = 40, 2, 4
_SHOWING = """\
def show(call):
    try: print(repr(call()))
    except Exception as error: print("raises", f"{type(error).__name__}:", *str(error).split())"""
"""What prints each of several calls, also where one of them fails."""
_METHOD = re.compile(r"\.(\w+)\(")
_KNOWN = {
    "date": "datetime", "datetime": "datetime", "timedelta": "datetime", "Decimal": "decimal", "Fraction": "fractions",
    "Path": "pathlib", "PurePath": "pathlib", "Counter": "collections",
}  # fmt: skip
"""What values are made with that have no literal, and where Python has it."""


def examples(text: str, *, is_wanted: bool = True) -> list[tuple[str, str]]:
    """The calls that a request gives, with what they should come to: both as Python.

    `is_wanted` says that what a call "gives" is what it should give, and not what it wrongly gives.
    """
    found: list[tuple[str, str]] = []
    for call, behind in whole_calls(text):
        value = _promised(behind, is_wanted=is_wanted)
        if value is not None:
            found.append((call, value))
    by_call: dict[str, tuple[str, str]] = {}
    typed = shown_calls(text) if is_wanted else []
    for call, value in [*asserted(text), *typed, *found]:
        by_call.setdefault(_spelled(call), (call, value))
    return list(by_call.values())[:_MOST]


def whole_calls(text: str) -> Iterator[tuple[str, str]]:
    """The calls of a text that can be made as they stand, each with what stands behind it."""
    for match in _calls(text):
        call = _balanced(text, match.start(), match.end() - 1)
        if call is not None and _is_literal_call(call):
            behind = match.start() + len(call)
            yield call, text[behind : behind + _ROOM]


def _spelled(call: str) -> str:
    """A call in the one way in which Python would write it, so that two are known to be the same."""
    tree = tree_of(call)
    try:
        return ast.unparse(tree) if tree else call
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
        return _wanted(rest[length + but.end() :]) if but else None
    after = rest[length:]
    if but := _BUT.match(after):
        return _whole_value(after[but.end() :])
    if later := _LATER.match(after):
        return _whole_value(after[later.end() :])
    is_meant = is_wanted or gives["sign"]
    return _whole_value(rest) if is_meant and not _OTHERWISE.match(after) else None


def _wanted(text: str) -> str | None:
    """The value that a text begins with, also where it is plainly a text without quotes: 5:03."""
    found = _BARE.match(text)
    return _whole_value(text) or (repr(found[1]) if found else None)


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


def example_check(
    text: str, homes: Mapping[str, str], *, is_wanted: bool = False, more: Iterable[tuple[str, str]] = ()
) -> Check | None:
    """A check that runs the examples of a request, and `more`; `homes` says in which file each function is.

    `is_wanted` says that what is told without a call is what should be, and not what wrongly is.
    """
    every = dict(
        [
            *more,
            *(mapped(text) if is_wanted else []),
            *(without_helpers(*one, homes) for one in examples(text, is_wanted=is_wanted)),
        ]
    )
    known = [(call, value) for call, value in every.items() if homes_of(call, homes)]
    if not known:
        return None
    told = " and ".join(f"`{call}`" for call, _ in known[:_MOST_TOLD])
    told += f" and {len(known) - _MOST_TOLD} others" if len(known) > _MOST_TOLD else ""
    return Check(command=printing([call for call, _ in known], homes), told=told, expects=tuple(known))


def asked_values(question: str, homes: Mapping[str, str]) -> dict[str, str]:
    """The calls that a question is about ("What does median([1, 2]) return?"), each with a command that prints it."""
    calls = [call for call in asked_calls(question, homes) if homes_of(call, homes)]
    return {call: printing([call], homes) for call in calls[:MOST_ASKED]}


def asked_calls(question: str, homes: Mapping[str, str]) -> list[str]:
    """The calls that a question is about, also where it says only what a function is given."""
    found: list[str] = []
    for match in _calls(question):
        call = _balanced(question, match.start(), match.end() - 1)
        if call is not None and _is_literal_call(call) and not call.endswith("()"):
            found.append(_with_method(question, match.start(), call, homes))
    for name in homes:
        given = re.search(_GIVEN.format(name=re.escape(name)), question) if name in question else None
        if given and (values := _literals(question[given.end() : given.end() + _ROOM])):
            found.append(f"{name}({', '.join(values)})")
    numbers = _NUMBER.findall(question)
    if len(numbers) == 1:  # "I bowled 150. What will rating() call me?"
        found += [f"{name}({numbers[0]})" for name in homes if re.search(rf"(?<![\w.]){re.escape(name)}\(\)", question)]
    return [call for call in dict.fromkeys(found) if call]


def _with_method(question: str, start: int, call: str, homes: Mapping[str, str]) -> str:
    """A call with the method that is called on what it gives; empty where that is none that may be tried."""
    method = _METHOD.match(question, start + len(call))
    if not method:
        return call
    whole = _balanced(question, start, method.end() - 1)
    owner = f"{call.partition('(')[0]}."
    is_known = f"{owner}{method[1]}" in homes or not any(name.startswith(owner) for name in homes)
    return whole if whole is not None and is_known and not _METHOD.match(question, start + len(whole)) else ""


def homes_of(call: str, homes: Mapping[str, str]) -> dict[str, str]:
    """The modules that a call needs, by what it takes from each; none where it needs something else."""
    needed = {name for name in (names_in(call) or set()) - PLAIN if name in homes or name not in _KNOWN}
    known = {name: homes[name] for name in sorted(needed) if is_module(homes.get(name, ""))}
    return known if len(known) == len(needed) else {}


def is_module(path: str) -> bool:
    """Whether a file can be imported by its path."""
    names = path.removesuffix(".py").split("/")
    return path.endswith(".py") and all(one.isidentifier() and not keyword.iskeyword(one) for one in names)


def printing(calls: Sequence[str], homes: Mapping[str, str]) -> str:
    """The command that prints what calls come to, each in a line."""
    needed = {name: path for call in calls for name, path in homes_of(call, homes).items()}
    imports: list[str] = []
    for name, path in needed.items():
        module = module_of(path)
        imports.append(f"from {module} import {name}")
    used = {name for call in calls for name in names_in(call) or ()}
    imports += [f"from {module} import {name}" for name, module in _KNOWN.items() if name in used - set(needed)]
    if any(path.startswith("src/") for path in needed.values()):
        imports = ["import sys", "sys.path.insert(0, 'src')", *imports]
    if len(calls) == 1:
        script = "; ".join([*imports, f"print(repr({calls[0]}))"])
    else:
        script = "\n".join([*imports, _SHOWING, *(f"show(lambda: {call})" for call in calls)])
    return python_command(script)


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
    match expression_of(call):
        case ast.Expression(ast.Call(func=ast.Name(), args=args, keywords=named)):
            return all(_is_argument(one) for one in [*args, *(one.value for one in named)])
        case _:
            return False


def _is_argument(node: ast.expr) -> bool:
    """Whether an argument is a literal, or made of one by what every Python has: `list(range(10))`."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in PLAIN or name in _KNOWN:
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
