"""Commands about what answers: model, provider, mode, tools."""

from pathlib import Path

import pytest

from ferrule.commands.table import complete
from ferrule.core.messages import Assistant
from tests.commands.conftest import Front
from tests.llm.local.engines import engines, pass_for_the_package
from tests.llm.local.weights import write_weights


async def test_another_model_goes_on(front: Front) -> None:
    for name in ("one", "two"):
        (front.project / f"{name}.jsonl").write_text(f'{{"text": "I am {name}."}}\n' * 2)
    await front.begin(model=None, overrides={"llm.provider": "replay", "llm.model": "one.jsonl"})
    assert (await front.say("/model")).text.startswith("The model is `replay/one.jsonl`.")
    await front.session.prompt("who?")
    assert (await front.say("/model two.jsonl")).text == "Now replay/two.jsonl."
    await front.session.prompt("and now?")
    answers = [one for one in front.session.history.messages if isinstance(one, Assistant)]
    assert [(one.model, one.text) for one in answers] == [
        ("replay/one.jsonl", "I am one."),
        ("replay/two.jsonl", "I am two."),
    ]
    assert "The script" in await front.refused("/model nosuch.jsonl")
    assert front.session.model == "replay/two.jsonl"


async def test_providers_are_listed_and_taken(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    await front.begin()
    (front.project / "one.jsonl").write_text('{"text": "One."}\n')
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    listed = (await front.say("/provider list")).text
    assert "set ANTHROPIC_API_KEY" in listed
    assert (await front.say("/provider")).text == "The model is `scripted`."
    assert (await front.say("/provider replay one.jsonl")).text == "Now replay/one.jsonl."
    assert await front.refused("/provider anthropc") == "There is no provider anthropc; there is anthropic."
    assert await front.refused("/provider anthropic") == (
        "The provider anthropic needs a key: set ANTHROPIC_API_KEY in your environment."
    )


async def test_modes(front: Front) -> None:
    await front.begin()
    assert "| →   | `auto-edit` |" in (await front.say("/mode")).text
    assert (await front.say("/mode acceptEdits")).text.startswith("The mode is `auto-edit` now")
    assert (await front.say("/mode plan")).text == "The mode is `plan` now: only reads; ends with a plan."
    assert front.session.mode == "plan"
    assert await front.refused("/mode plam") == "There is no mode plam; there is plan."


async def test_that_nothing_confines_is_said(front: Front) -> None:
    await front.begin(overrides={"safety.sandbox": "off"})
    warning = "Nothing confines commands here, since the sandbox is off."
    assert (await front.say("/mode auto")).text.endswith(warning)
    assert warning not in (await front.say("/mode plan")).text


async def test_tools_are_listed(front: Front) -> None:
    await front.begin(disabled=["write"])
    listed = (await front.say("/tools")).text
    assert "| `read`" in listed
    assert "`write`" not in listed
    await front.begin(builtin_tools=False)
    assert (await front.say("/tools")).text == "The model has no tools."


async def test_embedded_models_are_listed_completed_and_taken(
    front: Front, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await front.begin()
    embedded = ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "smollm2-135m"]
    assert [one.text for one in complete(front.desk, "/provider local ")] == embedded
    assert "`qwen2.5-coder-0.5b`" in (await front.say("/provider list")).text
    with engines(tmp_path, monkeypatch):
        pass_for_the_package(tmp_path / "installed")
        monkeypatch.syspath_prepend(str(tmp_path / "installed"))
        weights = write_weights(tmp_path / "own.gguf", size=40_000)
        assert (await front.refused("/provider local nosuch")).startswith("There is no embedded model 'nosuch'")
        assert await front.refused("/provider local") == (
            "qwen2.5-coder-1.5b is not here yet; `ferrule models pull qwen2.5-coder-1.5b` fetches it (1.12 GB)."
        )
        assert (await front.say(f"/provider local {weights}")).text.startswith(f"Now local/{weights}.")
    assert [one.text for one in complete(front.desk, "/model ")] == [str(weights), *embedded]
