"""The interface of Apple's package, as its documentation and its own tests have it, with canned answers."""

from collections.abc import AsyncIterator
from enum import Enum


class FoundationModelsError(Exception):
    """The package's base of errors."""


class GenerationError(FoundationModelsError):
    """Something went wrong while generating."""


class ExceededContextWindowSizeError(GenerationError):
    """The prompt is too long."""


class SystemLanguageModelUnavailableReason(Enum):
    """Why there is no model."""

    APPLE_INTELLIGENCE_NOT_ENABLED = 1


class SystemLanguageModel:
    """The model; `available` is set by the tests."""

    available = True

    def is_available(self) -> tuple[bool, SystemLanguageModelUnavailableReason | None]:
        reason = None if self.available else SystemLanguageModelUnavailableReason.APPLE_INTELLIGENCE_NOT_ENABLED
        return self.available, reason


class LanguageModelSession:
    """A session; gives ever longer snapshots of its answer."""

    asked: list[tuple[str | None, str]] = []  # noqa: RUF012

    def __init__(self, instructions: str | None = None, model: SystemLanguageModel | None = None) -> None:
        self.instructions = instructions
        assert model is not None

    async def stream_response(self, prompt: str) -> AsyncIterator[str]:
        self.asked.append((self.instructions, prompt))
        if len(prompt) > 1_000:
            raise ExceededContextWindowSizeError("Context window size exceeded")
        for snapshot in ("Hel", "Hello", "Hello", "Hello there."):
            yield snapshot
