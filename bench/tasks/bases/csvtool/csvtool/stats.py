def mean(values):
    """The mean, or 0 if there are no values."""
    return sum(values) / len(values) if values else 0


def spread(values):
    """The difference between the largest and the smallest value."""
    if not values:
        return 0
    return max(values) - min(values)
