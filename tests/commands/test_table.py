"""The table: every command runs, typing errors are met with help, own commands join it, completion knows it all."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import get_args

import pytest

from ferrule.commands.desk import Completion, Reply
from ferrule.commands.models import MODES
from ferrule.commands.table import COMMANDS, complete, dispatch, reference
from ferrule.config.projects import revoke
from ferrule.config.schema import Mode
from ferrule.config.trust import fingerprint, trust
from ferrule.core.model import Finish, Request
from ferrule.llm.script import calling
from tests.commands.conftest import Front
from tests.support import until

EVERY_LINE = {
    "help": "/help",
    "tools": "/tools",
    "model": "/model",
    "provider": "/provider current",
    "mode": "/mode",
    "cost": "/cost",
    "context": "/context",
    "config": "/config",
    "clear": "/clear",
    "compact": "/compact --dry-run",
    "continue": "/continue",
    "undo": "/undo",
    "redo": "/redo",
    "rewind": "/rewind",
    "diff": "/diff",
    "sessions": "/sessions",
    "load": "/load other",
    "resume": "/resume other",
    "save": "/save a name",
    "session": "/session",
    "export": "/export",
    "jobs": "/jobs",
    "init": "/init",
    "permissions": "/permissions",
    "reload-tools": "/reload-tools",
    "hooks": "/hooks",
    "pin": "/pin 1",
    "trust": "/trust",
    "quit": "/quit",
    "exit": "/exit",
}


async def test_every_command_of_the_table_runs(front: Front) -> None:
    assert set(EVERY_LINE) == {command.name for command in COMMANDS}
    await front.begin(["Other."])
    await front.session.prompt("another conversation")
    await front.say("/save other")
    await front.begin([calling("write", file_path="a.txt", content="one\n"), "Done."])
    await front.session.prompt("write a file")
    last = ("clear", "load", "resume", "quit", "exit")
    for name in [*(one for one in EVERY_LINE if one not in last), *last]:
        if name == "load":
            assert front.session.history.messages == []
        reply = await front.say(EVERY_LINE[name])
        assert reply.text or reply.prompt or name in {"quit", "exit"}
    assert front.did == ["clear", "quit", "quit"]
    assert len(front.session.history.messages) == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/hlep", "There is no command /hlep; there is /help."),
        ("/sess", "There is no command /sess; there is /sessions and /session."),
        ("/comapct all", "There is no command /comapct; there is /compact."),
        ("/qqqqq", "There is no command /qqqqq; /help lists them."),
        ("/tools now", "It takes no words, and was given 'now'."),
        ("/undo 0", "'0' is no number; 1 is the least."),
        ("/undo ²", "'²' is no number; 1 is the least."),
        ("/undo 99999999999999", "'99999999999999' is no number; 1 is the least."),
        ("/undo 3", "There is no step to undo."),
        ("/continue", "There is nothing to go on with yet."),
        ("/load", "Which one? /load NUMBER or /load NAME; /sessions lists them."),
        ("/export", "There is nothing to write yet."),
        ("/export x.pdf", "It can be written as md, json: /export md|json FILE."),
        ("/rewind 1 --fils", "There is no option --fils; there are --files, --chat, --preview."),
        ("/rewind 4", "There is no message."),
        ("/compact --dry", "There is no option --dry; there is --dry-run."),
        ("/help nosuch", "There is no command /nosuch; /help lists them."),
        ("/jobs 3", "There are no jobs."),
        ("/jobs stop", "There are no jobs."),
        ("/jobs all", "'all' is no number; 1 is the least."),
    ],
)
async def test_what_cannot_be_is_said_in_words(front: Front, line: str, words: str) -> None:
    await front.begin()
    assert await front.refused(line) == words


@pytest.mark.parametrize("line", ["hello", "/usr/bin/env is missing", "// comment", "/", "/ help", "1/2", "", "/2"])
async def test_a_line_that_is_no_command_is_a_request(front: Front, line: str) -> None:
    await front.begin()
    assert await dispatch(front.desk, line) is None


async def test_names_are_taken_in_any_letters_and_words_over_several_lines(front: Front) -> None:
    await front.begin(["One."])
    await front.session.prompt("go")
    assert (await front.say("  /HELP  undo ")).text == "`/undo [N]`: take back the last change, or the last N."
    assert await front.say("/continue but\nshorter") == Reply(prompt="but\nshorter")


async def test_what_needs_rest_waits_for_the_end_of_a_run(front: Front) -> None:
    gone_on = asyncio.Event()

    async def slow(_request: Request) -> AsyncIterator[Finish]:
        await gone_on.wait()
        yield Finish(stop="end_turn")

    await front.begin([slow])
    run = asyncio.create_task(front.session.prompt("go"))
    await until(lambda: front.session.is_running)
    assert await front.refused("/clear") == ("/clear has to wait until the run has ended; Esc interrupts it.")
    assert (await front.say("/diff")).text == "This session changed nothing that still stands."
    assert (await front.say("/model")).text.startswith("The model is ")
    assert (await front.say("/compact --dry-run")).text == "There is nothing to make shorter yet."
    assert "go" in (await front.say("/rewind")).text
    assert "has to wait" in await front.refused("/rewind 1")
    assert (await front.say("/mode plan")).text.startswith("The mode is `plan` now")
    assert "was spent" in (await front.say("/cost")).text
    assert await front.refused("/continue") == "It is still at work."
    front.session.interrupt()
    await run


async def test_completion_of_names_and_words(front: Front) -> None:
    await front.begin()
    desk = front.desk
    assert complete(desk, "/con") == [
        Completion(text="/context", note="say what fills the model's window"),
        Completion(text="/config", note="show the configuration, or set a key"),
        Completion(text="/continue", note="go on where the last run stopped"),
    ]
    assert len(complete(desk, "/")) == len(COMMANDS)

    def words(line: str) -> list[str]:
        return [one.text for one in complete(desk, line)]

    assert words("/mode a") == ["auto-edit", "auto"]
    assert words("/config safety.m") == ["safety.mode"]
    assert words("/config safety.mode ") == ["plan", "normal", "auto-edit", "auto", "yolo"]
    assert words("/config session.auto_save ") == ["true", "false"]
    assert words("/config llm.effort n") == ["none", "null"]
    assert words("/config agent.max_turns ") == ["100"]
    assert words("/config nosuch.key ") == []
    assert words("/provider anth") == ["anthropic"]
    assert words("/provider anthropic cl") == ["claude-sonnet-5-5"]
    assert words("/compact --") == ["--dry-run"]
    assert words("/export j") == ["json"]
    assert words("/permissions e") == ["explain"]
    assert words("/trust --r") == ["--revoke"]
    assert words("/help und") == ["undo"]
    assert words("/nosuch x") == []
    assert words("/undo ") == []


async def test_completion_of_what_was_said_and_kept(front: Front) -> None:
    await front.begin(["One.", "Two."])
    await front.session.prompt("first")
    await front.session.prompt("second")
    await front.say("/save my-name")
    desk = front.desk
    assert [one.text for one in complete(desk, "/rewind ")] == ["3", "1", "--files", "--chat", "--preview"]
    assert [one.text for one in complete(desk, "/load ")] == ["my-name", "1"]


async def test_completion_lives_with_a_broken_configuration(front: Front) -> None:
    await front.begin()
    (front.project / ".ferrule.json").write_text("{broken")
    for command in COMMANDS:
        assert isinstance(complete(front.desk, f"/{command.name} "), list)
    assert f"{front.project}/.ferrule.json:1" in await front.refused("/config")


def test_the_reference_tells_of_every_command() -> None:
    lines = reference().splitlines()
    assert len(lines) == len(COMMANDS) + 2
    assert "| `/undo [N]`" in reference()
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines)


def test_all_modes_are_explained() -> None:
    assert tuple(MODES) == get_args(Mode)


def own(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


async def test_commands_of_the_users_own(front: Front, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".config" / "ferrule" / "commands"
    own(
        folder,
        "fix.md",
        "---\ndescription: fix an issue\nargument-hint: NUMBER\n---\nFix issue $1 ($ARGUMENTS); not $2.\n",
    )
    own(folder, "plain.md", "# Tidy up\n\nTidy up.\n")
    own(folder, "help.md", "Never seen.")
    own(folder, "empty.md", "")
    own(folder, "no name.md", "x")
    (folder / "link.md").symlink_to("/etc/hostname-that-is-not-there")
    (folder / "folder.md").mkdir()
    await front.begin()
    assert await front.say("/fix 12 $1") == Reply(prompt="Fix issue 12 (12 $1); not $1.")
    assert await front.say('/fix "a b"') == Reply(prompt='Fix issue a b ("a b"); not .')
    assert await front.say("/fix don't") == Reply(prompt="Fix issue don't (don't); not .")
    assert await front.say("/plain") == Reply(prompt="# Tidy up\n\nTidy up.")
    assert await front.say("/plain in src") == Reply(prompt="# Tidy up\n\nTidy up.\n\nin src")
    assert await front.refused("/empty") == "The file of /empty says nothing."
    assert "| `/fix NUMBER`" in (await front.say("/help")).text
    assert "Never seen" not in (await front.say("/help")).text
    assert complete(front.desk, "/pl") == [Completion(text="/plain", note="Tidy up")]
    assert await front.refused("/fixx") == "There is no command /fixx; there is /fix."


async def test_a_projects_commands_count_once_it_is_trusted(front: Front, tmp_path: Path) -> None:
    theirs = front.project / ".ferrule" / "commands"
    own(theirs, "deploy.md", "Deploy it.")
    own(theirs, "mine.md", "Theirs.")
    (tmp_path / "secret.md").write_text("secret")
    (theirs / "steal.md").symlink_to(tmp_path / "secret.md")
    own(tmp_path / "home" / ".config" / "ferrule" / "commands", "mine.md", "Mine.")
    await front.begin()
    assert "There is no command /deploy" in await front.refused("/deploy")
    trust(front.project, fingerprint(front.project))
    assert await front.say("/deploy") == Reply(prompt="Deploy it.")
    assert await front.say("/mine") == Reply(prompt="Mine.")
    assert "There is no command /steal" in await front.refused("/steal")
    (theirs / "deploy.md").write_text("Something else.")
    assert "There is no command /deploy" in await front.refused("/deploy")
    revoke(front.project)
    await front.begin(trust=True)
    assert await front.say("/deploy") == Reply(prompt="Something else.")
