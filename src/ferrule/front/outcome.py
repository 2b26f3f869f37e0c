"""What a finished run comes to: its answer, its denials, its exit code."""

from ferrule.core.events import Appended, Event, ExitReason, PermissionDecided, RunEnded, TurnStarted
from ferrule.core.messages import Assistant, ToolCall

EXIT_CODES: dict[ExitReason, int] = {
    "end_turn": 0,
    "error": 1,
    "aborted": 1,
    "max_turns": 3,
    "max_budget": 3,
    "max_time": 3,
    "loop_detected": 3,
    "interrupted": 130,
}
WORDS: dict[ExitReason, str] = {
    "max_turns": "The limit of turns was reached; --continue goes on.",
    "max_budget": "The limit of cost was reached; --continue goes on.",
    "max_time": "The limit of time was reached; --continue goes on.",
    "loop_detected": "Stopped: the model repeated the same calls with the same results.",
    "interrupted": "Interrupted; --continue goes on.",
    "aborted": "The run was stopped.",
}
DENIED = 4


class Outcome:
    """Collects what a run comes to, from its events."""

    def __init__(self) -> None:
        self.answer = ""
        self.denials: list[tuple[ToolCall, str]] = []
        self.ended: RunEnded | None = None
        self._calls: dict[str, ToolCall] = {}
        self._goes_on = False

    def hear(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case TurnStarted() if not self._goes_on:
                self.answer = ""
            case Appended(message=Assistant() as message):
                self.answer += message.text
                self._goes_on = message.stop == "max_tokens" and not message.calls
                self._calls = {call.id: call for call in message.calls}
            case PermissionDecided(call_id=id, allowed=False, reason=reason) if id in self._calls:
                self.denials.append((self._calls[id], reason))
            case RunEnded():
                self.ended = event
            case _:
                pass

    @property
    def code(self) -> int:
        """The exit code: 0 only where there is an answer and nothing that was needed was denied."""
        reason = self.ended.reason if self.ended else "error"
        if self.denials and reason in {"end_turn", "aborted"}:
            return DENIED
        return EXIT_CODES[reason]

    @property
    def problem(self) -> str:
        """Why the exit code is not 0, for a person; empty where it is."""
        if self.ended is None:
            return "The run did not end."
        if self.ended.error:
            return self.ended.error
        if self.code == DENIED:
            return self.denials[-1][1]
        return WORDS.get(self.ended.reason, "")
