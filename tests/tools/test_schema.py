"""The types that `schema.py` makes tools of; `schema_of` is compared whole, since every request carries it."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest

from ferrule.core.errors import ArgumentError
from ferrule.core.tool import Output, Tool, ToolContext
from ferrule.host.machine import Host
from ferrule.tools.ask_user import AskUser
from ferrule.tools.glob import Glob
from ferrule.tools.grep import Grep
from ferrule.tools.ls import Ls
from ferrule.tools.read import Read
from ferrule.tools.schema import Parameters, TypedTool, fit, schema_of
from ferrule.tools.todo import Todo


class Inner(Parameters, frozen=True, kw_only=True):
    """Words for those who read the code."""

    title: str
    default: Annotated[int, msgspec.Meta(ge=1, description="how many")] = 3


class Outer(Parameters, frozen=True, kw_only=True):
    """All kinds of fields."""

    file_path: Annotated[str, msgspec.Meta(description="where")]
    inner: Annotated[Inner | None, msgspec.Meta(description="one of them")] = None
    items: tuple[Inner, ...] = ()
    mode: Literal["fast", "slow"] = "fast"
    number: int | None = None
    either: int | str | None = None
    table: dict[str, int] = msgspec.field(default_factory=dict)
    flag: bool = msgspec.field(default=False, name="-f")


class Nothing(Parameters, frozen=True, kw_only=True):
    """No parameters at all."""


INNER = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "default": {"type": "integer", "minimum": 1, "description": "how many"},
    },
    "required": ["title"],
}


def test_the_schema_says_what_is_needed_and_no_more() -> None:
    assert schema_of(Outer) == {
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "description": "where"},
            "inner": {**INNER, "description": "one of them"},
            "items": {"type": "array", "items": INNER},
            "mode": {"type": "string", "enum": ["fast", "slow"]},
            "number": {"type": "integer"},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "table": {"type": "object", "additionalProperties": {"type": "integer"}},
            "-f": {"type": "boolean"},
        },
        "required": ["file_path"],
    }


def test_a_tool_without_parameters() -> None:
    assert schema_of(Nothing) == {"type": "object"}
    assert fit({}, Nothing, "t") == Nothing()


class Tree(Parameters, frozen=True, kw_only=True):
    """It has no end."""

    below: "tuple[Tree, ...]" = ()


def test_a_type_that_contains_itself_is_refused() -> None:
    with pytest.raises(TypeError, match="Tree contains itself"):
        schema_of(Tree)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"number": "20"}, {"number": 20}),
        ({"number": 20.0}, {"number": 20}),
        ({"-f": "true"}, {"flag": True}),
        ({"mode": None, "table": None}, {}),
        ({"items": '[{"title": "a"}]'}, {"items": (Inner(title="a"),)}),
        ({"inner": '{"title": "a", "default": "2"}'}, {"inner": Inner(title="a", default=2)}),
        ({"table": '{"a": 1}'}, {"table": {"a": 1}}),
        ({"either": "null"}, {"either": "null"}),
        ({"file_path": "[1]"}, {"file_path": "[1]"}),
        ({"file_path": "{}", "number": "1"}, {"file_path": "{}", "number": 1}),
    ],
)
def test_small_slips_are_taken_as_meant(given: dict[str, Any], meant: dict[str, Any]) -> None:
    assert fit({"file_path": "f", **given}, Outer, "tool") == Outer(**{"file_path": "f", **meant})


def test_a_null_that_means_something_stays() -> None:
    class Settings(Parameters, frozen=True, kw_only=True):
        limit: int | None = 5

    assert fit({"limit": None}, Settings, "t") == Settings(limit=None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "tool: it needs the parameter `file_path`."),
        ({"file_path": None}, "tool: expected `str`, got `null` for `file_path`."),
        ({"file_path": 3}, "tool: expected `str`, got `int` for `file_path`."),
        ({"filepath": "f"}, "tool: there is no parameter filepath; there is file_path."),
        (
            {"file_path": "f", "zzz": 1},
            "tool: there is no parameter zzz; there are file_path, inner, items, mode, number, either, table, -f.",
        ),
        ({"file_path": "f", "number": "many"}, "tool: expected `int | null`, got `str` for `number`."),
        (
            {"file_path": "f", "mode": "quick"},
            "tool: invalid enum value 'quick', expected one of fast, slow for `mode`.",
        ),
        ({"file_path": "f", "items": [{}]}, "tool: it needs the parameter `title` for `items[0]`."),
        (
            {"file_path": "f", "items": [{"title": "a", "default": 0}]},
            "tool: expected `int` >= 1 for `items[0].default`.",
        ),
        ({"file_path": "f", "items": "[not json"}, "tool: expected `array`, got `str` for `items`."),
        ({"file_path": "f", "table": {"a": "b"}}, "tool: expected `int`, got `str` for `table[...]`."),
    ],
)
def test_what_does_not_fit_is_explained(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        fit(given, Outer, "tool")
    assert str(caught.value) == words


def test_a_tool_without_parameters_says_so() -> None:
    with pytest.raises(ArgumentError, match="there is no parameter x; it has none"):
        fit({"x": 1}, Nothing, "tool")


class Unfinished(TypedTool[Nothing]):
    """A tool that lacks everything."""

    name = "unfinished"
    parameters = Nothing


async def test_what_a_tool_must_define(tmp_path: Path) -> None:
    tool: Any = Unfinished()
    assert tool.keep == "both"
    with pytest.raises(NotImplementedError):
        tool.effects(Nothing())
    with pytest.raises(NotImplementedError):
        await tool.run(Nothing(), None)


class TestSpecs:
    tools: tuple[Tool, ...] = (Read(), Glob(), Grep(), Ls(), Todo(), AskUser(None))

    @pytest.mark.parametrize("tool", tools, ids=lambda tool: tool.spec.name)
    def test_a_spec_is_short(self, tool: Tool) -> None:
        most = 235 if tool.spec.name == "grep" else 150
        assert len(msgspec.json.encode(tool.spec)) / 4 < most
        assert tool.spec is tool.spec

    def test_the_description_is_the_markdown_beside_the_module(self) -> None:
        import ferrule.tools.ls

        file = Path(ferrule.tools.ls.__file__).with_suffix(".md")
        assert Ls().spec.description == file.read_text("utf-8").strip()


async def test_a_typed_tool_is_a_tool(tmp_path: Path) -> None:
    class Echo(Unfinished):
        def effects(self, args: Nothing) -> tuple[()]:
            return ()

        async def run(self, args: Nothing, context: ToolContext[Host]) -> Output:
            return Output("echo")

    tool: Tool = Echo()
    assert tool.effects(tool.parse({})) == ()
    assert await tool.run(tool.parse({}), None) == Output("echo")  # type: ignore[arg-type]
