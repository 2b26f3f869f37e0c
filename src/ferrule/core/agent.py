"""What an agent is made of: everything that a run needs from outside, as functions and values."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

import msgspec

from ferrule.core.accumulate import Draft
from ferrule.core.events import Emit
from ferrule.core.messages import ToolCall, Usage, Value
from ferrule.core.model import Request
from ferrule.core.tool import Effect, Tool, ToolContext

Ask = Callable[[Request, Draft, Emit], Awaitable[None]]
"""Gets an answer into the draft. Retry and compaction are functions that wrap one `Ask` in another.

Raises `ProviderError`; the draft keeps what had come by then.
"""


class Allow(Value, frozen=True, kw_only=True):
    """The call may run, perhaps with other arguments."""

    input: dict[str, Any] | None = None


class Deny(Value, frozen=True):
    """The call may not run; `stop` ends the run as well."""

    reason: str
    stop: bool = False


Gate = Callable[[ToolCall, tuple[Effect, ...]], Awaitable[Allow | Deny]]
"""The one question that the loop asks of the outside: may this call run? One that raises ends the run."""


class Limits(Value, frozen=True, kw_only=True):
    """Where a run ends by itself; 0 is no limit."""

    turns: int = 100
    usd: float = 0
    seconds: float = 0

    def reached(self, turns: int, cost: float | None) -> Literal["max_turns", "max_budget"] | None:
        """Which limit leaves no room for another turn."""
        if 0 < self.turns <= turns:
            return "max_turns"
        return "max_budget" if 0 < self.usd <= (cost or 0) else None


def only_reads(_call: ToolCall, effects: tuple[Effect, ...]) -> bool:
    """Whether a call may run beside others of its kind, by what it says of itself."""
    return all(effect.kind == "read" for effect in effects)


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """A model, tools and the rules for them, ready to run."""

    ask: Ask
    gate: Gate
    context: Callable[[Callable[[str], None]], ToolContext[Any]]
    """Makes what a tool sees of the world, given where it reports to."""
    tools: Mapping[str, Tool] = msgspec.field(default_factory=dict)
    side_by_side: Callable[[ToolCall, tuple[Effect, ...]], bool] = only_reads
    """Which neighbouring calls may run at the same time."""
    system: str = ""
    limits: Limits = Limits()
    price: Callable[[str, Usage], float | None] = lambda _model, _usage: None
    """What a model's tokens cost in US dollars, where that is known."""

    def cost(self, draft: Draft) -> float | None:
        """What an answer cost: the provider's own figures before ours."""
        costs = [self.price(draft.model, one.usage) if one.cost is None else one.cost for one in draft.paid]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None
