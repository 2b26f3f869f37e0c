"""What a small model is shown for a change: the part of one file that matters, and hardly anything else.

A model that is shown a whole file copies it and forgets the change; one that is shown the function makes it. Its answer
is begun for it, so that it writes code at once, in the form that is understood.
"""

import re
from collections.abc import Mapping, Sequence

from ferrule.core.messages import Value
from ferrule.small.blocks import Block, blocks_of, lines_of
from ferrule.small.checks import Check, blamed_lines
from ferrule.small.names import signatures
from ferrule.small.prompts import (
    ATTEMPT,
    BEGUN,
    BEGUN_NEW,
    HOW,
    NEW,
    NOT_YET,
    PART,
    REWRITE,
    STUB,
    THINK,
    language_of,
    shown_file,
    tokens,
)
from ferrule.small.rank import is_test, weigh
from ferrule.small.work import Work, cut

_LONGEST_REQUEST = 6_000
"""Characters; what is longer holds somebody's output."""
_MOST_SAID, _MOST_NEW = 300, 1_200
_SHORT = 3
_SMALL_CLASS, _WHOLE_CLASS = 8, 300
"""Lines of a class that is one block; tokens of one that is shown whole where its head matters."""
_NEARLY = 0.4
"""What a block must have of the best one's weight to be shown beside it."""
_FRAME = re.compile(r"\bin (\w+)$|\b(\w+)\(", re.MULTILINE)

_OPTION = re.compile(r"(?<![\w-])--[a-z]|\b(?:flag|switch|command[- ]line (?:option|argument)s?)\b", re.IGNORECASE)
_PARSES = re.compile(
    r"\badd_argument\(|\badd_option\(|@click\.(?:option|argument)|\btyper\.Option\(|\bgetopts?\b|\bparseArgs\("
)
_OPTIONS = 8
"""What it weighs that a block says which options there are, where the request is about one."""

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


def new_file(work: Work, path: str, shown: Sequence[str], failures: Sequence[Failure], *, problem: str = "") -> Task:
    """The task to write a file that was not there; `shown` are files that it may have to do with.

    `problem` is what is wrong with the last attempt, if it is to go on from that.
    """
    parts = [shown_file(one, work.texts[one]) for one in shown if one in work.texts]
    near = [one for one in work.order if not is_test(one) and one not in shown]
    parts += work.excerpts(near, work.profile.candidate_tokens, only_named=True)
    parts += _told_failures(work, failures)
    parts.append(cut(work.wish.text, _LONGEST_REQUEST))
    begun = BEGUN_NEW.format(path=path, language=language_of(path))
    stubs = list(signatures(work.wish.text, known_names(work)).values()) if path.endswith(".py") else []
    if stubs:
        body = "\n\n".join(f"def {one}:\n    ..." for one in stubs)
        parts.append(f"{STUB}\n\n{shown_file(path, body)}")
    if problem and path in work.texts:
        parts += [f"{ATTEMPT}\n\n{shown_file(path, work.texts[path])}"]
    if problem:
        parts.append(problem)
    text = "\n\n".join([*parts, NEW.format(path=path)])
    return Task(path=path, text=text, begun=begun, most=_MOST_NEW)


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
    blocks = _focus(work, path, text, failures, narrow=narrow)
    shown = shown_file(path, text, blocks, with_gaps=not narrow).partition("\n")[2]
    parts = [(PART if blocks else REWRITE).format(path=path, shown=shown)]
    parts.append(NOT_YET.format(request=cut(work.wish.text, _LONGEST_REQUEST)))
    parts += [problem] if problem else _told_failures(work, failures)
    parts.append(THINK if aloud else HOW)
    begun = BEGUN.format(path=path, language=language_of(path))
    return Task(path=path, text="\n\n".join(parts), begun=begun, most=_MOST_SAID + 2 * tokens(shown))


def known_names(work: Work) -> set[str]:
    """What the files that were read define."""
    return {block.name.rpartition(".")[2] for path, text in work.texts.items() for block in blocks_of(path, text)}


def _focus(work: Work, path: str, text: str, failures: Sequence[Failure], *, narrow: bool) -> list[Block] | None:
    """The blocks of a file that matter for a change; nothing where all of it is to be shown."""
    room = work.profile.focus_tokens if narrow else work.profile.candidate_tokens
    room = room if path.endswith(".py") else work.profile.whole_file_tokens
    lines = lines_of(text)
    blocks = blocks_of(path, text, longest=_SMALL_CLASS)
    if tokens(text) <= room and not (narrow and _is_about_one(work, blocks)):
        return None
    bodies = {f"{one.first}": "\n".join(lines[one.first - 1 : one.last]) for one in blocks}
    weights = weigh(work.wish, bodies)
    asked = {part for name in work.wish.symbols for part in name.split(".")}
    asked |= work.wish.spoken | set(re.findall(r"\w+", work.wish.text))
    blamed = {one for _, output in failures for found in _FRAME.findall(output) for one in found if one}
    heads = {one.name.partition(".")[0] for one in blocks if "." in one.name}
    scores = {one.first: _weight(one, weights[f"{one.first}"], asked, blamed, heads) for one in blocks}
    if _OPTION.search(work.wish.text):
        for one in blocks:
            scores[one.first] += _OPTIONS * bool(_PARSES.search(bodies[f"{one.first}"]))
    best = max(scores.values())
    if not best and tokens(text) <= work.profile.candidate_tokens:
        return None
    for one in [one for one in blocks if not one.name and scores[one.first] == best]:
        calls = [other for other in blocks if other.name and f"{other.name}(" in bodies[f"{one.first}"]]
        for other in calls:  # what is only put together here is done there
            scores[other.first] = max(scores[other.first], best)
        scores[one.first] = 0 if calls else best
    chosen: list[Block] = []
    for one in sorted(blocks, key=lambda one: -scores[one.first]):
        cost = tokens(bodies[f"{one.first}"])
        if not chosen or (cost <= room and scores[one.first] >= best * _NEARLY):
            chosen.append(one)
            room -= cost
    return _with_class(chosen, blocks, bodies)


def _is_about_one(work: Work, blocks: Sequence[Block]) -> bool:
    """Whether a request names just one of several functions of a file."""
    names = [one.name.rpartition(".")[2] for one in blocks if one.name]
    return len(names) > 1 and sum(name in work.wish.symbols for name in names) == 1


def _with_class(chosen: list[Block], blocks: Sequence[Block], bodies: Mapping[str, str]) -> list[Block]:
    """The chosen blocks; where one is the head of a class, with the class, or with how it begins if that is long."""
    more: list[Block] = []
    for one in chosen:
        own = [other for other in blocks if one.name and other.name.startswith(f"{one.name}.")]
        is_short = sum(tokens(bodies[f"{other.first}"]) for other in own) <= _WHOLE_CLASS
        more += own if is_short else [other for other in own if other.name.endswith(".__init__")]
    return [*chosen, *(one for one in more if one not in chosen)]


def _weight(block: Block, weight: float, asked: set[str], blamed: set[str], heads: set[str]) -> float:
    """How much a block has to do with a request; what stands between definitions, or heads a class, does little."""
    name = block.name.rpartition(".")[2]
    is_named = name in asked and (len(name) > _SHORT or "_" in name)
    does_little = not name or block.name in heads
    return weight * (0.5 if does_little else 1) + 6 * is_named + 3 * (name in blamed)


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
