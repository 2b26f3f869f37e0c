"""What an edit changed, as a unified diff. It is made from the changes themselves, so a large file costs nothing."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple

CONTEXT = 3
MOST_LINES = 200
WIDEST_LINE = 300
_MOST_PAIRS = 250_000
"""Beyond so many pairs of items, comparing them all takes longer than it is worth."""


class Change(NamedTuple):
    """A stretch of a text that gets other words."""

    start: int
    end: int
    text: str


class Block(NamedTuple):
    """Neighbouring lines that become other lines."""

    start: int
    old: list[str]
    new: list[str]


def splice(text: str, changes: Sequence[Change]) -> str:
    """Carry out the changes, which are in order and do not overlap."""
    pieces: list[str] = []
    done = 0
    for change in changes:
        pieces += text[done : change.start], change.text
        done = change.end
    return "".join([*pieces, text[done:]])


def steps(old: Sequence[str], new: Sequence[str]) -> list[tuple[bool, int, int, int, int]]:
    """How one sequence becomes the other: whether the items stay, and where they are in the old and the new."""
    head = tail = 0
    shorter = min(len(old), len(new))
    while head < shorter and old[head] == new[head]:
        head += 1
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    low, high = len(old) - tail, len(new) - tail
    found = [(True, 0, head, 0, head), *_inner(old, new, head, low, high)]
    found.append((True, low, len(old), high, len(new)))
    return [step for step in found if step[1] < step[2] or step[3] < step[4]]


def _inner(
    old: Sequence[str], new: Sequence[str], head: int, low: int, high: int
) -> list[tuple[bool, int, int, int, int]]:
    if (low - head) * (high - head) > _MOST_PAIRS:
        return [(False, head, low, head, high)]
    matcher = SequenceMatcher(None, old[head:low], new[head:high], autojunk=False)
    return [(tag == "equal", i + head, j + head, k + head, m + head) for tag, i, j, k, m in matcher.get_opcodes()]


def unified(name: str, before: str, changes: Sequence[Change], *, most: int = MOST_LINES) -> str:
    """A unified diff, cut short where it gets too long to be read."""
    separator = "\r" if "\r" in before and "\n" not in before else "\n"
    lines = _lines(before, separator)
    out = [f"--- {name}", f"+++ {name}"]
    drift = 0
    for hunk in _hunks(_blocks(lines, before, changes, separator), most):
        if len(out) >= most:
            out.append("… and more changes further down")
            break
        text, drift = _print(hunk, lines, drift)
        out += text
    if len(out) > most:
        left = len(out) - most
        out[most:] = [f"… and {left} more line{'s' * (left > 1)} of this diff"]
    return "\n".join(out)


def _lines(text: str, separator: str) -> list[str]:
    """Lines with their ends; the last one has none."""
    *lines, last = text.split(separator)
    return [line + separator for line in lines] + ([last] if last else [])


def _blocks(lines: list[str], before: str, changes: Sequence[Change], separator: str) -> Iterator[Block]:
    """The lines that changes touch, without those at the edges that stay the same."""
    starts = [0, *accumulate(map(len, lines))]
    todo = list(reversed(changes))
    while todo:
        first = last = _line_at(starts, todo[-1].start)
        touching: list[Change] = []
        while todo and _line_at(starts, todo[-1].start) <= last:
            last = _line_at(starts, todo[-1].end)
            touching.append(todo.pop())
        start, end = starts[first], starts[min(last + 1, len(lines))]
        moved = [Change(low - start, high - start, text) for low, high, text in touching]
        new = _lines(splice(before[start:end], moved), separator)
        for stays, i, j, k, m in steps(lines[first : last + 1], new):
            if not stays:
                yield Block(first + i, lines[first + i : first + j], new[k:m])


def _line_at(starts: list[int], position: int) -> int:
    return bisect_right(starts, position) - 1


def _hunks(blocks: Iterator[Block], most: int) -> Iterator[list[Block]]:
    """Put blocks together whose contexts would touch, until there are more than will be shown."""
    hunk: list[Block] = []
    for block in blocks:
        gap = block.start - (hunk[-1].start + len(hunk[-1].old)) if hunk else 0
        if gap > 2 * CONTEXT or len(hunk) > most:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _print(hunk: list[Block], lines: list[str], drift: int) -> tuple[list[str], int]:
    """The lines of a hunk, and by how many lines the text behind it has moved."""
    start = max(hunk[0].start - CONTEXT, 0)
    end = min(hunk[-1].start + len(hunk[-1].old) + CONTEXT, len(lines))
    more = sum(len(block.new) - len(block.old) for block in hunk)
    out = [f"@@ -{_span(start, end - start)} +{_span(start + drift, end - start + more)} @@"]
    done = start
    for block in hunk:
        out += (_line(" ", line) for line in lines[done : block.start])
        out += (_line("-", line) for line in block.old)
        out += (_line("+", line) for line in block.new)
        done = block.start + len(block.old)
    out += (_line(" ", line) for line in lines[done:end])
    return out, drift + more


def _span(start: int, length: int) -> str:
    return f"{start + (length > 0)},{length}"


def _line(mark: str, line: str) -> str:
    text = line.rstrip("\r\n")
    if len(text) > WIDEST_LINE:
        text = f"{text[:WIDEST_LINE]}… ({len(text)} characters)"
    return f"{mark}{text}" if line.endswith(("\n", "\r")) else f"{mark}{text}\n\\ No newline at end of file"
