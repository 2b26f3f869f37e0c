"""Apple's on-device model, through Apple's own Python package; on macOS with Apple Intelligence only.

The package keeps conversations itself and knows no tool results from outside, so each request is a session of its
own: the conversation goes in as text, and calls are read out of the answer (tool mode `text`).
"""

from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from typing import Any

from ferrule.core.errors import ProviderError, ProviderFault, UsageError
from ferrule.core.messages import Assistant, Message, ToolResult, text_of
from ferrule.core.model import Delta, Finish, Request

PACKAGE = "apple_fm_sdk"
WINDOW = 4_096
FAULTS: dict[str, ProviderFault] = {
    "ExceededContextWindowSizeError": "context_overflow",
    "RateLimitedError": "rate_limit",
    "ConcurrentRequestsError": "overloaded",
    "AssetsUnavailableError": "overloaded",
    "GuardrailViolationError": "bad_request",
    "RefusalError": "bad_request",
    "UnsupportedLanguageOrLocaleError": "bad_request",
}


class Apple:
    """The model of this Mac."""

    name = "apple/on-device"

    def __init__(self, package: str = PACKAGE) -> None:
        """Find the model.

        Raises:
            UsageError: this machine has none, or it is not ready.
        """
        try:
            self._sdk: Any = import_module(package)
        except ImportError:
            raise UsageError(
                "The provider apple needs macOS 26 with Apple Intelligence, and the package apple-fm-sdk."
            ) from None
        self._model = self._sdk.SystemLanguageModel()
        ready, reason = self._model.is_available()
        if not ready:
            raise UsageError(f"Apple's on-device model is not available: {getattr(reason, 'name', reason)}.")

    async def stream(self, request: Request) -> AsyncIterator[Delta | Finish]:
        """Answer a request; the package gives the whole text so far each time, of which only the rest is new."""
        session = self._sdk.LanguageModelSession(instructions=request.system or None, model=self._model)
        told = ""
        try:
            async for whole in session.stream_response("\n\n".join(_paragraphs(request.messages))):
                if whole.startswith(told) and len(whole) > len(told):
                    yield Delta(kind="text", text=whole[len(told) :])
                    told = whole
        except self._sdk.FoundationModelsError as error:
            fault = FAULTS.get(type(error).__name__, "unknown")
            raise ProviderError(f"Apple's on-device model: {error}", fault=fault) from error
        yield Finish(stop="end_turn")


def _paragraphs(messages: tuple[Message, ...]) -> Iterator[str]:
    for message in messages:
        who = {Assistant: "Assistant", ToolResult: "Result"}.get(type(message), "User")
        if text := text_of(message.content).strip():
            yield f"{who}: {text}"
    yield "Assistant:"
