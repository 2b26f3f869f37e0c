"""What the tests of the wire formats share: a model for each format, and ways to ask it."""

from typing import Any

from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.messages import Assistant, Message, Text, ToolResult
from ferrule.core.model import Delta, Finish, Request, ToolSpec
from ferrule.llm.anthropic import Anthropic
from ferrule.llm.endpoint import Endpoint, Quirks, Secret, Settings, Transport, Wire
from ferrule.llm.ollama import Ollama
from ferrule.llm.openai_chat import OpenAIChat
from ferrule.llm.openai_responses import OpenAIResponses
from ferrule.llm.stream import Remote

WIRES: tuple[Wire, ...] = ("anthropic", "openai_chat", "openai_responses", "ollama")
KINDS: dict[Wire, type[Remote]] = {
    "anthropic": Anthropic,
    "openai_chat": OpenAIChat,
    "openai_responses": OpenAIResponses,
    "ollama": Ollama,
}
MODELS = {"anthropic": "claude-test", "openai_chat": "chat-test", "openai_responses": "gpt-5-test", "ollama": "llama"}
READ = ToolSpec(
    name="read",
    description="Reads a file.",
    schema={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
TRANSPORT = Transport(connect=10, first_byte=60, stall=60)


def endpoint_of(wire: Wire, url: str, *, key: str | None = "test-key", quirks: Quirks | None = None) -> Endpoint:
    return Endpoint(
        provider=wire.partition("_")[0],
        base_url=url,
        wire=wire,
        api_key=None if key is None else Secret(key),
        key_variable="TEST_API_KEY",
        quirks=quirks or Quirks(reasons=True),
        transport=TRANSPORT,
    )


def model_of(
    wire: Wire, url: str, *, key: str | None = "test-key", quirks: Quirks | None = None, **settings: Any
) -> Remote:
    values: dict[str, Any] = {"model": MODELS[wire], "max_tokens": 1000} | settings
    chosen = Settings(**values)
    return KINDS[wire](endpoint_of(wire, url, key=key, quirks=quirks), chosen)


def request_of(*messages: Message, system: str = "Be brief.", tools: tuple[ToolSpec, ...] = (READ,)) -> Request:
    return Request(system=system, tools=tools, messages=messages)


async def pieces_of(model: Remote, request: Request) -> list[Delta | Finish]:
    return [piece async for piece in model.stream(request)]


async def answer_of(model: Remote, *messages: Message) -> Assistant:
    """Ask, and give the answer as the loop would keep it."""
    draft = Draft()
    await ask_model(model, request_of(*messages), draft, lambda _: None)
    answer = draft.message()
    assert answer is not None
    return answer


def result_of(answer: Assistant, text: str = "done", **more: Any) -> list[ToolResult]:
    """A result for each call of an answer."""
    return [
        ToolResult(call_id=call.id, tool=call.name, content=(Text(f"{text} {call.input}"),), **more)
        for call in answer.calls
    ]


def bare(answer: Assistant) -> tuple[Any, ...]:
    """What an answer says, without when and by whom."""
    return (answer.content, answer.stop, answer.usage)
