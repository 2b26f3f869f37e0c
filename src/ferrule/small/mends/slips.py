"""Slips of the pen, one at a time: what a failing check is often about, and what a small model fails to see.

A model of this size copies `max(...)` where `min(...)` is meant, however often it is asked. The program can try such
things out itself: in a copy of the project, with the check as the judge.
"""

import ast
import difflib
import re
import shlex
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ferrule.small.checks.check import COUNTED
from ferrule.small.checks.pasted import as_json
from ferrule.small.code.blocks import Block, lines_of
from ferrule.small.code.parsed import tokens_of, tree_of

_TEXT = r"(?P<text>[rbfuRBFU]{0,2}(?:\"\"\".*?\"\"\"|'''.*?'''|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|`[^`]*`)"
_REST = (
    r"(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<sign>===|!==|==|!=|<=|>=|&&|\|\||\*\*|//|->|=>|[-+*/%]=|[-+*/%<>!])"
)
_PYTHON = re.compile(rf"{_TEXT}|(?P<comment>#.*)|{_REST}")
_OTHER = re.compile(rf"{_TEXT}|(?P<comment>#.*|//.*|/\*.*?(?:\*/|$))|{_REST}")
_LONG = re.compile(
    r"/\*.*?\*/|`[^`]*`|\bimport\s*\{[^{}]*\}|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL
)
"""What may go over several lines of a language that is not Python, and what only looks like the beginning of it."""
_SKIPPED = re.compile(
    r"\s*(?:#|//|/\*|@|import |from |(?:export (?:default )?)?(?:async )?(?:def|class|function) |\"\"\"|'''|assert\b|$)"
    r"|.*\b(?:__name__|SystemExit|exit)\b"
)
"""Where no slip is, or where it would but keep a check from checking: a program that does nothing never fails."""
_INSTEAD = {
    "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "==": ("!=",), "!=": ("==",),
    "===": ("!==",), "!==": ("===",), "&&": ("||",), "||": ("&&",), "and": ("or",), "or": ("and",),
    "min": ("max",), "max": ("min",), "any": ("all",), "all": ("any",), "True": ("False",), "False": ("True",),
    "true": ("false",), "false": ("true",), "+": ("-", "*"), "-": ("+",),
    "*": ("/", "+"), "/": ("*", "//"), "//": ("/", "%"),
    "%": ("//",), "+=": ("-=", "="), "-=": ("+=",), "floor": ("ceil", "round"), "ceil": ("floor",), "lower": ("upper",),
    "upper": ("lower",), "append": ("extend",), "extend": ("append",), "startswith": ("endswith",),
    "push": ("unshift",),
    "endswith": ("startswith",), "startsWith": ("endsWith",), "endsWith": ("startsWith",), "lstrip": ("strip",),
    "rstrip": ("strip",), "keys": ("values",), "values": ("keys",), "break": ("continue",), "continue": ("break",),
    "is": ("is not",), "pop": ("pop(0)",), "if": ("if not",),
}  # fmt: skip
_WORDS = frozenset(
    [
        "def", "return", "if", "elif", "else", "for", "in", "not", "and", "or", "is", "None", "True", "False", "while",
        "with", "as", "import", "from", "class", "try", "except", "finally", "raise", "yield", "lambda", "pass",
        "break", "continue", "self", "cls", "const", "let", "var", "function", "new", "this", "throw", "true", "false",
        "null", "undefined", "of", "async", "await", "export", "default", "case", "switch", "typeof", "print",
        "console", "del",
    ]
)  # fmt: skip
_PAIRS = (
    (re.compile(r"(?<![\w.\"'])([A-Za-z_][\w.]*) ([-/%]|//) ([A-Za-z_][\w.]*)(?![\w.(\[])"), r"\3 \2 \1"),
    (re.compile(r"\(([A-Za-z_][\w.]*), ([A-Za-z_][\w.]*)\)"), r"(\2, \1)"),
    (re.compile(r"\[([-\w]+):\]"), r"[:\1]"),
    (re.compile(r"\[:([-\w]+)\]"), r"[\1:]"),
    (re.compile(r"\brange\(([^(),]+), (\w[\w.]*)\)"), r"range(\1, \2 + 1)"),
    (re.compile(r"\benumerate\((\w[\w.]*)\)"), r"enumerate(\1, 1)"),
    (re.compile(r"\brange\((\w[\w.]*)\)"), r"range(1, \1 + 1)"),
)
"""What may stand the wrong way round: operands, arguments, the halves of a slice; and what may begin at 0 or at 1."""
_JOINTS = (
    (re.compile(r"(\"\"|'')(?=\.join\()"), ("' '", "', '", "'\\n'")),
    (re.compile(r"(\" \"|' ')(?=\.join\()"), ("''", "', '", "'\\n'")),
    (re.compile(r"(\",\"|',')(?=\.join\()"), ("', '",)),
    (re.compile(r"(?<=\.join\()(\"\"|'')(?=\))"), ("' '", "', '", "'\\n'")),
    (re.compile(r"(?<=\.split\()(\" \"|' ')(?=\))"), ("",)),
    (re.compile(r"(?<=[\"'], )(\"\"|'')(?=[,)])"), ("' '",)),
    (re.compile(r"(?<=[\"'], )(\" \"|' ')(?=[,)])"), ("''",)),
)
"""What texts may wrongly be joined and split by, or be given in place of another."""
_PADDED = (
    (re.compile(r"(?<=[^{]\{)([A-Za-z_][\w.]*(?: (?://|%) \w+)?)(?=\})"), r"\1:02"),
    (re.compile(r":(?=[xXd]\})"), ":02"),
    (re.compile(r"(?<=\$\{)([A-Za-z_][\w.]*(?: % \w+)?)(?=\})"), r"String(\1).padStart(2, '0')"),
)
"""Numbers in texts that may want two digits; the last is JavaScript's way."""
_TIDIED = re.compile(
    r"\b([A-Za-z_]\w*)(?=\.(?:ends|starts)with\(|\.is(?:upper|lower|alpha|digit|space)\(|\.split\(|\.index\()"
)
"""Texts that may have to be without blanks around them, or in small letters, before they are looked at."""
_ASSIGNED = re.compile(r"^((?: {4,}|\t+)[A-Za-z_]\w*) = (?!.*\b(?:if|lambda)\b)(?=\S)")
"""What may have to be added to what is there already."""
_TURNED: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"(?<= -)gt(?= )"), ("lt", "ge")),
    (re.compile(r"(?<= -)lt(?= )"), ("gt", "le")),
    (re.compile(r"(?<= -)ge(?= )"), ("gt", "lt")),
    (re.compile(r"(?<= -)le(?= )"), ("lt", "gt")),
    (re.compile(r"(?<= -)eq(?= )"), ("ne",)),
    (re.compile(r"(?<= -)ne(?= )"), ("eq",)),
    (re.compile(r"(?<= -)z(?= )"), ("n",)),
    (re.compile(r"(?<= -)n(?= [\"$])"), ("z",)),
    (re.compile(r"(?<==> )(?=[A-Za-z_$][\w$.]*(?:\([^()]*\))?\s*(?:[);,]|$))"), ("!",)),
    (re.compile(r"(?<=[\w)\]])(?= (?:not )?in [A-Za-z_])"), (".lower()", ".strip()")),
    (re.compile(r"(?<=[\w)\]])(?= == (?:[\"'][a-z]|\"\"|''))"), (".lower()", ".strip()")),
)
"""What a shell compares the other way round, what is asked the other way round, and letters that should be small."""
_ENDS = re.compile(r"(?<=[\w\])])[)\]](?=\s*(?:[,;)}\]]|$))")
"""Where a value ends that is computed."""
_MOST = 160
_MOST_NAMES, _MOST_CHANGES = 40, 12
_LONGEST_LINE = 300
_LONGEST_COMMAND = 100_000
"""Bytes; the system takes no argument of more than 128 KiB."""
_SECONDS, _LONGEST_RUN = 25, 5.0
_OFTEN = 2
_FACTORS = (10, 100, 1000)
_UNITS = {"60": ("3600", "24"), "3600": ("60", "86400"), "24": ("60",), "1000": ("1024",), "1024": ("1000",)}
"""What is mistaken for each other in hours, minutes, seconds and bytes."""
_MOST_TOGETHER = 8
_OTHER_NAME, _KINDS = 3, 5
"""How unlikely it is that another name was meant, and how many such degrees there are."""

_TRIAL = Path(__file__).with_name("trial.py")
"""Tries lines in a copy of the project, until one makes all the commands do what they should."""


class Trial(msgspec.Struct, frozen=True):
    """A line of a file that could be meant."""

    at: int
    line: str


def slips(text: str, blocks: Sequence[Block] | None) -> list[Trial]:
    """What the lines of some blocks could be instead, each with one slip put right; the likeliest kinds first."""
    lines, tree = lines_of(text), tree_of(text)
    silent = _silent(text, tree)
    chosen = blocks or [Block(first=1, last=len(lines))]
    found: dict[Trial, int] = {}
    counts = [0] * _KINDS
    for block in chosen:
        names = _names([line for line in lines[block.first - 1 : block.last] if len(line) <= _LONGEST_LINE])
        for at in range(block.first - 1, block.last):
            if at not in silent and len(lines[at]) <= _LONGEST_LINE and not _SKIPPED.match(lines[at]):
                names = names if sum(counts[: _OTHER_NAME + 1]) < _MOST else []
                for rank, line in _variants(lines[at], names, _OTHER if tree is None else _PYTHON):
                    trial = Trial(at, line)
                    if sum(counts[: rank + 1]) < _MOST and rank < found.get(trial, _KINDS):
                        found[trial] = rank
                        counts[rank] += 1
    return sorted(found, key=lambda one: found[one])[:_MOST]


def one_of(was: str, written: str) -> list[Trial]:
    """The changes that were made to lines, each alone, where there are several."""
    old, new = lines_of(was), lines_of(written)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [one for one in matcher.get_opcodes() if one[0] == "replace"]
    found: list[Trial] = []
    for _, first, last, start, end in changes[:_MOST_CHANGES]:
        if last - first == end - start:
            found += [Trial(first + at, new[start + at]) for at in range(last - first)]
        elif last - first == 1:
            found.append(Trial(first, "\n".join(new[start:end])))
    return found if len(found) > 1 else []


def trial_command(
    path: str,
    checks: Sequence[tuple[str, Sequence[str], Sequence[str], Sequence[str]]],
    trials: Sequence[Trial],
    *,
    watch: tuple[str, float] = ("", 1.0),
) -> str:
    """The command that tries them, as many as it can hold.

    `checks` are commands, each with the last lines that it should print, if any, what it must not print, and what it
    must print somewhere. `watch` prints what should rather stay as it is, but for a part of it.
    """
    tried = [[one.at, one.line] for one in trials]
    while True:
        told = as_json(
            {
                "path": path,
                "commands": checks,
                "trials": tried,
                "count": COUNTED,
                "seconds": _SECONDS,
                "longest": _LONGEST_RUN,
                "watch": watch,
            }
        )
        told = told.replace("'", r"\u0027")  # which is the same, and one sign to a shell
        command = f"python3 -I -B {shlex.quote(str(_TRIAL))} {shlex.quote(told)}"
        if not tried or len(command.encode()) <= _LONGEST_COMMAND:
            return command
        tried = tried[: len(tried) // 2]


def which_works(output: str) -> tuple[list[int], bool]:
    """Which of the lines that were tried make it better together, and whether all is right with them."""
    found = re.search(rf"^(works|better): (\d{{1,9}}(?: \d{{1,9}}){{0,{_MOST_TOGETHER}}})$", output, re.MULTILINE)
    return ([int(one) for one in found[2].split()], found[1] == "works") if found else ([], False)


def _silent(text: str, tree: ast.Module | None) -> set[int]:
    """The lines, counted from 0, that compute nothing: texts and comments of several lines, and imports."""
    if tree is None:
        short = "\n".join(line if len(line) <= _LONGEST_LINE else "" for line in lines_of(text))
        closed = short.rfind("*/") + 2  # behind it nothing that opens is a comment
        short = short[:closed] + short[closed:].replace("/*", "/ ")
        ends = [one.start() for one in re.finditer("\n", short)]
        several = [one for one in _LONG.finditer(short) if "\n" in one[0]]
        rows = [(bisect_left(ends, one.start()), bisect_left(ends, one.end())) for one in several]
    else:
        imports = [one for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom)]
        rows = [(one.lineno - 1, (one.end_lineno or one.lineno) - 1) for one in imports]
        has_long = re.search(r"\"{3}|'{3}|\\\r?\n", text)
        tokens = tokens_of(text) if has_long else []
        rows += [(one.start[0] - 1, one.end[0] - 1) for one in tokens if one.start[0] != one.end[0]]
    return {row for first, last in rows for row in range(first, last + 1)}


def _variants(line: str, names: Sequence[str], token: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """A line with one thing changed, with how unlikely that is."""
    for match in token.finditer(line):
        before, word, after = line[: match.start()], match[0], line[match.end() :]
        if match["sign"] or match["name"]:
            is_unary = match["sign"] and re.search(r"(?:^|[(\[,=:]|return)\s*$", before)
            for other in () if is_unary else _INSTEAD.get(word, ()):
                yield 0, before + other + after
        if match["number"] and word.isdigit():
            rank = 1 if int(word) <= _OFTEN else 2  # what is counted from is likelier wrong than what is meant
            yield rank, f"{before}{int(word) + 1}{after}"
            if int(word):
                yield rank, f"{before}{int(word) - 1}{after}"
            if re.fullmatch(r"10+", word):  # zeros are miscounted, and units mistaken
                yield from ((2, f"{before}{int(word) * factor}{after}") for factor in _FACTORS)
                yield from ((2, f"{before}{int(word) // factor}{after}") for factor in _FACTORS if int(word) > factor)
            yield from ((2, before + other + after) for other in _UNITS.get(word, ()))
            if shorter := re.fullmatch(r"(.*\S)\s*[-+]\s*", before):
                yield 1, shorter[1] + after
        if match["name"] and word not in _WORDS and not before.endswith("."):
            is_value = not re.match(r"\s*(?:=[^=]|[\w(]|:)", after) and not re.match(r"\s*\.", after)
            if is_value:
                is_alone = re.search(r"(?:[(\[,=:]|\breturn)\s*$", before) and re.match(r"\s*(?:[)\],;:}]|$)", after)
                yield 2, before + (f"{word} - 1" if is_alone else f"({word} - 1)") + after
                yield 2, before + (f"{word} + 1" if is_alone else f"({word} + 1)") + after
            if word in names and not re.match(r"\s*=[^=]", after):
                for other in names:
                    if other != word:
                        yield _OTHER_NAME, before + other + after
        if word in {"not", "!"}:
            yield 0, before + after.lstrip()
    for joint, others in _JOINTS:
        for match in joint.finditer(line):
            for other in others:
                quoted = other if match[0].startswith("'") else other.replace("'", '"')
                yield 1, line[: match.start()] + quoted + line[match.end() :]
    for pattern, instead in _PADDED:
        places = list(pattern.finditer(line))
        if len(places) > 1:
            yield 1, pattern.sub(instead, line)
        for match in places:
            yield 1, line[: match.start()] + match.expand(instead) + line[match.end() :]
    for match in _TIDIED.finditer(line):
        for tidy in ("strip", "lower"):
            yield 2, f"{line[: match.end()]}.{tidy}(){line[match.end() :]}"
    for pattern, turned in _TURNED:
        for match in pattern.finditer(line):
            for other in () if re.search(r"\bfor [\w, ]*$", line[: match.start()]) else turned:
                yield 1, line[: match.start()] + other + line[match.end() :]
    if found := _ASSIGNED.match(line):
        yield 1, f"{found[1]} += {line[found.end() :]}"
    quiet = [match.span() for match in token.finditer(line) if match["text"] or match["comment"]]
    for rank, place, instead in _of_whole_values(line):
        if not any(start < place.end() and place.start() < end for start, end in quiet):
            yield rank, line[: place.start()] + instead + line[place.end() :]


def _of_whole_values(line: str) -> Iterator[tuple[int, re.Match[str], str]]:
    """Places of a line with what could stand there: two things the other way round, one more or less."""
    for pattern, other in _PAIRS:
        for match in pattern.finditer(line):
            yield 0 if "range" in match[0] else 2, match, match.expand(other)
    for match in _ENDS.finditer(line):
        yield 4, match, f"{match[0]} - 1"
        yield 4, match, f"{match[0]} + 1"


def _names(lines: Sequence[str]) -> list[str]:
    """The names that a block itself makes: its parameters, and what it assigns."""
    text = "\n".join(lines)
    made = re.findall(r"^[ \t]*(?:(?:const|let|var)\s+)?([A-Za-z_]\w*)\s*(?:[-+*/]?=)[^=]", text, re.MULTILINE)
    made += [
        one for both in re.findall(r"\bfor\s+\(?(?:(?:const|let|var)\s+)?(\w+)(?:,\s*(\w+))?", text) for one in both
    ]
    for several in re.findall(r"^[ \t]*(\w+(?:,[ \t]*\w+)+)[ \t]*=[^=]", text, re.MULTILINE):
        made += re.split(r",\s*", several)
    if head := re.search(r"(?:def|function)\s*+\w*+\s*+\(([^()]*)\)", text):
        made += [re.split(r"[:=]", one)[0].strip(" *.") for one in head[1].split(",")]
    return [one for one in dict.fromkeys(made) if one and one not in _WORDS][:_MOST_NAMES]
