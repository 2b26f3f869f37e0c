"""OpenAI's Chat Completions, and everything that calls itself compatible with it.

Compatible servers differ in small ways; what they differ in when they are asked is in `Quirks`, what they differ
in when they answer is tolerated here. What a server wants back beside the text (the reasoning of OpenRouter, the
thought signatures of Gemini) travels as the signature of the thinking, as JSON.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from ferrule.core.messages import Assistant, Image, StopReason, Text, Thinking, ToolResult, Usage
from ferrule.core.model import Delta, Finish, Request
from ferrule.llm.call_pieces import Calls, Piece
from ferrule.llm.encode import (
    Content,
    Ids,
    RoleEncoder,
    data_url,
    dumps,
    function_tools,
    prose,
    thought,
    tool_name,
)
from ferrule.llm.endpoint import Endpoint, Settings
from ferrule.llm.stream import Remote, StreamError

NO_SIGNATURE = {"google": {"thought_signature": "skip_thought_signature_validator"}}
"""What Gemini takes for a call that another model made."""

_STOPS: dict[str, StopReason] = {
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "model_length": "max_tokens",
    "content_filter": "refusal",
    "refusal": "refusal",
}


class Extras(msgspec.Struct, omit_defaults=True):
    """What a server wants back as it came."""

    details: list[dict[str, Any]] = []
    """OpenRouter's `reasoning_details`."""
    calls: list[Any] = []
    """The `extra_content` of each call, in their order."""


class ChatEncoder(RoleEncoder):
    """Makes the bodies of requests."""

    def __init__(self, endpoint: Endpoint, settings: Settings) -> None:
        super().__init__(endpoint, settings)
        if self.quirks.developer_role:
            self.system_role = "developer"

    def restart(self) -> None:
        """Forget what was encoded."""
        super().restart()
        short = self.quirks.short_ids
        self._ids = Ids(r"[a-zA-Z0-9]{9}", "", 9) if short else Ids(r"[a-zA-Z0-9_-]{1,40}")

    def head(self, request: Request) -> dict[str, Any]:
        """Everything but the conversation."""
        settings, quirks = self.settings, self.quirks
        head: dict[str, Any] = {"model": settings.model, "stream": True}
        if quirks.stream_usage:
            head["stream_options"] = {"include_usage": True}
        if quirks.reports_cost:
            head["usage"] = {"include": True}
        if settings.max_tokens:
            head[quirks.max_tokens_field] = settings.max_tokens
        if settings.temperature is not None and quirks.temperature:
            head["temperature"] = settings.temperature
        if settings.effort:
            effort = settings.effort
            head[quirks.effort_field] = {"effort": effort} if quirks.effort_field == "reasoning" else effort
        if settings.cache_key:
            head["prompt_cache_key"] = settings.cache_key
        if request.tools:
            head["tools"] = function_tools(request.tools)
        return head

    def said(self, content: Content) -> dict[str, Any]:
        """What the user says: plain text where it is only text, which every server understands."""
        if all(isinstance(part, Text) for part in content):
            return {"role": "user", "content": "\n\n".join(part.text for part in content if isinstance(part, Text))}
        return {"role": "user", "content": [_part(part) for part in content]}

    def answer(self, message: Assistant) -> dict[str, Any] | None:
        """What a model answered."""
        text, calls = prose(message), message.calls
        if not text and not calls:
            return None
        unit: dict[str, Any] = {"role": "assistant", "content": text or None}
        extras = _extras(message) if self.is_mine(message) else Extras()
        if self.quirks.thinking_field and self.is_mine(message):
            back = extras.details if self.quirks.thinking_field == "reasoning_details" else thought(message)
            if back:
                unit[self.quirks.thinking_field] = back
        if calls:
            unit["tool_calls"] = [
                {
                    "id": self._ids.of_call(call.id),
                    "type": "function",
                    "function": {"name": tool_name(call.name), "arguments": dumps(call.input).decode()},
                }
                for call in calls
            ]
            self._sign(unit["tool_calls"], extras)
        return unit

    def result(self, message: ToolResult, text: str) -> dict[str, Any]:
        """What a call came to."""
        return {"role": "tool", "tool_call_id": self._ids.of_result(message.call_id), "content": text}

    def _sign(self, calls: list[dict[str, Any]], extras: Extras) -> None:
        given = [*extras.calls, *[None] * len(calls)]
        for call, extra in zip(calls, given, strict=False):
            if extra:
                call["extra_content"] = extra
        if self.quirks.thought_signatures and not any(given):
            calls[0]["extra_content"] = NO_SIGNATURE


class ChatDecoder:
    """Reads one answer."""

    def __init__(self) -> None:
        self.ended = False
        self._reason = ""
        self._refused = False
        self._usage: Usage | None = None
        self._cost: float | None = None
        self._calls = Calls()
        self._details: dict[Any, dict[str, Any]] = {}
        self._signed = False

    def read(self, record: str) -> Iterator[Delta]:
        """Take in a chunk; one without choices may still hold the usage."""
        if record.strip() == "[DONE]":
            self.ended = True
            yield from self._remaining()
            return
        chunk = _CHUNKS.decode(record)
        if chunk.error:
            raise StreamError(chunk.error)
        self._count(chunk.usage)
        for choice in (chunk.choices or [])[:1]:
            self._count(choice.usage)
            likely = _likely(choice.logprobs) if choice.logprobs else ()
            for delta in self._delta(choice.delta or choice.message or _Message()):
                yield msgspec.structs.replace(delta, likely=likely) if likely and delta.kind == "text" else delta
            if choice.finish_reason:
                if choice.finish_reason == "error":
                    raise StreamError(choice.error or "server_error")
                self._reason = choice.finish_reason
                yield from self._remaining()

    def finish(self) -> Finish | None:
        """The end of the answer, once a reason for it or the end marker came; not every server sends both."""
        if not self._reason and not self.ended:
            return None
        stop = "refusal" if self._refused else _STOPS.get(self._reason)
        return Finish(
            stop=stop or ("tool_use" if self._calls.all else "end_turn"),
            usage=self._usage or Usage(),
            cost=self._cost,
        )

    def _delta(self, message: "_Message") -> Iterator[Delta]:
        for detail in message.reasoning_details or []:
            self._keep(detail)
        if thinking := message.reasoning_content or message.reasoning:
            yield Delta(kind="thinking", text=thinking)
        if isinstance(message.content, str) and message.content:
            yield Delta(kind="text", text=message.content)
        elif isinstance(message.content, list):
            yield from _parts(message.content)
        if message.refusal:
            self._refused = True
            yield Delta(kind="text", text=message.refusal)
        yield from self._calls.take(message.tool_calls or [])

    def _remaining(self) -> Iterator[Delta]:
        """Tell what was held back until the end."""
        yield from self._calls.remaining()
        extras = Extras(details=list(self._details.values()))
        if any(call.extra for call in self._calls.all):
            extras.calls = [call.extra for call in self._calls.all]
        if (extras.details or extras.calls) and not self._signed:
            self._signed = True
            yield Delta(kind="signature", text=dumps(extras).decode())

    def _keep(self, detail: dict[str, Any]) -> None:
        """Join the pieces of a detail: text grows, all else is said once."""
        kept = self._details.setdefault((detail.get("index"), detail.get("type")), {})
        for key, value in detail.items():
            grows = key in {"text", "summary", "data"} and isinstance(value, str)
            kept[key] = kept.get(key, "") + value if grows else value if value is not None else kept.get(key)

    def _count(self, given: Any) -> None:
        """Take in how many tokens there were; a count that cannot be read is no reason to lose the answer."""
        if given is None:
            return
        try:
            usage = msgspec.convert(given, _Usage, strict=False)
        except msgspec.ValidationError:
            return
        details = usage.prompt_tokens_details or _PromptDetails()
        read = details.cached_tokens or usage.prompt_cache_hit_tokens or 0
        written = details.cache_write_tokens or 0
        self._usage = Usage(
            input=max((usage.prompt_tokens or 0) - read - written, 0),
            output=usage.completion_tokens or 0,
            cache_read=read,
            cache_write=written,
        )
        self._cost = usage.cost if usage.cost is not None else self._cost


class OpenAIChat(Remote):
    """A model that speaks Chat Completions."""

    encoder = ChatEncoder

    def decoder(self) -> ChatDecoder:
        """Make what reads one answer."""
        return ChatDecoder()

    def url(self) -> str:
        """Where requests go."""
        return self.endpoint.url("/chat/completions")


def encode(request: Request, endpoint: Endpoint, settings: Settings) -> bytes:
    """Make the body of one request."""
    return ChatEncoder(endpoint, settings).encode(request)


class _Message(msgspec.Struct):
    content: str | list[Any] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[dict[str, Any]] | None = None
    refusal: str | None = None
    tool_calls: list[Piece] | None = None


class _PromptDetails(msgspec.Struct):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    prompt_cache_hit_tokens: int | None = None
    cost: float | None = None


class _Token(msgspec.Struct):
    token: str
    logprob: float
    top_logprobs: list["_Token"] = []


class _Logprobs(msgspec.Struct):
    content: list[_Token]


class _Choice(msgspec.Struct):
    delta: _Message | None = None
    message: _Message | None = None
    finish_reason: str | None = None
    logprobs: Any = None
    usage: Any = None
    error: Any = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None


_CHUNKS = msgspec.json.Decoder(_Chunk, strict=False)
_EXTRAS = msgspec.json.Decoder(Extras)


def _likely(given: Any) -> tuple[tuple[str, float], ...]:
    """What a piece of an answer could have been, where the piece is one token; most servers do not say."""
    try:
        (token,) = msgspec.convert(given, _Logprobs).content
    except (msgspec.ValidationError, ValueError):
        return ()
    others = [one for one in token.top_logprobs if one.token != token.token]
    return tuple((one.token, one.logprob) for one in [token, *others])


def _part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": data_url(part)}}


def _parts(content: list[Any]) -> Iterator[Delta]:
    """The pieces of a content that is a list (Mistral): text, and thinking that is a list itself."""
    for part in content:
        match part:
            case {"type": "text", "text": str(text)} if text:
                yield Delta(kind="text", text=text)
            case {"type": "thinking", "thinking": list(pieces)}:
                for piece in pieces:
                    if isinstance(piece, dict) and piece.get("text"):
                        yield Delta(kind="thinking", text=str(piece["text"]))
            case _:
                pass


def _extras(message: Assistant) -> Extras:
    for part in message.content:
        if isinstance(part, Thinking) and part.signature and part.signature.startswith("{"):
            try:
                return _EXTRAS.decode(part.signature)
            except msgspec.DecodeError:
                continue
    return Extras()
