"""What is plainly missing in what a model wrote, told without running it: half of a change is a small model's habit."""

import ast
import re
from collections.abc import Iterable, Iterator

from ferrule.small.code.blocks import lines_of
from ferrule.small.code.names import defines, signatures
from ferrule.small.code.outcomes import functions_in
from ferrule.small.code.parsed import Definition, Function, every, tree_of
from ferrule.small.words.rank import is_test
from ferrule.small.words.wish import Wish

_ARGUMENT = re.compile(
    r"\b(?:as|from|with|by|takes?|accepts?|gets?|given|reads?)\s+(?:\w+\s+){0,4}?(?:command[- ]line\s+)?arguments?\b"
    r"|\bcommand[- ]line\s+arguments?\b|\bgiven on the command line\b",
    re.IGNORECASE,
)
_GIVEN = r"`(?:[\w./-]+ +)?(?:[\w.-]*/)*{name} +[^`\s|>&;][^`\n]*`"
"""A script that is shown with what it is given."""
_TAKEN: dict[str, tuple[str, str]] = {
    "py": (r"\bargv\b|\bargparse\b|\bclick\b|\btyper\b|\bfileinput\b", "sys.argv"),
    "js": (r"\bargv\b|\bparseArgs\b", "process.argv"),
    "mjs": (r"\bargv\b|\bparseArgs\b", "process.argv"),
    "sh": (r"\$\{?[1@*]|\bgetopts\b|\bshift\b", '"$1"'),
    "bash": (r"\$\{?[1@*]|\bgetopts\b|\bshift\b", '"$1"'),
}
"""By the ending of a script: how it shows that it takes arguments, and where it finds them."""
_PARSED = re.compile(r"\b(\w+)(?:,\s*\w+)?\s*=\s*[\w.()]*\bparse_(?:known_)?args\(")
_HOLDERS = ("args", "arguments", "options", "opts", "ns", "namespace", "parsed")
"""What the values of options are usually found in."""
_KINDS = (
    ("dataclass(?:es)?", r"@(?:dataclasses\.)?dataclass\b", "`@dataclass`"),
    ("argparse", r"\bargparse\b", "`argparse`"),
    ("enum", r"\b(?:Int|Str)?(?:Enum|Flag)\b", "`Enum`"),
    ("named ?tuple", r"\b(?:NamedTuple|namedtuple)\b", "`NamedTuple`"),
    ("decorator", r"\b(?:wraps|update_wrapper|__call__)\b|\.__name__ *=", "`functools.wraps`"),
    ("generator", r"\byield\b|\bfor\b[^\n]{0,200}\)", "`yield`"),
)
"""What a request names for a Python file, how that shows, and what it is called."""
_DEFINING = Definition | ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign
_LEAST = 5
"""Letters of a text that is nothing else by chance."""
_COMMAND = re.compile(r"\b(?:python3?|node|npm|npx|bash|sh|make|uv) \S|(?:^|[`\s])\./\w", re.MULTILINE)
"""A command that starts something."""
_EXAMPLE = re.compile(
    r"\b(?:like this|looks? like(?: this)?|should (?:now )?(?:say|print|read|show)|so that it (?:says|prints|reads))"
    r"\W{0,3}[\"“`]([^\"”`\n]{5,80})[\"”`]"
)
_LIKE = re.compile(
    r"\b(?:like|such as|e\.g\.|for example|for instance),?:?\s+[\"“`']([^\"”`'\n]{4,120})[\"”`']", re.IGNORECASE
)
_BEFORE_NUMBER = re.compile(r"[A-Za-z]{4}[^\d'{}]*(?=\d)")
"""How a text begins that goes on with a number."""
_LISTED = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\*\*|__)?[\"“`]([^\"”`\n]{2,80})[\"”`]", re.MULTILINE)
"""A text that begins an entry of a list."""
_LEAST_LISTED = 3
_FOR_EACH = re.compile(r"\b(\d+(?:\.\d+)?)\s+(?:[\w%]+\s+)?(?:per|for each|for every|each)\s+([a-z]+)\b")
_FUNCTION = re.compile(r"\b(?:functions?|methods?)\b", re.IGNORECASE)
_WANTS_MORE = re.compile(
    r"\b(?:functions?|methods?|add|adds|support|new|create|write|implement|provide|need|want|missing)\b", re.IGNORECASE
)
"""Said where something is to be there that was not."""
_TESTS = re.compile(r"\b(two|three|four|five|six|[2-9])\s+(?:\w+\s+)?tests\b", re.IGNORECASE)
_NUMBERS = ("two", "three", "four", "five", "six")
_SCRIPT = re.compile(r"\b(?:script|program|command|tool)\b", re.IGNORECASE)


def fault(
    path: str, base: str | None, text: str, wish: Wish, others: Iterable[str], *, told: Iterable[str] = ()
) -> str:
    """What is missing in the new text of a file, in words for the model.

    `base` is what the file was, if it was there, and `told` is what was asked for before.
    """
    if base is None and path.rpartition("/")[2].lower().startswith("readme"):
        return _without_command(path, text, wish)
    if base is None:
        kinds = _not_at_home(path, text, others), _not_of_kind(path, text, wish)
        said = (_not_taken(path, text, wish), *kinds, _too_few_tests(path, text, wish))
        missing = _does_nothing(path, text, wish) or _left_out(text, wish) or _ignored(path, text, wish)
        return next(filter(None, said), "") or missing
    if unsaid := _unsaid(text, wish) or _left_out(text, wish):
        return unsaid
    if path.endswith(".py"):
        others = list(others)
        lost = _lost(base, text, told) if wish.trouble else _not_there(text, wish, others)
        unused, is_copied = next(_unused(base, text, others), ""), _copied(base, text, wish, others)
        return unused or is_copied or _once(base, text, wish) or _in_vain(base, text, wish, others) or lost
    return ""


def _without_command(path: str, text: str, wish: Wish) -> str:
    """A README that is to have a command, and has none, or none with the file that the request names for it."""
    asked = [one for one in wish.files if one not in text and one != path and not one.endswith((".md", ".rst"))]
    if not re.search(r"\bcommands?\b", wish.text) or (_COMMAND.search(text) and not asked):
        return ""
    given = f" with {asked[0]}" if asked else ""
    return f"{path} has no command{given} yet. Put it in a block, as it is typed: python3 or node or sh, and so on."


def _unsaid(text: str, wish: Wish) -> str:
    """A text that a request gives an example of, and that cannot come of the code: not even its beginning is there."""
    for example in _EXAMPLE.findall(wish.text):
        begins = _BEFORE_NUMBER.match(example)
        if begins and begins[0].rstrip() not in text:
            return f'The text is to be like "{example}". Nothing gives "{begins[0].rstrip()}" yet.'
    return ""


def _left_out(text: str, wish: Wish) -> str:
    """A text of a list in a request that the code has not, where it has most of them."""
    listed = list(dict.fromkeys(_LISTED.findall(wish.text)))
    missing = [one for one in listed if one not in text and one not in text.replace("\\", "")]
    if len(listed) < _LEAST_LISTED or len(missing) * 2 >= len(listed):
        return ""
    told = " and ".join(f'"{one}"' for one in missing)
    return f"The code has {told} nowhere, and the request lists it. Add the case for it." if missing else ""


def _once(base: str, text: str, wish: Wish) -> str:
    """A number that is said to be for each of something, and that counts but once where there are several."""
    tree = tree_of(text)
    for number, each in _FOR_EACH.findall(wish.text):
        for function in _functions(tree) if tree and not re.search(rf"\b{re.escape(number)}\b", base) else ():
            several = _parameters(function) & {f"{each}s", f"{each}_count", f"num_{each}s"}
            multiplied = [one for one in every(ast.BinOp, function) if isinstance(one.op, ast.Mult)]
            free = _numbers(function) - {one for node in multiplied for one in _numbers(node)}
            if several and float(number) in free:
                return f"It is {number} for each {each}, so {number} has to be multiplied with {several.pop()}."
    return ""


def _in_vain(base: str, text: str, wish: Wish, others: Iterable[str]) -> str:
    """A function that nobody asked for and nobody calls, where everything else stayed as it was."""
    before, after = tree_of(base), tree_of(text)
    if not before or not after or _WANTS_MORE.search(wish.text):
        return ""
    there = {ast.dump(one) for one in before.body}
    known = [one.name for one in before.body if isinstance(one, Function)]
    match [one for one in after.body if ast.dump(one) not in there]:
        case [ast.FunctionDef(name=name, decorator_list=[])] if known and name not in known:
            uses = len(re.findall(rf"\b{name}\b", "\n".join([text, wish.text, *others])))
            return "" if uses > 1 else f"Nobody calls {name}. Change what is there: {', '.join(known)}."
        case _:
            return ""


def _numbers(node: ast.AST) -> set[float]:
    constants = [one.value for one in every(ast.Constant, node)]
    return {float(one) for one in constants if isinstance(one, int | float)}


def _lost(base: str, text: str, told: Iterable[str]) -> str:
    """A text that was asked for before, and that is gone where only something else did not work."""
    tree, asked = tree_of(base), "\n".join(told)
    constants = [one.value for one in every(ast.Constant, tree)]
    texts = [one for one in constants if isinstance(one, str) and len(one) >= _LEAST and one in asked]
    gone = [one for one in dict.fromkeys(texts) if one not in text and repr(one)[1:-1] not in text]
    return f"{gone[0]!r} is gone, and it was asked for. Keep what gives it." if gone else ""


def _not_taken(path: str, text: str, wish: Wish) -> str:
    """A script that is to take an argument, and takes none."""
    shown, place = _TAKEN.get(path.rpartition(".")[2], ("", ""))
    is_said = _ARGUMENT.search(wish.text) and _SCRIPT.search(wish.text)
    is_given = is_said or re.search(_GIVEN.format(name=re.escape(path.rpartition("/")[2])), wish.text)
    if not shown or not is_given or re.search(shown, text):
        return ""
    return f"{path} takes no argument yet: it has to read it from {place}."


def _not_at_home(path: str, text: str, others: Iterable[str]) -> str:
    """A JavaScript file that is a module of another kind than the files beside it."""
    if (
        not path.endswith(".js")
        or not re.search(r"^(?:export|import)\s", text, re.MULTILINE)
        or not uses_exports(others)
    ):
        return ""
    return "The other files use require and module.exports, not import and export. Write it like that."


def uses_exports(others: Iterable[str]) -> bool:
    """Whether files use `module.exports`."""
    return any(re.search(r"^(?:module\.)?exports\b", one, re.MULTILINE) for one in others)


def _not_of_kind(path: str, text: str, wish: Wish) -> str:
    """A Python file without what it is said to be made with."""
    if not path.endswith(".py"):
        return ""
    words = wish.text.lower()
    for word, shown, told in _KINDS:
        if re.search(rf"\b{word}\b", words) and not re.search(shown, text):
            return f"{path} has no {told} yet, and that was asked for."
    return ""


def _too_few_tests(path: str, text: str, wish: Wish) -> str:
    """A file of tests that has fewer of them than were asked for."""
    asked = _TESTS.search(wish.text) if is_test(path) and path.endswith(".py") else None
    if not asked:
        return ""
    word, there = asked[1].lower(), len(re.findall(r"^\s*(?:async )?def test", text, re.MULTILINE))
    wanted = int(word) if word.isdigit() else _NUMBERS.index(word) + 2
    told = f"{path} has {there} test{'s' * (there != 1)} so far, and {asked[1]} were asked for: "
    return f"{told}a function of its own for each." if there < wanted else ""


def _does_nothing(path: str, text: str, wish: Wish) -> str:
    """A script that only defines something."""
    tree = tree_of(text) if path.endswith(".py") and _SCRIPT.search(wish.text) else None
    body = tree.body[ast.get_docstring(tree) is not None :] if tree else []
    if tree is None or not _functions(tree) or not all(isinstance(one, _DEFINING) for one in body):
        return ""
    return f"{path} does nothing yet when it is run: it has to call something at its end."


def _not_there(text: str, wish: Wish, others: Iterable[str]) -> str:
    """A function that a request says how to call, and that nobody has defined."""
    asked = signatures(wish.text, ()) if _FUNCTION.search(wish.text) else {}
    missing = [name for name in asked if not any(defines(one, name) for one in (text, *others))]
    return f"There is no function {asked[missing[0]]} yet. Write it." if missing else ""


def _ignored(path: str, text: str, wish: Wish) -> str:
    """A function that a request describes, in a new file, and that does without something that it is given."""
    asked, lines = signatures(wish.text, ()), lines_of(text)
    for block in functions_in(path, text):
        given = re.search(r"\(([\w, ]+)\)", asked.get(block.name, ""))
        head, _, body = "\n".join(lines[block.first - 1 : block.last]).partition("\n")
        for name in re.findall(r"[A-Za-z_]\w*", given[1] if given else ""):
            if re.search(rf"\b{name}\b", head) and body and not re.search(rf"\b{name}\b", body):
                return f"{asked[block.name]} does not use {name} yet."
    return ""


def _unused(base: str, text: str, others: Iterable[str]) -> Iterator[str]:
    """Options and parameters that were added and that nothing uses."""
    old, new = tree_of(base), tree_of(text)
    if old is None or new is None:
        return
    options = _options(new) if "add_argument" in text else {}
    known = _options(old) if options else {}
    everything = "\n".join([text, *others])
    holders = "|".join({*_HOLDERS, *_PARSED.findall(everything)})
    for name in [one for one in options if one not in known]:
        is_used = re.search(
            rf"\b(?:{holders})\.{re.escape(name)}\b|(?:getattr\(\w+,\s*|\[\s*|\.get\(\s*)[\"']{re.escape(name)}[\"']",
            everything,
        )
        if not is_used:
            told = f"{options[name]} is read now, but nothing uses `{name}` yet."
            yield f"{told} Change the function that has to use it, too."
    before = {node.name: _parameters(node) for node in _functions(old)}
    for node in _functions(new):
        added = _parameters(node) - before.get(node.name, _parameters(node))
        used = {one.id for part in node.body for one in every(ast.Name, part)}
        for name in sorted(added - used - {"self", "cls"}):
            yield f"{node.name} has the parameter {name} now, but does not use it yet."


def _copied(base: str, text: str, wish: Wish, others: Iterable[str]) -> str:
    """A text that was added and that an example or a test has of its own: it must be made of what is given."""
    added = _texts(tree_of(text)) - _texts(tree_of(base))
    for one in sorted(added):
        if re.search(r"\d", one) and any(one.strip() in shown for shown in _LIKE.findall(wish.text)):
            return f"{one!r} is right for the example only. It must be computed."
    for other in others if added else ():
        tree = tree_of(other) if "assert" in other else None
        for test in _functions(tree) if tree else ():
            given = _texts(test) if test.name.startswith("test") else set()
            for one in sorted(added & given):
                if one not in wish.text and any(part != one and len(part) > 1 and part in one for part in given):
                    return f"{one!r} is right for one test only. It must be made of what the function is given."
    return ""


def _texts(tree: ast.AST | None) -> set[str]:
    values = [one.value for one in every(ast.Constant, tree)]
    return {one for one in values if isinstance(one, str)}


def _options(tree: ast.Module) -> dict[str, str]:
    """The options that a file's parser knows, by the name under which their values are found."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="add_argument"), args=args, keywords=keywords):
                spelled = [one.value for one in args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                long = next((one for one in spelled if one.startswith("--")), "")
                if long and not any(one.arg in {"dest", "action"} and _is_other(one) for one in keywords):
                    found[long.removeprefix("--").replace("-", "_")] = long
            case _:
                pass
    return found


def _is_other(keyword: ast.keyword) -> bool:
    """Whether an option goes by another name, or does all that it does by itself."""
    is_plain = isinstance(keyword.value, ast.Constant) and str(keyword.value.value).startswith(
        ("store", "append", "count")
    )
    return keyword.arg == "dest" or not is_plain


def _functions(tree: ast.Module) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def _parameters(node: Function) -> set[str]:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return {one.arg for one in every}
