"""Up to fifty turns with everything on: a request is the one before it, and something at its end."""

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

import ferrule
from ferrule.core.events import Event, TurnStarted
from tests.server import Call, ModelServer, Reply
from tests.support import know_the_sandbox, unmarked

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f64540"
    "0000000049454e44ae426082"
)


def step(turn: int) -> Reply:
    """A turn of one of many kinds."""
    match turn % 7:
        case 0:
            return Reply(thinking="Let me think.", calls=(Call(name="read", arguments={"file_path": "notes.txt"}),))
        case 1:
            calls = [Call(name="ls"), Call(name="grep", arguments={"pattern": "line"})]
            return Reply(text="Both at once.", calls=(*calls, Call(name="glob", arguments={"pattern": "*.txt"})))
        case 2:
            return Reply(calls=(Call(name="bash", arguments={"command": f"echo {turn}"}),))
        case 3:
            return Reply(calls=(Call(name="no_such_tool"), Call(name="edit", arguments={"file_path": "notes.txt"})))
        case 4:
            return Reply(calls=(Call(name="read", arguments={"file_path": "picture.png"}),))
        case 5:
            return Reply(text="Half an answ", stop="max_tokens")
        case _:
            items = [{"content": "one", "status": "in_progress"}]
            return Reply(calls=(Call(name="todo", arguments={"todos": items}),))


@pytest.mark.parametrize(
    ("provider", "model", "key", "turns"),  # in 24 turns each kind of them comes three times at least
    [
        ("anthropic", "claude-sonnet-5-5", "messages", 24),
        pytest.param("anthropic", "claude-sonnet-5-5", "messages", 50, marks=pytest.mark.slow),
        ("openai", "gpt-5", "input", 24),
        ("openai-compatible", "some-model", "messages", 24),
        ("ollama", "qwen3:8b", "messages", 24),
    ],
)
async def test_a_request_only_ever_grows_at_its_end(
    provider: str, model: str, key: str, turns: int, *, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_COMPATIBLE_API_KEY"):
        monkeypatch.setenv(name, "test-key")
    know_the_sandbox(tmp_path / "home/.local/state/ferrule")
    (tmp_path / "AGENTS.md").write_text("Be brief.\n")
    (tmp_path / "notes.txt").write_text("line\n" * 30)
    (tmp_path / "picture.png").write_bytes(PICTURE)
    os.mkfifo(tmp_path / "pipe")
    with ModelServer([*map(step, range(turns)), Reply(text="Done.")], key=None) as server:
        config = {"llm.endpoint": server.url, "agent.retry_backoff_base_ms": 1}
        async with ferrule.open_session(
            provider=provider, model=model, directory=tmp_path, mode="yolo", config=config
        ) as session:

            def meanwhile(event: Event) -> None:
                if isinstance(event, TurnStarted) and event.turn % 11 == 0:
                    session.steer(f"A word at turn {event.turn}.")

            session.subscribe(meanwhile)
            ended = await session.prompt("Do many things.")
    assert (ended.reason, ended.turns) == ("end_turn", turns + 1)
    assert [request.refused for request in server.requests if request.refused] == []
    bodies = [unmarked(request.body) for request in server.requests]
    for before, after in pairwise(bodies):
        assert encoded(after[key][: len(before[key])]) == encoded(before[key])
        assert encoded({**after, key: None}) == encoded({**before, key: None})


def encoded(value: Any) -> bytes:
    return msgspec.json.encode(value)
