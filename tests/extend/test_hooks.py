"""Hooks around calls and runs, through the library's door: real programs, a real directory, a scripted model."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

import ferrule
from ferrule.config.schema import Hooks as Section
from ferrule.core.errors import ConfigError, FerruleError
from ferrule.core.events import PermissionAsked, PermissionDecided, RunEnded
from ferrule.core.permission import Answer
from ferrule.extend.hooks import Hooks
from ferrule.host.sandbox.none import Unconfined
from tests.extend.hooking import KEEP, Watched, deciding, group, payloads, saying
from tests.support import assert_sendable, know_the_sandbox, until

WRITE = ferrule.calling("write", file_path="a.txt", content="one\n")
TOUCH = ferrule.calling("bash", command="touch made")
BEHIND: dict[str, Any] = {"async": True}
NOTES = "## Goal\nTo talk. [#1]\n" + "".join(
    f"## {heading}\nNone.\n" for heading in ("Decisions", "Files touched", "State", "Next steps")
)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("DATA", "CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "home" / name.lower()))
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    know_the_sandbox(tmp_path / "home/state/ferrule")
    return tmp_path / "project"


async def test_a_hook_denies_a_call_and_the_model_reads_why(project: Path) -> None:
    hooks = {"PreToolUse": group(f"{KEEP}; echo 'a.txt is generated' >&2; exit 2", matcher="Edit|Write")}
    async with Watched(project, WRITE, ferrule.calling("ls"), "Done.", hooks=hooks, mode="auto-edit") as watched:
        assert (await watched.session.prompt("go")).reason == "end_turn"
        assert watched.results[0] == "A hook denied it: a.txt is generated"
        assert not (project / "a.txt").exists()
        (told,) = payloads(project / "told.jsonl")
        assert told == {
            "session_id": watched.session.id,
            "transcript_path": told["transcript_path"],
            "cwd": str(project),
            "permission_mode": "acceptEdits",
            "hook_event_name": "PreToolUse",
            "tool_name": "Write",
            "tool_input": {"file_path": str(project / "a.txt"), "content": "one\n"},
            "tool_use_id": told["tool_use_id"],
        }
        assert Path(told["transcript_path"]).is_file()


@pytest.mark.parametrize(
    ("options", "call", "denied"),
    [
        ({}, TOUCH, ""),
        ({"mode": "plan"}, TOUCH, "in mode plan nothing is changed"),
        ({"config": {"safety.deny": ["bash(touch *)"]}}, TOUCH, "the rule bash(touch *)"),
        ({"config": {"safety.ask": ["bash(touch *)"]}}, TOUCH, "the rule bash(touch *)"),
        ({}, ferrule.calling("bash", command="rm -rf /"), "Denied: "),
        ({}, ferrule.calling("write", file_path=".git/hooks/x", content=""), "it belongs to git"),
    ],
    ids=["mode asks", "plan", "deny rule", "ask rule", "catastrophe", "blocked path"],
)
async def test_leave_from_a_hook_answers_the_modes_question_and_lifts_no_prohibition(
    project: Path, options: dict[str, Any], call: Any, denied: str
) -> None:
    hooks = {"PreToolUse": group(deciding("allow", "it is harmless"))}
    async with Watched(project, call, "Done.", hooks=hooks, **options) as watched:
        await watched.session.prompt("go")
        (result,) = watched.results
        assert denied in result
        assert (project / "made").exists() == (not denied)
        decided = [event for event in watched.events if isinstance(event, PermissionDecided)]
        assert [event.allowed for event in decided] == [not denied]


async def test_a_hook_can_have_a_person_asked_where_nobody_would_be(project: Path) -> None:
    asked: list[PermissionAsked] = []

    async def person(question: PermissionAsked) -> Answer:
        asked.append(question)
        return Answer(verdict="once")

    hooks = {
        "PreToolUse": group(deciding("ask", "this one is dear")) + group(deciding("allow")),
        "Notification": group(KEEP, matcher="permission_prompt"),
    }
    async with Watched(project, WRITE, "Done.", hooks=hooks, mode="auto-edit", permission=person) as watched:
        await watched.session.prompt("go")
    assert [(one.reason, one.always, "+one" in one.preview) for one in asked] == [("this one is dear", (), True)]
    assert (project / "a.txt").read_text() == "one\n"
    (told,) = payloads(project / "told.jsonl")
    assert (told["notification_type"], told["message"]) == (
        "permission_prompt",
        "Ferrule needs your permission to use Write",
    )


async def test_changed_arguments_are_judged_anew_and_recorded(project: Path) -> None:
    elsewhere = {"file_path": "b.txt", "content": "two\n"}
    hooks = {"PreToolUse": group(deciding("allow", updatedInput=elsewhere), matcher="Write")}
    async with Watched(project, WRITE, "Done.", hooks=hooks, mode="auto-edit") as watched:
        await watched.session.prompt("go")
        assert watched.results == ["Created b.txt: 1 line, 4 bytes."]
        await watched.session.changes.undo()
    assert not (project / "b.txt").exists()
    hidden = {"file_path": "~/.ssh/id_rsa", "content": "x"}
    hooks = {"PreToolUse": group(deciding("allow", updatedInput=hidden), matcher="Write")}
    async with Watched(project, WRITE, "Done.", hooks=hooks, mode="yolo", config={"safety.sandbox": "off"}) as watched:
        await watched.session.prompt("go")
        assert watched.results[0].startswith("Denied: ")
    hooks = {"PreToolUse": group(deciding("allow", updatedInput={"path": 1}))}
    async with Watched(project, WRITE, "Done.", hooks=hooks) as watched:
        await watched.session.prompt("go")
        assert watched.results[0].startswith("A hook changed the arguments, and now they do not fit. ")


async def test_reading_that_becomes_writing_can_be_undone(project: Path) -> None:
    hooks = {"PreToolUse": group(deciding("allow", updatedInput={"command": "echo > made"}), matcher="Bash")}
    async with Watched(project, ferrule.calling("bash", command="ls"), "Done.", hooks=hooks) as watched:
        await watched.session.prompt("go")
        assert (project / "made").exists()
        await watched.session.changes.undo()
    assert not (project / "made").exists()


async def test_a_condition_is_a_rule_that_any_part_of_a_call_can_meet(project: Path) -> None:
    lines = ["ls", "cd . && /usr/bin/git push origin", "echo $(git push)", "git status"]
    calls = [ferrule.calling("bash", command=line) for line in lines]
    stop = "echo 'not on a Friday' >&2; exit 2"
    hooks = {"PreToolUse": group(stop, **{"if": "Bash(git push *)"})}
    async with Watched(project, *calls, "Done.", hooks=hooks) as watched:
        await watched.session.prompt("go")
        assert ["Friday" in result for result in watched.results] == [False, True, True, False]


async def test_a_question_is_answered_by_a_hook_where_nobody_sits(project: Path) -> None:
    def answer(**decision: Any) -> dict[str, Any]:
        return {"PermissionRequest": group(saying(hookSpecificOutput={"decision": decision}))}

    async with Watched(project, WRITE, "Done.", hooks=answer(behavior="allow")) as watched:
        await watched.session.prompt("go")
        assert (project / "a.txt").exists()
    again = ferrule.calling("write", file_path="c.txt", content="")
    async with Watched(project, again, "Done.", hooks=answer(behavior="deny", message="later")) as watched:
        await watched.session.prompt("go")
        assert watched.results == ["The user said no. They say: later"]


async def test_a_formatter_runs_after_an_edit_and_the_model_sees_what_it_did(project: Path) -> None:
    edit = ferrule.calling("edit", file_path="a.txt", old_string="ONE", new_string="TWO")
    hooks = {"PostToolUse": group("tr a-z A-Z < a.txt > b && mv b a.txt", matcher="Write|Edit")}
    async with Watched(project, WRITE, edit, "Done.", hooks=hooks, mode="auto-edit") as watched:
        await watched.session.prompt("go")
        assert watched.results[0] == (
            f"Created a.txt: 1 line, 4 bytes.\n\nAfter that a hook changed {project}/a.txt:\n@@ -1 +1 @@\n-one\n+ONE"
        )
        assert watched.results[1].startswith("Edited a.txt.")
        assert (project / "a.txt").read_text() == "TWO\n"
        await watched.session.changes.undo(2)
    assert not (project / "a.txt").exists()


async def test_what_follows_a_call_adds_to_its_result(project: Path) -> None:
    added = saying(hookSpecificOutput={"hookEventName": "PostToolUse", "additionalContext": "mind the gap"})
    hooks = {
        "PreToolUse": group(deciding("allow", additionalContext="said before"), matcher="ls"),
        "PostToolUse": group(f"{KEEP}; {added}") + group(saying(decision="block", reason="look again")),
        "PostToolUseFailure": group(f"{KEEP}; echo 'wrong path?' >&2; exit 2"),
    }
    lost = ferrule.calling("read", file_path="lost.txt")
    async with Watched(project, ferrule.calling("ls"), lost, "Done.", hooks=hooks) as watched:
        await watched.session.prompt("go")
        listing, missing = watched.results
        assert listing.endswith(
            "\n\nA hook says:\nsaid before\n\nA hook says:\nlook again\n\nA hook says:\nmind the gap"
        )
        assert missing.endswith("\n\nA hook says:\nwrong path?")
        assert_sendable(watched.session.history.messages)
    after, failed = payloads(project / "told.jsonl")
    assert (after["tool_name"], after["tool_response"]["is_error"]) == ("LS", False)
    assert (failed["tool_name"], failed["error"]) == ("Read", missing.partition("\n\n")[0])


async def test_a_hook_ends_the_run_before_or_after_a_call(project: Path) -> None:
    enough = saying(**{"continue": False, "stopReason": "that is enough"})
    for event, result in (("PreToolUse", "A hook stopped the run: that is enough"), ("PostToolUse", "Created a.txt")):
        hooks = {event: group(enough)}
        async with Watched(project, WRITE, "never asked", hooks=hooks, mode="auto-edit") as watched:
            ended = await watched.session.prompt("go")
            assert (ended.reason, ended.turns) == ("aborted", 1)
            assert watched.results[0].startswith(result)
            assert event == "PreToolUse" or watched.notices == ["A hook stopped the run: that is enough"]


async def test_a_request_is_refused_or_added_to(project: Path) -> None:
    refuse = 'if grep -q secret; then echo "no secrets" >&2; exit 2; fi; echo "it is Friday"'
    hooks = {"UserPromptSubmit": group(refuse)}
    async with Watched(project, "One.", "Two.", "Three.", hooks=hooks) as watched:
        ended = await watched.session.prompt("the secret is 42")
        assert (ended.reason, ended.error) == ("error", "A hook refused the request: no secrets")
        assert watched.said == []
        await watched.session.prompt("hello")
        assert watched.said == ["hello", "A hook says:\nit is Friday", "One."]
        assert [getattr(one, "by", "") for one in watched.session.history.messages] == ["person", "ferrule", ""]
        async with watched.session.watch("hello again") as events:
            assert [event async for event in events][-1] == RunEnded(reason="end_turn", turns=1)
        assert watched.said[3:] == ["hello again", "A hook says:\nit is Friday", "Two."]
        async with watched.session.watch("a secret") as events:
            assert (await events).error == "A hook refused the request: no secrets"


async def test_what_is_said_during_a_run_is_shown_to_hooks_as_well(project: Path) -> None:
    def steering(_request: Any) -> ferrule.Reply:
        watched.session.steer("a secret")
        watched.session.steer("and be quick")
        return ferrule.Reply(text="Thinking.")

    hooks = {"UserPromptSubmit": group("if grep -q secret; then echo no >&2; exit 2; fi")}
    async with Watched(project, steering, "Done.", hooks=hooks) as watched:
        await watched.session.prompt("go")
        assert watched.said == ["go", "Thinking.", "and be quick", "Done."]
        assert watched.notices == ["A hook refused the request: no"]


async def test_what_is_said_while_a_stop_hook_runs_is_taken_up(project: Path) -> None:
    hooks = {"Stop": group("touch asked; until [ -e go ]; do sleep 0.01; done")}
    async with Watched(project, "Done.", "Now too.", hooks=hooks) as watched:
        async with watched.session.watch("go") as events:
            await until((project / "asked").exists)
            watched.session.steer("and this")
            (project / "go").touch()
            assert (await events).reason == "end_turn"
        assert watched.said == ["go", "Done.", "and this", "Now too."]


async def test_a_session_is_told_of_from_its_beginning_to_its_end(project: Path) -> None:
    hooks = {
        "SessionStart": group(f"{KEEP}; echo 'the build is red'"),
        "SessionEnd": group(KEEP),
        "Stop": group(f"{KEEP}; echo ignored", once=True),
    }
    async with Watched(project, "One.", "Two.", hooks=hooks) as watched:
        await watched.session.prompt("hello")
        await watched.session.prompt("again")
        assert watched.said == ["A hook says:\nthe build is red", "hello", "One.", "again", "Two."]
        first = watched.session.id
    async with Watched(project, "Three.", hooks=hooks, resume=first) as watched:
        await watched.session.prompt("and again")
    told = payloads(project / "told.jsonl")
    assert {one["session_id"] for one in told} == {first}
    assert [(one["hook_event_name"], one.get("source", one.get("reason"))) for one in told] == [
        ("SessionStart", "startup"),
        ("Stop", None),
        ("SessionEnd", "other"),
        ("SessionStart", "resume"),
        ("Stop", None),
        ("SessionEnd", "other"),
    ]


async def test_nothing_of_hooks_is_left_behind(project: Path, tmp_path: Path) -> None:
    hooks = {"SessionStart": group("true")}
    async with Watched(project, "One.", hooks=hooks) as watched:
        await watched.session.prompt("hello")
    assert not [*tmp_path.rglob("*.outputs")]


async def test_the_model_is_sent_back_until_it_is_done_but_not_for_ever(project: Path) -> None:
    check = f"{KEEP}; [ -e a.txt ] || {{ echo 'a.txt is missing' >&2; exit 2; }}"
    async with Watched(project, "Done.", WRITE, "Now.", hooks={"Stop": group(check)}, mode="auto-edit") as watched:
        assert (await watched.session.prompt("go")).reason == "end_turn"
        assert watched.said[:3] == ["go", "Done.", "It is not done yet. A Stop hook says:\na.txt is missing"]
        assert watched.said[-1] == "Now."
    told = payloads(project / "told.jsonl")
    assert [(one["stop_hook_active"], one["last_assistant_message"]) for one in told] == [
        (False, "Done."),
        (True, "Now."),
    ]
    never = {"Stop": group("echo never >&2; exit 2")}
    async with Watched(project, *(["Done."] * 9), hooks=never) as watched:
        ended = await watched.session.prompt("go")
        assert (ended.reason, ended.turns) == ("end_turn", 6)
        assert watched.notices == ["Stop hooks sent the model back 5 times; the run ends all the same."]


async def test_hooks_in_the_background_hold_nothing_up_and_speak_later(project: Path) -> None:
    said = 'until [ -e go ]; do sleep 0.01; done; echo "the tests pass"; touch done'
    hooks = {"UserPromptSubmit": group(said, once=True, **BEHIND)}
    async with Watched(project, "One.", "Two.", hooks=hooks) as watched:
        await watched.session.prompt("hello")
        (project / "go").touch()
        await until(lambda: (project / "done").exists() and not watched.session._hooks._behind)  # type: ignore[union-attr]
        await watched.session.prompt("again")
        assert watched.said == ["hello", "One.", "A hook says:\nthe tests pass", "again", "Two."]


async def test_a_hook_forbids_to_sum_up_by_hand(project: Path) -> None:
    hooks = {"PreCompact": group(f"{KEEP}; echo 'not now' >&2; exit 2", matcher="manual")}
    async with Watched(project, *["Well."] * 4, hooks=hooks) as watched:
        for request in ("one", "two", "three", "four"):
            await watched.session.prompt(request)
        with pytest.raises(FerruleError, match="A hook does not want the conversation summed up: not now"):
            await watched.session.compact("the tests")
    (told,) = payloads(project / "told.jsonl")
    assert (told["trigger"], told["custom_instructions"]) == ("manual", "the tests")


async def test_after_summing_up_the_model_is_told_again_what_it_must_know(project: Path) -> None:
    hooks = {"SessionStart": group(f"{KEEP}; echo 'mind the tests'; touch done", matcher="compact")}
    async with Watched(project, *["Well."] * 4, NOTES, "Yes.", hooks=hooks) as watched:
        for request in ("one", "two", "three", "four"):
            await watched.session.prompt(request)
        assert await watched.session.compact() is not None
        await until(lambda: (project / "done").exists() and not watched.session._hooks._behind)  # type: ignore[union-attr]
        await watched.session.prompt("five")
        assert watched.said[-3:] == ["A hook says:\nmind the tests", "five", "Yes."]


async def test_a_session_that_waits_for_long_says_so_once(project: Path, tmp_path: Path) -> None:
    section = msgspec.convert({"Notification": group(f"{KEEP}; touch done", matcher="idle_prompt")}, Section)
    hooks = Hooks(
        section,
        directory=project,
        private=tmp_path / "outputs" / "hooks",
        session="s",
        transcript=None,
        source="startup",
        mode=lambda: "plan",
        cwd=lambda: project,
        fits=lambda *_: True,
        sandbox=Unconfined,
        idle=0.01,
    )
    hooks.hear(RunEnded(reason="end_turn", turns=1))
    await until((project / "done").exists)
    await hooks.close("other")
    (told,) = payloads(project / "told.jsonl")
    assert told == {
        "session_id": "s",
        "transcript_path": "",
        "cwd": str(project),
        "permission_mode": "plan",
        "hook_event_name": "Notification",
        "title": "Ferrule",
        "message": "Ferrule is waiting for your input",
        "notification_type": "idle_prompt",
    }
    assert not (tmp_path / "outputs").exists()


async def test_an_interrupt_ends_a_hook_and_keeps_what_was_said(project: Path) -> None:
    hooks = {"UserPromptSubmit": group("touch begun; sleep 60", once=True)}
    async with Watched(project, "Both.", hooks=hooks) as watched:
        async with watched.session.watch("first") as events:
            await until((project / "begun").exists)
            watched.session.interrupt()
            assert (await events).reason == "interrupted"
        await watched.session.prompt("second")
        assert watched.said == ["first", "second", "Both."]


async def test_a_hook_can_be_confined_as_commands_are(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    line = f"touch inside; touch {outside}; echo $FERRULE_HOOK $FERRULE_SESSION_ID > told; cat >> told"
    async with Watched(project, "Done.", hooks={"Stop": group(line, confined=True)}) as watched:
        await watched.session.prompt("go")
        confined = watched.session.sandbox != "off"
    assert (project / "inside").exists()
    assert outside.exists() == (not confined)
    assert (project / "told").read_text().startswith(f"Stop {watched.session.id}\n{{")


async def test_a_mistyped_guard_is_an_error(project: Path) -> None:
    with pytest.raises(ConfigError, match="is no regular expression"):
        Watched(project, hooks={"PreToolUse": group("true", matcher="(")})
