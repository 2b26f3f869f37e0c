"""Models that need no model: scripted, recorded and chaotic ones.

They are part of the product: for demonstrations, for bug reports, and for testing your own tools and agents.

- `Scripted` gives the replies that you wrote.
- `Recorder` writes down what a real model answers; `load_script` reads it back for `Scripted`
  (on the command line: `ferrule -P replay -m FILE`).
- `Chaos` puts faults into another model's answers, the same ones for the same seed.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ferrule.core.errors import ProviderError, ProviderFault, UsageError
from ferrule.core.messages import StopReason, Usage, Value
from ferrule.core.model import Delta, Finish, Model, Request


class Fault(Value, frozen=True, kw_only=True):
    """A failure that a script asks for, after whatever else the reply says."""

    message: str
    fault: ProviderFault = "unknown"
    status: int | None = None
    retry_after: float | None = None


class Call(Value, frozen=True, kw_only=True):
    """A tool call that a script asks for."""

    name: str
    input: dict[str, Any] = msgspec.field(default_factory=dict)
    id: str = ""


class Reply(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer of a script: what to say and call, or the exact pieces as they once came."""

    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    stop: StopReason | None = None
    usage: Usage = Usage()
    cost: float | None = None
    error: Fault | None = None
    pace: float = 0
    """Seconds before each piece."""
    pieces: tuple[Delta | Finish, ...] = ()

    def stream(self, turn: int) -> Iterable[Delta | Finish]:
        """The pieces of the answer, cut as a provider would cut them."""
        if self.pieces:
            yield from self.pieces
            return
        for kind, text in (("thinking", self.thinking), ("text", self.text)):
            for piece in _words(text):
                yield Delta(kind=kind, text=piece, index=0 if kind == "thinking" else 1)  # type: ignore[arg-type]
        for number, call in enumerate(self.calls):
            index, arguments = 2 + number, msgspec.json.encode(call.input).decode()
            yield Delta(kind="call", text=call.name, index=index, id=call.id or f"call_{turn}_{number + 1}")
            for start in range(0, len(arguments), 64):
                yield Delta(kind="arguments", text=arguments[start : start + 64], index=index)
        if self.error is None:
            stop = self.stop or ("tool_use" if self.calls else "end_turn")
            yield Finish(stop=stop, usage=self.usage, cost=self.cost)


Step = Reply | str | Callable[[Request], "Reply | AsyncIterator[Delta | Finish]"]
"""A reply, its text alone, or a function that makes one (or a stream of its own) from the request."""


class Scripted:
    """A model that answers from a script, one step a request, and remembers what it was asked."""

    def __init__(self, steps: Iterable[Step], *, name: str = "scripted", remember: bool = True) -> None:
        self.name = name
        self.requests: list[Request] = []
        self._remember = remember
        self._steps = iter(steps)
        self._turn = 0

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Give the next reply."""
        if self._remember:
            self.requests.append(request)
        step = next(self._steps, None)
        if step is None:
            raise ProviderError(
                f"The script of {self.name} has no more replies; {self._turn} were given.", fault="bad_request"
            )
        self._turn += 1
        reply = step(request) if callable(step) else Reply(text=step) if isinstance(step, str) else step
        if not isinstance(reply, Reply):
            async for piece in reply:
                yield piece
            return
        for piece in reply.stream(self._turn):
            await asyncio.sleep(reply.pace)
            yield piece
        if reply.error:
            error = reply.error
            raise ProviderError(error.message, fault=error.fault, status=error.status, retry_after=error.retry_after)


class Recorder:
    """Passes another model's answers on and writes them down, one line of JSON each."""

    def __init__(self, model: Model, path: Path) -> None:
        self.name = model.name
        self._model = model
        self._path = path

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer as the model does, and keep the answer when it is whole or has failed."""
        pieces: list[Delta | Finish] = []
        fault: Fault | None = None
        try:
            async for piece in self._model.stream(request):
                pieces.append(piece)
                yield piece
        except ProviderError as error:
            fault = Fault(message=str(error), fault=error.fault, status=error.status, retry_after=error.retry_after)
            raise
        finally:
            line = msgspec.json.encode(Reply(pieces=tuple(pieces), error=fault))
            with self._path.open("ab") as file:
                file.write(line + b"\n")


def load_script(path: Path) -> list[Reply]:
    """Read replies from a file: one JSON object a line, or one JSON list; blank lines and `#` lines are skipped.

    Raises:
        UsageError: the file cannot be read, or a line of it is no reply.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"The script {path} cannot be read: {error.strerror}.") from None
    if data.lstrip().startswith(b"["):
        replies: list[Reply] = _decode(data, list[Reply], str(path))
        return replies
    lines = [(number, line.strip()) for number, line in enumerate(data.splitlines(), 1)]
    return [_decode(line, Reply, f"{path}:{number}") for number, line in lines if line and not line.startswith(b"#")]


class Chaos:
    """Another model with faults put into its answers: refusals, cut streams, odd pieces; the seed decides."""

    FAULTS: Sequence[ProviderFault] = ("rate_limit", "overloaded", "server", "network")

    def __init__(self, model: Model, *, seed: int, rate: float = 0.3) -> None:
        self.name = model.name
        self.faults = 0
        self._model = model
        self._rate = rate
        self._random = random.Random(seed)  # noqa: S311  it must be repeatable, not secret

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer as the model does, or fail at the start, or be cut off in the middle."""
        pieces = [piece async for piece in self._model.stream(request)]
        fails = self._random.random() < self._rate
        upto = self._random.randrange(len(pieces) + 1) if fails and pieces else len(pieces)
        for piece in pieces[:upto]:
            for part in self._torn(piece):
                yield part
        if fails:
            self.faults += 1
            fault = self._random.choice(self.FAULTS)
            raise ProviderError(f"Chaos: a fault of class {fault}.", fault=fault, retry_after=0.0)

    def _torn(self, piece: Delta | Finish) -> Iterable[Delta | Finish]:
        """Cut a piece where no provider would, which must change nothing."""
        if isinstance(piece, Finish) or piece.kind == "call" or len(piece.text) < 2:
            return [piece]
        at = self._random.randrange(1, len(piece.text))
        return [msgspec.structs.replace(piece, text=text) for text in (piece.text[:at], piece.text[at:])]


def calling(name: str, /, **input: Any) -> Reply:
    """A reply that makes one call."""
    return Reply(calls=(Call(name=name, input=input),))


def _words(text: str) -> list[str]:
    words = text.split(" ")
    return [word + " " for word in words[:-1]] + ([words[-1]] if words[-1] else [])


def _decode(data: bytes, kind: Any, where: str) -> Any:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{where}: this is no reply of a script: {error}.") from None
