"""What is done to files without asking the model: names, numbers, slips, what is plainly said, and what is undone."""

import re
from collections.abc import Generator, Sequence
from typing import Any

from ferrule.small.checking import first_run, run
from ferrule.small.cited import weightiest
from ferrule.small.code.blocks import Block, blocks_of
from ferrule.small.code.place import call_for
from ferrule.small.code.rename import renamed, renamed_in_script
from ferrule.small.code.template import longest_words, said_otherwise
from ferrule.small.focus import focus
from ferrule.small.mends.misspelt import as_spoken, lonely, missing_names, respelt
from ferrule.small.mends.parameters import with_parameters
from ferrule.small.mends.possible import possible
from ferrule.small.mends.reshaped import reshaped
from ferrule.small.mends.returns import missing_returns, speaks_of_nothing
from ferrule.small.mends.slips import Trial, one_of, trial_command, which_works
from ferrule.small.mends.told import as_told, speaks_plainly
from ferrule.small.moves import Move, use
from ferrule.small.task import Failure
from ferrule.small.words.checks import Check
from ferrule.small.words.examples import is_module, printing
from ferrule.small.words.pasted import failures_in, is_alike, literal, reworded, times_in, with_words
from ferrule.small.words.probes import probes
from ferrule.small.words.rank import is_prose, is_test, named
from ferrule.small.words.renumbered import Renumbering, looked_for, renumbered
from ferrule.small.work import Work

_MOST_REWORDED = 4
_SECONDS = 60
_SCRIPTS = (".js", ".mjs", ".sh", ".bash")
_NUMBERED = (".py", ".js", ".mjs", ".ts", ".sh", ".json", ".toml", ".ini", ".cfg", ".yaml", ".yml")
_NOT_THERE = re.compile(r"\bNaN\b|\bundefined\b")
_MOST_NUMBERED, _MOST_TOLD = 12, 10
_QUOTED, _MOST_QUOTED = re.compile(r"\"([^\"\n]{1,60})\""), 4
_DATA, _MOST_DATA = (".json", ".csv", ".tsv", ".toml", ".yaml", ".yml"), 3


def rename(work: Work, old: str, new: str) -> Generator[Move, Any, bool]:
    """Change a name in all the files of code that have it; gives whether that could be done."""
    found = yield from use(("grep", {"pattern": rf"\b{old}\b", "head_limit": 0}))
    paths = [path for path in found[0].text.splitlines() if path.endswith((".py", *_SCRIPTS))]
    if any(path.endswith(".py") for path in paths):
        paths = [path for path in paths if path.endswith(".py")]
    yield from work.look_at(paths)
    yield from work.read(paths)
    texts = {path: _renamed(path, work.texts[path], old, new) for path in paths if path in work.texts}
    changed = {path: text for path, text in texts.items() if text is not None and text != work.texts[path]}
    if not changed or None in texts.values() or len(texts) < len(paths):
        return False
    results = yield from use(*(call_for(path, work.texts[path], text) for path, text in changed.items()))
    for (path, text), result in zip(changed.items(), results, strict=True):
        if result.is_error:
            work.refused = result.text
        else:
            work.texts[path] = text
            work.changed.append(path)
    return True


def _renamed(path: str, text: str, old: str, new: str) -> str | None:
    return renamed(text, old, new) if path.endswith(".py") else renamed_in_script(path, text, old, new)


def say_otherwise(work: Work, old: str, new: str) -> Generator[Move, Any, bool]:
    """Give a text in code other words, where it is plain which one is meant; tests that expect it follow.

    That is the only one that is nothing but this text, of those in the files that the request names, if it names any.
    Where the new text is there as well, which of them is said may be wrong, and not how.
    """
    found = yield from use(("grep", {"pattern": re.escape(old).replace("\\ ", " "), "head_limit": 0}))
    paths = [path for path in found[0].text.splitlines() if path in work.paths and not is_prose(path)]
    if len(paths) > _MOST_REWORDED:
        return False
    if not paths:
        return (yield from _say_computed(work, old, new))
    yield from work.read(paths)
    texts = {path: with_words(work.texts[path], {old: new}) for path in paths if path in work.texts}
    changed = {path: text for path, text in texts.items() if text != work.texts[path]}
    by_name = [path for path in named(work.wish, work.paths) if not is_test(path)]
    code = [path for path in changed if not is_test(path) and (not by_name or path in by_name)]
    if len(code) != 1 or times_in(work.texts[code[0]], old) != 1 or times_in(work.texts[code[0]], new):
        return False
    for path in [*code, *filter(is_test, changed)]:
        yield from restore(work, path, changed[path])
        if work.refused:
            break
        work.changed.append(path)
    return True


def _say_computed(work: Work, old: str, new: str) -> Generator[Move, Any, bool]:
    """The same for a text that is put together in the code, where just one can be meant."""
    found = yield from use(("grep", {"pattern": longest_words(old) or "$^", "head_limit": 0}))
    paths = [one for one in found[0].text.splitlines() if one in work.paths and one.endswith((".py", ".js", ".mjs"))]
    paths = [path for path in paths if not is_test(path)][:_MOST_REWORDED]
    yield from work.read(paths)
    texts = [(path, text) for path in paths for text in said_otherwise(work.texts.get(path, ""), old, new)]
    if len(texts) != 1:
        return False
    yield from restore(work, *texts[0])
    if not work.refused:
        work.changed.append(texts[0][0])
    return True


def renumber(work: Work, change: Renumbering) -> Generator[Move, Any, bool]:
    """Give a number in code another value, where it is plain which one is meant."""
    by_name = [path for path in named(work.wish, work.paths) if not is_test(path)]
    found = yield from use(("grep", {"pattern": looked_for(change), "head_limit": 0}))
    hit = [path for path in found[0].text.splitlines() if path in work.paths and not is_prose(path)]
    paths = [path for path in hit if not is_test(path) and path.endswith(_NUMBERED) and path in (by_name or hit)]
    if len(paths) > _MOST_NUMBERED:
        return False
    yield from work.read(paths)
    changed = renumbered(work.wish, change, {path: work.texts[path] for path in paths if path in work.texts})
    if changed is None:
        return False
    yield from restore(work, *changed)
    if not work.refused:
        work.changed.append(changed[0])
    return True


def as_told_by(work: Work, checks: Sequence[Check]) -> Generator[Move, Any, bool]:
    """Put right what the request plainly says of a function, unless a check says otherwise."""
    is_plain = speaks_plainly(work.wish.text) or _NOT_THERE.search(work.wish.text)
    if not is_plain and not work.wish.trouble:
        return False
    code = [one for one in work.paths if one.endswith((".py", *_SCRIPTS)) and not is_test(one)]
    if is_plain:
        yield from work.read([*(one for one in work.order if one in code), *code][:_MOST_TOLD])
    texts = {path: work.texts[path] for path in code if path in work.texts}
    found = as_told(work.wish.text, texts)
    if not found and _NOT_THERE.search(work.wish.text):
        spoken = {path: as_spoken(work.wish.text, path, text, texts) for path, text in texts.items()}
        whole = Block(first=1, last=1)
        found = [(path, whole, text) for path, text in spoken.items() if text != texts[path]]
    places = [(path, block) for path, block, _ in found]
    meant = places[0] if len(places) == 1 else weightiest(work, texts, places)
    right = next((text for path, block, text in found if (path, block) == meant), None)
    if meant is None or right is None:
        return False
    return (yield from settle(work, meant[0], right, checks))


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


def restore(work: Work, path: str, text: str) -> Generator[Move, Any, None]:
    """Give a file the text that it had, or another that is known to be better."""
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
    left = yield from _reword(work, path, failures, checks)
    if left is None:
        return None
    now = yield from _fit(work, path, left, checks)
    if work.refused or not checks or not left:
        return now
    is_mended = not now or (yield from _give_back(work, path, now, checks))
    is_mended = is_mended or (yield from _respell(work, path, now, checks))
    return None if is_mended else now


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
    yield from restore(work, path, with_words(text, words))
    if work.refused:
        return failures
    work.changed.append(path)
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
    yield from restore(work, path, fitting)
    if work.refused:
        return failures
    work.changed.append(path)
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
    problem: str = "",
) -> Generator[Move, Any, bool]:
    """Try in a copy of the project whether one small thing put right makes the checks pass; then put it right here.

    `was` is the text in which it may be wrong, if it was there before, and `written` the best that the model made of
    it: of several things that it changed, one may be enough. `problem` says what is wrong with what it made. In what
    is all the model's own, more than slips are tried.
    """
    text = written if was is None else was
    if text is None or not failures or not checks:
        return False
    outputs = [output for _, output in failures]
    blocks = focus(work, path, text, outputs, narrow=False)
    trials = [*(one_of(was, written) if was and written else ()), *possible(path, text, blocks, outputs, work.texts)]
    is_own = was is None
    if is_own and path.endswith(".py"):
        trials += reshaped(text, blocks, [problem, *outputs], _said_values(work, checks))
    return (yield from try_out(work, path, failures, checks, text=text, trials=trials, is_own=is_own))


def _said_values(work: Work, checks: Sequence[Check]) -> list[str]:
    """The texts that calls should come to, as Python, where the person has said them: no value of a test alone."""
    said = work.earlier[0].request if work.earlier else work.wish.text
    wanted = [literal(should) for one in checks for _, should in one.expects if should[:1] in {"'", '"'}]
    return [repr(one) for one in dict.fromkeys(wanted) if one and one in said]


def _watch(work: Work, path: str, text: str, checks: Sequence[Check]) -> str:
    """The command that prints what calls like those of checks come to, where no tests of the project say more."""
    if any(one.path for one in checks) or not path.endswith(".py"):
        return ""
    said = work.earlier[0].request if work.earlier else work.wish.text
    calls = probes([call for one in checks for call, _ in one.expects], _QUOTED.findall(said)[:_MOST_QUOTED])
    homes = {block.name: path for block in blocks_of(path, text) if block.name}
    return printing(calls, homes) if len(calls) > 1 and is_module(path) else ""


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
    if not trials or not is_judged or is_test(path):
        return False
    yield from restore(work, path, text)
    tried = {
        "command": trial_command(path, wanted, trials, watch=_watch(work, path, text, judges)),
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
    yield from restore(work, path, "\n".join(lines))
    work.changed.append(path)
    return not (yield from run(checks))
