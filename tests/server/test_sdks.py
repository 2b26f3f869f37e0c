"""The server speaks as the real services do: the vendors' own packages understand it, where they are installed."""

import pytest

from tests.server import Call, ModelServer, Reply

pytestmark = pytest.mark.slow

ASKED = [{"role": "user", "content": "Look."}]
LOOK = Reply(text="Let me look.", calls=(Call(name="ls", arguments={"path": "."}),))
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
FUNCTION = {"name": "ls", "description": "List a directory.", "parameters": SCHEMA}


def test_anthropic() -> None:
    anthropic = pytest.importorskip("anthropic")
    with ModelServer([LOOK]) as server:
        client = anthropic.Anthropic(api_key="test-key", base_url=server.url)
        tool = {"name": "ls", "description": "List a directory.", "input_schema": SCHEMA}
        with client.messages.stream(model="m", max_tokens=100, messages=ASKED, tools=[tool]) as stream:
            text = "".join(stream.text_stream)
            message = stream.get_final_message()
    assert text == "Let me look."
    assert (message.stop_reason, message.usage.input_tokens) == ("tool_use", 10)
    assert (message.content[1].name, message.content[1].input) == ("ls", {"path": "."})


def test_openai_chat() -> None:
    openai = pytest.importorskip("openai")
    with ModelServer([LOOK]) as server:
        client = openai.OpenAI(api_key="test-key", base_url=f"{server.url}/v1")
        tool = {"type": "function", "function": FUNCTION}
        options = {"include_usage": True}
        chunks = list(
            client.chat.completions.create(model="m", messages=ASKED, tools=[tool], stream=True, stream_options=options)
        )
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == "Let me look."
    pieces = [call.function.arguments or "" for delta in deltas for call in delta.tool_calls or []]
    assert "".join(pieces) == '{"path":"."}'
    assert chunks[-1].usage.completion_tokens == 5


def test_openai_responses() -> None:
    openai = pytest.importorskip("openai")
    with ModelServer([LOOK]) as server:
        client = openai.OpenAI(api_key="test-key", base_url=f"{server.url}/v1")
        tool = {"type": "function", **FUNCTION, "strict": False}
        events = list(client.responses.create(model="m", input=ASKED, tools=[tool], stream=True, store=False))
    done = events[-1].response
    assert (events[-1].type, done.output_text, done.usage.output_tokens) == ("response.completed", "Let me look.", 5)
    assert [(item.name, item.arguments) for item in done.output if item.type == "function_call"] == [
        ("ls", '{"path":"."}')
    ]


def test_ollama() -> None:
    ollama = pytest.importorskip("ollama")
    with ModelServer([LOOK], key=None) as server:
        client = ollama.Client(host=server.url)
        tool = {"type": "function", "function": FUNCTION}
        parts = list(client.chat(model="m", messages=ASKED, tools=[tool], stream=True))
    assert "".join(part.message.content or "" for part in parts) == "Let me look."
    calls = [call.function for part in parts for call in part.message.tool_calls or []]
    assert [(call.name, dict(call.arguments)) for call in calls] == [("ls", {"path": "."})]
    assert (parts[-1].done_reason, parts[-1].eval_count) == ("stop", 5)
