"""A person's word on a call that waits for it."""

from collections.abc import Awaitable, Callable
from typing import Literal

from ferrule.core.events import PermissionAsked
from ferrule.core.messages import ToolCall, Value

Scope = Literal["session", "project", "user"]
"""How far "always" reaches: this session; this project, noted in the user's own file; all that the user does."""


class Answer(Value, frozen=True, kw_only=True):
    """What a person said: yes once, always, no (perhaps with a word to the model), or no and stop."""

    verdict: Literal["once", "always", "no", "abort"]
    scope: Scope = "session"
    word: str = ""
    """What the model is told with a no."""
    rules: tuple[str, ...] = ()
    """With "always": rules of the person's own in place of those that were offered."""


Asker = Callable[[PermissionAsked], Awaitable[Answer | None]]
"""Puts a question to a person; None where nobody answers."""


class Advice(Value, frozen=True, kw_only=True):
    """What someone says of a call before it is judged: that it need not be asked about, or that it must be."""

    verdict: Literal["allow", "ask"]
    reason: str = ""


Advise = Callable[[ToolCall], Advice | None]
"""Gives the advice on a call, if there is any. It answers or raises a question; it never lifts a prohibition."""
