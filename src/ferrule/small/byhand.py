"""What is done to files without asking the model, because the request says it: names, numbers, words."""

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from ferrule.small.checks.check import Check
from ferrule.small.checks.pasted import times_in, with_words
from ferrule.small.cited import weightiest
from ferrule.small.code.blocks import Block
from ferrule.small.code.place import call_for
from ferrule.small.code.rename import renamed, renamed_in_script
from ferrule.small.code.template import longest_words, said_otherwise
from ferrule.small.mending import change_to, settle
from ferrule.small.mends.defaults import speaks_of_sharing, with_own_defaults
from ferrule.small.mends.quoted import speaks_of_blanks, with_quotes
from ferrule.small.mends.told import as_told, speaks_plainly
from ferrule.small.moves import Move, use
from ferrule.small.words.rank import is_prose, is_test, named
from ferrule.small.words.renumbered import Renumbering, looked_for, renumbered
from ferrule.small.work import Work

_MOST_REWORDED = 4
_SHELLS = (".sh", ".bash")
_SCRIPTS = (".js", ".mjs", *_SHELLS)
_NUMBERED = (".py", ".js", ".mjs", ".ts", ".sh", ".json", ".toml", ".ini", ".cfg", ".yaml", ".yml", ".html", ".css")
_MOST_NUMBERED, _MOST_TOLD = 12, 10


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
        if not (yield from change_to(work, path, changed[path])):
            break
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
    yield from change_to(work, *texts[0])
    return True


def renumber(work: Work, change: Renumbering) -> Generator[Move, Any, bool]:
    """Give a number in code another value, where it is plain which one is meant: one in each file that is named."""
    by_name = [path for path in named(work.wish, work.paths) if not is_test(path)]
    found = yield from use(("grep", {"pattern": looked_for(change), "head_limit": 0}))
    code = [path for path in work.paths if path in by_name or not is_prose(path)]
    hit = [path for path in found[0].text.splitlines() if path in code]
    paths = [path for path in hit if not is_test(path) and path.endswith(_NUMBERED) and path in (by_name or hit)]
    if len(paths) > _MOST_NUMBERED:
        return False
    if len(by_name) > 1 and set(paths) != set(by_name):  # it would be half of the change
        return False
    yield from work.read(paths)
    texts = {path: work.texts[path] for path in paths if path in work.texts}
    if len(by_name) > 1 and len(texts) < len(by_name):
        return False
    apart = [{path: text} for path, text in texts.items()] if len(by_name) > 1 else [texts]
    changed = [renumbered(work.wish, change, one) for one in apart]
    if None in changed:
        return False
    for one in filter(None, changed):
        if not (yield from change_to(work, *one)):
            break
    return True


def as_told_by(work: Work, checks: Sequence[Check]) -> Generator[Move, Any, bool]:
    """Put right what the request plainly says of a function, unless a check says otherwise."""
    is_plain = speaks_plainly(work.wish.text)
    if not is_plain and not work.wish.trouble:
        return False
    code = [one for one in work.paths if one.endswith((".py", *_SCRIPTS)) and not is_test(one)]
    if is_plain:
        yield from work.read([*(one for one in work.order if one in code), *code][:_MOST_TOLD])
    texts = {path: work.texts[path] for path in code if path in work.texts}
    found = as_told(work.wish.text, texts) or _whole_files(work, texts)
    places = [(path, block) for path, block, _ in found]
    meant = places[0] if len(places) == 1 else weightiest(work, texts, places)
    right = next((text for path, block, text in found if (path, block) == meant), None)
    if meant is None or right is None:
        return False
    return (yield from settle(work, meant[0], right, checks))


def _whole_files(work: Work, texts: Mapping[str, str]) -> list[tuple[str, Block, str]]:
    """The files of which a request says something as a whole that can be carried out, each as it is then."""
    request, changed = work.wish.text, dict[str, str]()
    if speaks_of_sharing(request):
        changed = {path: with_own_defaults(text) for path, text in texts.items() if path.endswith(".py")}
    elif speaks_of_blanks(request):
        scripts = [path for path in texts if path.endswith(_SHELLS)]
        changed = {path: with_quotes(texts[path]) for path in named(work.wish, scripts) or scripts}
    return [(path, Block(first=1, last=1), text) for path, text in changed.items() if text != texts[path]]
