"""The command line against a strict model server on loopback, in all four wire formats, with faults."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from tests.cli.conftest import CommandLine, Ended
from tests.server import Call, ModelServer, Reply
from tests.support import unmarked

PROVIDERS = {
    "anthropic": ["-P", "anthropic", "-m", "claude-sonnet-5-5"],
    "chat": ["-P", "openai-compatible", "-m", "some/model"],
    "responses": ["-P", "openai", "-m", "gpt-5"],
    "ollama": ["-P", "ollama", "-m", "qwen3:8b"],
}
KEYS = {"ANTHROPIC_API_KEY": "test-key", "OPENAI_COMPATIBLE_API_KEY": "test-key", "OPENAI_API_KEY": "test-key"}
QUICK = {"FERRULE_AGENT_RETRY_BACKOFF_BASE_MS": "1", "FERRULE_LLM_TIMEOUT_SECONDS": "1"}
HELLO = Reply(text="Hello there.")


@contextmanager
def serving(*replies: Reply, wire: str) -> Iterator[ModelServer]:
    with ModelServer(replies, key=None if wire == "ollama" else "test-key") as server:
        yield server


def asked(ferrule: CommandLine, server: ModelServer, wire: str, *words: str) -> Ended:
    ferrule.env |= KEYS | QUICK
    return ferrule(*PROVIDERS[wire], "--endpoint", server.url, *words, "-p", "Say hello.")


@pytest.mark.parametrize("wire", PROVIDERS)
def test_a_request_with_a_tool_call(ferrule: CommandLine, wire: str) -> None:
    (ferrule.project / "a.txt").write_text("the word is ferrule\n")
    call = Call(name="read", arguments={"file_path": "a.txt"})
    with serving(Reply(thinking="Hm.", text="Let me see.", calls=(call,)), Reply(text="Done."), wire=wire) as server:
        ended = asked(ferrule, server, wire)
    assert (ended.code, ended.out, ended.err) == (0, "Done.\n", "")
    assert b"the word is ferrule" in server.requests[1].raw


RECOVERED = {
    "rate limit in seconds": Reply(status=429, kind="rate_limit", headers={"retry-after": "0"}),
    "rate limit in milliseconds": Reply(status=429, kind="rate_limit", headers={"retry-after-ms": "5"}),
    "overloaded": Reply(status=529, kind="overloaded"),
    "loading": Reply(status=503, kind="overloaded", message="Loading model"),
    "server": Reply(status=500, kind="server"),
    "refused in the middle": Reply(text="Hello", silent=True),
    "cut": Reply(text="Hello there, and more of it", cut=200),
    "reset": Reply(text="Hello there, and more of it", cut=200, reset=True),
    "stalled": Reply(text="Hello there, and more of it", stall=200),
    "garbage": Reply(text="Hello there, and more of it", garbage="{nonsense"),
    "an error inside the stream": Reply(text="Hello", kind="overloaded"),
    "no end": Reply(text="Hello there", cut=150),
    "empty": Reply(),
    "too long": Reply(status=400, kind="context_overflow"),
}


@pytest.mark.parametrize("fault", RECOVERED)
def test_what_can_pass_is_survived(ferrule: CommandLine, fault: str) -> None:
    with serving(RECOVERED[fault], HELLO, wire="anthropic") as server:
        ended = asked(ferrule, server, "anthropic")
    assert (ended.code, ended.out) == (0, "Hello there.\n")
    assert len(server.requests) == 2


@pytest.mark.parametrize("wire", ["chat", "responses", "ollama"])
@pytest.mark.parametrize("fault", ["cut", "server", "an error inside the stream", "empty"])
def test_and_in_the_other_formats(ferrule: CommandLine, wire: str, fault: str) -> None:
    with serving(RECOVERED[fault], HELLO, wire=wire) as server:
        ended = asked(ferrule, server, wire)
    assert (ended.code, ended.out) == (0, "Hello there.\n")


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
def test_a_wrong_key_is_said_and_never_tried_again(ferrule: CommandLine, wire: str) -> None:
    with serving(Reply(status=401, kind="auth"), HELLO, wire=wire) as server:
        ended = asked(ferrule, server, wire)
    assert (ended.code, ended.out, len(server.requests)) == (1, "", 1)
    assert "_API_KEY" in ended.err
    assert "test-key" not in ended.err


def test_a_model_that_is_not_there(ferrule: CommandLine) -> None:
    with serving(Reply(status=404, kind="no_model"), HELLO, wire="anthropic") as server:
        ended = asked(ferrule, server, "anthropic")
    assert (ended.code, len(server.requests)) == (1, 1)
    assert "claude-sonnet-5-5" in ended.err


def test_nobody_listens(ferrule: CommandLine) -> None:
    ferrule.env |= KEYS | QUICK
    ended = ferrule(*PROVIDERS["anthropic"], "--endpoint", "http://127.0.0.1:9", "-p", "hi")
    assert ended.code == 1
    assert "Could not connect to 127.0.0.1:9" in ended.err
    assert "tried 5 times" in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("wire", PROVIDERS)
def test_thirty_turns_only_ever_extend_the_last_request(ferrule: CommandLine, wire: str) -> None:
    turns = [
        Reply(text=f"Step {number}.", calls=(Call(name="bash", arguments={"command": f"echo {number}"}),))
        for number in range(30)
    ]
    with serving(*turns, Reply(text="Done."), wire=wire) as server:
        ended = asked(ferrule, server, wire, "--mode", "yolo")
    assert (ended.code, ended.out) == (0, "Done.\n")
    assert len(server.requests) == 31
    bodies = [unmarked(request.body) for request in server.requests]
    for before, after in pairwise(bodies):
        key = "input" if wire == "responses" else "messages"
        assert after[key][: len(before[key])] == before[key]
        assert {**after, key: None} == {**before, key: None}


def test_a_call_that_a_weak_model_writes_as_text(ferrule: CommandLine) -> None:
    (ferrule.project / "a.txt").write_text("the word is ferrule\n")
    text = 'I will read it.\n<tool_call>{"name": "read", "arguments": {"file_path": "a.txt"}}</tool_call>'
    with serving(Reply(text=text), Reply(text="Done."), wire="chat") as server:
        ended = asked(ferrule, server, "chat")
    assert (ended.code, ended.out) == (0, "Done.\n")
    assert "described to it in words" in ended.err
    assert b"the word is ferrule" in server.requests[1].raw


def test_arguments_that_are_not_quite_json(ferrule: CommandLine) -> None:
    (ferrule.project / "a.txt").write_text("the word is ferrule\n")
    call = Call(name="Read", arguments="{'file_path': 'a.txt',}")
    with serving(Reply(calls=(call,)), Reply(text="Done."), wire="chat") as server:
        assert asked(ferrule, server, "chat").code == 0
    assert b"the word is ferrule" in server.requests[1].raw


def test_what_it_cost_is_said(ferrule: CommandLine) -> None:
    with serving(HELLO, wire="anthropic") as server:
        ended = asked(ferrule, server, "anthropic", "--output-format", "json")
    (result,) = ended.messages
    assert result["usage"]["input_tokens"] == 10
    assert result["total_cost_usd"] == pytest.approx((10 * 2 + 5 * 10) / 1_000_000)


def test_a_server_of_ones_own_by_name(ferrule: CommandLine) -> None:
    config = ferrule.home / "config" / "ferrule" / "config.json"
    config.parent.mkdir(parents=True)
    with serving(HELLO, wire="chat") as server:
        config.write_text(
            '{"llm": {"provider": "lab", "endpoints": [{"name": "lab", "model": "m", "key_variable": "LAB", '
            f'"base_url": "{server.url}/v1"}}]}}}}'
        )
        ferrule.env["LAB"] = "test-key"
        ended = ferrule("-p", "Say hello.")
    assert (ended.code, ended.out, ended.err) == (0, "Hello there.\n", "")


def test_a_repository_cannot_redirect_requests(ferrule: CommandLine) -> None:
    with serving(HELLO, wire="anthropic") as server, serving(HELLO, wire="anthropic") as hostile:
        (ferrule.project / ".ferrule.json").write_text(f'{{"llm": {{"endpoint": "{hostile.url}"}}}}')
        ferrule.env |= KEYS | {"ANTHROPIC_BASE_URL": server.url}
        ended = ferrule("-P", "anthropic", "-p", "Say hello.")
    assert ended.code == 0
    assert "llm.endpoint is ignored" in ended.err
    assert (len(server.requests), len(hostile.requests)) == (1, 0)


def test_a_field_that_a_server_refuses_is_done_without(ferrule: CommandLine) -> None:
    words = "Unrecognized request argument supplied: stream_options"
    refusal = Reply(status=400, kind="bad_request", message=words)
    call = Call(name="ls")
    with serving(refusal, Reply(calls=(call,)), HELLO, wire="chat") as server:
        ended = asked(ferrule, server, "chat")
    assert (ended.code, ended.out) == (0, "Hello there.\n")
    assert ["stream_options" in request.body for request in server.requests] == [True, False, False]


def test_a_wrong_value_is_not_taken_for_a_refused_field(ferrule: CommandLine) -> None:
    refusal = Reply(status=400, kind="bad_request", message="temperature must be at most 1")
    with serving(refusal, HELLO, wire="chat") as server:
        ended = asked(ferrule, server, "chat")
    assert (ended.code, len(server.requests)) == (1, 1)


def test_a_shorter_answer_is_asked_for_where_the_window_leaves_no_more(ferrule: CommandLine) -> None:
    words = "input length and `max_tokens` exceed context limit: 1770 + 32000 > 8000, decrease input length"
    with serving(Reply(status=400, kind="context_overflow", message=words), HELLO, wire="anthropic") as server:
        ended = asked(ferrule, server, "anthropic")
    assert (ended.code, ended.out) == (0, "Hello there.\n")
    assert [request.body["max_tokens"] for request in server.requests] == [32_000, 2_000]


def test_half_a_character_does_not_cost_the_answer(ferrule: CommandLine) -> None:
    events = (
        'data: {"choices": [{"index": 0, "delta": {"content": "smile \\ud83d end"}}]}\n\n'
        'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    )
    with serving(Reply(body=events), wire="chat") as server:
        ended = asked(ferrule, server, "chat")
    assert (ended.code, ended.out) == (0, "smile \ufffd end\n")
