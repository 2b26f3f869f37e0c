"""Which hooks belong to which call, and what their answers mean, alone and together."""

import msgspec
import pytest

from ferrule.config.schema import HookCommand, HookGroup, Hooks
from ferrule.core.errors import ConfigError
from ferrule.extend.hook_process import Ran
from ferrule.extend.hook_reply import LONGEST, Reply, reply_of, together
from ferrule.extend.hook_table import EVENTS, Event, Hook, read_table


def table_of(matcher: str, event: Event = "PreToolUse") -> Hooks:
    return Hooks(**{event: (HookGroup(matcher=matcher, hooks=(HookCommand(command="x"),)),)})


@pytest.mark.parametrize(
    ("matcher", "names"),
    [
        ("", "bash edit write mcp__a__b"),
        ("*", "bash edit write mcp__a__b"),
        (".*", "bash edit write mcp__a__b"),
        ("Bash", "bash"),
        ("bash|write", "bash write"),
        ("Edit, Write", "edit write"),
        ("MultiEdit|Edit", "edit"),
        ("TodoWrite", "todo"),
        ("mcp__.*", "mcp__a__b"),
        ("mcp__a__b", "mcp__a__b"),
        ("^(Edit|Write)$", "edit write"),
        ("Notebook.*", ""),
        ("ba", ""),
        ("|", ""),
    ],
)
def test_a_matcher_knows_tools_by_both_spellings(matcher: str, names: str) -> None:
    table = read_table(table_of(matcher))
    tools = ("bash", "edit", "write", "todo", "mcp__a__b")
    found = [tool for tool in tools if [*table.matching("PreToolUse", tool)]]
    everything = matcher in {"", "*", ".*"}
    assert found == [tool for tool in tools if everything or tool in names.split()]


def test_other_events_match_their_kind_or_nothing_at_all() -> None:
    starts = read_table(table_of("resume|clear", "SessionStart"))
    assert [kind for kind in ("startup", "resume", "clear") if [*starts.matching("SessionStart", kind)]] == [
        "resume",
        "clear",
    ]
    assert [*read_table(table_of("Bash", "Stop")).matching("Stop")]


def test_a_matcher_that_makes_no_sense_is_an_error_and_not_a_guard_that_is_off() -> None:
    with pytest.raises(ConfigError) as caught:
        read_table(table_of("Edit(|Write"))
    assert str(caught.value) == (
        "hooks.PreToolUse: the matcher Edit(|Write is no regular expression: missing ), unterminated subpattern."
    )


def test_what_cannot_be_run_is_left_out_and_said() -> None:
    hooks = Hooks(Stop=(HookGroup(hooks=(HookCommand(type="prompt"), HookCommand(), HookCommand(command="true"))),))
    table = read_table(hooks)
    assert [hook.words for hook in table.matching("Stop")] == [("true",)]
    assert table.problems == (
        "hooks.Stop[0].hooks[0] is left out: hooks of type prompt are not run here.",
        "hooks.Stop[0].hooks[1] is left out: it has no command.",
    )


def test_every_event_is_a_key_of_the_configuration() -> None:
    assert set(EVENTS) == set(Hooks.__annotations__)


def ran(stdout: str = "", *, event: Event = "PreToolUse", block: bool = False, **more: object) -> Ran:
    hook = Hook(event=event, number=1, words=("check",), blocks_on_failure=block)
    return msgspec.structs.replace(Ran(hook=hook, stdout=stdout), **more)


def special(**fields: object) -> str:
    return msgspec.json.encode({"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}).decode()


@pytest.mark.parametrize(
    ("one", "reply"),
    [
        (ran(), Reply()),
        (ran("all fine"), Reply()),
        (ran("{}"), Reply()),
        (ran("some words", event="SessionStart"), Reply(context=("some words",))),
        (ran("\x1b[31mred\x1b[0m", event="UserPromptSubmit"), Reply(context=("red",))),
        (ran(code=2, stderr="not this file"), Reply(decision="deny", reason="not this file")),
        (ran(code=2), Reply(decision="deny", reason="The PreToolUse hook `check` gave no reason.")),
        (ran(code=2, stdout=special(permissionDecision="allow"), stderr="no"), Reply(decision="deny", reason="no")),
        (ran(code=1, stderr="oops"), Reply(problems=("The PreToolUse hook `check` failed with exit code 1: oops",))),
        (ran(code=-9), Reply(problems=("The PreToolUse hook `check` failed with SIGKILL",))),
        (
            ran(code=1, block=True),
            Reply(decision="deny", reason="The PreToolUse hook `check` failed with exit code 1"),
        ),
        (
            ran(problem="It did not end", block=True),
            Reply(decision="deny", reason="The PreToolUse hook `check` failed. It did not end."),
        ),
        (ran('{"decision": "block", "reason": "because"}'), Reply(decision="deny", reason="because")),
        (ran('{"decision": "approve"}'), Reply(decision="allow")),
        (ran('{"decision": 5, "reason": [], "continue": "no", "systemMessage": {}}'), Reply()),
        (ran('{"decision": "perhaps"}'), Reply()),
        (ran('{"hookSpecificOutput": 5}'), Reply()),
        (ran('{"continue": false, "stopReason": "enough"}'), Reply(stop=True, reason="enough")),
        (ran('{"systemMessage": "look"}'), Reply(messages=("look",))),
        (
            ran(special(permissionDecision="deny", permissionDecisionReason="why", additionalContext="more")),
            Reply(decision="deny", reason="why", context=("more",)),
        ),
        (
            ran(special(permissionDecision="ask", updatedInput={"command": "ls"})),
            Reply(decision="ask", input={"command": "ls"}),
        ),
        (ran(special(updatedInput="ls")), Reply()),
        (
            ran('{"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "allow"}}'),
            Reply(problems=("The PreToolUse hook `check` answered for Stop, which does not count.",)),
        ),
        (
            ran('{"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "m", "interrupt": true}}}'),
            Reply(decision="deny", reason="m", stop=True),
        ),
        (
            ran("{rubbish"),
            Reply(
                problems=(
                    (
                        "The PreToolUse hook `check` answered with something that is not JSON: "
                        "JSON is malformed: object keys must be strings (byte 1)"
                    ),
                )
            ),
        ),
    ],
)
def test_what_an_answer_means(one: Ran, reply: Reply) -> None:
    assert reply_of(one) == reply


def test_no_wins_over_ask_over_yes_and_the_last_change_counts() -> None:
    allow = Reply(decision="allow", reason="fine", input={"a": 1}, context=("one",))
    ask = Reply(decision="ask", reason="look first", input={"a": 2}, messages=("hm",))
    deny = Reply(decision="deny", reason="no", context=("two",), stop=True)
    assert together([]) == Reply()
    assert together([allow, Reply(), ask]) == Reply(
        decision="ask", reason="look first", input={"a": 2}, context=("one",), messages=("hm",)
    )
    assert together([deny, allow, msgspec.structs.replace(deny, reason="never")]) == Reply(
        decision="deny", reason="no\nnever", input={"a": 1}, context=("two", "one", "two"), stop=True
    )


def test_what_is_too_long_for_a_model_is_cut() -> None:
    (context,) = reply_of(ran("x" * (LONGEST + 1_234), event="SessionStart")).context
    assert context == "x" * LONGEST + "… (1,234 more characters)"
