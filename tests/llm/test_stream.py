"""All four wire formats against the strict server: what comes well, what goes wrong, and when to let go."""

import asyncio
import subprocess
import sys
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.core.accumulate import Draft
from ferrule.core.errors import ProviderError
from ferrule.core.messages import Message, Text, Thinking, ToolCall, Usage, said
from ferrule.core.model import Delta, Finish
from ferrule.llm.endpoint import Wire
from ferrule.llm.stream import Remote, StreamError
from tests.llm.wires import WIRES, answer_of, endpoint_of, model_of, pieces_of, request_of, result_of
from tests.server import Call, ModelServer, Reply, Tokens, failure
from tests.server.script import Kind
from tests.support import until

HELLO = "Grüße, 世界 🌍! "
FULL = Reply(
    thinking="I should look at both.",
    text=HELLO,
    calls=(Call(name="read", arguments={"path": "a.txt"}), Call(name="read", arguments={"path": "ü/☃.txt"})),
    usage=Tokens(input=3, output=9, cache_read=7, cache_write=2),
)


async def failure_of(model: Remote) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await pieces_of(model, request_of(said("Hi.")))
    return caught.value


@pytest.mark.parametrize("chunk", [0, 2, *(pytest.param(size, marks=pytest.mark.slow) for size in (1, 7))])
@pytest.mark.parametrize("wire", WIRES)
async def test_an_answer_is_the_same_however_its_bytes_are_cut(wire: Wire, chunk: int) -> None:
    reply = Reply(thinking=FULL.thinking, text=FULL.text, calls=FULL.calls, usage=FULL.usage, chunk=chunk, piece=4)
    async with ModelServer([reply]) as server:
        answer = await answer_of(model_of(wire, server.url), said("Hi."))
        assert server.refusals() == []
    thinking, *rest = [part for part in answer.content if not isinstance(part, Thinking) or part.text]
    assert isinstance(thinking, Thinking)
    assert thinking.text == "I should look at both."
    assert bool(thinking.signature) is (wire in {"anthropic", "openai_responses"})
    text, first, second = rest
    assert text == Text(HELLO)
    assert isinstance(first, ToolCall)
    assert isinstance(second, ToolCall)
    assert (first.name, first.input, second.input) == ("read", {"path": "a.txt"}, {"path": "ü/☃.txt"})
    assert first.id != second.id
    read, written = (0, 0) if wire == "ollama" else (7, 2)
    assert answer.usage == Usage(input=12 - read - written, output=9, cache_read=read, cache_write=written)
    assert (answer.stop, answer.model) == ("tool_use", f"{wire.partition('_')[0]}/{model_of(wire, '').settings.model}")


@pytest.mark.parametrize("wire", WIRES)
async def test_text_arrives_in_pieces_and_the_finish_comes_last(wire: Wire) -> None:
    async with ModelServer([Reply(text="one two three", piece=4)]) as server:
        pieces = await pieces_of(model_of(wire, server.url), request_of(said("Hi.")))
    texts = [piece for piece in pieces if isinstance(piece, Delta) and piece.kind == "text"]
    assert [piece.text for piece in texts] == ["one ", "two ", "thre", "e"]
    assert pieces[-1] == Finish(stop="end_turn", usage=Usage(input=10, output=5))
    assert sum(isinstance(piece, Finish) for piece in pieces) == 1


@pytest.mark.parametrize("stop", ["end_turn", "max_tokens", "refusal"])
@pytest.mark.parametrize("wire", WIRES)
async def test_why_an_answer_ends(wire: Wire, stop: str) -> None:
    async with ModelServer([Reply(text="So", stop=stop)]) as server:  # type: ignore[arg-type]
        answer = await answer_of(model_of(wire, server.url), said("Hi."))
    assert answer.stop == ("end_turn" if (wire, stop) == ("ollama", "refusal") else stop)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_that_is_cut_anywhere_is_never_taken_for_an_answer(wire: Wire) -> None:
    async with ModelServer([Reply(text="All of it.", piece=3)]) as server:
        whole = sum(1 for _ in await pieces_of(model_of(wire, server.url), request_of(said("Hi."))))
    assert whole > 2
    cuts = [0, 1, 50, 151, 300, 401]
    async with ModelServer([Reply(text="All of it. " * 30, piece=3, cut=cut) for cut in cuts]) as server:
        for _ in cuts:
            error = await failure_of(model_of(wire, server.url))
            assert error.fault == "network"
        assert server.refusals() == []


@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_without_its_end_marker_is_cut(wire: Wire) -> None:
    async with ModelServer([Reply(text="All of it.", no_end=True)]) as server:
        error = await failure_of(model_of(wire, server.url))
    assert error.fault == "network"
    assert "was cut off: its stream ended early" in str(error)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(silent=True),
        Reply(silent=True, reset=True),
        Reply(text="x" * 100, cut=100, reset=True),
        Reply(text="fine", garbage="{not json"),
        Reply(body="\x00\x01 nothing that anyone could read"),
        Reply(body=""),
    ],
    ids=["closed", "reset", "reset in the middle", "garbage", "nonsense", "nothing"],
)
@pytest.mark.parametrize("wire", WIRES)
async def test_what_breaks_is_a_network_fault(wire: Wire, reply: Reply) -> None:
    async with ModelServer([reply]) as server:
        assert (await failure_of(model_of(wire, server.url))).fault == "network"


@pytest.mark.parametrize("kind", ["rate_limit", "overloaded", "server", "context_overflow", "auth", "bad_request"])
@pytest.mark.parametrize("wire", WIRES)
async def test_a_failure_is_known_for_what_it_is(wire: Wire, kind: Kind) -> None:
    async with ModelServer([failure(kind, headers={"retry-after": "2"})]) as server:
        error = await failure_of(model_of(wire, server.url))
    assert (error.fault, error.retry_after) == (kind, 2)


@pytest.mark.parametrize("kind", ["rate_limit", "overloaded", "server", "context_overflow"])
@pytest.mark.parametrize("wire", WIRES)
async def test_so_is_an_error_inside_a_stream(wire: Wire, kind: Kind) -> None:
    async with ModelServer([Reply(text="It began well", kind=kind)]) as server:
        error = await failure_of(model_of(wire, server.url))
    said_by_ollama = {"rate_limit": "server", "overloaded": "server"} if wire == "ollama" else {}
    assert error.fault == said_by_ollama.get(kind, kind)
    assert error.status is None


@pytest.mark.parametrize("wire", WIRES)
async def test_bytes_that_are_no_utf8_cost_one_letter(wire: Wire) -> None:
    async with ModelServer([Reply(text="caf☠ au lait")]) as server:
        answer = await answer_of(model_of(wire, server.url), said("Hi."))
    assert answer.text == "caf\ufffd au lait"


@pytest.mark.parametrize("wire", WIRES)
async def test_a_megabyte_is_an_answer_too(wire: Wire) -> None:
    async with ModelServer([Reply(text="0123456789" * 100_000, piece=1_000_000)]) as server:
        answer = await answer_of(model_of(wire, server.url), said("Hi."))
    assert len(answer.text) == 1_000_000


@pytest.mark.parametrize("wire", WIRES)
async def test_an_empty_answer_ends_properly(wire: Wire) -> None:
    async with ModelServer([Reply()]) as server:
        pieces = await pieces_of(model_of(wire, server.url), request_of(said("Hi.")))
    assert pieces == [Finish(stop="end_turn", usage=Usage(input=10, output=5))]


@pytest.mark.parametrize("wire", WIRES)
async def test_usage_may_be_missing(wire: Wire) -> None:
    async with ModelServer([Reply(text="Hi.", usage=None)]) as server:
        assert (await answer_of(model_of(wire, server.url), said("Hi."))).usage == Usage()


@pytest.mark.parametrize("wire", WIRES)
async def test_arguments_that_are_no_json_are_kept_as_they_came(wire: Wire) -> None:
    async with ModelServer([Reply(calls=(Call(name="read", arguments='{"path": "a'),))]) as server:
        (call,) = (await answer_of(model_of(wire, server.url), said("Hi."))).calls
    assert (call.input, call.malformed) == ({}, '{"path": "a')


@pytest.mark.parametrize(
    "reply", [Reply(text="Hello", stall=60), Reply(text="Hello", delay=3600)], ids=["stall", "wait"]
)
@pytest.mark.parametrize("wire", WIRES)
async def test_cancelling_lets_the_server_know(wire: Wire, reply: Reply) -> None:
    async with ModelServer([reply]) as server:
        task = asyncio.create_task(pieces_of(model_of(wire, server.url), request_of(said("Hi."))))
        await until(lambda: server.requests)
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.requests[0].abandoned)


@pytest.mark.parametrize("wire", WIRES)
async def test_closing_the_iterator_early_lets_go_of_the_connection(wire: Wire) -> None:
    async with ModelServer([Reply(text="Hello there", piece=2, stall=2000, pace=0.001)]) as server:
        stream = model_of(wire, server.url).stream(request_of(said("Hi.")))
        assert isinstance(await anext(stream), Delta)
        await stream.aclose()  # type: ignore[attr-defined]
        await until(lambda: server.requests[0].abandoned)


@pytest.mark.parametrize("wire", WIRES)
async def test_the_turns_of_a_conversation_share_a_connection(wire: Wire) -> None:
    async with ModelServer([Reply(text="Hi.")] * 5) as server:
        model = model_of(wire, server.url)
        for _ in range(5):
            await answer_of(model, said("Hi."))
        assert server.connections == 1


@pytest.mark.parametrize("wire", ["anthropic", "openai_chat", "openai_responses"])
@pytest.mark.parametrize("key", [None, "wrong-key"])
async def test_a_refused_key_is_said_with_what_to_set(wire: Wire, key: str | None) -> None:
    async with ModelServer([Reply(text="never")]) as server:
        error = await failure_of(model_of(wire, server.url, key=key))
    assert (error.fault, error.status, error.retryable) == ("auth", 401, False)
    assert "set TEST_API_KEY in the environment" in str(error)
    assert "wrong-key" not in str(error)


@pytest.mark.parametrize("wire", WIRES)
async def test_an_unknown_model_is_said_with_what_to_do(wire: Wire) -> None:
    async with ModelServer(models=("another",)) as server:
        error = await failure_of(model_of(wire, server.url))
    assert (error.fault, error.status) == ("bad_request", 404)
    assert "has no model" in str(error)
    assert "`ferrule models` lists" in str(error)


@pytest.mark.parametrize("wire", WIRES)
async def test_headers_of_the_users_own_win(wire: Wire) -> None:
    async with ModelServer([Reply(text="Hi.")], key=None) as server:
        endpoint = endpoint_of(wire, server.url)
        endpoint.headers.update({"Authorization": "Basic abc", "X-Team": "7"})
        model = type(model_of(wire, server.url))(endpoint, model_of(wire, server.url).settings)
        await answer_of(model, said("Hi."))
        headers = server.requests[0].headers
    assert (headers["authorization"], headers["x-team"], headers["content-type"]) == (
        "Basic abc",
        "7",
        "application/json",
    )


@pytest.mark.parametrize("wire", WIRES)
async def test_a_web_page_is_no_answer(wire: Wire) -> None:
    page = Reply(body="<html>Log in</html>", headers={"content-type": "text/html"})
    async with ModelServer([page]) as server:
        error = await failure_of(model_of(wire, server.url))
    assert error.fault == "bad_request"
    assert "answers with a web page: is that the base URL" in str(error)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_stream_under_a_wrong_name_is_still_one(wire: Wire) -> None:
    async with ModelServer([Reply(text="Hello.", headers={"content-type": "application/json"})]) as server:
        assert (await answer_of(model_of(wire, server.url), said("Hi."))).text == "Hello."


@pytest.mark.parametrize("wire", WIRES)
async def test_thirty_turns_only_extend_each_other(wire: Wire) -> None:
    script = [
        Reply(thinking="Hm.", text=f"Turn {n}.", calls=(Call(name="read", arguments={"path": str(n)}),))
        for n in range(30)
    ]
    async with ModelServer(script) as server:
        model = model_of(wire, server.url)
        messages: list[Message] = [said("Go.")]
        for _ in script:
            answer = await answer_of(model, *messages)
            messages += [answer, *result_of(answer)]
        assert server.refusals() == []
        bodies = [request.raw.replace(b',"cache_control":{"type":"ephemeral"}', b"") for request in server.requests]
    for before, after in pairwise(bodies):
        assert after.startswith(before.removesuffix(b"]}"))


WORDS = ["type", "index", "delta", "content_block", "message", "usage", "error", "text", "thinking", "signature"]
WORDS += ["partial_json", "stop_reason", "id", "name", "input", "choices", "finish_reason", "content", "tool_calls"]
WORDS += ["function", "arguments", "reasoning", "reasoning_details", "output_index", "item", "response", "summary"]
WORDS += ["done", "done_reason", "eval_count", "prompt_tokens", "input_tokens", "encrypted_content", "call_id"]
KINDS_OF = [
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "tool_use",
]
KINDS_OF += [
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.completed",
]
KINDS_OF += ["function_call", "reasoning", "message", "text_delta", "input_json_delta", "stop", "response.failed"]
PLAIN_JSON = (
    st.none() | st.booleans() | st.integers(-2, 5) | st.floats(0, 9) | st.sampled_from(KINDS_OF) | st.text(max_size=3)
)
JSON = st.recursive(
    PLAIN_JSON,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=25, deadline=None)
@given(records=st.lists(JSON, max_size=6))
def test_no_record_is_too_strange(wire: Wire, records: list[Any]) -> None:
    decoder, draft = model_of(wire, "http://127.0.0.1").decoder(), Draft()
    try:
        for record in records:
            for delta in decoder.read(msgspec.json.encode(record).decode()):
                draft.feed(delta)
    except (StreamError, msgspec.DecodeError):
        return
    if finish := decoder.finish():
        draft.feed(finish)
    draft.message()


def test_the_imports_stay_lean() -> None:
    heavy = {"email", "http", "http.client", "urllib.request", "multiprocessing"}
    formats = {f"ferrule.llm.{name}" for name in ("anthropic", "openai_chat", "openai_responses", "ollama")}
    for module in formats:
        code = f"import sys, {module}; print(*sys.modules)"
        loaded = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
        assert not loaded & heavy
        assert loaded & formats == {module}
