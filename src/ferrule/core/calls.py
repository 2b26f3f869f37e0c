"""The calls of one answer, from the model's words to their results.

Whatever goes wrong with a call is an answer to the model, never an exception.
"""

import asyncio
import difflib
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

import msgspec

from ferrule.core.agent import Agent, Allow, Deny
from ferrule.core.errors import ArgumentError, ToolError, describe
from ferrule.core.events import Emit, PermissionDecided, ToolEnded, ToolPrinted, ToolStarted
from ferrule.core.messages import ToolCall, ToolResult
from ferrule.core.tool import Effect, Output, Tool


class Prepared(msgspec.Struct, frozen=True):
    """A call whose tool was found, whose arguments fit, and whose effects are known; or the words why not."""

    call: ToolCall
    tool: Tool | None = None
    args: Any = None
    effects: tuple[Effect, ...] = ()
    problem: str = ""


async def perform(calls: Sequence[ToolCall], agent: Agent, tell: Emit) -> Literal["aborted"] | None:
    """Run neighbouring readers side by side, all else alone and in order; `aborted` if a gate said stop."""
    for batch in _batches((prepare(call, agent.tools) for call in calls), agent):
        verdicts = await _together(_answer(one, agent, tell) for one in batch)
        if any(isinstance(verdict, Deny) and verdict.stop for verdict in verdicts):
            return "aborted"
    return None


def prepare(call: ToolCall, tools: Mapping[str, Tool]) -> Prepared:
    """Find the tool, check the arguments, learn the effects. Does nothing else."""
    tool = tools.get(call.name)
    if tool is None:
        return Prepared(call, problem=_no_such_tool(call.name, tools))
    if call.malformed is not None:
        return Prepared(
            call, problem=f"The arguments are not a JSON object, so nothing was run: {call.malformed[:500]}"
        )
    try:
        args = tool.parse(call.input)
        return Prepared(call, tool, args, tool.effects(args))
    except ArgumentError as error:
        return Prepared(call, problem=str(error))
    except Exception as error:
        return Prepared(call, problem=f"{call.name} could not take these arguments: {describe(error)}")


async def _answer(one: Prepared, agent: Agent, tell: Emit) -> Allow | Deny:
    """Judge a call, run it if it may run, and tell its result."""
    began = time.monotonic()
    verdict = Allow() if one.problem else await agent.gate(one.call, one.effects)
    if isinstance(verdict, Deny):
        tell(PermissionDecided(call_id=one.call.id, allowed=False, reason=verdict.reason))
        output = Output(verdict.reason, is_error=True)
    else:
        if verdict.input is not None:
            one = prepare(msgspec.structs.replace(one.call, input=verdict.input), agent.tools)
        output = await _run(one, agent, tell)
    call, content = one.call, output.blocks
    result = ToolResult(call_id=call.id, tool=call.name, content=content, is_error=output.is_error)
    tell(ToolEnded(result=result, seconds=time.monotonic() - began))
    return verdict


async def _run(one: Prepared, agent: Agent, tell: Emit) -> Output:
    if one.tool is None:
        return Output(one.problem, is_error=True)
    tell(ToolStarted(call=one.call, effects=one.effects))
    context = agent.context(lambda text: tell(ToolPrinted(call_id=one.call.id, text=text)))
    try:
        return await one.tool.run(one.args, context)
    except ToolError as error:
        return Output(str(error), is_error=True)
    except BaseException as error:  # even a tool that calls sys.exit has only failed
        if isinstance(error, KeyboardInterrupt) or _is_our_end(error):
            raise
        return Output(f"{one.call.name} failed: {describe(error)}", is_error=True)


def _is_our_end(error: BaseException) -> bool:
    """Whether it is us who are being cancelled, and not something that a tool made up or let slip."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _batches(prepared: Iterable[Prepared], agent: Agent) -> Iterator[list[Prepared]]:
    for together, group in groupby(prepared, key=lambda one: agent.side_by_side(one.call, one.effects)):
        if together:
            yield list(group)
        else:
            yield from ([one] for one in group)


async def _together(coroutines: Iterable[Coroutine[Any, Any, Allow | Deny]]) -> list[Allow | Deny]:
    """Wait for all of them side by side; a lone one is not worth a task."""
    first, *others = coroutines
    if not others:
        return [await first]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in (first, *others)]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]


def _no_such_tool(name: str, tools: Mapping[str, Tool]) -> str:
    if not tools:
        return f"There is no tool named {name}; there are none."
    near = difflib.get_close_matches(name.lower(), tools, n=1, cutoff=0.6)
    return f"There is no tool named {name}; there {'is ' + near[0] if near else 'are ' + ', '.join(tools)}."
