"""A session's events as JSON messages, one a line, in the shapes that SDK clients read."""

import os
import time
from collections.abc import Callable
from typing import Any

import msgspec

from ferrule.core.events import Appended, Event, Retrying, ToolEnded, TurnStarted
from ferrule.core.messages import Assistant, Image, Text, Thinking, ToolCall, ToolResult, Usage
from ferrule.core.model import Delta
from ferrule.front.outcome import Outcome
from ferrule.session.session import Session
from ferrule.version import __version__

Json = dict[str, Any]
STOPS = {"aborted": "end_turn", "error": "end_turn"}
SUBTYPES = {"end_turn": "success", "max_turns": "error_max_turns", "max_budget": "error_max_budget_usd"}


def init_message(session: Session) -> Json:
    """The first message of every run: where it runs, and with what."""
    return {
        "type": "system",
        "subtype": "init",
        "cwd": os.fsencode(session.directory).decode("utf-8", "replace"),
        "session_id": session.id,
        "tools": list(session.agent.tools),
        "mcp_servers": [],
        "model": session.model,
        "permissionMode": session.mode,
        "slash_commands": [],
        "apiKeySource": "none",
        "output_style": "default",
        "ferrule_version": __version__,
        "uuid": _uuid(),
    }


def result_message(session: Session, outcome: Outcome, seconds: float, model_seconds: float) -> Json:
    """The last message of every run, and the whole of `--output-format json`."""
    ended = outcome.ended
    reason = ended.reason if ended else "error"
    message: Json = {
        "type": "result",
        "subtype": SUBTYPES.get(reason, "error_during_execution"),
        "is_error": outcome.code not in {0, 4},
        "exit_reason": reason,
        "duration_ms": round(seconds * 1000),
        "duration_api_ms": round(model_seconds * 1000),
        "num_turns": ended.turns if ended else 0,
        "result": outcome.answer,
        "session_id": session.id,
        "total_cost_usd": ended.cost if ended else None,
        "usage": usage_message(ended.usage if ended else Usage()),
        "permission_denials": [
            {"tool_name": call.name, "tool_use_id": call.id, "tool_input": call.input} for call, _ in outcome.denials
        ],
        "uuid": _uuid(),
    }
    if outcome.problem:
        message["errors"] = [outcome.problem]
    return message


class StreamJson:
    """Writes the messages of a run as it goes.

    With `partial`, an answer is also told piece by piece, as the events of one stream: text and thinking as they
    come, calls once they are whole. A second `message_start` means that what had come since the first is void.
    """

    def __init__(self, session: Session, write: Callable[[Json], None], *, partial: bool = False) -> None:
        self._session = session
        self._write = write
        self._partial = partial
        self._has_begun = False
        self._open: tuple[int, str] | None = None
        self._blocks = 0

    def hear(self, event: Event) -> None:
        """Turn an event into messages."""
        match event:
            case Appended(message=Assistant() as message):
                if self._partial:
                    self._end(message)
                self._send("assistant", message=assistant_message(message))
            case ToolEnded(result=result):
                content = [tool_result_block(result)]
                self._send("user", message={"role": "user", "content": content}, parent_tool_use_id=None)
            case Delta(kind="text" | "thinking" | "signature") if self._partial:
                self._piece(event)
            case Retrying():
                self._has_begun, self._open = False, None
            case _:
                pass

    def _piece(self, delta: Delta) -> None:
        self._begin()
        kind = "text" if delta.kind == "text" else "thinking"
        if self._open != (delta.index, kind):
            self._close_block()
            self._open = (delta.index, kind)
            empty: Json = {"type": "text", "text": ""} if kind == "text" else {"type": "thinking", "thinking": ""}
            self._stream("content_block_start", index=self._blocks, content_block=empty)
        field = {"text": "text", "thinking": "thinking", "signature": "signature"}[delta.kind]
        piece = {"type": f"{delta.kind}_delta", field: delta.text}
        self._stream("content_block_delta", index=self._blocks, delta=piece)

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun, self._blocks = True, 0
            usage = {"input_tokens": 0, "output_tokens": 0}
            message = {"role": "assistant", "type": "message", "model": self._session.model, "content": []}
            self._stream("message_start", message={**message, "id": f"msg_{os.urandom(12).hex()}", "usage": usage})

    def _close_block(self) -> None:
        if self._open:
            self._stream("content_block_stop", index=self._blocks)
            self._open, self._blocks = None, self._blocks + 1

    def _end(self, message: Assistant) -> None:
        """Close what is open, tell the calls, and end the stream of the answer."""
        self._begin()
        self._close_block()
        for call in message.calls:
            empty = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            arguments = {"type": "input_json_delta", "partial_json": msgspec.json.encode(call.input).decode()}
            self._stream("content_block_start", index=self._blocks, content_block=empty)
            self._stream("content_block_delta", index=self._blocks, delta=arguments)
            self._stream("content_block_stop", index=self._blocks)
            self._blocks += 1
        stop = {"stop_reason": STOPS.get(message.stop, message.stop), "stop_sequence": None}
        self._stream("message_delta", delta=stop, usage=usage_message(message.usage))
        self._stream("message_stop")
        self._has_begun = False

    def _stream(self, kind: str, **fields: Any) -> None:
        self._send("stream_event", event={"type": kind, **fields}, parent_tool_use_id=None)

    def _send(self, kind: str, **fields: Any) -> None:
        self._write({"type": kind, **fields, "session_id": self._session.id, "uuid": _uuid()})


def assistant_message(message: Assistant) -> Json:
    """An answer, in Anthropic's shape."""
    return {
        "id": f"msg_{os.urandom(12).hex()}",
        "type": "message",
        "role": "assistant",
        "model": message.model,
        "content": [_block(part) for part in message.content],
        "stop_reason": STOPS.get(message.stop, message.stop),
        "usage": usage_message(message.usage),
    }


def tool_result_block(result: ToolResult) -> Json:
    """A result, in Anthropic's shape."""
    content: Any = [_block(part) for part in result.content]
    if all(isinstance(part, Text) for part in result.content):
        content = result.text
    return {
        "type": "tool_result",
        "tool_use_id": result.call_id,
        "content": content,
        "is_error": result.is_error,
    }


def usage_message(usage: Usage) -> Json:
    """Tokens, under the names that clients know."""
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
    }


def line(message: Json) -> bytes:
    """One message, one line."""
    return msgspec.json.encode(message) + b"\n"


def _uuid() -> str:
    """A random UUID; the library's own would import much for so little."""
    number = bytearray(os.urandom(16))
    number[6], number[8] = number[6] & 0x0F | 0x40, number[8] & 0x3F | 0x80
    text = number.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _block(part: Text | Image | Thinking | ToolCall) -> Json:
    match part:
        case Text(text=text):
            return {"type": "text", "text": text}
        case Thinking(text=text, signature=signature):
            return {"type": "thinking", "thinking": text, "signature": signature or ""}
        case ToolCall(id=id, name=name, input=input):
            return {"type": "tool_use", "id": id, "name": name, "input": input}
        case Image(media_type=kind, data=data):
            return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


class Clock:
    """How long a run takes, and how much of that the model."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._asked: float | None = None
        self.model_seconds = 0.0

    def hear(self, event: Event) -> None:
        """Start at a turn's start, stop at its answer."""
        if isinstance(event, TurnStarted):
            self._asked = time.monotonic()
        elif isinstance(event, Appended) and isinstance(event.message, Assistant) and self._asked is not None:
            self.model_seconds += time.monotonic() - self._asked
            self._asked = None

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._began
