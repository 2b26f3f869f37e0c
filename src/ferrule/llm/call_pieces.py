"""Tool calls that arrive in pieces, from servers that agree on little.

OpenAI numbers the calls, names a call once and sends its arguments in pieces of text. Compatible servers leave out
the number or the id, give every call the number 0, repeat the name in every piece, or send the arguments as an
object. Whatever they do, each call is told once, and its arguments after its name.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from ferrule.core.model import Delta
from ferrule.llm.encode import dumps


class Function(msgspec.Struct):
    """What a piece says about the function."""

    name: str | None = None
    arguments: Any = None


class Piece(msgspec.Struct):
    """A piece of a call."""

    index: int | None = None
    id: str | None = None
    function: Function | None = None
    extra_content: Any = None

    @property
    def name(self) -> str:
        """The name of the tool, where the piece says it."""
        return self.function.name or "" if self.function else ""

    @property
    def arguments(self) -> str:
        """The arguments that came with the piece, as text."""
        given = self.function.arguments if self.function else None
        return given if isinstance(given, str) else "" if given is None else dumps(given).decode()


class Call(msgspec.Struct):
    """A call in the making."""

    number: int
    id: str = ""
    name: str = ""
    pieces: list[str] = []
    told: bool = False
    extra: Any = None

    @property
    def arguments(self) -> str:
        """The arguments as far as they came."""
        return "".join(self.pieces)

    def tell(self) -> Iterator[Delta]:
        """Begin the call, with the arguments that came before its name."""
        self.told = True
        yield Delta(kind="call", index=self.number, text=self.name, id=self.id)
        if self.arguments:
            yield Delta(kind="arguments", index=self.number, text=self.arguments)

    @property
    def is_whole(self) -> bool:
        """Whether the arguments are an object; no beginning of one is."""
        if not self.arguments.rstrip().endswith("}"):
            return False
        try:
            msgspec.json.decode(self.arguments, type=dict[str, Any])
        except ValueError:
            return False
        return True


class Calls:
    """The calls of one answer."""

    def __init__(self) -> None:
        self.all: list[Call] = []
        self._at: dict[int, Call] = {}

    def take(self, pieces: list[Piece]) -> Iterator[Delta]:
        """Take in the pieces of one record."""
        begun = len(self.all)
        for piece in pieces:
            call = self._find(piece, begun)
            call.id = call.id or piece.id or ""
            call.name = call.name or piece.name
            call.extra = piece.extra_content or call.extra
            text = piece.arguments
            call.pieces.append(text)
            if call.told and text:
                yield Delta(kind="arguments", index=call.number, text=text)
            elif not call.told and call.name:
                yield from call.tell()

    def remaining(self) -> Iterator[Delta]:
        """Tell the calls whose name never came: they are answered, not lost."""
        for call in self.all:
            if not call.told:
                yield from call.tell()

    def _find(self, piece: Piece, begun: int) -> Call:
        """Find the call that a piece belongs to, or begin it."""
        if piece.index is None:
            call = self._unnumbered(piece, begun)
        else:
            call = self._at.get(piece.index)
            if call and _is_another(call, piece):
                call = None
        if call is None:
            call = Call(len(self.all), id=piece.id or "")
            self.all.append(call)
        if piece.index is not None:
            self._at[piece.index] = call
        return call

    def _unnumbered(self, piece: Piece, begun: int) -> Call | None:
        """The call with that id; without one, the last call, unless the piece names a new one."""
        if piece.id and (same := next((call for call in self.all if call.id == piece.id), None)):
            return same
        if not self.all:
            return None
        last = self.all[-1]
        is_new = piece.id or len(self.all) > begun or piece.name != last.name or last.is_whole
        return None if piece.name and is_new else last


def _is_another(call: Call, piece: Piece) -> bool:
    """Whether a piece with the number of a call belongs to another call all the same."""
    if not piece.name:
        return False
    if piece.id and call.id and piece.id != call.id:
        return not call.arguments or piece.name != call.name or call.is_whole
    return bool(piece.arguments) and call.is_whole
