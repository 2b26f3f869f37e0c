"""`!command`: a shell line of the person's own, through the same policy and the same sandbox as the model's."""

import asyncio
import os
import time
from collections.abc import Callable

from ferrule.core.agent import Deny
from ferrule.core.calls import prepare
from ferrule.core.errors import ToolError, describe
from ferrule.core.events import Emit, ToolEnded, ToolPrinted, ToolStarted
from ferrule.core.messages import Text, ToolCall, ToolResult, User
from ferrule.core.tool import Output
from ferrule.session.session import Session


def shell_call(command: str) -> ToolCall:
    """The call that a line of the person's own makes."""
    return ToolCall(id=f"{_OWN}{os.urandom(6).hex()}", name="bash", input={"command": command})


def is_own(call: ToolCall) -> bool:
    """Whether it is such a call, and not the model's."""
    return call.id.startswith(_OWN)


async def run_line(session: Session, call: ToolCall, tell: Emit) -> ToolResult:
    """Run it, and tell what happens to whoever shows it; the conversation is not told."""
    began = time.monotonic()
    output = await _output(session, call, tell)
    result = ToolResult(call_id=call.id, tool=call.name, content=output.blocks, is_error=output.is_error)
    tell(ToolEnded(result=result, seconds=time.monotonic() - began))
    return result


async def _output(session: Session, call: ToolCall, tell: Emit) -> Output:
    one = prepare(call, session.agent.tools)
    if one.tool is None:
        return Output(one.problem, is_error=True)
    verdict = await session.agent.gate(one.call, one.effects)
    if isinstance(verdict, Deny):
        return Output(verdict.reason, is_error=True)
    tell(ToolStarted(call=call, effects=one.effects))
    try:
        report: Callable[[str], None] = lambda text: tell(ToolPrinted(call_id=call.id, text=text))  # noqa: E731
        return await one.tool.run(one.args, session.agent.context(report))
    except asyncio.CancelledError:
        tell(ToolEnded(result=ToolResult(call_id=call.id, tool=call.name, content=Output("Interrupted.").blocks)))
        raise
    except ToolError as error:
        return Output(str(error), is_error=True)
    except Exception as error:
        return Output(f"It failed: {describe(error)}", is_error=True)


def as_told(call: ToolCall, result: ToolResult) -> str:
    """What the model is told of it."""
    return f"{_MYSELF}{call.input['command']}\n{result.text}"


def without_told(message: User) -> str:
    """What the person said, without the commands that they ran before it."""
    return "".join(one.text for one in message.content if isinstance(one, Text) and not one.text.startswith(_MYSELF))


_OWN = "own_"
_MYSELF = "I ran this command myself:\n\n$ "
