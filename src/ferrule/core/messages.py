"""What a conversation is made of: one canonical form, which each provider translates at its own edge."""

import time
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal", "error", "aborted"]


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A frozen value that is serialised as it stands."""


class Text(Value, frozen=True, tag="text"):
    """A piece of prose."""

    text: str


class Image(Value, frozen=True, kw_only=True, tag="image"):
    """A picture, as base64."""

    media_type: str
    data: str


class Thinking(Value, frozen=True, kw_only=True, tag="thinking"):
    """What the model thought aloud, with the provider's signature so that it can be sent back."""

    text: str
    signature: str | None = None


class ToolCall(Value, frozen=True, kw_only=True, tag="tool_call"):
    """A call that the model asked for."""

    id: str
    name: str
    input: dict[str, Any]
    malformed: str | None = None
    """The arguments as they came, where they were no JSON object; such a call is answered, never run."""


class Usage(Value, frozen=True, kw_only=True):
    """Tokens that a model counted."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )


class User(Value, frozen=True, kw_only=True, tag="user", tag_field="role"):
    """What a person said, or what Ferrule says in the person's place (`by`)."""

    content: tuple[Text | Image, ...]
    by: Literal["person", "ferrule"] = "person"
    at: float = msgspec.field(default_factory=time.time)


class Assistant(Value, frozen=True, kw_only=True, tag="assistant", tag_field="role"):
    """What a model answered."""

    content: tuple[Text | Thinking | ToolCall, ...]
    model: str
    stop: StopReason
    usage: Usage = Usage()
    at: float = msgspec.field(default_factory=time.time)

    @property
    def text(self) -> str:
        """The prose of the answer."""
        return text_of(self.content)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of the answer, in the order asked."""
        return tuple(block for block in self.content if isinstance(block, ToolCall))


class ToolResult(Value, frozen=True, kw_only=True, tag="tool_result", tag_field="role"):
    """What a tool call came to. Every call has exactly one."""

    call_id: str
    tool: str
    content: tuple[Text | Image, ...]
    is_error: bool = False
    at: float = msgspec.field(default_factory=time.time)

    @property
    def text(self) -> str:
        """The words of the result."""
        return text_of(self.content)


Message = User | Assistant | ToolResult


def said(text: str) -> User:
    """Make a person's message of plain text."""
    return User(content=(Text(text),))


def text_of(content: Iterable[object]) -> str:
    """Join the text blocks of a message."""
    return "".join(block.text for block in content if isinstance(block, Text))
