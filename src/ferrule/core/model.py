"""What a model is: something that turns a request into a stream of deltas and one finish."""

from collections.abc import AsyncIterator
from typing import Any, Literal, Protocol

from ferrule.core.messages import Message, StopReason, Usage, Value

DeltaKind = Literal["text", "thinking", "signature", "call", "arguments"]


class ToolSpec(Value, frozen=True, kw_only=True):
    """A tool as the model sees it."""

    name: str
    description: str
    schema: dict[str, Any]


class Request(Value, frozen=True, kw_only=True):
    """Everything that a model is told. From turn to turn only `messages` grows, and only at its end."""

    system: str
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]


class Delta(Value, frozen=True, kw_only=True, tag="delta"):
    """A piece of a block of the answer; `index` says which block.

    A `call` begins a tool call (`text` is its name, `id` its id); `arguments` are pieces of its JSON.
    """

    kind: DeltaKind
    text: str
    index: int = 0
    id: str = ""
    likely: tuple[tuple[str, float], ...] = ()
    """What the model could have said here, where that was asked for: first what it said, then the likeliest, each with
    the logarithm of its probability."""


class Finish(Value, frozen=True, kw_only=True, tag="finish"):
    """The end of an answer. A stream that ends without one was cut."""

    stop: StopReason
    usage: Usage = Usage()
    cost: float | None = None
    """US dollars, where the provider itself says what the answer cost."""


class Model(Protocol):
    """A model, wherever it runs.

    `stream` yields deltas and then one `Finish`, and raises `ProviderError`; nothing else. Closing the
    iterator early must free what it holds (the connection, the process).
    """

    @property
    def name(self) -> str:
        """What the model is called, for people and for the log."""
        ...

    def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer a request, piece by piece."""
        ...
