"""Anthropic's Messages API.

The instructions stand apart; results are blocks of a user's message, before anything else in it. Cache markers
stand on the last tool, the instructions and the last two messages of the user: the older of these is where the
cache of the request before ends, the newer where this one's will.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ferrule.core.messages import (
    Assistant,
    Image,
    Message,
    StopReason,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    User,
)
from ferrule.core.model import Delta, Finish, Request
from ferrule.llm.encode import NO_OUTPUT, Encoder, Ids, dumps, schema_of, tool_name
from ferrule.llm.endpoint import Endpoint, Settings
from ferrule.llm.stream import Remote, StreamError

VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 8192
REDACTED = "redacted_thinking:"
"""Begins the signature of thinking that the provider keeps to itself; no real signature holds a colon."""

_MARKER = b',"cache_control":{"type":"ephemeral"}}'
_SMALLEST_BUDGET = 1024
_STOPS: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
    "pause_turn": "end_turn",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
}


class _Turn(msgspec.Struct):
    """A message on the wire: neighbouring messages of one role are one."""

    role: str
    blocks: list[bytes] = msgspec.field(default_factory=list)
    results: int = 0
    """How many of the blocks are results; they come first."""

    def encoded(self, *, marked: bool) -> bytes:
        blocks = self.blocks
        if marked:
            blocks = [*blocks[:-1], blocks[-1][:-1] + _MARKER]
        return b"".join((b'{"role":"', self.role.encode(), b'","content":[', b",".join(blocks), b"]}"))


class AnthropicEncoder(Encoder):
    """Makes the bodies of requests."""

    def restart(self) -> None:
        """Forget what was encoded."""
        self._turns: list[_Turn] = []  # the last four: two of the user are among them
        self._ids = Ids(r"[a-zA-Z0-9_-]{1,64}")
        self._began_with_thinking = True

    def add(self, message: Message) -> None:
        """Encode the next message."""
        match message:
            case User():
                content = self.shown(message.content, instead=Text("(empty)"))
                self._turn("user").blocks += [_block(part) for part in content]
                self._began_with_thinking = True
            case ToolResult():
                turn = self._turn("user")
                turn.blocks.insert(turn.results, self._result(message))
                turn.results += 1
            case Assistant():
                if blocks := self._answer(message):
                    self._turn("assistant").blocks += blocks

    def open_units(self) -> Iterable[bytes]:
        """The last messages, with markers on two of the user."""
        marked = [turn for turn in self._turns if turn.role == "user"][-2:] if self.quirks.cache_markers else []
        return [turn.encoded(marked=any(turn is one for one in marked)) for turn in self._turns]

    def head(self, request: Request) -> dict[str, Any]:
        """Everything but the conversation."""
        settings = self.settings
        most = settings.max_tokens or DEFAULT_MAX_TOKENS
        thinking = self._thinking(most)
        head: dict[str, Any] = {"model": settings.model, "max_tokens": most, "stream": True} | thinking
        if settings.temperature is not None and self.quirks.temperature and not thinking:
            head["temperature"] = settings.temperature
        marker = {"cache_control": {"type": "ephemeral"}} if self.quirks.cache_markers else {}
        tools: list[dict[str, Any]] = [
            {"name": tool.name, "description": tool.description, "input_schema": schema_of(tool)}
            for tool in request.tools
        ]
        if tools:
            tools[-1] |= marker
            head["tools"] = tools
        if request.system.strip():
            head["system"] = [{"type": "text", "text": request.system} | marker]
        return head

    def head_depends_on(self) -> object:
        """Whether thinking may be asked for."""
        return self._began_with_thinking

    def _thinking(self, most: int) -> dict[str, Any]:
        effort, budget = self.settings.effort, self.settings.thinking_budget
        if effort == "none":
            return {"thinking": {"type": "disabled"}}
        if effort and self.quirks.adaptive_thinking:
            level = "low" if effort == "minimal" else effort
            return {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": level},
            }
        # an answer to results must not think if the calls, made by another model, came without thinking
        if budget and self._began_with_thinking and most > _SMALLEST_BUDGET:
            budget = max(min(budget, most // 2 if budget >= most else budget), _SMALLEST_BUDGET)
            return {"thinking": {"type": "enabled", "budget_tokens": budget}}
        return {}

    def _turn(self, role: str) -> _Turn:
        if not self._turns and role == "assistant":  # the first word is the user's
            self._turns.append(_Turn("user", [_block(Text("(The conversation goes on.)"))]))
        if not self._turns or self._turns[-1].role != role:
            self._turns.append(_Turn(role))
        if len(self._turns) > 4:
            self.settle(self._turns.pop(0).encoded(marked=False))
        return self._turns[-1]

    def _answer(self, message: Assistant) -> list[bytes]:
        mine = self.is_mine(message)
        parts = [part for part in message.content if _can_be_sent(part, mine=mine)]
        while parts and isinstance(parts[-1], Thinking):  # an answer may not end with a thought
            parts.pop()
        if not parts:
            return []
        if not mine:  # other providers do not care about the order; here the calls come last
            parts.sort(key=lambda part: isinstance(part, ToolCall))
        if not self._turns or self._turns[-1].results == 0:
            self._began_with_thinking = isinstance(parts[0], Thinking)
        return [self._call(part) if isinstance(part, ToolCall) else _block(part) for part in parts]

    def _call(self, call: ToolCall) -> bytes:
        id_ = self._ids.of_call(call.id)
        return dumps({"type": "tool_use", "id": id_, "name": tool_name(call.name), "input": call.input})

    def _result(self, result: ToolResult) -> bytes:
        content = self.shown(result.content, instead=NO_OUTPUT)
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": self._ids.of_result(result.call_id)}
        match content:
            case [Text(text)]:
                block["content"] = text
            case _:
                block["content"] = [msgspec.Raw(_block(part)) for part in content]
        if result.is_error and not any(isinstance(part, Image) for part in content):
            block["is_error"] = True  # a failure may hold text only
        return dumps(block)


class AnthropicDecoder:
    """Reads one answer."""

    def __init__(self) -> None:
        self.ended = False
        self._stop: StopReason | None = None
        self._usage = Usage()
        self._calls: dict[int, bool] = {}
        """Of each call, whether pieces of its arguments came."""
        self._inputs: dict[int, dict[str, Any]] = {}

    def read(self, record: str) -> Iterator[Delta]:
        """Take in an event; pings and unknown ones say nothing."""
        event = _EVENTS.decode(record)
        match event.type:
            case "content_block_delta":
                yield from self._piece(event.index, event.delta)
            case "content_block_start":
                yield from self._begin(event.index, event.content_block)
            case "content_block_stop":
                if (given := self._inputs.pop(event.index, None)) and not self._calls.get(event.index):
                    yield Delta(kind="arguments", index=event.index, text=dumps(given).decode())
            case "message_start":
                self._count(event.message.get("usage"))
            case "message_delta":
                self._count(event.usage)
                reason = event.delta.stop_reason
                self._stop = _STOPS.get(reason, "end_turn") if reason else self._stop
            case "message_stop":
                self.ended = True
            case _ if event.type == "error" or event.error:
                raise StreamError(event.error or record)

    def finish(self) -> Finish | None:
        """The end of the answer, once the end marker came."""
        if not self.ended:
            return None
        stop = self._stop or ("tool_use" if self._calls else "end_turn")
        return Finish(stop=stop, usage=self._usage)

    def _begin(self, index: int, block: "_Block") -> Iterator[Delta]:
        match block.type:
            case "text" if block.text:
                yield Delta(kind="text", index=index, text=block.text)
            case "thinking" if block.thinking:
                yield Delta(kind="thinking", index=index, text=block.thinking)
            case "redacted_thinking":
                yield Delta(kind="signature", index=index, text=REDACTED + block.data)
            case "tool_use":
                self._calls[index] = False
                self._inputs[index] = block.input or {}
                yield Delta(kind="call", index=index, text=block.name, id=block.id)
            case _:
                pass

    def _piece(self, index: int, delta: "_Delta") -> Iterator[Delta]:
        match delta.type:
            case "text_delta":
                yield Delta(kind="text", index=index, text=delta.text)
            case "thinking_delta":
                yield Delta(kind="thinking", index=index, text=delta.thinking)
            case "signature_delta":
                yield Delta(kind="signature", index=index, text=delta.signature)
            case "input_json_delta" if delta.partial_json and index in self._calls:
                self._calls[index] = True
                yield Delta(kind="arguments", index=index, text=delta.partial_json)
            case _:
                pass

    def _count(self, usage: Any) -> None:
        """Keep the last word on each kind of token."""
        if isinstance(usage, dict):
            counted = {ours: usage[theirs] for ours, theirs in _TOKENS.items() if isinstance(usage.get(theirs), int)}
            self._usage = msgspec.structs.replace(self._usage, **counted)


class Anthropic(Remote):
    """A model that speaks the Messages API."""

    encoder = AnthropicEncoder

    def decoder(self) -> AnthropicDecoder:
        """Make what reads one answer."""
        return AnthropicDecoder()

    def url(self) -> str:
        """Where requests go."""
        return self.endpoint.url("/messages", always=True)

    def headers(self) -> dict[str, str]:
        """The key, the version, and leave to think between calls where thinking has a budget."""
        headers = {"anthropic-version": VERSION}
        if key := self.endpoint.api_key:
            headers["x-api-key"] = key.reveal().strip()
        if self.settings.thinking_budget:
            headers["anthropic-beta"] = "interleaved-thinking-2025-05-14"
        return headers


def encode(request: Request, endpoint: Endpoint, settings: Settings) -> bytes:
    """Make the body of one request."""
    return AnthropicEncoder(endpoint, settings).encode(request)


class _Delta(msgspec.Struct):
    type: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""
    thinking: str = ""
    data: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, Any] | None = None


class _Event(msgspec.Struct):
    type: str = ""
    index: int = 0
    delta: _Delta = msgspec.field(default_factory=_Delta)
    content_block: _Block = msgspec.field(default_factory=_Block)
    message: dict[str, Any] = msgspec.field(default_factory=dict)
    usage: Any = None
    error: Any = None


_EVENTS = msgspec.json.Decoder(_Event)
_TOKENS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_creation_input_tokens",
}


def _can_be_sent(part: Text | Thinking | ToolCall, *, mine: bool) -> bool:
    if isinstance(part, Thinking):
        signature = part.signature or ""
        return mine and bool(signature) and not signature.startswith("{")  # which would be another format's
    return isinstance(part, ToolCall) or bool(part.text.strip())


def _block(part: Text | Image | Thinking) -> bytes:
    match part:
        case Text(text):  # the last answer may not end with white space, so none does
            return dumps({"type": "text", "text": text.rstrip()})
        case Image(media_type=media_type, data=data):
            source = {"type": "base64", "media_type": media_type, "data": data}
            return dumps({"type": "image", "source": source})
        case Thinking(text=text, signature=signature):
            if signature and signature.startswith(REDACTED):
                return dumps({"type": "redacted_thinking", "data": signature.removeprefix(REDACTED)})
            return dumps({"type": "thinking", "thinking": text, "signature": signature})
