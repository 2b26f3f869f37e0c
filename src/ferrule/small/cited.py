"""What an answer stands on: what the code says of the function that a question is about, told by the program.

The words of a small model are not to be trusted alone.
"""

import re
from collections.abc import Mapping, Sequence

from ferrule.small.code.blocks import Block, lines_of
from ferrule.small.code.outcomes import defaults, functions_in, outcomes, purpose
from ferrule.small.words.naming import is_named
from ferrule.small.words.rank import is_prose, is_test, mentions, named, terms, weigh
from ferrule.small.words.wish import stems
from ferrule.small.work import Work

_MOST = 4
_PLAINLY = 1.2
"""So much more than any other a function must have to do with a question, to be meant without being named."""
_OWN_NAME = 2.0
_VALUE = re.compile(r"(?:returns|raises|prints|throws|takes) ('[^']{3,}'|\"[^\"]{3,}\"|[A-Z]\w{3,})")
"""What a case comes to, where that is something of its own."""
_NAMED = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
"""Constants, and variables of the environment."""

_Place = tuple[str, Block]


def facts(work: Work, answer: str = "") -> str:
    """What the function says and does in which case that a question is about, in a line; empty where that is unclear.

    An answer tells more than the question does which one is meant.
    """
    found = _meant(work, answer)
    if found is None:
        return ""
    is_asked = _is_asked(work, found)
    cases = _cases(work, found, is_asked=is_asked)
    if not cases:  # what it calls may do it
        for place in _called(work, found):
            if cases := _cases(work, place, is_asked=is_asked):
                found = place
                break
    path, block = found
    if any(value in answer for case in cases for value in _VALUE.findall(case)):
        return ""  # the answer agrees with the code
    told = [one for one in (purpose(path, work.texts[path], block).rstrip("."), *cases[:_MOST]) if one not in answer]
    return f"`{block.name}` ({path}:{block.first}): {'; '.join(told)}." if any(told) else ""


def cases(work: Work, paths: Sequence[str]) -> str:
    """The cases of functions that have a word of the question in them, in lines: it may ask for one of them."""
    looked_for = terms(work.wish)
    told: list[tuple[int, str]] = []
    for path in [one for one in paths if one in work.texts and not is_test(one)]:
        for block in functions_in(path, work.texts[path]):
            found = outcomes(path, work.texts[path], block)
            weights = [sum(bool(mentions(term, case)) for term in looked_for) for case in found]
            told += [
                (-weight, f"`{block.name}` in {path} {case}.")
                for weight, case in zip(weights, found, strict=True)
                if weight
            ]
    return "\n".join(case for _, case in sorted(told, key=lambda one: one[0])[:_MOST])


def _is_asked(work: Work, place: _Place) -> bool:
    """Whether a question names a function, or something that stands in it."""
    name, symbols = place[1].name, set(work.wish.symbols)
    is_held = bool(symbols & set(_NAMED.findall(_body(work.texts, place))))
    return name in symbols or is_named(name, work.wish.text) or is_held


def _cases(work: Work, place: _Place, *, is_asked: bool) -> list[str]:
    """The cases of a function that have most to do with the question; all where none has, and it is asked for."""
    path, block = place
    looked_for = [one for one in terms(work.wish) if one not in stems(path)]
    found = outcomes(path, work.texts[path], block)
    given = defaults(path, work.texts[path], block)
    found += [one for name, one in given.items() if work.wish.spoken.issuperset(name.lower().split("_"))]
    weights = {case: sum(bool(mentions(one, case)) for one in looked_for) for case in found}
    most = max(weights.values(), default=0)
    return [case for case in found if weights[case] == most] if most or is_asked else []


def _called(work: Work, place: _Place) -> list[_Place]:
    """The functions of the same file that a function calls."""
    path, block = place
    body = "\n".join(lines_of(work.texts[path])[block.first : block.last])
    others = [one for one in functions_in(path, work.texts[path]) if one.first != block.first]
    return [(path, one) for one in others if re.search(rf"(?<![\w.]){re.escape(one.name)}\(", body)]


def _meant(work: Work, answer: str) -> _Place | None:
    """The function that a question is about: by the question's names, then by the answer's, then by its words.

    Where no function has such a name, the one is meant that alone has a constant or a variable of that name in it.
    """
    code = {path: text for path, text in work.texts.items() if not is_test(path) and not is_prose(path)}
    places = [(path, one) for path in code for one in functions_in(path, code[path])]
    asked = [one.name for _, one in places if is_named(one.name, work.wish.text)]
    for names in ([*work.wish.symbols, *asked], re.findall(r"[A-Za-z_]\w*(?:\.\w+)?", answer)):
        if known := _of_names(places, names):
            return known[0] if len(known) == 1 else weightiest(work, code, known)
        holding = [one for one in places if set(names) & set(_NAMED.findall(_body(code, one)))]
        if len(holding) == 1 and names:
            return holding[0]
    by_name = named(work.wish, code)
    return weightiest(work, code, [one for one in places if one[0] in by_name] or places)


def _body(code: Mapping[str, str], place: _Place) -> str:
    path, block = place
    return "\n".join(lines_of(code[path])[block.first - 1 : block.last])


def _of_names(places: Sequence[_Place], names: Sequence[str]) -> list[_Place]:
    whole = [one for one in places if one[1].name in names]
    ends = {name.rpartition(".")[2] for name in names}
    return whole or [one for one in places if one[1].name.rpartition(".")[2] in ends]


def weightiest(work: Work, code: Mapping[str, str], places: Sequence[_Place]) -> _Place | None:
    """The function that has plainly most to do with the question."""
    bodies = {at: _body(code, place) for at, place in enumerate(places)}
    weights = weigh(work.wish, {str(at): body for at, body in bodies.items()})
    for at, (_, one) in enumerate(places):
        weights[str(at)] += _OWN_NAME * (one.name.rpartition(".")[2].lower() in work.wish.spoken)
    first, *others = [*sorted(weights.items(), key=lambda one: -one[1]), ("", 0.0)]
    is_plain = first[1] > _PLAINLY * others[0][1] if others else False
    return places[int(first[0])] if is_plain else None
