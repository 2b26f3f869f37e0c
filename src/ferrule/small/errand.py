"""How a request is carried out with a small model: look first, let it write once, check, and show it what failed.

The model is never asked to choose a tool. Ferrule finds the files that matter (named in the request, or found by a
search for its words), shows them, takes prose or whole files back, puts them in place, runs the tests, and shows the
model what they say. Each step is a call of an ordinary tool, so that it is asked about, recorded and undone like any.
"""

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from ferrule.small.change import change
from ferrule.small.checks.check import check_for
from ferrule.small.cited import cases, facts
from ferrule.small.hints import called, constants, orders, stands, told_called, with_constants
from ferrule.small.moves import Done, Errand, Move, Say, Turns, say, use
from ferrule.small.outline import first_lines, is_told, outline
from ferrule.small.profile import Profile
from ferrule.small.prompts import ANSWER, PLACE, REPORT, RUN, TALK, listing
from ferrule.small.tried import asks_only_that, tried
from ferrule.small.words.naming import asks_where, homes_of, places, values
from ferrule.small.words.rank import is_test, named
from ferrule.small.words.reply import read_reply
from ferrule.small.words.wish import understand
from ferrule.small.work import Earlier, Work, cut

_MOST_READ, _MOST_UNCLEAR = 4, 6
_MORE = 300
"""Tokens of what is called where it is asked what happens."""
_MOST_PLACE = 40
"""Tokens in which a file is named."""
_CONSTANT = re.compile(r"\b[A-Z][A-Z0-9_]+\b")
_LONGEST_OUTPUT, _LONGEST_REQUEST = 1_500, 6_000
"""Characters."""


def errand(request: str, profile: Profile, earlier: Sequence[Earlier] = ()) -> Errand:
    """Carry a request out."""
    work = Work(understand(request), profile, earlier)
    if work.wish.kind == "talk":
        yield from say(Say(system=TALK, turns=(*work.told, ("user", work.wish.text))))
        return Done()
    yield from work.look_around()
    match work.wish.kind:
        case "question":
            return (yield from _answer(work))
        case "run":
            return (yield from _run(work))
        case _:
            return (yield from change(work))


def _answer(work: Work) -> Errand:
    """Show the model what the question is about, and let it answer."""
    yield from work.read(work.order[:_MOST_READ])
    is_wide = not asks_where(work.wish.text)  # what happens is told in several places, and often by what is called
    shown = work.excerpts(work.order[:_MOST_READ], work.profile.question_tokens, wide=is_wide)
    results = yield from tried(work)
    if len(results) == 1 and asks_only_that(work.wish.text):
        return Done(results[0])
    order = list(dict.fromkeys([*work.order, *sorted(work.paths)]))
    unclear = [path for path in order if not is_told(path, work.defined) and not path.endswith("__init__.py")]
    yield from work.read(unclear[:_MOST_UNCLEAR])
    work.defined += [hit for path in unclear if path in work.texts for hit in first_lines(path, work.texts[path])]
    project = outline(work.defined, order, work.profile.outline_tokens)
    used = called(shown, work.defined)
    if is_wide:
        yield from work.read(list(used.values()))
        paths = list(dict.fromkeys([*work.order[:_MOST_READ], *used.values()]))
        shown = work.excerpts(paths, work.profile.question_tokens, wide=True, also=used, more=_MORE)
    seen = {one.partition("\n")[0] for one in shown}
    away = {name: path for name, path in called(shown, work.defined).items() if path not in seen}
    spots = stands(work.wish.text, work.wish.symbols, work.texts, named(work.wish, work.paths))
    if is_wide:
        shown = [with_constants(one, work.defined) for one in shown]
    shown += [one for one in (constants(shown, work.defined), told_called(away), spots) if one]
    if is_wide and not results:
        shown += [one for one in (facts(work), orders(work.wish.text, work.texts)) if one]
    if not is_wide:
        shown += [one for one in [cases(work, work.order[:_MOST_READ])] if one]
    parts = [project, *shown, *results, f"Question: {cut(work.wish.text, _LONGEST_REQUEST)}"]
    files = (*work.order, *work.paths, *work.wish.files) if work.order and asks_where(work.wish.text) else ()
    turns = (*work.told, ("user", "\n\n".join(parts)))
    homes = homes_of(work.defined)
    answer = yield from say(Say(system=ANSWER, turns=turns, files=files, homes=homes))
    place = (yield from _place(work, answer, turns, files, homes)) if files else ""
    added = [place, values(answer, work.defined)]
    told = "".join(f" {one}" for one in added if one)
    proof = _proof(work, answer, results) if is_wide else ""
    return Done(f"{told}\n\n{proof}" if proof else told)


def _place(
    work: Work, answer: str, turns: Turns, files: tuple[str, ...], homes: Mapping[str, str]
) -> Generator[Move, Any, str]:
    """Where it is what an answer speaks of, if it does not say so: known by a name in it, else by the model."""
    known = places(answer, work.defined)
    if known or any(path.rpartition("/")[2] in answer for path in work.paths):
        return known
    begun = f"{answer.rstrip()} {PLACE}"
    goes_on = Say(system=ANSWER, turns=turns, begun=begun, most=_MOST_PLACE, files=files, homes=homes, shown="thinking")
    more = (yield from say(goes_on))[len(begun) :]
    named = sorted((more.find(path), path) for path in work.paths if path in more)
    return f"That is in {named[0][1]}." if named else ""


def _proof(work: Work, answer: str, results: Sequence[str]) -> str:
    """What an answer can be held against: what came of trying it, or what the code says."""
    if results:
        return "\n\n".join(results)
    told = facts(work, answer)
    named = _CONSTANT.sub(r"`\g<0>`", told)
    return f"{told} {values(named, work.defined)}".rstrip()


def _run(work: Work) -> Errand:
    """Run what the request asks for: the tests, or a command that the model writes; and say what came of it."""
    yield from work.read([path for path in work.paths if is_test(path)][:1])
    check = check_for(work.wish, work.paths, work.texts)
    command = check.command if check and "test" in work.wish.text.lower() else ""
    if not command:
        told = f"{listing(work.paths)}\n\nRequest: {cut(work.wish.text, _LONGEST_REQUEST)}"
        reply = read_reply((yield from say(Say(system=RUN, turns=(("user", told),), shown="thinking"))))
        command = next((one.text.strip() for one in reply.written), "")
        if not command:
            return Done(reply.prose)
    (result,) = yield from use(("bash", {"command": command}))
    told = f"{cut(work.wish.text, _LONGEST_REQUEST)}\n\n$ {command}\n{cut(result.text, _LONGEST_OUTPUT)}"
    yield from say(Say(system=REPORT, turns=(("user", told),)))
    return Done()
