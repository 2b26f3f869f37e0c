"""The conversation so far. It grows by events alone, so a log of the events rebuilds it.

Whatever the events were (a killed process, a torn log), the messages can always be sent to a model: each call
has exactly one result, in the order asked, right behind the answer that asked for it.
"""

import bisect
from collections.abc import Iterable, Sequence

from ferrule.core.events import Appended, Event, Rewound, ToolEnded, ToolPrinted, ToolStarted
from ferrule.core.messages import Assistant, Message, Text, ToolCall, ToolResult

_KEPT_OF_OUTPUT = 2_000


class History:
    """A conversation and what is still open in it."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.messages: list[Message] = []
        self._calls: dict[str, ToolCall] = {}
        self._first = 0
        self._answered: list[int] = []
        self._printed: dict[str, str] = {}
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
        """Take in an event; most change nothing here."""
        match event:
            case Appended(message=message):
                for ended in self.closing():
                    self.apply(ended)
                self.messages.append(message)
                if isinstance(message, Assistant):
                    self._calls = {call.id: call for call in message.calls}
                    self._first, self._answered, self._printed = len(self.messages), [], {}
            case ToolStarted(call=call):
                self._printed[call.id] = ""
            case ToolPrinted(call_id=id, text=text):
                self._printed[id] = (self._printed.get(id, "") + text)[-_KEPT_OF_OUTPUT:]
            case ToolEnded(result=result) if result.call_id in self._calls:
                rank = list(self._calls).index(result.call_id)
                if rank not in self._answered:
                    place = bisect.bisect(self._answered, rank)
                    self._answered.insert(place, rank)
                    self.messages.insert(self._first + place, result)
            case Rewound(messages=number):
                self._rewind(number)
            case _:
                pass

    def sound_end(self, number: int) -> int:
        """The nearest place, at or before a number of messages, where the conversation can end: no call is open."""
        number = max(0, min(number, len(self.messages)))
        while 0 < number < len(self.messages) and isinstance(self.messages[number], ToolResult):
            number -= 1
        last = self.messages[number - 1] if number else None
        is_torn = isinstance(last, Assistant) and last.calls
        return number - 1 if is_torn else number

    def _rewind(self, number: int) -> None:
        del self.messages[self.sound_end(number) :]
        self._calls, self._first, self._answered, self._printed = {}, len(self.messages), [], {}

    def closing(self, by: str = "") -> list[ToolEnded]:
        """What must still be told so that every call has its result."""
        open_calls = [call for rank, call in enumerate(self._calls.values()) if rank not in self._answered]
        return [ToolEnded(result=self._close(call, by)) for call in open_calls]

    def results_of(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        """The results of the calls of the last answer, in the order asked."""
        last = self.messages[self._first : self._first + len(calls)]
        return [message for message in last if isinstance(message, ToolResult)]

    def _close(self, call: ToolCall, by: str) -> ToolResult:
        text = f"Interrupted {by}".strip()
        if call.id not in self._printed:
            text += " before it began: nothing of it was run."
        else:
            text += " while it ran: it may have had some of its effects."
            if output := self._printed[call.id].strip():
                text += f" Its last output:\n{output}"
        return ToolResult(call_id=call.id, tool=call.name, content=(Text(text),), is_error=True)
