"""Schemas of parameters, and arguments against them."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.core.errors import ArgumentError
from ferrule.extend.shape import fitted, flaw_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2, "maxLength": 10},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "unit": {"type": "string", "enum": ["celsius", "kelvin"]},
        "exact": {"type": "boolean"},
        "level": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        "place": {
            "type": "object",
            "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
            "required": ["lat", "lon"],
            "additionalProperties": False,
        },
        "when": {"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["now"]}]},
        "one": {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        "both": {"allOf": [{"type": "integer"}, {"minimum": 3}]},
        "fixed": {"const": "x"},
        "free": {},
        "none": False,
        "maybe": {"type": ["string", "null"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}

FITTING: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"city": "Rome"}, {}),
    ({"city": "Rome", "days": 3, "unit": "kelvin", "exact": True, "level": 0.5}, {}),
    ({"city": "Rome", "days": 3.0, "tags": ["a"], "place": {"lat": 1, "lon": 2.5}}, {}),
    ({"city": "Rome", "when": "now", "one": 2.5, "both": 3, "fixed": "x", "free": [{}], "maybe": None}, {}),
    ({"city": "Rome", "days": "3"}, {"city": "Rome", "days": 3}),
    ({"city": "Rome", "exact": "True"}, {"city": "Rome", "exact": True}),
    ({"city": "Rome", "days": None, "unit": None}, {"city": "Rome"}),
    ({"city": "Rome", "tags": '["a", "b"]'}, {"city": "Rome", "tags": ["a", "b"]}),
    ({"city": "Rome", "place": '{"lat": 1, "lon": 2}'}, {"city": "Rome", "place": {"lat": 1, "lon": 2}}),
]
MISFITS: list[tuple[dict[str, Any], str]] = [
    ({}, "it needs the parameter `city`"),
    ({"city": None}, "expected `string`, got `null` for `city`"),
    ({"city": 3}, "expected `string`, got `integer` for `city`"),
    ({"city": "R"}, "the value must have at least 2 characters for `city`"),
    ({"city": "R" * 11}, "the value must have at most 10 characters for `city`"),
    ({"city": "Rome", "dayz": 3}, "there is no parameter dayz; there is days"),
    ({"city": "Rome", "days": 0}, "the value must be at least 1 for `days`"),
    ({"city": "Rome", "days": 15}, "the value must be at most 14 for `days`"),
    ({"city": "Rome", "days": 2.5}, "expected `integer`, got `number` for `days`"),
    ({"city": "Rome", "days": True}, "expected `integer`, got `boolean` for `days`"),
    ({"city": "Rome", "days": "many"}, "expected `integer`, got `string` for `days`"),
    ({"city": "Rome", "unit": "f"}, '"f" is not one of "celsius", "kelvin" for `unit`'),
    ({"city": "Rome", "level": 0}, "the value must be more than 0 for `level`"),
    ({"city": "Rome", "level": 1}, "the value must be less than 1 for `level`"),
    ({"city": "Rome", "tags": []}, "the value must have at least 1 items for `tags`"),
    ({"city": "Rome", "tags": ["a", "b", "c"]}, "the value must have at most 2 items for `tags`"),
    ({"city": "Rome", "tags": ["a", 2]}, "expected `string`, got `integer` for `tags[1]`"),
    ({"city": "Rome", "place": {"lat": 1}}, "it needs the parameter `lon` for `place`"),
    ({"city": "Rome", "place": {"lat": 1, "long": 2}}, "there is no parameter long for `place`; there is lon"),
    ({"city": "Rome", "place": {"lat": 1, "lon": "x"}}, "expected `number`, got `string` for `place.lon`"),
    (
        {"city": "Rome", "when": "then"},
        (
            "nothing of what it can be fits for `when`: expected `integer`, got `string` for `when`; "
            '"then" is not one of "now" for `when`'
        ),
    ),
    ({"city": "Rome", "one": 2}, "it could be two things at once for `one`"),
    ({"city": "Rome", "both": 2}, "the value must be at least 3 for `both`"),
    ({"city": "Rome", "fixed": "y"}, '"y" is not "x" for `fixed`'),
    ({"city": "Rome", "none": 1}, "there must be nothing for `none`"),
    ({"city": "Rome", "maybe": 1}, "expected `string` or `null`, got `integer` for `maybe`"),
]


def test_the_schema_is_one() -> None:
    assert flaw_of(SCHEMA) is None


@pytest.mark.parametrize(("input", "meant"), FITTING, ids=str)
def test_arguments_that_fit(input: dict[str, Any], meant: dict[str, Any]) -> None:
    assert fitted(input, SCHEMA, "weather") == (meant or input)


@pytest.mark.parametrize(("input", "words"), MISFITS, ids=str)
def test_arguments_that_do_not_fit(input: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        fitted(input, SCHEMA, "weather")
    assert str(caught.value) == f"weather: {words}."


def test_more_than_the_schema_says() -> None:
    assert fitted({"x": 1}, {"type": "object", "properties": {}}, "free") == {"x": 1}
    numbers = {"type": "object", "additionalProperties": {"type": "number"}}
    assert fitted({"x": 1}, numbers, "free") == {"x": 1}
    with pytest.raises(ArgumentError, match="expected `number`, got `string` for `x`"):
        fitted({"x": "y"}, numbers, "free")


def of(**schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}}


DEEP: dict[str, Any] = {"type": "array"}
for _ in range(20):
    DEEP = {"type": "array", "items": DEEP}

FLAWS: list[tuple[Any, str]] = [
    (None, "are not an object"),
    ([], "are not an object"),
    ({}, 'need "type": "object" at the top'),
    ({"type": ["object"]}, 'need "type": "object" at the top'),
    ({"type": "object", "properties": []}, "have properties that are not an object"),
    ({"type": "object", "required": "x"}, "have a required that is not a list of names"),
    ({"type": "object", "required": [3]}, "have a required that is not a list of names"),
    ({"type": "object", "properties": {"x": "string"}}, "hold no schema at x"),
    (of(type="strin"), 'have the type "strin", which there is not at x'),
    (of(type=["string", 3]), "have the type 3, which there is not at x"),
    (of(type={"a": 1}), 'have the type {"a":1}, which there is not at x'),
    (of(enum=[]), "have an enum without values at x"),
    (of(enum="abc"), "have an enum without values at x"),
    (of(anyOf={}), "have an anyOf or oneOf or allOf that is not a list at x"),
    (of(anyOf=[3]), "hold no schema at x.anyOf[0]"),
    (of(minimum="3"), "have a minimum that is not a number at x"),
    (of(items=[{"type": "string"}]), "hold no schema at x.items"),
    (of(**{"$ref": "#/definitions/y"}), "use $ref at x, which is not understood here"),
    (of(type="object", properties={"y": {"type": 3}}), "have the type 3, which there is not at x.y"),
    (of(**DEEP), "are nested too deep at x" + ".items" * 16),
]


@pytest.mark.parametrize(("schema", "words"), FLAWS, ids=lambda value: str(value)[:60])
def test_schemas_that_are_none(schema: Any, words: str) -> None:
    assert flaw_of(schema) == words


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "enum", "required", "anyOf", "minimum", "x", "additionalProperties"]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    schema=st.dictionaries(st.sampled_from(["properties", "required", "additionalProperties", "x"]), JSON), input=JSON
)
def test_no_schema_and_no_arguments_raise_anything_else(schema: dict[str, Any], input: Any) -> None:
    schema["type"] = "object"
    if flaw_of(schema) is None and isinstance(input, dict):
        with suppress(ArgumentError):
            assert isinstance(fitted(input, schema, "any"), dict)
