"""The schema for editors: current, complete, and about the same values that Ferrule itself takes."""

import re
from pathlib import Path
from typing import Any

from ferrule.config.keys import KEYS
from ferrule.config.published import DIALECT, schema, schema_text
from ferrule.config.schema import MODE_ALIASES

PUBLISHED = Path(__file__).parents[2] / "docs" / "config.schema.json"


def leaves(node: dict[str, Any], prefix: str = "") -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, inner in node["properties"].items():
        if "properties" in inner:
            found |= leaves(inner, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = inner
    return found


def test_the_published_file_is_current() -> None:
    assert PUBLISHED.read_text("utf-8") == schema_text(), "run `make schema`"


def test_it_says_what_it_is_and_names_no_host() -> None:
    made = schema()
    assert made["$schema"] == DIALECT
    assert made["$id"] == "urn:ferrule:config"
    assert "://" not in schema_text().replace(DIALECT, "").replace("^https?://", "")


def test_nothing_but_the_known_keys_is_allowed_anywhere() -> None:
    made = schema()
    assert list(leaves(made)) == ["$schema", *KEYS]
    assert made["additionalProperties"] is False
    assert all(made["properties"][section]["additionalProperties"] is False for section in ("llm", "safety", "ui"))


def test_every_key_has_its_description_and_default() -> None:
    found = leaves(schema())
    for name, key in KEYS.items():
        assert found[name]["description"].startswith(key.description)
        assert found[name]["default"] == key.default
        told = found[name]["description"].removeprefix(key.description)
        assert (
            told
            == {
                True: "",
                "trusted": " A project's own file sets it only once you trust the project.",
                False: " A project's own file cannot set it.",
            }[key.project]
        )


def test_ranges_choices_and_patterns_are_those_of_the_keys() -> None:
    found = leaves(schema())
    assert found["agent.max_turns"] == {
        "description": "Turns after which a run ends; 0 is no limit."
        " A project's own file sets it only once you trust the project.",
        "type": "integer",
        "minimum": 0,
        "maximum": 1_000_000,
        "default": 100,
    }
    assert found["llm.temperature"]["anyOf"] == [
        {"type": "number", "minimum": 0, "maximum": 2},
        {"type": "null"},
    ]
    assert sorted(found["safety.mode"]["enum"]) == sorted(
        ["plan", "normal", "auto-edit", "auto", "yolo", *MODE_ALIASES]
    )
    pattern = found["safety.deny"]["items"]["pattern"]
    assert re.search(pattern, "bash(git diff *)")
    assert not re.search(pattern, "bash(rm")
