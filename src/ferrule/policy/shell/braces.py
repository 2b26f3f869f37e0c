"""Brace expansion: `{a,b}` and `{1..3}` become several words, before anything else happens to them."""

from itertools import pairwise

from ferrule.core.regex import lazy
from ferrule.policy.shell.syntax import Parameter, Piece, Plain, merged

MOST = 256
_MOST_BRACES = 32
_RANGE = lazy(r"(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,9}))?")

Unit = str | Piece
"""A character without quotes, or a piece that braces do not look into."""


class UnclearError(Exception):
    """The braces make more words than anyone wants to look at, or change the names of variables."""


def has_braces(pieces: tuple[Piece, ...]) -> bool:
    """Whether there is anything to expand."""
    return any(isinstance(piece, Plain) and "{" in piece.text for piece in pieces)


def expanded(pieces: tuple[Piece, ...]) -> list[tuple[Piece, ...]]:
    """Make the words that the braces in a word stand for.

    Raises:
        UnclearError: there would be more than `MOST`, or a variable stands beside them, whose name they may lengthen.
    """
    units: list[Unit] = []
    for piece in pieces:
        units.extend(piece.text if isinstance(piece, Plain) else (piece,))
    if units.count("{") > _MOST_BRACES:
        raise UnclearError
    made = _words(units)
    if made != [units] and any(isinstance(piece, Parameter) and not piece.braced for piece in pieces):
        raise UnclearError
    return [merged([Plain(unit) if isinstance(unit, str) else unit for unit in word]) for word in made]


def _words(units: list[Unit]) -> list[list[Unit]]:
    for start, unit in enumerate(units):
        if unit != "{":
            continue
        inside = _inside(units, start)
        if inside is None:
            continue
        end, choices = inside
        heads = [[*units[:start], *choice] for choice in choices]
        tails = _words(units[end + 1 :])
        if len(heads) * len(tails) > MOST:
            raise UnclearError
        return [head + tail for head in heads for tail in tails]
    return [units]


def _inside(units: list[Unit], start: int) -> tuple[int, list[list[Unit]]] | None:
    """The end of the brace that opens here, and what it stands for; None if it stands for itself."""
    level, commas = 0, [start]
    for place in range(start, len(units)):
        unit = units[place]
        if unit == "{":
            level += 1
        elif unit == "}":
            level -= 1
            if level == 0:
                return _choices(units, commas, place)
        elif unit == "," and level == 1:
            commas.append(place)
    return None


def _choices(units: list[Unit], commas: list[int], end: int) -> tuple[int, list[list[Unit]]] | None:
    if len(commas) == 1:
        counted = _counted(units[commas[0] + 1 : end])
        return (end, counted) if counted is not None else None
    edges = [*commas, end]
    choices = [word for left, right in pairwise(edges) for word in (_words(units[left + 1 : right]))]
    if len(choices) > MOST:
        raise UnclearError
    return end, choices


def _counted(units: list[Unit]) -> list[list[Unit]] | None:
    """The words of `{1..3}` or `{a..c}`."""
    text = "".join(unit if isinstance(unit, str) else "\0" for unit in units)
    found = _RANGE.fullmatch(text)
    if found is None:
        return None
    first, last, letter, other, by = found.groups()
    low, high = (int(first), int(last)) if first else (ord(letter), ord(other))
    step = max(abs(int(by or 1)), 1) * (1 if high >= low else -1)
    numbers = range(low, high + (1 if step > 0 else -1), step)
    if len(numbers) > MOST:
        raise UnclearError
    if letter:
        return [[chr(number)] for number in numbers]
    width = (
        max(len(first), len(last))
        if any(one.lstrip("-").startswith("0") and len(one) > 1 for one in (first, last))
        else 0
    )
    return [list(f"{number:0{width}d}") for number in numbers]
