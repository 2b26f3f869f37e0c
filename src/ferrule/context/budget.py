"""How many tokens a request takes: the provider's own count where there is one, an estimate for the rest."""

from collections.abc import Sequence

import msgspec

from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, ToolResult, Usage, User, Value
from ferrule.core.model import Request, ToolSpec

PER_IMAGE = 1_500
PER_MESSAGE = 8
"""What a role, an id and the marks around a message take."""


def tokens_of(text: str) -> int:
    """Estimate a text: four characters a token; beyond ASCII four bytes, since most scripts take more."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return (size + 3) // 4


def message_tokens(message: Message) -> int:
    """Estimate a message."""
    return PER_MESSAGE + sum(map(block_tokens, message.content))


def block_tokens(block: Text | Image | Thinking | ToolCall) -> int:
    """Estimate a block of a message."""
    match block:
        case Text() | Thinking():
            return tokens_of(block.text)
        case ToolCall():
            return PER_MESSAGE + tokens_of(block.name) + _json_tokens(block.malformed or block.input)
        case Image():
            return PER_IMAGE


def tool_tokens(tool: ToolSpec) -> int:
    """Estimate the definition of a tool."""
    return PER_MESSAGE + tokens_of(tool.name) + tokens_of(tool.description) + _json_tokens(tool.schema)


def counted(usage: Usage) -> int:
    """All tokens of a request, as the provider counted them.

    Its answer is not among them: what a model thought in silence was counted, but is not told again.
    """
    return usage.input + usage.cache_read + usage.cache_write


class Meter:
    """Estimates requests that grow at their end; what was counted once is not counted again."""

    def __init__(self) -> None:
        self._sums: list[int] = [0]
        self._last: Message | None = None
        self._tools: tuple[ToolSpec, ...] = ()
        self._tools_tokens = 0

    def fixed(self, request: Request) -> int:
        """What the system prompt and the tools take."""
        if request.tools != self._tools:
            self._tools, self._tools_tokens = request.tools, sum(map(tool_tokens, request.tools))
        return tokens_of(request.system) + self._tools_tokens

    def sums(self, messages: Sequence[Message]) -> list[int]:
        """What the first n messages take, for every n. Belongs to the meter: look, but do not change it."""
        known = len(self._sums) - 1
        if known > len(messages) or (known and messages[known - 1] is not self._last):
            self._sums, known = [0], 0  # another conversation, or another view of it
        for message in messages[known:]:
            self._sums.append(self._sums[-1] + message_tokens(message))
        self._last = messages[-1] if messages else None
        return self._sums


class Breakdown(Value, frozen=True, kw_only=True):
    """Where the tokens of a request go."""

    system: int = 0
    instructions: int = 0
    tools: int = 0
    user: int = 0
    notes: int = 0
    """What Ferrule itself says: the summary of older messages, advice."""
    answers: int = 0
    thinking: int = 0
    tool_results: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(msgspec.structs.astuple(self))


def breakdown(request: Request, *, instructions: str = "") -> Breakdown:
    """Say where the tokens of a request go; the instructions are a part of the system prompt."""
    tokens = {"instructions": tokens_of(instructions), "tools": sum(map(tool_tokens, request.tools))}
    tokens["system"] = max(tokens_of(request.system) - tokens["instructions"], 0)
    for message in request.messages:
        kind, thinking = _kind(message), 0
        if isinstance(message, Assistant):
            thinking = sum(block_tokens(block) for block in message.content if isinstance(block, Thinking))
        tokens["thinking"] = tokens.get("thinking", 0) + thinking
        tokens[kind] = tokens.get(kind, 0) + message_tokens(message) - thinking
    return Breakdown(**tokens)


def _kind(message: Message) -> str:
    match message:
        case User(by="person"):
            return "user"
        case User():
            return "notes"
        case Assistant():
            return "answers"
        case ToolResult():
            return "tool_results"


def _json_tokens(value: object) -> int:
    try:
        return (len(msgspec.json.encode(value)) + 3) // 4
    except (UnicodeEncodeError, TypeError):  # halves of surrogate pairs, a hook's own objects
        return tokens_of(repr(value))
