"""What a small model wrote, put in place: made to fit, and refused with words for the model where it cannot work."""

import difflib
import re
from collections.abc import Generator, Iterable
from typing import Any

from ferrule.small.checks.check import imported
from ferrule.small.code.blocks import is_stub, lines_of
from ferrule.small.code.members import made_up, with_gets
from ferrule.small.code.merge import merged
from ferrule.small.code.names import (
    defines,
    imports_in_vain,
    made_anew,
    out_of_reach,
    promised,
    unknown_names,
    used_too_early,
    with_imports,
)
from ferrule.small.code.place import call_for
from ferrule.small.code.registered import with_registered
from ferrule.small.code.splice import UnusableError
from ferrule.small.mends.added import others_kept, with_exported
from ferrule.small.mends.filled import misfit, with_lifted
from ferrule.small.mends.finish import (
    with_dots,
    with_exports,
    with_factories,
    with_formatted,
    with_listed,
    with_parentheses,
    with_tabs,
    without_blanks,
    without_trials,
)
from ferrule.small.mends.lost import without_lost_imports
from ferrule.small.mends.owned import with_owned, with_unhidden
from ferrule.small.mends.shared import with_shared
from ferrule.small.mends.tables import with_said_values
from ferrule.small.moves import Answer, Move, use
from ferrule.small.task import Task, known_names
from ferrule.small.words.rank import is_test
from ferrule.small.words.reply import Written, prose_of, read_reply
from ferrule.small.words.tabled import said_tables
from ferrule.small.work import Work

_FREE_FORM = (".js", ".mjs", ".ts", ".c", ".cpp", ".java", ".rs", ".json", ".css")
"""Where other blanks change nothing."""
_STARTS = re.compile(r"__name__ ==|\bsys\.argv\b|\bprocess\.argv\b|^#!", re.MULTILINE)
"""Said in a file that is run."""
_REWRITES = re.compile(
    r"\b(?:rewrit|refactor|simplif|clean|renam|replac|convert|remov|delet|drop|split|mov|extract|translat)",
    re.IGNORECASE,
)
"""Said where many lines may have to change."""
_MOST_LOST, _LONGEST = 6, 2_000
NOTHING = "Nothing changed: this is the code as it was. Make the change that was asked for."
REWRITTEN = "Keep the lines as they are, but for the one or two that have to change."
_NO_FILE = "There is no code in that answer. Write the code in a fenced block."
_UNFINISHED = "The answer was cut off. Write less: only what changes."


def take(
    work: Work, task: Task, answer: Answer, base: str | None, *, sparing: bool = False
) -> Generator[Move, Any, str]:
    """Put what the model wrote in place; gives what is wrong with it, in words for the model.

    A `sparing` one takes no text that keeps little of what there was.
    """
    reply = read_reply(answer.text)
    written = [one for one in reply.written if not one.is_shell or task.path.endswith((".sh", ".bash"))]
    if is_for_people(task.path, base):
        written = [Written(text=prose_of(answer.text), closed=not answer.is_cut)]
    if not written:
        return _NO_FILE
    if answer.is_cut and not written[0].closed:
        return _UNFINISHED
    try:
        if is_for_people(task.path, base):
            _must_name(work, task.path, written[0].text)
        said = with_dots(with_parentheses(written[0].text)) if task.path.endswith(".py") else written[0].text
        text = without_trials(task.path, said, work.wish, base or "")
        text = merged(task.path, base, text, words_count=work.wish.about_words)
        text = with_tabs(task.path, with_listed(task.path, text, work.wish))
        if base is None:
            text = with_exports(task.path, text, work.texts.values())
        else:
            text = others_kept(task.path, work.original.get(task.path, base), text, work.wish)
            text = with_exported(base, text) if task.path.endswith(".js") else text
        if task.path.endswith(".py"):
            if wrong := _meant_elsewhere(work, task.path, base or "", text):
                return wrong
            text = _of_python(work, task.path, base, text)
    except UnusableError as error:
        return str(error)
    there = work.texts.get(task.path)
    if text == base or (base and _is_the_same(work, task.path, base, text)):
        return "" if work.changed and there == base else NOTHING
    if sparing and base and not _REWRITES.search(work.wish.text) and _lost(base, text) >= _MOST_LOST:
        return REWRITTEN
    if text != there:
        (result,) = yield from use(call_for(task.path, there, text))
        if result.is_error:  # whoever said no will not be asked again, and nothing that it writes mends a disk
            work.refused = result.text
            return result.text
    work.texts[task.path] = text
    work.changed.append(task.path)
    return ""


def _lost(base: str, text: str) -> int:
    """How many lines of a file are not kept in its new text."""
    before, now = lines_of(base), lines_of(text)
    if max(len(before), len(now)) > _LONGEST:
        return 0
    blocks = difflib.SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks()
    kept = sum(bool(line.strip()) for one in blocks for line in before[one.a : one.a + one.size])
    return sum(bool(line.strip()) for line in before) - kept


def _is_the_same(work: Work, path: str, base: str, text: str) -> bool:
    """Whether a text does no more than the file did: blanks are others, or it imports what it does not use."""
    if path.endswith(_FREE_FORM):
        return text.split() == base.split()
    is_about_names = path.endswith("__init__.py") or "import" in work.wish.spoken
    return path.endswith(".py") and not is_about_names and imports_in_vain(base, text)


def _meant_elsewhere(work: Work, path: str, base: str, text: str) -> str:
    """Take note of the file where something stands that the model wrote anew beside its import; gives what is wrong."""
    module, name = made_anew(base, text)
    homes = imported(path, f"from {module} import {name}", work.paths) if module else []
    if not homes:
        return ""
    work.elsewhere = homes[0]
    return f"{name} is imported from {homes[0]}: it has to change there."


def _of_python(work: Work, path: str, base: str | None, text: str) -> str:
    """Python that a model wrote, with what can be told put right.

    Raises:
        UnusableError: it cannot work as it is.
    """
    before = base or ""
    if base is not None and is_stub(path, base):
        text = with_lifted(base, text)
        _must_fit(base, text)
    text = with_formatted(before, without_blanks(before, text))
    requests = [work.wish.text, *(one.request for one in work.earlier)]
    text = with_said_values(text, before, [table for one in requests for table in said_tables(one)])
    for put_right in (with_owned, with_unhidden, with_shared):
        text = put_right(text) if put_right(before) == before else text
    text = without_lost_imports(path, text, work.paths)
    text = with_imports(path, with_factories(text), work.texts)
    if base is not None:
        text = with_registered(base, text)
    others = [one for other, one in work.texts.items() if other != path]
    text = with_gets(before, text, others)
    _must_know(before, text)
    _must_be_able(before, text, others)
    _must_load(before, text)
    if base is None and is_test(path):
        _must_test(path, text)
    elif base is None:
        _must_define(work, path, text)
    return text


def is_for_people(path: str, base: str | None) -> bool:
    """Whether a file is a new text for people: what a model says is the file then."""
    return base is None and path.endswith((".md", ".rst"))


def _must_name(work: Work, path: str, text: str) -> None:
    """Refuse a README that names no file which can be run, where there is one: nobody could use it."""
    starts = [one for one in work.texts if _STARTS.search(work.texts[one]) and not is_test(one)]
    names = [one.rpartition("/")[2] if "__main__" not in one else one.split("/")[0] for one in starts]
    if path.rpartition("/")[2].lower().startswith("readme") and names and not any(one in text for one in names):
        raise UnusableError(f"{path} must say how the program is run: name {names[0]} and what it is given.")


def _must_know(base: str, text: str) -> None:
    """Refuse names that are new in a file and that nobody defines: a small model makes them up."""
    if unknown := sorted(unknown_names(text) - unknown_names(base)):
        raise UnusableError(f"{' and '.join(unknown)} is not defined anywhere. Use the names that are there.")
    if missing := sorted(out_of_reach(text).items() - out_of_reach(base).items()):
        raise UnusableError(" ".join(f"{name} is not defined in {where}." for name, where in missing))


def _must_be_able(base: str, text: str, others: Iterable[str]) -> None:
    if wrong := made_up(base, text, others):
        raise UnusableError(wrong)


def _must_fit(base: str, text: str) -> None:
    if wrong := misfit(base, text):
        raise UnusableError(wrong)


def _must_load(base: str, text: str) -> None:
    if early := sorted(used_too_early(text) - used_too_early(base)):
        raise UnusableError(f"{' and '.join(early)} is used before it is defined.")


def _must_test(path: str, text: str) -> None:
    if not re.search(r"^\s*(?:async )?def test|\bassert\b", text, re.MULTILINE):
        raise UnusableError(f"There is no test in {path}. Write functions whose names begin with test_.")


def _must_define(work: Work, path: str, text: str) -> None:
    wanted = promised(work.wish.text, known_names(work))
    if missing := [name for name in wanted if not defines(text, name)]:
        raise UnusableError(f"{path} must define {' and '.join(missing)}.")
