"""The text of a file that is nearest to one that is not in it, so that an error can show what is there instead."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice

from ferrule.core.regex import lazy
from ferrule.tools.match import Page

_WORD = lazy(r"\w{3,}")
_TOKEN = lazy(r"\w+|[^\w\s]")
_SHORT = 200
_MOST_LINES = 40
_MOST_WORDS = 20
_MOST_HITS = 30
_MOST_WINDOWS = 20
_MOST_TOKENS = 200
_LEAST_LIKENESS = 0.55
_SHOWN_LINES = 12
_WIDEST_LINE = 300


def nearest(page: Page, old: str) -> str:
    """Lines of the file that are most like a text, with their numbers; empty if none are.

    Lines and words that both have in common say where to look; only the most promising places are compared.
    """
    wanted = [line.strip() for line in page.split(old.strip("\r\n"))]
    text = "\n".join(wanted)
    parts = list if len(text) < _SHORT else _tokens
    matcher = SequenceMatcher(None, b=parts(text.lower()), autojunk=False)
    best, likeness = None, _LEAST_LIKENESS
    for start in _promising(page, wanted):
        window = "\n".join(page.bare.lines[start : start + len(wanted)])
        matcher.set_seq1(parts(window[: 2 * len(text)].lower()))
        if matcher.quick_ratio() > likeness and (ratio := matcher.ratio()) > likeness:
            best, likeness = start, ratio
    return "" if best is None else _shown(page, wanted, best)


def _tokens(text: str) -> list[str]:
    return [match[0] for match in islice(_TOKEN.finditer(text), _MOST_TOKENS)]


def _promising(page: Page, wanted: list[str]) -> Sequence[int]:
    """The lines where the text may begin, if its lines and words stand where they should; rare ones count more."""
    votes: Counter[int] = Counter()
    for offset, clue, hits in _clues(page, wanted[:_MOST_LINES]):
        for line in hits:
            votes[max(line - offset, 0)] += len(clue) * 100 // len(hits)
    if not votes:
        return range(min(len(page.lines), _MOST_WINDOWS))
    return [start for start, _ in votes.most_common(_MOST_WINDOWS)]


def _clues(page: Page, wanted: list[str]) -> Iterator[tuple[int, str, list[int]]]:
    """Whole lines and the longest words, each with its own line and the lines of the file where it stands."""
    offsets = {line: offset for offset, line in enumerate(wanted) if line}
    same: dict[str, list[int]] = {line: [] for line in offsets}
    for number, line in enumerate(page.bare.lines):
        if line in same and len(same[line]) < _MOST_HITS:
            same[line].append(number)
    yield from ((offsets[line], line, hits) for line, hits in same.items())
    words = {word: offset for offset, line in enumerate(wanted) for word in _WORD.findall(line)}
    parts = {part: offset for word, offset in words.items() for part in word.split("_") if len(part) > 2}
    longest = sorted({**parts, **words}.items(), key=lambda item: -len(item[0]))
    for word, offset in longest[:_MOST_WORDS]:
        yield offset, word, list(islice(_lines_with(page, word), _MOST_HITS))


def _lines_with(page: Page, word: str) -> Iterator[int]:
    position = page.text.find(word)
    while position >= 0:
        yield page.line_of(position)
        position = page.text.find(word, position + len(word))


def _shown(page: Page, wanted: list[str], start: int) -> str:
    """The lines as they stand in the file, around the first that differs."""
    lines = page.lines[start : start + len(wanted)]
    pairs = enumerate(zip(lines, wanted, strict=False))
    first = next((number for number, (line, want) in pairs if line.strip() != want), 0)
    skipped = max(0, min(first - 3, len(lines) - _SHOWN_LINES))
    numbered = enumerate(lines[skipped : skipped + _SHOWN_LINES], start + skipped + 1)
    return "\n".join(f"{number:>6}\t{line.rstrip(chr(13))[:_WIDEST_LINE]}" for number, line in numbered)
