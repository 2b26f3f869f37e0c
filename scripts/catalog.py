"""`make catalog`: writes the catalogue of models, their windows and prices, from the package genai-prices."""

import datetime as dt
import importlib.metadata
import re
from pathlib import Path
from typing import Any

import msgspec
from genai_prices import data, types

TARGET = Path(__file__).parent.parent / "src" / "ferrule" / "llm" / "catalog.json"
PROVIDERS = {
    "anthropic", "cerebras", "deepseek", "fireworks", "google", "groq", "minimax", "mistral", "moonshotai",
    "openai", "openrouter", "together", "x-ai", "zai",
}  # fmt: skip
FIELDS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")


def pattern(clause: Any) -> str:
    """One regular expression for a clause that says which names a model goes by."""
    match clause:
        case types.ClauseEquals(equals=text):
            return f"^{re.escape(text)}$"
        case types.ClauseStartsWith(starts_with=text):
            return f"^{re.escape(text)}"
        case types.ClauseEndsWith(ends_with=text):
            return f"{re.escape(text)}$"
        case types.ClauseContains(contains=text):
            return re.escape(text)
        case types.ClauseRegex(regex=text):
            return str(text)
        case types.ClauseOr(or_=parts):
            return "|".join(f"(?:{pattern(part)})" for part in parts)
        case types.ClauseAnd(and_=parts):
            return "".join(f"(?=.*(?:{pattern(part).removeprefix('^')}))" for part in parts)
    raise ValueError(clause)


def current(prices: Any, today: dt.date) -> Any:
    """The prices that hold today."""
    if not isinstance(prices, list):
        return prices
    valid = [
        one for one in prices if one.constraint is None or getattr(one.constraint, "start_date", dt.date.max) <= today
    ]
    return valid[-1].prices


def rates(prices: Any) -> list[list[float | None]]:
    """Rows of `[from how many tokens, input, output, cache read, cache write]`, US dollars a million tokens."""
    values = [getattr(prices, field, None) for field in FIELDS]
    starts = {0} | {tier.start for value in values if isinstance(value, types.TieredPrices) for tier in value.tiers}
    return [[start, *(_at(value, start) for value in values)] for start in sorted(starts)]


def _at(value: Any, start: int) -> float | None:
    if isinstance(value, types.TieredPrices):
        applying = [tier.price for tier in value.tiers if tier.start <= start]
        value = applying[-1] if applying else value.base
    return None if value is None else float(value)


def main() -> None:
    """Write the file."""
    today = dt.datetime.now(tz=dt.UTC).date()
    models = {
        provider.id: {
            model.id: {
                "match": pattern(model.match),
                "window": model.context_window,
                "rates": rates(current(model.prices, today)),
            }
            for model in provider.models
        }
        for provider in data.providers
        if provider.id in PROVIDERS
    }
    source = f"genai-prices {importlib.metadata.version('genai-prices')}"
    lines = [f'{{"source": "{source}", "models": {{']
    for number, (provider, entries) in enumerate(sorted(models.items())):
        lines.append(f'{"," if number else ""}"{provider}": {{')
        rows = [
            f"{msgspec.json.encode(name).decode()}: {msgspec.json.encode(entry).decode()}"
            for name, entry in sorted(entries.items())
        ]
        lines.append(",\n".join(rows))
        lines.append("}")
    lines.append("}}")
    TARGET.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{sum(map(len, models.values()))} models from {source}")


if __name__ == "__main__":
    main()
