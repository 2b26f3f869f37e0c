"""The results of a measurement as a table, or on one line each."""

from collections.abc import Sequence

from ferrule.probe.series import Result


def table(results: Sequence[Result]) -> str:
    """A row for each probe: what came of it, and what else there is to say."""
    rows = [(result.probe, result.words, result.note) for result in results]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    return "\n".join("  ".join(row).rstrip() for row in cells)


def told(result: Result) -> str:
    """A result on one line."""
    return f"{result.probe}: {result.words}" + (f" ({result.note})" if result.note else "")
