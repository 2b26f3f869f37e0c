"""The `todo` tool: the steps of a longer task, for the model to hold on to and for the person to see."""

from typing import Annotated, Any, Literal

import msgspec

from ferrule.core.errors import ArgumentError
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.machine import Host
from ferrule.tools.schema import Parameters, TypedTool

Status = Literal["pending", "in_progress", "completed"]
_BOXES: dict[Status, str] = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}


class Item(Parameters, frozen=True, kw_only=True):
    """One step."""

    content: Annotated[str, msgspec.Meta(min_length=1)]
    status: Status


class TodoParameters(Parameters, frozen=True, kw_only=True):
    """The whole list."""

    todos: tuple[Item, ...]


class Todo(TypedTool[TodoParameters]):
    """Takes the list of steps and shows it."""

    name = "todo"
    parameters = TodoParameters

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the list: no step without words, at most one in progress."""
        args: TodoParameters = super().parse(input)
        if any(not item.content.strip() for item in args.todos):
            raise ArgumentError("todo: each item needs a content; nothing was changed.")
        running = [item for item in args.todos if item.status == "in_progress"]
        if len(running) > 1:
            raise ArgumentError(
                f"todo: {len(running)} items are in_progress, and at most one may be; nothing was changed."
            )
        return args

    def effects(self, args: TodoParameters) -> tuple[Effect, ...]:
        """It touches nothing."""
        del args
        return ()

    async def run(self, args: TodoParameters, context: ToolContext[Host]) -> Output:
        """Show the list."""
        del context
        lines = [f"{_BOXES[item.status]} {' '.join(item.content.split())}" for item in args.todos]
        return Output("\n".join(lines) or "The list is empty.")
