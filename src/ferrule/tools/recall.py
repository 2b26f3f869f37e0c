"""The `recall` tool: messages that the model is no longer told, by their numbers, word for word."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import msgspec

from ferrule.context.render import blocks, label, parts_of, ref
from ferrule.core.errors import ToolError
from ferrule.core.messages import Image, Message
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.machine import Host
from ferrule.tools.schema import Parameters, TypedTool


class RecallParameters(Parameters, frozen=True, kw_only=True):
    """Which messages to show."""

    ids: Annotated[list[int], msgspec.Meta(min_length=1)]


class Recall(TypedTool[RecallParameters]):
    """Shows earlier messages in full; nothing of a conversation is ever lost."""

    name = "recall"
    parameters = RecallParameters

    def __init__(self, messages: Callable[[], Sequence[Message]]) -> None:
        self._messages = messages

    def parse(self, input: dict[str, Any]) -> Any:
        """Check the arguments; numbers are taken as they stand in the notes, too: `"#12"`, `"[#12, #14]"`."""
        ids = input.get("ids")
        if isinstance(ids, str | int):
            ids = [ids]
        if not isinstance(ids, list):
            return super().parse(input)
        return super().parse({**input, "ids": [number for one in ids for number in _numbers(one)]})

    def effects(self, args: RecallParameters) -> tuple[Effect, ...]:
        """It touches nothing: the conversation is in memory."""
        return ()

    async def run(self, args: RecallParameters, context: ToolContext[Host]) -> Output:
        """Show the messages, each under its number."""
        messages = self._messages()
        unknown = [number for number in args.ids if not 0 < number <= len(messages)]
        if unknown:
            names = ", ".join(f"#{number}" for number in unknown[:10])
            raise ToolError(f"There is no message {names}; there are #1 to {ref(len(messages) - 1)}.")
        parts: list[str | Image] = []
        for number in dict.fromkeys(args.ids):
            message = messages[number - 1]
            parts += [f"{label(number - 1, message)}:", *parts_of(message)]
        return Output(blocks(parts))


def _numbers(value: Any) -> list[Any]:
    """The numbers in a word of the model's; anything else is left for the check of the arguments."""
    found = re.findall(r"\d{1,9}", value) if isinstance(value, str) else []
    return [int(number) for number in found] or [value]
