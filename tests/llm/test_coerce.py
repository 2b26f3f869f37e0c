"""Values that the schema wants otherwise, where only one thing can be meant."""

from typing import Any

import pytest

from ferrule.llm.coerce import coerce

PROPERTIES: dict[str, Any] = {
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "flag": {"type": "boolean"},
    "text": {"type": "string"},
    "names": {"type": "array", "items": {"type": "string"}},
    "numbers": {"type": "array", "items": {"type": "integer"}},
    "anything": {"type": "array"},
    "point": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}},
    "points": {"type": "array", "items": {"$ref": "#/$defs/point"}},
    "level": {"enum": ["low", "high", 3]},
    "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "either": {"type": ["integer", "boolean"]},
    "both": {"type": ["string", "integer"]},
    "shape": {"oneOf": [{"properties": {"r": {"type": "integer"}}}, {"properties": {"r": {"type": "string"}}}]},
    "free": {},
    "loop": {"$ref": "#/$defs/loop"},
    "knot": {"$ref": "#/$defs/knot"},
    "lost": {"$ref": "#/$defs/nowhere"},
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": PROPERTIES,
    "required": ["text"],
    "$defs": {
        "point": PROPERTIES["point"],
        "loop": {"$ref": "#/$defs/loop"},
        "knot": {"anyOf": [{"$ref": "#/$defs/knot"}, {"type": "integer"}]},
    },
}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"count": "5"}, {"count": 5}),
        ({"count": " -12 "}, {"count": -12}),
        ({"count": 5.0}, {"count": 5}),
        ({"count": "5.0"}, {"count": 5}),
        ({"ratio": "0.5"}, {"ratio": 0.5}),
        ({"ratio": "7"}, {"ratio": 7}),
        ({"ratio": 7}, {"ratio": 7}),
        ({"flag": "true"}, {"flag": True}),
        ({"flag": "False"}, {"flag": False}),
        ({"flag": "TRUE"}, {"flag": True}),
        ({"text": 5}, {"text": "5"}),
        ({"text": 10**20}, {"text": "1" + "0" * 20}),
        ({"names": '["a", "b"]'}, {"names": ["a", "b"]}),
        ({"names": "['a', 'b',]"}, {"names": ["a", "b"]}),
        ({"names": "a.py"}, {"names": ["a.py"]}),
        ({"names": [1, "b"]}, {"names": ["1", "b"]}),
        ({"numbers": 3}, {"numbers": [3]}),
        ({"numbers": ["3", 4.0]}, {"numbers": [3, 4]}),
        ({"point": '{"x": "3"}'}, {"point": {"x": 3}}),
        ({"points": {"x": 1}}, {"points": [{"x": 1}]}),
        ({"points": '[{"x": "1"}, {"y": 2.0}]'}, {"points": [{"x": 1}, {"y": 2}]}),
        ({"level": "3"}, {"level": 3}),
        ({"limit": "9"}, {"limit": 9}),
        ({"either": "1"}, {"either": 1}),
        ({"either": "true"}, {"either": True}),
        ({"count": None, "text": "x"}, {"text": "x"}),
        ({"point": {"x": None, "y": "2"}}, {"point": {"y": 2}}),
    ],
    ids=str,
)
def test_what_is_meant_is_understood(given: dict[str, Any], meant: dict[str, Any]) -> None:
    assert repr(coerce(given, SCHEMA)) == repr(meant)


@pytest.mark.parametrize(
    "given",
    [
        {"count": "five"},
        {"count": "5 apples"},
        {"count": 5.5},
        {"count": "5.5"},
        {"count": True},
        {"count": ""},
        {"count": 1e300},
        {"ratio": "NaN"},
        {"flag": 1},
        {"flag": "yes"},
        {"flag": ""},
        {"text": 1.1},
        {"text": True},
        {"text": None},
        {"text": {"a": 1}},
        {"text": ["a"]},
        {"text": '{"a": 1}'},
        {"names": "a, b"},
        {"names": "a b"},
        {"names": "[a"},
        {"numbers": "3, 4"},
        {"anything": 3},
        {"point": "x=3"},
        {"point": '{"x": 3'},
        {"point": '{"x": 1, "x": 2}'},
        {"level": "middle"},
        {"limit": None},
        {"both": "5"},
        {"shape": {"r": "5"}},
        {"free": "5"},
        {"loop": "5"},
        {"knot": "5"},
        {"lost": "5"},
        {"unknown": "5"},
        {"unknown": None},
    ],
    ids=str,
)
def test_all_else_is_left_to_the_validator(given: dict[str, Any]) -> None:
    assert repr(coerce(given, SCHEMA)) == repr(given)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": 5},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"a": None}},
        {"type": "object", "properties": {"a": {"type": "array", "items": [1]}}},
        {"type": "object", "properties": {"a": {"enum": 5, "type": "string"}}, "required": 3},
        {"type": "object", "properties": {"a": {"anyOf": {}, "$ref": 7}}},
        {"$ref": "#"},
    ],
    ids=str,
)
def test_a_strange_schema_changes_nothing(schema: dict[str, Any]) -> None:
    assert coerce({"a": "x"}, schema) == {"a": "x"}


def test_a_value_without_end_changes_nothing() -> None:
    schema: dict[str, Any] = {"$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/list"}}}}
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    assert coerce(deep, {**schema, "$ref": "#/$defs/list"}) is deep
