"""The JSON schema of the configuration, for editors: `docs/config.schema.json` is what this makes."""

from typing import Any

import msgspec

from ferrule.config.check import SCHEMA_KEY
from ferrule.config.keys import KEYS, Key
from ferrule.config.schema import Config, Section, is_section

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema as a value."""
    definitions: dict[str, Any] = {}
    made = _section(Config, "", definitions)
    return {
        "$schema": DIALECT,
        "$id": "urn:ferrule:config",
        "title": "Configuration of Ferrule",
        **made,
        "$defs": definitions,
    }


def schema_text() -> str:
    """The schema as it is published."""
    return msgspec.json.format(msgspec.json.encode(schema()), indent=2).decode() + "\n"


def _section(section: type[Section], prefix: str, definitions: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if not prefix:
        properties[SCHEMA_KEY] = {"description": "The schema that this file follows.", "type": "string"}
    for name, annotation in section.__annotations__.items():
        dotted = f"{prefix}{name}"
        inner = is_section(annotation)
        properties[name] = _section(annotation, f"{dotted}.", definitions) if inner else _key(KEYS[dotted], definitions)
    return {
        "description": section.__doc__,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _key(key: Key, definitions: dict[str, Any]) -> dict[str, Any]:
    """One key; what it refers to is defined at the top, where editors look for it."""
    made = msgspec.json.schema(key.type)
    definitions |= made.pop("$defs", {})
    made["description"] += _WHOSE[key.project]
    if key.aliases:
        made["enum"] = [*made["enum"], *key.aliases]
    return {**made, "default": key.default}


_WHOSE = {
    True: "",
    "trusted": " A project's own file sets it only once you trust the project.",
    False: " A project's own file cannot set it.",
}
