"""How a project says whether it works: the command that runs its tests, and what their output says."""

import ast
import posixpath
import re
import shlex
from collections.abc import Mapping, Sequence

from ferrule.core.messages import Value
from ferrule.small.code.parsed import every, literal, tree_of
from ferrule.small.words.rank import is_test
from ferrule.small.words.wish import Wish

_EXIT = re.compile(r"^(?:Exit code: (\d+)|Killed by signal|Timed out)", re.MULTILINE)
_HANGS = re.compile(r"^Silent and idle for .*; running as job", re.MULTILINE)
_CANNOT = re.compile(
    r"No module named (?:pytest|unittest)\b|command not found|missing script|No rule to make target|NO TESTS RAN"
)
_PROGRAM = (
    r"(?:python3? (?:-m [\w.]+|[\w./-]+\.py)|node (?:--test|[\w./-]+\.[cm]?js)|npm (?:test|run [\w:-]+)"
    r"|make [\w-]{0,40}test[\w-]{0,40}|(?:cargo|go) (?:test|run|build)|pytest)"
)
_SAID_OF_IT = (
    r"fails?|crash\w*|breaks?|gives?|shows?|raises?|prints?|says|stops|ends|does|dies|reports|complains|throws"
    r"|it|I|i|you|we|the|and|but|always|now|still|is|in|on|with"
)
_COMMAND = re.compile(
    r"`((?:python3?|pytest|make|npm|node|cargo|go) [^`\n]+)`"
    rf"|(?:^|\$ |\b[Rr]un(?:ning)? |\bthat |[.:,;] )"
    rf"({_PROGRAM}(?: [\w./=-]{{1,200}}){{0,20}}?)(?= (?:{_SAID_OF_IT})\b|[:,;]|\.?$)",
    re.MULTILINE,
)
"""A command in a request: between backquotes, or before what is said of it."""
_PRINTS = re.compile(
    r"`?,? (?:(?:it|now|always|still|just|only|wrongly) )*"
    r"(?:prints|says|shows|gives|outputs|displays|reports|writes) ([^.!?\n]{1,80})"
)
_SAID = r"(\"[^\"\n]{{1,60}}\"|`[^`\n]{{1,60}}`|[^\s\"`][^\n;!?\"`{}]{{0,59}}?)"
_SHOULD = re.compile(
    r"`?,? (?:(?:it|now|always|still|just|only|wrongly|me|that) )*"
    rf"(?:prints|says|shows|gives|outputs|displays|reports|writes) (?:that |me )?{_SAID.format('')}"
    r"(?:,|\.(?=\s)|;)?\s+(?:[Bb]ut |and |although )?(?:[Ii]t |[Tt]hat |[Tt]his |the [a-z]+ )?"
    rf"(?:should|must) (?:be|say|print|read|show|give|output|have been) {_SAID.format(',')}(?=[,;!]|\.(?:\s|$)|\s*$)",
    re.MULTILINE,
)
"""What a command prints, and what it should print, somewhere in its output."""
_BUT = re.compile(
    r"`?,? (?:(?:it|now|always|still|just|only|wrongly) )*(?:prints|says|shows|gives|outputs|displays|reports)"
    r" (?:that |me )?(\"[^\"\n]{3,60}\"|`[^`\n]{3,60}`|[^\s,;.!?\"`][^,;!?\n\"`]{2,60}?),?"
    r" (?:but|although|though) (?:that |really |in fact )?[\"`]?(?!I\b|It\b|The\b|That\b|This\b|There\b)([A-Z][\w-]+)"
)
"""What a command prints, and the name of what it should rather print."""
_BROKEN = re.compile(r"\bNaN\b|\bundefined\b|\[object Object\]|\bNone\b|\bnull\b")
"""What no program prints on purpose, where that is said to be wrong."""
_ASSERTS = re.compile(r"^assert\b", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*(?:from\s+([\w.]+)\s+import\s+(.+)|import\s+([\w.]+))", re.MULTILINE)
_REQUIRE = re.compile(r"\b(?:require\(|from\s|import\s|import\()\s*[\"'](\.{1,2}/[^\"'\n]+)[\"']")
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_NOISE = (
    "Exit code",
    "Ran ",
    "(stdin",
    "During handling",
    "Traceback (most",
    "FAILED (",
    "? ",
    "- ",
    "+ ",
    "Node.js v",
)
_RULE = re.compile(
    r"^[\s=*_~^-]+$|^\s*[~^]+\s*$|^\s*[\[\]{}]$"
    r"|^\s+at .*\(?node:internal|^\s+throw |^\s+(?:generatedMessage|code|operator):"
)
_TELLING = re.compile(
    r"^(?:Traceback|FAIL:|ERROR:|E  |FAILED|  File |\w+(?:Error|Exception)\b)|AssertionError|Error:|Timeout \(\d"
)
_FELL_IN = r'File "(?:[^"\n]*/)?{name}", line \d+, in (\w+)'
_FRAME = re.compile(
    r'File "([^"\n]+)", line (\d{1,9})|^([\w./-]+\.\w+):(\d{1,9}): '
    r"|^[ \t]+at (?:.*\()?(?:file://)?(/[^():\n]+):(\d{1,9}):",
    re.MULTILINE,
)
_INSIDE = re.compile(r'^  File "[^"\n]*/unittest/\w+\.py", line \d+ in ')
_OPEN = re.compile(r"^\s+\S.*[(\[{,]$")
_NOT_CALLED = re.compile(
    r"(?:Import|ModuleNotFound|Syntax)Error|TypeError: \w+\(\) (?:missing|takes|got an unexpected)"
)
_RAN = re.compile(r"^Ran (\d{1,6}) tests? in|\b(\d{1,6}) passed\b", re.MULTILINE)
COUNTED = r"(?:failures=|errors=|# fail )(\d{1,9})|(?<=[ =])(\d{1,9}) (?:failed|errors?)\b"
"""How those that run tests say how many fail."""
_ALL = 1000
"""How much counts as wrong where nothing could be counted, because nothing came so far."""
_MOST_WRONG = 6
RAISES = "raises "
"""How a line begins that says that a call failed, among those that say what others came to."""
_MOST_LINES, _LONGEST_VALUE = 24, 300


class Check(Value, frozen=True, kw_only=True):
    """A command that says whether something works."""

    command: str
    told: str = ""
    """What it checks, where the command is nothing to be shown."""
    path: str = ""
    """The file of tests that it runs, where it is one."""
    is_new: bool = False
    """Whether that file is still to be written."""
    now: tuple[str, ...] = ()
    """What it must print before anything is changed; else it checks something that was not meant."""
    expects: tuple[tuple[str, str], ...] = ()
    """Where it prints what calls come to: each call, and what it should come to."""
    never: tuple[str, ...] = ()
    """What it must not print any more."""
    holds: tuple[str, ...] = ()
    """What it must print somewhere; then what it must not print is there now, or something else is meant."""
    source: str = ""
    """The tests that it runs, as far as they are known."""

    def is_meant(self, output: str) -> bool:
        """Whether an output from before the change is what was said of it."""
        code = _exit_of(output)
        printed = output[: code.start()].splitlines() if code else []
        if self.holds and not all(one in output for one in self.never):
            return False
        return not self.now or tuple(printed[-len(self.now) :]) == self.now

    def verdict(self, output: str) -> str | None:
        """What is wrong according to an output, or empty words; nothing where it could not be run at all."""
        code = _exit_of(output)
        if code is None and _HANGS.search(output) and (self.path or self.source or self.expects):
            return failure(f"{output}\nError: it does not end.")
        if code is None or _CANNOT.search(output):
            return None
        if code[1] != "0":
            return failure(spelled_out(output, self.source) if self.path else output)
        wrong = self.wrong(output)
        if wrong is None:
            return None
        still = [f"It still prints {one!r}, which is wrong." for one in self.never if one in output]
        still += [f"It does not print {one!r}, as it should." for one in self.holds if one not in output]
        if still:
            return f"{output[: code.start()].strip()[-_LONGEST_VALUE:]}\n{still[0]}"
        told = [f"{call} {_came(came)}, but should give {should}" for call, should, came in wrong]
        more = [f"({len(told) - _MOST_WRONG} more are wrong.)"] if len(told) > _MOST_WRONG else []
        return "\n".join([*told[:_MOST_WRONG], *more])

    def wrong(self, output: str) -> list[tuple[str, str, str]] | None:
        """The calls that come to something else than they should: each, what it should come to, and what came."""
        code = _exit_of(output)
        if not self.expects or code is None:
            return []
        printed = output[: code.start()].splitlines()[-len(self.expects) :]
        if len(printed) < len(self.expects):
            return None
        pairs = zip(self.expects, printed, strict=True)
        return [(call, should, came.strip()) for (call, should), came in pairs if not _is_same(came.strip(), should)]

    def count(self, output: str) -> int:
        """How much is wrong according to an output: how many tests or calls.

        Of tests that were just written those count that pass: what fails of them can be left out.
        """
        if not self.verdict(output):
            return -_ALL if self.is_new and self.path else 0
        counted = sum(int(one or other) for one, other in re.findall(COUNTED, output))
        if self.is_new and self.path:
            return counted - sum(int(one or other) for one, other in _RAN.findall(output)) if counted else _ALL
        return counted or len(self.wrong(output) or ()) or _ALL


def _exit_of(output: str) -> re.Match[str] | None:
    """Where an output says how the command ended."""
    return next(reversed(list(_EXIT.finditer(output))), None)


def _came(printed: str) -> str:
    return printed if printed.startswith(RAISES) else f"gives {printed}"


def _is_same(came: str, should: str) -> bool:
    """Whether a printed value is what it should be, or equal to it: 5.0 for 5, a set in another order."""
    if came == should:
        return True
    try:
        return bool(literal(came) == literal(should))
    except (ValueError, RecursionError):
        return False


def check_for(wish: Wish, paths: Sequence[str], texts: Mapping[str, str], target: str = "") -> Check | None:
    """The command that checks what a request is about: the tests of a file, or all of them."""
    tests = [path for path in paths if is_test(path)]
    python = [path for path in tests if path.endswith(".py") and re.search(r"(?:^|/)test_|_test\.py$", path)]
    if path := _likeliest(wish, paths, python, target):
        text = texts.get(path, "")
        return Check(command=_of_python(path, text), path=path, source=text)
    for name, command in (("Cargo.toml", "cargo test -q"), ("go.mod", "go test ./...")):
        if name in paths:
            return Check(command=command)
    if "package.json" in paths and '"test"' in texts.get("package.json", '"test"') and tests:
        return Check(command="npm test --silent")
    return None


def named_check(wish: Wish) -> Check | None:
    """The command that a request itself names as what does not work, if it is a plain one."""
    found = _COMMAND.search(wish.text) if wish.trouble else None
    command = (found[1] or found[2]) if found else ""
    if not command or re.search(r"[;&|<>$]", command):
        return None
    said = _PRINTS.match(wish.text, found.end()) if found else None
    denied = _BUT.match(wish.text, found.end()) if found else None
    never = tuple(_BROKEN.findall(said[1])[:1]) if said else ()
    if denied and not never:
        return Check(command=_ours(command), never=(denied[1].strip("`'\""),), holds=(denied[2],))
    wrong = _SHOULD.match(wish.text, found.end()) if found else None
    both = [one.strip(" `'\"") for one in wrong.groups()] if wrong else []
    command = _ours(command)
    if len(both) == len(set(both)) > 1 and all(both):
        return Check(command=command, never=(both[0],), holds=(both[1],))
    return Check(command=command, never=never)


def _ours(command: str) -> str:
    """A command as it is run here: with the Python that is there, and without anything left behind."""
    return re.sub(r"^python3? ", "python3 -B ", re.sub(r"^pytest\b", "python3 -m pytest", command))


def asserting_check(wish: Wish, texts: Mapping[str, str]) -> Check | None:
    """The script that a request says to fail, where it checks other files: it has assertions for whoever runs it."""
    said = [name for name in wish.commanded if wish.trouble]
    found = [path for path, text in texts.items() if path in said and path.endswith(".py") and _ASSERTS.search(text)]
    return Check(command=_of_python(found[0], "__main__"), path=found[0], source=texts[found[0]]) if found else None


def asserted_in(output: str) -> str:
    """The file whose assertion an output ends with; nothing where it ends with anything else."""
    is_asserted = re.search(r"^AssertionError\b", output, re.MULTILINE)
    return next(iter(frames(output)), "") if is_asserted else ""


def check_of_new(path: str, wish: Wish, texts: Mapping[str, str]) -> Check | None:
    """The command that runs tests which are still to be written, in the way of those that there are."""
    if not is_test(path) or not path.endswith(".py"):
        return None
    alike = "".join(text for other, text in texts.items() if is_test(other))
    by_pytest = "pytest" in wish.text.lower() or ("import pytest" in alike and "unittest" not in alike)
    text = "import pytest" if by_pytest else "import unittest"
    return Check(command=_of_python(path, text), path=path, is_new=True)


def tests_near(paths: Sequence[str], target: str) -> list[str]:
    """The files of tests that by their names belong to a file."""
    stem = target.rpartition("/")[2].partition(".")[0]
    return [path for path in paths if is_test(path) and stem and stem in path.rpartition("/")[2]]


def failure(output: str) -> str:
    """What of an output tells why it failed, and no more."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip() and not _RULE.match(line)]
    lines = [line for line in lines if not _INSIDE.match(line)]
    start = next((at for at, line in enumerate(lines) if _TELLING.search(line)), max(0, len(lines) - _MOST_LINES))
    told = [line for line in lines[start:] if not line.startswith(_NOISE)]
    if len(told) > _MOST_LINES:
        told = [*told[: _MOST_LINES - 8], "…", *told[-7:]]
    return "\n".join(line[:200] for line in told)


def spelled_out(output: str, tests: str) -> str:
    """An output with the whole statements where it shows no more than how they begin: `self.assertEqual(`."""
    lines = output.split("\n")
    tree = tree_of(tests) if any(_OPEN.search(line) for line in lines) else None
    statements = [one for one in ast.walk(tree) if isinstance(one, ast.Expr | ast.Assign | ast.Assert)] if tree else []
    whole = {one.lineno: one for one in statements}
    for at, line in enumerate(lines[1:], 1):
        frame = _FRAME.search(lines[at - 1]) if _OPEN.search(line) else None
        if frame and (statement := whole.get(int(frame[2] or 0))):
            lines[at] = f"    {ast.unparse(statement)}"
    return "\n".join(lines)


def outcome(output: str) -> str:
    """What came of a call that was tried: "gives 3", "raises ValueError: …"; empty where it could not be made."""
    code = _exit_of(output)
    lines = output[: code.start()].splitlines() if code else []
    lines = [line for line in lines if line.strip()]
    if code is None or not lines:
        return ""
    if code[1] == "0":
        return f"gives {lines[-1][:_LONGEST_VALUE]}"
    raised = re.match(r"(\w+(?:Error|Exception))\b.*", lines[-1])
    is_ours = raised and not _NOT_CALLED.match(lines[-1])
    return f"raises {lines[-1][:_LONGEST_VALUE]}" if is_ours else ""


def printed(output: str) -> str:
    """What a command printed, in words; empty where it did not end by itself."""
    code = _exit_of(output)
    if code is None or not code[1]:
        return ""
    lines = output[: code.start()].rstrip()
    said = f"prints:\n{lines}" if lines else "prints nothing."
    return said if code[1] == "0" else f"{said}\nIt ends with code {code[1]}."


def frames(output: str) -> list[str]:
    """The files that an output blames, the last one first."""
    return list(dict.fromkeys(path for path, _ in reversed(blamed_lines(output))))


def blamed_lines(output: str) -> list[tuple[str, int]]:
    """The files that an output blames, each with the number of a line, in the order of the output."""
    return [(one[0] or one[2] or one[4], int(one[1] or one[3] or one[5])) for one in _FRAME.findall(output)]


def fell_in(output: str, path: str) -> str:
    """The function of a file in which an error came about, by the last line of a traceback that speaks of the file."""
    frame = _FELL_IN.format(name=re.escape(path.rpartition("/")[2]))
    return next(reversed(re.findall(frame, output)), "")


def called_in(output: str, path: str, text: str) -> list[str]:
    """The functions that are called in the lines of a file which an output blames."""
    lines = text.split("\n")
    blamed = [number for frame, number in blamed_lines(output) if frame == path or frame.endswith(f"/{path}")]
    known = [number for number in dict.fromkeys(blamed) if number <= len(lines)]
    return [name for number in known for name in re.findall(r"\b(\w+)\(", lines[number - 1])]


def used_in(output: str, path: str, text: str) -> list[str]:
    """The names that the functions use in which an output blames lines of a file: what a test tries is among them."""
    tree = tree_of(text)
    blamed = {number for frame, number in blamed_lines(output) if frame == path or frame.endswith(f"/{path}")}
    functions = every(ast.FunctionDef, tree) if tree and blamed else []
    wrong = [one for one in functions if any(one.lineno <= at <= (one.end_lineno or 0) for at in blamed)]
    return [one.id for function in wrong for one in every(ast.Name, function)]


def imported(path: str, text: str, paths: Sequence[str]) -> list[str]:
    """The project's own files that a file imports."""
    found: list[str] = []
    here = path.rpartition("/")[0]
    if _SCRIPT.search(path):
        by_name: dict[str, list[str]] = {}
        for one in paths:
            for name in {one, _SCRIPT.sub("", one)}:
                by_name.setdefault(name, []).append(one)
        bases = [posixpath.normpath(posixpath.join(here, one)) for one in dict.fromkeys(_REQUIRE.findall(text))]
        return [one for base in bases for name in (base, f"{base}/index") for one in by_name.get(name, ())]
    there = frozenset(paths)
    for module, names, plain in dict.fromkeys(_IMPORT.findall(text)):
        base = (module or plain).lstrip(".").replace(".", "/")
        several = [f"{base}/{name.strip().split(' ')[0]}" for name in names.strip("()").split(",")] if names else []
        for one in (base, *several):
            found += [
                path
                for path in (f"{one}.py", f"{one}/__init__.py", f"{here}/{one}.py", f"src/{one}.py")
                if path in there
            ]
    return list(dict.fromkeys(found))


def _likeliest(wish: Wish, paths: Sequence[str], tests: list[str], target: str) -> str:
    named = [path for path in tests if any(path == name or path.endswith(f"/{name}") for name in wish.files)]
    named += [path for path in tests if path.rpartition("/")[2].removesuffix(".py") in wish.symbols]
    near = tests_near(tests, target) if target else []
    is_new = bool(target) and target not in paths
    return next(iter([*named, *near]), "") or (tests[0] if len(tests) == 1 and not is_new else "")


def _of_python(path: str, text: str) -> str:
    path = shlex.quote(f"./{path}" if path.startswith("-") else path)
    if "unittest" in text:
        return f"python3 -B -m unittest {path}"
    if "import pytest" in text or re.search(r"^def test_", text, re.MULTILINE):
        return f"python3 -B -m pytest -q -p no:cacheprovider {path}"
    return f"python3 -B {path}" if "__main__" in text else f"python3 -B -m unittest {path}"
