"""Charts of a session as inline SVG: time and tokens by turn, and what it cost.

The shapes are stretched to the width of the page, so all words stand around them as HTML. No colour stands here:
classes name what a shape shows, and the page's style says how that looks.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ferrule.front.export.figures import Turn, grouped
from ferrule.front.terminal.show.words import amount, count, dollars, duration

MOST_BARS = 200
_LEAST_BARS = 20
"""The room that a short session gets, so that its bars do not become walls."""
_SHORTEST = 0.05
"""Seconds that are worth a word."""
_BAR, _GAP, _HEIGHT = 10, 2, 100


class _Series(NamedTuple):
    """One of the things that bars are stacked of."""

    name: str
    style: str
    value: Callable[[Turn], float]


class _Chart(NamedTuple):
    """A chart of stacked bars."""

    title: str
    written: Callable[[float], str]
    series: tuple[_Series, ...]


_TIME = _Chart(
    "Time",
    duration,
    (_Series("model", "a", lambda turn: turn.thought), _Series("tools", "b", lambda turn: turn.worked)),
)
_TOKENS = _Chart(
    "Tokens",
    lambda number: amount(int(number)),
    (
        _Series("cached input", "c", lambda turn: turn.usage.cache_read),
        _Series("new input", "a", lambda turn: turn.usage.input + turn.usage.cache_write),
        _Series("output", "b", lambda turn: turn.usage.output),
    ),
)


def charts(turns: Sequence[Turn]) -> Iterator[str]:
    """The charts that have something to show, and a table of what they show."""
    bars = grouped(turns, most=MOST_BARS)
    if not bars:
        return
    yield '<section class="figures" aria-label="Figures">'
    yield from (_stacked(chart, bars) for chart in (_TIME, _TOKENS))
    yield _cost(bars)
    yield _table(bars)
    yield "</section>"


def _stacked(chart: _Chart, bars: Sequence[Turn]) -> str:
    """Bars, one above the other, as high as their values."""
    heights = [[one.value(bar) for one in chart.series] for bar in bars]
    highest = max(map(sum, heights))
    if highest <= 0:
        return ""
    shapes: list[str] = []
    for place, (bar, values) in enumerate(zip(bars, heights, strict=True)):
        said = ", ".join(
            f"{one.name} {chart.written(value)}" for one, value in zip(chart.series, values, strict=True) if value
        )
        tops = list(accumulate(values, initial=0.0))
        rects = "".join(
            _rect(one.style, place, top / highest, value / highest)
            for one, top, value in zip(chart.series, tops[:-1], values, strict=True)
            if value > 0
        )
        shapes.append(_bar(bar, place, f"{_name(bar)}: {said or 'nothing'}", rects))
    keys = [(one.style, one.name, sum(map(one.value, bars))) for one in chart.series]
    legend = "".join(
        f'<span class="key {style}">{name} {chart.written(total)}</span>' for style, name, total in keys if total
    )
    size = bars[0].last - bars[0].first + 1
    title = f"{chart.title} by {'turn' if size == 1 else count(size, 'turn')}"
    return _figure(title, legend, chart.written(highest), bars, "".join(shapes))


def _cost(bars: Sequence[Turn]) -> str:
    """What it cost up to each turn."""
    if all(bar.cost is None for bar in bars):
        return ""
    sums = list(accumulate(bar.cost or 0.0 for bar in bars))
    most = sums[-1]
    if most <= 0:
        return ""
    steps = "".join(f"V{_HEIGHT * (1 - total / most):.1f}H{(place + 1) * _BAR}" for place, total in enumerate(sums))
    area = f'<path class="area" d="M0 {_HEIGHT}{steps}V{_HEIGHT}Z"/>'
    hits = "".join(
        _bar(bar, place, f"{_name(bar)}: {_money(bar.cost)}, {dollars(total)} in all", "")
        for place, (bar, total) in enumerate(zip(bars, sums, strict=True))
    )
    unknown = '<span class="dim">of some turns it is not known</span>' if any(b.cost is None for b in bars) else ""
    return _figure("Cost, added up", unknown, dollars(most), bars, area + hits)


def _figure(title: str, legend: str, most: str, bars: Sequence[Turn], shapes: str) -> str:
    width = max(len(bars), _LEAST_BARS) * _BAR
    return (
        f'<figure class="chart"><figcaption><b>{title}</b>{legend}<span class="most">up to {most}</span></figcaption>'
        f'<svg viewBox="0 0 {width} {_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{title}, '
        f'at most {most}; the table below has the figures">{shapes}</svg></figure>'
    )


def _bar(bar: Turn, place: int, said: str, shapes: str) -> str:
    """A bar that says what it shows and leads to its turn; all of its column can be pointed at."""
    column = f'<rect class="hit" x="{place * _BAR}" y="0" width="{_BAR}" height="{_HEIGHT}"/>'
    return f'<a href="#t{bar.first}" tabindex="-1"><title>{said}</title>{column}{shapes}</a>'


def _rect(style: str, place: int, start: float, size: float) -> str:
    height = max(0.5, _HEIGHT * size)
    top = max(0.0, _HEIGHT * (1 - start) - height)
    x, width = place * _BAR + _GAP // 2, _BAR - _GAP
    return f'<rect class="{style}" x="{x}" y="{top:.1f}" width="{width}" height="{height:.1f}"/>'


def _table(bars: Sequence[Turn]) -> str:
    heads = ("turn", "model", "tools", "waiting", "new input", "cached", "output", "cost")
    head = "".join(f"<th>{name}</th>" for name in heads)
    rows = "".join(f'<tr><td><a href="#t{bar.first}">{_numbers(bar)}</a></td>{_cells(bar)}</tr>' for bar in bars)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    summary = "<summary>The figures as a table</summary>"
    return f'<details class="table">{summary}<div class="scroll" tabindex="0">{table}</div></details>'


def _cells(bar: Turn) -> str:
    usage = bar.usage
    times = (duration(seconds) if seconds >= _SHORTEST else "" for seconds in (bar.thought, bar.worked, bar.waited))
    tokens = (f"{number:,}" for number in (usage.input + usage.cache_write, usage.cache_read, usage.output))
    return "".join(f"<td>{cell}</td>" for cell in (*times, *tokens, _money(bar.cost)))


def _money(cost: float | None) -> str:
    return "unknown" if cost is None else dollars(cost)


def _name(bar: Turn) -> str:
    return f"{'Turn' if bar.first == bar.last else 'Turns'} {_numbers(bar)}"


def _numbers(bar: Turn) -> str:
    return str(bar.first) if bar.first == bar.last else f"{bar.first}–{bar.last}"
