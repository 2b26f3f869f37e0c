"""A small model that is led: to the loop it looks like one that knows its tools.

Each request of the person becomes an errand (see `errand.py`), which decides what comes next. Its tool calls go out as
if the model had asked for them, so permission, records and undo hold for them as for any; the model itself is asked
only where words or code are needed.
"""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import msgspec

from ferrule.core.errors import ProviderError
from ferrule.core.messages import Assistant, Message, StopReason, Text, ToolResult, Usage, User, said, text_of
from ferrule.core.model import Delta, Finish, Model, Request
from ferrule.llm.encode import dumps
from ferrule.llm.modes import opened
from ferrule.small.errand import errand
from ferrule.small.moves import Answer, Copy, Done, Errand, Move, Piece, Say
from ferrule.small.profile import Profile
from ferrule.small.prompts import tokens
from ferrule.small.words.naming import put_right, settled
from ferrule.small.words.reply import goes_in_circles, has_whole_block, joined
from ferrule.small.work import Earlier, Edited

_MOST_CORRECTIONS = 3
_REFUSED = {"bad_request", "unknown"}
"""What a server says that does not know how to let a model copy."""
Warmed = Callable[[float], Model]
"""The model at a temperature."""
Copying = Callable[[str], Model]
"""The model, made to copy a text."""


class Guided:
    """A model that is led through each request."""

    def __init__(self, name: str, at: Warmed, *, profile: Profile, copying: Copying | None = None) -> None:
        self.name = name
        self._at, self._copying, self._profile = at, copying, profile
        self._errand: tuple[int, Errand] | None = None
        """The errand under way, by the place of its request in the conversation."""
        self._waits_for: list[str] = []
        """The calls whose results it waits for, by their ids."""
        self._asked: tuple[int, Say | Copy] | None = None
        """What the model was last asked, and after how many messages: asked again where the answer broke off."""

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Make the next moves, up to calls of tools or the end."""
        place, is_awaited = _place_of_request(request.messages), self._is_awaited(_last_results(request.messages))
        if not request.tools or (place is None and not is_awaited):
            async with opened(self._at(0.0), request) as pieces:  # a summary, or alike
                async for piece in pieces:
                    yield piece
            return
        usage, index = Usage(), 0
        move = self._next(request.messages, place)
        while isinstance(move, Say | Copy):
            self._asked = len(request.messages), move
            if isinstance(move, Copy):
                copied, used = await self._copied(move)
                usage += used
                move = self._send(copied)
                continue
            heard = _Heard(move)
            async for text in heard.pieces(self._at(move.warmth)):
                yield Delta(kind=move.shown, text=text, index=index)
            usage, index = usage + heard.usage, index + 1
            move = self._send(heard.answer)
        if isinstance(move, Done):
            if move.text:
                yield Delta(kind="text", text=move.text, index=index)
            yield Finish(stop="end_turn", usage=usage)
            return
        self._waits_for = [f"call_{os.urandom(8).hex()}" for _ in move.calls]
        for id_, (name, arguments) in zip(self._waits_for, move.calls, strict=True):
            yield Delta(kind="call", text=name, index=index, id=id_)
            yield Delta(kind="arguments", text=dumps(arguments).decode(), index=index)
            index += 1
        yield Finish(stop="tool_use", usage=usage)

    async def _copied(self, move: Copy) -> tuple[list[Piece], Usage]:
        """Let the model copy a text. A server that does not know how to is not asked for it again."""
        copied, usage, length = list[Piece](), Usage(), 0
        if self._copying is None:
            return copied, usage
        try:
            async with opened(self._copying(move.text), _asked(move)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Finish):
                        usage = piece.usage
                    elif piece.kind == "text":
                        text = piece.text if copied else piece.text.removeprefix(move.begun)  # some say it again
                        if not move.text.startswith(text, length) or not (copied or piece.likely):
                            self._copying = None
                            break
                        copied.append((text, piece.likely))
                        length += len(text)
        except ProviderError as error:
            if error.fault not in _REFUSED:
                raise
            self._copying = None
        return ([] if self._copying is None else copied), usage

    def _next(self, messages: tuple[Message, ...], place: int | None) -> Move | Done:
        """Go on with the errand under way, or begin one; what is said on the way is joined to the request."""
        results = _last_results(messages)
        if self._is_awaited(results):
            self._waits_for = []
            return self._send(results)
        assert place is not None
        if self._errand and self._errand[0] == place and self._asked and self._asked[0] == len(messages):
            return self._asked[1]
        first = place
        if self._errand and self._is_awaited(_last_results(messages[:place])):
            first = self._errand[0]
        request = "\n\n".join(_text(one) for one in messages[first : place + 1] if _is_said(one))
        self._errand = (first, errand(request, self._profile, _earlier(messages[:first])))
        self._waits_for, self._asked = [], None
        return self._send(None)

    def _is_awaited(self, results: list[ToolResult]) -> bool:
        """Whether these are the results that the errand under way waits for, and nobody put an end to it."""
        ids = [result.call_id for result in results]
        is_stopped = any(result.text.startswith("Interrupted") and result.is_error for result in results)
        return self._errand is not None and bool(ids) and ids == self._waits_for and not is_stopped

    def _send(self, what: Any) -> Move | Done:
        assert self._errand
        try:
            return self._errand[1].send(what)
        except StopIteration as end:
            self._errand = None
            done: Done = end.value
            return done


class _Heard:
    """What the model says when it is asked once: its words as they come, and the answer that they are."""

    def __init__(self, move: Say) -> None:
        self.usage = Usage()
        self.answer = Answer("")
        self._move = move
        self._shown = len(move.begun)

    async def pieces(self, model: Model) -> AsyncIterator[str]:
        """The words to be shown. Where they name a file that is not there, it goes on from one that is."""
        for _ in range(_MOST_CORRECTIONS):
            async for text in self._once(model):
                yield text
            right = self._put_right(self.answer.text)
            if right is None:
                break
            self._move = msgspec.structs.replace(self._move, begun=right)
        if left := self.answer.text[self._shown :]:
            yield left

    def _put_right(self, text: str) -> str | None:
        return put_right(text, self._move.files, self._move.homes)

    async def _once(self, model: Model) -> AsyncIterator[str]:
        move, words = self._move, list[str]()
        stop: StopReason = "end_turn"
        is_cut = False
        async with opened(model, _asked(move)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Finish):
                    self.usage, stop = self.usage + piece.usage, piece.stop
                elif piece.kind == "text":
                    words.append(piece.text)
                    so_far = joined(move.begun, "".join(words))
                    sure = settled(so_far) if move.files or move.homes else so_far
                    if self._put_right(sure):
                        self.usage += Usage(input=_tokens(move), output=len(words))
                        break
                    if len(sure) > self._shown:
                        yield sure[self._shown :]
                        self._shown = len(sure)
                    is_cut = len(words) >= move.most or goes_in_circles(so_far)
                    if is_cut or (move.one_file and has_whole_block(so_far)):
                        self.usage += Usage(input=_tokens(move), output=len(words))  # it is not asked for the count
                        break
        if stop not in {"end_turn", "max_tokens"}:
            raise ProviderError(f"The model stopped: {stop}.")
        self.answer = Answer(joined(move.begun, "".join(words)), is_cut or stop == "max_tokens")


def _place_of_request(messages: tuple[Message, ...]) -> int | None:
    """Where the person's last request is."""
    return max((place for place, one in enumerate(messages) if _is_said(one)), default=None)


def _is_said(message: Message) -> bool:
    """Whether a person said it."""
    return isinstance(message, User) and message.by == "person"


def _last_results(messages: tuple[Message, ...]) -> list[ToolResult]:
    """The results of the last calls, where nobody has said anything since."""
    results: list[ToolResult] = []
    for message in reversed(messages):
        if isinstance(message, Assistant):
            break
        if _is_said(message):
            return []
        if isinstance(message, ToolResult):
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
                edits = [_edited(call.input) for call in message.calls if call.name in {"write", "edit"}]
                last = found[-1]
                found[-1] = Earlier(
                    request=last.request, answer=message.text or last.answer, edits=(*last.edits, *edits)
                )
            case _:
                pass
    return found


def _edited(given: Mapping[str, Any]) -> Edited:
    was, became = (str(given[key]) if key in given else None for key in ("old_string", "new_string"))
    return Edited(path=str(given.get("file_path", "")), was=was, became=became)


def _text(message: Message) -> str:
    return text_of(message.content)


def _tokens(move: Say) -> int:
    return sum(tokens(text) for _, text in move.turns) + tokens(move.system)


def _asked(move: Say | Copy) -> Request:
    messages: list[Message] = []
    turns = [*move.turns, *([("assistant", move.begun)] if move.begun else [])]
    for role, text in turns:
        messages.append(said(text) if role == "user" else Assistant(content=(Text(text),), model="", stop="end_turn"))
    return Request(system=move.system, tools=(), messages=tuple(messages))
