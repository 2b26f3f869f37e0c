"""Commands about sessions: listed, loaded, named, described, written elsewhere."""

import json

import msgspec

from ferrule.commands import desk
from ferrule.commands.table import dispatch
from ferrule.core.messages import Usage
from ferrule.llm.script import Reply, Scripted
from tests.commands.conftest import Front


async def test_sessions_are_named_listed_and_loaded(front: Front) -> None:
    first = await front.begin(["One."])
    await first.prompt("the | first")
    assert (await front.say("/save the first one")).text == "The session is called the first one now."
    second = await front.begin(["Two."])
    await second.prompt("the second")
    listed = (await front.say("/sessions")).text.splitlines()
    assert [line.split("|")[1:3] for line in listed[2:4]] == [["   1 ", " →   "], ["   2 ", "     "]]
    assert "the first one" in listed[3]
    assert "the \\| first" in listed[3]
    assert (await front.say("/load 1")).text == "This is the session that is open."
    await front.say("/mode plan")
    said = (await front.say("/load the first one")).text
    assert said.endswith(": 2 messages. The mode is still `plan`.")
    assert front.session.mode == "plan"
    assert front.session.id == first.id
    assert (await front.refused("/load nosuch")).startswith("There is no session nosuch.")
    assert front.session.id == first.id


async def test_a_session_that_is_open_elsewhere_stays_there(front: Front) -> None:
    first = await front.begin(["One."])
    await first.prompt("first")
    other = Front(front.project)
    try:
        second = await other.begin(["Two."])
        await second.prompt("second")
        assert "is open in another Ferrule" in await front.refused(f"/load {second.id}")
        assert front.session is first
    finally:
        await other.close()


async def test_the_facts_of_a_session(front: Front) -> None:
    session = await front.begin([Reply(text="One.", usage=Usage(input=5), cost=0.5)])
    before = (await front.say("/session")).text
    assert f"- id: `{session.id}`" in before
    assert "- file: nothing is kept of it yet" in before
    await session.prompt("hello")
    await front.say("/save it")
    after = (await front.say("/session")).text.splitlines()
    assert {"- name: it", "- messages: 2", "- turns: 1", "- cost: $0.5000", "- mode: `auto-edit`"} <= set(after)
    assert any(line.startswith("- file: `/") and line.endswith(f"{session.id}.jsonl`") for line in after)


async def test_names_that_cannot_be(front: Front) -> None:
    await front.begin(["One."])
    await front.session.prompt("hello")
    assert "would be taken for a number" in await front.refused("/save 12")
    assert (await front.refused("/save")).startswith("Under which name?")
    reply = await dispatch(msgspec.structs.replace(front.desk, rename=None), "/save it")
    assert reply == desk.Reply(
        text="This session is not kept, so it can have no name (session.auto_save).", is_error=True
    )


async def test_a_session_is_written_to_a_file(front: Front) -> None:
    session = await front.begin(["One."])
    await session.prompt("hello")
    await front.say("/export")
    page = front.project / f"session-{session.id[:13]}.md"
    assert "hello" in page.read_text()
    assert await front.refused("/export") == f"{page} is there already; name another file."
    await front.say("/export my notes.json")
    assert json.loads((front.project / "my notes.json").read_text())["session"]["id"] == session.id
    await front.say("/export json ~/here.txt")
    assert json.loads((front.project.parent / "home" / "here.txt").read_text())["name"] == ""
    assert "cannot be written" in await front.refused("/export md no/such/place.md")
    assert "cannot be written" in await front.refused("/export md a\0b.md")
    (front.project / "link.md").symlink_to("/nowhere")
    assert "is there already" in await front.refused("/export link.md")


async def test_a_session_that_is_not_kept_can_be_written_all_the_same(front: Front) -> None:
    await front.begin(model=Scripted(["One."]), save=False)
    await front.session.prompt("hello")
    await front.say("/export json x.json")
    said = json.loads((front.project / "x.json").read_text())["messages"]
    assert [one["role"] for one in said] == ["user", "assistant"]
    assert (await front.say("/sessions")).text == "There are no sessions of this directory yet."
