"""Going back in a conversation."""

from ferrule.core.events import Appended, Event, Rewound, ToolEnded
from ferrule.core.history import History
from ferrule.core.messages import Assistant, Text, ToolCall, ToolResult, said


def test_rewinding_ends_where_no_call_is_open() -> None:
    call = ToolCall(id="c", name="ls", input={})
    told = Assistant(content=(call,), model="m", stop="tool_use")
    result = ToolEnded(result=ToolResult(call_id="c", tool="ls", content=(Text("x"),)))
    events: list[Event] = [
        Appended(message=said("one")),
        Appended(message=told),
        result,
        Appended(message=Assistant(content=(Text("done"),), model="m", stop="end_turn")),
        Appended(message=said("two")),
    ]
    whole = History(events).messages
    assert [History([*events, Rewound(messages=n)]).messages for n in range(-1, 7)] == [
        [],
        [],
        whole[:1],
        whole[:1],
        whole[:3],
        whole[:4],
        whole[:5],
        whole[:5],
    ]


def test_a_conversation_goes_on_after_rewinding() -> None:
    events: list[Event] = [
        Appended(message=said("one")),
        Appended(message=Assistant(content=(ToolCall(id="c", name="ls", input={}),), model="m", stop="tool_use")),
        Rewound(messages=1),
        Appended(message=said("two")),
    ]
    assert [message.content for message in History(events).messages] == [(Text("one"),), (Text("two"),)]
    assert History(events).closing() == []
