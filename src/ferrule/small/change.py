"""A change, made with a small model: it writes one file at a time, what it writes is put in place and checked."""

from collections.abc import Generator, Sequence
from typing import Any

from ferrule.small.byhand import as_told_by, rename, renumber, say_otherwise
from ferrule.small.checking import counted_run, find_checks, first_run, run
from ferrule.small.checks.check import Check, blamed_lines
from ferrule.small.choosing import candidates_of, files_to_change, how_many_together, name_what_is_new, new_files
from ferrule.small.code.rename import renaming, rewording
from ferrule.small.doubt import rather_than_nothing
from ferrule.small.mending import put_back
from ferrule.small.moves import Done, Errand, Move
from ferrule.small.newtests import leave_out, strengthen
from ferrule.small.taking import NOTHING
from ferrule.small.task import Failure
from ferrule.small.words.rank import is_test, named
from ferrule.small.words.renumbered import renumbering
from ferrule.small.work import Work
from ferrule.small.writing import write

_UNSEEN = "{path} cannot be read whole, so it may not be replaced."


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
    number = None if new_files(work) or failures else renumbering(work.wish)
    if number and (yield from renumber(work, number)):
        return Done(_summary(work, checks, (yield from run(checks))))
    if not new_files(work) and (yield from as_told_by(work, checks)):
        return Done(_summary(work, checks, ""))
    work.original = dict(work.texts)
    together, problem = how_many_together(work, files), ""
    for at, path in enumerate(files):
        before = dict(work.texts)
        is_last = at + 1 >= together
        problem = yield from write(work, path, failures, checks if is_last else (), is_guess=at >= together)
        if work.refused or (is_last and not problem):
            break
        if (yield from _is_elsewhere(work, files[: at + 1])):
            files[at + 1 :], together = [work.elsewhere], at + 2
        is_another = at + 1 < len(files) or at >= together  # this one was not meant: it stays as it was
        if is_last and checks and is_another:
            yield from put_back(work, path, before)
    if work.doubted and not failures:
        problem = yield from rather_than_nothing(work, checks, problem)
    new = [one for one in checks if one.is_new]
    if problem and new and new[0].path in work.changed and not work.refused:
        if not blamed_lines(problem):  # the last answer was none; what was written before it is there
            problem = yield from run(new[:1])
        if problem:
            problem = yield from leave_out(work, new[0], problem)
    elif problem and checks and not work.refused and (yield from _is_worse(failures, checks)):
        for path in dict.fromkeys(work.changed):
            yield from put_back(work, path, work.original)
    tests = [one for one in new if is_test(one.path) and one.path in work.changed]
    if tests and not problem and not work.refused:
        yield from strengthen(work, tests[0])
    return Done(_summary(work, checks, problem))


def _is_worse(failures: Sequence[Failure], checks: Sequence[Check]) -> Generator[Move, Any, bool]:
    """Whether more is wrong than before: then it is better as it was."""
    if not failures:
        return True
    return (yield from counted_run(checks)).count > sum(check.count(output) for check, output in failures)


def _is_elsewhere(work: Work, done: Sequence[str]) -> Generator[Move, Any, bool]:
    """Whether what was written last shows that another file has to change, and that one is known then."""
    if not work.elsewhere or work.elsewhere in done:
        return False
    yield from work.read([work.elsewhere])
    return work.elsewhere in work.texts


def _summary(work: Work, checks: Sequence[Check], problem: str) -> str:
    """What was done, in a few words, without asking the model again."""
    files = list(dict.fromkeys(work.changed))
    what = f"Changed {', '.join(files)}." if files else "Nothing was changed."
    if work.refused:
        what += f" {work.refused.partition(' Do not ')[0]}"  # the rest is advice for a model
    elif problem == NOTHING and not files:
        what += " The model wrote the code as it was, and did not find what to change."
    elif problem and not files:
        what += f" What the model wrote does not work. {problem}"
    elif problem:
        what += f" It does not work yet. {problem}"
    elif checks and files:
        what += f" Checked: {' and '.join(one.told or f'`{one.command}`' for one in checks)}."
    return f"{what} {work.said}".rstrip()
