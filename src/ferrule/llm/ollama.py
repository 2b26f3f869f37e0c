"""Ollama's own API, `/api/chat`: one JSON document a line.

The context window must be named with every request: Ollama's default is small, and what does not fit is dropped
without a word. So it is also told to refuse such a request instead.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from ferrule.core.messages import Assistant, Image, StopReason, Text, ToolResult, Usage
from ferrule.core.model import Delta, Finish, Request
from ferrule.llm.encode import Content, RoleEncoder, dumps, function_tools, prose, thought, tool_name
from ferrule.llm.endpoint import Endpoint, Settings
from ferrule.llm.lines import JsonLines
from ferrule.llm.stream import Remote, StreamError


class OllamaEncoder(RoleEncoder):
    """Makes the bodies of requests."""

    def head(self, request: Request) -> dict[str, Any]:
        """Everything but the conversation."""
        settings = self.settings
        options: dict[str, Any] = {}
        if settings.context:
            options["num_ctx"] = settings.context
        if settings.max_tokens:
            options["num_predict"] = settings.max_tokens
        if settings.temperature is not None and self.quirks.temperature:
            options["temperature"] = settings.temperature
        head: dict[str, Any] = {"model": settings.model, "stream": True, "truncate": False, "shift": False}
        if settings.effort:
            head["think"] = _how_to_think(settings.effort)
        if options:
            head["options"] = options
        if request.tools:
            head["tools"] = function_tools(request.tools)
        return head

    def said(self, content: Content) -> dict[str, Any]:
        """What the user says, with the images beside the text."""
        text = "\n\n".join(part.text for part in content if isinstance(part, Text))
        images = [part.data for part in content if isinstance(part, Image)]
        return {"role": "user", "content": text} | ({"images": images} if images else {})

    def answer(self, message: Assistant) -> dict[str, Any] | None:
        """What a model answered."""
        text, calls = prose(message), message.calls
        if not text and not calls:
            return None
        unit: dict[str, Any] = {"role": "assistant", "content": text}
        if self.is_mine(message) and (thinking := thought(message)):
            unit["thinking"] = thinking
        if calls:
            unit["tool_calls"] = [
                {"function": {"name": tool_name(call.name), "arguments": call.input}} for call in calls
            ]
        return unit

    def result(self, message: ToolResult, text: str) -> dict[str, Any]:
        """What a call came to; results and calls meet by their order."""
        return {"role": "tool", "tool_name": tool_name(message.tool), "content": text}


class OllamaDecoder:
    """Reads one answer."""

    def __init__(self) -> None:
        self.ended = False
        self._finish: Finish | None = None
        self._calls = 0

    def read(self, record: str) -> Iterator[Delta]:
        """Take in a line."""
        line = _LINES.decode(record)
        if line.error:
            raise StreamError(line.error)
        if message := line.message:
            if message.thinking:
                yield Delta(kind="thinking", text=message.thinking)
            if message.content:
                yield Delta(kind="text", text=message.content)
            for call in message.tool_calls or []:
                yield from self._call(call)
        if line.done:
            self.ended = True
            usage = Usage(input=_count(line.prompt_eval_count), output=_count(line.eval_count))
            self._finish = Finish(stop=self._stop(line.done_reason), usage=usage)

    def finish(self) -> Finish | None:
        """The end of the answer, once a line says that it is done."""
        return self._finish

    def _call(self, call: "_Call") -> Iterator[Delta]:
        """Calls come whole."""
        given = call.function.arguments
        text = given if isinstance(given, str) else dumps(given or {}).decode()
        yield Delta(kind="call", index=self._calls, text=call.function.name, id=call.id or "")
        yield Delta(kind="arguments", index=self._calls, text=text)
        self._calls += 1

    def _stop(self, reason: str | None) -> StopReason:
        if reason == "length":
            return "max_tokens"
        return "tool_use" if self._calls else "end_turn"


class Ollama(Remote):
    """A model that Ollama runs."""

    encoder = OllamaEncoder
    splitter = JsonLines

    def decoder(self) -> OllamaDecoder:
        """Make what reads one answer."""
        return OllamaDecoder()

    def url(self) -> str:
        """Where requests go."""
        return self.endpoint.url("/chat", root="/api", always=True)


def encode(request: Request, endpoint: Endpoint, settings: Settings) -> bytes:
    """Make the body of one request."""
    return OllamaEncoder(endpoint, settings).encode(request)


class _Function(msgspec.Struct):
    name: str = ""
    arguments: Any = None


class _Call(msgspec.Struct):
    function: _Function = msgspec.field(default_factory=_Function)
    id: str | None = None


class _Message(msgspec.Struct):
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[_Call] | None = None


class _Line(msgspec.Struct):
    message: _Message | None = None
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: Any = None
    eval_count: Any = None
    error: Any = None


_LINES = msgspec.json.Decoder(_Line, strict=False)


def _count(tokens: Any) -> int:
    return tokens if isinstance(tokens, int) else 0


def _how_to_think(effort: str) -> bool | str:
    """Ollama knows three levels, and yes and no."""
    levels = {"minimal": "low", "low": "low", "medium": "medium"}
    return False if effort == "none" else levels.get(effort, "high")
