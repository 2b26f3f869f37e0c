"""Apple's model, against the interface of its package; elsewhere one clear sentence."""

from functools import partial

import pytest

from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.errors import ProviderError, UsageError
from ferrule.core.events import Event
from ferrule.core.messages import Assistant, Text, said
from ferrule.core.model import Request
from ferrule.llm.apple import Apple
from tests.llm import apple_stand_in

STAND_IN = "tests.llm.apple_stand_in"


async def test_an_answer_streams_as_what_is_new_of_each_snapshot() -> None:
    before = Assistant(content=(Text("Yes?"),), model="m", stop="end_turn")
    request = Request(system="Be kind.", tools=(), messages=(said("Hi."), before, said("Greet me.")))
    draft, pieces = Draft(), list[Event]()
    await ask_model(Apple(STAND_IN), request, draft, pieces.append)
    assert [getattr(piece, "text", "") for piece in pieces] == ["Hel", "lo", " there."]
    answer = draft.message()
    assert answer is not None
    assert (answer.text, answer.model) == ("Hello there.", "apple/on-device")
    assert apple_stand_in.LanguageModelSession.asked[-1] == (
        "Be kind.",
        "User: Hi.\n\nAssistant: Yes?\n\nUser: Greet me.\n\nAssistant:",
    )


async def test_its_errors_are_ours() -> None:
    ask = partial(ask_model, Apple(STAND_IN))
    with pytest.raises(ProviderError, match="Context window size exceeded") as caught:
        await ask(Request(system="", tools=(), messages=(said("x" * 2_000),)), Draft(), lambda _: None)
    assert caught.value.fault == "context_overflow"


def test_a_machine_without_it_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="needs macOS 26 with Apple Intelligence"):
        Apple("no_such_package")
    monkeypatch.setattr(apple_stand_in.SystemLanguageModel, "available", False)
    with pytest.raises(UsageError, match="not available: APPLE_INTELLIGENCE_NOT_ENABLED"):
        Apple(STAND_IN)
