"""The gate that every call passes: judged by the policy, and put to a person where the policy says so."""

import asyncio
import os
from collections.abc import Awaitable, Callable

import msgspec

from ferrule.core.agent import Allow, Deny, Gate
from ferrule.core.events import PermissionAsked
from ferrule.core.messages import ToolCall
from ferrule.core.permission import Advise, Answer, Asker, Scope
from ferrule.core.tool import Effect
from ferrule.policy.judge import Judgement, Policy

Remember = Callable[[tuple[str, ...], Scope], None]
"""Keeps the rules of an "always" for as long as its scope says."""


def gate_of(
    policy: Policy,
    *,
    ask: Asker,
    remember: Remember,
    preview: Callable[[ToolCall], Awaitable[str]],
    decided: Callable[[ToolCall, str], None] = lambda _call, _reason: None,
    advise: Advise = lambda _call: None,
) -> Gate:
    """Make the gate of a policy. `decided` hears of every yes that did not come from the policy."""
    one_at_a_time = asyncio.Lock()

    def judge(call: ToolCall, effects: tuple[Effect, ...]) -> Judgement:
        judged, advice = policy.judge(call, effects), advise(call)
        if advice and advice.verdict == "ask" and judged.decision == "allow":
            return msgspec.structs.replace(judged, decision="ask", reason=advice.reason, always=())
        return judged

    async def gate(call: ToolCall, effects: tuple[Effect, ...]) -> Allow | Deny:
        judged, advice = judge(call, effects), advise(call)
        if judged.decision == "ask" and advice and advice.verdict == "allow" and judged.rule == f"mode {policy.mode}":
            policy.note(effects, judged, granted=True)  # it was the mode that asks; a rule asks in any case
            decided(call, advice.reason)
            return Allow()
        if judged.decision == "ask":
            async with one_at_a_time:
                judged = judge(call, effects)  # the answer to another question may have settled this one
                if judged.decision == "ask":
                    return await put(call, effects, judged)
        if judged.decision == "deny":
            return Deny(f"Denied: {judged.reason}.")
        policy.note(effects, judged)
        return Allow()

    async def put(call: ToolCall, effects: tuple[Effect, ...], judged: Judgement) -> Allow | Deny:
        asked = PermissionAsked(
            id=os.urandom(8).hex(),
            call=call,
            effects=effects,
            reason=judged.reason,
            parts=judged.parts,
            preview=await preview(call),
            always=judged.always,
        )
        answer = await ask(asked)
        if answer is None:
            return Deny(f"Denied: {judged.reason}. {_nobody(judged)}")
        if answer.verdict == "always":
            rules = answer.rules or judged.always
            policy.allow(rules)
            remember(rules, answer.scope)
        if answer.verdict in {"once", "always"}:
            policy.note(effects, judged, granted=True)
            decided(call, "The user said yes.")
            return Allow()
        return _refusal(answer)

    return gate


def _refusal(answer: Answer) -> Deny:
    if answer.verdict == "abort":
        return Deny("The user said no and stopped the run.", stop=True)
    word = f" They say: {answer.word}" if answer.word else " Do not try it another way; ask what they want instead."
    return Deny(f"The user said no.{word}")


def _nobody(judged: Judgement) -> str:
    """What would have allowed it, for the person who reads this later."""
    if not judged.always:
        return "Nobody can be asked here, and no rule allows it unasked."
    rules = " ".join(f"'{rule}'" for rule in judged.always)
    return f"Nobody can be asked here; --allowed-tools {rules} would allow it, or the same in safety.allow."
