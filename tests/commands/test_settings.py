"""Commands about the configuration, the rules and trust."""

import os
from pathlib import Path

import pytest

from ferrule.config.trust import is_trusted
from ferrule.core.events import PermissionAsked
from ferrule.core.permission import Answer
from ferrule.llm.script import calling
from tests.commands.conftest import Front


def user_file(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".config" / "ferrule" / "config.json"


async def test_values_are_shown_with_their_origins(front: Front, tmp_path: Path) -> None:
    (front.project / ".ferrule.json").write_text('{"agent": {"max_turns": 7}, "safety": {"deny": ["bash(rm *)"]}}')
    await front.begin()
    listed = (await front.say("/config safety")).text
    assert f'| `safety.deny`                | `["bash(rm *)"]` | {front.project}/.ferrule.json:1 |' in listed
    assert '| `safety.mode`                | `"auto-edit"`    | command line' in listed
    assert "agent.max_turns is ignored until you trust the project" in listed
    assert (await front.say("/config ui.color")).text == (
        "`ui.color`: Whether output is coloured.\n\n"
        '- now `"auto"`, from default\n- takes "auto", "always" or "never"\n- by default `"auto"`'
    )


async def test_a_value_is_set_in_the_users_file(front: Front, tmp_path: Path) -> None:
    file = user_file(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_text('{\n  // mine\n  "ui": {"color": "always"}\n}\n')
    await front.begin()
    assert (await front.say("/config ui.color never")).text == (
        f'`ui.color` is now `"never"` in `{file}:3`. It holds when Ferrule is started again.'
    )
    assert file.read_text() == '{\n  // mine\n  "ui": {"color": "never"}\n}\n'
    assert (await front.say("/config safety.mode default")).text.endswith("; `/mode` changes it now.")
    assert (await front.say("/config safety.ask bash(git push *), edit")).text.startswith(
        '`safety.ask` is now `["bash(git push *)", "edit"]` in '
    )
    assert '"mode": "normal"' in file.read_text()


async def test_a_value_that_counts_elsewhere(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FERRULE_UI_COLOR", "always")
    await front.begin()
    assert (await front.say("/config ui.color never")).text.endswith(
        " Here it still comes from elsewhere: environment FERRULE_UI_COLOR."
    )


async def test_what_a_key_does_not_take_is_not_written(front: Front, tmp_path: Path) -> None:
    await front.begin()
    assert await front.refused("/config ui.color red") == ('ui.color must be "auto", "always" or "never", not "red".')
    assert await front.refused("/config ui.colour never") == "There is no key ui.colour; there is ui.color."
    assert (await front.refused("/config ui never")).startswith("ui is a section; its keys are ui.color")
    assert not user_file(tmp_path).exists()
    user_file(tmp_path).parent.mkdir(parents=True)
    user_file(tmp_path).write_text("{broken")
    assert f"{user_file(tmp_path)}:1" in await front.refused("/config ui.color never")
    assert user_file(tmp_path).read_text() == "{broken"


async def test_secrets_stay_where_they_are(front: Front, tmp_path: Path) -> None:
    file = user_file(tmp_path)
    file.parent.mkdir(parents=True)
    endpoint = '{"name": "mine", "base_url": "https://me:swordfish@example.org/v1", "headers": ["X-Key: hidden"]}'
    file.write_text(f'{{"llm": {{"endpoints": [{endpoint}]}}}}')
    await front.begin()
    for line in ("/config", "/config llm.endpoints", "/provider list"):
        shown = (await front.say(line)).text
        assert "swordfish" not in shown
        assert "hidden" not in shown
    shown = (await front.say(f"/config llm.endpoints [{endpoint}]")).text
    assert "swordfish" not in shown
    assert "hidden" not in shown


async def test_rules_are_shown_with_their_origins(front: Front, tmp_path: Path) -> None:
    file = user_file(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_text('{"safety": {\n"deny": ["bash(rm *)"],\n"ask": ["edit"]}}')
    await front.begin(allowed=["bash(make *)"])
    shown = (await front.say("/permissions")).text
    assert f"| deny  | `bash(rm *)`   | {file}:2" in shown
    assert f"| ask   | `edit`         | {file}:3" in shown
    assert "| allow | `bash(make *)` | command line" in shown
    assert shown.startswith("The mode is `auto-edit`; commands are confined by `")


async def test_what_was_said_always_to_is_shown_and_counts(front: Front) -> None:
    async def always(_asked: PermissionAsked) -> Answer:
        return Answer(verdict="always")

    await front.begin([calling("bash", command="touch x"), "Done."], permission=always)
    assert (await front.say("/permissions")).text.endswith("There are no rules of your own.")
    await front.session.prompt("go")
    assert "| allow | `bash(touch *)` | you, in this session |" in (await front.say("/permissions")).text
    assert (await front.say("/permissions explain touch y")).text.startswith("**allow**: ")


async def test_a_command_is_explained(front: Front) -> None:
    await front.begin(allowed=["bash(make *)"])
    denied = (await front.say("/permissions explain ls && rm -rf ~")).text
    assert denied.startswith("**deny**: ")
    assert "- runs `rm -rf ~`" in denied
    assert (await front.say("/permissions explain ls")).text.startswith("**allow**: ")
    assert (await front.say("/permissions explain make test")).text.startswith("**allow**: ")
    asking = (await front.say("/permissions explain touch x")).text
    assert asking.startswith("**ask**: ")
    assert "“always” would add" in asking
    assert await front.refused("/permissions explain") == "It is /permissions, or /permissions explain COMMAND."


async def test_a_project_is_trusted_and_no_longer(front: Front) -> None:
    (front.project / ".ferrule.json").write_text('{"safety": {"allow": ["bash(make *)"]}}')
    await front.begin()
    shown = (await front.say("/trust")).text
    assert shown.startswith("This project is not trusted.")
    assert "`.ferrule.json`" in shown
    assert not is_trusted(front.project)
    assert (await front.say("/trust --yes")).text.startswith("It is trusted now")
    assert is_trusted(front.project)
    assert "This project is trusted." in (await front.say("/trust --yes")).text
    (front.project / ".ferrule.json").write_text("{}")
    assert "changed since you trusted it" in (await front.say("/trust")).text
    assert (await front.say("/trust --revoke")).text == "It is trusted no longer."
    assert (await front.say("/trust --revoke")).text == "It was not trusted."
    assert await front.refused("/trust me") == "It is /trust, /trust --yes or /trust --revoke."


async def test_the_home_is_no_project(front: Front, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", os.fspath(front.project))
    await front.begin()
    assert "is no project" in await front.refused("/trust --yes")
