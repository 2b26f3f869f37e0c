"""What checks say is put right without asking the model where it can be: words, parameters, slips; or undone again."""

import re
from collections.abc import Generator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from ferrule.small.checking import first_run, run
from ferrule.small.checks.check import Check
from ferrule.small.checks.pasted import differing, failures_in, is_alike, reworded, with_words
from ferrule.small.code.blocks import has_gaps
from ferrule.small.code.parsed import literal
from ferrule.small.code.place import call_for
from ferrule.small.focus import focus
from ferrule.small.mends.afterwards import afterwards, powers
from ferrule.small.mends.collected import unwanted, with_lists
from ferrule.small.mends.misspelt import lonely, missing_names, respelt
from ferrule.small.mends.parameters import with_parameters
from ferrule.small.mends.possible import possible
from ferrule.small.mends.reshaped import for_nothing, reshaped, with_guards_apart
from ferrule.small.mends.returns import missing_returns, speaks_of_nothing
from ferrule.small.mends.scaled import scaled
from ferrule.small.mends.slips import Trial, one_of, trial_command, which_works
from ferrule.small.mends.tables import with_told_values
from ferrule.small.mends.worded import other_words
from ferrule.small.moves import Move, use
from ferrule.small.task import Failure
from ferrule.small.watching import most_pass, watch_command
from ferrule.small.words.rank import is_test
from ferrule.small.work import Work

_SECONDS = 60
_TIDIES = re.compile(
    r"\b(?:refactor\w*|(?:clean|tidy) (?:\w+ ){0,3}up|restructure|rewrite (?:this|the|that) code"
    r"|make (?:\S+ ){1,4}?(?:more readable|easier to read))\b",
    re.IGNORECASE,
)
_DATA, _MOST_DATA = (".json", ".csv", ".tsv", ".toml", ".yaml", ".yml"), 3


def settle(work: Work, path: str, text: str, checks: Sequence[Check]) -> Generator[Move, Any, bool]:
    """Give a file a text that needs no more asking, unless a check says otherwise; gives whether that is the end."""
    was = work.texts[path]
    yield from restore(work, path, text)
    if work.refused:  # whoever said no is not asked for another change
        return True
    if (yield from run([one for one in checks if not one.is_new])):
        yield from restore(work, path, was)
        return False
    work.changed.append(path)
    return True


def put_back(work: Work, path: str, before: dict[str, str]) -> Generator[Move, Any, None]:
    """Undo what was tried on a file."""
    if path in before and work.texts[path] != before[path]:
        yield from restore(work, path, before[path])
        work.changed = [one for one in work.changed if one != path]


def change_to(work: Work, path: str, text: str) -> Generator[Move, Any, bool]:
    """Give a file another text and take note of that; gives whether that was allowed."""
    yield from restore(work, path, text)
    if not work.refused:
        work.changed.append(path)
    return not work.refused


def restore(work: Work, path: str, text: str) -> Generator[Move, Any, None]:
    """Give a file the text that it had, or another that is only tried."""
    if work.texts[path] != text:
        (result,) = yield from use(call_for(path, work.texts[path], text))
        if result.is_error:
            work.refused = result.text
        else:
            work.texts[path] = text


def mend(
    work: Work, path: str, failures: Sequence[Failure], checks: Sequence[Check]
) -> Generator[Move, Any, Sequence[Failure] | None]:
    """Put right in a file what needs no model; gives what fails then, or nothing where that was all."""
    if (yield from _go_back(work, path, checks)):
        return None
    left = yield from _reword(work, path, failures, checks)
    if left is None:
        return None
    now = yield from _fit(work, path, left, checks)
    if work.refused or not checks or not left:
        return now
    is_mended = not now or (yield from _give_back(work, path, now, checks))
    is_mended = is_mended or (yield from _respell(work, path, now, checks))
    return None if is_mended else now


def _go_back(work: Work, path: str, checks: Sequence[Check]) -> Generator[Move, Any, bool]:
    """Undo what was to change nothing but the looks of a file, where that makes the checks pass."""
    tidied = [one for one in work.earlier if path in one.files]
    was = work.before(path) if tidied else None
    judged = [one for one in checks if not one.is_new]
    if not was or has_gaps(path, was) or not judged or not all(_TIDIES.search(one.request) for one in tidied):
        return False
    now = work.texts[path]
    yield from restore(work, path, was)
    if work.refused:
        return False
    if (yield from run(judged)):
        yield from restore(work, path, now)
        return False
    work.changed.append(path)
    work.said = f"{path} is as it was before: what was changed in it had broken it."
    return True


def _reword(
    work: Work, path: str, failures: Sequence[Failure], checks: Sequence[Check]
) -> Generator[Move, Any, Sequence[Failure] | None]:
    """Give texts in a file the words that failing tests want, where that helps.

    Gives what fails then, or nothing where that was all that was wrong.
    """
    text = work.texts.get(path, "")
    pairs = [(came, should) for check, output in failures for _, should, came in check.wrong(output) or ()]
    words = reworded([*(output for _, output in failures), work.wish.text], pairs, text)
    told = "\n".join(one.request for one in work.earlier)
    words = {was: wanted for was, wanted in words.items() if was not in told}  # that one is right somewhere else
    judged = [one for one in checks if not one.is_new]
    if not judged:  # then it must be plain that nothing but the words is wrong
        words = {was: wanted for was, wanted in words.items() if wanted in told or is_alike(was, wanted)}
    if not words or is_test(path):
        return failures
    if not (yield from change_to(work, path, with_words(text, words))):
        return failures
    now, _ = yield from first_run(judged)
    if _count(now) >= _count(failures) and judged:
        yield from restore(work, path, text)
        work.changed.remove(path)
        return failures
    explained = len(words) + sum(len(check.expects) for check in judged)
    return None if not now and failures_in(work.wish.text) <= explained else now


def _count(failures: Sequence[Failure]) -> int:
    return sum(check.count(output) for check, output in failures)


def _fit(
    work: Work, path: str, failures: Sequence[Failure], checks: Sequence[Check]
) -> Generator[Move, Any, Sequence[Failure]]:
    """Let functions take what tests give them; gives what fails then."""
    text = work.texts.get(path, "")
    fitting = with_parameters(text, [*(output for _, output in failures), work.wish.text])
    if fitting == text or is_test(path) or not path.endswith(".py"):
        return failures
    if not (yield from change_to(work, path, fitting)):
        return failures
    return (yield from first_run([one for one in checks if not one.is_new]))[0]


def _give_back(
    work: Work, path: str, failures: Sequence[Failure], checks: Sequence[Check]
) -> Generator[Move, Any, bool]:
    """Let a function give back what it computes, where failures are about a value that is not there and that helps."""
    text = work.texts.get(path, "")
    if not path.endswith(".py") or not speaks_of_nothing([*(output for _, output in failures), work.wish.text]):
        return False
    return (yield from try_out(work, path, failures, checks, text=text, trials=missing_returns(text)))


def _respell(work: Work, path: str, failures: Sequence[Failure], checks: Sequence[Check]) -> Generator[Move, Any, bool]:
    """Let a file use the name that is there for one that is not, where a failure speaks of that and that helps."""
    outputs = [output for _, output in failures]
    is_said, text = bool(missing_names(outputs)), work.texts.get(path, "")
    if is_said or lonely(path, text, {path: text}):
        yield from work.read([one for one in work.paths if one.endswith(_DATA)][:_MOST_DATA])
    trials = respelt(text, outputs, work.texts) if is_said else lonely(path, text, work.texts)
    return (yield from try_out(work, path, failures, checks, text=text, trials=trials, is_sure=is_said))


def mend_a_slip(
    work: Work,
    path: str,
    failures: Sequence[Failure],
    checks: Sequence[Check],
    *,
    was: str | None,
    written: str | None = None,
) -> Generator[Move, Any, bool]:
    """Try in a copy of the project whether one small thing put right makes the checks pass; then put it right here.

    `was` is the text in which it may be wrong, if it was there before, and `written` the best that the model made of
    it: of several things that it changed, one may be enough. In what is all the model's own, more than slips are tried.
    """
    text = written if was is None else was
    if text is None or not failures or not checks:
        return False
    is_own = was is None
    outputs = [output for _, output in failures]
    differ = differing(outputs) if is_own and path.endswith(".py") else []
    if len({one for one, _ in differ}) < len(set(differ)):  # one text for several cases
        text = with_guards_apart(text)
    pairs = _pairs(failures) if is_own and path.endswith(".py") else {}
    wrong = [one for check, output in failures for one in check.wrong(output) or ()]
    if is_own and path.endswith(".py"):
        better = with_told_values(with_lists(text, pairs), wrong)
        if better != text and (yield from _passes(work, path, better, checks)):
            return True
        text = better
    blocks = focus(work, path, text, outputs, narrow=False)
    trials = [*(one_of(was, written) if was and written else ()), *possible(path, text, blocks, outputs, work.texts)]
    if is_own and path.endswith(".py"):
        messages = [repr(one) for one in dict.fromkeys(each for both in differ for each in both)]
        more = reshaped(text, blocks, outputs, _said_values(work, checks), messages)
        said = [one for one in more if any(each in one.line for each in messages)]  # likely, and time is short
        told = [
            for_nothing(text, wrong),
            scaled(text, pairs),
            *(part(text, blocks, pairs) for part in (unwanted, afterwards, powers, other_words)),
        ]
        trials = list(dict.fromkeys([*said, *trials, *chain(*told), *more]))
    return (yield from try_out(work, path, failures, checks, text=text, trials=trials, is_own=is_own))


def _passes(work: Work, path: str, text: str, checks: Sequence[Check]) -> Generator[Move, Any, bool]:
    """Give a file another text, and see whether all is right with that."""
    return (yield from change_to(work, path, text)) and not (yield from run(checks))


def _pairs(failures: Sequence[Failure]) -> dict[str, list[tuple[Any, Any]]]:
    """What calls of functions came to, and what they should have come to, by their names."""
    pairs: dict[str, list[tuple[Any, Any]]] = {}
    for check, output in failures:
        for call, should, came in check.wrong(output) or ():
            with suppress(ValueError):
                pairs.setdefault(call.partition("(")[0], []).append((literal(came), literal(should)))
    return pairs


def _said_values(work: Work, checks: Sequence[Check]) -> list[str]:
    """The texts that calls should come to, as Python, where the person has said them: no value of a test alone."""
    said = work.earlier[0].request if work.earlier else work.wish.text
    wanted = [literal(should) for one in checks for _, should in one.expects if should[:1] in {"'", '"'}]
    return [repr(one) for one in dict.fromkeys(wanted) if one and one in said]


def has_judge(failures: Sequence[Failure]) -> bool:
    """Whether what fails says what is right, and not only that something ends badly."""
    return has_tests(failures) or any(one.expects or one.never for one, _ in failures)


def has_tests(failures: Sequence[Failure]) -> bool:
    """Whether tests are among what fails: they say more than an example or two."""
    return any(one.path or "test" in one.command for one, _ in failures)


def try_out(
    work: Work,
    path: str,
    failures: Sequence[Failure],
    checks: Sequence[Check],
    *,
    text: str,
    trials: Sequence[Trial],
    is_sure: bool = False,
    is_own: bool = False,
) -> Generator[Move, Any, bool]:
    """Take over what makes the checks pass in a copy; where that `is_sure`, an exit code is enough.

    What does not make all of them pass, but more than before, is taken over where the model wrote the file.
    """
    judges = [one for one in checks if not one.is_new]
    wanted = [(one.command, [should for _, should in one.expects], one.never, one.holds) for one in judges]
    is_judged = is_sure or has_judge(failures)
    watch = watch_command(work, path, text, judges)
    is_blind = is_own and most_pass(work) and not watch[0] and not any(one.path for one in judges)
    if not trials or not is_judged or is_test(path) or is_blind:  # what passes now would be lost unseen
        return False
    yield from restore(work, path, text)
    tried = {
        "command": trial_command(path, wanted, trials, watch=watch),
        "description": f"Try slips of the pen that {path} may have, in a copy of the project",
        "timeout": _SECONDS,
    }
    (result,) = yield from use(("bash", tried))
    found, is_all = which_works(result.text)
    if not found or not (is_all or is_own):
        return False
    lines = text.split("\n")
    for one in found:
        lines[trials[one].at] = trials[one].line
    return (yield from _passes(work, path, "\n".join(lines), checks))
