"""The line from a session to its model."""

from collections.abc import Callable

from ferrule.config.schema import Config
from ferrule.context.compact import Before, Compacting
from ferrule.context.guard import CacheGuard
from ferrule.context.view import State
from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.events import Emit, Notice
from ferrule.core.model import Model, Request
from ferrule.llm.connect import Connection
from ferrule.llm.modes import in_mode
from ferrule.llm.retry import retrying
from ferrule.session.session import Line

Lead = Callable[[Connection], Model]
"""Makes of a connection to a small model one that is led."""

ROOM_FOR_AN_ANSWER = 16_000
"""Tokens of the window that are kept free for the answer, where nothing else is said."""


def line_to(connection: Connection, config: Config, state: State, *, lead: Lead, before: Before | None = None) -> Line:
    """The line to a model, from the inside out: calls mended, asked again, guarded, made to fit the window.

    `lead` takes a small model by the hand; `before` is told before older messages are summed up.
    """
    agent, known = config.agent, connection.known
    mode = connection.tool_mode if config.llm.tool_mode == "auto" else config.llm.tool_mode
    moved: list[str] = []
    model = (
        lead(connection)
        if mode == "guided"
        else in_mode(
            connection.model,
            mode,
            constrain=connection.constrain,
            on_change=lambda _mode, why: moved.append(why),
        )
    )

    async def ask_and_say(request: Request, draft: Draft, emit: Emit) -> None:
        try:
            await ask_model(model, request, draft, emit)
        finally:
            while moved:
                emit(Notice(text=moved.pop()))

    ask = retrying(ask_and_say, attempts=agent.retry_attempts, base=agent.retry_backoff_base_ms / 1000)
    window = known.window or 0
    fitting = Compacting(
        CacheGuard(ask, extra_cost=known.extra_cost),
        notes=ask,
        window=0 if mode == "guided" else window,  # a model that is led is never shown the conversation
        reserve=min(connection.answer or ROOM_FOR_AN_ANSWER, window // 4),
        threshold=config.context.compaction_threshold,
        state=state,
        before=before,
    )
    return Line(model=connection.model.name, ask=fitting, window=window, price=lambda _model, usage: known.cost(usage))
