"""Names of winds."""

NAMES = ((0.5, "calm"), (5.5, "light"), (10.8, "fresh"), (24.5, "strong"))


def wind_name(speed):
    """The name of a wind by its speed in m/s."""
    return next((name for limit, name in NAMES if speed < limit), "storm")
