"""The part of JSON Schema that tools use: whether a schema is one, and whether arguments fit it.

Keywords that only describe (`title`, `format`, `default`, `pattern`, …) are passed on to the model and not checked
here: the tool has the last word on its arguments. What would be misread if it were ignored (`$ref`) is refused.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import msgspec

from ferrule.core.errors import ArgumentError

_DEEPEST = 16
_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
    ),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}
_MANY = ("anyOf", "oneOf", "allOf")
_REFUSED = ("$ref", "$dynamicRef", "if", "not", "patternProperties", "dependentSchemas", "prefixItems")
_BOUNDS: Mapping[str, tuple[str, Callable[[Any, Any], bool], str]] = {
    "minimum": ("number", lambda value, bound: value >= bound, "must be at least {}"),
    "maximum": ("number", lambda value, bound: value <= bound, "must be at most {}"),
    "exclusiveMinimum": ("number", lambda value, bound: value > bound, "must be more than {}"),
    "exclusiveMaximum": ("number", lambda value, bound: value < bound, "must be less than {}"),
    "minLength": ("string", lambda value, bound: len(value) >= bound, "must have at least {} characters"),
    "maxLength": ("string", lambda value, bound: len(value) <= bound, "must have at most {} characters"),
    "minItems": ("array", lambda value, bound: len(value) >= bound, "must have at least {} items"),
    "maxItems": ("array", lambda value, bound: len(value) <= bound, "must have at most {} items"),
}


def flaw_of(schema: Any) -> str | None:
    """What is wrong with a schema, in words that follow on "its parameters"; None if nothing."""
    if not isinstance(schema, dict):
        return "are not an object"
    if schema.get("type") != "object":
        return 'need "type": "object" at the top'
    return next(_flaws(schema, "", 0), None)


def _flaws(schema: Any, where: str, depth: int) -> Iterator[str]:
    place = f" at {where}" if where else ""
    if isinstance(schema, bool) and where:
        return
    if not isinstance(schema, dict):
        yield f"hold no schema{place}"
        return
    if depth > _DEEPEST:
        yield f"are nested too deep{place}"
        return
    yield from (f"use {key}{place}, which is not understood here" for key in _REFUSED if key in schema)
    yield from (f"have {words}{place}" for words in _wrong_values(schema))
    for name, below in _below(schema):
        yield from _flaws(below, f"{where}.{name}".lstrip("."), depth + 1)


def _wrong_values(schema: dict[str, Any]) -> Iterator[str]:
    """Values of single keywords that cannot be."""
    kinds = schema.get("type", [])
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if not isinstance(kind, str) or kind not in _KINDS:
            yield f"the type {_short(kind)}, which there is not"
    if "enum" in schema and not (isinstance(schema["enum"], list) and schema["enum"]):
        yield "an enum without values"
    if not isinstance(schema.get("properties", {}), dict):
        yield "properties that are not an object"
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        yield "a required that is not a list of names"
    if any(not isinstance(schema.get(key, []), list) for key in _MANY):
        yield f"an {' or '.join(_MANY)} that is not a list"
    for key in _BOUNDS:
        if key in schema and not _KINDS["number"](schema[key]):
            yield f"a {key} that is not a number"


def _below(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The schemas inside a schema, each with its name; what is malformed has been told of already."""
    properties = schema.get("properties")
    if isinstance(properties, dict):
        yield from properties.items()
    for key in ("items", "additionalProperties"):
        if key in schema:
            yield key, schema[key]
    for key in _MANY:
        if isinstance(schema.get(key), list):
            yield from ((f"{key}[{number}]", one) for number, one in enumerate(schema[key]))


def fitted(input: dict[str, Any], schema: dict[str, Any], tool: str) -> dict[str, Any]:
    """Give back the arguments if they fit; small slips are taken as meant.

    Such slips are a number, a truth value, a list or an object written as a string, and `null` for a parameter that
    may be left out.

    Raises:
        ArgumentError: they do not fit, with what the tool takes.
    """
    if next(_misfits(input, schema, ""), None) is None:
        return input
    meant = _as_meant(input, schema)
    misfit = next(_misfits(meant, schema, ""), None)
    if misfit is None:
        return meant
    raise ArgumentError(f"{tool}: {misfit}.")


def _misfits(value: Any, schema: Any, where: str) -> Iterator[str]:
    """What does not fit, in words; the first is what a model needs."""
    if isinstance(schema, bool):
        if not schema:
            yield f"there must be nothing{_at(where)}"
        return
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(_KINDS[kind](value) for kind in kinds):
        yield f"expected {' or '.join(f'`{kind}`' for kind in kinds)}, got `{_kind_of(value)}`{_at(where)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{_short(value)} is not one of {', '.join(map(_short, schema['enum']))}{_at(where)}"
    if "const" in schema and value != schema["const"]:
        yield f"{_short(value)} is not {_short(schema['const'])}{_at(where)}"
    for key, (kind, holds, words) in _BOUNDS.items():
        if key in schema and _KINDS[kind](value) and not holds(value, schema[key]):
            yield f"the value {words.format(_short(schema[key]))}{_at(where)}"
    yield from chain(_choice_misfits(value, schema, where), _inner_misfits(value, schema, where))


def _choice_misfits(value: Any, schema: dict[str, Any], where: str) -> Iterator[str]:
    for one in schema.get("allOf", ()):
        yield from _misfits(value, one, where)
    for key in ("anyOf", "oneOf"):
        misfits = [next(_misfits(value, one, where), None) for one in schema.get(key, ())]
        if misfits and all(misfits):
            yield f"nothing of what it can be fits{_at(where)}: {'; '.join(dict.fromkeys(filter(None, misfits)))}"
        elif key == "oneOf" and misfits.count(None) > 1:
            yield f"it could be two things at once{_at(where)}"


def _inner_misfits(value: Any, schema: dict[str, Any], where: str) -> Iterator[str]:
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _misfits(item, schema["items"], f"{where}[{number}]")
    if not isinstance(value, dict):
        return
    properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in value:
        if name not in properties and more is False:
            yield _no_such(name, list(properties), where)
    for name in schema.get("required", ()):
        if name not in value:
            yield f"it needs the parameter `{name}`{_at(where)}"
    for name, one in value.items():
        yield from _misfits(one, properties.get(name, more), f"{where}.{name}".lstrip("."))


def _no_such(name: str, names: list[str], where: str) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    there_is = f"there is {near[0]}" if near else f"there are {', '.join(names)}" if names else "it has none"
    return f"there is no parameter {name}{_at(where)}; {there_is}"


def _as_meant(input: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    return {
        name: _value_as_meant(value, properties.get(name, True))
        for name, value in input.items()
        if value is not None or name in required
    }


def _value_as_meant(value: Any, schema: Any) -> Any:
    """What a string says as JSON, if the schema wants that and not the string."""
    if not isinstance(value, str) or next(_misfits(value, schema, ""), None) is None:
        return value
    try:
        decoded = msgspec.json.decode(value.strip().lower() if value.strip().lower() in {"true", "false"} else value)
    except (msgspec.DecodeError, RecursionError):
        return value
    return decoded if next(_misfits(decoded, schema, ""), None) is None else value


def _kind_of(value: Any) -> str:
    return next((kind for kind, is_one in _KINDS.items() if is_one(value)), type(value).__name__)


def _at(where: str) -> str:
    return f" for `{where}`" if where else ""


def _short(value: Any) -> str:
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 60 else text[:59] + "…"
