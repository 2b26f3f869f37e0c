"""The loop, through a scripted model and real functions as tools."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from ferrule.core.agent import Allow, Deny, Limits
from ferrule.core.errors import ProviderError
from ferrule.core.events import Appended, Event, RunEnded, ToolEnded, ToolPrinted, ToolStarted, TurnEnded
from ferrule.core.history import History
from ferrule.core.messages import Assistant, Text, ToolCall, ToolResult, Usage, User, said
from ferrule.core.model import Delta, Finish, Request
from ferrule.core.tool import ToolContext
from ferrule.llm.script import Call, Fault, Reply, Scripted, calling
from ferrule.tools.function import FunctionTool, tool
from tests.support import agent_of, assert_sendable, run_of, until


@tool(effect="read")
def look(at: str) -> str:
    """Look at something."""
    return f"saw {at}"


@tool
def change(what: str) -> str:
    """Change something."""
    return f"changed {what}"


async def test_an_answer_without_calls_ends_the_run() -> None:
    run, events = run_of([Reply(text="Hello there", usage=Usage(input=7, output=2), cost=0.5)])
    ended = await run.go(said("hi"))
    assert ended == RunEnded(reason="end_turn", turns=1, usage=Usage(input=7, output=2), cost=0.5)
    user, answer = run.history.messages
    assert isinstance(user, User)
    assert isinstance(answer, Assistant)
    assert (answer.text, answer.model, answer.stop) == ("Hello there", "scripted", "end_turn")
    assert [type(event).__name__ for event in events] == [
        "RunStarted", "Appended", "TurnStarted", "Delta", "Delta", "Appended", "TurnEnded", "RunEnded",
    ]  # fmt: skip


async def test_calls_are_run_and_their_results_sent_back() -> None:
    model = Scripted([calling("look", at="a"), calling("change", what="b"), "Done."])
    run, events = run_of(model, look, change)
    assert (await run.go(said("go"))).reason == "end_turn"
    results = [event.result.text for event in events if isinstance(event, ToolEnded)]
    assert results == ["saw a", "changed b"]
    assert [len(request.messages) for request in model.requests] == [1, 3, 5]
    first, second = model.requests[1:]
    assert second.messages[:3] == first.messages
    assert_sendable(run.history.messages)


async def test_readers_run_side_by_side_and_results_stand_in_the_order_asked() -> None:
    inside: set[str] = set()
    met = asyncio.Event()

    @tool(effect="read")
    async def meet(name: str) -> str:
        inside.add(name)
        if len(inside) == 3:
            met.set()
        await met.wait()
        return name

    calls = tuple(Call(name="meet", input={"name": name}) for name in "abc")
    run, _ = run_of([Reply(calls=calls), "Done."], meet)
    async with asyncio.timeout(30):
        await run.go(said("go"))
    assert [m.text for m in run.history.messages if isinstance(m, ToolResult)] == ["a", "b", "c"]


async def test_writers_run_alone_and_in_order() -> None:
    trace: list[str] = []

    @tool
    async def write(name: str) -> str:
        trace.append(f"+{name}")
        await asyncio.sleep(0)
        trace.append(f"-{name}")
        return name

    calls = tuple(Call(name="write", input={"name": name}) for name in "abc")
    run, _ = run_of([Reply(calls=calls), "Done."], write)
    await run.go(said("go"))
    assert trace == ["+a", "-a", "+b", "-b", "+c", "-c"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (Call(name="lok", input={}), "There is no tool named lok; there is look."),
        (Call(name="zzz", input={}), "There is no tool named zzz; there are look, boom."),
        (Call(name="look", input={"att": 1}), "look: there is no parameter att; there is at."),
        (Call(name="look", input={}), "look: it needs the parameter `at`."),
        (Call(name="boom", input={}), "boom failed: ZeroDivisionError: division by zero"),
    ],
)
async def test_what_goes_wrong_with_a_call_is_an_answer(call: Call, words: str) -> None:
    @tool
    def boom() -> float:
        return 1 / 0

    run, _ = run_of([Reply(calls=(call,)), "I see."], look, boom)
    assert (await run.go(said("go"))).reason == "end_turn"
    result = run.history.messages[2]
    assert isinstance(result, ToolResult)
    assert result.is_error
    assert result.text.startswith(words)


async def test_arguments_that_are_no_json_are_answered_and_never_run() -> None:
    pieces = (
        Delta(kind="call", text="change", id="c1"),
        Delta(kind="arguments", text='{"what": "x'),
        Finish(stop="tool_use"),
    )
    run, events = run_of([Reply(pieces=pieces), "Sorry."], change)
    await run.go(said("go"))
    assert not [event for event in events if isinstance(event, ToolStarted)]
    assert "not a JSON object" in str(run.history.messages[2])


async def test_a_gate_denies_changes_and_stops() -> None:
    async def gate(call: ToolCall, _: object) -> Allow | Deny:
        match call.input["what"]:
            case "forbidden":
                return Deny("Not that one.")
            case "stop":
                return Deny("Stop.", stop=True)
            case "other":
                return Allow(input={"what": "better"})
            case _:
                return Allow()

    whats = ("plain", "forbidden", "other", "stop", "never")
    reply = Reply(calls=tuple(Call(name="change", input={"what": what}) for what in whats))
    run, _ = run_of([reply, "unreached"], change, gate=gate)
    assert (await run.go(said("go"))).reason == "aborted"
    texts = [message.text for message in run.history.messages if isinstance(message, ToolResult)]
    assert texts == [
        "changed plain",
        "Not that one.",
        "changed better",
        "Stop.",
        "Interrupted before it began: nothing of it was run.",
    ]
    assert_sendable(run.history.messages)


async def test_an_interrupt_in_mid_stream_keeps_what_had_come() -> None:
    async def endless(_: Request) -> AsyncIterator[Delta | Finish]:
        yield Delta(kind="text", text="Half an ans")
        yield Delta(kind="call", text="change", id="c1", index=1)
        yield Delta(kind="arguments", text='{"what": "x"}', index=1)
        await asyncio.Event().wait()

    model = Scripted([endless, "Whole."])
    run, events = run_of(model, change)
    task = asyncio.create_task(run.go(said("go")))
    await until(lambda: sum(isinstance(event, Delta) for event in events) == 3)
    run.interrupt()
    assert (await task).reason == "interrupted"
    answer = run.history.messages[-1]
    assert isinstance(answer, Assistant)
    assert (answer.content, answer.stop) == ((Text("Half an ans"),), "aborted")

    again, _ = run_of(model, change)
    again.history = run.history
    again.listeners = [run.history.apply]
    assert (await again.go(said("go on"))).reason == "end_turn"
    assert_sendable(run.history.messages)


async def test_an_interrupt_in_mid_tool_gives_every_call_its_result() -> None:
    @tool
    async def hang(context: ToolContext[None]) -> str:
        context.report("so far")
        await asyncio.Event().wait()
        return "never"

    run, events = run_of([Reply(calls=(Call(name="hang"), Call(name="hang")))], hang)
    task = asyncio.create_task(run.go(said("go")))
    await until(lambda: any(isinstance(event, ToolPrinted) for event in events))
    run.interrupt()
    assert (await task).reason == "interrupted"
    first, second = (message.text for message in run.history.messages if isinstance(message, ToolResult))
    assert (
        first == "Interrupted by the user while it ran: it may have had some of its effects. Its last output:\nso far"
    )
    assert second == "Interrupted by the user before it began: nothing of it was run."
    assert_sendable(run.history.messages)


async def test_interrupting_twice_is_interrupting() -> None:
    started = asyncio.Event()

    @tool
    async def slow_to_end() -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
        return "never"

    run, _ = run_of([calling("slow_to_end")], slow_to_end)
    task = asyncio.create_task(run.go(said("go")))
    await started.wait()
    for _ in range(3):
        run.interrupt()
        await asyncio.sleep(0)
    assert (await task).reason == "interrupted"
    assert_sendable(run.history.messages)


class Unspeakable(Exception):  # noqa: N818
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    "error", [SystemExit(3), asyncio.CancelledError(), StopIteration(), GeneratorExit(), Unspeakable()], ids=repr
)
@pytest.mark.parametrize("is_async", [False, True])
async def test_whatever_a_tool_raises_is_an_answer(error: BaseException, is_async: bool) -> None:
    def bad() -> str:
        raise error

    async def bad_async() -> str:
        raise error

    made = FunctionTool(bad_async if is_async else bad, name="bad")
    run, _ = run_of([calling("bad"), "I see."], made)
    async with asyncio.timeout(30):
        assert (await run.go(said("go"))).reason == "end_turn"
    result = run.history.messages[2]
    assert isinstance(result, ToolResult)
    assert result.text.startswith("bad failed: ")
    assert type(error).__name__ in result.text


async def test_cancelling_the_task_from_outside_is_passed_on() -> None:
    @tool
    async def hang() -> str:
        await asyncio.Event().wait()
        return "never"

    run, events = run_of([calling("hang")], hang)
    task = asyncio.create_task(run.go(said("go")))
    await until(lambda: any(isinstance(event, ToolStarted) for event in events))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert run.reason == "aborted"
    assert isinstance(events[-1], RunEnded)
    assert_sendable(run.history.messages)


async def test_a_provider_error_ends_the_run_with_its_words() -> None:
    run, _ = run_of([Reply(text="Half", error=Fault(message="The key is wrong.", fault="auth"))])
    ended = await run.go(said("go"))
    assert (ended.reason, ended.error) == ("error", "The key is wrong.")
    assert isinstance(run.failure, ProviderError)
    answer = run.history.messages[-1]
    assert isinstance(answer, Assistant)
    assert (answer.text, answer.stop) == ("Half", "error")


async def test_a_stream_without_an_end_is_a_fault_not_an_answer() -> None:
    run, _ = run_of([Reply(pieces=(Delta(kind="text", text="Half"),))])
    ended = await run.go(said("go"))
    assert (ended.reason, ended.error) == ("error", "The answer was cut off: the stream ended early.")


@pytest.mark.parametrize("reply", [Reply(), Reply(text=" \n"), Reply(thinking="Hm.")])
async def test_an_empty_answer_is_an_error(reply: Reply) -> None:
    run, _ = run_of([reply])
    assert (await run.go(said("go"))).error == "The model gave an empty answer."
    assert_sendable(run.history.messages)


async def test_limits_end_a_run_that_can_be_continued() -> None:
    steps = [Reply(calls=(Call(name="look", input={"at": str(turn)}),), cost=0.4) for turn in range(9)]
    run, _ = run_of(steps, look, limits=Limits(turns=2))
    assert (await run.go(said("go"))).reason == "max_turns"
    run, _ = run_of(steps, look, limits=Limits(usd=1.0))
    ended = await run.go(said("go"))
    assert (ended.reason, ended.turns) == ("max_budget", 3)
    assert_sendable(run.history.messages)


async def test_the_time_limit_ends_a_hanging_tool() -> None:
    @tool
    async def hang() -> str:
        await asyncio.Event().wait()
        return "never"

    run, _ = run_of([calling("hang")], hang, limits=Limits(seconds=0.05))
    assert (await run.go(said("go"))).reason == "max_time"
    assert_sendable(run.history.messages)


async def test_an_answer_cut_at_the_output_limit_is_continued() -> None:
    model = Scripted([Reply(text="One, two", stop="max_tokens"), Reply(text=", three.")])
    run, _ = run_of(model)
    assert (await run.go(said("count"))).reason == "end_turn"
    nudge = model.requests[1].messages[-1]
    assert isinstance(nudge, User)
    assert nudge.by == "ferrule"
    assert "Go on exactly where it stopped" in str(nudge.content)


async def test_a_call_cut_at_the_output_limit_is_never_run() -> None:
    pieces = (
        Delta(kind="call", text="change", id="c1", index=0),
        Delta(kind="arguments", text='{"what": "whole"}', index=0),
        Delta(kind="call", text="change", id="c2", index=1),
        Delta(kind="arguments", text='{"what": "ha', index=1),
        Finish(stop="max_tokens"),
    )
    model = Scripted([Reply(pieces=pieces), "Done."])
    run, events = run_of(model, change)
    assert (await run.go(said("go"))).reason == "end_turn"
    assert [event.call.input for event in events if isinstance(event, ToolStarted)] == [{"what": "whole"}]
    assert "Your call to change was cut" in str(model.requests[1].messages[-1])
    assert_sendable(run.history.messages)


async def test_answers_that_are_always_cut_are_an_error_at_last() -> None:
    run, _ = run_of([Reply(text="more", stop="max_tokens")] * 9)
    ended = await run.go(said("go"))
    assert (ended.reason, ended.turns) == ("error", 4)


async def test_the_same_call_three_times_is_told_and_five_times_stopped() -> None:
    model = Scripted([calling("look", at="x")] * 9)
    run, _ = run_of(model, look)
    ended = await run.go(said("go"))
    assert (ended.reason, ended.turns) == ("loop_detected", 5)
    assert isinstance(model.requests[2].messages[-1], ToolResult)
    assert "the same call 3 times" in str(model.requests[3].messages[-1])


async def test_an_alternating_pair_is_a_circle_too() -> None:
    run, _ = run_of([calling("look", at="x"), calling("look", at="y")] * 9, look)
    ended = await run.go(said("go"))
    assert (ended.reason, ended.turns) == ("loop_detected", 10)


async def test_the_same_call_with_other_results_is_no_circle() -> None:
    count = iter(range(99))

    @tool
    def poll() -> int:
        return next(count)

    run, _ = run_of([calling("poll")] * 12 + ["Done."], poll)
    assert (await run.go(said("go"))).reason == "end_turn"


async def test_what_is_typed_meanwhile_is_delivered_at_the_next_turn() -> None:
    model = Scripted([calling("change", what="x"), "Done.", "That too."])
    run, _ = run_of(model, change)
    run.listeners.append(lambda event: run.inbox.append(said("and y")) if isinstance(event, ToolStarted) else None)
    run.listeners.append(
        lambda event: run.inbox.append(said("and z")) if isinstance(event, TurnEnded) and event.turn == 2 else None
    )
    assert (await run.go(said("x"))).turns == 3
    assert [str(request.messages[-1].content) for request in model.requests[1:]] == [
        str((Text("and y"),)),
        str((Text("and z"),)),
    ]
    assert_sendable(run.history.messages)


async def test_a_listener_that_fails_ends_the_run_and_says_so() -> None:
    def full(event: object) -> None:
        if isinstance(event, ToolEnded):
            raise OSError(28, "No space left on device")

    run, _ = run_of([Reply(calls=(Call(name="look", input={"at": "a"}), Call(name="look", input={"at": "b"})))], look)
    run.listeners.append(full)
    ended = await run.go(said("go"))
    assert ended.reason == "error"
    assert "No space left" in str(ended.error)


async def test_an_interrupt_before_the_start_runs_nothing() -> None:
    model = Scripted(["never"])
    run, _ = run_of(model)
    run.interrupt()
    assert (await run.go(said("go"))).reason == "interrupted"
    assert model.requests == []


async def test_with_no_tools_it_is_a_plain_chat() -> None:
    model = Scripted(["Hello."])
    agent = agent_of(model)
    assert agent.tools == {}
    run, _ = run_of(model)
    await run.go(said("hi"))
    assert model.requests[0].tools == ()


def test_history_is_rebuilt_from_its_events() -> None:
    call = ToolCall(id="1", name="x", input={})
    other = ToolCall(id="2", name="y", input={})
    answer = Assistant(content=(call, other), model="m", stop="tool_use")
    late = ToolResult(call_id="2", tool="y", content=(Text("two"),))
    early = ToolResult(call_id="1", tool="x", content=(Text("one"),))
    user = said("go")
    events: list[Event] = [
        Appended(message=user),
        Appended(message=answer),
        ToolEnded(result=late),
        ToolEnded(result=early),
    ]
    assert History(events).messages == [user, answer, early, late]
    assert History([*events, events[-1]]).messages == [user, answer, early, late]  # told twice, there once
    torn = History([*events[:3], Appended(message=said("next"))])  # a lost line
    assert_sendable(torn.messages)
    orphan = History([ToolEnded(result=late), Appended(message=user)])
    assert orphan.messages == [user]
