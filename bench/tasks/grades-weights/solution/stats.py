"""Averages and such."""


def mean(values, weights=None):
    """The mean, by weights if there are any, or None for no values."""
    if not values:
        return None
    if weights is None:
        weights = [1] * len(values)
    return sum(value * weight for value, weight in zip(values, weights)) / sum(weights)


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
