"""How a model is given its tools: natively, as text, or held to a JSON schema; and the move to what works.

- `native`: the tools go with the request. Arguments that are not quite JSON are repaired. A model that writes its
  calls as text all the same, or whose server refuses tools, is moved to `text`, and that is said.
- `text`: the tools are described in the instructions, and calls are read out of the answer.
- `schema`: the same, and the server holds the answer to a schema of the possible steps.

Each is a model around a model; the loop sees ordinary calls.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Literal, Protocol

from ferrule.core.errors import ProviderError, UsageError
from ferrule.core.model import Delta, Finish, Model, Request, ToolSpec
from ferrule.core.regex import lazy
from ferrule.llm.answers import Answer, Piece, SteppedAnswer
from ferrule.llm.retell import STEPS, TEXT, Retelling, step_schema

ToolMode = Literal["native", "schema", "text"]
OnChange = Callable[[ToolMode, str], None]
"""Told the new mode and why, in words for the person."""
Constrain = Callable[[dict[str, Any]], Model]
"""Makes the same model with its answers held to a JSON schema by its server (`response_format`, Ollama's `format`)."""

WRITES_CALLS = "{name} writes its calls as text, so from now on its tools are described to it in words."
TAKES_NO_TOOLS = "{name} takes no tools ({error}), so from now on they are described to it in words."


def in_mode(
    model: Model,
    mode: ToolMode = "native",
    *,
    constrain: Constrain | None = None,
    on_change: OnChange = lambda _mode, _why: None,
) -> Model:
    """Put a model into a mode.

    Raises:
        UsageError: the mode is `schema`, and there is no way to hold the model to one.
    """
    if mode == "text":
        return InText(model)
    if mode == "native":
        return Mending(model, on_change=on_change)
    if constrain is None:
        raise UsageError(f"{model.name} cannot be held to a schema; choose the tool mode native or text.")
    return InSteps(model, constrain)


class Mending:
    """A model that is given its tools natively, with its calls mended; it moves to `text` where that fails."""

    def __init__(self, model: Model, *, on_change: OnChange = lambda _mode, _why: None) -> None:
        self.name = model.name
        self.mode: ToolMode = "native"
        self._model, self._in_text, self._on_change = model, InText(model), on_change
        self._calls_natively = False  # who once did so can, and need not be moved for a slip

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer a request; where its tools are refused, once more with the tools in words."""
        if self.mode == "native":
            answer, has_begun = Answer(request.tools, marked_only=self._calls_natively), False
            try:
                async with aclosing(_passed_on(self._model, request, answer)) as pieces:
                    async for piece in pieces:
                        has_begun = True
                        self._calls_natively = self._calls_natively or answer.has_native_calls
                        if answer.has_written_calls and not self._calls_natively:
                            self._move(WRITES_CALLS.format(name=self.name))
                        yield piece
            except ProviderError as error:
                if has_begun or not request.tools or not _refuses_tools(error):
                    raise
                self._move(TAKES_NO_TOOLS.format(name=self.name, error=str(error).rstrip(".")))
            else:
                return
        async with opened(self._in_text, request) as pieces:
            async for piece in pieces:
                yield piece

    def _move(self, why: str) -> None:
        if self.mode == "native":
            self.mode = "text"
            self._on_change("text", why)


class InText:
    """A model that is told about its tools in words, and writes its calls as text."""

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model, self._retelling = model, Retelling(TEXT)

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer a request; calls in the answer become real ones."""
        answer = Answer(request.tools, taught=True)
        async with aclosing(_passed_on(self._model, self._retelling.tell(request), answer)) as pieces:
            async for piece in pieces:
                yield piece


class InSteps:
    """A model whose server holds each answer to a schema: one call, or words to the person."""

    def __init__(self, model: Model, constrain: Constrain) -> None:
        self.name = model.name
        self._model, self._constrain, self._retelling = model, constrain, Retelling(STEPS)
        self._constrained: tuple[tuple[ToolSpec, ...], Model] | None = None

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer a request with a step; without tools there is nothing to hold the model to."""
        answer = SteppedAnswer(request.tools) if request.tools else Answer(())
        model = self._held_to_steps(request.tools) if request.tools else self._model
        async with aclosing(_passed_on(model, self._retelling.tell(request), answer)) as pieces:
            async for piece in pieces:
                yield piece

    def _held_to_steps(self, tools: tuple[ToolSpec, ...]) -> Model:
        if self._constrained is None or self._constrained[0] != tools:
            self._constrained = (tools, self._constrain(step_schema(tools)))
        return self._constrained[1]


class _Sieve(Protocol):
    """What an answer passes through."""

    def take(self, piece: Piece) -> Iterator[Piece]: ...

    def leave(self) -> Iterator[Piece]: ...


async def _passed_on(model: Model, request: Request, answer: _Sieve) -> AsyncGenerator[Piece, None]:
    """Pass an answer on through a sieve; where it breaks off, what is still held back is passed on as well."""
    is_whole = False
    async with opened(model, request) as pieces:
        try:
            async for piece in pieces:
                is_whole = is_whole or isinstance(piece, Finish)
                for passed in answer.take(piece):
                    yield passed
        except ProviderError:
            for passed in answer.leave():
                yield passed
            raise
    if not is_whole:
        for passed in answer.leave():
            yield passed


@asynccontextmanager
async def opened(model: Model, request: Request) -> AsyncIterator[AsyncIterator[Piece]]:
    """Ask a model, and free what its stream holds when it is left early."""
    stream = model.stream(request)
    try:
        yield stream
    finally:
        if (close := getattr(stream, "aclose", None)) is not None:
            await close()


def _refuses_tools(error: ProviderError) -> bool:
    """Whether the server says that it takes no tools at all; a schema that it dislikes is another matter."""
    words = str(error)
    may_mean_it = error.fault in {"bad_request", "server", "unknown"} and "schema" not in words.lower()
    return may_mean_it and _REFUSAL.search(words) is not None


_REFUSAL = lazy(
    r"""
      (?:not|n't|cannot|no\ endpoints?\ found\ that)\ (?:currently\ )?support\W.{0,40}\b(?:tool|function[ _-]call)
    | \b(?:tools?|functions?)\b(?:[ _-](?:use|calls?|calling|choice|param\w*))?\W.{0,40}?
      (?:not\ (?:currently\ )?(?:supported|enabled|available|allowed)|unsupported|requires?\ --)
    | \bunsupported\W.{0,40}\b(?:tools|function[ _-]call)
    """,
    re.VERBOSE | re.IGNORECASE,
)
