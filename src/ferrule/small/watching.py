"""What passes is watched while code is changed: pasted output shows failing tests only, and others may break unseen."""

import re
from collections.abc import Generator, Sequence
from itertools import zip_longest
from typing import Any

from ferrule.small.checks.check import Check, printed
from ferrule.small.checks.examples import is_module, printing
from ferrule.small.checks.probes import probes
from ferrule.small.checks.stepped import stepping
from ferrule.small.code.blocks import blocks_of
from ferrule.small.moves import Move, use
from ferrule.small.work import Work

_QUOTED, _MOST_QUOTED = re.compile(r"\"([^\"\n]{1,60})\""), 4
_OUTCOMES = ("passed", "failed")
_PRINTS = "prints:"
_SECONDS = 20
_LEAST = 3
"""Lines that must be seen to say anything."""


def watch_command(work: Work, path: str, text: str, checks: Sequence[Check]) -> tuple[str, float]:
    """The command that prints what calls like those of checks come to, and how much of that may change.

    Where tests of the project say more, nothing is watched. Where pasted output says that most of the tests pass, or
    where things are only said to be equal, which is easily had by finding everything equal, at most half may change.
    """
    said = work.earlier[0].request if work.earlier else work.wish.text
    calls = probes([call for one in checks for call, _ in one.expects], _QUOTED.findall(said)[:_MOST_QUOTED])
    if any(one.path for one in checks) or not is_module(path):
        return "", 1.0
    homes = {block.name: path for block in blocks_of(path, text) if block.name}
    if len(calls) <= 1:
        steps = [stepping(one.source, homes) for one in checks if one.source]
        return next(iter(steps), ""), 0.5 if most_pass(work) else 1.0
    wanted = [" == " in call and should == "True" for one in checks for call, should in one.expects]
    return printing(calls, homes), 0.5 if most_pass(work) or 2 * sum(wanted) > len(wanted) else 1.0


def most_pass(work: Work) -> bool:
    """Whether pasted output says that more tests pass than fail."""
    passed, failed = (sum(map(int, re.findall(rf"\b(\d{{1,6}}) {one}", work.wish.text))) for one in _OUTCOMES)
    return passed > failed


def look(command: str) -> Generator[Move, Any, list[str]]:
    """What is watched, line by line; nothing where it cannot be told."""
    about = {"timeout": _SECONDS, "description": "See what similar calls come to, so that they stay as they are"}
    (result,) = yield from use(("bash", {"command": command, **about}))
    told, _, lines = printed(result.text).partition("\n")
    is_whole = told == _PRINTS and not re.search(r"^It ends with code", lines, re.MULTILINE)
    return lines.split("\n") if is_whole else []


def is_another(before: Sequence[str], now: Sequence[str]) -> bool:
    """Whether most of what was watched comes to something else; what went wrong before may well."""
    both = [(was, is_) for was, is_ in zip_longest(before, now, fillvalue="") if not was.startswith("raises ")]
    return len(both) >= _LEAST and 2 * sum(was != is_ for was, is_ in both) > len(both)
