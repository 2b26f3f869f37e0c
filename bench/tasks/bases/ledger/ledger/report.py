"""Shows balances."""

from ledger.money import to_text


def report(totals):
    """One account a line, by name."""
    return "\n".join(f"{name:<12}{to_text(totals[name]):>10}" for name in sorted(totals))
