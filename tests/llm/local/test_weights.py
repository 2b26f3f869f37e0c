"""The pieces with which the first run offers a model: what is needed, the sentence, and fetching if it is wanted."""

from pathlib import Path

import msgspec
import pytest

from ferrule.core.errors import UsageError
from ferrule.weights import DEFAULT, needed, offer, pull_if_wanted, with_name
from tests.llm.local.serving import DATA, PIECE, TINY, Answer, Watched, WeightsServer

SENTENCE = "No key and no model server were found: fetch tiny-1b (307 kB, MIT) to run it here?"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with a small model in the user's own list."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "config" / "ferrule").mkdir(parents=True)
    (tmp_path / "config" / "ferrule" / "models.json").write_bytes(msgspec.json.encode([TINY]))
    models = tmp_path / "data" / "ferrule" / "models"
    models.mkdir(parents=True)
    return models


def test_what_is_needed_shrinks_as_it_comes(place: Path, tmp_path: Path) -> None:
    assert (needed(), needed("tiny-1b")) == (with_name(DEFAULT).size, len(DATA))
    (place / "tiny.gguf.part").write_bytes(DATA[:PIECE])
    assert needed("tiny-1b") == 2 * PIECE
    (place / "tiny.gguf").write_bytes(DATA)
    assert needed("tiny-1b") == 0
    assert needed(str(place / "tiny.gguf")) == 0
    with pytest.raises(UsageError):
        needed(str(tmp_path / "none.gguf"))


def test_the_offer_is_one_sentence(place: Path) -> None:
    assert offer("tiny-1b") == SENTENCE
    assert offer() == (
        "No key and no model server were found: fetch qwen2.5-coder-1.5b (1.12 GB, Apache-2.0) to run it here?"
    )


def test_nothing_is_fetched_for_someone_who_does_not_want_it(place: Path) -> None:
    assert pull_if_wanted("tiny-1b", agrees=lambda words: words != SENTENCE, watcher=Watched()) is None
    assert list(place.iterdir()) == []


def test_it_is_fetched_for_someone_who_wants_it_and_nobody_is_asked_twice(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def agrees(words: str) -> bool:
        asked.append(words)
        return True

    with WeightsServer(Answer(cut=PIECE)) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        paths = [pull_if_wanted("tiny-1b", agrees=agrees, watcher=Watched()) for _ in range(2)]
    assert (paths, asked) == ([place / "tiny.gguf"] * 2, [SENTENCE])
    assert (place / "tiny.gguf").read_bytes() == DATA
