"""Values that a JSON schema wants otherwise, turned into what was meant where that loses nothing.

A number, a truth value, an object or a list written as a string; an integer for a string; `5.0` for an integer;
one value where a list of such values is wanted; `null` for a parameter that may be left out. All else stays as it
is, for the validator to refuse. A float never becomes a string: of `1.10` only `1.1` is left by then.
"""

import re
from typing import Any

import msgspec

from ferrule.llm.repair import UnreadableError, read_value

Schema = dict[str, Any]

_MOST_STEPS = 20
"""How many references may lead from one to the next."""


def coerce(value: Any, schema: Schema) -> Any:
    """The value as the schema wants it, or as it is where only the validator can say more."""
    try:
        return _Coercion(schema).fit(value, schema)
    except RecursionError:  # a schema that refers to itself, or a value without end
        return value


class _Coercion:
    """A schema, with the definitions that its parts refer to."""

    def __init__(self, root: Schema) -> None:
        self._root = root

    def fit(self, value: Any, schema: Any) -> Any:
        options = self._options(schema)
        if not options:
            return value
        fitting = [option for option in options if _is_a(value, option)]
        if fitting:  # of several objects or lists only the validator knows which one is meant
            return self._inside(value, fitting[0]) if len(fitting) == 1 else value
        readings: list[Any] = []
        for option in options:
            readings += [one for one in self._readings(value, option) if one not in readings]
        return readings[0] if len(readings) == 1 else value

    def _options(self, schema: Any) -> list[Schema]:
        """The plain schemas, each of one type, that a schema leaves open; none where it says too little."""
        schema = self._resolved(schema)
        if several := _list(schema, "anyOf") or _list(schema, "oneOf"):
            return [option for one in several for option in self._options(one)]
        types = schema.get("type")
        if types is None and "properties" in schema:
            types = "object"
        names = [types] if isinstance(types, str) else _list(schema, "type")
        names = names or list(dict.fromkeys(map(_name, _list(schema, "enum"))))
        return [{**schema, "type": one} for one in names]

    def _resolved(self, schema: Any) -> Schema:
        for _ in range(_MOST_STEPS):
            if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
                break
            place: Any = self._root
            for part in schema["$ref"].removeprefix("#").strip("/").split("/"):
                place = place.get(part) if isinstance(place, dict) else None
            schema = place
        return schema if isinstance(schema, dict) else {}

    def _inside(self, value: Any, schema: Schema) -> Any:
        """Fit the parts of a value that is itself of the right type."""
        if isinstance(value, list) and isinstance(schema.get("items"), dict):
            return [self.fit(one, schema["items"]) for one in value]
        if isinstance(value, dict):
            known = _properties(schema)
            kept = {key: one for key, one in value.items() if not self._is_left_out(key, one, schema)}
            return {key: self.fit(one, known[key]) if key in known else one for key, one in kept.items()}
        return int(value) if schema["type"] == "integer" else value

    def _is_left_out(self, key: str, value: Any, schema: Schema) -> bool:
        """Whether a null says no more than that an optional parameter is not given."""
        known = _properties(schema)
        if value is not None or key not in known or key in _list(schema, "required"):
            return False
        options = self._options(known[key])
        return bool(options) and not any(option["type"] == "null" for option in options)

    def _readings(self, value: Any, schema: Schema) -> list[Any]:
        """What a value of another type can mean as one of this type: one thing or nothing."""
        wanted = schema["type"]
        if isinstance(value, str) and wanted != "string":
            read = _read(value)
            if read is not None and _is_a(read, schema):
                return [self._inside(read, schema)]
        if wanted == "string" and isinstance(value, int) and not isinstance(value, bool):
            return [str(value)]
        if wanted == "array" and not (isinstance(value, str) and re.search(r"[\s,;\[\]]", value)):
            items = self._options(schema.get("items"))
            return [[self._inside(value, one)] for one in items if _is_a(value, one)][:1]
        return []


def _is_a(value: Any, schema: Schema) -> bool:
    """Whether a value is of the one type that a plain schema names, and one of the values that it lists."""
    wanted, name = schema["type"], _name(value)
    fits = name == wanted or (wanted == "number" and name == "integer")
    if wanted == "integer" and isinstance(value, float):
        fits = value.is_integer() and abs(value) < 2**53
    return fits and value in (_list(schema, "enum") or [value])


def _properties(schema: Schema) -> dict[str, Any]:
    known = schema.get("properties")
    return known if isinstance(known, dict) else {}


def _list(schema: Schema, key: str) -> list[Any]:
    """A list in a schema; schemas come from anywhere, and say anything."""
    found = schema.get(key)
    return found if isinstance(found, list) else []


def _name(value: Any) -> str:
    return _NAMES.get(type(value), "")


def _read(text: str) -> Any:
    """The value that a string spells, or nothing."""
    try:
        json, end = read_value(text.strip(), may_close=False)
        return msgspec.json.decode(json.encode()) if end == len(text.strip()) else None
    except (UnreadableError, ValueError):
        return {"true": True, "false": False}.get(text.strip().lower())


_NAMES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    dict: "object",
    list: "array",
    type(None): "null",
}
