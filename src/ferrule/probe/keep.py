"""The end of a measurement: the verdict, and the profile that is kept where there is one."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from ferrule.core.messages import Value
from ferrule.probe.series import Result
from ferrule.probe.verdict import Verdict, profile_of, verdict_on
from ferrule.small.profile import Profile, forget, save

__all__ = ["Conclusion", "conclude", "forget"]


class Conclusion(Value, frozen=True, kw_only=True, omit_defaults=False):
    """What came of a measurement."""

    model: str
    verdict: Verdict
    results: tuple[Result, ...]
    profile: Profile | None = None
    """None where too little was measured; an earlier profile then stays."""
    file: Path | None = None


def conclude(model: str, results: Sequence[Result]) -> Conclusion:
    """Judge the results, and keep the profile.

    Raises:
        ConfigError: it cannot be written.
    """
    verdict = verdict_on(results)
    if verdict.mode is None:
        return Conclusion(model=model, verdict=verdict, results=tuple(results))
    today = date.today().isoformat()  # noqa: DTZ011 - the day as the person sees it
    profile = profile_of(model, results, mode=verdict.mode, day=today)
    return Conclusion(model=model, verdict=verdict, results=tuple(results), profile=profile, file=save(profile))
