"""What the results mean: how a model is best asked, in one sentence, and the profile that a session goes by."""

from collections.abc import Sequence
from typing import Any

from ferrule.core.messages import Value
from ferrule.probe.figures import CONTEXT, READING, WRITING
from ferrule.probe.rows import CALLS, EDITS, NEEDED_BOUND_CALLS, NEEDED_CALLS, NEEDED_EDITS
from ferrule.probe.series import Result
from ferrule.small.profile import EditFormat, Mode, Profile

_SURE_EDITS = 0.8
_SLOW = 60
"""Tokens a second below which the long prompts of an agent that calls tools by itself take too long to read."""
_READS_WELL, _WRITES_WELL = 30, 8
"""Tokens a second from which on as much may be shown, and written, as is good for the answer."""
_LEAST = 0.4
_FOR_THE_REST = 0.5
"""The part of the true context that is left for instructions, what was said before, and the answer."""


class Verdict(Value, frozen=True, kw_only=True):
    """How a model is best asked, and why."""

    mode: Mode | None
    """None where too little was measured."""
    why: str


def verdict_on(results: Sequence[Result]) -> Verdict:
    """Judge the results."""
    share = {result.probe: result.share for result in results}
    native, schema, text = (share.get(CALLS[mode]) for mode in ("native", "schema", "text"))
    written = {form: share.get(EDITS[form]) for form in EDITS}
    can_write = max(written["file"] or 0, written["function"] or 0) >= NEEDED_EDITS
    known = [one for one in written.values() if one is not None]
    is_sure = not known or max(known) >= _SURE_EDITS
    speed = _number(results, READING)
    calls = native is not None and native >= NEEDED_CALLS
    if calls and is_sure and not 0 < speed < _SLOW:
        return Verdict(mode="native", why="it calls tools as it should, so it works by itself.")
    if can_write:
        why = "writes files but calls tools badly" if native is not None else "writes files as it should"
        why = "calls tools, but reads too slowly for long prompts" if calls else why
        return Verdict(mode="guided", why=f"it {why}, so Ferrule finds and checks, and it answers and writes.")
    if calls:
        return Verdict(mode="native", why="it calls tools as it should, though it writes files badly.")
    if schema is not None and schema >= NEEDED_BOUND_CALLS:
        return Verdict(mode="schema", why="its calls are right where its server holds them to a schema.")
    if text is not None and text >= NEEDED_BOUND_CALLS:
        return Verdict(mode="text", why="it writes right calls as text.")
    if None in {written["file"], written["function"]} or (native, schema, text) == (None, None, None):
        return Verdict(mode=None, why="too little was measured for a verdict; --minutes N gives it more time.")
    return Verdict(
        mode="unusable",
        why="it does not follow instructions well enough to change a file or to call a tool; take a larger model.",
    )


def profile_of(model: str, results: Sequence[Result], *, mode: Mode, day: str) -> Profile:
    """The profile of a model: a slow one is shown less, and none is shown more than it can hold together."""
    share = {result.probe: result.share or 0 for result in results}
    forms: list[EditFormat] = [form for form in EDITS if form != "replace" or mode != "guided"]
    best = max(forms, key=lambda form: share.get(EDITS[form], 0))
    reading, writing, context = (_number(results, probe) for probe in (READING, WRITING, CONTEXT))
    usual = Profile()
    shown = _scale(reading, _READS_WELL)
    numbers: dict[str, Any] = {
        name: _fitting(getattr(usual, name) * shown, context)
        for name in ("question_tokens", "outline_tokens", "candidate_tokens")
    }
    numbers["whole_file_tokens"] = (
        0 if best == "function" else _fitting(usual.whole_file_tokens * _scale(writing, _WRITES_WELL), context)
    )
    return Profile(
        model=model,
        mode=mode,
        edit_format=best,
        reading=reading,
        writing=writing,
        context=int(context),
        measured=day,
        scores={result.probe: (result.right, result.asked) for result in results if not result.unit},
        **numbers,
    )


def _number(results: Sequence[Result], probe: str) -> float:
    return next((result.number for result in results if result.probe == probe), 0)


def _scale(rate: float, enough: float) -> float:
    return max(_LEAST, min(1.0, rate / enough)) if rate else 1.0


def _fitting(tokens: float, context: float) -> int:
    return int(min(tokens, context * _FOR_THE_REST) if context else tokens)
