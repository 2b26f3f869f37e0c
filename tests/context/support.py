"""Conversations of any size, and a model that takes no more than its window."""

import random
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from ferrule.context.compact import Compacting
from ferrule.context.summary import SYSTEM
from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.errors import ProviderError
from ferrule.core.events import Compacted, Event
from ferrule.core.messages import (
    Assistant,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    User,
    text_of,
)
from ferrule.core.model import Delta, Finish, Model, Request

NOTES = """\
## Goal
- Mend the parser; keep the public names. [#1]
## Decisions
- The lexer stays as it is: it is not at fault. [#2, #3]
## Files touched
- src/parser.py: a new branch for empty input. [#4]
## State
- 3 of 5 tests pass. [#5]
## Next steps
- Mend test_empty. [#5]"""


def user(text: str) -> User:
    return User(content=(Text(text),), at=0)


def note(text: str) -> User:
    return User(content=(Text(text),), by="ferrule", at=0)


def answer(text: str = "", *calls: ToolCall, usage: Usage = Usage()) -> Assistant:  # noqa: B008
    content = (*((Text(text),) if text else ()), *calls)
    return Assistant(content=content, model="m", stop="tool_use" if calls else "end_turn", usage=usage, at=0)


def call(id: str, name: str = "bash", **input: Any) -> ToolCall:
    return ToolCall(id=id, name=name, input=input)


def result(id: str, text: str, name: str = "bash") -> ToolResult:
    return ToolResult(call_id=id, tool=name, content=(Text(text),), at=0)


def turn(id: str, output: str) -> tuple[Assistant, ToolResult]:
    return answer("", call(id, command="make")), result(id, output)


def request_of(messages: Sequence[Message], system: str = "") -> Request:
    return Request(system=system, tools=(), messages=tuple(messages))


def size_of(request: Request, characters: float = 4) -> int:
    """What the server counts: so many characters a token, a picture as much as most providers do."""
    total = len(request.system) + sum(len(msgspec.json.encode(tool)) for tool in request.tools)
    for message in request.messages:
        for block in message.content:
            match block:
                case Text() | Thinking():
                    total += len(block.text)
                case ToolCall():
                    total += len(block.name) + len(msgspec.json.encode(block.input))
                case Image():
                    total += 6_000
    return int(total / characters)


def words(tokens: int, seed: int = 0) -> str:
    """A text of about so many tokens, in lines."""
    unit = f"line {seed} of an output that nobody reads twice\n"
    return (unit * (tokens * 4 // len(unit) + 1))[: tokens * 4]


def random_history(seed: int, tokens: int) -> list[Message]:
    """A valid conversation of about so many tokens, which ends where the model is to be asked."""
    dice = random.Random(seed)
    messages: list[Message] = [user(f"The task of {seed}. " + words(dice.randrange(50)))]
    total = 0
    share = dice.choice([0.02, 0.1, 0.4])  # of the whole, for the largest pieces
    while total < tokens:
        piece = dice.randrange(1, max(int(tokens * share), 20))
        match dice.randrange(8):
            case 0:
                messages += [answer(words(20)), user(f"And this, at {len(messages)}. " + words(piece))]
            case 1:
                ids = [f"p{len(messages)}_{n}" for n in range(dice.randrange(2, 6))]
                messages.append(answer("Several.", *map(call, ids)))
                messages += [result(one, words(piece // len(ids), len(messages))) for one in ids]
            case 2:
                new = f"w{len(messages)}"
                messages += [answer("", call(new, "write", content=words(piece))), result(new, "Written.", "write")]
            case 3:
                messages.append(note("Go on."))
                piece = 2
            case _:
                messages += turn(f"c{len(messages)}", words(piece, len(messages)))
        total += piece
    if dice.random() < 0.6:
        messages += [answer("So far, so good."), user(f"The last word of {seed}: " + words(dice.randrange(200)))]
    return messages


Complaint = Callable[[int, int], str]


class Enforcing:
    """A model with a window, which it enforces; asked for notes it does as `notes` says."""

    def __init__(
        self,
        window: int,
        *,
        notes: Callable[[Request], str] = lambda _: NOTES,
        complaint: Complaint = lambda sent, window: f"prompt is too long: {sent} tokens > {window} maximum",
        replies: Sequence[Sequence[Delta]] = (),
        counts: bool = False,
        characters: float = 4,
    ) -> None:
        self.name = "enforcing"
        self.window, self.notes, self.complaint, self.counts = window, notes, complaint, counts
        self.characters = characters
        self.taken: list[Request] = []
        self.for_notes: list[Request] = []
        self.refused = 0
        self._replies = iter(replies)

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        size = size_of(request, self.characters)
        if size > self.window:
            self.refused += 1
            raise ProviderError(self.complaint(size, self.window), fault="context_overflow", status=400)
        usage = Usage(input=size, output=3) if self.counts else Usage()
        if request.system == SYSTEM:
            self.for_notes.append(request)
            yield Delta(kind="text", text=self.notes(request))
            yield Finish(stop="end_turn", usage=usage)
            return
        self.taken.append(request)
        pieces = next(self._replies, None)
        for piece in pieces or (Delta(kind="text", text="Done."),):
            yield piece
        yield Finish(stop="tool_use" if pieces else "end_turn", usage=usage)


def said_in(request: Request) -> str:
    return "\n".join(text_of(message.content) for message in request.messages)


def last_words(messages: Sequence[Message]) -> str:
    return next(
        text_of(message.content)
        for message in reversed(messages)
        if isinstance(message, User) and message.by == "person"
    )


def long_talk(turns: int, tokens: int, first: str = "The task.") -> list[Message]:
    return [user(first), *(m for number in range(turns) for m in turn(f"c{number}", words(tokens, number)))]


def chat(answers: int) -> list[Message]:
    """Long answers, which cannot be pruned."""
    return [user("The task."), *(answer(words(1_000, number)) for number in range(answers)), user("Go on.")]


class Asked:
    """A wrapped model, and what it told."""

    def __init__(self, model: Model, **more: Any) -> None:
        self.events: list[Event] = []
        self.compacting = Compacting(partial(ask_model, model), **more)

    async def __call__(self, messages: Sequence[Message], system: str = "") -> Draft:
        draft = Draft()
        await self.compacting(request_of(messages, system), draft, self.events.append)
        return draft

    @property
    def compactions(self) -> list[Compacted]:
        return [event for event in self.events if isinstance(event, Compacted)]
