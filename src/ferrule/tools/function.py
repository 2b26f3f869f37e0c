"""A plain function with type hints becomes a tool."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, get_type_hints, overload

import msgspec

from ferrule.core.errors import UsageError, describe
from ferrule.core.messages import Image, Text
from ferrule.core.model import ToolSpec
from ferrule.core.tool import Effect, EffectKind, Output, Tool, ToolContext
from ferrule.tools.schema import Parameters, fit, schema_of


class FunctionTool:
    """A tool made of a function: its name, its docstring, its parameters. A parameter named `context` is not shown."""

    def __init__(self, function: Callable[..., Any], *, name: str = "", effect: EffectKind | None = "execute") -> None:
        self.function = function
        self._name = name or getattr(function, "__name__", type(function).__name__)
        self._effect = effect
        try:
            hints = get_type_hints(function, include_extras=True)
            signature = inspect.signature(function).parameters
            self._wants_context = "context" in signature
            self._parameters = self._struct({key: one for key, one in signature.items() if key != "context"}, hints)
            schema = schema_of(self._parameters)
        except (TypeError, NameError, ValueError) as error:
            raise UsageError(f"{self._name} cannot become a tool: {error}") from error
        self.spec = ToolSpec(name=self._name, description=inspect.getdoc(function) or "", schema=schema)

    def _struct(self, shown: Mapping[str, inspect.Parameter], hints: Mapping[str, Any]) -> type[msgspec.Struct]:
        for key, one in shown.items():
            if key not in hints or one.kind in {one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY}:
                raise UsageError(f"{self._name}: the parameter {key} needs a name and a type hint to become a tool's.")
        fields = [
            (key, hints[key]) if one.default is one.empty else (key, hints[key], one.default)
            for key, one in shown.items()
        ]
        return msgspec.defstruct(
            self._name, fields, bases=(Parameters,), frozen=True, kw_only=True, forbid_unknown_fields=True
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, as if it had never become a tool."""
        return self.function(*args, **kwargs)

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the arguments and give them their types."""
        return fit(input, self._parameters, self._name)

    def effects(self, args: Any) -> tuple[Effect, ...]:
        """The one effect that the function was declared with."""
        return (Effect(self._effect, self._name),) if self._effect else ()

    async def run(self, args: Any, context: ToolContext[Any]) -> Output:
        """Call the function; one that is not a coroutine runs in a thread, so that it may block."""
        given = {field: getattr(args, field) for field in args.__struct_fields__}
        if self._wants_context:
            given["context"] = context
        if inspect.iscoroutinefunction(self.function):
            return _output(await self.function(**given))
        return _output(await asyncio.to_thread(self._call, given))

    def _call(self, given: dict[str, Any]) -> Any:
        try:
            return self.function(**given)
        except (StopIteration, GeneratorExit, SystemExit, asyncio.CancelledError) as error:
            raise RuntimeError(describe(error)) from error  # from a thread, these would mean something else


def as_tool(one: Tool | Callable[..., Any]) -> Tool:
    """A tool as it is; a plain function made into one."""
    given: Any = one
    return given if hasattr(given, "spec") else FunctionTool(given)


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...
@overload
def tool(
    *, name: str = "", effect: EffectKind | None = "execute"
) -> Callable[[Callable[..., Any] | Callable[..., Awaitable[Any]]], FunctionTool]: ...
def tool(
    function: Callable[..., Any] | None = None, /, *, name: str = "", effect: EffectKind | None = "execute"
) -> FunctionTool | Callable[[Callable[..., Any]], FunctionTool]:
    """Make a tool of a function. `effect="read"` lets its calls run side by side, and in every mode."""
    if function is not None:
        return FunctionTool(function)
    return lambda function: FunctionTool(function, name=name, effect=effect)


def _output(value: Any) -> Output:
    if isinstance(value, Output):
        return value
    if isinstance(value, Text | Image):
        return Output((value,))
    if isinstance(value, str):
        return Output(value)
    return Output("done" if value is None else msgspec.json.encode(value).decode())
