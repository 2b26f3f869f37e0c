"""The cache guard: says what changed in the beginning of a request, and what that costs, before it is sent.

Providers keep the beginning of a conversation ready and charge little for it, as long as it stays the same to the
byte. From turn to turn only the end may grow; whatever else happens should be known, and is told here by name.
"""

from collections.abc import Callable
from itertools import takewhile

from ferrule.context.budget import message_tokens, tokens_of, tool_tokens
from ferrule.core.accumulate import Draft
from ferrule.core.agent import Ask
from ferrule.core.events import Emit, Notice
from ferrule.core.model import Request

WORTH_SAYING = 1_000
"""Tokens below which no provider keeps anything ready."""


class CacheGuard:
    """An `Ask` that compares each request with the one before it."""

    def __init__(self, ask: Ask, *, extra_cost: Callable[[int], float | None] = lambda _tokens: None) -> None:
        """Wrap an `ask`; `extra_cost` is what so many tokens cost more when they are not ready."""
        self._ask = ask
        self._extra_cost = extra_cost
        self._last: Request | None = None

    async def __call__(self, request: Request, draft: Draft, emit: Emit) -> None:
        """Say what changed, and ask."""
        if self._last and (words := self._changed(self._last, request)):
            emit(Notice(text=words, level="info"))
        self._last = request
        await self._ask(request, draft, emit)

    def _changed(self, before: Request, now: Request) -> str:
        """What is not as it was, and the tokens behind it that were ready and are no longer."""
        if before.tools != now.tools:
            names = {tool.name for tool in before.tools} ^ {tool.name for tool in now.tools}
            what, same = f"the tools ({', '.join(sorted(names)) or 'their descriptions'})", 0
            lost = tokens_of(before.system) + sum(map(tool_tokens, before.tools))
        elif before.system != now.system:
            what, same, lost = "the system prompt", 0, tokens_of(before.system)
        elif now.messages[: len(before.messages)] != before.messages:
            pairs = zip(before.messages, now.messages, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            if same >= len(now.messages) - 1:  # rewound: what is left is as ready as it was
                return ""
            what, lost = f"message #{same + 1}", 0
        else:
            return ""
        lost += sum(map(message_tokens, before.messages[same:]))
        if lost < WORTH_SAYING:
            return ""
        cost = self._extra_cost(lost)
        price = f", about ${cost:.4f}" if cost else ""
        return f"The provider's cache is lost from {what} on: {lost:,} tokens are read anew{price}."
