"""Scripted, recorded and chaotic models."""

from pathlib import Path

import pytest

from ferrule.core.errors import ProviderError, UsageError
from ferrule.core.messages import Usage
from ferrule.core.model import Delta, Finish, Model, Request
from ferrule.llm.script import Call, Chaos, Fault, Recorder, Reply, Scripted, calling, load_script

REQUEST = Request(system="", tools=(), messages=())


async def pieces_of(model: Model) -> list[Delta | Finish]:
    return [piece async for piece in model.stream(REQUEST)]


async def test_a_script_says_what_it_was_told_to() -> None:
    reply = Reply(thinking="Hm.", text="Two words", calls=(Call(name="ls", input={"path": "."}),), usage=Usage(input=3))
    assert await pieces_of(Scripted([reply])) == [
        Delta(kind="thinking", text="Hm."),
        Delta(kind="text", text="Two ", index=1),
        Delta(kind="text", text="words", index=1),
        Delta(kind="call", text="ls", index=2, id="call_1_1"),
        Delta(kind="arguments", text='{"path":"."}', index=2),
        Finish(stop="tool_use", usage=Usage(input=3)),
    ]


async def test_a_step_can_be_a_function_of_the_request() -> None:
    model = Scripted([lambda request: Reply(text=f"{len(request.messages)} messages")])
    assert Delta(kind="text", text="messages", index=1) in await pieces_of(model)


async def test_a_script_that_is_used_up_says_so() -> None:
    model = Scripted(["one"], name="mine")
    await pieces_of(model)
    with pytest.raises(ProviderError, match="The script of mine has no more replies; 1 were given"):
        await pieces_of(model)


async def test_what_is_recorded_is_played_back_piece_by_piece(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    fault = Fault(message="Slow down.", fault="rate_limit", retry_after=2.0)
    original = Scripted([calling("bash", command="ls"), Reply(text="half", error=fault), "whole"])
    recorder = Recorder(original, path)
    first = await pieces_of(recorder)
    with pytest.raises(ProviderError):
        await pieces_of(recorder)
    third = await pieces_of(recorder)

    played = Scripted(load_script(path))
    assert await pieces_of(played) == first
    with pytest.raises(ProviderError, match=r"Slow down\.") as caught:
        await pieces_of(played)
    assert (caught.value.fault, caught.value.retry_after) == ("rate_limit", 2.0)
    assert await pieces_of(played) == third


def test_a_script_may_be_lines_or_a_list(tmp_path: Path) -> None:
    lines, whole = tmp_path / "a.jsonl", tmp_path / "b.json"
    lines.write_text('# a comment\n{"text": "one"}\n\n{"calls": [{"name": "ls"}]}\n')
    whole.write_text('[{"text": "one"}, {"calls": [{"name": "ls"}]}]')
    assert load_script(lines) == load_script(whole) == [Reply(text="one"), Reply(calls=(Call(name="ls"),))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"text": "a"}\n{"txet": "b"}', r"x\.jsonl:2: this is no reply of a script: .*txet"),
        ("nonsense", r"x\.jsonl:1: this is no reply"),
        ("[1]", r"x\.jsonl: this is no reply"),
        ('{"text": 5}', r"x\.jsonl:1: .*Expected `str`"),
        ("[" * 100_000, r"this is no reply"),
    ],
)
def test_a_broken_script_is_refused_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=words):
        load_script(path)


async def test_chaos_is_the_same_for_the_same_seed() -> None:
    async def played(seed: int) -> list[str]:
        chaos = Chaos(Scripted(["some words to tear"] * 30), seed=seed, rate=0.5)
        seen: list[str] = []
        for _ in range(30):
            try:
                seen.append("".join(piece.text for piece in await pieces_of(chaos) if isinstance(piece, Delta)))
            except ProviderError as error:
                seen.append(error.fault)
        return seen

    first = await played(7)
    assert first == await played(7)
    assert first != await played(8)
    assert "some words to tear" in first
    assert {"rate_limit", "overloaded", "server", "network"} & set(first)
