"""One question to a model, bounded in time and in length, and how long the answer took."""

import asyncio
import time
from functools import partial

from ferrule.core.accumulate import Draft, ask_model
from ferrule.core.errors import FerruleError
from ferrule.core.events import Event
from ferrule.core.messages import ToolCall, Usage, Value
from ferrule.core.model import Delta, Model, Request
from ferrule.llm.retry import retrying

_ATTEMPTS = 3
_MOST_THOUGHT = 20_000
"""Characters of thinking; whoever needs more for a small question is not going to end."""


class SilentError(FerruleError):
    """The model said nothing at all in the time that a question may take."""


class TimeUpError(FerruleError):
    """The time for the whole measurement is over."""


class Answer(Value, frozen=True, kw_only=True):
    """What a model said, as far as it was listened to."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    pieces: int = 0
    """How often something came; most servers send a token at a time."""
    first: float = 0
    """Seconds until the first of them."""
    last: float = 0
    """Seconds until the last of them."""


class Interview:
    """A row of questions that has to be over in time."""

    def __init__(self, *, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._longest = seconds / 3
        """For one question, so that a model that hangs does not take all the time."""

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self._end - time.monotonic()

    async def ask(self, model: Model, request: Request, *, most: int) -> Answer:
        """Ask once, and listen to at most so many characters of the answer.

        Raises:
            TimeUpError: there is no time left.
            SilentError: nothing came.
            ProviderError: the model could not be reached, or would not answer.
        """
        if self.left <= 0:
            raise TimeUpError("The time is over.")
        draft, listening, start = Draft(), _Listening(most), time.monotonic()
        try:
            async with asyncio.timeout(min(self._longest, self.left)):
                await retrying(partial(ask_model, model), attempts=_ATTEMPTS)(request, draft, listening)
        except _EnoughError:
            pass
        except TimeoutError:
            if self.left <= 0:
                raise TimeUpError("The time is over.") from None
            if not listening.times:
                raise SilentError(f"Nothing came within {self._longest:.3g} s.") from None
        message = draft.message()
        times = [at - start for at in listening.times]
        return Answer(
            text=message.text if message else "",
            calls=message.calls if message else (),
            usage=draft.usage,
            pieces=len(times),
            first=times[0] if times else 0,
            last=times[-1] if times else 0,
        )


class _EnoughError(Exception):
    """The answer is longer than anybody wants to hear."""


class _Listening:
    """Takes the pieces of an answer as they come, until there are enough."""

    def __init__(self, most: int) -> None:
        self.times: list[float] = []
        self._left = {"text": most, "arguments": most, "thinking": _MOST_THOUGHT}

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Delta):
            self.times.clear()  # it is asked again
            return
        self.times.append(time.monotonic())
        if event.kind in self._left:
            self._left[event.kind] -= len(event.text)
            if self._left[event.kind] < 0:
                raise _EnoughError
