"""Where an `old_string` stands in a file: word for word, or else read with a little tolerance.

A tolerant reading never guesses by likeness. It sets aside what models are known to get wrong when they copy
text (line endings, blanks at line ends, typographic characters, indentation, blank lines around the text, the
line numbers that `read` shows), and then the rest must be the same, character for character.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, islice
from typing import Literal

import msgspec

from ferrule.core.regex import lazy
from ferrule.host.text import endings_of
from ferrule.tools.indent import Shift, body_of, lead_of, shift_between, width_of

Tolerance = Literal["line endings", "trailing blanks", "typography", "indentation"]
Tolerances = frozenset[Tolerance]

LEVELS: tuple[Tolerances, ...] = (
    frozenset({"line endings"}),
    frozenset({"line endings", "trailing blanks"}),
    frozenset({"line endings", "typography"}),
    frozenset({"line endings", "indentation"}),
    frozenset({"line endings", "trailing blanks", "typography"}),
    frozenset({"line endings", "trailing blanks", "indentation"}),
    frozenset({"line endings", "typography", "indentation"}),
    frozenset({"line endings", "trailing blanks", "typography", "indentation"}),
)
"""What may be ignored together, the least first. The first level at which anything fits decides."""

MOST_PLACES = 1_000
_MOST_TOLERANT_PLACES = 100
_MOST_LINES_COMPARED = 200_000
_BLANKS = " \t\r"
_NUMBER = lazy(r"^ *\d+\t", re.MULTILINE)
_FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
_TYPOGRAPHIC = {
    "'": "\u2018\u2019\u201a\u201b\u02bc\u2032",
    '"': "\u201c\u201d\u201e\u201f\u2033",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    " ": "\u00a0\u2007\u2009\u202f\u3000",
}
"""One character for one, so that columns stay what they are."""


class Reading(msgspec.Struct, frozen=True):
    """The strings of an edit as they may have been meant, and what was set aside to read them so."""

    old: str
    new: str
    without: str = ""
    typography: bool = False
    whole_lines: bool = False
    """Blank lines around the text were set aside, which say that it begins and ends with its lines."""


class Place(msgspec.Struct, frozen=True):
    """A stretch of the file that fits."""

    start: int
    end: int
    ignoring: Tolerances = frozenset()
    shift: Shift = msgspec.field(default_factory=Shift)


class Match(msgspec.Struct, frozen=True):
    """The places that fit a reading, at the lowest level at which there are any."""

    reading: Reading
    places: list[Place]
    more: bool = False
    """There are so many that not all were looked at; then nothing is known of the level."""

    @property
    def ignoring(self) -> list[str]:
        """What had to be ignored, in words."""
        needed = {tolerance for place in self.places for tolerance in place.ignoring}
        return sorted(needed) + ([self.reading.without] if self.reading.without else [])


class Page:
    """The text of a file, as a whole and as lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.endings = endings_of(text)

    def split(self, text: str) -> list[str]:
        """Lines without their line feeds; a carriage return before one stays, so columns stay what they are."""
        if self.endings.cr:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.split("\n")

    def line_of(self, position: int) -> int:
        """The number of a line, from 0."""
        return bisect_right(self.starts, position) - 1

    @cached_property
    def lines(self) -> list[str]:
        """All lines."""
        return self.split(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins."""
        return _starts(self.lines)

    @cached_property
    def width(self) -> int:
        """How many spaces a level of indentation has."""
        return width_of(self.lines)

    @cached_property
    def folded(self) -> list[str]:
        """The lines with plain quotes, dashes and spaces."""
        return _folded(self.lines)

    @cached_property
    def trimmed(self) -> "_View":
        """The lines with plain characters, without what stands behind them."""
        return _View([line.rstrip(_BLANKS) for line in self.folded])

    @cached_property
    def bare(self) -> "_View":
        """The lines with plain characters, without what stands around them."""
        return _View([line.strip(_BLANKS) for line in self.folded])


class _View:
    """Lines of which something was set aside, joined into one text to search in."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.starts = lines, _starts(lines)
        self.text = "\n".join(("", *lines, ""))

    def find(self, needle: str, *, from_start: bool, to_end: bool) -> Iterator[tuple[int, int, int, int]]:
        """Every place of a needle: the line and column of its start and of its end."""
        framed = "\n" * from_start + needle + "\n" * to_end
        low, high = int(not from_start), len(self.text) - (not to_end)  # the frame is no part of the lines
        for hit in _find_all(self.text, framed, 1, low, high):
            start = hit - 1 + from_start
            end = start + len(needle)
            first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end) - 1
            yield first, start - self.starts[first], last, end - self.starts[last]


def locate(page: Page, old: str, new: str, *, every: bool) -> Match | None:
    """Find the places that `old` means, with as little tolerance as will do.

    Places may overlap, so that they are counted right, unless `every` one of them is to be changed.
    """
    if exact := _exact(page, old, every=every):
        return Match(Reading(old, new), exact, more=not every and len(exact) == MOST_PLACES)
    for reading in _readings(old, new, page.text):
        most = max(_MOST_TOLERANT_PLACES, _MOST_LINES_COMPARED // (old.count("\n") + 1) if every else 0)
        places = list(islice(chain(_places(page, reading), _indented_places(page, reading)), most))
        places.sort(key=lambda place: place.start)
        if len(places) == most:
            return Match(reading, places, more=True)
        for level in LEVELS:
            if fitting := [place for place in places if place.ignoring <= level]:
                return Match(reading, fitting)
    return None


def _exact(page: Page, old: str, *, every: bool) -> list[Place]:
    starts = islice(_find_all(page.text, old, len(old) if every else 1), None if every else MOST_PLACES)
    places = [Place(start, start + len(old)) for start in starts]
    if old.startswith("\n") and page.endings.crlf:  # half a line ending is no place to begin at
        places = [Place(place.start - page.text.endswith("\r", 0, place.start), place.end) for place in places]
    return places


def _folded(lines: list[str]) -> list[str]:
    """Lines with plain quotes, dashes and spaces; where there are no words, such characters are all there is."""
    text = "\n".join(lines)
    if text.isascii() or not any(map(str.isalnum, text)):
        return lines
    for plain, others in _TYPOGRAPHIC.items():
        for other in others:
            text = text.replace(other, plain)
    return text.split("\n")


def _find_all(text: str, needle: str, step: int, low: int = 0, high: int | None = None) -> Iterator[int]:
    start = text.find(needle, low, high)
    while start >= 0:
        yield start
        start = text.find(needle, start + step, high)


def _starts(lines: Sequence[str]) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))


def _readings(old: str, new: str, text: str) -> Iterator[Reading]:
    """The ways to read the two strings, the plainest first."""
    yield Reading(old, new)
    if not text.isascii():
        for form in _FORMS:
            if (other := unicodedata.normalize(form, old)) != old:
                yield Reading(other, unicodedata.normalize(form, new), typography=True)
    yield from _unframed(Reading(old, new))
    if _numbered(old) and (_numbered(new) or not _NUMBER.search(new)):
        bare = Reading(_NUMBER.sub("", old), _NUMBER.sub("", new), "line numbers")
        yield bare
        yield from _unframed(bare)


def _unframed(reading: Reading) -> Iterator[Reading]:
    """Set aside the blank lines before and after, and in the new string as many of them.

    The line ending of the last line is set aside only where it must be: it goes when all the lines go.
    """
    old, new = reading.old.split("\n"), reading.new.split("\n")
    ended = not old[-1].strip() and not new[-1].strip()
    for end in (0, -1):
        while len(old) > 1 and not old[end].strip():
            old.pop(end)
            if len(new) > 1 and not new[end].strip():
                new.pop(end)
    words = " and ".join(filter(None, (reading.without, "blank lines around the text")))
    bare_old, bare_new = ("\n".join(lines).removesuffix("\r") for lines in (old, new))
    if ended:
        yield Reading(f"{bare_old}\n", bare_new and f"{bare_new}\n", words, whole_lines=True)
    if bare_old != reading.old:
        yield Reading(bare_old, bare_new, words, whole_lines=True)


def _numbered(text: str) -> bool:
    """Whether every line begins with a number, as in what `read` shows."""
    return len(_NUMBER.findall(text)) == text.removesuffix("\n").count("\n") + 1


def _places(page: Page, reading: Reading) -> Iterator[Place]:
    """The places that fit but for line endings, trailing blanks and typography; they may begin within a line."""
    wanted = page.split(reading.old)
    needle = "\n".join(line.rstrip(_BLANKS) for line in _folded(wanted))
    if not needle.strip():
        return
    to_end = wanted[-1] != wanted[-1].rstrip(_BLANKS) or (reading.whole_lines and wanted[-1] != "")
    for first, place, last, stop in page.trimmed.find(needle, from_start=reading.whole_lines, to_end=to_end):
        column = len(page.lines[first].removesuffix("\r")) if needle.startswith("\n") else place
        found = _cut(page.lines[first : last + 1], column, stop)
        ignoring = _differences(page, reading, found, wanted)
        yield Place(page.starts[first] + column, page.starts[last] + stop, ignoring)


def _indented_places(page: Page, reading: Reading) -> Iterator[Place]:
    """The places that fit but for their indentation, and for the rest as above; they are whole lines."""
    wanted = page.split(reading.old)
    needle = "\n".join(line.strip(_BLANKS) for line in _folded(wanted))
    if not needle.strip():
        return
    copy_width, to_end = width_of([*wanted, *page.split(reading.new)]), wanted[-1].strip() != ""
    for first, _, last, width in page.bare.find(needle, from_start=True, to_end=to_end):
        stop = width and width + len(lead_of(page.lines[last]))
        found = _cut(page.lines[first : last + 1], 0, stop)
        pairs = [(lead_of(old), lead_of(line)) for old, line in zip(wanted, found, strict=True) if old.strip()]
        if all(old == line for old, line in pairs):
            continue
        if shift := shift_between(pairs, copy_width=copy_width, file_width=page.width):
            ignoring = _differences(page, reading, [*map(body_of, found)], [*map(body_of, wanted)])
            yield Place(page.starts[first], page.starts[last] + stop, ignoring | {"indentation"}, shift)


def _cut(lines: list[str], start: int, stop: int) -> list[str]:
    """Lines of which the first begins and the last ends somewhere inside."""
    lines[-1] = lines[-1][:stop]
    lines[0] = lines[0][start:]
    return lines


def _differences(page: Page, reading: Reading, found: list[str], wanted: list[str]) -> Tolerances:
    """What must be ignored for the lines to be the same."""
    needed: set[Tolerance] = {"typography"} if reading.typography else set()
    if page.endings.cr and len(found) > 1:
        needed.add("line endings")
    for there, copied in zip(found, wanted, strict=True):
        if there.endswith("\r") != copied.endswith("\r"):
            needed.add("line endings")
        body, copied_body = there.rstrip(_BLANKS), copied.rstrip(_BLANKS)
        if body != copied_body:
            needed.add("typography")
        if there.removeprefix(body).removesuffix("\r") != copied.removeprefix(copied_body).removesuffix("\r"):
            needed.add("trailing blanks")
    return frozenset(needed)
