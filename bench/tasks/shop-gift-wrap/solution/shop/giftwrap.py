"""What gift wrapping costs."""

EACH = 150
MOST = 900


def wrap_cost(quantities):
    """The cost of wrapping so many items, in cents."""
    return min(EACH * sum(quantities), MOST)
