"""What a run reports. Every front door, the session log and the library read this one stream.

A run is told by `RunStarted … RunEnded`, a turn by `TurnStarted … TurnEnded`. In between, an answer streams
as `Delta`s and is then `Appended` whole; a call is `ToolStarted`, prints (`ToolPrinted`) and is `ToolEnded`
with its result. The conversation is rebuilt from `Appended` and `ToolEnded` alone: see `history.py`.
"""

from collections.abc import Callable
from typing import Literal

from ferrule.core.messages import Assistant, ToolCall, ToolResult, Usage, User, Value
from ferrule.core.model import Delta
from ferrule.core.tool import Effect

ExitReason = Literal[
    "end_turn",
    "max_turns",
    "max_budget",
    "max_time",
    "loop_detected",
    "interrupted",
    "aborted",
    "error",
]


class RunStarted(Value, frozen=True, kw_only=True, tag="run_started"):
    """A request is taken up."""


class RunEnded(Value, frozen=True, kw_only=True, tag="run_ended"):
    """A request came to its end, and why."""

    reason: ExitReason
    turns: int
    usage: Usage = Usage()
    cost: float | None = None
    """US dollars, where they are known."""
    error: str | None = None


class TurnStarted(Value, frozen=True, kw_only=True, tag="turn_started"):
    """The model is about to be asked."""

    turn: int


class TurnEnded(Value, frozen=True, kw_only=True, tag="turn_ended"):
    """The model answered, and its calls were run."""

    turn: int
    usage: Usage = Usage()
    cost: float | None = None


class Appended(Value, frozen=True, kw_only=True, tag="appended"):
    """A message joined the conversation."""

    message: User | Assistant


class ToolStarted(Value, frozen=True, kw_only=True, tag="tool_started"):
    """A call was allowed and begins."""

    call: ToolCall
    effects: tuple[Effect, ...] = ()


class ToolPrinted(Value, frozen=True, kw_only=True, tag="tool_printed"):
    """A running call printed something."""

    call_id: str
    text: str


class ToolEnded(Value, frozen=True, kw_only=True, tag="tool_ended"):
    """A call has its result, which thereby joins the conversation."""

    result: ToolResult
    seconds: float = 0.0


class Retrying(Value, frozen=True, kw_only=True, tag="retrying"):
    """The model could not answer; what had streamed is void, and it is asked again after a wait."""

    attempt: int
    delay: float
    reason: str


class Waiting(Value, frozen=True, kw_only=True, tag="waiting"):
    """What the answer waits for just now, such as a model that is being loaded; the next word of it replaces this."""

    text: str


class Notice(Value, frozen=True, kw_only=True, tag="notice"):
    """Something that the person should know."""

    text: str
    level: Literal["info", "warning", "error"] = "warning"


class PermissionAsked(Value, frozen=True, kw_only=True, tag="permission_asked"):
    """A call waits for a person's word, with all that will happen."""

    id: str
    call: ToolCall
    effects: tuple[Effect, ...] = ()
    reason: str = ""
    """Why it does not simply run."""
    parts: tuple[str, ...] = ()
    """The commands that a shell line really runs."""
    preview: str = ""
    """What a change would look like, as a diff."""
    always: tuple[str, ...] = ()
    """The rules that "always" would add; none where that is not offered."""


class PermissionDecided(Value, frozen=True, kw_only=True, tag="permission_decided"):
    """A call was denied, or allowed by a person, and why."""

    call_id: str
    allowed: bool
    reason: str = ""


class Compacted(Value, frozen=True, kw_only=True, tag="compacted"):
    """From now on the model is told less: old outputs as one line each, older messages as a summary."""

    before: int
    """Tokens of the conversation as it was sent, estimated."""
    after: int
    pruned: int = 0
    """Outputs in messages before this number are told as one line."""
    upto: int = 0
    """Messages before this number are told as the summary."""
    summary: str = ""


class Pinned(Value, frozen=True, kw_only=True, tag="pinned"):
    """A message is never to be summarised."""

    number: int


class Stepping(Value, frozen=True, kw_only=True, tag="stepping"):
    """A turn is about to change the working tree, which was recorded as it is."""

    before: str
    messages: int
    """How long the conversation was before the answer that asks for the changes."""


class Stepped(Value, frozen=True, kw_only=True, tag="stepped"):
    """A turn changed the working tree, which was recorded before and after."""

    number: int
    before: str
    after: str
    messages: int
    """How long the conversation was before the answer that asked for the changes."""


class Undone(Value, frozen=True, kw_only=True, tag="undone"):
    """The changes of a step were taken back."""

    step: int
    kept: tuple[str, ...] = ()
    """Files that were left as they are, since someone changed them in the meantime."""


class Redone(Value, frozen=True, kw_only=True, tag="redone"):
    """The changes of a step that was undone were made again."""

    step: int
    kept: tuple[str, ...] = ()


class Rewound(Value, frozen=True, kw_only=True, tag="rewound"):
    """The conversation goes on from an earlier place."""

    messages: int
    """How many of its messages are left."""


Event = (
    RunStarted
    | RunEnded
    | TurnStarted
    | TurnEnded
    | Delta
    | Appended
    | ToolStarted
    | ToolPrinted
    | ToolEnded
    | Retrying
    | Waiting
    | Notice
    | PermissionAsked
    | PermissionDecided
    | Compacted
    | Pinned
    | Stepping
    | Stepped
    | Undone
    | Redone
    | Rewound
)

Emit = Callable[[Event], None]
"""Tells an event to whoever listens. Must not block."""
