"""Money that members owe."""

GRACE = 3
PER_DAY = 25
MOST = 1000


def late_fee(due, returned):
    """The fine for a late book in cents: nothing within the days of grace, and never more than the most."""
    late = (returned - due).days - GRACE
    return min(MOST, PER_DAY * late) if late > 0 else 0
