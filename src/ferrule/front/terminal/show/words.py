"""Numbers as people say them: counts, tokens, times and costs."""


def count(number: int, noun: str) -> str:
    """A number and its noun: `1 line`, `12,345 lines`, `2 matches`, `3 entries`."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else noun + ("es" if noun.endswith("ch") else "s")
    return f"{number:,} {plural}"


def duration(seconds: float) -> str:
    """A time: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 14 min`."""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"


def elapsed(seconds: float) -> str:
    """A time that still runs, in whole seconds so that it does not flicker."""
    return "0 s" if seconds < 1 else duration(int(seconds)).replace(".0 s", " s")


def amount(number: int) -> str:
    """A number of tokens: `940`, `12.3k`, `1.2M`."""
    if number < 1_000:
        return str(number)
    if number < 999_500:
        return f"{number / 1_000:.1f}k" if number < 99_950 else f"{number / 1_000:.0f}k"
    return f"{number / 1_000_000:.1f}M"


def dollars(cost: float) -> str:
    """A cost in US dollars; of small ones the first figures that tell something."""
    if cost >= 0.995:
        return f"${cost:,.2f}"
    return f"${cost:.3f}" if cost >= 0.0005 or cost <= 0 else "<$0.001"
