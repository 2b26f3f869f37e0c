"""The library of embedded models: its data, the names that people type, and entries of their own."""

from pathlib import Path

import msgspec
import pytest

from ferrule.core.errors import ConfigError, UsageError
from ferrule.llm.local.library import DEFAULT, Weights, amount, library, named
from tests.llm.local.serving import TINY


def own(tmp_path: Path, content: object) -> dict[str, str]:
    place = tmp_path / "config" / "ferrule"
    place.mkdir(parents=True)
    (place / "models.json").write_bytes(msgspec.json.encode(content))
    return {"XDG_CONFIG_HOME": str(tmp_path / "config")}


def empty(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path)}


def test_the_data_is_whole(tmp_path: Path) -> None:
    models = library(empty(tmp_path))
    assert list(models) == [DEFAULT, "qwen2.5-coder-0.5b", "smollm2-135m"]
    assert [one.size for one in models.values()] == [1_117_320_768, 491_400_064, 98_362_432]
    assert [len(one.pieces) for one in models.values()] == [22, 6, 1]
    for one in models.values():
        assert sum(piece.size for piece in one.pieces) == one.size
        assert one.memory > one.size
        assert one.licence == "Apache-2.0"
        assert one.file.endswith(".gguf")
        hashes = [one.sha256, *(hash_ for piece in one.pieces for hash_ in (piece.sha256, piece.wheel_sha256))]
        assert all(len(bytes.fromhex(hash_)) == 32 for hash_ in hashes)
        assert all(piece.package and piece.member and piece.wheel_size for piece in one.pieces)


def test_case_does_not_matter(tmp_path: Path) -> None:
    assert named(" Qwen2.5-Coder-0.5B ", empty(tmp_path)).name == "qwen2.5-coder-0.5b"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("qwen2.5-coder-1.5", "'qwen2.5-coder-1.5'; did you mean qwen2.5-coder-1.5b?"),
        ("qwen-0.5b", "'qwen-0.5b'; did you mean qwen2.5-coder-0.5b?"),
        ("smollm", "'smollm'; did you mean smollm2-135m?"),
        ("gpt", "'gpt'; there are qwen2.5-coder-1.5b, qwen2.5-coder-0.5b, smollm2-135m."),
        ("\x1b[2J", "'\\\\u001b[2J'; there are qwen2.5-coder-1.5b, qwen2.5-coder-0.5b, smollm2-135m."),
    ],
)
def test_a_name_that_is_none_gets_the_nearest(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        named(name, empty(tmp_path))
    assert str(caught.value) == f"There is no embedded model {words}"


def test_the_user_s_own_models_come_first_and_win(tmp_path: Path) -> None:
    bare = {"name": "smollm2-135m", "size": 5, "sha256": "0" * 64, "address": "http://a.test/b"}
    models = library(own(tmp_path, [TINY, bare]))
    assert list(models) == ["tiny-1b", "smollm2-135m", "qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b"]
    assert models["tiny-1b"] == TINY
    expected = Weights(
        name="smollm2-135m", file="smollm2-135m.gguf", size=5, sha256="0" * 64, address="http://a.test/b"
    )
    assert models["smollm2-135m"] == expected


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({}, "Expected `array`, got `object`."),
        ([{"name": "a", "size": 1}], "Object missing required field `sha256` - at `$[0]`."),
        ([{"name": "../a", "size": 1, "sha256": "0" * 64}], "'../a' is no plain name."),
        ([{"name": "a", "file": "/etc/x", "size": 1, "sha256": "0" * 64}], "'/etc/x' is no plain name."),
        ([{"name": "a", "size": 1, "sha256": "none"}], "a has a SHA-256 that is none (64 digits of 0-9a-f)."),
        ([{"name": "a", "size": 0, "sha256": "0" * 64}], "a has a size that its pieces do not add up to."),
    ],
)
def test_an_own_list_that_is_wrong_is_said_to_be(tmp_path: Path, content: object, words: str) -> None:
    environ = own(tmp_path, content)
    with pytest.raises(ConfigError) as caught:
        library(environ)
    assert str(caught.value) == f"{tmp_path}/config/ferrule/models.json: {words}"


def test_amounts_are_said_in_words() -> None:
    sizes = [0, 999, 98_362_432, 491_400_064, 1_117_320_768]
    assert [amount(one) for one in sizes] == ["0 bytes", "999 bytes", "98 MB", "491 MB", "1.12 GB"]
