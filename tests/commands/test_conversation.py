"""Commands about the conversation: begun anew, made shorter, pinned, gone on with."""

import msgspec

from ferrule.commands.conversation import WRITE_INSTRUCTIONS
from ferrule.core.messages import text_of
from ferrule.llm.script import Scripted
from tests.commands.conftest import Front

HEADINGS = ("Decisions", "Files touched", "State", "Next steps")
NOTES = "## Goal\nTo say numbers. [#1]\n" + "".join(f"## {heading}\nNone.\n" for heading in HEADINGS)


async def test_a_new_conversation_keeps_the_model_and_the_mode(front: Front) -> None:
    (front.project / "other.jsonl").write_text('{"text": "I am another."}\n' * 3)
    first = await front.begin(["One."])
    await first.prompt("hello")
    await front.say("/provider replay other.jsonl")
    await front.say("/mode plan")
    reply = await front.say("/clear")
    assert reply.text == f"A new conversation. `/load {first.id[:13]}` goes back to the one before."
    assert (front.session.model, front.session.mode) == ("replay/other.jsonl", "plan")
    assert front.session.id != first.id
    assert front.session.history.messages == []
    assert front.did == ["clear"]
    await front.session.prompt("and you?")
    front.options = msgspec.structs.replace(front.options, model=Scripted(["Two."]))
    await front.say(f"/load {first.id[:13]}")
    await front.session.prompt("again")
    assert [text_of(one.content) for one in front.session.history.messages] == ["hello", "One.", "again", "Two."]


async def test_room_is_made_by_hand(front: Front) -> None:
    answers = [f"Answer {number} " + "so many words " * 900 for number in range(6)]
    model = Scripted([*answers, NOTES, "After."])
    await front.begin(model=model)
    assert (await front.say("/compact")).text == "There is nothing to make shorter yet."
    assert (await front.say("/compact --dry-run")).text == "There is nothing to make shorter yet."
    for number in range(6):
        await front.session.prompt(f"Say {number}.")
    preview = (await front.say("/compact --dry-run")).text
    assert preview.startswith("Messages 1 to ")
    assert preview.endswith(" at most. Nothing has changed.")
    assert (await front.say("/pin 2")).text.startswith("Message 2 stays word for word: Answer 0 so many words")
    done = (await front.say("/compact the numbers")).text
    assert done.startswith("About ")
    asked = model.requests[-1]
    assert "the numbers" in "".join([asked.system, *(text_of(one.content) for one in asked.messages)])
    await front.session.prompt("Go on.")
    sent = "".join(text_of(one.content) for one in model.requests[-1].messages)
    assert "Answer 0" in sent
    assert "Answer 2" not in sent


async def test_messages_are_listed_for_pinning(front: Front) -> None:
    await front.begin(["One | *two*."])
    await front.session.prompt("hello `there`")
    listing = (await front.say("/pin")).text
    assert "|   1 | you   | hello \\`there\\` |" in listing
    assert "|   2 | model | One \\| \\*two\\*. |" in listing
    assert await front.refused("/pin 3") == "There is no message #3; there are #1 to #2."


async def test_a_project_gets_its_instructions_from_the_model(front: Front) -> None:
    await front.begin()
    prompt = WRITE_INSTRUCTIONS.format(existing="").rstrip()
    assert (await front.say("/init")).prompt == prompt
    assert (await front.say("/init in German")).prompt == f"{prompt}\n\nin German"
    (front.project / "AGENTS.md").write_text("Be kind.")
    assert "There is an AGENTS.md already" in (await front.say("/init")).prompt
