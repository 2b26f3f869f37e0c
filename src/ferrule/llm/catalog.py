"""What is known of models: how much fits into their window, and what their tokens cost.

`catalog.json` is generated (`make catalog`) and never edited; the user's own entries stand above it.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec

from ferrule.core.messages import Usage, Value

Rates = tuple[float, float | None, float | None, float | None, float | None]
"""From how many tokens of prompt it holds; then input, output, cache read, cache write: US dollars a million."""


class Known(Value, frozen=True, kw_only=True):
    """What is known of one model."""

    match: str = ""
    window: int | None = None
    rates: tuple[Rates, ...] = ()

    def cost(self, usage: Usage) -> float | None:
        """What these tokens cost in US dollars, or nothing where no price is known."""
        prompt = usage.input + usage.cache_read + usage.cache_write
        holding = [rates for rates in self.rates if rates[0] <= prompt]
        _, price, answer, read, write = holding[-1] if holding else (0, None, None, None, None)
        if price is None:
            return None
        return (
            usage.input * price
            + usage.output * (answer or 0.0)
            + usage.cache_read * (price if read is None else read)
            + usage.cache_write * (price if write is None else write)
        ) / 1_000_000

    def extra_cost(self, tokens: int) -> float | None:
        """What so many tokens of prompt cost more when the provider does not have them ready."""
        fresh, ready = self.cost(Usage(input=tokens)), self.cost(Usage(cache_read=tokens))
        return fresh - ready if fresh is not None and ready is not None else None


class _File(Value, frozen=True, kw_only=True):
    source: str
    models: dict[str, msgspec.Raw]
    """By provider; only the one that is asked for is read."""


@lru_cache(maxsize=1)
def _catalogue() -> _File:
    path = Path(__file__).with_name("catalog.json")
    return msgspec.json.decode(path.read_bytes(), type=_File)


def source() -> str:
    """Where the catalogue came from, and of which version."""
    return _catalogue().source


@lru_cache(maxsize=64)
def _generated(provider: str, model: str) -> Known | None:
    raw = _catalogue().models.get(provider, msgspec.Raw(b"{}"))
    entries = msgspec.json.decode(raw, type=dict[str, Known])
    if model in entries:
        return entries[model]
    return next((known for known in entries.values() if re.search(known.match, model)), None)


def look_up(provider: str, model: str, own: Mapping[str, Known] | None = None) -> Known:
    """What is known of a model: the user's own entry first, `provider/model` or `model`; then the catalogue."""
    for name in (f"{provider}/{model}", model):
        if own and name in own:
            return own[name]
    return _generated(provider, model) or Known()
