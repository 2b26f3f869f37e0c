"""Profiles of models: kept, read back whatever was done to them, and those that Ferrule comes with."""

import stat
from pathlib import Path

import pytest

from ferrule.assemble import Options, assemble
from ferrule.core.errors import ConfigError
from ferrule.core.events import Event, Notice
from ferrule.small.profile import UNUSABLE, Profile, forget, place_of, profile_for, save
from tests.cli.conftest import CommandLine

MEASURED = Profile(
    model="ollama/tiny:1b",
    mode="schema",
    edit_format="function",
    reading=12.5,
    writing=3,
    context=4_000,
    measured="2026-01-31",
    scores={"native calls": (0, 3)},
    question_tokens=400,
)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_DATA_HOME": str(tmp_path)}


def test_a_profile_comes_back_as_it_was_kept(environ: dict[str, str]) -> None:
    path = save(MEASURED, environ)
    assert path.name == "ollama%2Ftiny%3A1b.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert profile_for("ollama/tiny:1b", environ=environ) == MEASURED
    assert profile_for("ollama/tiny", environ=environ) is None
    assert [forget("ollama/tiny:1b", environ), forget("ollama/tiny:1b", environ)] == [True, False]
    assert profile_for("ollama/tiny:1b", environ=environ) is None


def test_fields_of_a_later_version_are_passed_over(environ: dict[str, str]) -> None:
    path = save(MEASURED, environ)
    path.write_text(path.read_text().replace("{", '{"colour": "blue",', 1))
    assert profile_for(MEASURED.model, environ=environ) == MEASURED


@pytest.mark.parametrize("text", ["", "{", "[]", '{"mode": "loud"}', '{"tries": "many"}', "\udcff", "[" * 5_000])
def test_a_damaged_profile_is_said_and_passed_over(environ: dict[str, str], text: str) -> None:
    path = save(Profile(model="local/smollm2-135m", mode="native"), environ)
    path.write_bytes(text.encode(errors="surrogateescape"))
    said: list[str] = []
    assert profile_for("local/smollm2-135m", warn=said.append, environ=environ) == Profile(
        model="smollm2-135m", mode="unusable"
    )
    (words,) = said
    assert words.startswith(f"{path}: This profile of local/smollm2-135m cannot be read (")
    assert words.endswith("); `ferrule probe` makes it anew.")


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("local/qwen2.5-coder-1.5b", "guided"),
        ("ollama/qwen2.5-coder:0.5b", "guided"),
        ("ollama/qwen2.5-coder:1.5b-instruct-q8_0", "guided"),
        ("openai-compatible/Qwen2.5-Coder-1.5B-Instruct-Q4_K_M.gguf", "guided"),
        ("local//models/smollm2-135m.gguf", "unusable"),
        ("ollama/qwen2.5-coder:14b", None),
        ("ollama/qwen2.5-coder", None),
        ("anthropic/claude", None),
        ("", None),
    ],
)
def test_embedded_models_have_a_profile_from_the_start(environ: dict[str, str], name: str, mode: str | None) -> None:
    found = profile_for(name, environ=environ)
    assert (found.mode if found else None) == mode


def test_a_name_of_any_kind_has_a_file_of_its_own(environ: dict[str, str], tmp_path: Path) -> None:
    names = ["a/b", "a_b", "a%2Fb", "../../b", "ü", "x" * 5_000, "x" * 5_001, "."]
    for name in names:
        save(Profile(model=name), environ)
    assert [profile_for(name, environ=environ) for name in names] == [Profile(model=name) for name in names]
    assert {path.parent for path in tmp_path.rglob("*.json")} == {tmp_path / "ferrule" / "profiles"}


def test_a_profile_that_cannot_be_kept_is_said(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "ferrule").write_text("in the way")
    with pytest.raises(ConfigError, match=r"profiles: It cannot be made: "):
        save(MEASURED, environ)
    place = place_of(MEASURED.model, {"XDG_DATA_HOME": str(tmp_path / "b")})
    place.mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"It cannot be removed: "):
        forget(MEASURED.model, {"XDG_DATA_HOME": str(tmp_path / "b")})


async def test_a_session_says_what_speaks_against_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    place_of("ollama/tiny").parent.mkdir(parents=True)
    place_of("ollama/tiny").write_text("{}}")
    overrides = {"llm.provider": "ollama", "llm.model": "tiny", "safety.sandbox": "off"}
    session = assemble(Options(directory=tmp_path, overrides=overrides, save=False))
    heard: list[Event] = []
    session.subscribe(heard.append)
    try:
        (warning,) = [words for words in session.warnings if "profile" in words]
        assert warning.startswith(f"{place_of('ollama/tiny')}: This profile of ollama/tiny cannot be read (JSON is ")
        assert session.switch(model="qwen3") == "Now ollama/qwen3."
        assert heard == []
        assert session.switch(model="smollm2-135m") == "Now ollama/smollm2-135m."
        assert heard == [Notice(text=UNUSABLE.format(name="ollama/smollm2-135m"))]
    finally:
        await session.close()


def test_the_doctor_says_what_is_known_of_the_model(tmp_path: Path) -> None:
    ferrule = CommandLine(tmp_path)
    ferrule.env |= {"FERRULE_LLM_PROVIDER": "ollama", "FERRULE_LLM_MODEL": "tiny:1b"}
    save(MEASURED, ferrule.env)
    lines = ferrule("doctor").out.splitlines()
    place = next(at for at, line in enumerate(lines) if "ollama/tiny:1b" in line)
    assert lines[place + 1].strip() == "calls tools: schema, measured 2026-01-31"
