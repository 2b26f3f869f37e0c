"""Hooks around a call: before it is judged, before a person is asked about it, and after it has run.

A hook can deny a call, ask for a question, change its arguments, or answer the question that a mode would put. It
cannot lift a prohibition: whatever it says, the policy judges the call, and with changed arguments it judges those.
"""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import msgspec

from ferrule.core.agent import Allow, Deny, Gate
from ferrule.core.calls import prepare
from ferrule.core.events import PermissionAsked
from ferrule.core.messages import ToolCall
from ferrule.core.permission import Advice, Answer
from ferrule.core.tool import Effect, Tool
from ferrule.extend.hook_reply import Reply
from ferrule.extend.hook_table import Event, Hook, Table, theirs

Effects = tuple[Effect, ...]
Fits = Callable[[str, ToolCall, Effects], bool]
"""Whether a rule speaks of a call."""

current_call: ContextVar[ToolCall | None] = ContextVar("current_call", default=None)
"""The call that was judged last in this task, as it is run: a tool is given its arguments alone."""


Fire = Callable[[Sequence[Hook], Mapping[str, Any]], Awaitable[Reply]]
"""Runs hooks of one event with what there is to know about it, and gives what they say together."""


class CallHooks:
    """The hooks of a session that are about calls."""

    def __init__(self, table: Table, fire: Fire, *, fits: Fits, directory: Path) -> None:
        self._table, self._fire, self._fits, self._directory = table, fire, fits, directory
        self._advice: dict[str, Advice] = {}
        self._context: dict[str, tuple[str, ...]] = {}
        """What was said before a call, for the model to read with its result."""

    def gate(self, gate: Gate, tools: Callable[[], Mapping[str, Tool]]) -> Gate:
        """The same gate, behind the hooks."""

        async def hooked(call: ToolCall, effects: Effects) -> Allow | Deny:
            reply = await self.fire("PreToolUse", call, effects)
            if reply.stop:
                return Deny(f"A hook stopped the run: {reply.reason or 'it gave no reason'}", stop=True)
            if reply.denies:
                return Deny("\n".join((f"A hook denied it: {reply.reason}", *reply.context)))
            if reply.input is not None:
                changed = prepare(msgspec.structs.replace(call, input=reply.input), tools())
                if changed.problem:
                    return Deny(f"A hook changed the arguments, and now they do not fit. {changed.problem}")
                call, effects = changed.call, changed.effects
            current_call.set(call)
            verdict = await self._judged(call, effects, reply, gate)
            if isinstance(verdict, Allow):
                self._context[call.id] = reply.context
                return verdict if reply.input is None or verdict.input is not None else Allow(input=reply.input)
            return Deny("\n".join((verdict.reason, *reply.context)), stop=verdict.stop)

        return hooked

    def advise(self, call: ToolCall) -> Advice | None:
        """What the hooks said of a call that is being judged."""
        return self._advice.get(call.id)

    async def answer(self, asked: PermissionAsked) -> Answer | None:
        """Answer a question in a person's place; whether something may leave its sandbox, only a person says."""
        if not asked.call.id:
            return None
        reply = await self.fire("PermissionRequest", asked.call, asked.effects, reason=asked.reason)
        if reply.stop:
            return Answer(verdict="abort")
        if reply.denies:
            return Answer(verdict="no", word=reply.reason)
        return Answer(verdict="once") if reply.decision == "allow" else None

    def context_of(self, call: ToolCall) -> tuple[str, ...]:
        """What was said before a call. It is told once."""
        return self._context.pop(call.id, ())

    def due(self, event: Event, call: ToolCall, effects: Effects) -> list[Hook]:
        """The hooks that an event about a call concerns."""
        return [
            hook
            for hook in self._table.matching(event, call.name)
            if not hook.condition or self._fits(hook.condition, call, effects)
        ]

    async def fire(self, event: Event, call: ToolCall, effects: Effects, **more: Any) -> Reply:
        """Run the hooks that an event about a call concerns."""
        hooks = self.due(event, call, effects)
        if not hooks:
            return Reply()
        about = {"tool_name": theirs(call.name), "tool_input": self._whole(call.input), "tool_use_id": call.id}
        return await self._fire(hooks, about | more)

    async def _judged(self, call: ToolCall, effects: Effects, reply: Reply, gate: Gate) -> Allow | Deny:
        if reply.decision and reply.decision != "deny":
            self._advice[call.id] = Advice(verdict=reply.decision, reason=_why(reply))
        try:
            return await gate(call, effects)
        finally:
            self._advice.pop(call.id, None)

    def _whole(self, input: dict[str, Any]) -> dict[str, Any]:
        """The arguments, with the path of a file from `/` on, so that no spelling of it gets past a guard."""
        path = input.get("file_path")
        if not isinstance(path, str) or "\0" in path:
            return input
        whole = os.path.join(self._directory, os.path.expanduser(path))  # noqa: PTH111, PTH118 - dots and links stay
        return input | {"file_path": os.path.realpath(whole) if ".." in whole.split("/") else os.path.normpath(whole)}


def _why(reply: Reply) -> str:
    return reply.reason or ("A hook allowed it." if reply.decision == "allow" else "a hook wants you to be asked")
