"""Deltas become an answer, also when it is cut short: the only place where one is assembled."""

import os
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from ferrule.core.errors import ProviderError
from ferrule.core.events import Emit
from ferrule.core.messages import Assistant, StopReason, Text, Thinking, ToolCall, Usage
from ferrule.core.model import Delta, DeltaKind, Finish, Model, Request

CONTINUE = "Your answer was cut at the output limit. Go on exactly where it stopped."
CUT_CALL = "Your call to {name} was cut at the output limit and was not run. Make it again, in smaller parts."


class _Block(msgspec.Struct):
    kind: DeltaKind
    id: str = ""
    name: str = ""
    pieces: list[str] = msgspec.field(default_factory=list)
    signature: str = ""

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Draft:
    """An answer in the making."""

    def __init__(self) -> None:
        self.aside: list[Finish] = []
        """What was asked of the model on the way to this answer, such as a summary; it was paid for too."""
        self.begin("")

    def begin(self, model: str) -> None:
        """Start from nothing; what an earlier attempt had written is void."""
        self.model = model
        self.stop: StopReason = "aborted"
        self.finish: Finish | None = None
        self._blocks: dict[tuple[int, DeltaKind], _Block] = {}

    def feed(self, piece: Delta | Finish) -> None:
        """Take in a piece of the answer."""
        if isinstance(piece, Finish):
            self.finish, self.stop = piece, piece.stop
            return
        kind = _BLOCK_OF[piece.kind]
        block = self._blocks.setdefault((piece.index, kind), _Block(kind))
        match piece.kind:
            case "call":
                block.id, block.name = block.id or piece.id, block.name + piece.text
            case "signature":
                block.signature += piece.text
            case _:
                block.pieces.append(piece.text)

    @property
    def usage(self) -> Usage:
        """The tokens that the answer took, as far as they are known."""
        return self.finish.usage if self.finish else Usage()

    @property
    def paid(self) -> list[Finish]:
        """Everything that the answer took, itself included."""
        return [*self.aside, *([self.finish] if self.finish else [])]

    @property
    def is_empty(self) -> bool:
        """Whether nothing came that a person or a tool could use."""
        return not any(
            block.kind == "call" or (block.kind == "text" and block.text.strip()) for block in self._blocks.values()
        )

    @property
    def follow_up(self) -> str:
        """What to tell the model so that it goes on, where the output limit cut its answer."""
        if self.stop != "max_tokens":
            return ""
        last = list(self._blocks.values())[-1]
        whole = last.kind != "call" or _is_object(last.text)
        return CONTINUE if whole else CUT_CALL.format(name=last.name)

    def message(self) -> Assistant | None:
        """The answer as far as it came, or nothing if nothing came."""
        content = tuple(part for part in map(self._part, self._blocks.values()) if part is not None)
        if not content:
            return None
        return Assistant(content=_told_apart(content), model=self.model, stop=self.stop, usage=self.usage)

    @property
    def _cut(self) -> bool:
        return self.stop in {"max_tokens", "aborted", "error"}

    def _part(self, block: _Block) -> Text | Thinking | ToolCall | None:
        text = block.text
        if block.kind == "thinking":
            return Thinking(text=text, signature=block.signature or None) if text or block.signature else None
        if block.kind == "text":
            return Text(text) if text.strip() else None
        if self.finish is None:  # an answer that was never finished asks for nothing
            return None
        id_ = block.id or f"call_{os.urandom(8).hex()}"
        try:
            arguments = _decode_object(text if self._cut else text or "{}")
        except ValueError:
            return None if self._cut else ToolCall(id=id_, name=block.name, input={}, malformed=text)
        return ToolCall(id=id_, name=block.name, input=arguments)


async def ask_model(model: Model, request: Request, draft: Draft, emit: Emit) -> None:
    """Ask once: stream the answer into the draft, and show it as it comes.

    Raises:
        ProviderError: the model could not answer, or its stream was cut; the draft keeps what had come.
    """
    draft.begin(model.name)
    pieces = model.stream(request)
    try:
        async for piece in pieces:
            draft.feed(piece)
            if isinstance(piece, Delta):
                emit(piece)
    except ProviderError:
        draft.stop = "error"
        raise
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()  # whatever happened, the connection is not kept
    if draft.finish is None:
        draft.stop = "error"
        raise ProviderError("The answer was cut off: the stream ended early.", fault="network")


_BLOCK_OF: dict[DeltaKind, DeltaKind] = {
    "text": "text",
    "thinking": "thinking",
    "signature": "thinking",
    "call": "call",
    "arguments": "call",
}


def _decode_object(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text.encode(), type=dict[str, Any])
    except RecursionError:
        raise ValueError("It is nested too deeply.") from None


def _is_object(text: str) -> bool:
    try:
        _decode_object(text)
    except ValueError:
        return False
    return True


def _told_apart(content: tuple[Text | Thinking | ToolCall, ...]) -> tuple[Text | Thinking | ToolCall, ...]:
    """Give the second of two calls with one id an id of its own: a result must find its call."""
    seen: set[str] = set()
    apart: list[Text | Thinking | ToolCall] = []
    for part in content:
        if isinstance(part, ToolCall):
            if part.id in seen:
                part = msgspec.structs.replace(part, id=f"{part.id}_{len(seen)}")  # noqa: PLW2901
            seen.add(part.id)
        apart.append(part)
    return tuple(apart)
