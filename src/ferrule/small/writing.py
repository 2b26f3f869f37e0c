"""A file, written by a small model: it is asked a few times in several ways, and what it writes is put in place.

What it wrote is checked each time; where nothing passes, the best one stays.
"""

from collections.abc import Generator, Sequence
from typing import Any

import msgspec

from ferrule.core.messages import Value
from ferrule.small.checking import Ran, counted_run, run
from ferrule.small.checks.check import Check, blamed_lines, fell_in
from ferrule.small.checks.pasted import untold
from ferrule.small.code.blocks import changed_alone, has_gaps, is_stub, skeleton
from ferrule.small.doubt import mend_doubted
from ferrule.small.mending import mend, mend_a_slip, restore
from ferrule.small.mends.faults import fault
from ferrule.small.moves import Move, Say, hear
from ferrule.small.prompts import CHANGE, tokens
from ferrule.small.taking import NOTHING, REWRITTEN, is_for_people, take
from ferrule.small.task import Failure, afresh, alike, new_file, rewriting
from ferrule.small.watching import is_another, look, most_pass, watch_command
from ferrule.small.words.rank import is_test, named
from ferrule.small.work import Work

_BEFORE_SLIPS, _BEFORE_OWN_SLIPS = 1, 2
"""So many times the model is asked before a failing check is taken for a slip of the pen: of others, or of its own."""
_ALL = 10_000
"""More than can be wrong."""
_SURE, _MOST_WRITTEN = 6, 2_000
"""So many times it is asked in any case, and more often only where that helps and what it wrote is short: in tokens."""
_SHORT = 100
"""Lines of a file that may be written anew for a gap in it."""
_BROKE = "What fails is right now, but most of what passed comes to something else."
_UNSEEN = "Some of it is right now. These tests fail as well, with what it gives and what it should:\n{}"
_MOST_UNSEEN = 4
_UNTRIED = "What is asserted there was not shown, so these were not tried: {}."
_DOUBTED = -3.0
"""How likely another line must be to the model, in logarithms, to be better than what it would write at last."""


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
    is_untold: bool = False
    """Whether it sees nothing of the tests: some of them draw a small model away from what was asked for."""


_ATTEMPTS = (
    _Attempt(warmth=0.0, is_begun=True, is_narrow=True),
    _Attempt(warmth=0.3, is_begun=True),
    _Attempt(warmth=0.6, is_narrow=True, is_anew=True),
    _Attempt(warmth=0.8, is_begun=True, is_narrow=True, is_anew=True),
    _Attempt(warmth=0.8, is_anew=True),
)
_AFRESH = (
    _ATTEMPTS[0],
    _Attempt(warmth=0.6, is_begun=True, is_afresh=True, is_untold=True),
    _Attempt(warmth=0.2, is_begun=True, is_afresh=True),
    _Attempt(warmth=0.8, is_begun=True, is_afresh=True, is_untold=True),
    _Attempt(warmth=0.7, is_begun=True, is_afresh=True),
    _Attempt(warmth=0.3, is_begun=True),
    _Attempt(warmth=0.8, is_begun=True, is_afresh=True, is_untold=True),
    _Attempt(warmth=0.8, is_begun=True, is_afresh=True),
    _Attempt(warmth=0.5),
    _Attempt(warmth=0.9, is_begun=True, is_afresh=True, is_untold=True),
    _Attempt(warmth=0.9, is_begun=True, is_afresh=True),
    _Attempt(warmth=0.8, is_begun=True),
)
"""The same for what was written for an earlier request or has no more than names, where a check can choose."""


def write(
    work: Work, path: str, failures: Sequence[Failure], checks: Sequence[Check], *, is_guess: bool = False
) -> Generator[Move, Any, str]:
    """Let the model write a file until the checks pass, a few times at most; gives what is still wrong.

    Each time it sees one short message. First its answer is begun for it, which is quick; then it may think aloud about
    what failed; then it starts anew from what there was, more freely. Where it `is_guess` that this is the file, slips
    are tried in it, and it is asked once.
    """
    is_afresh = not is_guess and _is_afresh(work, path, failures)
    attempts = _ATTEMPTS[:1] if is_guess else _AFRESH if is_afresh else _ATTEMPTS[: work.profile.tries]
    work.elsewhere = ""
    left = yield from mend(work, path, failures, checks)
    if left is None:
        return ""
    may_slip = path in work.texts and not is_guess and not is_afresh and not work.refused
    if may_slip and (yield from mend_doubted(work, path, left, checks)):
        return ""
    writing = _Writing(work, path, left, checks, is_afresh=is_afresh, is_guess=is_guess)
    return (yield from writing.write(attempts))


class _Best(Value, frozen=True, kw_only=True):
    """The best of what was written, though it does not pass."""

    text: str
    ran: Ran
    """What is wrong with it."""


class _Writing:
    """One file on the way to what is wanted."""

    def __init__(
        self,
        work: Work,
        path: str,
        failures: Sequence[Failure],
        checks: Sequence[Check],
        *,
        is_afresh: bool,
        is_guess: bool,
    ) -> None:
        self._work, self._path, self._failures, self._checks = work, path, failures, checks
        self._original = work.texts.get(path)
        self._is_afresh, self._is_guess = is_afresh, is_guess
        self._names = _names_of(work, path) if is_afresh else ""
        """What it is written from where it is written from nothing."""
        self._problem = ""
        self._best: _Best | None = None
        self._last: _Best | None = None
        """What was written last, where it does not pass."""
        self._slipped: set[str] = set()
        """What was looked at for slips of the pen."""
        self._whole: str | None = None
        """What passes, where something is missing in it all the same."""
        self._watched: tuple[str, list[str]] = "", []
        """The command that tells what passes, and what it told of what was there: pasted output does not show that."""
        self._was_sent_back = False
        """Whether the model was told once that it wrote everything anew."""
        self._first = 0
        """How much was wrong with what was written first."""
        self._length = 0
        """How many tokens were written, all in all."""
        self._least: dict[bool, int] = {}
        """How little was wrong at least with what was written from nothing: with no look at the tests, and with one."""

    def write(self, attempts: Sequence[_Attempt]) -> Generator[Move, Any, str]:
        """Ask until nothing is wrong; gives what is, where that does not help."""
        work, path = self._work, self._path
        if self._is_afresh and self._checks and not is_stub(path, self._original or ""):
            yield from self._judge()
            if not self._problem:
                return ""
            yield from self._watch()
        for number, attempt in enumerate(attempts):
            if number >= _SURE and (self._length > _MOST_WRITTEN or not self._gets_better()):
                break
            if self._is_time_for_slips(number) and (yield from self._mend_slips()) and self._is_done():
                return ""
            yield from self._ask(self._as_it_went_better(attempt))
            if (
                work.refused
                or work.elsewhere
                or self._is_nearly_right()
                or (self._problem == NOTHING and self._knows_better())
            ):
                break
            if self._whole is not None and self._problem:  # it was better before
                yield from restore(work, path, self._whole)
                return ""
            if not self._problem and self._is_done():
                return ""
        if self._whole is not None:
            return ""
        if self._problem and not work.refused and self._best:
            is_new = self._is_time_for_slips(0) if self._is_afresh else len(attempts) <= _BEFORE_OWN_SLIPS
            if is_new and (yield from self._mend_slips()):
                return ""
            yield from restore(work, path, self._best.text)
            self._problem = self._best.ran.problem
        return self._problem

    def _ask(self, attempt: _Attempt) -> Generator[Move, Any, None]:
        """Ask once, and look what the checks say of it."""
        work, path, best = self._work, self._path, self._best
        if best and not attempt.is_anew and not attempt.is_afresh:  # it goes on from there
            yield from restore(work, path, best.text)
            self._problem = best.ran.problem
        problem, length = yield from _ask(
            work,
            path,
            attempt,
            self._failures,
            original=self._original,
            problem=self._problem,
            names=self._names,
            sparing=not self._failures and not self._was_sent_back,
        )
        self._was_sent_back |= problem == REWRITTEN
        self._problem, self._length = problem, self._length + length
        wrong = _ALL
        if not problem and self._checks:
            wrong = yield from self._judge()
            if not self._problem and (yield from self._breaks()):
                self._problem, wrong = _BROKE, _ALL
            if not self._problem and self._failures and not self._is_afresh:
                yield from self._take_back()
        if attempt.is_afresh:
            self._least[attempt.is_untold] = min(wrong, self._least.get(attempt.is_untold, _ALL))

    def _take_back(self) -> Generator[Move, Any, None]:
        """Take back what was not needed, where several functions were changed and one of them is enough.

        What the request names stays, unless an error came from another one.
        """
        work, path, passing = self._work, self._path, self._work.texts[self._path]
        alone = changed_alone(path, self._original or "", passing)
        fallen = {fell_in(output, path) for _, output in self._failures}
        for name, text in alone.items():
            asked = {one.rpartition(".")[2] for one in alone if one != name} & {*work.wish.symbols}
            if asked and name.rpartition(".")[2] not in fallen:
                continue
            yield from restore(work, path, text)
            if work.refused or not (yield from run(self._checks)):
                return
        yield from restore(work, path, passing)

    def _watch(self) -> Generator[Move, Any, None]:
        """Take note of what passes, where most does."""
        work, path = self._work, self._path
        if most_pass(work) and (command := watch_command(work, path, work.texts[path], self._checks)[0]):
            self._watched = command, (yield from look(command))

    def _breaks(self) -> Generator[Move, Any, bool]:
        """Whether what was written does most of what passed otherwise."""
        command, before = self._watched
        return bool(before) and is_another(before, (yield from look(command)))

    def _gets_better(self) -> bool:
        """Whether less is wrong than was at first: else more of the same is not worth the time."""
        return self._best is not None and self._best.ran.count < self._first

    def _as_it_went_better(self, attempt: _Attempt) -> _Attempt:
        """An attempt from nothing as those before went better: without a look at the tests, or with one."""
        without, with_one = self._least.get(True), self._least.get(False)
        if not attempt.is_afresh or without is None or with_one is None or without == with_one:
            return attempt
        return msgspec.structs.replace(attempt, is_untold=without < with_one)

    def _judge(self) -> Generator[Move, Any, int]:
        """Look what the checks say of what is there now; gives how much is wrong."""
        ran = yield from counted_run(self._checks)
        self._problem, text = ran.problem, self._work.texts.get(self._path)
        self._first = self._first if self._best else ran.count
        if self._problem and text is not None:
            self._last = _Best(text=text, ran=ran)
            if self._best is None or ran.count < self._best.ran.count:
                self._best = self._last
        return ran.count

    def _is_done(self) -> bool:
        """Whether nothing is missing in what passes; else it is asked for once more, with that."""
        work, path = self._work, self._path
        others = [text for other, text in work.texts.items() if other != path]
        told = [one.request for one in work.earlier]
        work.said = fault(path, self._original, work.texts.get(path, ""), work.wish, others, told=told)
        unseen = untold(work.wish.text)[:_MOST_UNSEEN] if self._is_unseen() else []
        is_asked = self._whole is not None or not (work.said or unseen)
        if not is_asked:
            self._problem = work.said or _UNSEEN.format("\n".join(unseen))
            self._whole, self._best = work.texts[path], None
        if unseen:
            work.said = f"{work.said} {_UNTRIED.format(', '.join(one.partition(':')[0] for one in unseen))}".lstrip()
        return is_asked

    def _is_unseen(self) -> bool:
        """Whether something passes that is but a part of what the person has seen: no file of tests is there to run."""
        return bool(self._checks) and not any(one.path for one in self._checks)

    def _knows_better(self) -> bool:
        """Whether the model doubts a line enough that asking again what it did not change is not worth the time."""
        return self._work.doubted is not None and self._work.doubted[0] > _DOUBTED

    def _is_nearly_right(self) -> bool:
        """Whether more of new tests hold than not: those that do not are put right without the model."""
        is_new = any(one.is_new and one.path == self._path for one in self._checks)
        wrong = [number for path, number in blamed_lines(self._problem) if path.endswith(self._path)]
        return bool(is_new and self._best and wrong and -self._best.ran.count >= len(set(wrong)))

    def _is_time_for_slips(self, number: int) -> bool:
        """Whether slips are looked for before the model is asked again: in all that it wrote itself, else once."""
        if self._is_afresh:
            return self._last is not None and self._last.text not in self._slipped
        if self._is_guess and self._original is not None:
            return number == 0
        return number == (_BEFORE_SLIPS if self._original is not None else _BEFORE_OWN_SLIPS)

    def _mend_slips(self) -> Generator[Move, Any, bool]:
        """Try whether slips of the pen are all that is wrong; what is better for it is gone on from."""
        was = None if self._is_afresh else self._original
        written = self._last if self._is_afresh else self._best
        if written:
            self._slipped.add(written.text)
        failures = written.ran.failures if written and was is None else self._failures
        text = written.text if written else None
        is_mended = yield from mend_a_slip(self._work, self._path, failures, self._checks, was=was, written=text)
        if is_mended and (yield from self._breaks()):
            self._problem = _BROKE
            return False
        if not is_mended and self._is_afresh and written and self._work.texts.get(self._path) != written.text:
            yield from self._judge()
            self._slipped.add(self._work.texts.get(self._path, ""))
        return is_mended


def _is_afresh(work: Work, path: str, failures: Sequence[Failure]) -> bool:
    """Whether a file may be written from nothing but its names, and something can tell whether that is better."""
    return bool(failures and path.endswith(".py") and _names_of(work, path))


def _names_of(work: Work, path: str) -> str:
    """A file as the person gave it where something in it was to be filled in, or the names of one that is all ours."""
    before, now = work.before(path), work.texts.get(path, "")
    if not before:
        return "" if before is None else skeleton(now)
    is_filled = before != now and has_gaps(path, before) and before.count("\n") <= _SHORT
    return before if is_stub(path, before) or is_filled else ""


def _ask(
    work: Work,
    path: str,
    attempt: _Attempt,
    failures: Sequence[Failure],
    *,
    original: str | None,
    problem: str,
    names: str,
    sparing: bool,
) -> Generator[Move, Any, tuple[str, int]]:
    """Let the model write a file once, and put it in place; gives what is wrong with it, and how long it is."""
    base, told = (original, "") if attempt.is_anew else (work.texts.get(path), problem)
    told = "" if told == NOTHING else told
    if attempt.is_afresh:
        base = names
        task = afresh(work, path, base, () if attempt.is_untold else failures)
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
            one_file=not is_for_people(task.path, original),
            most=task.most,
            shown="thinking",
        )
    )
    wrong = yield from take(work, task, answer, base if original is not None else None, sparing=sparing)
    return wrong, tokens(answer.text)
