"""The table of keys, and values that stand outside a file."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.config.keys import KEYS, SECTIONS, MisfitError, unknown
from ferrule.config.schema import Config, Hooks, assemble


def test_the_table_holds_every_key_with_its_description_and_default() -> None:
    assert SECTIONS == ("llm", "local", "context", "agent", "safety", "tools", "session", "git", "ui", "hooks")
    assert all(key.description.endswith(".") for key in KEYS.values())
    assert assemble({name: key.default for name, key in KEYS.items()}) == Config()
    assert all(key.fit(key.default) == key.default for key in KEYS.values())


def test_only_these_keys_are_taken_from_a_project() -> None:
    """Each one more must be thought about: whoever writes a repository could set it."""
    assert {key.name for key in KEYS.values() if key.project is True} == {
        "llm.temperature",
        "llm.max_tokens",
        "context.compaction_threshold",
        "context.max_tool_output_chars",
        "safety.ask",
        "safety.deny",
        "safety.blocked_paths",
        "tools.disabled",
    }
    assert {key.name for key in KEYS.values() if key.project == "trusted"} == {
        "llm.model",
        "llm.effort",
        "llm.tool_mode",
        "llm.timeout_seconds",
        "agent.max_turns",
        "agent.max_budget_usd",
        "agent.max_seconds",
        "agent.retry_attempts",
        "agent.retry_backoff_base_ms",
        "safety.allow",
        "tools.external",
        "git.auto_commit",
        "git.commit_message_prefix",
        *(f"hooks.{event}" for event in Hooks.__annotations__),
    }


@pytest.mark.parametrize(
    "host",
    [
        "*",
        "host.org",
        "*.nodes.org",
        "localhost:8080",
        "a.b:*",
        "10.0.0.7",
        "::1",
        "fd00::7",
        "[fd00::7]:443",
        "xn--a-1.org",
    ],
)
def test_hosts_that_may_be_listed(host: str) -> None:
    assert KEYS["safety.network"].fit([host]) == (host,)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "https://a.org",
        "a.org/x",
        "u@a.org",
        "a..org",
        ".a.org",
        "a.org.",
        "-a.org",
        "a.*.org",
        "**.org",
        "*a.org",
        "a.org\n",
        "á.org",
        "a.org:",
        "a.org:123456",
        "a\u0000.org",
        "a" * 64 + ".org",
        "*:80",
    ],
)
def test_hosts_that_are_none(host: str) -> None:
    with pytest.raises(MisfitError, match=r"safety\.network\[0\] must be a host such as"):
        KEYS["safety.network"].fit([host])


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("llm.model", "claude", "claude"),
        ("llm.model", "5", "5"),
        ("llm.model", "null", None),
        ("llm.max_tokens", "null", None),
        ("llm.max_tokens", "4096", 4096),
        ("llm.temperature", "1", 1.0),
        ("agent.max_budget_usd", "0.5", 0.5),
        ("session.auto_save", "false", False),
        ("ui.color", "never", "never"),
        ("safety.mode", "bypassPermissions", "yolo"),
        ("safety.mode", "acceptEdits", "auto-edit"),
        ("safety.mode", "default", "normal"),
        ("safety.mode", "plan", "plan"),
        ("safety.deny", "", ()),
        ("safety.deny", "[]", ()),
        ("safety.deny", "bash", ("bash",)),
        ("safety.deny", " bash(a, b) , edit(src/**),", ("bash(a, b)", "edit(src/**)")),
        ("safety.deny", "bash(echo (a, b), c),read", ("bash(echo (a, b), c)", "read")),
        ("safety.deny", '["bash(a, b)", "edit"]', ("bash(a, b)", "edit")),
        ("tools.disabled", "bash,web_fetch", ("bash", "web_fetch")),
        ("safety.allowed_paths", "~/a,/b c", ("~/a", "/b c")),
    ],
)
def test_text_outside_a_file_is_understood(name: str, text: str, value: Any) -> None:
    key = KEYS[name]
    assert key.fit(key.read(text)) == value


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("agent.max_turns", "null", "agent.max_turns must be a whole number from 0 to 1000000, not null."),
        ("agent.max_turns", "NaN", 'agent.max_turns must be a whole number from 0 to 1000000, not "NaN".'),
        ("agent.max_budget_usd", "inf", 'agent.max_budget_usd must be a number from 0 to 1000000, not "inf".'),
        ("session.auto_save", "maybe", 'session.auto_save must be true or false, not "maybe".'),
        (
            "safety.deny",
            "bash(a,edit",
            'safety.deny[0] must be a rule such as bash or bash(git diff *), not "bash(a,edit".',
        ),
        ("safety.deny", "[1", 'safety.deny must be a list, not "[1".'),
        ("safety.deny", "[" * 100_000, 'safety.deny must be a list, not "' + "[" * 60 + '…".'),
        ("tools.disabled", '["a", ""]', 'tools.disabled[1] must be a string that is not empty, not "".'),
        ("llm.model", "a\udce9", 'llm.model must be a string that is not empty or null, not "a\\udce9".'),
        ("llm.max_tokens", "\ud800", "llm.max_tokens must be {tokens}, not {got}."),
    ],
)
def test_text_that_does_not_fit_is_refused(name: str, text: str, words: str) -> None:
    key = KEYS[name]
    with pytest.raises(MisfitError) as caught:
        key.fit(key.read(text))
    assert str(caught.value) == words.format(tokens="a whole number from 1 to 10000000 or null", got='"\\ud800"')


@settings(deadline=None)
@given(st.sampled_from(list(KEYS)), st.text(alphabet=st.characters()))
def test_no_text_does_worse_than_misfit(name: str, text: str) -> None:
    key = KEYS[name]
    value = words = None
    try:
        value = key.fit(key.read(text))
    except MisfitError as misfit:
        words = str(misfit)
    assert words.isprintable() if words else key.fit(value) == value


def test_a_section_is_no_key() -> None:
    keys = "tools.disabled, tools.search_paths, tools.external"
    assert unknown("tools") == f"tools is a section; its keys are {keys}."
    assert unknown("tools.zzz") == f"There is no key tools.zzz; in tools there are {keys}."


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([{"command": []}], "tools.external[0].command must be a list of words, the program first, not a list."),
        ([{"command": ["a"]}, 3], "tools.external[1] must be {tool}, not 3."),
        ([{"name": "a"}], "tools.external[0] must be {tool}, not an object."),
        ([{"command": ["a"], "timeout": 0}], "tools.external[0].timeout must be a number from 1 to 600, not 0."),
        ({"a": {}}, "tools.external must be a list, not an object."),
    ],
)
def test_a_tool_that_does_not_fit_is_refused(value: Any, words: str) -> None:
    tool = "an object with command (and name, description, parameters, effect, timeout)"
    with pytest.raises(MisfitError) as caught:
        KEYS["tools.external"].fit(value)
    assert str(caught.value) == words.format(tool=tool)


def test_a_prefix_is_one_short_line() -> None:
    key = KEYS["git.commit_message_prefix"]
    assert key.fit("agent: ") == "agent: "
    for text in ("a\nb", "a\n", "\x1b[31m", "x" * 41):
        with pytest.raises(MisfitError, match="must be a line of at most 40 characters"):
            key.fit(text)
