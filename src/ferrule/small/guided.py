"""A small model that is led: to the loop it looks like one that knows its tools.

Each request of the person becomes an errand (see `errand.py`), which decides what comes next. Its tool calls go out as
if the model had asked for them, so permission, records and undo hold for them as for any; the model itself is asked
only where words or code are needed.
"""

import os
from collections.abc import AsyncIterator, Callable
from typing import Any

from ferrule.core.errors import ProviderError
from ferrule.core.messages import Assistant, Message, StopReason, Text, ToolResult, Usage, User, said, text_of
from ferrule.core.model import Delta, Finish, Model, Request
from ferrule.llm.encode import dumps
from ferrule.llm.modes import opened
from ferrule.small.errand import errand
from ferrule.small.moves import Done, Errand, Move, Say
from ferrule.small.profile import Profile
from ferrule.small.prompts import tokens
from ferrule.small.reply import has_whole_block as is_enough
from ferrule.small.work import Earlier

Warmed = Callable[[float], Model]
"""The model at a temperature."""


class Guided:
    """A model that is led through each request."""

    def __init__(self, name: str, at: Warmed, *, profile: Profile) -> None:
        self.name = name
        self._at, self._profile = at, profile
        self._errand: tuple[int, Errand] | None = None
        """The errand under way, by the place of its request in the conversation."""

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Make the next moves, up to calls of tools or the end."""
        place = _place_of_request(request.messages)
        if place is None:
            async with opened(self._at(0.0), request) as pieces:  # a summary, or alike
                async for piece in pieces:
                    yield piece
            return
        usage, index = Usage(), 0
        move = self._next(request.messages, place)
        while isinstance(move, Say):
            words: list[str] = []
            stop: StopReason = "end_turn"
            async with opened(self._at(move.warmth), _asked(move)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Finish):
                        usage, stop = usage + piece.usage, piece.stop
                    elif piece.kind == "text":
                        words.append(piece.text)
                        yield Delta(kind=move.shown, text=piece.text, index=index)
                        if move.one_file and "```" in piece.text + "".join(words[-2:]) and is_enough("".join(words)):
                            usage += Usage(input=_tokens(move), output=len(words))  # it is not asked for the count
                            break
            if stop not in {"end_turn", "max_tokens"}:
                raise ProviderError(f"The model stopped: {stop}.")
            index += 1
            move = self._send("".join(words))
        if isinstance(move, Done):
            if move.text:
                yield Delta(kind="text", text=move.text, index=index)
            yield Finish(stop="end_turn", usage=usage)
            return
        for name, arguments in move.calls:
            yield Delta(kind="call", text=name, index=index, id=f"call_{os.urandom(8).hex()}")
            yield Delta(kind="arguments", text=dumps(arguments).decode(), index=index)
            index += 1
        yield Finish(stop="tool_use", usage=usage)

    def _next(self, messages: tuple[Message, ...], place: int) -> Move | Done:
        """Go on with the errand under way, or begin one."""
        behind = messages[place + 1 :]
        if self._errand and self._errand[0] == place and behind:
            return self._send(_last_results(behind))
        self._errand = (place, errand(_text(messages[place]), self._profile, _earlier(messages[:place])))
        return self._send(None)

    def _send(self, what: Any) -> Move | Done:
        assert self._errand
        try:
            return self._errand[1].send(what)
        except StopIteration as end:
            self._errand = None
            done: Done = end.value
            return done


def _place_of_request(messages: tuple[Message, ...]) -> int | None:
    """Where the person's last request is, if what follows it belongs to its errand."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, User):
            return place if message.by == "person" else None
    return None


def _last_results(messages: tuple[Message, ...]) -> list[ToolResult]:
    results: list[ToolResult] = []
    for message in reversed(messages):
        if not isinstance(message, ToolResult):
            break
        results.append(message)
    return results[::-1]


def _earlier(messages: tuple[Message, ...]) -> list[Earlier]:
    """The exchanges before, each with its last answer and what it changed."""
    found: list[Earlier] = []
    for message in messages:
        match message:
            case User(by="person"):
                found.append(Earlier(request=_text(message), answer=""))
            case Assistant() if found:
                files = [str(call.input.get("file_path", "")) for call in message.calls if call.name == "write"]
                last = found[-1]
                found[-1] = Earlier(
                    request=last.request, answer=message.text or last.answer, files=(*last.files, *files)
                )
            case _:
                pass
    return found


def _text(message: Message) -> str:
    return text_of(message.content)


def _tokens(move: Say) -> int:
    return sum(tokens(text) for _, text in move.turns) + tokens(move.system)


def _asked(move: Say) -> Request:
    messages: list[Message] = []
    for role, text in move.turns:
        messages.append(said(text) if role == "user" else Assistant(content=(Text(text),), model="", stop="end_turn"))
    return Request(system=move.system, tools=(), messages=tuple(messages))
