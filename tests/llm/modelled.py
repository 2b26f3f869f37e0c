"""Tools, a request, and what a model makes of it: for the tests of the tool modes."""

from typing import Any

from ferrule.core.accumulate import Draft
from ferrule.core.events import ToolEnded
from ferrule.core.messages import Assistant, ToolCall, said
from ferrule.core.model import Delta, Finish, Model, Request
from ferrule.llm.modes import InSteps
from ferrule.llm.script import Scripted, Step
from ferrule.tools.function import tool


@tool(effect="read")
def look(at: str, times: int = 1) -> str:
    """Look at something."""
    return f"saw {at}" * times


@tool
def change(what: list[str]) -> str:
    """Change some things."""
    return f"changed {', '.join(what)}"


TOOLS = (look.spec, change.spec)
REQUEST = Request(system="Be good.", tools=TOOLS, messages=(said("go"),))
LOOK = '<tool_call>\n{"name": "look", "arguments": {"at": "a"}}\n</tool_call>'


async def pieces_of(model: Model, request: Request = REQUEST) -> list[Delta | Finish]:
    return [piece async for piece in model.stream(request)]


async def answer_of(model: Model, request: Request = REQUEST) -> Assistant:
    draft = Draft()
    draft.begin(model.name)
    for piece in await pieces_of(model, request):
        draft.feed(piece)
    message = draft.message()
    assert message is not None
    return message


def parts(message: Assistant) -> list[Any]:
    """The content of an answer, calls without their ids."""
    return [(part.name, part.input, part.malformed) if isinstance(part, ToolCall) else part for part in message.content]


def results(events: list[Any]) -> list[str]:
    return [event.result.text for event in events if isinstance(event, ToolEnded)]


def stepped(*steps: Step) -> tuple[InSteps, Scripted, list[dict[str, Any]]]:
    """A model held to steps, the model inside it, and the schemas that it was given."""
    inner, schemas = Scripted(steps), list[dict[str, Any]]()

    def constrain(schema: dict[str, Any]) -> Model:
        schemas.append(schema)
        return inner

    return InSteps(inner, constrain), inner, schemas


CALL = '{"step": {"tool": "look", "arguments": {"at": "a", "times": 2}}}'
