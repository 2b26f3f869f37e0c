"""Events to write and read back, and a session file of them."""

import itertools
from collections.abc import Iterator
from pathlib import Path

from ferrule.core.events import (
    Appended,
    Compacted,
    Event,
    Notice,
    PermissionAsked,
    PermissionDecided,
    Pinned,
    Redone,
    Retrying,
    Rewound,
    RunEnded,
    RunStarted,
    Stepped,
    Stepping,
    ToolEnded,
    ToolPrinted,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Undone,
    Waiting,
)
from ferrule.core.messages import Assistant, Image, Text, Thinking, ToolCall, ToolResult, Usage, User, said
from ferrule.core.model import Delta
from ferrule.core.tool import Effect
from ferrule.session.log import SessionLog
from ferrule.session.records import Header

CALL = ToolCall(id="call_1", name="bash", input={"command": "ls", "timeout": 5, "nested": {"a": [1, None, 0.5]}})
CALLS = Assistant(
    content=(Thinking(text="Let me see.", signature="c2ln"), Text("I look."), CALL),
    model="scripted",
    stop="tool_use",
    usage=Usage(input=10, output=5, cache_read=2, cache_write=1),
)
RESULT = ToolResult(
    call_id="call_1", tool="bash", content=(Text("a.py\nb.py"), Image(media_type="image/png", data="AA=="))
)
ANSWER = Assistant(content=(Text("Two files: “a” and “b”."),), model="scripted", stop="end_turn")

EVERY_EVENT: tuple[Event, ...] = (
    RunStarted(),
    Appended(message=said("What is here?")),
    TurnStarted(turn=1),
    Retrying(attempt=1, delay=0.5, reason="overloaded"),
    Delta(kind="text", text="I look."),
    Appended(message=CALLS),
    PermissionAsked(id="p1", call=CALL, effects=(Effect("execute", "ls"),), preview="ls"),
    PermissionDecided(call_id="call_1", allowed=True, reason="asked"),
    ToolStarted(call=CALL, effects=(Effect("execute", "ls"),)),
    ToolPrinted(call_id="call_1", text="a.py\n"),
    ToolEnded(result=RESULT, seconds=0.25),
    TurnEnded(turn=1, usage=Usage(input=10, output=5), cost=0.01),
    Waiting(text="Loading a model … 3 s"),
    Notice(text="The disk is nearly full."),
    Compacted(before=1000, after=100, summary="They asked.", upto=2),
    Pinned(number=1),
    Stepping(before="a" * 40, messages=1),
    Stepped(number=1, before="a" * 40, after="b" * 40, messages=1),
    Undone(step=1, kept=("a.py",)),
    Redone(step=1),
    TurnStarted(turn=2),
    Appended(message=User(content=(Text("Go on."),), by="ferrule")),
    Appended(message=ANSWER),
    TurnEnded(turn=2, usage=Usage(input=30, output=9), cost=0.03),
    RunEnded(reason="end_turn", turns=2, usage=Usage(input=30, output=9), cost=0.03),
    Rewound(messages=5),
)
KEPT = tuple(event for event in EVERY_EVENT if not isinstance(event, Delta | ToolPrinted | Waiting))


def turns(text: str = "x" * 400) -> Iterator[Event]:
    """The events of one run after another, three messages each, without end."""
    for count in itertools.count():
        call = ToolCall(id=f"call_{count}", name="read", input={"file_path": f"src/{count}.py"})
        yield RunStarted()
        yield Appended(message=said(f"Request {count}"))
        yield TurnStarted(turn=1)
        yield Appended(message=Assistant(content=(Text("I read."), call), model="m", stop="tool_use"))
        yield ToolStarted(call=call, effects=(Effect("read", f"src/{count}.py"),))
        yield ToolEnded(result=ToolResult(call_id=call.id, tool="read", content=(Text(text),)))
        yield TurnEnded(turn=1, usage=Usage(input=count, output=1))
        yield RunEnded(reason="end_turn", turns=1, usage=Usage(input=count, output=1))


def header(id: str = "an-id") -> Header:
    return Header(id=id, directory="/project", model="scripted", created=1_800_000_000.0)


def write_session(path: Path, *events: Event) -> Path:
    with SessionLog.create(path, header(path.stem)) as log:
        for event in events or EVERY_EVENT:
            log.write(event)
    return path
