"""Which files a change is about: those that the request names, those that failures blame, and those that are new."""

import re
from collections.abc import Collection, Generator, Sequence
from typing import Any

import msgspec

from ferrule.small.checks.check import asserted_in, called_in, frames, imported, used_in
from ferrule.small.code.names import defines
from ferrule.small.focus import takes_option
from ferrule.small.moves import Move, Say, say
from ferrule.small.prompts import CHANGE, NAME
from ferrule.small.task import Failure, alike, beside
from ferrule.small.words.rank import is_code, is_prose, is_test, named
from ferrule.small.words.wish import understand
from ferrule.small.work import Work, cut, place_in_overview

_MOST_FILES = 6
_NEAR = 3
"""How many files are read for what a new one may have to use."""
_LONGEST_REQUEST, _LONGEST_NAME = 2_000, 30
_MAKES = re.compile(
    r"\b(?:create|write|make|build|generate)\s+(?:me\s+|us\s+)?(?:an?|another)\s+(?:[\w-]+\s+){0,3}?"
    r"(?:script|program|file|module|app|application|game|website)\b",
    re.IGNORECASE,
)
_ABSENT = r"\b(?:no|without|missing)\s+(?:a\s+)?[`'\"]?{name}"
"""A file that is said not to be there, while another is to get along without it."""
_WRITE_ONE = re.compile(r"\b(?:write|add|create|make|generate|need)\s+(?:me\s+|us\s+)?(?:one|it)\b", re.IGNORECASE)
"""Said of a file that is missing and should not be."""
_SUPPLIED = r"\b(?:supplied|given|provided|existing) files?\b[^.!?\n]{{0,200}}?[ `'\"]{name}(?![\w/])"
"""A file that is said to be there and to be changed: what else is named need not be made."""
_WRITES_TESTS = re.compile(
    r"\b(?:add|write|create|make|generate|put|need|want|move|extend|new|cover|missing)\b[^.!?\n]{0,80}?\btest"
    r"|(?:^|[.!?:,]\s+|\band\s+)(?:please\s+)?test\b",
    re.IGNORECASE,
)
_BARE, _IN_MARKDOWN = ("Makefile", "Dockerfile", "Procfile", "LICENSE"), ("README", "CHANGELOG")
"""Names of files that have no ending, and those that have one though it is hardly ever said."""
_GIVEN = (".csv", ".tsv", ".jsonl", ".log")
"""How files end that a program reads."""
_EVERYWHERE = ("everywhere", "rename", "all uses", "throughout", "every file", "all files", "whole project")


def how_many_together(work: Work, files: Sequence[str]) -> int:
    """How many of the files are to change, one after the other; the others are tried where the first was none."""
    words = work.wish.text.lower()
    if any(one in words for one in _EVERYWHERE):
        return len(files)
    traced = _traced(work)
    by_name = [path for path in files if path in named(work.wish, work.paths) or path in new_files(work)]
    return max(1, len([path for path in by_name if path not in traced]))


def _traced(work: Work) -> list[str]:
    """The files that output in the request blames, the last one first: that is where it happened."""
    wish = msgspec.structs.replace(work.wish, files=work.wish.traced, symbols=())
    return list(reversed(named(wish, work.paths)))


def files_to_change(work: Work, failures: Sequence[Failure]) -> Generator[Move, Any, list[str]]:
    """The files that have to change, and behind them those that might; all of them read."""
    output = "\n".join(text for _, text in failures)
    blamed = [path for frame in frames(output) for path in work.paths if frame == path or frame.endswith(f"/{path}")]
    tests = [*(one.path for one, _ in failures if one.path), *(path for path in blamed if is_test(path))]
    yield from work.read(tests[:2])
    if asserting := (yield from _asserting(work, failures)):
        tests, blamed = [asserting, *tests], [path for path in blamed if path != asserting]
    if failures and not blamed and not tests:
        blamed = yield from _used_by_command(work)
    if not any(not is_test(path) for path in blamed):
        used = [path for test in tests for path in imported(test, work.texts.get(test, ""), work.paths)]
        yield from work.read(used[:_MOST_FILES])
        wrong = {name for test in tests for name in called_in(output, test, work.texts.get(test, ""))}
        asked = {name for name in work.wish.symbols if not is_test(name)}
        tried = {name for test in tests for name in used_in(output, test, work.texts.get(test, ""))}
        telling = (asked, wrong, tried)
        blamed += sorted(used, key=lambda path: [not _defines_one(work, path, names) for names in telling])
    candidates = candidates_of(work, [path for path in dict.fromkeys(blamed) if not is_test(path)])
    candidates = [path for path in candidates if path != asserting]
    borrowed = [path for path in named(work.wish, work.paths) if path not in candidates]
    yield from work.read([*candidates[:_MOST_FILES], *borrowed[:_NEAR]])
    if new := new_files(work):
        likely = [path for path in work.order if not is_test(path)]
        if is_prose(new[0]):  # who writes about a program has to see it
            likely = sorted((path for path in work.paths if not is_prose(path)), key=place_in_overview)
        yield from work.read([*likely[:_NEAR], *alike(work, new[0]), *beside(work, new[0])])
        return new
    found = [path for path in candidates[:_MOST_FILES] if path in work.texts]
    if not named(work.wish, found) and not blamed:
        found.sort(key=lambda path: not takes_option(work.wish, work.texts[path]))
    if found and not failures:  # what a function is given is told by those beside
        yield from work.read(beside(work, found[0]))
    everywhere = any(one in work.wish.text.lower() for one in _EVERYWHERE)
    return found if everywhere else found[: max(2, len(named(work.wish, found)))]


def _asserting(work: Work, failures: Sequence[Failure]) -> Generator[Move, Any, str]:
    """The script whose assertion fails, and that is about other files: it is a test, whatever its name."""
    said = [asserted_in(text) for _, text in failures]
    found = [path for frame in said for path in work.paths if frame == path or frame.endswith(f"/{path}")]
    yield from work.read(found[:1])
    is_about_others = found and imported(found[0], work.texts.get(found[0], ""), work.paths)
    return found[0] if is_about_others else ""


def _used_by_command(work: Work) -> Generator[Move, Any, list[str]]:
    """The files that a command uses which wrongly says something, those with the request's words first."""
    run = [path for path in work.paths if path in work.wish.commanded]
    yield from work.read(run[:1])
    used = [one for path in run[:1] for one in imported(path, work.texts.get(path, ""), work.paths)]
    return sorted(used, key=lambda path: work.order.index(path) if path in work.order else len(work.order))


def _defines_one(work: Work, path: str, names: Collection[str]) -> bool:
    return any(defines(work.texts.get(path, ""), name) for name in names if name.isidentifier())


def name_what_is_new(work: Work) -> Generator[Move, Any, None]:
    """Let the model name the file, where something new is asked for and the request does not say what it is called."""
    if work.wish.files or (work.paths and not _MAKES.search(work.wish.text)):
        return
    told = f"{cut(work.wish.text, _LONGEST_REQUEST)}\n\n{NAME}"
    words = yield from say(Say(system=CHANGE, turns=(("user", told),), most=_LONGEST_NAME, shown="thinking"))
    if names := [name for name in understand(words).files if "." in name and not name.startswith(".")]:
        work.wish = msgspec.structs.replace(work.wish, files=(names[0],))


def candidates_of(work: Work, blamed: Sequence[str] = ()) -> list[str]:
    """The files that may have to change, the likeliest first; none where the request is for a new one."""
    wants_tests = "test" in work.wish.text.lower() and not work.wish.trouble and not blamed
    by_name = [path for path in named(work.wish, work.paths) if wants_tests or not is_test(path)]
    borrowed = [path for path in by_name if any(path.endswith(name) for name in work.wish.borrowed)]
    by_name = [path for path in by_name if path not in borrowed] or ([] if blamed else by_name)
    if work.wish.trouble:  # what was run is not what is wrong in it, nor is what it was given
        run = [path for path in by_name if any(path.endswith(name) for name in work.wish.commanded)]
        others = [path for path in by_name if path not in run and not (work.wish.commanded and path.endswith(_GIVEN))]
        by_name = others if others or blamed or len(by_name) > len(run) else by_name
    traced = [path for path in _traced(work) if path in by_name]
    by_name = [path for path in by_name if path not in traced and (not traced or is_code(path))]
    others = [path for path in work.order if path not in by_name and (wants_tests or not is_test(path))]
    others = [path for path in others if not (traced and is_prose(path))]
    others.sort(key=is_prose)  # what is written for people comes last
    if by_name:
        return list(dict.fromkeys([*by_name, *blamed[:2]]))
    return [] if new_files(work) else list(dict.fromkeys([*blamed, *traced, *others]))


def new_files(work: Work) -> list[str]:
    """The files that the request names and that are not there yet."""
    known = {path.rpartition("/")[2] for path in work.paths}
    given = [name for name in work.wish.files if not name.startswith("/") and name not in work.wish.traced]
    given = [name for name in given if not any(one.startswith(f"{name}.") for one in known)]  # README is README.rst
    given = [f"{name}.md" if name in _IN_MARKDOWN else name for name in given]
    names = [name for name in given if ("." in name or name in _BARE) and name not in work.wish.quoted_files]
    created = [name for name in names if name in work.wish.created]
    if any(
        re.search(_SUPPLIED.format(name=re.escape(name)), work.wish.text)
        for name in given
        if name.rpartition("/")[2] in known
    ):
        return [name for name in created if name not in work.paths]
    names = created or [name for name in names if not is_test(name) or _WRITES_TESTS.search(work.wish.text)]
    names = [name for name in names if name.endswith("ignore")] or names  # the others are what is to stand in it
    is_wanted = _WRITE_ONE.search(work.wish.text)
    if not is_wanted and any(path for path in named(work.wish, work.paths) if not is_prose(path)):
        names = [name for name in names if not re.search(_ABSENT.format(name=re.escape(name)), work.wish.text)]
    return [name for name in names if name not in work.paths and name.rpartition("/")[2] not in known]
