"""Typed parameters become a tool: its JSON schema, the check of its arguments, its description from Markdown."""

import difflib
import sys
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

import msgspec

from ferrule.core.errors import ArgumentError
from ferrule.core.model import ToolSpec
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.machine import Host


class Parameters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parameters of a tool. Subclass it, and describe each field with `Annotated[…, msgspec.Meta(…)]`."""


Args = TypeVar("Args", bound=msgspec.Struct)


class TypedTool(Generic[Args]):
    """A tool with typed parameters. Its description is the Markdown file of the same name as its module."""

    name: ClassVar[str]
    parameters: ClassVar[type[msgspec.Struct]]
    keep: ClassVar[Literal["head", "tail", "both"]] = "both"
    """Which end of an output that is too long is worth keeping."""

    @cached_property
    def spec(self) -> ToolSpec:
        """What the model is told about the tool."""
        file = sys.modules[type(self).__module__].__file__
        assert file is not None
        description = Path(file).with_suffix(".md").read_text("utf-8").strip()
        return ToolSpec(name=self.name, description=description, schema=schema_of(self.parameters))

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the arguments and give them their types."""
        return fit(input, self.parameters, self.name)

    def effects(self, args: Args) -> tuple[Effect, ...]:
        """Say what the call would touch."""
        raise NotImplementedError

    async def run(self, args: Args, context: ToolContext[Host]) -> Output:
        """Do it."""
        raise NotImplementedError


def fit(input: dict[str, Any], parameters: type[msgspec.Struct], tool: str) -> Any:
    """Turn arguments into typed parameters; small slips are taken as meant.

    Such slips are a number, a truth value or a list written as a string, and `null` for a parameter that may be
    left out.

    Raises:
        ArgumentError: they do not fit, with what the tool takes.
    """
    try:
        return msgspec.convert(input, parameters)
    except msgspec.ValidationError:
        pass
    try:
        return msgspec.convert(_as_meant(input, parameters), parameters, strict=False)
    except msgspec.ValidationError as error:
        raise ArgumentError(f"{tool}: {_explain(str(error), input, parameters)}") from None


@lru_cache(maxsize=256)
def schema_of(parameters: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of the parameters, with every definition in its place and nothing that says nothing.

    It is made once for all who ask, and theirs to read only.

    Raises:
        TypeError: a type contains itself, so that its definition has no end.
    """
    (top,), definitions = msgspec.json.schema_components([parameters], ref_template="{name}")
    schema: dict[str, Any] = _inline(top, definitions)
    return {key: schema[key] for key in ("type", "properties", "required") if schema.get(key)}


def _inline(node: Any, definitions: dict[str, Any], within: tuple[str, ...] = ()) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions, within) for item in node]
    if not isinstance(node, dict):
        return node
    node = _without_null(node)
    if name := node.get("$ref"):
        if name in within:
            raise TypeError(f"{name} contains itself; the parameters of a tool cannot.")
        # A docstring is for those who read the code: only what was written as a description is one.
        described = {"description": node["description"]} if "description" in node else {}
        meant = {key: value for key, value in definitions[name].items() if key != "description"}
        return _inline(described | meant, definitions, (*within, name))
    plain = {key: value for key, value in node.items() if key not in _SAYS_NOTHING}
    if plain.get("additionalProperties") is False:
        del plain["additionalProperties"]
    if "enum" in plain and all(isinstance(value, str) for value in plain["enum"]):
        plain = {"type": "string"} | plain  # some providers insist on it
    return {
        key: {name: _inline(one, definitions, within) for name, one in value.items()}
        if key == "properties"
        else _inline(value, definitions, within)
        for key, value in plain.items()
    }


_SAYS_NOTHING = frozenset({"title", "default", "discriminator"})


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    """Drop `null` from the choices: to leave the parameter out says the same."""
    options = [option for option in node.get("anyOf", ()) if option != {"type": "null"}]
    if not options:
        return node
    others = {key: value for key, value in node.items() if key != "anyOf"}
    return options[0] | others if len(options) == 1 else {**others, "anyOf": options}


def _as_meant(input: dict[str, Any], parameters: type[msgspec.Struct]) -> dict[str, Any]:
    optional = {field.encode_name for field in msgspec.structs.fields(parameters) if not field.required}
    kinds = {name: node.get("type") for name, node in schema_of(parameters).get("properties", {}).items()}
    return {
        key: _decoded(value) if kinds.get(key) in {"array", "object"} else value
        for key, value in input.items()
        if value is not None or key not in optional
    }


def _decoded(value: Any) -> Any:
    try:
        return msgspec.json.decode(value) if isinstance(value, str) else value
    except msgspec.DecodeError:
        return value


def _explain(problem: str, input: dict[str, Any], parameters: type[msgspec.Struct]) -> str:
    names = [field.encode_name for field in msgspec.structs.fields(parameters)]
    unknown = [key for key in input if key not in names]
    if problem.startswith("Object contains unknown field") and unknown:
        near = difflib.get_close_matches(unknown[0], names, n=1)
        there_is = f"there is {near[0]}" if near else f"there are {', '.join(names)}" if names else "it has none"
        return f"there is no parameter {unknown[0]}; {there_is}."
    what, _, where = problem.partition(" - at `$")
    where = where.strip("`").removeprefix(".")
    what = what.replace("Object missing required field", "it needs the parameter")
    if what.startswith("Invalid enum value") and (choices := _choices(schema_of(parameters), where)):
        what += f", expected one of {', '.join(map(str, choices))}"
    return what[0].lower() + what[1:] + (f" for `{where}`" if where else "") + "."


def _choices(schema: dict[str, Any], where: str) -> list[Any]:
    """The values that a parameter may have, found by its path: `output_mode`, `todos[0].status`."""
    for part in where.split("."):
        name, *indices = part.split("[")
        schema = schema.get("properties", {}).get(name, {})
        for _ in indices:
            schema = schema.get("items", {})
    choices: list[Any] = schema.get("enum", [])
    return choices
