"""Averages and such."""


def mean(values):
    """The mean, or None for no values."""
    return sum(values) / len(values) if values else None


def median(values):
    """The value in the middle, or the mean of the two in the middle."""
    if not values:
        raise ValueError("the median of nothing")
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def spread(values):
    """The distance between the lowest and the highest value."""
    return max(values) - min(values)
