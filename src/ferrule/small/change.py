"""A change, made with a small model: it writes one file at a time, what it writes is put in place and checked."""

import re
from collections.abc import Generator, Sequence
from typing import Any

from ferrule.core.messages import Value
from ferrule.small.byhand import leave_out, mend, mend_a_slip, put_back, rename, restore, say_otherwise
from ferrule.small.checking import counted_run, find_checks, first_run, run
from ferrule.small.choosing import candidates_of, files_to_change, how_many_together, name_what_is_new, new_files
from ferrule.small.code.blocks import is_stub, skeleton
from ferrule.small.code.merge import UnusableError, merged
from ferrule.small.code.names import defines, promised, unknown_names, used_too_early, with_imports
from ferrule.small.code.place import call_for
from ferrule.small.code.registered import with_registered
from ferrule.small.code.rename import renaming, rewording
from ferrule.small.mends.added import others_kept, with_exported
from ferrule.small.mends.faults import fault
from ferrule.small.mends.filled import misfit, with_lifted
from ferrule.small.mends.finish import (
    with_bare_counts,
    with_exports,
    with_factories,
    with_listed,
    with_tabs,
    without_blanks,
    without_trials,
)
from ferrule.small.moves import Answer, Done, Errand, Move, Say, hear, use
from ferrule.small.prompts import CHANGE
from ferrule.small.task import Failure, Task, afresh, alike, known_names, new_file, rewriting
from ferrule.small.words.checks import Check, blamed_lines
from ferrule.small.words.rank import is_test, named
from ferrule.small.words.reply import Written, prose_of, read_reply
from ferrule.small.work import Work

_BEFORE_SLIPS = 2
"""So many times the model is asked before a failing check is taken for a slip of the pen."""
_FREE_FORM = (".js", ".mjs", ".ts", ".c", ".cpp", ".java", ".rs", ".json", ".css")
"""Where other blanks change nothing."""
_NOTHING = "Nothing changed: this is the code as it was. Make the change that was asked for."
_NO_FILE = "There is no code in that answer. Write the code in a fenced block."
_UNFINISHED = "The answer was cut off. Write less: only what changes."
_UNSEEN = "{path} cannot be read whole, so it may not be replaced."


class _Attempt(Value, frozen=True, kw_only=True):
    """One way to ask for a file."""

    warmth: float
    """How freely the model picks its words."""
    is_begun: bool = False
    """Whether its answer is begun for it."""
    is_narrow: bool = False
    """Whether it sees no more than a function or two."""
    is_anew: bool = False
    """Whether it starts from what there was, not from what it wrote last."""
    is_afresh: bool = False
    """Whether it starts from nothing but the names: what it wrote for an earlier request may be all wrong."""


_ATTEMPTS = (
    _Attempt(warmth=0.0, is_begun=True, is_narrow=True),
    _Attempt(warmth=0.3, is_begun=True),
    _Attempt(warmth=0.6, is_narrow=True, is_anew=True),
    _Attempt(warmth=0.8, is_begun=True, is_narrow=True, is_anew=True),
    _Attempt(warmth=0.8, is_anew=True),
)
_AFRESH = (
    _ATTEMPTS[0],
    _Attempt(warmth=0.2, is_begun=True, is_afresh=True),
    _Attempt(warmth=0.3, is_begun=True),
    _Attempt(warmth=0.6, is_begun=True, is_afresh=True),
    _Attempt(warmth=0.5),
    _Attempt(warmth=0.8, is_begun=True, is_afresh=True),
    _Attempt(warmth=0.7, is_begun=True),
)
"""The same for what was written for an earlier request or has no more than names, where a check can choose."""


def change(work: Work) -> Errand:
    """Find out what has to change, let the model write it file by file, and check; another file where that was none."""
    yield from name_what_is_new(work)
    yield from work.look_at(new_files(work))  # what git ignores is not listed, and may be there all the same
    checks = yield from find_checks(work, candidates_of(work), new_files(work))
    failures, checks = yield from first_run(checks)
    files = yield from files_to_change(work, failures)
    if not files:
        unseen = [path for path in named(work.wish, work.paths) if path not in work.texts]
        return Done(f"Nothing was changed. {_UNSEEN.format(path=unseen[0])}" if unseen else "Which file is to change?")
    if (names := renaming(work.wish.text)) and (yield from rename(work, *names)):
        return Done(_summary(work, checks, (yield from run(checks))))
    if (words := rewording(work.wish.text)) and (yield from say_otherwise(work, *words)):
        return Done(_summary(work, checks, (yield from run(checks))))
    work.original = dict(work.texts)
    together, problem = how_many_together(work, files), ""
    for at, path in enumerate(files):
        before = dict(work.texts)
        is_last = at + 1 >= together
        attempts = _attempts(work, path, failures) if at < together else _ATTEMPTS[:1]
        problem = yield from _write(work, path, attempts, failures, checks if is_last else ())
        if work.refused or (is_last and not problem):
            break
        if is_last and checks and at + 1 < len(files):  # it was another file: this one stays as it was
            yield from put_back(work, path, before)
    new = [one for one in checks if one.is_new]
    if problem and new and new[0].path in work.changed and not work.refused:
        if not blamed_lines(problem):  # the last answer was none; what was written before it is there
            problem = yield from run(new[:1])
        if problem:
            problem = yield from leave_out(work, new[0], problem)
    elif problem and checks and not failures and not work.refused:  # better as it was than broken
        for path in dict.fromkeys(work.changed):
            yield from put_back(work, path, work.original)
    return Done(_summary(work, checks, problem))


def _attempts(work: Work, path: str, failures: Sequence[Failure]) -> Sequence[_Attempt]:
    """How the model is asked for a file, one time after the other."""
    text = work.texts.get(path, "")
    is_own = any(path in one.files for one in work.earlier) or is_stub(path, text)
    is_afresh = failures and is_own and path.endswith(".py") and skeleton(text)
    return _AFRESH if is_afresh else _ATTEMPTS[: work.profile.tries]


def _write(
    work: Work, path: str, attempts: Sequence[_Attempt], failures: Sequence[Failure], checks: Sequence[Check]
) -> Generator[Move, Any, str]:
    """Let the model write a file until the checks pass, a few times at most; gives what is still wrong.

    Each time it sees one short message. First its answer is begun for it, which is quick; then it may think aloud about
    what failed; then it starts anew from what there was, more freely. Where nothing passes, the best one stays.
    """
    left = yield from mend(work, path, failures, checks)
    if left is None:
        return ""
    original, failures = work.texts.get(path), left
    was = None if attempts is _AFRESH else original
    problem, flaw, whole = "", "", None
    best: tuple[int, str, str] | None = None
    for number, attempt in enumerate(attempts):
        written = best[1] if best else None
        is_time = number == _BEFORE_SLIPS
        if is_time and (yield from mend_a_slip(work, path, failures, checks, was=was, written=written)):
            return ""
        if best and not attempt.is_anew and not attempt.is_afresh:  # it goes on from there
            yield from restore(work, path, best[1])
            problem = best[2]
        problem = yield from _ask(work, path, attempt, failures, original=original, problem=problem)
        if not problem and checks:
            problem, count = yield from counted_run(checks)
            if problem and path in work.texts and (best is None or count < best[0]):
                best = count, work.texts[path], problem
        if work.refused:
            break
        if whole is not None and problem:  # it was better before
            yield from restore(work, path, whole)
            break
        if not problem:
            others = [text for other, text in work.texts.items() if other != path]
            told = [one.request for one in work.earlier]
            flaw = fault(path, original, work.texts.get(path, ""), work.wish, others, told=told)
            if not flaw or whole is not None:
                break
            whole, problem, best = work.texts[path], flaw, None  # once more, with what is missing
    is_open = problem and whole is None and not work.refused
    written = best[1] if best and len(attempts) <= _BEFORE_SLIPS else None
    if is_open and written and (yield from mend_a_slip(work, path, failures, checks, was=was, written=written)):
        return ""
    if is_open and best:
        yield from restore(work, path, best[1])
        problem = best[2]
    work.said = flaw
    return "" if whole is not None else problem


def _ask(
    work: Work, path: str, attempt: _Attempt, failures: Sequence[Failure], *, original: str | None, problem: str
) -> Generator[Move, Any, str]:
    """Let the model write a file once, and put it in place; gives what is wrong with it."""
    base, told = (original, "") if attempt.is_anew else (work.texts.get(path), problem)
    told = "" if told == _NOTHING else told
    if attempt.is_afresh:
        base = skeleton(original or "")
        task = afresh(work, path, base, failures)
    elif original is None:
        shown = [one for one in named(work.wish, work.paths) if not is_test(one)]
        shown = list(dict.fromkeys([*shown, *alike(work, path)]))
        task = new_file(work, path, shown, failures, problem=told, alone=attempt.is_anew)
    else:
        aloud, narrow = not attempt.is_begun, attempt.is_narrow
        task = rewriting(work, path, base or "", failures, problem=told, aloud=aloud, narrow=narrow)
    answer = yield from hear(
        Say(
            system=CHANGE,
            turns=(*(() if attempt.is_afresh else work.told), ("user", task.text)),
            warmth=attempt.warmth,
            begun=task.begun if attempt.is_begun and original is not None else "",
            one_file=not _is_for_people(task.path, original),
            most=task.most,
            shown="thinking",
        )
    )
    return (yield from _take(work, task, answer, base if original is not None else None))


def _take(work: Work, task: Task, answer: Answer, base: str | None) -> Generator[Move, Any, str]:
    """Put what the model wrote in place; gives what is wrong with it, in words for the model."""
    reply = read_reply(answer.text)
    written = [one for one in reply.written if not one.is_shell or task.path.endswith((".sh", ".bash"))]
    if _is_for_people(task.path, base):
        written = [Written(text=prose_of(answer.text), closed=not answer.is_cut)]
    if not written:
        return _NO_FILE
    if answer.is_cut and not written[0].closed:
        return _UNFINISHED
    try:
        text = without_trials(task.path, written[0].text, work.wish, base or "")
        text = merged(task.path, base, text, words_count=work.wish.about_words)
        text = with_tabs(task.path, with_listed(task.path, with_bare_counts(task.path, text), work.wish))
        if base is None:
            text = with_exports(task.path, text, work.texts.values())
        else:
            text = others_kept(task.path, work.original.get(task.path, base), text, work.wish)
            text = with_exported(base, text) if task.path.endswith(".js") else text
        if task.path.endswith(".py"):
            if base is not None and is_stub(task.path, base):
                text = with_lifted(base, text)
                _must_fit(base, text)
            text = with_imports(task.path, with_factories(without_blanks(base or "", text)), work.texts)
            if base is not None:
                text = with_registered(base, text)
            _must_know(base or "", text)
            _must_load(base or "", text)
            if base is None and is_test(task.path):
                _must_test(task.path, text)
            elif base is None:
                _must_define(work, task.path, text)
    except UnusableError as error:
        return str(error)
    there = work.texts.get(task.path)
    if text == base or (base and task.path.endswith(_FREE_FORM) and text.split() == base.split()):
        return "" if work.changed and there == base else _NOTHING
    if text != there:
        (result,) = yield from use(call_for(task.path, there, text))
        if result.is_error:  # whoever said no will not be asked again, and nothing that it writes mends a disk
            work.refused = result.text
            return result.text
    work.texts[task.path] = text
    work.changed.append(task.path)
    return ""


def _is_for_people(path: str, base: str | None) -> bool:
    """Whether a file is a new text for people: what a model says is the file then."""
    return base is None and path.endswith((".md", ".rst"))


def _must_know(base: str, text: str) -> None:
    """Refuse names that are new in a file and that nobody defines: a small model makes them up."""
    if unknown := sorted(unknown_names(text) - unknown_names(base)):
        raise UnusableError(f"{' and '.join(unknown)} is not defined anywhere. Use the names that are there.")


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


def _summary(work: Work, checks: Sequence[Check], problem: str) -> str:
    """What was done, in a few words, without asking the model again."""
    files = list(dict.fromkeys(work.changed))
    what = f"Changed {', '.join(files)}." if files else "Nothing was changed."
    if work.refused:
        what += f" {work.refused.partition(' Do not ')[0]}"  # the rest is advice for a model
    elif problem and not files:
        what += f" What the model wrote does not work. {problem}"
    elif problem:
        what += f" It does not work yet. {problem}"
    elif checks and files:
        what += f" Checked: {' and '.join(one.told or f'`{one.command}`' for one in checks)}."
    return f"{what} {work.said}".rstrip()
