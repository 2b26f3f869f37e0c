"""Commands about what it takes."""

import msgspec

from ferrule.core.messages import Usage
from ferrule.llm.script import Reply, calling
from tests.commands.conftest import Front

DEAR = Reply(text="One.", usage=Usage(input=1_000, output=50, cache_read=10), cost=1.5)
CHEAP = Reply(text="Two.", usage=Usage(input=20, output=5), cost=0.0002)


async def test_what_was_spent_by_model_and_by_turn(front: Front) -> None:
    call = msgspec.structs.replace(calling("ls", path="."), usage=Usage(input=100, output=10), cost=0.25)
    (front.project / "other.jsonl").write_text('{"text": "Three.", "usage": {"input": 7, "output": 3}}\n')
    await front.begin([call, DEAR, CHEAP])
    await front.session.prompt("first")
    await front.session.prompt("second")
    await front.say("/provider replay other.jsonl")
    await front.session.prompt("third")
    await front.say("/rewind 1 --chat")
    assert (await front.say("/cost")).text == (
        "$1.75 in 4 turns; of 1 the price is not known.\n\n"
        "| model                | turns | input | cached | output |  cost |\n"
        "| -------------------- | ----: | ----: | -----: | -----: | ----: |\n"
        "| `scripted`           |     3 | 1,120 |     10 |     65 | $1.75 |\n"
        "| `replay/other.jsonl` |     1 |     7 |      0 |      3 |     ? |\n\n"
        "| turn | input | cached | output |    cost | request |\n"
        "| ---: | ----: | -----: | -----: | ------: | ------- |\n"
        "|    1 |   100 |      0 |     10 | $0.2500 | first   |\n"
        "|    2 | 1,000 |     10 |     50 |   $1.50 | first   |\n"
        "|    3 |    20 |      0 |      5 | $0.0002 | second  |\n"
        "|    4 |     7 |      0 |      3 |       ? | third   |"
    )


async def test_what_was_spent_where_nothing_is_kept(front: Front) -> None:
    await front.begin([DEAR], save=False)
    assert (await front.say("/cost")).text == "Nothing was spent yet."
    await front.session.prompt("first")
    text = (await front.say("/cost")).text
    assert text.startswith("1 turn; what they cost is not known.")
    assert "|    1 | 1,000 |     10 |     50 |    ? | first   |" in text


async def test_only_the_last_turns_are_listed(front: Front) -> None:
    await front.begin([CHEAP] * 20)
    for number in range(20):
        await front.session.prompt(f"number {number}")
    text = (await front.say("/cost")).text
    assert text.startswith("$0.0040 in 20 turns.")
    assert "number 4 " not in text
    assert "number 5 " in text
    assert text.endswith("5 turns before these are not shown.")


async def test_what_fills_the_window(front: Front) -> None:
    await front.begin(["word " * 400], builtin_tools=False, system="x" * 400)
    await front.session.prompt("y" * 368)
    front.window = 1_000
    assert (await front.say("/context")).text == (
        "About 708 of 1,000 tokens, estimated, for `scripted`.\n\n"
        "| what                | tokens |  part |             |\n"
        "| ------------------- | -----: | ----: | ----------- |\n"
        "| the system prompt   |    100 | 10.0% | ██          |\n"
        "| what you said       |    100 | 10.0% | ██          |\n"
        "| what the model said |    508 | 50.8% | ██████████▏ |\n"
        "| *free*              |    292 | 29.2% |             |"
    )
    front.window = 0
    assert "About 708 tokens, estimated" in (await front.say("/context")).text
    assert "free" not in (await front.say("/context")).text
