"""The records of a series as tables: success, turns, tokens and time, by kind and overall, and what failed and why."""

import statistics
from collections.abc import Iterable, Iterator, Sequence

from ferrule.bench.record import Record
from ferrule.bench.task import KINDS

OVERALL = "overall"
_HEAD = ("agent", "kind", "success", "", "turns", "tokens in", "tokens out", "seconds")
_LEFT = 2
"""Columns of words; the others are numbers and stand to the right."""


def tables(records: Sequence[Record]) -> str:
    """All there is to say about a series."""
    return "\n".join((*_aligned([_HEAD, *_rows(records)]), *_failures(records)))


def told(record: Record) -> str:
    """What came of a trial, on one line."""
    verdict = "ok" if record.success else f"FAILED: {record.why}"
    tokens = "" if record.tokens_in is None else f"{record.tokens_in}+{record.tokens_out} tokens, "
    turns = "" if record.turns is None else f"{record.turns} turns, "
    return f"{record.agent} {record.kind}/{record.task}: {turns}{tokens}{record.seconds:.1f} s, {verdict}"


def _rows(records: Sequence[Record]) -> Iterator[Sequence[str]]:
    """A row for every kind and one for all, agent by agent."""
    for who in dict.fromkeys((record.agent, record.model) for record in records):
        mine = [record for record in records if (record.agent, record.model) == who]
        for kind in (*KINDS, OVERALL):
            group = [record for record in mine if kind in {record.kind, OVERALL}]
            if group:
                yield _row(" ".join(filter(None, who)), kind, group)


def _row(agent: str, kind: str, group: Sequence[Record]) -> Sequence[str]:
    right = sum(record.success for record in group)
    return (
        agent,
        kind,
        f"{right} of {len(group)}",
        f"{100 * right / len(group):.0f} %",
        _median(record.turns for record in group),
        _median(record.tokens_in for record in group),
        _median(record.tokens_out for record in group),
        _median((record.seconds for record in group), digits=1),
    )


def _median(numbers: Iterable[float | None], *, digits: int = 0) -> str:
    known = [number for number in numbers if number is not None]
    return f"{statistics.median(known):,.{digits}f}" if known else "–"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place < _LEFT else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _failures(records: Sequence[Record]) -> Iterator[str]:
    failed = [record for record in records if not record.success]
    if failed:
        yield ""
        yield "failed:"
    for record in failed:
        reason = "" if record.exit_reason == "end_turn" else f" ({record.exit_reason})"
        yield f"  {record.agent} {record.kind}/{record.task} #{record.number}{reason}: {record.why}"
