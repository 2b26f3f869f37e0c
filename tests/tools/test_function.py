"""Plain functions as tools."""

import functools
import pathlib
from collections.abc import Callable
from typing import Any, Literal

import pytest

from ferrule.core.errors import ArgumentError, UsageError
from ferrule.core.tool import Effect
from ferrule.tools.function import FunctionTool, tool


def test_a_function_tells_the_model_what_it_is() -> None:
    @tool(effect="read")
    def weather(city: str, days: int = 1, unit: Literal["C", "F"] = "C") -> str:
        """Tell the weather."""
        return f"{city} {days} {unit}"

    assert (weather.spec.name, weather.spec.description) == ("weather", "Tell the weather.")
    assert weather.spec.schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "unit": {"type": "string", "enum": ["C", "F"]},
        },
        "required": ["city"],
    }
    args = weather.parse({"city": "Ulm", "days": "3"})
    assert (args.city, args.days, args.unit) == ("Ulm", 3, "C")
    assert weather.effects(args) == (Effect("read", "weather"),)
    assert weather("Ulm") == "Ulm 1 C"
    with pytest.raises(ArgumentError, match="weather: it needs the parameter `city`"):
        weather.parse({})


def no_hint(x):  # type: ignore[no-untyped-def]
    return x


def many(*words: str) -> str:
    return "".join(words)


def odd(path: pathlib.Path) -> str:
    return str(path)


def function(what: Callable[[], str]) -> str:
    return what()


def undefined(x: "Nowhere") -> str:  # type: ignore[name-defined]  # noqa: F821
    return str(x)


@pytest.mark.parametrize("given", [no_hint, many, odd, function, undefined])
def test_what_cannot_become_a_tool_is_said(given: Any) -> None:
    with pytest.raises(UsageError, match=given.__name__):
        FunctionTool(given)


def test_a_callable_that_tells_nothing_of_itself_is_refused() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    with pytest.raises(UsageError, match="add_one cannot become a tool"):
        FunctionTool(functools.partial(add, b=1), name="add_one")
