"""A session through the library's door: goes on, switches, makes room, pins."""

from pathlib import Path

import pytest

import ferrule
from ferrule.core.errors import UsageError
from ferrule.core.events import Compacted, Event, Pinned
from ferrule.core.messages import Assistant
from ferrule.session.session import Session
from tests.server import ModelServer, Reply
from tests.support import know_the_sandbox


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    know_the_sandbox(tmp_path / ".local/state/ferrule")


def texts(session: Session) -> list[str]:
    return [ferrule.text_of(message.content) for message in session.history.messages]


async def test_a_session_goes_on_in_another_process(tmp_path: Path) -> None:
    async with ferrule.open_session(model=ferrule.Scripted(["One."]), directory=tmp_path) as first:
        await first.prompt("first")
    async with ferrule.open_session(model=ferrule.Scripted(["Two."]), directory=tmp_path, resume=first.id) as again:
        await again.prompt("second")
        assert texts(again) == ["first", "One.", "second", "Two."]
    async with ferrule.open_session(
        model=ferrule.Scripted(["Three."]), directory=tmp_path, resume="", fork=True
    ) as copy:
        await copy.prompt("third")
        assert texts(copy) == ["first", "One.", "second", "Two.", "third", "Three."]
        assert copy.id != first.id


async def test_a_session_that_is_open_elsewhere_is_refused(tmp_path: Path) -> None:
    async with ferrule.open_session(model=ferrule.Scripted(["One."]), directory=tmp_path) as first:
        await first.prompt("first")
        with pytest.raises(ferrule.FerruleError, match="open in another Ferrule"):
            ferrule.open_session(model=ferrule.Scripted([]), directory=tmp_path, resume=first.id)


async def test_nothing_is_kept_where_nothing_is_to_be_saved(tmp_path: Path) -> None:
    async with ferrule.open_session(model=ferrule.Scripted(["One."]), directory=tmp_path, save=False) as session:
        await session.prompt("first")
    assert not (tmp_path / "data").exists()


async def test_another_model_takes_the_conversation_over(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text('{"text": "I am another."}\n')
    async with ferrule.open_session(model=ferrule.Scripted(["One."], name="first"), directory=tmp_path) as session:
        await session.prompt("who?")
        with pytest.raises(UsageError, match="There is no provider nosuch"):
            session.switch("nosuch")
        assert session.switch("replay", "other.jsonl") == "Now replay/other.jsonl."
        await session.prompt("and now?")
        models = [message.model for message in session.history.messages if isinstance(message, Assistant)]
        assert models == ["first", "replay/other.jsonl"]


async def test_an_address_belongs_to_its_provider_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([Reply(text="One."), Reply(text="Two.")]) as first, ModelServer([Reply(text="Three.")]) as second:
        for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.setenv(name, "test-key")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{second.url}/v1")
        config = {"llm.endpoint": first.url}
        async with ferrule.open_session(provider="anthropic", model="a", directory=tmp_path, config=config) as session:
            await session.prompt("one")
            assert session.switch(model="b") == "Now anthropic/b."
            await session.prompt("two")
            assert session.switch("openai", "gpt-5") == "Now openai/gpt-5."
            await session.prompt("three")
    assert [request.body["model"] for request in first.requests] == ["a", "b"]
    assert [request.path for request in second.requests] == ["/v1/responses"]


async def test_room_is_made_by_hand_and_pins_survive_it(tmp_path: Path) -> None:
    headings = ("Decisions", "Files touched", "State", "Next steps")
    notes = "## Goal\nTo say numbers. [#1]\n" + "".join(f"## {heading}\nNone.\n" for heading in headings)
    answers = [f"Answer {number} " + "so many words " * 400 for number in range(6)]
    model = ferrule.Scripted([*answers, notes, notes, "After."])
    events: list[Event] = []
    async with ferrule.open_session(model=model, directory=tmp_path) as session:
        session.subscribe(events.append)
        for number in range(6):
            await session.prompt(f"Say {number}.")
        session.pin(2)
        assert session.preview_compaction() is not None
        done = await session.compact("numbers")
        assert done is not None
        assert done.after < done.before
        await session.prompt("Go on.")
        sent = "".join(ferrule.text_of(message.content) for message in model.requests[-1].messages)
        assert "Answer 0" in sent
        assert "Answer 2" not in sent
        assert "To say numbers" in sent
        assert session.usage_by_category().total > 0
        assert len(session.history.messages) == 14
    assert [type(event) for event in events if isinstance(event, Compacted | Pinned)] == [Pinned, Compacted]

    again = ferrule.Scripted(["Here."])
    async with ferrule.open_session(model=again, directory=tmp_path, resume="") as session:
        await session.prompt("Still there?")
        sent = "".join(ferrule.text_of(message.content) for message in again.requests[-1].messages)
        assert "Answer 0" in sent
        assert "Answer 2" not in sent


async def test_a_run_at_a_time(tmp_path: Path) -> None:
    async with ferrule.open_session(model=ferrule.Scripted(["One.", "Two."]), directory=tmp_path) as session:
        with pytest.raises(UsageError, match="no run to steer"):
            session.steer("hello")
        async with session.watch("go") as events:
            with pytest.raises(UsageError, match="A run goes on already"):
                session.watch("again")
            session.steer("and this")
            await events
        assert texts(session) == ["go", "and this", "One."]
        session.steer("too late for that")
        await session.prompt("next")
        assert texts(session)[3:] == ["too late for that", "next", "Two."]
