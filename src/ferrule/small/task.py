"""What a small model is shown for a change: the part of one file that matters, and hardly anything else.

A model that is shown a whole file copies it and forgets the change; one that is shown the function makes it. Its answer
is begun for it, so that it writes code at once, in the form that is understood.
"""

import re
from collections.abc import Iterable, Sequence

from ferrule.core.messages import Value
from ferrule.small.checks.check import Check, blamed_lines
from ferrule.small.checks.condensed import condensed
from ferrule.small.checks.pasted import PLAIN, asserted, names_in
from ferrule.small.checks.replayed import first_of, written_tests
from ferrule.small.code.blocks import Block, blocks_of, is_stub, lines_of
from ferrule.small.code.members import spelled
from ferrule.small.code.names import signatures
from ferrule.small.focus import focus
from ferrule.small.mends.added import only_adds
from ferrule.small.prompts import (
    ADD,
    ATTEMPT,
    BEGUN,
    BEGUN_NEW,
    FILL,
    HOW,
    MUST,
    NEW,
    NEW_TEXT,
    NOT_YET,
    PART,
    PASSING,
    REWRITE,
    STUB,
    THINK,
    WITH_OPTIONS,
    language_of,
    listing,
    shown_file,
    tokens,
)
from ferrule.small.words.rank import is_prose, is_test
from ferrule.small.work import Work, cut, place_in_overview

_LONGEST_REQUEST = 6_000
"""Characters; what is longer holds somebody's output."""
_MOST_SAID, _MOST_NEW = 300, 1_200
_DATA = frozenset({"json", "yaml", "yml", "toml", "ini", "cfg", "conf", "csv", "tsv", "xml", "env", "properties"})
_AS_OTHERS = re.compile(
    r"\b(?:same (?:way|form|format|style|kind|shape|structure|layout)"
    r"|(?:like|as|as in|form of|format of|style of) (?:the|its|all the|all) (?:other|existing)s?)\b",
    re.IGNORECASE,
)
"""Said of a file that is to be like those beside it."""
_DEFINED = re.compile(r"^[ \t]*(?:async )?(?:def|class) (\w+)", re.MULTILINE)
_HEAD = re.compile(r"\bdef \w+\(([^()]*)\)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_SAYS_NOTHING = frozenset(
    {
        "text", "name", "value", "values", "number", "numbers", "path", "line", "word", "words", "size", "width",
        "count", "none", "self", "file", "string", "list", "date", "start", "end", "index", "key",
    }
)  # fmt: skip
"""Names of parameters that are the same everywhere and mean nothing of their own."""
_MOST_BESIDE, _LONGEST_SHARING = 5, 160
_LONGEST_ALIKE = 400
_MAKES_TABLE = re.compile(r"\bCREATE TABLE\b", re.IGNORECASE)
_MOST_FAILURES = 3
_NOT_THERE = re.compile(r"\bModuleNotFoundError\b|Cannot find module|No such file or directory|can't open file")
"""How every check of a new file fails, as long as that is to be written."""
_MOST_MUST, _LONGEST_TESTS = 12, 1_200

Failure = tuple[Check, str]
"""A check that fails, and its output."""


class Task(Value, frozen=True, kw_only=True):
    """What a model is asked to write."""

    path: str
    text: str
    begun: str
    """How its answer begins."""
    most: int
    """How long its answer may get."""


def new_file(
    work: Work,
    path: str,
    shown: Sequence[str],
    failures: Sequence[Failure],
    *,
    problem: str = "",
    alone: bool = False,
) -> Task:
    """The task to write a file that was not there; `shown` are files that it may have to do with.

    `problem` is what is wrong with the last attempt, if it is to go on from that; `alone` leaves out what others do
    that is like it: a small model takes from them what does not fit.
    """
    parts = [shown_file(one, work.texts[one]) for one in shown if one in work.texts]
    near = [one for one in work.order if not is_test(one) and one not in shown and not alone]
    if is_prose(path) and not alone:
        parts += _overview(work, [one for one in work.texts if one not in shown])
    else:
        parts += work.excerpts(near, work.profile.candidate_tokens, only_named=True)
    stubs = list(signatures(work.wish.text, known_names(work)).values()) if path.endswith(".py") else []
    if not alone and len(parts) == len(shown):
        parts += _sharing(work, path, stubs)
    parts += _told_failures(work, [one for one in failures if not _NOT_THERE.search(one[1])])
    parts.append(cut(work.wish.text, _LONGEST_REQUEST))
    begun = BEGUN_NEW.format(path=path, language=language_of(path))
    if stubs:
        body = "\n\n".join(f"def {one}:\n    ..." for one in stubs)
        parts.append(f"{STUB}\n\n{shown_file(path, body)}")
    if problem and path in work.texts:
        parts += [f"{ATTEMPT}\n\n{shown_file(path, work.texts[path])}"]
    if problem:
        parts.append(problem)
    told = (NEW_TEXT if path.endswith((".md", ".rst")) else NEW).format(path=path)
    if path.endswith(".py") and _OPTION.search(work.wish.text):
        told += f" {WITH_OPTIONS}"
    text = "\n\n".join([*parts, told])
    return Task(path=path, text=text, begun=begun, most=_MOST_NEW)


def alike(work: Work, path: str) -> list[str]:
    """The files that show which form a new one has: data beside data, a schema for SQL, or as the request says."""
    folder, _, name = path.rpartition("/")
    ending = name.rpartition(".")[2]
    if ending == "sql":
        schemas = [one for one, text in work.texts.items() if one.endswith(".sql") and _MAKES_TABLE.search(text)]
        return [one for one in schemas if tokens(work.texts[one]) <= _LONGEST_ALIKE][:2]
    is_data = ending in _DATA and bool(folder)
    if not is_data and not _AS_OTHERS.search(work.wish.text):
        return []
    beside = [one for one in work.paths if one != path and one.rpartition("/")[0] == folder and not is_test(one)]
    same = sorted(one for one in beside if one.endswith(f".{ending}") and not one.endswith("__init__.py"))
    texts = {one: work.texts[one] for one in same if one in work.texts}
    fitting = [one for one in same if one not in texts or tokens(texts[one]) <= _LONGEST_ALIKE]
    return fitting[: 2 if is_data else 1]


def beside(work: Work, path: str) -> list[str]:
    """The files in the folder of another that are written in the same language."""
    folder, ending = path.rpartition("/")[0], path.rpartition(".")[2]
    here = [one for one in work.paths if one.rpartition("/")[0] == folder and one.endswith(f".{ending}")]
    return [one for one in here if one != path and not is_test(one) and not one.endswith("__init__.py")][:_MOST_BESIDE]


def _singular(names: Iterable[str]) -> list[str]:
    """The names of what functions are given, each as one of it is called; without those that say nothing."""
    return sorted({re.sub(r"ies$", "y", one).removesuffix("s") for one in names if one not in _SAYS_NOTHING})


def _kinds(work: Work, path: str, text: str, blocks: Sequence[Block]) -> list[str]:
    """The class of what a function is given that is to change, where it is in another file: it tells what there is."""
    lines = lines_of(text)
    heads = [_HEAD.search("\n".join(lines[one.first - 1 : one.last])) for one in blocks]
    given = _singular(one for head in heads if head for one in re.findall(r"[a-z_]\w*", head[1]))
    for other in beside(work, path):
        there = work.texts.get(other, "")
        classes = _classes(blocks_of(other, there), given)
        if classes and tokens(told := shown_file(other, there, classes)) <= _LONGEST_SHARING:
            return [told]
    return []


def _classes(blocks: Iterable[Block], called: Sequence[str]) -> list[Block]:
    """How the classes begin whose objects are called so."""
    return [one for one in blocks if one.name[:1].isupper() and spelled(one.name.removesuffix(".__init__")) in called]


def _sharing(work: Work, path: str, stubs: Sequence[str]) -> list[str]:
    """What tells best what a new function is given: the class of it, else a function that says `task["text"]`."""
    given = {one for stub in stubs for one in re.findall(r"[a-z_]\w*", stub.partition("(")[2])}
    singular = _singular(given)
    ones = "|".join(map(re.escape, singular))
    found: list[tuple[int, int, str, Block]] = []
    for other in beside(work, path) if singular else ():
        text = work.texts.get(other, "")
        blocks = blocks_of(other, text)
        heads = _classes(blocks, singular)
        if heads and tokens(told := shown_file(other, text, heads)) <= 2 * _LONGEST_SHARING:
            return [told]
        for block in blocks:
            body = "\n".join(lines_of(text)[block.first - 1 : block.last])
            uses = len(set(re.findall(rf"\b(?:{ones})(\[[\"']\w+[\"']\]|\.\w+)", body)))
            if uses and tokens(body) <= _LONGEST_SHARING:
                found.append((-uses, tokens(body), other, block))
    chosen = sorted(found, key=lambda one: one[:2])[:1]
    return [shown_file(other, work.texts[other], [block]) for *_, other, block in chosen]


def _overview(work: Work, paths: Sequence[str]) -> list[str]:
    """What tells most about a program, as much as there is room for: where it starts, and what it can be told."""
    room, parts = work.profile.candidate_tokens, list[str]()
    for path in sorted(paths, key=place_in_overview):
        text = work.texts[path]
        if tokens(text) <= room and not is_prose(path):
            parts.append(shown_file(path, text))
            room -= tokens(text)
    return [listing(work.paths), *parts]


def rewriting(
    work: Work,
    path: str,
    text: str,
    failures: Sequence[Failure],
    *,
    problem: str = "",
    aloud: bool = False,
    narrow: bool = True,
) -> Task:
    """The task to write a file anew, or the part of it that matters.

    `problem` is what is wrong with the text, where it is the last attempt; `aloud` asks for thoughts first; `narrow`
    shows no more than a function or two.
    """
    if is_stub(path, text):
        return _filling(work, path, text, failures, problem=problem)
    blocks = focus(work, path, text, [output for _, output in failures], narrow=narrow)
    shown = _fenced(path, text, blocks, with_gaps=not narrow)
    parts = [(PART if blocks else REWRITE).format(path=path, shown=shown)]
    pasted = [check.source for check, _ in failures if not check.path]
    is_known = any(pasted) or any(check.expects for check, _ in failures)  # then it is said below, and better
    wanted = condensed(work.wish.text, 0 if is_known else _MOST_FAILURES)
    parts.append(NOT_YET.format(request=cut(wanted, _LONGEST_REQUEST)))
    parts += [problem] if problem else _told_failures(work, failures)
    begun = BEGUN.format(path=path, language=language_of(path))
    if blocks and not failures and path.endswith(".py"):
        parts = [*_kinds(work, path, text, blocks), *parts]
    if not aloud and (signature := _added(work, path, text)):
        parts = [*_sharing(work, path, [signature]), *parts, ADD.format(signature=signature)]
        begun += f"def {signature}:"
    else:
        parts.append(THINK if aloud else HOW)
    return Task(path=path, text="\n\n".join(parts), begun=begun, most=_MOST_SAID + 2 * tokens(shown))


def _added(work: Work, path: str, text: str) -> str:
    """The one function that a request wants to be added to a file of Python, as it is to be called; else empty."""
    found = signatures(work.wish.text, [block.name for block in blocks_of(path, text)])
    is_one = path.endswith(".py") and len(found) == 1 and only_adds(work.wish) and "method" not in work.wish.text
    return next(iter(found.values())) if is_one else ""


def afresh(work: Work, path: str, text: str, failures: Sequence[Failure]) -> Task:
    """The task to write a file from nothing that was written for an earlier request and does not work."""
    wanted = next((one.request for one in work.earlier if path in one.files), work.wish.text)
    return _filling(work, path, text, failures, problem="", request=wanted)


def _filling(work: Work, path: str, text: str, failures: Sequence[Failure], *, problem: str, request: str = "") -> Task:
    """The task to fill in a file that holds no more than names."""
    parts = [cut(request or work.wish.text, _LONGEST_REQUEST), REWRITE.format(path=path, shown=_fenced(path, text))]
    parts += [problem] if problem else (_wanted(work, failures) or _told_failures(work, failures))
    parts.append(FILL.format(path=path))
    return Task(
        path=path, text="\n\n".join(parts), begun=BEGUN.format(path=path, language=language_of(path)), most=_MOST_NEW
    )


def _wanted(work: Work, failures: Sequence[Failure]) -> list[str]:
    """What must be so in the end: how it fails as long as nothing is there says little."""
    must: list[tuple[str, str]] = []
    tests: list[str] = []
    for check, _ in failures:
        known = [one for one in asserted(check.source) if _stands_alone(work, one[0])]
        must += [*check.expects, *known]
        tests += [written_tests(check.source)] if check.source and not known else []
    by_value = {should: call for call, should in reversed(must)}
    must = [*((call, should) for should, call in reversed(by_value.items())), *must]  # one of each comes first
    parts: list[str] = []
    if must:
        lines = [f"{call} == {should}" for call, should in dict.fromkeys(must)]
        parts.append(f"{MUST}\n```python\n{chr(10).join(lines[:_MOST_MUST])}\n```")
    if tests:
        parts.append(f"{PASSING}\n```python\n{first_of(chr(10).join(tests), _LONGEST_TESTS)}\n```")
    return parts


def _stands_alone(work: Work, call: str) -> bool:
    """Whether a call that a test makes says everything: its values are not those of that test."""
    return (names_in(call) or {""}) - PLAIN <= known_names(work)


def _fenced(path: str, text: str, blocks: Sequence[Block] | None = None, *, with_gaps: bool = True) -> str:
    return shown_file(path, text, blocks, with_gaps=with_gaps).partition("\n")[2]


def known_names(work: Work) -> set[str]:
    """What the files that were read define."""
    texts = work.texts.items()
    return {block.name.rpartition(".")[2] for path, text in texts for block in blocks_of(path, text)} | {
        name for path, text in texts if path.endswith(".py") for name in _DEFINED.findall(text)
    }


def _told_failures(work: Work, failures: Sequence[Failure]) -> list[str]:
    parts: list[str] = []
    for check, output in failures:
        test = work.texts.get(check.path, "") if check.path else ""
        if test and tokens(test) <= work.profile.focus_tokens:
            parts.append(shown_file(check.path, test))
        where = "" if check.path else _line_of_test(work, output)
        parts.append(f"A check fails now:\n```\n{where}{check.verdict(output)}\n```")
    return parts


def _line_of_test(work: Work, output: str) -> str:
    """The line of a test that an output blames, where the output does not quote it itself."""
    for frame, number in blamed_lines(output):
        for path, text in work.texts.items():
            lines = lines_of(text)
            if is_test(path) and (frame == path or frame.endswith(f"/{path}")) and number <= len(lines):
                return f"{path}: {lines[number - 1].strip()}\n"
    return ""
