"""A tool whose calls are followed by hooks, which may add to what the model is told about them."""

import asyncio
import difflib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ferrule.core.errors import ToolError, describe
from ferrule.core.messages import Text, ToolCall, text_of
from ferrule.core.tool import Effect, Output, Tool, ToolContext
from ferrule.core.wrapped import Wrapped
from ferrule.extend.hook_calls import CallHooks, current_call
from ferrule.extend.hook_reply import Reply
from ferrule.host.files import resolve, shown
from ferrule.host.machine import Host

_LONGEST_DIFF = 4_000
"""Characters; what is longer has to be read."""

Halt = Callable[[str], None]
"""Has the run end after this turn, and says why."""


class HookedTool(Wrapped):
    """The same tool to the model."""

    def __init__(self, tool: Tool, hooks: CallHooks, *, halt: Halt) -> None:
        super().__init__(tool)
        self._hooks, self._halt = hooks, halt

    async def run(self, args: Any, context: ToolContext[Host]) -> Output:
        """Do it, and let the hooks know."""
        call, effects = current_call.get(), self.effects(args)
        if call is None:
            return await self._tool.run(args, context)
        try:
            output = await self._tool.run(args, context)
        except Exception as error:
            added = await self._failed(call, effects, describe(error))
            if added and isinstance(error, ToolError):
                raise ToolError(f"{error}{added}") from error
            raise
        if output.is_error:
            added = await self._failed(call, effects, text_of(output.blocks))
        else:
            added = await self._succeeded(call, effects, output, context)
        return Output((*output.blocks, Text(added)), is_error=output.is_error) if added else output

    async def _failed(self, call: ToolCall, effects: tuple[Effect, ...], words: str) -> str:
        reply = await self._hooks.fire("PostToolUseFailure", call, effects, error=words)
        return self._added(call, reply)

    async def _succeeded(
        self, call: ToolCall, effects: tuple[Effect, ...], output: Output, context: ToolContext[Host]
    ) -> str:
        if not self._hooks.due("PostToolUse", call, effects):
            return self._added(call, Reply())
        written = await asyncio.to_thread(_written, effects, context)
        response = {"content": text_of(output.blocks), "is_error": False}
        reply = await self._hooks.fire("PostToolUse", call, effects, tool_response=response)
        changed = await asyncio.to_thread(lambda: [*_changed(written, context)])
        return self._added(call, reply, *changed)

    def _added(self, call: ToolCall, reply: Reply, *more: str) -> str:
        """What the model is told beside the result."""
        if reply.stop:
            self._halt(reply.reason)
        said = [*self._hooks.context_of(call), *([reply.reason] if reply.denies else []), *reply.context]
        return "".join(f"\n\n{one}" for one in (*(f"A hook says:\n{words}" for words in said), *more))


def _written(effects: tuple[Effect, ...], context: ToolContext[Host]) -> dict[Path, bytes]:
    """The files that a call has just written, as they are now."""
    found: dict[Path, bytes] = {}
    for effect in effects:
        if effect.kind == "write":
            with suppress(ToolError):
                path = resolve(context.directory, effect.target)
                data = context.host.files.current(path)
                found |= {} if data is None else {path: data}
    return found


def _changed(written: dict[Path, bytes], context: ToolContext[Host]) -> Iterator[str]:
    """What hooks, such as a formatter, made of those files. It counts as read, so that the next edit is not refused."""
    for path, before in written.items():
        with suppress(ToolError):
            now = context.host.files.read(path)
            if now != before:
                yield f"After that a hook changed {shown(path)}:\n{_diff(before, now)}"


def _diff(before: bytes, now: bytes) -> str:
    old, new = (data.decode(errors="replace").splitlines() for data in (before, now))
    text = "\n".join(list(difflib.unified_diff(old, new, lineterm="", n=2))[2:])
    return text if len(text) <= _LONGEST_DIFF else f"{text[:_LONGEST_DIFF]}…\n(there is more; read the file)"
