"""Whether and when to ask again: a wrapper around `ask` that the loop does not know.

What a failed attempt had written is void: the draft starts from nothing, and nothing that it asked for was run.
"""

import asyncio
import random

from ferrule.core.accumulate import Draft
from ferrule.core.agent import Ask
from ferrule.core.errors import ProviderError
from ferrule.core.events import Emit, Retrying
from ferrule.core.model import Request

LONGEST_WAIT = 30.0
LONGEST_OBEYED = 300.0
"""A provider that wants us to wait longer than this is not worth waiting for: the person decides."""


def retrying(ask: Ask, *, attempts: int = 5, base: float = 0.5) -> Ask:
    """Ask up to `attempts` times where a failure may pass, and once more where the answer was empty."""

    async def ask_again(request: Request, draft: Draft, emit: Emit) -> None:
        failures, was_empty = 0, False
        while True:
            try:
                await ask(request, draft, emit)
            except ProviderError as error:
                failures += 1
                delay = _delay(error, failures, base)
                if not error.retryable or delay > LONGEST_OBEYED:
                    raise
                if failures >= attempts:
                    raise _given_up(error, failures) from error
                reason = str(error)
            else:
                if not draft.is_empty or was_empty:
                    return
                was_empty, delay, reason = True, 0.0, "The model gave an empty answer."
            draft.begin(draft.model)
            emit(Retrying(attempt=failures + was_empty, delay=delay, reason=reason))
            await asyncio.sleep(delay)

    return ask_again


def _delay(error: ProviderError, failures: int, base: float) -> float:
    """The provider's own wish, else a wait that doubles, with jitter so that many clients do not come back at once."""
    if error.retry_after is not None:
        return max(error.retry_after, 0.0)
    doubled = min(base * 2 ** (failures - 1), LONGEST_WAIT)
    return float(doubled * random.uniform(0.75, 1.0))  # noqa: S311  jitter is no secret


def _given_up(error: ProviderError, failures: int) -> ProviderError:
    words = f"{error} (tried {failures} times)" if failures > 1 else str(error)
    return ProviderError(words, fault=error.fault, status=error.status, retry_after=error.retry_after)
