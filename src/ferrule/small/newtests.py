"""Tests that were just written for code that is there: what does not hold goes, and what notices nothing gets more."""

import re
from collections.abc import Generator
from typing import Any

from ferrule.small.checking import run
from ferrule.small.checks.check import Check, blamed_lines, outcome
from ferrule.small.checks.examples import printing
from ferrule.small.code.blocks import blocks_of
from ferrule.small.code.drop import corrected, without_line
from ferrule.small.code.place import call_for
from ferrule.small.mending import restore
from ferrule.small.mends.noticing import mistakes, says_something, tried_calls, with_assertion
from ferrule.small.mends.slips import trial_command, which_works
from ferrule.small.moves import Move, use
from ferrule.small.words.rank import is_test
from ferrule.small.work import Work

_MOST_LEFT_OUT = 8
_LEFT_OUT = "Left out, because it does not hold:"
_PUT_RIGHT = "It expected something else first, so look whether this is right:"
_ADDED = "Added, because the others would notice no mistake:"
_SECONDS = 60


def leave_out(work: Work, check: Check, problem: str) -> Generator[Move, Any, str]:
    """Take those assertions out of new tests that do not hold; gives what is still wrong."""
    text, left_out, mended = work.texts[check.path], list[str](), list[str]()
    for _ in range(_MOST_LEFT_OUT):
        frames_here = [number for path, number in blamed_lines(problem) if path.endswith(check.path)]
        shorter = without_line(text, frames_here[-1]) if frames_here else None
        right = None
        if frames_here and (shorter is None or "(" not in shorter[1]):  # better than a test less
            right = corrected(text, frames_here[-1], problem)
        shorter = right or shorter
        if shorter is None or shorter[0] == text:
            return problem
        text = shorter[0]
        (mended if right else left_out).append(shorter[1])
        yield from restore(work, check.path, text)
        if work.refused:
            return problem
        problem = yield from run([check])
        if not re.search(r"^\s*(?:async )?def test|\bassert", text, re.MULTILINE):
            return problem or f"There is no test left in {check.path}."
        if not problem:
            said = [(_LEFT_OUT, left_out), (_PUT_RIGHT, mended)]
            work.said = " ".join(f"{why} {'; '.join(f'`{one}`' for one in lines)}." for why, lines in said if lines)
            break
    return problem


def strengthen(work: Work, check: Check) -> Generator[Move, Any, None]:
    """Add an assertion to new tests that would notice no mistake in a function which they are for.

    It expects what the function gives now, and that is said: nobody but a person knows what is right.
    """
    homes = {
        one.name: path
        for path, text in work.texts.items()
        for one in blocks_of(path, text)
        if one.name.isidentifier() and not is_test(path)
    }
    tests = work.texts[check.path]
    wanted = [name for name in homes if re.search(rf"\b{name}\b", work.wish.text) and f"{name}(" in tests]
    for name in wanted[:1]:
        if (yield from _notices(work, check, name, homes[name])):
            continue
        for call in tried_calls(tests, name, work.wish.text):
            (result,) = yield from use(("bash", {"command": printing([call], homes), "timeout": _SECONDS}))
            value = outcome(result.text).removeprefix("gives ")
            added = with_assertion(tests, name, call, value) if says_something(call, value) else None
            if added and outcome(result.text).startswith("gives "):
                (written,) = yield from use(call_for(check.path, tests, added[0]))
                if written.is_error:  # the tests are there without it
                    break
                work.texts[check.path] = added[0]
                if (yield from run([check])):
                    yield from restore(work, check.path, tests)
                else:
                    work.said = f"{work.said} {_ADDED} `{added[1]}`.".strip()
                break


def _notices(work: Work, check: Check, name: str, path: str) -> Generator[Move, Any, bool]:
    """Whether tests fail, in a copy of the project, where a function does nothing of what it should."""
    for mistake in mistakes(work.texts[path], name):
        command = trial_command(path, [(f"! {{ {check.command}; }}", [], [], [])], [mistake])
        tried = {"command": command, "description": f"Try whether the tests notice a mistake in {name}, in a copy"}
        (result,) = yield from use(("bash", {**tried, "timeout": _SECONDS}))
        if not which_works(result.text)[1]:
            return result.is_error
    return True
