"""The reader against bash itself: random lines are run where every program is missing and every call is written down.

Whatever bash then tries to run must have been found before, with its words and in its directory, and whatever it
writes must have been named, unless the line was said to be beyond understanding.
"""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from ferrule.policy.command import Simple, Word
from ferrule.policy.programs import know
from ferrule.policy.shell import Parsed, parse
from tests.policy.strange_lines import Lines

BUBBLEWRAP = shutil.which("bwrap")
pytestmark = pytest.mark.skipif(BUBBLEWRAP is None, reason="needs bubblewrap to run strange lines in")
HOME = "/nowhere/home"
RECORDER = r"""() { local IFS=' ' s; printf -v s '%s\037' "$@"; printf '%s\035%s\036' "$(builtin pwd -P)" "$s" >> CALLS
 return $(( ${#1} % 2 )); }"""
"""What bash calls instead of a program that is missing: writes down where it is and the words; fails now and then."""
MADE_BEFORE = {"a1", "b1"}


class Call(NamedTuple):
    directory: str
    words: list[str]


def lay_out(top: Path) -> Path:
    work = top / "work"
    shutil.rmtree(work, ignore_errors=True)
    (work / "d1" / "d1").mkdir(parents=True)
    for name in ("a1", "b1"):
        (work / name).write_text("bb cc\ndd\n")
    return work


def run(line: str, work: Path) -> list[Call]:
    """Run a line in a box with nothing but bash, and say what it called."""
    assert BUBBLEWRAP is not None
    box = [BUBBLEWRAP, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--bind", str(work), str(work)]
    log = work.parent / "calls"
    log.write_bytes(b"")
    recorder = RECORDER.replace("CALLS", f"'{log}'")
    environment = {"PATH": "/nowhere", "HOME": HOME, "FUNCNEST": "4", "BASH_FUNC_command_not_found_handle%%": recorder}
    command = [
        *box,
        "--bind",
        str(log),
        str(log),
        "--chdir",
        str(work),
        "/bin/bash",
        "--noprofile",
        "--norc",
        "-c",
        line,
    ]
    with contextlib.suppress(subprocess.TimeoutExpired):  # what it called until then counts all the same
        subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=1,
        )
    records = log.read_bytes().decode(errors="surrogateescape").split("\x1e")[:-1]
    return [
        Call(directory, words.split("\x1f")[:-1]) for directory, _, words in (one.partition("\x1d") for one in records)
    ]


def fits(words: tuple[Word, ...], called: list[str]) -> bool:
    if not words:
        return not called
    first, rest = words[0], words[1:]
    if first.many or first.glob:
        return any(fits(rest, called[start:]) for start in range(len(called) + 1))
    if not called:
        return False
    same = called[0] == first.text if first.text is not None else called[0].startswith(first.prefix)
    return same and fits(rest, called[1:])


def foresaw(call: Call, parts: tuple[Simple, ...]) -> bool:
    return any(fits(one.words, call.words) and one.directory in {None, call.directory} for one in parts)


def named_files(parts: tuple[Simple, ...]) -> set[str] | None:
    """The files that redirections name; None if one of them could be any."""
    named: set[str] = set()
    for simple in parts:
        for redirect in simple.redirects:
            if redirect.operator.startswith("<<"):
                continue
            if redirect.target.text is None or redirect.target.glob or simple.directory is None:
                return None
            named.add(os.path.normpath(f"{simple.directory}/{redirect.target.text}"))
    return named


def surprises(line: str, found: Parsed, work: Path) -> list[str]:
    unseen = [f"{call} in {line!r}" for call in run(line, work) if not foresaw(call, found.parts)]
    named = named_files(found.parts)
    written = {str(path) for path in work.rglob("*") if path.is_file() and path.name not in MADE_BEFORE}
    return unseen + [f"wrote {path} in {line!r}" for path in sorted(written - named if named is not None else set())]


def compare(seed: int, count: int, top: Path) -> tuple[list[str], int]:
    """Judge and run lines; give what bash did beyond what was found, and how many lines were understood."""
    lines, wrong, understood = Lines(seed), list[str](), 0
    for number in range(count):
        line, work = lines.script() if number % 2 else lines.story(), lay_out(top)
        found = parse(line, str(work), know=know, home=HOME)
        if not found.opaque and "time -" not in line:  # an option of `time` is an option or a program, as bash likes
            understood += 1
            wrong += surprises(line, found, work)
    return wrong, understood


def test_bash_runs_nothing_that_was_not_found(tmp_path: Path) -> None:
    wrong, understood = compare(4, 150, tmp_path.resolve())
    assert wrong == []
    assert understood > 40


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(100, 106))
def test_bash_runs_nothing_that_was_not_found_in_thousands_of_lines(seed: int, tmp_path: Path) -> None:
    wrong, understood = compare(seed, 1500, tmp_path.resolve())
    assert wrong == []
    assert understood > 400


@pytest.mark.parametrize(
    "line",
    [
        "aa > 'x y'",
        "cd d1 && aa; bb",
        "x=aa; $x bb",
        "for x in 1 2; do aa $x; done",
        "aa $(bb) | cc",
        "f() { aa $1; }; f 2",
    ],
)
def test_the_recorder_sees_what_is_plain_to_see(line: str, tmp_path: Path) -> None:
    work = lay_out(tmp_path.resolve())
    assert run(line, work) != []
    assert surprises(line, parse(line, str(work), know=know, home=HOME), work) == []
    assert surprises(line, Parsed(), work) != []
