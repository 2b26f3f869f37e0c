"""From a name, or from none at all, to an embedded model that answers."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ferrule.config.schema import Embedded, Llm, OwnModel
from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.errors import ConfigError, MissingWeightsError, UsageError
from ferrule.core.messages import said
from ferrule.core.model import Model, Request
from ferrule.llm.connect import Connection, connect
from ferrule.llm.endpoint import Transport
from ferrule.llm.local.engine import running
from ferrule.llm.local.installed import INSTALL, trouble
from ferrule.llm.local.library import DEFAULT
from ferrule.llm.local.link import SMALL, connection
from tests.llm.local.engines import engines, pass_for_a_llama_server, pass_for_the_package
from tests.llm.local.weights import write_weights

CHOSEN = "Using the embedded model {}, since no key is set and no model server runs here."


class Machine:
    """A machine with the engine on it, and a store of weights."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environ = {"HOME": str(root), "XDG_DATA_HOME": str(root / "data"), "XDG_CONFIG_HOME": str(root / "config")}
        (root / "config" / "ferrule").mkdir(parents=True)
        (root / "data" / "ferrule" / "models").mkdir(parents=True)

    def declare(self, *names: str, size: int = 0) -> None:
        whole, address = {"size": size or 4096, "sha256": "0" * 64}, "http://127.0.0.1:1/x"
        models = [{"name": name, **whole, "address": address} for name in names]
        (self.root / "config" / "ferrule" / "models.json").write_bytes(msgspec.json.encode(models))

    def hold(self, name: str, *, size: int = 0) -> Path:
        return write_weights(self.root / "data" / "ferrule" / "models" / f"{name}.gguf", size=size or 4096)

    def connect(self, llm: Llm, local: Embedded = Embedded(), **environ: str) -> Connection:  # noqa: B008
        return connect(llm, directory=self.root, local=local, environ=self.environ | environ)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    with engines(tmp_path, monkeypatch):
        path = pass_for_the_package(tmp_path / "installed")
        monkeypatch.setenv("PYTHONPATH", path)
        monkeypatch.syspath_prepend(str(tmp_path / "installed"))
        yield Machine(tmp_path)


async def answer(model: Model, words: str = "Hi.") -> str:
    draft = Draft()
    await ask_model(model, Request(system="", tools=(), messages=(said(words),)), draft, lambda _: None)
    message = draft.message()
    assert message
    return message.text


async def test_a_model_by_its_name(machine: Machine) -> None:
    machine.declare("tiny")
    machine.hold("tiny")
    connection = machine.connect(Llm(provider="local", model="TINY"), Embedded(context=4096, idle_minutes=0.5))
    assert (connection.model.name, connection.provider, connection.note) == ("local/tiny", "local", "")
    assert (connection.known.window, connection.answer, connection.tool_mode) == (4096, 1024, "guided")
    assert await answer(connection.model) == "Hello there"
    assert connection.at
    assert connection.constrain
    assert [await answer(one) for one in (connection.at(0.7), connection.constrain({}))] == ["Hello there"] * 2
    assert [(one.model, one.context) for one in running()] == [("tiny", 4096)]


@pytest.mark.parametrize("said_as", ["local/{}", "{}"])
async def test_a_file_of_ones_own(machine: Machine, said_as: str) -> None:
    path = write_weights(machine.root / "mine.gguf", size=SMALL)
    connection = machine.connect(Llm(model=said_as.format(path)))
    assert (connection.model.name, connection.tool_mode) == (f"local/{path}", "native")
    again = machine.connect(Llm(model=connection.model.name, models=(OwnModel(name=str(path), input=1.0),)))
    assert again.model.name == connection.model.name
    assert await answer(again.model) == "Hello there"


async def test_a_prompt_may_be_read_for_longer_than_other_models_may_be_silent(machine: Machine) -> None:
    machine.declare("tiny")
    path, hasty = machine.hold("tiny"), Transport(first_byte=0.05)
    found = connection("tiny", Llm(), Embedded(), transport=hasty, environ=machine.environ)
    await answer(found.model)
    asking = asyncio.create_task(answer(found.model, "(read long)"))
    assert not (await asyncio.wait({asking}, timeout=0.2))[0]
    path.with_suffix(".go").touch()
    assert await asking == "Hello there"


def test_a_llama_server_that_is_not_there_is_said_wherever_a_model_is_looked_for(machine: Machine) -> None:
    machine.declare("tiny")
    machine.hold("tiny")
    for llm in (Llm(provider="local", model="tiny"), Llm()):
        with pytest.raises(UsageError, match=r"local\.server is gone, and there is no such program\."):
            machine.connect(llm, Embedded(server="gone"))


async def test_by_a_llama_server(machine: Machine) -> None:
    machine.declare("tiny")
    weights = machine.hold("tiny")
    server = pass_for_a_llama_server(machine.root / "llama-server")
    connected = machine.connect(Llm(provider="local", model="tiny"), Embedded(server=server))
    assert await answer(connected.model) == "Hello there"
    assert weights.with_suffix(".pid").exists()


def test_with_nothing_set_it_is_what_is_here_else_what_could_be_fetched(machine: Machine) -> None:
    with pytest.raises(MissingWeightsError) as caught:
        machine.connect(Llm())
    assert (caught.value.name, caught.value.chosen) == (DEFAULT, False)
    machine.declare("toy", "good", size=300_000_000)
    machine.hold("good", size=300_000_000)
    assert machine.connect(Llm()).note == CHOSEN.format("good")
    assert machine.connect(Llm(), Embedded(fetch="no")).model.name == "local/good"
    assert machine.connect(Llm(model="good")).model.name == "local/good"
    assert machine.connect(Llm(), OPENAI_API_KEY="k").provider == "openai"
    with pytest.raises(MissingWeightsError) as caught:
        machine.connect(Llm(), Embedded(model="toy"))
    assert (caught.value.name, caught.value.chosen) == ("toy", False)
    with pytest.raises(MissingWeightsError) as caught:
        machine.connect(Llm(provider="local", model="toy"))
    assert caught.value.chosen
    assert str(caught.value) == "toy is not here yet; `ferrule models pull toy` fetches it (300 MB)."


def test_a_toy_is_taken_only_where_it_is_named(machine: Machine) -> None:
    machine.declare("toy")
    machine.hold("toy")
    with pytest.raises(UsageError, match="The shortest ways to one"):
        machine.connect(Llm(), Embedded(fetch="no"))
    assert machine.connect(Llm(), Embedded(model="toy", fetch="no")).note == CHOSEN.format("toy")


def test_what_cannot_be_is_said(machine: Machine) -> None:
    machine.declare("tiny")
    machine.hold("tiny")
    (machine.root / "text.gguf").write_text("no weights")
    for llm, local, words in (
        (Llm(provider="local", model="tini"), Embedded(), "There is no embedded model 'tini'; did you mean tiny?"),
        (Llm(provider="local", model="gone.gguf"), Embedded(), "gone.gguf cannot be read: No such file"),
        (Llm(model=f"local/{machine.root}/text.gguf"), Embedded(), "text.gguf is no GGUF file."),
        (Llm(), Embedded(model="gone.gguf"), "gone.gguf cannot be read: No such file"),
        (Llm(model="tiny"), Embedded(context=10**12), "There is not enough memory for tiny.gguf"),
        (Llm(provider="locale"), Embedded(), "There is no provider locale; there is local."),
    ):
        with pytest.raises(UsageError, match=words):
            machine.connect(llm, local)
    (machine.root / "config" / "ferrule" / "models.json").write_text("{")
    with pytest.raises(ConfigError, match=r"models\.json"):
        machine.connect(Llm())


def test_an_engine_that_is_not_there_or_does_not_load(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert trouble() == ""
    (machine.root / "installed" / "xllamacpp.py").write_text("raise OSError('built for another machine')")
    assert trouble() == "The engine of the provider local cannot be loaded: OSError: built for another machine"
    monkeypatch.setattr("ferrule.llm.local.installed.PACKAGE", "no_such_engine")
    with pytest.raises(UsageError, match="needs its engine") as caught:
        machine.connect(Llm(provider="local"))
    assert str(caught.value) == trouble() == f"The provider local needs its engine: {INSTALL}"
    with pytest.raises(UsageError, match="The shortest ways to one"):
        machine.connect(Llm())
