"""Commands about what was done to the files."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from ferrule.core.model import Delta, Finish, Request
from ferrule.llm.script import Step, calling
from tests.commands.conftest import Front


def writing(name: str, content: str) -> list[Step]:
    return [calling("write", file_path=name, content=content), "Done."]


async def test_steps_are_undone_and_made_again(front: Front) -> None:
    await front.begin([*writing("a.txt", "one\n"), *writing("b.txt", "two ```\n")])
    await front.session.prompt("first")
    await front.session.prompt("second")
    shown = (await front.say("/diff")).text
    assert shown.startswith("````diff\ndiff --git a/a.txt b/a.txt")
    assert "+two ```" in shown
    assert shown.endswith("\n````")
    assert (await front.say("/undo 2")).text == "Undid steps 2, 1.\n\n- deleted `b.txt`\n- deleted `a.txt`"
    assert (await front.say("/diff")).text == "This session changed nothing that still stands."
    assert (await front.say("/redo")).text == "Redid step 1.\n\n- added `a.txt`"
    assert files(front.project) == {"a.txt": "one\n"}


async def test_what_was_changed_is_shown_while_the_run_goes_on(front: Front) -> None:
    asked, gone_on = asyncio.Event(), asyncio.Event()

    async def slow(_request: Request) -> AsyncIterator[Delta | Finish]:
        asked.set()
        await gone_on.wait()
        yield Delta(kind="text", text="Done.")
        yield Finish(stop="end_turn")

    await front.begin([calling("write", file_path="a.txt", content="one\n"), slow])
    run = asyncio.create_task(front.session.prompt("first"))
    await asyncio.wait_for(asked.wait(), 20)
    assert "+one" in (await front.say("/diff")).text
    gone_on.set()
    assert (await run).reason == "end_turn"
    assert (await front.say("/undo")).text == "Undid step 1.\n\n- deleted `a.txt`"


async def test_what_someone_else_changed_is_a_conflict(front: Front) -> None:
    await front.begin([*writing("a.txt", "one\n")])
    await front.session.prompt("first")
    (front.project / "a.txt").write_text("mine\n")
    text = (await front.say("/undo")).text
    assert text.startswith("Undid step 1.\n\n- **conflict** `a.txt`: ")
    assert files(front.project) == {"a.txt": "mine\n"}


async def test_going_back_to_a_message(front: Front) -> None:
    await front.begin([*writing("a.txt", "one\n"), *writing("b.txt", "two\n")])
    await front.session.prompt("first *request*")
    await front.session.prompt("second request")
    listing = (await front.say("/rewind")).text
    assert "|   1 | first \\*request\\* |" in listing
    assert "|   5 | second request    |" in listing
    preview = await front.say("/rewind 5 --preview")
    assert preview.text == (
        "Would undo step 2.\n\n- deleted `b.txt`\n\n"
        "The conversation would go on after message 4.\n\nNothing has changed."
    )
    assert preview.draft == ""
    assert len(front.session.history.messages) == 8
    back = await front.say("/rewind 5")
    assert back.text == "Undid step 2.\n\n- deleted `b.txt`\n\nThe conversation goes on after message 4."
    assert back.draft == "second request"
    assert len(front.session.history.messages) == 4
    assert files(front.project) == {"a.txt": "one\n"}


async def test_going_back_in_the_files_or_the_conversation_alone(front: Front) -> None:
    await front.begin([*writing("a.txt", "one\n"), *writing("b.txt", "two\n")])
    await front.session.prompt("first")
    await front.session.prompt("second")
    files_alone = await front.say("/rewind 5 --files")
    assert (files_alone.text, files_alone.draft) == ("Undid step 2.\n\n- deleted `b.txt`", "")
    assert len(front.session.history.messages) == 8
    chat_alone = await front.say("/rewind --chat 1")
    assert (chat_alone.text, chat_alone.draft) == ("The conversation goes back to its beginning.", "first")
    assert files(front.project) == {"a.txt": "one\n"}
    assert await front.refused("/rewind 1") == "There is no message."


async def test_an_answer_can_be_gone_back_to_as_well(front: Front) -> None:
    await front.begin([*writing("a.txt", "one\n"), "Two."])
    await front.session.prompt("first")
    await front.session.prompt("second")
    back = await front.say("/rewind 4")
    assert back.text == "The files stay as they are.\n\nThe conversation goes on after message 4."
    assert back.draft == ""


async def test_without_records_there_is_no_way_back(front: Front) -> None:
    await front.begin(["One."], save=False)
    await front.session.prompt("first")
    words = "Changes are not recorded in this session (session.checkpoints, session.auto_save)."
    for line in ("/undo", "/redo", "/diff", "/rewind 1"):
        assert await front.refused(line) == words


def files(project: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in project.iterdir()}
