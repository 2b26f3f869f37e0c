"""Questions about permissions: told as events, answered by whoever can, and no answer in time means no."""

import asyncio
from collections.abc import Mapping

from ferrule.core.errors import UsageError
from ferrule.core.events import Emit, PermissionAsked
from ferrule.core.messages import ToolCall
from ferrule.core.permission import Advice, Advise, Answer, Asker


class Asking:
    """Puts questions to a person and waits for the answers. It is an `Asker` itself."""

    def __init__(self, *, by: Asker | None = None, someone: bool = False, seconds: float = 0) -> None:
        """Say who answers: a function, or `someone` through `answer`; with neither, nobody does.

        After so many seconds without an answer it is no; 0 waits for ever.
        """
        self.tell: Emit = lambda _event: None
        """Where questions are told; the session sets it."""
        self.advisor: Advise | None = None
        """Who has a say on a call before it is judged."""
        self.deputy: Asker | None = None
        """Who may answer in a person's place; None from it leaves the question open."""
        self._by, self._someone, self._seconds = by, someone, seconds
        self._open: dict[str, tuple[PermissionAsked, asyncio.Future[Answer]]] = {}

    async def __call__(self, asked: PermissionAsked) -> Answer | None:
        """Ask, and wait; None where nobody can be asked."""
        if self.deputy and (settled := await self.deputy(asked)):
            return settled
        if self._by is None and not self._someone:
            return None
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._open[asked.id] = (asked, answer)
        try:
            self.tell(asked)
            async with asyncio.timeout(self._seconds or None):
                return await (self._by(asked) if self._by else answer)
        except TimeoutError:
            return Answer(verdict="no", word=f"Nobody answered within {self._seconds:g} s.")
        finally:
            del self._open[asked.id]

    def advise(self, call: ToolCall) -> Advice | None:
        """What someone has to say on a call before it is judged."""
        return self.advisor(call) if self.advisor else None

    @property
    def open(self) -> Mapping[str, PermissionAsked]:
        """The questions that wait, by their ids."""
        return {key: asked for key, (asked, _) in self._open.items()}

    def answer(self, id: str, answer: Answer) -> None:
        """Answer a question.

        Raises:
            UsageError: no such question waits.
        """
        _, future = self._open.get(id, (None, None))
        if future is None or future.done():
            raise UsageError("That question does not wait for an answer any more.")
        future.set_result(answer)
