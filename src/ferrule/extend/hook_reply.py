"""What a hook's exit code and words mean, and what several hooks mean together."""

import signal
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from ferrule.core.messages import Value
from ferrule.extend.hook_process import Ran
from ferrule.extend.hook_table import Event
from ferrule.host.plain import plain

BLOCKS = 2
"""The exit code that blocks."""
LONGEST = 10_000
"""Characters that a hook may tell the model."""
SPEAKING: frozenset[Event] = frozenset({"SessionStart", "UserPromptSubmit"})
"""Events after which plain words on stdout are meant for the model."""
_LONGEST_COMPLAINT = 500

Decision = Literal["deny", "ask", "allow"]
_DECISIONS: dict[object, Decision] = {
    "deny": "deny",
    "block": "deny",
    "ask": "ask",
    "allow": "allow",
    "approve": "allow",
}


class Reply(Value, frozen=True, kw_only=True):
    """What hooks have to say about an event."""

    decision: Decision | None = None
    reason: str = ""
    """Why, for the model or for the person, whoever is told."""
    input: dict[str, Any] | None = None
    """Other arguments for the call."""
    context: tuple[str, ...] = ()
    """What the model is told beside all else."""
    messages: tuple[str, ...] = ()
    """What the person is told."""
    problems: tuple[str, ...] = ()
    """What went wrong, for the person."""
    stop: bool = False
    """Whether everything is to end here."""

    @property
    def denies(self) -> bool:
        """Whether what is about to happen shall not."""
        return self.decision == "deny"


def reply_of(ran: Ran) -> Reply:
    """Understand what one hook came to."""
    name = f"The {ran.hook.event} hook `{_short(ran.hook.line)}`"
    if ran.problem:
        return _failure(ran, f"{name} failed. {ran.problem}.")
    if ran.code == BLOCKS:
        return Reply(decision="deny", reason=_cut(ran.stderr) or f"{name} gave no reason.")
    if ran.code:
        words = f": {ran.stderr[-_LONGEST_COMPLAINT:]}" if ran.stderr else ""
        return _failure(ran, f"{name} failed with {_ended(ran.code)}{words}")
    text = ran.stdout.strip()
    if not text.startswith("{"):
        return Reply(context=(_cut(plain(text)),)) if text and ran.hook.event in SPEAKING else Reply()
    try:
        said = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        return _failure(ran, f"{name} answered with something that is not JSON: {error}")
    return _reply(said, ran, name)


def together(replies: Sequence[Reply]) -> Reply:
    """What several hooks mean together: no wins over ask, and ask over yes; the last change of the input counts."""
    decision = min((one.decision for one in replies if one.decision), key=_WEIGHT.index, default=None)
    reasons = dict.fromkeys(one.reason for one in replies if one.reason and one.decision == decision)
    inputs = [one.input for one in replies if one.input is not None]
    return Reply(
        decision=decision,
        reason="\n".join(reasons),
        input=inputs[-1] if inputs else None,
        context=_joined(one.context for one in replies),
        messages=_joined(one.messages for one in replies),
        problems=_joined(one.problems for one in replies),
        stop=any(one.stop for one in replies),
    )


_WEIGHT: tuple[Decision, ...] = ("deny", "ask", "allow")


def _reply(said: dict[str, Any], ran: Ran, name: str) -> Reply:
    """What a hook says in JSON; what it says about another event, or in another shape, does not count."""
    special = said.get("hookSpecificOutput")
    special = special if isinstance(special, dict) else {}
    about = special.get("hookEventName", ran.hook.event)
    problems: tuple[str, ...] = ()
    if about != ran.hook.event:
        special, problems = {}, (f"{name} answered for {_short(str(about))}, which does not count.",)
    asked = special.get("decision")
    asked = asked if isinstance(asked, dict) else {}
    decision = _DECISIONS.get(
        _text(special.get("permissionDecision")) or _text(asked.get("behavior")) or _text(said.get("decision"))
    )
    reason = special.get("permissionDecisionReason") or asked.get("message") or said.get("reason")
    stop = said.get("continue") is False or asked.get("interrupt") is True
    if stop and decision is None:
        reason = said.get("stopReason") or reason
    changed = special.get("updatedInput", asked.get("updatedInput"))
    return Reply(
        decision=decision,
        reason=_cut(_text(reason)) or (f"{name} gave no reason." if decision == "deny" else ""),
        input=changed if isinstance(changed, dict) else None,
        context=tuple(filter(None, [_cut(_text(special.get("additionalContext")))])),
        messages=tuple(filter(None, [_cut(_text(said.get("systemMessage")))])),
        problems=problems,
        stop=stop,
    )


def _failure(ran: Ran, words: str) -> Reply:
    if ran.hook.blocks_on_failure:
        return Reply(decision="deny", reason=words)
    return Reply(problems=(words,))


def _joined(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(one for part in parts for one in part)


def _text(value: object) -> str:
    return plain(value).strip() if isinstance(value, str) else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text) - LONGEST:,} more characters)"


def _short(line: str) -> str:
    return line if len(line) <= 60 else line[:59] + "…"


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
