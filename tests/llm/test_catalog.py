"""Windows and prices."""

import pytest

from ferrule.core.messages import Usage
from ferrule.llm.catalog import Known, look_up, source


def test_the_catalogue_says_where_it_came_from() -> None:
    assert source().startswith("genai-prices ")


@pytest.mark.parametrize("name", ["claude-sonnet-5-5", "claude-sonnet-5-5-20261001"])
def test_a_model_is_found_by_its_id_and_by_its_dated_names(name: str) -> None:
    known = look_up("anthropic", name)
    assert known.window == 1_000_000
    assert known.cost(Usage(input=1_000_000)) == 2.0
    assert known.cost(Usage(output=500_000, cache_read=1_000_000, cache_write=1_000_000)) == pytest.approx(7.6)


def test_prices_that_rise_with_the_prompt() -> None:
    known = look_up("anthropic", "claude-haiku-5-5")
    assert known.cost(Usage(input=50_000)) == pytest.approx(0.005)
    assert known.cost(Usage(input=200_000, output=1000)) == pytest.approx(0.1025)


def test_what_is_not_known_has_no_price() -> None:
    assert look_up("ollama", "qwen3:8b") == Known()
    assert look_up("anthropic", "no-such-model").cost(Usage(input=5)) is None


def test_the_users_own_entries_stand_above() -> None:
    own = {"openai/gpt-5": Known(window=9, rates=((0, 1.0, 2.0, None, None),)), "mine": Known(window=7)}
    assert look_up("openai", "gpt-5", own).window == 9
    assert look_up("openai-compatible", "mine", own).window == 7
    assert look_up("openai", "gpt-5", own).cost(Usage(cache_read=1_000_000)) == 1.0
