"""Files that are JSON, but not a configuration: each broken one with the exact words that its author reads."""

import pytest

from ferrule.config.check import Setting, findings_of
from ferrule.config.jsonc import MOST_PROBLEMS, parse
from ferrule.config.keys import KEYS, SECTIONS
from ferrule.config.schema import HookCommand, HookGroup
from ferrule.core.errors import ConfigError
from tests.config.world import World

LLM_KEYS = ", ".join(name for name in KEYS if name.startswith("llm."))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"llm": {"modle": "x"}}', "1:10: There is no key llm.modle; there is llm.model."),
        ('{"model": "x"}', "1:2: There is no key model; there is llm.model."),
        ('{"agent": {"maxTurns": 5}}', "1:12: There is no key agent.maxTurns; there is agent.max_turns."),
        ('{"agent": {"mode": "yolo"}}', "1:12: There is no key agent.mode; there is safety.mode."),
        ('{"safty": {"mode": "plan"}}', "1:2: There is no key safty; there is safety."),
        ('{"permissions": {}}', "1:2: There is no key permissions; the sections are {sections}."),
        ('{"llm": {"zzz": 1}}', "1:10: There is no key llm.zzz; in llm there are {llm}."),
        ('{"llm.model": "x"}', '1:2: A key has no dots in a file: write "llm": {{"model": …}}.'),
        ('{"llm": {"$schema": "x"}}', "1:10: There is no key llm.$schema; in llm there are {llm}."),
        ("[]", "1:1: A configuration is an object in braces, not a list."),
        ('"llm"', '1:1: A configuration is an object in braces, not "llm".'),
        ("null", "1:1: A configuration is an object in braces, not null."),
        ('{"llm": "x"}', '1:9: llm must be an object in braces, not "x".'),
        ('{"llm": null}', "1:9: llm must be an object in braces, not null."),
        ('{"safety": []}', "1:12: safety must be an object in braces, not a list."),
        ('{"llm": {"model": 5}}', "1:19: llm.model must be a string that is not empty or null, not 5."),
        ('{"llm": {"model": ""}}', '1:19: llm.model must be a string that is not empty or null, not "".'),
        (
            '{"llm": {"endpoint": "localhost:1"}}',
            '1:22: llm.endpoint must be an http:// or https:// address or null, not "localhost:1".',
        ),
        (
            '{"llm": {"temperature": 3}}',
            "1:25: llm.temperature must be a number from 0 to 2 or null, not 3.",
        ),
        (
            '{\n "agent": {\n  "max_turns": "many"}}',
            '3:16: agent.max_turns must be a whole number from 0 to 1000000, not "many".',
        ),
        (
            '{"agent": {"max_turns": -1}}',
            "1:25: agent.max_turns must be a whole number from 0 to 1000000, not -1.",
        ),
        (
            '{"agent": {"max_turns": 1.5}}',
            "1:25: agent.max_turns must be a whole number from 0 to 1000000, not 1.5.",
        ),
        (
            '{"agent": {"max_turns": true}}',
            "1:25: agent.max_turns must be a whole number from 0 to 1000000, not true.",
        ),
        (
            '{"agent": {"max_turns": null}}',
            "1:25: agent.max_turns must be a whole number from 0 to 1000000, not null.",
        ),
        (
            '{"agent": {"max_turns": {"a": 1}}}',
            "1:25: agent.max_turns must be a whole number from 0 to 1000000, not an object.",
        ),
        (
            '{"context": {"compaction_threshold": 95}}',
            "1:38: context.compaction_threshold must be a number from 0.1 to 1, not 95.",
        ),
        (
            '{"safety": {"mode": "ask"}}',
            '1:21: safety.mode must be "plan", "normal", "auto-edit", "auto" or "yolo", not "ask".',
        ),
        ('{"safety": {"deny": "bash"}}', '1:21: safety.deny must be a list, not "bash".'),
        (
            '{"safety": {"deny": [\n"bash",\n7]}}',
            "3:1: safety.deny[1] must be a rule such as bash or bash(git diff *), not 7.",
        ),
        (
            '{"safety": {"deny": ["bash(rm *"]}}',
            '1:22: safety.deny[0] must be a rule such as bash or bash(git diff *), not "bash(rm *".',
        ),
        (
            '{"safety": {"blocked_paths": ["a\\u0000b"]}}',
            '1:31: safety.blocked_paths[0] must be a path, not "a\\u0000b".',
        ),
        ('{"session": {"auto_save": "yes"}}', '1:27: session.auto_save must be true or false, not "yes".'),
        (
            '{"session": {"storage_path": "here"}}',
            '1:30: session.storage_path must be a path that begins with / or ~/ or null, not "here".',
        ),
        ('{"ui": {"color": "blue"}}', '1:18: ui.color must be "auto", "always" or "never", not "blue".'),
        ('{"\\u001b[31m": 1}', "1:2: There is no key \\u001b[31m; the sections are {sections}."),
        ('{"ui": {}, "ui": {}}', '1:12: The key "ui" stands here a second time; the first is in line 1.'),
        ('{"ui": {"color": "auto",}', '1:1: This object does not end: "}}" is missing.'),
    ],
)
def test_a_broken_configuration_is_said_with_file_line_and_key(world: World, text: str, words: str) -> None:
    world.user.write_text(text)
    with pytest.raises(ConfigError) as caught:
        world.load()
    sections = "llm, local, context, agent, safety, tools, session, git, ui, hooks"
    assert str(caught.value) == f"{world.user}:{words.format(sections=sections, llm=LLM_KEYS)}"


def test_all_that_is_wrong_in_a_file_is_said_at_once(world: World) -> None:
    world.user.write_text('{"a": 1,\n"agent": {"max_turns": "x", "max_turn": 1},\n"ui": 3,\n"tools": {}, "tools": {}}')
    with pytest.raises(ConfigError) as caught:
        world.load()
    assert str(caught.value).splitlines() == [
        f'{world.user}:4:14: The key "tools" stands here a second time; the first is in line 4.',
        f"{world.user}:1:2: There is no key a; the sections are {', '.join(SECTIONS)}.",
        f'{world.user}:2:24: agent.max_turns must be a whole number from 0 to 1000000, not "x".',
        f"{world.user}:2:29: There is no key agent.max_turn; there is agent.max_turns.",
        f"{world.user}:3:7: ui must be an object in braces, not 3.",
    ]


def test_a_file_in_which_everything_is_wrong_is_told_in_bounds() -> None:
    document = parse(b"{" + b",".join(b'"k%d": 1' % number for number in range(10_000)) + b"}", "f.json")
    findings = list(findings_of(document))
    assert len(findings) == MOST_PROBLEMS + 1
    assert findings[-1] == "f.json: There may be more; the first 20 are told."


def test_a_good_file_gives_its_settings_with_their_lines() -> None:
    document = parse(b'{"$schema": "x",\n"llm": {"model": "m"},\n"safety": {\n"mode": "acceptEdits"}}', "f.json")
    assert list(findings_of(document)) == [
        Setting(KEYS["llm.model"], "m", "f.json:2"),
        Setting(KEYS["safety.mode"], "auto-edit", "f.json:4"),
    ]


def test_the_items_of_a_list_have_lines_of_their_own() -> None:
    document = parse(b'{"safety": {"deny": [\n"bash(a)", "bash(b)",\n// c\n"bash(c)"]}}', "f.json")
    assert list(findings_of(document)) == [
        Setting(
            KEYS["safety.deny"], ("bash(a)", "bash(b)", "bash(c)"), "f.json:1", ("f.json:2", "f.json:2", "f.json:4")
        )
    ]


def test_a_very_long_list_is_read_quickly() -> None:
    items = ",\n".join(f'"bash({number})"' for number in range(10_000))
    (found,) = findings_of(parse(f'{{"safety": {{"deny": [{items}]}}}}'.encode(), "f.json"))
    assert isinstance(found, Setting)
    assert found.items[-1] == "f.json:10000"


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ("5", "hooks.Stop must be a list, not 5."),
        ("[5]", "hooks.Stop[0] must be an object with hooks (and matcher), not 5."),
        ("[{}]", "hooks.Stop[0] must be an object with hooks (and matcher), not an object."),
        ('[{"hooks": {}}]', "hooks.Stop[0].hooks must be a list, not an object."),
        ('[{"matcher": 1, "hooks": []}]', "hooks.Stop[0].matcher must be a string, not 1."),
        (
            '[{"hooks": ["x"]}]',
            (
                "hooks.Stop[0].hooks[0] must be an object with some of command, type, args, timeout, async, once, if, "
                'onFailure, confined, not "x".'
            ),
        ),
        (
            '[{"hooks": []}, {"hooks": [{"command": "x"}, {"command": "x", "timeout": "60"}]}]',
            'hooks.Stop[1].hooks[1].timeout must be a number from 0.1 to 86400 or null, not "60".',
        ),
        (
            '[{"hooks": [{"command": "x", "onFailure": "stop"}]}]',
            'hooks.Stop[0].hooks[0].onFailure must be "ignore" or "block", not "stop".',
        ),
    ],
)
def test_a_broken_hook_is_said_down_to_the_field(world: World, groups: str, words: str) -> None:
    world.user.write_text(f'{{"hooks": {{"Stop": {groups}}}}}')
    with pytest.raises(ConfigError) as caught:
        world.load()
    assert str(caught.value).partition(": ")[2] == words


def test_hooks_of_other_agents_are_no_error(world: World) -> None:
    world.user.write_text(
        '{"hooks": {"TeammateIdle": [], "preToolUse": [],\n"Stop": [{"description": "d", "hooks": [{"type": "prompt",'
        ' "prompt": "?", "statusMessage": "…"}]}]}}'
    )
    loaded = world.load()
    assert loaded.config.hooks.Stop == (HookGroup(hooks=(HookCommand(type="prompt"),)),)
    events = ", ".join(name for name in KEYS if name.startswith("hooks."))
    assert loaded.warnings == [
        f"{world.user}:1:12: There is no key hooks.TeammateIdle; in hooks there are {events}. It is ignored.",
        f"{world.user}:1:32: There is no key hooks.preToolUse; there is hooks.PreToolUse. It is ignored.",
    ]
    assert loaded.items["hooks.Stop"] == {loaded.config.hooks.Stop[0]: f"{world.user}:2"}
