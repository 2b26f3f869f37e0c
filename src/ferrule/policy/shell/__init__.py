"""What a command line really runs: every simple command in it, with its words, redirects and directory."""

import os

from ferrule.core.messages import Value
from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Simple
from ferrule.policy.shell.lines import NotUnderstoodError
from ferrule.policy.shell.reader import read
from ferrule.policy.shell.run import Know, Remark, Runner
from ferrule.policy.shell.scope import Scope

__all__ = ["Know", "Parsed", "Remark", "parse"]

_LONGEST = 100_000
_BOMB = lazy(r"(\S{1,20})\(\)\s{0,9}\{\s{0,9}\1\s{0,9}\|\s{0,9}\1\s{0,9}&")
_STRANGE = lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control characters, and those that are not seen or change the order of what is seen."""


class Parsed(Value, frozen=True, kw_only=True):
    """What was found in a line."""

    parts: tuple[Simple, ...] = ()
    """Every command that it could run, those inside wrappers after their wrappers."""
    knowledge: tuple[Knowledge, ...] = ()
    """What is known of each part."""
    opaque: tuple[str, ...] = ()
    """Why something in it cannot be understood."""
    remarks: tuple[Remark, ...] = ()
    """What the line does as a whole: a fork bomb, a download into a shell."""


def parse(command: str, directory: str, *, know: Know, home: str | None = None) -> Parsed:
    """Find every simple command that a line could run. It runs nothing."""
    runner = Runner(know, home=_home() if home is None else home)
    scope = Scope(directories=(directory,), variables={}, functions={}, arguments=())
    try:
        runner.whole(read(_seen(command)), scope)
    except NotUnderstoodError as reason:
        runner.doubt(str(reason))
        if _BOMB.search(command, 0, 2000):
            runner.remark("catastrophe", "it looks like a fork bomb")
    except RecursionError:
        runner.doubt("it is nested too deeply")
    return Parsed(
        parts=tuple(runner.parts),
        knowledge=tuple(runner.parts.values()),
        opaque=tuple(runner.opaque),
        remarks=tuple(runner.remarks),
    )


def _seen(command: str) -> str:
    """The command, if a person could see all of it."""
    if len(command) > _LONGEST:
        raise NotUnderstoodError("it is too long")
    if strange := _STRANGE.search(command):
        raise NotUnderstoodError(f"it holds a character that is not seen ({strange[0]!a})")
    return command


def _home() -> str:
    return os.path.expanduser("~")  # noqa: PTH111 - a text is wanted, and nothing may be raised
