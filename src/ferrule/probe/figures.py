"""The probes that give a figure: how fast a model reads and writes, and in how long a text it still finds things."""

import os
from collections.abc import Callable, Iterator
from itertools import cycle

from ferrule.core.errors import ProviderError
from ferrule.core.model import Model
from ferrule.probe.asking import Interview, SilentError, TimeUpError
from ferrule.probe.cases import cases
from ferrule.probe.rows import ask_plainly, said_in_answer
from ferrule.probe.series import Question, Result, Row, State, ask_row

READING, WRITING, CONTEXT = "reading", "writing", "true context"
_RATE, _TOKENS = "tokens a second", "tokens"
_SIZES = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
_QUICK_SIZES = 2
_CHARACTERS = 4.4
"""Of a token of plain English, about."""
_READ = 400
"""Tokens of the text that reading is timed with."""
_FOR_ANSWERS = 6
"""Seconds that three short answers take, about."""


async def speed(model: Model, interview: Interview) -> tuple[Result, Result]:
    """How many tokens it reads and writes in a second."""
    # the text begins with something new, or a server that has seen it before would not read it at all
    text = f"Note {os.urandom(4).hex()}. {_filler(_READ)}\n\nForget this text. "
    order = "Write the numbers from one to twenty in words, separated by commas, and nothing else."
    try:
        answer = await interview.ask(model, ask_plainly("You are a helpful assistant.", text + order), most=600)
    except (TimeUpError, SilentError, ProviderError) as error:
        return _unmeasured(READING, error), _unmeasured(WRITING, error)
    usage = answer.usage
    read = usage.input + usage.cache_write or _READ
    wrote = usage.output or answer.pieces
    reading = read / answer.first if answer.first > 0 else 0.0
    took = answer.last - answer.first
    writing = (wrote - 1) / took if took > 0 and wrote > 1 else 0.0
    return (
        Result(probe=READING, number=_rounded(reading), unit=_RATE),
        Result(probe=WRITING, number=_rounded(writing), unit=_RATE),
    )


async def context(
    model: Model, interview: Interview, *, window: int, reading: float, quick: bool, begins: Callable[[str], None]
) -> Result:
    """Up to which length of a text it finds what stands at its beginning, in its middle and at its end."""
    found, note = 0, ""
    state: State = "whole"
    for size in _SIZES[:_QUICK_SIZES] if quick else _SIZES:
        if window and size > window * 0.9:
            note = f"its window holds {window:,}"
            break
        if reading and size / reading + _FOR_ANSWERS > interview.left:
            state, note = "time", f"there was no time for {size:,}"
            break
        begins(f"{CONTEXT}, {size:,} tokens")
        row = Row(probe=CONTEXT, model=model, questions=list(_search(size)), needed=1, most=300)
        result = await ask_row(row, interview)
        if result.share != 1 or result.asked < len(row.questions):
            why = "not all was found" if result.state in {"whole", "enough"} else result.note
            state, note = result.state, f"{size:,}: {why}"
            break
        found = size
    return Result(probe=CONTEXT, number=found, unit=_TOKENS, state=state, note=note)


def _search(size: int) -> Iterator[Question]:
    """One text with three sentences in it, and a question for each: only the first has to read it."""
    text = _filler(size)
    first, middle, last = cases().hidden
    sentences = text.split(". ")
    half = len(sentences) // 2
    whole = ". ".join(
        [
            first.sentence.rstrip("."),
            *sentences[:half],
            middle.sentence.rstrip("."),
            *sentences[half:-1],
            last.sentence.rstrip("."),
            sentences[-1],
        ]
    )
    for hidden in (first, middle, last):
        asked = f"{whole}\n\nAnswer from the text above, in one short sentence: {hidden.question}"
        yield said_in_answer("You are a helpful assistant.", asked, hidden.right)


def _filler(tokens: int) -> str:
    """So much plain English, about."""
    length, parts = int(tokens * _CHARACTERS), list[str]()
    for sentence in cycle(cases().filler):
        if length <= 0:
            break
        parts.append(sentence)
        length -= len(sentence) + 1
    return " ".join(parts)


def _unmeasured(probe: str, error: Exception) -> Result:
    return Result(probe=probe, unit=_RATE, state="silent", note=str(error).rstrip("."))


def _rounded(rate: float) -> float:
    return round(rate, 1) if rate < 100 else float(round(rate))
