"""Where a model is and how it wants to be spoken to: data, so that a new provider needs no code."""

from typing import Any, Literal

import msgspec

from ferrule.core.messages import Value

Wire = Literal["anthropic", "openai_chat", "openai_responses", "ollama"]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class Secret:
    """A key that shows itself only to who asks for it by name: neither in a repr nor in JSON."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


class Transport(Value, frozen=True, kw_only=True):
    """How long to wait for what, in seconds, and whose certificates to trust besides the system's."""

    connect: float = 15
    first_byte: float = 600
    """A local model may read a long prompt for minutes before it says anything."""
    stall: float = 300
    """The longest silence inside an answer; some models think for minutes without a word."""
    ca_file: str = ""


class Quirks(Value, frozen=True, kw_only=True):
    """How a server differs from the wire format that it speaks."""

    developer_role: bool = False
    """The instructions come from a `developer`, not from the `system`."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    """Whether the model takes one; models that reason refuse it."""
    reasons: bool = False
    """OpenAI Responses: the model reasons, so its encrypted reasoning is asked for and sent back."""
    effort_field: Literal["reasoning_effort", "reasoning"] = "reasoning_effort"
    """`reasoning` is OpenRouter's: an object with the effort in it."""
    thinking_field: Literal["", "reasoning_content", "reasoning", "reasoning_details"] = ""
    """The field in which a chat server wants its own thinking back; most want none."""
    thought_signatures: bool = False
    """Gemini 3: each call carries a signature, and a call from elsewhere the word that stands for one."""
    short_ids: bool = False
    """Mistral: the id of a call is nine letters or digits."""
    stream_usage: bool = True
    """Whether `stream_options` is understood."""
    reports_cost: bool = False
    """OpenRouter: says what an answer cost when asked."""
    cache_markers: bool = True
    """Anthropic: whether the server takes `cache_control`."""
    adaptive_thinking: bool = True
    """Anthropic: thinking is asked for by effort; older models want a budget of tokens."""
    most_images: int = 100
    """How many images a request may hold; the oldest give way."""


class Endpoint(Value, frozen=True, kw_only=True):
    """A provider, as seen from here."""

    provider: str
    """What people call it."""
    base_url: str
    wire: Wire
    api_key: Secret | None = None
    key_variable: str = ""
    """The environment variable that holds the key, for the words of an error."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    quirks: Quirks = Quirks()
    transport: Transport = Transport()

    def url(self, path: str, *, root: str = "/v1", always: bool = False) -> str:
        """The address of a path below the API's root, which a base URL may or may not name.

        Where the base URL has a path of its own, that is taken for the root, unless the root is `always` added.
        """
        base, mark, query = self.base_url.partition("?")
        base = base.rstrip("/")
        has_path = "/" in base.partition("://")[2]
        if not base.endswith(root) and (always or not has_path):
            base += root
        return base + path + mark + query

    def __repr__(self) -> str:
        return f"Endpoint(provider={self.provider!r}, base_url={self.base_url!r}, wire={self.wire!r})"


class Settings(Value, frozen=True, kw_only=True):
    """What is asked of the model in every request; nothing here changes in the course of a session."""

    model: str
    max_tokens: int | None = None
    """The longest answer; where there is none, the provider's own default."""
    temperature: float | None = None
    thinking_budget: int = 0
    """Tokens to think with, for models that want a number; 0 asks for nothing."""
    effort: Effort | None = None
    """How hard to think, for models that want a word; none leaves it to the model."""
    context: int | None = None
    """The context window in tokens: Ollama must be told."""
    cache_key: str = ""
    """The same for all requests of a session, so that they meet the same cache (OpenAI)."""
    extra: dict[str, Any] = msgspec.field(default_factory=dict)
    """Fields that go into every request as they stand; they win over ours."""


def name_of(endpoint: Endpoint, settings: Settings) -> str:
    """What a model is called in the log. Thinking goes back only to the model of this very name."""
    return f"{endpoint.provider}/{settings.model}"
