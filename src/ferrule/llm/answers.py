"""An answer on its way from a model to the loop: calls are mended, and calls that are written as text become real.

Prose and thoughts pass at once. The arguments of a call are held until the answer is whole, since only then is it
known whether they were cut; then they are repaired where one reading is certain, and otherwise left as they came, so
that the loop answers them.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from ferrule.core.model import Delta, Finish, ToolSpec
from ferrule.core.regex import lazy
from ferrule.llm.coerce import coerce
from ferrule.llm.repair import Refusal, UnreadableError, decode_object, read_value, repair
from ferrule.llm.spellings import WrittenCall
from ferrule.llm.textcalls import Sifter

Piece = Delta | Finish


def mended(arguments: str, schema: Mapping[str, Any], *, cut: bool = False) -> str:
    """Arguments as strict JSON that fits the schema as far as that is certain, or as they came.

    What a strict reader would take although it is refused here (a key that stands twice) gets the reason put before
    it: so it is no JSON, the call is not run, and the model reads why.
    """
    read = repair(arguments, cut=cut)
    if isinstance(read, Refusal):
        return arguments if decode_object(arguments) is None else f"{read.why}: {arguments}"
    fitted = msgspec.json.encode(coerce(read.input, dict(schema)))
    return read.text if fitted == msgspec.json.encode(read.input) else fitted.decode()


class Answer:
    """An answer with native calls, or with calls written as text where there is no native one."""

    def __init__(self, tools: Iterable[ToolSpec], *, taught: bool = False, marked_only: bool = False) -> None:
        self._specs = tuple(tools)
        self._schemas = {tool.name: tool.schema for tool in self._specs}
        self._new_sifter = partial(Sifter, self._specs, taught=taught, marked_only=marked_only)
        self._names: dict[int, str] = {}
        self._arguments: dict[int, list[str]] = {}
        self._sifter = self._new_sifter()
        self._written: list[WrittenCall] = []
        self._index = self._highest = 0

    @property
    def has_native_calls(self) -> bool:
        """Whether the model made a call as it should."""
        return bool(self._names)

    @property
    def has_written_calls(self) -> bool:
        """Whether calls were found that had been written as text."""
        return bool(self._written)

    def take(self, piece: Piece) -> Iterator[Piece]:
        """Take in a piece, and give what can be passed on."""
        if isinstance(piece, Finish):
            yield from self._finish(piece)
            return
        self._highest = max(self._highest, piece.index)
        match piece.kind:
            case "text" if self._specs and not self._names:
                yield from self._say(piece)
            case "call":
                yield from self.leave()
                self._names[piece.index] = self._names.get(piece.index, "") + piece.text
                yield piece
            case "arguments":
                self._arguments.setdefault(piece.index, []).append(piece.text)
            case _:
                yield piece

    def leave(self) -> Iterator[Delta]:
        """Give the prose that is still held back; half a call in it is none, for something else follows."""
        yield from self._end_of_prose(cut=True)

    def _end_of_prose(self, *, cut: bool) -> Iterator[Delta]:
        if rest := self._sifter.end(cut=cut):
            yield Delta(kind="text", text=rest, index=self._index)
        self._written += self._sifter.calls
        self._sifter = self._new_sifter()

    def _say(self, piece: Delta) -> Iterator[Delta]:
        if piece.index != self._index:
            yield from self.leave()
            self._index = piece.index
        if shown := self._sifter.feed(piece.text):
            yield msgspec.structs.replace(piece, text=shown)

    def _finish(self, finish: Finish) -> Iterator[Piece]:
        cut = finish.stop not in {"end_turn", "tool_use"}
        last = next(reversed(self._names), None)
        for index, name in self._names.items():
            arguments = "".join(self._arguments.get(index, ()))
            yield self._argue(index, name, arguments, cut=cut and index == last)
        yield from self._end_of_prose(cut=cut)
        for number, call in enumerate(self._written, 1):
            index = self._highest + number
            yield Delta(kind="call", text=call.name, index=index, id=_new_id())
            yield self._argue(index, call.name, call.arguments, cut=cut and number == len(self._written))
        if self._written and finish.stop == "end_turn":
            finish = msgspec.structs.replace(finish, stop="tool_use")
        yield finish

    def _argue(self, index: int, name: str, arguments: str, *, cut: bool) -> Delta:
        text = mended(arguments, self._schemas.get(name, {}), cut=cut)
        return Delta(kind="arguments", text=text, index=index)


class SteppedAnswer:
    """An answer that is one step in JSON, `{"step": {"answer": …}}` or `{"step": {"tool": …, "arguments": …}}`.

    The words of an answer pass as they come. What is no step after all (a server that did not hold the model to it)
    is taken for an ordinary answer.
    """

    def __init__(self, tools: Iterable[ToolSpec]) -> None:
        self._plain = Answer(tools)
        self._held = ""
        self._arguments: list[str] = []
        self._index = 0
        self._state = "opening"

    def take(self, piece: Piece) -> Iterator[Piece]:
        """Take in a piece, and give what can be passed on."""
        if isinstance(piece, Finish):
            yield from self._finish(piece)
        elif piece.kind != "text" or self._state == "plain":
            yield from self._plain.take(piece)
        elif self._state == "arguments":
            self._arguments.append(piece.text)
        else:
            self._held, self._index = self._held + piece.text, piece.index
            yield from self._advance()

    def leave(self) -> Iterator[Piece]:
        """Give what is still held back and can be shown."""
        if self._state == "opening" and self._held:
            yield from self._give_up()
        yield from self._plain.leave()

    def _advance(self) -> Iterator[Piece]:
        if self._state == "opening":
            opening = _OPENING.match(self._held)
            if opening:
                self._state, self._held = opening[1], self._held[opening.end() :]
            elif not _may_open(self._held):
                yield from self._give_up()
        if self._state == "tool" and (named := _NAMED.match(self._held)):
            self._state, self._arguments = "arguments", [self._held[named.end() :]]
            call = Delta(kind="call", text=named[1], index=self._index + 1, id=_new_id())
            yield from self._plain.take(call)
        if self._state == "answer":
            yield from self._words()

    def _words(self) -> Iterator[Piece]:
        """Give the words so far; half an escape waits for its other half."""
        whole = _WHOLE.match(self._held)
        words, self._held = (whole[0], self._held[whole.end() :]) if whole else ("", self._held)
        if self._held.startswith('"'):
            self._state = "over"
        if words:
            yield Delta(kind="text", text=_unescaped(words), index=self._index)

    def _give_up(self) -> Iterator[Piece]:
        self._state, held = "plain", self._held
        self._held = ""
        yield from self._plain.take(Delta(kind="text", text=held, index=self._index))

    def _finish(self, finish: Finish) -> Iterator[Piece]:
        if self._state == "opening" and self._held:
            yield from self._give_up()
        if self._state == "arguments":
            text = _first_value("".join(self._arguments))
            yield from self._plain.take(Delta(kind="arguments", text=text, index=self._index + 1))
            if finish.stop == "end_turn":
                finish = msgspec.structs.replace(finish, stop="tool_use")
        yield from self._plain.take(finish)


def _new_id() -> str:
    return f"call_{os.urandom(8).hex()}"


def _may_open(text: str) -> bool:
    return any(opening.startswith("".join(text.split())) for opening in _OPENINGS)


def _first_value(text: str) -> str:
    """The arguments without the brackets that close the step; or all that came, where they are no value."""
    try:
        json, end = read_value(text, may_close=False)
    except UnreadableError:
        return text
    return json if not text[end:].strip().strip("}").strip() else text


def _unescaped(words: str) -> str:
    try:
        return msgspec.json.decode(f'"{words}"'.encode(), type=str)
    except ValueError:  # a server that lets raw newlines through
        return words


_OPENINGS = ('{"step":{"answer":"', '{"step":{"tool":"')
_OPENING = lazy(r'\s*\{\s*"step"\s*:\s*\{\s*"(answer|tool)"\s*:\s*"')
_NAMED = lazy(r'([^"\\]*)"\s*,\s*"arguments"\s*:\s*')
_WHOLE = lazy(
    r'(?:[^"\\]++|\\["\\/bfnrt]|\\u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|(?![dD][89abAB])[0-9a-fA-F]{4}))++'
)
