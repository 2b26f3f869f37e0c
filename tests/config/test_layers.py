"""The layers: their order, what is joined, where each value came from, and what a repository may not do."""

import json
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.config.keys import KEYS
from ferrule.config.layers import Source, load
from ferrule.config.projects import remember_allow
from ferrule.config.schema import Agent, Config, Hooks, Llm, Safety
from ferrule.config.trust import Standing, fingerprint, trust
from ferrule.core.errors import ConfigError
from tests.config.world import World, as_nobody

DENIALS = ("safety.deny", "safety.ask", "safety.blocked_paths", "tools.disabled")


def written(dotted: dict[str, Any]) -> str:
    nested: dict[str, dict[str, Any]] = {}
    for name, value in dotted.items():
        section, _, key = name.partition(".")
        nested.setdefault(section, {})[key] = value
    return json.dumps(nested)


def refusal(world: World, **more: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        world.load(**more)
    return str(caught.value)


def test_with_nothing_there_all_is_default(world: World) -> None:
    loaded = world.load()
    assert loaded.config == Config()
    assert loaded.origins == dict.fromkeys(KEYS, "default")
    assert loaded.warnings == []
    assert loaded.files == [
        Source(world.system, "system"),
        Source(world.user, "user"),
        Source(world.user_short, "user"),
        Source(world.local_short, "project"),
        Source(world.local, "project"),
    ]


def test_later_layers_win(world: World) -> None:
    """Each layer sets all keys that the layers above it leave; the last one to set a key is its origin."""
    files = [world.system, world.user, world.user_short, world.local_short, world.local, world.given]
    for number, path in enumerate(files):
        path.write_text(json.dumps({"llm": {"max_tokens": number + 1}}))
        loaded = world.load(file=world.given if path == world.given else None)
        assert loaded.config.llm.max_tokens == number + 1
        assert loaded.origins["llm.max_tokens"] == f"{path}:1"
    environ = {"FERRULE_LLM_MAX_TOKENS": "70"}
    loaded = world.load(file=world.given, environ=environ)
    assert loaded.config.llm.max_tokens == 70
    assert loaded.origins["llm.max_tokens"] == "environment FERRULE_LLM_MAX_TOKENS"
    loaded = world.load(file=world.given, environ=environ, overrides={"llm.max_tokens": 80})
    assert loaded.config.llm.max_tokens == 80
    assert loaded.origins["llm.max_tokens"] == "command line"


def test_what_a_layer_does_not_say_stays(world: World) -> None:
    world.system.write_text('{"llm": {"model": "a", "provider": "p"}}')
    world.user.write_text('{\n"llm": {"model": "b"}}')
    loaded = world.load(overrides={"agent.max_turns": None})
    assert loaded.config == Config(llm=Llm(model="b", provider="p"))
    assert loaded.origins["llm.model"] == f"{world.user}:2"
    assert loaded.origins["llm.provider"] == f"{world.system}:1"
    assert loaded.origins["agent.max_turns"] == "default"


def test_null_takes_a_value_back(world: World) -> None:
    world.system.write_text('{"llm": {"model": "a"}}')
    world.user.write_text('{"llm": {"model": null}}')
    loaded = world.load()
    assert loaded.config.llm.model is None
    assert loaded.origins["llm.model"] == f"{world.user}:1"


def test_lists_are_joined_without_doubles(world: World) -> None:
    world.system.write_text('{"safety": {"deny": ["bash(a)", "bash(a)"]}}')
    world.user.write_text('{"safety": {"deny": ["bash(b)", "bash(a)"]}}')
    world.user_short.write_text('{"safety": {"deny": []}}')
    world.local.write_text('{"safety":\n{"deny": ["bash(c)"]}}')
    loaded = world.load(environ={"FERRULE_SAFETY_DENY": "bash(d, e),bash(c)"}, overrides={"safety.deny": ["edit"]})
    assert loaded.config.safety.deny == ("bash(a)", "bash(b)", "bash(c)", "bash(d, e)", "edit")
    assert loaded.origins["safety.deny"] == (
        f"{world.system}:1, {world.user}:1, {world.local}:2, environment FERRULE_SAFETY_DENY, command line"
    )


def test_a_repository_does_not_steer_the_agent(world: World) -> None:
    hostile = {
        name: ["bash"] if key.item else {"safety.mode": "yolo"}.get(name, key.default) for name, key in KEYS.items()
    }
    hostile |= {
        "llm.endpoints": [{"name": "evil", "base_url": "http://evil/"}],
        "llm.models": [{"name": "evil", "window": 1}],
        "tools.search_paths": ["/evil"],
        "tools.external": [{"command": ["/evil"]}],
        **{f"hooks.{event}": [{"hooks": [{"command": "evil"}]}] for event in Hooks.__annotations__},
    }
    hostile |= {"llm.endpoint": "http://evil/", "llm.model": "x", "agent.max_budget_usd": 1000}
    world.local_short.write_text(written(hostile))
    loaded = world.load()
    assert loaded.config == Config(
        safety=Safety(ask=("bash",), deny=("bash",), blocked_paths=("bash",)),
        tools=type(Config().tools)(disabled=("bash",)),
    )
    assert loaded.warnings == [
        f"{world.local_short}: {named(False)} are ignored: they are the user's to set, not a project's.",
        f"{world.local_short}: {named('trusted')} are ignored until you trust the project (ferrule trust).",
    ]
    assert {loaded.origins[name] for name, key in KEYS.items() if key.project is not True} == {"default"}


def named(project: object) -> str:
    return ", ".join(name for name, key in KEYS.items() if key.project == project)


def test_a_trusted_repository_may_do_more_but_not_all(world: World) -> None:
    world.local.write_text(
        '{"llm": {"model": "m", "endpoint": "http://evil/"},\n"safety": {"allow": ["bash(make *)"]}}'
    )
    loaded = world.load(trusted=True)
    assert loaded.config == Config(llm=Llm(model="m"), safety=Safety(allow=("bash(make *)",)))
    assert loaded.warnings == [f"{world.local}:1: llm.endpoint is ignored: it is the user's to set, not a project's."]
    assert loaded.trust == Standing(trusted=True)


def test_not_even_a_trusted_repository_leads_a_link_out_of_itself(world: World) -> None:
    (world.home / "secret").write_text('{"llm": {"model": "m"}}')
    world.local.symlink_to(world.home / "secret")
    assert refusal(world, trusted=True).endswith("it is not followed.")


def test_trust_is_looked_up_and_ends_when_the_project_changes(world: World) -> None:
    environ = {"HOME": str(world.home)}
    world.local.write_text('{"llm": {"model": "m"}}')
    assert world.load().warnings == [
        f"{world.local}:1: llm.model is ignored until you trust the project (ferrule trust)."
    ]
    trust(world.project, fingerprint(world.project), environ)
    assert world.load().config.llm.model == "m"
    assert world.load(trusted=False).config.llm.model is None
    world.local.write_text('{"llm": {"model": "other"}}')
    loaded = world.load()
    assert loaded.config == Config()
    assert loaded.trust == Standing(changed=(".ferrule/config.json",))
    assert loaded.warnings == [
        (
            f"{world.local}:1: llm.model is ignored until you trust the project again, "
            "since .ferrule/config.json changed (ferrule trust)."
        )
    ]


def test_what_the_user_always_allows_in_a_project_counts_there(world: World) -> None:
    environ = {"HOME": str(world.home)}
    remember_allow(world.project, ["bash(make *)"], environ)
    world.user.write_text('{"safety": {"allow": ["bash(ls)"]}}')
    loaded = world.load()
    assert loaded.config.safety.allow == ("bash(ls)", "bash(make *)")
    assert loaded.items["safety.allow"] == {
        "bash(ls)": f"{world.user}:1",
        "bash(make *)": str(world.user.with_name("projects.json")),
    }
    elsewhere = load(world.home, environ=environ, system=world.system)
    assert elsewhere.config.safety.allow == ("bash(ls)",)


def test_each_item_of_a_list_knows_where_it_comes_from(world: World) -> None:
    world.system.write_text('{"safety": {"deny": [\n"bash(a)",\n"bash(b)"]}}')
    world.local.write_text('{"safety": {"deny": ["bash(b)",\n"bash(c)"]}}')
    environ = {"FERRULE_TOOLS_DISABLED": "bash"}
    loaded = world.load(environ=environ, overrides={"safety.deny": ["bash(d)"]})
    assert loaded.items == {
        "llm.endpoints": {},
        "llm.models": {},
        "safety.allow": {},
        "safety.ask": {},
        "safety.deny": {
            "bash(a)": f"{world.system}:2",
            "bash(b)": f"{world.system}:3",
            "bash(c)": f"{world.local}:2",
            "bash(d)": "command line",
        },
        "safety.allowed_paths": {},
        "safety.blocked_paths": {},
        "safety.network": {},
        "tools.disabled": {"bash": "environment FERRULE_TOOLS_DISABLED"},
        "tools.search_paths": {},
        "tools.external": {},
        **{f"hooks.{event}": {} for event in Hooks.__annotations__},
    }


def test_a_repository_does_not_take_back_what_the_user_set(world: World) -> None:
    world.user.write_text('{"safety": {"mode": "plan", "deny": ["bash"]}, "agent": {"max_turns": 3}}')
    world.local.write_text('{"safety": {"mode": "yolo", "deny": [], "allow": ["bash"]}, "agent": {"max_turns": 0}}')
    config = world.load().config
    assert config == Config(safety=Safety(mode="plan", deny=("bash",)), agent=Agent(max_turns=3))


def test_in_the_home_directory_the_users_own_file_is_no_projects(world: World) -> None:
    world.user_short.write_text('{"safety": {"mode": "plan"}}')
    loaded = load(world.home, environ={"HOME": str(world.home)}, system=world.system)
    assert loaded.config.safety.mode == "plan"
    assert loaded.warnings == []


def test_a_project_file_that_the_user_names_counts_as_the_users(world: World) -> None:
    world.local_short.write_text('{"safety": {"mode": "plan"}}')
    loaded = world.load(file=world.local_short)
    assert loaded.config.safety.mode == "plan"
    assert loaded.warnings == []
    assert [source.path for source in loaded.files if source.exists] == [world.local_short]


def test_a_named_file_must_exist(world: World) -> None:
    assert refusal(world, file=world.given) == f"{world.given}: There is no such file."


def test_a_project_file_that_is_no_file_is_refused(world: World) -> None:
    os.mkfifo(world.local_short)
    (world.home / "secret").write_text("token")
    world.local.symlink_to(world.home / "secret")
    assert refusal(world).splitlines() == [
        f"{world.local_short}: This is a named pipe, not a file.",
        f"{world.local}: This link leads out of the project, to {world.home}/secret; it is not followed.",
    ]


def test_the_users_own_links_are_followed(world: World) -> None:
    (world.home / "dotfiles").mkdir()
    (world.home / "dotfiles" / "ferrule.json").write_text('{"llm": {"model": "m"}}')
    world.user.symlink_to(world.home / "dotfiles" / "ferrule.json")
    loaded = world.load()
    assert loaded.config.llm.model == "m"
    assert loaded.origins["llm.model"] == f"{world.user}:1"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become someone else")
def test_a_home_that_may_not_be_entered_is_a_warning_not_an_end() -> None:
    with TemporaryDirectory() as root:
        Path(root).chmod(0o755)
        home = Path(root, "home")
        home.mkdir(mode=0o700)
        told = as_nobody(
            "from pathlib import Path; from ferrule.config.layers import load",
            f"load(Path({root!r}), environ={{'HOME': {str(home)!r}}}, system=Path({root!r}, 'none')).warnings",
        )
        names = (".config/ferrule/config.json", ".ferrule.json")
        assert told == f"{[f'{home}/{name}: It cannot be looked for: Permission denied.' for name in names]}\n"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become someone else")
def test_a_named_file_that_is_out_of_reach_is_an_end(tmp_path: Path) -> None:
    told = as_nobody(
        "from pathlib import Path; from ferrule.config.layers import load",
        f"load(Path('/'), file=Path({str(tmp_path)!r}, 'a'), environ={{'HOME': '/none'}}, system=Path('/none'))",
    )
    assert told == f"{tmp_path}/a: It cannot be looked for: Permission denied.\n"


def test_the_environment_in_all_its_forms(world: World) -> None:
    loaded = world.load(
        environ={
            "FERRULE_LLM_MODEL": "long",
            "FERRULE_MODEL": "short",
            "FERRULE_PROVIDER": "p",
            "FERRULE_AGENT_MAX_TURNS": "7",
            "FERRULE_AGENT_MAX_SECONDS": "",
            "FERRULE_SESSION_AUTO_SAVE": "false",
            "FERRULE_TOOLS_DISABLED": '["a", "b"]',
            "FERRULE_OFFLINE": "1",
            "FERRULES": "not ours",
        }
    )
    expected = {"llm.model": "FERRULE_LLM_MODEL", "llm.provider": "FERRULE_PROVIDER"}
    assert loaded.config.llm == Llm(model="long", provider="p")
    assert loaded.config.agent == Agent(max_turns=7)
    assert loaded.config.session.auto_save is False
    assert loaded.config.tools.disabled == ("a", "b")
    assert {name: loaded.origins[name] for name in expected} == {
        name: f"environment {variable}" for name, variable in expected.items()
    }
    assert loaded.origins["agent.max_seconds"] == "default"


def test_wrong_variables_and_overrides_are_said_with_the_rest(world: World) -> None:
    world.user.write_text('{"ui": 1}')
    environ = {"FERRULE_LLM_MODLE": "x", "FERRULE_AGENT_MAX_TURNS": "many", "FERRULE_\x1b": "", "FERRULE_XYZZY": "1"}
    said = refusal(world, environ=environ, overrides={"llm.modle": "x", "agent.max_seconds": "soon"})
    assert said.splitlines() == [
        f"{world.user}:1:8: ui must be an object in braces, not 1.",
        'environment FERRULE_AGENT_MAX_TURNS: agent.max_turns must be a whole number from 0 to 1000000, not "many".',
        "environment FERRULE_LLM_MODLE: There is no such variable; there is FERRULE_LLM_MODEL.",
        "environment FERRULE_\\u001b: There is no such variable.",
        "environment FERRULE_XYZZY: There is no such variable.",
        "command line: There is no key llm.modle; there is llm.model.",
        'command line: agent.max_seconds must be a number from 0 to 1000000000, not "soon".',
    ]


def test_the_command_line_may_give_text_or_values(world: World) -> None:
    overrides = {"agent.max_turns": "5", "agent.max_budget_usd": 1, "tools.disabled": "a,b", "safety.allow": ("bash",)}
    config = world.load(overrides=overrides).config
    assert config == Config(
        agent=Agent(max_turns=5, max_budget_usd=1),
        tools=type(config.tools)(disabled=("a", "b")),
        safety=Safety(allow=("bash",)),
    )


rules = st.lists(st.sampled_from(["bash", "edit(src/**)", "bash(rm *)", "read(~/.ssh/**)", "web_fetch"]), max_size=4)
layer = st.fixed_dictionaries({}, optional=dict.fromkeys((*DENIALS, "safety.allow"), rules))


@settings(deadline=None)
@given(st.lists(layer, min_size=8, max_size=8), st.booleans())
def test_no_layer_weakens_a_denial_of_another(layers: list[dict[str, list[str]]], trusted: bool) -> None:
    with TemporaryDirectory() as root:
        world = World(Path(root))
        files = [world.system, world.user, world.user_short, world.local_short, world.local, world.given]
        for path, said in zip(files, layers, strict=False):
            path.write_text(written(said))
        environ = {f"FERRULE_{name.upper().replace('.', '_')}": json.dumps(value) for name, value in layers[6].items()}
        loaded = world.load(file=world.given, environ=environ, overrides=layers[7], trusted=trusted)
        for name in DENIALS:
            section, _, key = name.partition(".")
            result = getattr(getattr(loaded.config, section), key)
            assert set(result) == {one for said in layers for one in said.get(name, [])}
            assert len(result) == len(set(result))


good = json.dumps(
    {
        "llm": {"model": "m", "temperature": 0.5},
        "safety": {"mode": "plan", "deny": ["bash(rm *)"], "blocked_paths": ["~/x"]},
        "session": {"storage_path": "/s", "auto_save": True},
    },
    indent=1,
).encode()


def load_damaged(cut: int, length: int, instead: bytes) -> None:
    with TemporaryDirectory() as root:
        world = World(Path(root))
        world.user.write_bytes(good[:cut] + instead + good[cut + length :])
        with suppress(ConfigError):
            world.load()


damage = (st.integers(0, len(good)), st.integers(0, 20), st.binary(max_size=20) | st.sampled_from([b'"', b"{", b"}"]))


@settings(deadline=None)
@given(*damage)
def test_a_damaged_file_loads_or_is_refused(cut: int, length: int, instead: bytes) -> None:
    load_damaged(cut, length, instead)


@pytest.mark.slow
@settings(deadline=None, max_examples=5_000)
@given(*damage)
def test_many_damaged_files_load_or_are_refused(cut: int, length: int, instead: bytes) -> None:
    load_damaged(cut, length, instead)
