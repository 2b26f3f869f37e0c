"""Sessions to be exported, in few words."""

from ferrule.core.events import Appended, Event, ToolEnded
from ferrule.core.messages import Assistant, Text, Thinking, ToolCall, ToolResult, Usage, User
from ferrule.front.export.html import to_html
from ferrule.session.reading import LoadedLog
from ferrule.session.records import Header, Tally
from ferrule.session.secrets import Mask

START = 1_767_225_600.0
NOTHING = Usage()


def log(
    *events: Event, name: str = "", warnings: tuple[str, ...] = (), directory: str = "/home/ann/parser"
) -> LoadedLog:
    tally = Tally()
    for event in events:
        tally.add(event)
    header = Header(id="20260101", directory=directory, model="acme/large", created=START)
    return LoadedLog(header=header, events=events, warnings=warnings, name=name, totals=tally.totals)


def page(*events: Event, mask: Mask | None = None) -> str:
    return to_html(log(*events), mask or Mask({}))


def prompt(text: str, *, by_person: bool = True) -> Appended:
    return Appended(message=User(content=(Text(text),), by="person" if by_person else "ferrule", at=START))


def answer(*content: Text | Thinking | ToolCall, after: float = 5.0, usage: Usage = NOTHING) -> Appended:
    return Appended(
        message=Assistant(content=content, model="acme/large", stop="end_turn", at=START + after, usage=usage)
    )


def call(id: str, name: str, **input: object) -> ToolCall:
    return ToolCall(id=id, name=name, input=input)


def ended(id: str, name: str, text: str, *, seconds: float = 0.0, is_error: bool = False) -> ToolEnded:
    content = (Text(text),)
    result = ToolResult(call_id=id, tool=name, content=content, is_error=is_error, at=START + 5 + seconds)
    return ToolEnded(result=result, seconds=seconds)
