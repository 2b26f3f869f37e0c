"""The `recall` tool: any message back in full, by its number."""

from pathlib import Path
from typing import Any

import pytest

from ferrule.core.errors import ArgumentError, ToolError
from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolCall, ToolResult, User, said
from ferrule.core.tool import Output, ToolContext
from ferrule.tools.recall import Recall

PICTURE = Image(media_type="image/png", data="aGk=")
TALK: list[Message] = [
    said("Mend it."),
    Assistant(
        content=(
            Thinking(text="Hm."),
            Text("I look."),
            ToolCall(id="a", name="read", input={"file_path": "x.py"}),
            ToolCall(id="b", name="bash", input={}, malformed='{"command'),
        ),
        model="m",
        stop="tool_use",
    ),
    ToolResult(call_id="a", tool="read", content=(Text("1\timport os"), PICTURE)),
    ToolResult(call_id="b", tool="bash", content=(Text("Not JSON."),), is_error=True),
    User(content=(Text("Go on."),), by="ferrule"),
]


async def recall(ids: Any, talk: list[Message] = TALK) -> Output:
    tool = Recall(lambda: talk)
    context: ToolContext[Any] = ToolContext(directory=Path.cwd(), host=None, report=lambda _: None)
    return await tool.run(tool.parse({"ids": ids}), context)


async def test_messages_come_back_word_for_word_under_their_numbers() -> None:
    assert await recall([2, 1, 4, 2, 5]) == Output(
        (
            Text(
                '#2 assistant:\n\nI look.\n\ncalls read {"file_path":"x.py"}\n\ncalls bash {"command\n\n'
                "#1 user:\n\nMend it.\n\n#4 result of bash (error):\n\nNot JSON.\n\n#5 note:\n\nGo on."
            ),
        )
    )  # fmt: skip


async def test_images_come_back_as_images() -> None:
    assert await recall([3]) == Output((Text("#3 result of read:\n\n1\timport os"), PICTURE))


@pytest.mark.parametrize("ids", ["#1", "1", 1, ["#1"], ["[#1]"], [1], "[#1]", ["1"]])
async def test_numbers_are_taken_as_they_are_written(ids: object) -> None:
    assert await recall(ids) == await recall([1])


async def test_several_numbers_may_stand_in_one_word() -> None:
    assert await recall("[#1, #3]") == await recall([1, 3])


@pytest.mark.parametrize(
    ("ids", "problem"),
    [
        ([9], "There is no message #9; there are #1 to #5."),
        ([1, 0, 77], "There is no message #0, #77; there are #1 to #5."),
        ([-3], "There is no message #-3; there are #1 to #5."),
    ],
)
async def test_numbers_that_there_are_not(ids: list[int], problem: str) -> None:
    with pytest.raises(ToolError) as caught:
        await recall(ids)
    assert str(caught.value) == problem


@pytest.mark.parametrize("ids", [[], ["x"], None, {"a": 1}, [None], [[1]]])
async def test_what_is_no_number_is_refused_in_words(ids: object) -> None:
    with pytest.raises(ArgumentError, match="recall: "):
        await recall(ids)


def test_it_touches_nothing_and_costs_little() -> None:
    tool = Recall(list)
    assert tool.effects(tool.parse({"ids": [1]})) == ()
    assert len(tool.spec.description.split()) <= 40


async def test_what_was_said_since_can_be_recalled() -> None:
    talk = [said("One.")]
    tool = Recall(lambda: talk)
    talk.append(said("Two."))
    context: ToolContext[Any] = ToolContext(directory=Path.cwd(), host=None, report=lambda _: None)
    assert await tool.run(tool.parse({"ids": ["#2"]}), context) == Output((Text("#2 user:\n\nTwo."),))
