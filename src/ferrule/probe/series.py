"""Rows of questions of one kind, asked until it is clear how many of them a model gets right."""

from collections.abc import Callable, Sequence
from typing import Literal

from ferrule.core.errors import ProviderError, ProviderFault
from ferrule.core.messages import Value
from ferrule.core.model import Model, Request
from ferrule.probe.asking import Answer, Interview, SilentError, TimeUpError

State = Literal["whole", "enough", "refused", "silent", "time"]
"""How a row ended: all was asked; the rest could not have helped; the server would not, the model did not answer;
the time was over."""
_NO: frozenset[ProviderFault] = frozenset({"bad_request", "server", "unknown"})
"""Failures that are the server's answer to what was asked; others say nothing about the model."""
_NOTHING: dict[State, str] = {
    "whole": "none", "enough": "none", "refused": "refused", "silent": "no answer", "time": "no time",
}  # fmt: skip
_LARGE = 10
"""From here on a number needs no digits behind the point."""
_TELLING = 3
"""So many answers say something even where not all was asked."""


class Result(Value, frozen=True, kw_only=True, omit_defaults=False):
    """What came of a probe: right answers, or a figure."""

    probe: str
    right: int = 0
    asked: int = 0
    of: int = 0
    number: float = 0
    unit: str = ""
    """Of the number, where the result is one."""
    state: State = "whole"
    note: str = ""

    @property
    def share(self) -> float | None:
        """The part of the answers that was right; nothing where too few were asked to say."""
        if self.state == "refused":
            return 0.0
        if self.state in {"silent", "time"} and self.asked < _TELLING:
            return None
        return self.right / self.asked if self.asked else None

    @property
    def words(self) -> str:
        """The result in a few words."""
        if not (self.number if self.unit else self.asked):
            return _NOTHING[self.state]
        if self.unit:
            return f"{self.number:,.{0 if self.number >= _LARGE else 1}f} {self.unit}"
        return f"{self.right} of {self.asked}"


class Question(Value, frozen=True, kw_only=True):
    """Something to ask, and what tells whether the answer is right."""

    request: Request
    is_right: Callable[[Answer], bool]


class Row(Value, frozen=True, kw_only=True):
    """Questions of one kind."""

    probe: str
    model: Model
    questions: Sequence[Question]
    needed: float = 0
    """The part of them that must be right for the result to matter; once that is out of reach, asking ends."""
    most: int = 1_500
    """Characters of an answer."""
    ended: Callable[[], str] = lambda: ""
    """Says why asking on makes no sense, where it does not."""


async def ask_row(row: Row, interview: Interview) -> Result:
    """Ask the questions of a row, one after the other."""
    total, right, asked = len(row.questions), 0, 0
    state: State = "whole"
    note = ""
    for question in row.questions:
        try:
            answer = await interview.ask(row.model, question.request, most=row.most)
        except TimeUpError:
            state, note = "time", "the time was over"
            break
        except SilentError as error:
            state, note = "silent", _as_note(error)
            break
        except ProviderError as error:
            state, note = "refused" if error.fault in _NO else "silent", _as_note(error)
            break
        asked += 1
        if note := row.ended():
            state = "enough"
            break
        right += question.is_right(answer)
        if right + total - asked < row.needed * total:
            if asked < total:
                state, note = "enough", f"{asked} of {total} asked: the others could not have helped"
            break
    return Result(probe=row.probe, right=right, asked=asked, of=total, state=state, note=note)


def _as_note(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text[:1].lower() + text[1:].rstrip(".")
