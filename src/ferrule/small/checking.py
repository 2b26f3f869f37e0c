"""Checks on the way through a change: which there are, and what they say."""

import re
from collections.abc import Collection, Generator, Mapping, Sequence
from typing import Any

import msgspec

from ferrule.core.messages import Value
from ferrule.small.checks.check import Check, asserting_check, check_for, check_of_new, named_check
from ferrule.small.checks.examples import example_check
from ferrule.small.checks.interactive import shown_calls
from ferrule.small.checks.raising import callables
from ferrule.small.checks.replayed import replayed_check
from ferrule.small.checks.scripts import functions_of, printed_check, script_check
from ferrule.small.checks.smoke import (
    alive_check,
    crash_check,
    form_check,
    loads_again_check,
    loads_check,
    runs_check,
    smoke_check,
)
from ferrule.small.checks.stubbed import only_function, told_of
from ferrule.small.code.blocks import blocks_of, is_stub
from ferrule.small.code.names import promised, signatures
from ferrule.small.moves import Move, use
from ferrule.small.task import Failure, known_names
from ferrule.small.words.rank import is_test, named
from ferrule.small.work import Work

_SECONDS, _QUICK = 60, 20
"""How long a check may take, and a script that but calls a few functions."""
_CONSTANT = re.compile(r"^([A-Z][A-Z0-9_]+)(?::[^=\n]+)? *=(?!=)", re.MULTILINE)
_NOT_INSTALLED = re.compile(r"\bNo module named '(\w+)")
_INSTEAD = {
    "pandas": "csv",
    "numpy": "math and statistics",
    "requests": "urllib.request",
    "dateutil": "datetime",
    "pytz": "zoneinfo",
    "tabulate": "print",
    "click": "argparse",
    "tqdm": "print",
}
"""What Python has of its own for what a model likes to import."""
_OWN = "python3 -B -c "
"""How such a script begins."""


class Ran(Value, frozen=True, kw_only=True):
    """What came of checks."""

    problem: str
    """What is wrong, in words for the model."""
    count: int
    """How much that is."""
    failures: tuple[Failure, ...]


def find_checks(work: Work, candidates: Sequence[str], new_files: Sequence[str]) -> Generator[Move, Any, list[Check]]:
    """What can tell whether the change works: the request's own examples, and the tests."""
    tests = [path for path in work.paths if is_test(path)]
    yield from work.read([*candidates[: work.profile.candidates], *named(work.wish, tests)[:1]])
    target = next(iter([*candidates, *new_files]), "")
    check = check_for(work.wish, work.paths, work.texts, target=target)
    if check and check.path and check.path not in work.texts:
        yield from work.read([check.path])
        check = check_for(work.wish, work.paths, work.texts, target=target)
    homes = {block.name: path for path, text in work.texts.items() for block in blocks_of(path, text) if block.name}
    modules = {path: text for path, text in work.texts.items() if path.endswith(".py") and not is_test(path)}
    homes |= {name: path for path, text in modules.items() for name in _CONSTANT.findall(text) if name not in homes}
    scripts = {path: text for path, text in work.texts.items() if path.endswith((".js", ".mjs"))}
    homes |= {name: path for path, text in scripts.items() for name in functions_of(text)}
    for path in new_files:
        homes |= {symbol: path for symbol in work.wish.symbols if symbol not in homes}
    added = _added(work, candidates, homes)
    homes |= added
    written = [check_of_new(path, work.wish, work.texts) for path in new_files]
    check = next((one for one in written if one), check)
    smoke = None
    if new := [path for path in new_files if path.endswith(".py") and not is_test(path)]:
        smoke = runs_check(work.wish.text, new[0], work.paths) or alive_check(work.wish.text, new[0])
        for signature in list(signatures(work.wish.text, known_names(work)).values())[:1]:
            form = smoke_check(work.wish.text, new[0], signature) or form_check(work.wish.text, new[0], signature)
            smoke = form or smoke
    if is_stub(target, stub := work.texts.get(target, "")):
        known = [one.name for one in blocks_of(target, stub) if one.name.isidentifier()]
        smoke = alive_check(work.wish.text, target, known)
    if scripts_new := [path for path in new_files if path.endswith(".js") and not is_test(path)]:
        smoke = loads_check(work.wish.text, scripts_new[0])
    text, is_wanted = work.wish.text, bool(new_files) or not work.wish.trouble
    told = _told_of_stub(work, target)
    examples = example_check(text, homes, is_wanted=is_wanted, more=told)
    scripts_do = script_check(text, homes, is_wanted=is_wanted)
    examples, scripts_do = (_later(one, added) for one in (examples, scripts_do))
    found = (
        examples or (crash_check(text, homes) if work.wish.trouble else None),
        replayed_check(text, homes, callables(modules)),
        loads_again_check(text, work.paths),
        scripts_do,
        printed_check(text),
        smoke,
        asserting_check(work.wish, work.texts) or named_check(work.wish),
        check,
    )
    return list({one.command: one for one in found if one}.values())


def _told_of_stub(work: Work, path: str) -> list[tuple[str, str]]:
    """The examples that were told when a file was still to be written: for its one function, and in its own words."""
    stub = work.before(path) or ""
    if not is_stub(path, stub):
        return []
    function = only_function(stub)
    requests = [*(one.request for one in work.earlier if path in one.files), work.wish.text]
    return [*shown_calls(stub), *(told_of(requests[0], *function) if function else ())]


def _added(work: Work, candidates: Sequence[str], homes: Mapping[str, str]) -> dict[str, str]:
    """The functions that are to be added to a file which the request names, each with that file."""
    by_name = [path for path in named(work.wish, candidates) if not is_test(path)]
    names = promised(work.wish.text, known_names(work)) if by_name else []
    return {name: by_name[0] for name in names if name not in homes}


def _later(check: Check | None, added: Collection[str]) -> Check | None:
    """A check that cannot pass before something is added says nothing until then."""
    is_later = check and any(re.search(rf"\b{name}\b", call) for name in added for call, _ in check.expects)
    return msgspec.structs.replace(check, is_new=True) if check and is_later else check


def first_run(checks: Sequence[Check]) -> Generator[Move, Any, tuple[list[tuple[Check, str]], list[Check]]]:
    """What the checks say now, and which of them can be run at all."""
    if not checks:
        return [], []
    usable = [one for one in checks if one.is_new]
    checks = [one for one in checks if not one.is_new]
    results = (yield from use(*_calls(checks))) if checks else []
    failures: list[tuple[Check, str]] = []
    for check, result in zip(checks, results, strict=True):
        verdict = check.verdict(result.text)
        if verdict is None or (result.is_error and not verdict) or not check.is_meant(result.text):
            continue  # it may not be run, or cannot
        usable.append(check)
        if verdict:
            failures.append((check, result.text))
    return failures, usable


def _calls(checks: Sequence[Check]) -> list[tuple[str, dict[str, Any]]]:
    return [("bash", {"command": one.command, **_about(one)}) for one in checks]


def _about(check: Check) -> dict[str, Any]:
    """How long a check may take, and of a script what it is for: a person may have to be asked about it."""
    is_script = check.command.startswith(_OWN)
    return {"timeout": _QUICK, "description": f"Check {check.told}"} if is_script else {"timeout": _SECONDS}


def run(checks: Sequence[Check]) -> Generator[Move, Any, str]:
    """What is wrong according to the checks, in words for the model; empty where nothing is."""
    return (yield from counted_run(checks)).problem


def counted_run(checks: Sequence[Check]) -> Generator[Move, Any, Ran]:
    """What is wrong according to the checks, and how much that is."""
    results = (yield from use(*_calls(checks))) if checks else []
    outputs = [(check, result.text) for check, result in zip(checks, results, strict=True)]
    verdicts = [(check.verdict(output), check, output) for check, output in outputs]
    return Ran(
        problem="\n\n".join(f"The check fails:\n```\n{one}\n```{_advice(one)}" for one, _, _ in verdicts if one),
        count=sum(check.count(output) for check, output in outputs),
        failures=tuple((check, output) for one, check, output in verdicts if one),
    )


def _advice(verdict: str) -> str:
    """What to use instead of a module that is not installed: a small model would write the same again."""
    found = _NOT_INSTALLED.search(verdict)
    other = _INSTEAD.get(found[1]) if found else None
    return f"\n{found[1]} is not installed. Write it without {found[1]}: use {other}." if found and other else ""
