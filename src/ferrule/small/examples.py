"""Examples that a request gives ("median([4, 1, 3, 2]) gives 3, but it should be 2.5"), as a check that can be run."""

import ast
import re
import shlex
from collections.abc import Mapping, Sequence

from ferrule.small.checks import Check

_CALL = re.compile(r"\b([A-Za-z_]\w*)\(")
_SHOULD = re.compile(
    r"""\s*[`'"]?\s*(?:(?:in|from|of)\s+\S+\s+)?(?:
      (?:gives?|says?|returns?|is|yields?|shows?|prints?)\s+\S.{0,40}?\s+instead\s+of\s+
    | (?:gives?|says?|returns?|is|yields?)\s+\S.{0,40}?[,;]?\s*(?:but\s+)?(?:it\s+)?
      (?:should|must|ought\s+to)\s+(?:be|give|return)\s+
    | (?:should|must|has\s+to)\s+(?:be|give|return|yield)\s+
    | (?:->|→|=>|==|=)\s*
    | (?:gives|returns|yields|becomes|is)\s+
    )(?P<rest>.+)""",
    re.VERBOSE | re.DOTALL,
)
_WRONG_ONLY = re.compile(r"\s*(?:gives|says|returns|is|yields)\s+[^,;.]{1,40}[,;]?\s+(?:but|although|though)\b")
_GIVEN = (
    r"\b{name}`?\s+(?:\w+\s+){{0,4}}?(?:for|given|with|on|to|from|of)\s+"
    r"(?:the\s+)?(?:(?:input|value|argument|number|string|list|text|word)s?\s+)?"
)
"""What a function is said to be given: "What does median return for [1, 2]?"."""
_IN_WORDS = re.compile(r"\s*(?:an |the )?empty (list|string|str|text|dict|tuple)", re.IGNORECASE)
_OF_FORM = r"\b(?:like|such as|as in|e\.g\.|for example)\s+(?:\"([^\"\n]{1,20})\"|'([^'\n]{1,20})')"
_GIVES = r"\b(?:[Rr]eturns?|[Gg]ives?|[Ff]ormats?|[Ss]hows?|[Tt]urns)\b"
_MOST_TRIED = 10_000
_ASSERTS = re.compile(r"\s+self\.assert(?:Equal|Is|True|False)\(|>?\s+assert\s")
_MOST, _MOST_ASKED = 6, 2
_QUOTED = re.compile(r"\"([^\"\n]{1,60})\"|'([^'\n]{1,60})'")
_SUCH_AS = r" (?:like|such as) (?:[\"'][^\"'\n]{1,60}[\"'](?:, | or | and |, or |, and )?)+"


def examples(text: str) -> list[tuple[str, str]]:
    """The calls that a request gives, with what they should come to: both as Python."""
    found: list[tuple[str, str]] = []
    for match in _CALL.finditer(text):
        call = _balanced(text, match.start(), match.end() - 1)
        if call is None or not _is_literal_call(call):
            continue
        behind = text[match.start() + len(call) :]
        should = _SHOULD.match(behind)
        if should and (value := _value(should["rest"])) is not None:
            is_wrong = _WRONG_ONLY.match(behind) and "should" not in should[0] and "instead" not in should[0]
            if not is_wrong:
                found.append((call, value))
    by_call: dict[str, tuple[str, str]] = {}
    for call, value in [*_asserted(text), *found]:
        by_call.setdefault(ast.unparse(ast.parse(call)), (call, value))
    return list(by_call.values())[:_MOST]


def _asserted(text: str) -> list[tuple[str, str]]:
    """The calls that pasted tests assert something of, with what they should come to."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        if not _ASSERTS.match(line):
            continue
        try:
            node = ast.parse(line.lstrip("> ")).body[0]
        except (SyntaxError, ValueError, RecursionError, IndexError):
            continue
        match node:
            case ast.Expr(ast.Call(func=ast.Attribute(attr="assertEqual" | "assertIs"), args=[one, other])):
                pairs = [(one, other), (other, one)]
            case ast.Expr(ast.Call(func=ast.Attribute(attr="assertTrue" | "assertFalse" as name), args=[one])):
                pairs = [(one, ast.Constant(name == "assertTrue"))]
            case ast.Assert(test=ast.Compare(left=one, ops=[ast.Eq() | ast.Is()], comparators=[other])):
                pairs = [(one, other), (other, one)]
            case _:
                pairs = []
        for call, value in pairs:
            if _is_literal(value) and _is_literal_call(ast.unparse(call)):
                found.append((ast.unparse(call), repr(ast.literal_eval(value))))
    return found


def example_check(text: str, homes: Mapping[str, str]) -> Check | None:
    """A check that runs the examples of a request; `homes` says in which file each function is."""
    known = [(call, value) for call, value in examples(text) if _is_module(homes.get(_name(call), ""))]
    if not known:
        return None
    return Check(command=_printing([call for call, _ in known], homes), expects=tuple(known))


def asked_values(question: str, homes: Mapping[str, str]) -> dict[str, str]:
    """The calls that a question is about ("What does median([1, 2]) return?"), each with a command that prints it."""
    found: list[str] = []
    for match in _CALL.finditer(question):
        call = _balanced(question, match.start(), match.end() - 1)
        if call is not None and _is_literal_call(call) and not call.endswith("()"):
            found.append(call)
    for name in homes:
        given = re.search(_GIVEN.format(name=re.escape(name)), question)
        if given and (values := _literals(question[given.end() :])):
            found.append(f"{name}({', '.join(values)})")
    calls = [call for call in dict.fromkeys(found) if _is_module(homes.get(_name(call), ""))]
    return {call: _printing([call], homes) for call in calls[:_MOST_ASKED]}


def _name(call: str) -> str:
    return call.partition("(")[0]


def _is_module(path: str) -> bool:
    return bool(re.fullmatch(r"(?:\w+/)*\w+\.py", path))


def _printing(calls: Sequence[str], homes: Mapping[str, str]) -> str:
    """The command that prints what calls come to, each in a line."""
    imports: list[str] = []
    for name in dict.fromkeys(map(_name, calls)):
        module = homes[name].removesuffix(".py").removesuffix("/__init__").replace("/", ".").removeprefix("src.")
        imports.append(f"from {module} import {name}")
    if any(homes[_name(call)].startswith("src/") for call in calls):
        imports = ["import sys", "sys.path.insert(0, 'src')", *imports]
    script = "; ".join([*imports, *(f"print(repr({call}))" for call in calls)])
    return f"python3 -B -c {shlex.quote(script)}"


def smoke_check(text: str, path: str, signature: str) -> Check | None:
    """A check that a new function takes what the request names as its input: texts like "1h30m", "2h" or "45m"."""
    name, _, parameter = signature.removesuffix(")").partition("(")
    if not parameter.isidentifier() or not _is_module(path):
        return None
    match = re.search(rf"\b{parameter}s?{_SUCH_AS}", text, re.IGNORECASE)
    if not match or re.search(rf"{_GIVES}[^.;]*(?<!\bin)(?<!\bof)(?<!\bfrom) $", text[: match.start()]):
        return None  # those are what it gives
    inputs = [one[0] or one[1] for one in _QUOTED.findall(match[0])][:_MOST]
    module = path.removesuffix(".py").replace("/", ".").removeprefix("src.")
    script = "; ".join([f"from {module} import {name}", *(f"{name}({one!r})" for one in inputs)])
    return Check(command=f"python3 -B -c {shlex.quote(script)}")


def form_check(text: str, path: str, signature: str) -> Check | None:
    """A check that a new function of a number gives values of the form that the request shows: times like "3:07"."""
    name, _, parameter = signature.removesuffix(")").partition("(")
    forms = [one for found in re.findall(_OF_FORM, text) for one in found if any(map(str.isdigit, one))][:_MOST]
    if not parameter.isidentifier() or not forms or not re.search(_GIVES, text) or not _is_module(path):
        return None
    module = path.removesuffix(".py").replace("/", ".").removeprefix("src.")
    script = (
        f"from {module} import {name} as f\n"
        f"try: given = {{str(f(n)): n for n in range({_MOST_TRIED}, -1, -1)}}\n"
        "except (TypeError, ValueError, AttributeError): raise SystemExit\n"
        f"never = [form for form in {forms!r} if form not in given]\n"
        f"if never: raise SystemExit(f'Error: {name} should give values like {{never}}, but no number does. '\n"
        f"    f'{name}(5) gives {{f(5)!r}}, {name}(187) gives {{f(187)!r}}, {name}(3765) gives {{f(3765)!r}}')\n"
    )
    return Check(command=f"python3 -B -c {shlex.quote(script)}")


def _balanced(text: str, start: int, opening: int) -> str | None:
    """The call that begins at a place, up to its closing parenthesis."""
    for end in range(opening + 1, min(len(text), opening + 200)):
        if text[end] == ")" and text.count("(", opening, end + 1) == text.count(")", opening, end + 1):
            return text[start : end + 1]
    return None


def _is_literal_call(call: str) -> bool:
    """Whether a call has nothing but literals for arguments, so that it can be run as it stands."""
    try:
        tree = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return False
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return False
    return all(_is_literal(one) for one in [*tree.args, *(keyword.value for keyword in tree.keywords)])


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return False
    return True


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
        found += [repr(one) for one in ast.literal_eval(value)] if is_several else [value]
        behind = text.lstrip(" `\n")[_length(text) :]
        joint = re.match(r"`?(?:,\s*(?:and\s+)?|\s+and\s+)", behind)
        if not joint:
            break
        text = behind[joint.end() :]
    return found


def _literal(text: str) -> str | None:
    """The literal that a text begins with, as Python."""
    piece = text.lstrip(" `\n")[: _length(text)]
    return repr(ast.literal_eval(piece)) if piece else None


def _length(text: str) -> int:
    """How long the literal is that a text begins with, behind blanks; 0 where there is none."""
    text = text.lstrip(" `\n")
    for end in range(min(len(text), 120), 0, -1):
        piece = text[:end].rstrip(" .,;`")
        if piece and (end == len(text) or text[end] in " .,;`\n)!?"):
            try:
                ast.literal_eval(piece)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue
            return len(piece)
    return 0
