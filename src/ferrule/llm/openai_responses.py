"""OpenAI's Responses API: a conversation of items, nothing of it stored at the provider.

A model's reasoning comes encrypted, as an item with an id; both travel as the signature of the thinking, as JSON,
and go back to the model that made them.
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
from ferrule.core.model import Delta, DeltaKind, Finish, Request
from ferrule.llm.encode import NO_OUTPUT, Content, Encoder, Ids, data_url, dumps, result_text, schema_of, tool_name
from ferrule.llm.endpoint import Endpoint, Settings
from ferrule.llm.stream import Remote, StreamError


class Mark(msgspec.Struct, omit_defaults=True):
    """What a model wants back of its own answer: its encrypted reasoning, or what phase a text belongs to."""

    id: str = ""
    encrypted_content: str = ""
    phase: str = ""


class ResponsesEncoder(Encoder):
    """Makes the bodies of requests."""

    field = "input"

    def restart(self) -> None:
        """Forget what was encoded."""
        self._ids = Ids(r"[a-zA-Z0-9_-]{1,64}")

    def add(self, message: Message) -> None:
        """Encode the next message."""
        match message:
            case User():
                content = _inputs(self.shown(message.content, instead=Text("(empty)")))
                self.settle(dumps({"type": "message", "role": "user", "content": content}))
            case ToolResult():
                self.settle(dumps(self._result(message)))
            case Assistant():
                for item in self._answer(message):
                    self.settle(dumps(item))

    def open_units(self) -> Iterable[bytes]:
        """None: each item stands by itself."""
        return ()

    def head(self, request: Request) -> dict[str, Any]:
        """Everything but the conversation."""
        settings = self.settings
        head: dict[str, Any] = {"model": settings.model, "stream": True, "store": False}
        if self.quirks.reasons:
            effort = {"effort": settings.effort} if settings.effort else {}
            head["reasoning"] = effort | {"summary": "auto"}
            head["include"] = ["reasoning.encrypted_content"]
        if settings.max_tokens:
            head["max_output_tokens"] = settings.max_tokens
        if settings.temperature is not None and self.quirks.temperature:
            head["temperature"] = settings.temperature
        if settings.cache_key:
            head["prompt_cache_key"] = settings.cache_key
        if request.tools:
            head["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": schema_of(tool),
                    "strict": False,
                }
                for tool in request.tools
            ]
        if request.system.strip():
            head["instructions"] = request.system
        return head

    def _answer(self, message: Assistant) -> Iterator[dict[str, Any]]:
        """The items of an answer. Reasoning must be followed by what it led to, so the last of it may go."""
        items = list(self._items(message))
        while items and items[-1]["type"] == "reasoning":
            items.pop()
        yield from items

    def _items(self, message: Assistant) -> Iterator[dict[str, Any]]:
        mine, phase = self.is_mine(message), ""
        for part in message.content:
            match part:
                case Thinking() if mine:
                    mark = _mark(part)
                    phase = mark.phase or phase
                    if mark.encrypted_content:
                        yield _reasoning(mark, part.text)
                case Text(text) if text.strip():
                    content = [{"type": "output_text", "text": text}]
                    item = {"type": "message", "role": "assistant", "content": content}
                    yield item | ({"phase": phase} if phase else {})
                    phase = ""
                case ToolCall():
                    yield {
                        "type": "function_call",
                        "call_id": self._ids.of_call(part.id),
                        "name": tool_name(part.name),
                        "arguments": dumps(part.input).decode(),
                    }
                case _:
                    pass

    def _result(self, result: ToolResult) -> dict[str, Any]:
        content = self.shown(result.content, instead=NO_OUTPUT)
        with_images = any(isinstance(part, Image) for part in content)
        output = _inputs(content) if with_images else result_text(content, result)
        call_id = self._ids.of_result(result.call_id)
        return {"type": "function_call_output", "call_id": call_id, "output": output}


class ResponsesDecoder:
    """Reads one answer."""

    def __init__(self) -> None:
        self.ended = False
        self._finish: Finish | None = None
        self._calls: set[int] = set()
        self._pieces: set[int] = set()
        """The items of which pieces came; the others come whole at their end."""
        self._refused = False

    def read(self, record: str) -> Iterator[Delta]:
        """Take in an event; those that only repeat or announce say nothing."""
        if record.strip() == "[DONE]":
            return
        event = _EVENTS.decode(record)
        index = event.output_index
        match event.type:
            case "response.output_text.delta" | "response.refusal.delta":
                self._refused = self._refused or event.type == "response.refusal.delta"
                yield self._piece("text", index, event.delta)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield self._piece("thinking", index, event.delta)
            case "response.reasoning_summary_part.added" if event.summary_index:
                yield Delta(kind="thinking", index=index, text="\n\n")
            case "response.function_call_arguments.delta":
                yield self._piece("arguments", index, event.delta)
            case "response.output_item.added":
                yield from self._begin(index, event.item)
            case "response.output_item.done":
                yield from self._end(index, event.item)
            case "response.completed" | "response.incomplete" | "response.done":
                self._complete(event.response)
            case "response.failed":
                raise StreamError(event.response.error or "server_error")
            case _ if event.type == "error" or event.error:
                raise StreamError(event.error or {"code": event.code, "message": event.message})

    def finish(self) -> Finish | None:
        """The end of the answer, once the response is said to be complete."""
        return self._finish

    def _piece(self, kind: DeltaKind, index: int, text: Any) -> Delta:
        self._pieces.add(index)
        return Delta(kind=kind, index=index, text=text if isinstance(text, str) else "")

    def _begin(self, index: int, item: "_Item") -> Iterator[Delta]:
        if item.type == "function_call":
            self._calls.add(index)
            yield Delta(kind="call", index=index, text=item.name, id=item.call_id or item.id)
        elif item.type == "message" and item.phase:
            yield Delta(kind="signature", index=index, text=dumps(Mark(phase=item.phase)).decode())

    def _end(self, index: int, item: "_Item") -> Iterator[Delta]:
        """Take what only the finished item holds: encrypted reasoning, and all of it where no piece came before."""
        if item.type == "function_call":
            if index not in self._calls:
                yield from self._begin(index, item)
            if index not in self._pieces and item.arguments:
                yield self._piece("arguments", index, item.arguments)
        elif item.type == "reasoning":
            if index not in self._pieces and (text := "\n\n".join(part.text for part in item.summary or [])):
                yield self._piece("thinking", index, text)
            if item.encrypted_content:
                mark = Mark(id=item.id, encrypted_content=item.encrypted_content)
                yield Delta(kind="signature", index=index, text=dumps(mark).decode())
        elif item.type == "message" and index not in self._pieces:
            yield self._piece("text", index, "".join(part.text or part.refusal for part in item.content or []))

    def _complete(self, response: "_Response") -> None:
        self.ended = True
        try:
            usage = msgspec.convert(response.usage or {}, _Usage, strict=False)
        except msgspec.ValidationError:  # a count that cannot be read is no reason to lose the answer
            usage = _Usage()
        details = usage.input_tokens_details or _InputDetails()
        read, written = details.cached_tokens or 0, details.cache_write_tokens or 0
        counted = Usage(
            input=max((usage.input_tokens or 0) - read - written, 0),
            output=usage.output_tokens or 0,
            cache_read=read,
            cache_write=written,
        )
        self._finish = Finish(stop=self._stop(response), usage=counted)

    def _stop(self, response: "_Response") -> StopReason:
        reason = (response.incomplete_details or {}).get("reason")
        if reason == "max_output_tokens":
            return "max_tokens"
        if self._refused or reason == "content_filter":
            return "refusal"
        return "tool_use" if self._calls else "end_turn"


class OpenAIResponses(Remote):
    """A model that speaks the Responses API."""

    encoder = ResponsesEncoder

    def decoder(self) -> ResponsesDecoder:
        """Make what reads one answer."""
        return ResponsesDecoder()

    def url(self) -> str:
        """Where requests go."""
        return self.endpoint.url("/responses")


def encode(request: Request, endpoint: Endpoint, settings: Settings) -> bytes:
    """Make the body of one request."""
    return ResponsesEncoder(endpoint, settings).encode(request)


class _TextPart(msgspec.Struct):
    text: str = ""
    refusal: str = ""


class _Item(msgspec.Struct):
    type: str = ""
    id: str = ""
    call_id: str = ""
    name: str = ""
    arguments: str = ""
    phase: str | None = None
    encrypted_content: str | None = None
    summary: list[_TextPart] | None = None
    content: list[_TextPart] | None = None


class _InputDetails(msgspec.Struct):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _InputDetails | None = None


class _Response(msgspec.Struct):
    usage: Any = None
    error: Any = None
    incomplete_details: dict[str, Any] | None = None


class _Event(msgspec.Struct):
    type: str = ""
    output_index: int = 0
    summary_index: int = 0
    delta: Any = ""
    item: _Item = msgspec.field(default_factory=_Item)
    response: _Response = msgspec.field(default_factory=_Response)
    error: Any = None
    code: Any = None
    message: Any = None


_EVENTS = msgspec.json.Decoder(_Event, strict=False)
_MARKS = msgspec.json.Decoder(Mark)


def _inputs(content: Content) -> list[dict[str, Any]]:
    return [
        {"type": "input_text", "text": part.text}
        if isinstance(part, Text)
        else {"type": "input_image", "image_url": data_url(part), "detail": "auto"}
        for part in content
    ]


def _reasoning(mark: Mark, text: str) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": text}] if text else []
    return {"type": "reasoning", "id": mark.id, "summary": summary, "encrypted_content": mark.encrypted_content}


def _mark(thinking: Thinking) -> Mark:
    try:
        return _MARKS.decode(thinking.signature or "{}")
    except msgspec.DecodeError:
        return Mark()
