"""An embedded model as the rest of the program sees it: an engine that is lost is started anew by the next attempt."""

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.errors import ProviderError
from ferrule.core.events import Event, Retrying
from ferrule.core.messages import said
from ferrule.core.model import Delta, Request
from ferrule.llm.endpoint import Endpoint, Settings
from ferrule.llm.local.engine import Say, Wanted, running
from ferrule.llm.local.model import Local
from ferrule.llm.openai_chat import OpenAIChat
from ferrule.llm.retry import retrying
from tests.llm.local.engines import engines, wait_until

Wish = Callable[..., Wanted]
BOTH = [pytest.param(False, id="package"), pytest.param(True, id="program")]
MOSTLY_ONE = [BOTH[0], pytest.param(True, id="program", marks=pytest.mark.slow)]
either_is_lost = pytest.mark.parametrize("wish", MOSTLY_ONE, indirect=True)
"""For tests that lose several engines: the door above them is the same, so one kind is enough for each run."""


@pytest.fixture(params=BOTH)
def wish(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wish]:
    with engines(tmp_path, monkeypatch, by_program=request.param) as make:
        yield make


def local(wanted: Wanted, say: Say = lambda _: None) -> Local:
    endpoint = Endpoint(provider="local", base_url="", wire="openai_chat")
    return Local(wanted, endpoint, Settings(model=wanted.model), make=OpenAIChat, say=say)


def asks(words: str) -> Request:
    return Request(system="", tools=(), messages=(said(words),))


async def answer(wanted: Wanted, words: str, listen: Callable[[Event], None] = lambda _: None) -> str:
    draft = Draft()
    await retrying(partial(ask_model, local(wanted)))(asks(words), draft, listen)
    message = draft.message()
    assert message is not None
    assert message.model == "local/small"
    return message.text


async def test_the_first_request_starts_the_engine(wish: Wish) -> None:
    wanted = wish()
    assert await answer(wanted, "Hi.") == "Hello there"
    (first,) = running()
    assert await answer(wanted, "Hi again.") == "Hello there"
    assert running() == (first,)


@either_is_lost
async def test_an_engine_killed_in_mid_answer_costs_one_attempt(wish: Wish) -> None:
    wanted = wish()
    pids: list[int] = []
    retries: list[Retrying] = []

    def listen(event: Event) -> None:
        if isinstance(event, Retrying):
            retries.append(event)
        elif isinstance(event, Delta) and not pids:
            pids.extend(state.pid for state in running())
            os.kill(pids[0], signal.SIGKILL)
            wanted.weights.with_suffix(".go").touch()

    assert await answer(wanted, "slowly", listen) == "Hello there"
    words = "The engine of small ended in mid-answer, perhaps for want of memory."
    assert retries == [Retrying(attempt=1, delay=0, reason=words)]
    assert [state.pid for state in running()] != pids


@either_is_lost
async def test_an_engine_that_hangs_in_mid_answer_costs_one_attempt(wish: Wish) -> None:
    wanted = wish(silence=1)
    pids: list[int] = []
    retries: list[Retrying] = []

    def listen(event: Event) -> None:
        if isinstance(event, Retrying):
            retries.append(event)
        elif isinstance(event, Delta) and not pids:
            pids.extend(state.pid for state in running())
            os.kill(pids[0], signal.SIGSTOP)
            wanted.weights.with_suffix(".go").touch()

    assert await answer(wanted, "slowly", listen) == "Hello there"
    words = "The engine of small hung in mid-answer and was ended."
    assert retries == [Retrying(attempt=1, delay=0, reason=words)]
    assert [state.pid for state in running()] != pids


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ("(die)", "ended in mid-answer, perhaps for want of memory"),
        pytest.param("(never answer)", "ended in mid-answer, perhaps for want of memory", marks=pytest.mark.slow),
        pytest.param("(starve)", "ran out of memory in mid-answer and was ended", marks=pytest.mark.slow),
    ],
)
@either_is_lost
async def test_a_request_that_costs_one_engine_after_the_other_is_given_up(wish: Wish, words: str, how: str) -> None:
    retries: list[Event] = []
    given_up = f"{how}. That was 3 times in a row. End other programs,"
    with pytest.raises(ProviderError, match=given_up) as caught:
        await answer(wish(), words, retries.append)
    assert not caught.value.retryable
    assert len([event for event in retries if isinstance(event, Retrying)]) == 2
    wait_until(lambda: running() == ())


@either_is_lost
async def test_weights_that_are_removed_while_they_are_in_use_are_named(wish: Wish) -> None:
    wanted = wish()

    def listen(event: Event) -> None:
        if isinstance(event, Delta) and wanted.weights.exists():
            (state,) = running()
            wanted.weights.unlink()
            os.kill(state.pid, signal.SIGKILL)

    with pytest.raises(ProviderError, match=r"small\.gguf: The weights cannot be read: No such file"):
        await answer(wanted, "slowly", listen)


async def test_once_it_is_loaded_it_is_no_longer_said_to_be_loading(wish: Wish) -> None:
    wanted, told = wish("waits.gguf"), list[str]()

    def say(words: str) -> None:
        told.append(words)
        wanted.weights.with_suffix(".go").touch()

    async for _ in local(wanted, say).stream(asks("Hi.")):
        pass
    assert (told[0], told[-1]) == ("Loading small … 1 s", "small reads the request")


@either_is_lost
async def test_what_no_other_attempt_would_mend_is_said_at_once(wish: Wish) -> None:
    for wanted, words in (
        (wish(package="no_such_engine", program=""), "needs its engine: install the extra"),
        (wish(context=10**12), "not enough memory"),
        (wish("fails.gguf"), "unknown architecture"),
    ):
        retries: list[Event] = []
        with pytest.raises(ProviderError, match=words) as caught:
            await answer(wanted, "Hi.", retries.append)
        assert not caught.value.retryable
        assert retries == []
