"""The `ask_user` tool: a question to the person."""

from collections.abc import Awaitable, Callable
from typing import Annotated

import msgspec

from ferrule.core.errors import ToolError
from ferrule.core.messages import Value
from ferrule.core.tool import Effect, Output, ToolContext
from ferrule.host.machine import Host
from ferrule.tools.schema import Parameters, TypedTool

_Words = Annotated[str, msgspec.Meta(min_length=1)]


class Option(Parameters, frozen=True, kw_only=True):
    """One of the answers to choose from."""

    label: _Words
    description: str = ""


class AskUserParameters(Parameters, frozen=True, kw_only=True):
    """The question, and the answers to choose from."""

    question: _Words
    options: Annotated[tuple[Option, ...], msgspec.Meta(min_length=2, max_length=4)]


class Question(Value, frozen=True, kw_only=True):
    """What a front door shows to the person."""

    question: str
    options: tuple[Option, ...]


Ask = Callable[[Question], Awaitable[str | None]]
"""Gets the person's answer: the label of an option or words of their own; `None` where nobody answers."""


class AskUser(TypedTool[AskUserParameters]):
    """Asks the person, where there is one."""

    name = "ask_user"
    parameters = AskUserParameters

    def __init__(self, ask: Ask | None) -> None:
        self._ask = ask

    def effects(self, args: AskUserParameters) -> tuple[Effect, ...]:
        """It needs the person."""
        return (Effect("interactive", args.question),)

    async def run(self, args: AskUserParameters, context: ToolContext[Host]) -> Output:
        """Ask, and wait for the answer."""
        del context
        question = Question(question=args.question, options=args.options)
        answer = await self._ask(question) if self._ask else None
        if answer is None:
            raise ToolError("Nobody can answer now. Decide for yourself, and say in your answer what you assumed.")
        return Output(f"The person answered: {answer}" if answer.strip() else "The person gave an empty answer.")
